// Warnings before etcd is full.
#include "service/cluster/storage_quota.h"

#include <gtest/gtest.h>

namespace baton::cluster {
namespace {

etcd::MemberStatus member(std::int64_t store_bytes, std::int64_t quota_bytes = 0) {
  etcd::MemberStatus result;
  result.endpoint = "here";
  result.version = "3.4";
  result.is_healthy = true;
  result.store_bytes = store_bytes;
  result.quota_bytes = quota_bytes;
  return result;
}

class SpaceTest : public testing::Test {
 protected:
  static constexpr std::int64_t mebibyte = 1024 * 1024;

  // How many warnings there have been.
  std::size_t after(std::int64_t mebibytes) {
    space.look({member(mebibytes * mebibyte)});
    return warnings.size();
  }

  std::vector<std::string> warnings;
  StorageQuota space{100 * mebibyte, [this](const std::string& what) { warnings.push_back(what); }};
};

TEST_F(SpaceTest, WarnsOnceWhenItComesCloseAndOnceWhenItIsNearlyFull) {
  EXPECT_EQ(after(79), 0U);
  EXPECT_EQ(after(81), 1U);
  EXPECT_EQ(warnings[0].find("etcd at here: 81.0 of 100.0 MiB of its quota are used"), 0U)
      << warnings[0];
  EXPECT_EQ(after(90), 1U);
  EXPECT_EQ(after(96), 2U);
  EXPECT_EQ(after(100), 2U);
}

TEST_F(SpaceTest, WarnsAgainAfterThereWasRoom) {
  EXPECT_EQ(after(96), 1U);
  EXPECT_EQ(after(85), 1U) << "it falls";
  EXPECT_EQ(after(96), 2U);
  EXPECT_EQ(after(10), 2U);
  EXPECT_EQ(after(81), 3U);
  EXPECT_EQ(after(78), 3U);
  EXPECT_EQ(after(81), 3U) << "it has hardly moved";
}

TEST_F(SpaceTest, OneThatDoesNotAnswerHasNotBecomeSmaller) {
  EXPECT_EQ(after(90), 1U);
  etcd::MemberStatus silent;
  silent.endpoint = "here";
  space.look({silent});
  EXPECT_EQ(after(90), 1U);
}

TEST_F(SpaceTest, WhatAMemberSaysOfItsQuotaCounts) {
  const etcd::MemberStatus said = member(50 * mebibyte, 60 * mebibyte);
  EXPECT_EQ(space.quota_of(said), 60 * mebibyte);
  EXPECT_EQ(space.shortage_of(said), "50.0 of 60.0 MiB of its quota are used");
  EXPECT_EQ(space.shortage_of(member(50 * mebibyte)), "");
  space.look({said});
  EXPECT_EQ(warnings.size(), 1U);
  EXPECT_EQ(space.members().size(), 1U);
}

}  // namespace
}  // namespace baton::cluster
