// What a group of peers can run. Apart from everything else, so that tests need nothing of net/.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace baton::test {

// All that keep their promises between real processes.
std::vector<std::string> all_locks();

// As gtest wants names.
std::string as_identifier(const testing::TestParamInfo<std::string>& algorithm);

}  // namespace baton::test
