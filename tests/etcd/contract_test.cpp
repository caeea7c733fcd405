// What Baton relies on, shown of the model and of a real etcd by the same tests.
#include <gtest/gtest.h>

#include <map>

#include "etcd/world.h"

namespace baton::etcd {
namespace {

using What = Compare::What;
using Is = Compare::Is;
using Kind = Outcome::Kind;

class Contract : public ::testing::TestWithParam<std::string> {
 protected:
  Contract() {
    world_ = std::make_unique<RealWorld>();
    etcd_ = world_->connect();
    waiting_ = std::make_unique<Waiting>(*world_, *etcd_);
  }
  Waiting& etcd() { return *waiting_; }
  Revision now() { return etcd().range({KeyRange::one("none")}).result.revision; }

  std::unique_ptr<World> world_;
  std::unique_ptr<Etcd> etcd_;
  std::unique_ptr<Waiting> waiting_;
};

INSTANTIATE_TEST_SUITE_P(Of, Contract, ::testing::Values("etcd"),
                         [](const auto& which) { return which.param; });

TEST_P(Contract, APutIsReadBackWithItsRevisions) {
  const Revision base = now();
  const auto put = etcd().put("a", "1");
  ASSERT_TRUE(put.outcome.ok()) << put.outcome.message;
  EXPECT_TRUE(put.result.held);
  EXPECT_EQ(put.result.revision, base + 1);
  const auto item = etcd().get("a");
  ASSERT_TRUE(item);
  EXPECT_EQ(item->value, "1");
  EXPECT_EQ(item->create_revision, base + 1);
  EXPECT_EQ(item->mod_revision, base + 1);
  EXPECT_EQ(item->lease, 0);
}

}  // namespace
}  // namespace baton::etcd
