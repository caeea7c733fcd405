#include "view/diagram.h"
#include <gtest/gtest.h>
#include <iostream>
#include "view/sample_traces.h"
namespace baton::test {
TEST(X, Y) {
  std::cout << view::draw(one_asks(), {}) << "\n==\n"
            << view::draw(one_asks(5), {.unicode = false}) << "\n==\n"
            << view::draw(everybody_asks(5), {}) << "\n==\n"
            << view::draw(named_and_uneven(), {}) << "\n==\n"
            << view::draw(loss_and_crash(), {}) << "\n==\n"
            << view::draw(maekawa_deadlock(), {}) << "\n==\n"
            << view::draw(election(), {});
}
}  // namespace baton::test
