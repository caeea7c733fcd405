// A file may know the tokens of a group and the fence of a resource at once.
#include <gtest/gtest.h>

#include <type_traits>

#include "baton/fence.h"
#include "core/fence.h"

namespace baton {

TEST(FenceNames, TheTokensOfAGroupAndTheFenceOfAResourceGoTogether) {
  EXPECT_FALSE((std::is_same_v<FencingToken, Fence>));
}

}  // namespace baton
