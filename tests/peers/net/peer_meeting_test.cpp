// A view may be installed before the link between two of its members has met the other end as it is
// in that view. What is said in the view until then must arrive nevertheless.
#include <unistd.h>

#include <filesystem>

#include "peers/net/link_proxy.h"
#include "peers/net/peer_fixture.h"

namespace baton::net {
namespace {

using namespace std::chrono_literals;

constexpr NodeId first{0};
constexpr NodeId middle{1};
constexpr NodeId last{2};

class PeersMeet : public PeersTest {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "baton-meet-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    // One loop for all of them: patient enough for a busy machine.
    file_.patience = 20;
    file_.lease = 40;
    build(3);
    ASSERT_TRUE(until([&] { return all_in_one_view(); })) << peer(first).trouble();
  }
  void TearDown() override {
    members_.clear();
    std::filesystem::remove_all(folder_);
  }

  // Who comes back has promises. Two of the three wires can be cut.
  PeerOptions options(NodeId node) override {
    PeerOptions made = PeersTest::options(node);
    made.promises = (folder_ / std::to_string(node.value)).string();
    if (node == first)
      made.group.members[middle.value].address.port = lead(first_to_middle_, middle);
    if (node == middle) made.group.members[last.value].address.port = lead(middle_to_last_, last);
    return made;
  }
  std::uint16_t lead(LinkProxy& proxy, NodeId to) {
    proxy.lead_to(file_.members[to.value].address.port);
    return proxy.port();
  }
  // Whoever connects is hung up on.
  static void cut(LinkProxy& proxy) {
    proxy.cut_after([] { return std::size_t{0}; });
    proxy.cut_all();
  }

  bool is_in_view(NodeId node, std::size_t size) {
    return peer(node).is_working() && peer(node).group().members().view().members.size() == size;
  }
  bool all_in_one_view() {
    const auto epoch = [&](NodeId node) { return peer(node).group().members().view().epoch; };
    return is_in_view(first, 3) && is_in_view(middle, 3) && is_in_view(last, 3) &&
           epoch(first) == epoch(middle) && epoch(first) == epoch(last);
  }
  Incarnation life_of_last_in_view() {
    return peer(middle).group().members().view().find(last)->incarnation;
  }
  // Something has to go over this link and back.
  void take_turn(NodeId node, const std::string& name) {
    peer(node).request(Namespace::lock, name);
    ASSERT_TRUE(until([&] { return holds(node, name); }));
    members_[node.value]->held.clear();
    peer(node).release(Namespace::lock, name);
  }
  // The view is there, and the middle one asks in it for what the last must allow; then they meet.
  void ask_and_meet() {
    EXPECT_FALSE(peer(middle).links().link(last).is_connected());
    peer(middle).request(Namespace::lock, "x");
    run_for(100ms);
    EXPECT_FALSE(holds(middle, "x")) << "the last has not been asked";
    middle_to_last_.never_cut();
    EXPECT_TRUE(until([&] { return holds(middle, "x"); })) << peer(middle).trouble();
  }

  std::filesystem::path folder_;
  LinkProxy first_to_middle_{io_};
  LinkProxy middle_to_last_{io_};
};

TEST_F(PeersMeet, ANewLifeOnlyAfterTheViewWithIt) {
  take_turn(middle, "y");
  const Incarnation before = life_of_last_in_view();
  cut(middle_to_last_);
  members_[last.value]->peer.reset();
  start(last);
  ASSERT_TRUE(until([&] { return all_in_one_view() && life_of_last_in_view() > before; }));
  ask_and_meet();
}

TEST_F(PeersMeet, OneThatHasResetTheLinkOnlyAfterTheNextView) {
  take_turn(last, "y");
  cut(middle_to_last_);
  cut(first_to_middle_);
  ASSERT_TRUE(until([&] { return is_in_view(first, 2) && is_in_view(last, 2); }));
  first_to_middle_.never_cut();
  ASSERT_TRUE(until([&] { return all_in_one_view(); }));
  ask_and_meet();
}

}  // namespace
}  // namespace baton::net
