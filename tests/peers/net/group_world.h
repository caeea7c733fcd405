// Groups on a network in virtual time that keeps the promises of the links and no others: what must
// last arrives in order and once as long as both processes live, however long that takes; the rest
// may be lost. Processes crash and come back with what they had kept.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "peers/net/group.h"

namespace baton::net {

struct WorldOptions {
  std::uint32_t size = 3;
  std::string algorithm = "ricart-agrawala";
  std::string election = "chang-roberts";
  std::uint64_t seed = 1;
  std::uint32_t names = 2;
  bool traced = false;
  std::size_t most_instances = GroupOptions{}.most_instances;
  Omission omission = Omission::nothing;
  bool stays = false;  // inside, until it is told to leave
};

class GroupWorld {
 public:
  explicit GroupWorld(WorldOptions options);

  // Everybody asks for things at random, stays inside for a while, and leaves.
  void run(Ticks until);
  void crash(NodeId node);
  // Ends cleanly, if it is inside nothing; true if it could.
  bool leave(NodeId node);
  // When nothing is promised any more that it had promised in its last life, as a peer does.
  void restart(NodeId node);
  void cut(NodeId a, NodeId b) { cut_.insert(std::minmax(a.value, b.value)); }
  void mend();
  void suspect(NodeId by, NodeId whom) { nodes_[by.value]->group->suspect(whom); }
  // From now on nobody asks for anything new.
  void calm() { is_calm_ = true; }

  bool is_up(NodeId node) const { return nodes_[node.value]->group != nullptr; }
  Group& group(NodeId node) { return *nodes_[node.value]->group; }
  bool is_quiet() const;  // nobody waits, nobody is inside
  Ticks now() const { return now_; }
  std::uint64_t entries() const { return entries_; }
  std::uint64_t losses() const { return losses_; }
  const std::vector<std::string>& violations() const { return violations_; }
  const std::vector<TraceEvent>& trace() const { return trace_; }
  // What was sent, the latest of it.
  const std::deque<std::string>& sent() const { return sent_; }
  std::uint32_t draw(std::uint32_t bound) {
    return std::uniform_int_distribution<std::uint32_t>(0, bound - 1)(random_);
  }

  // Asks on behalf of one process; true if it could.
  bool ask(NodeId node, Namespace space, const std::string& name);
  std::optional<FencingToken> held(NodeId node, Namespace space, const std::string& name) const;
  void leave(NodeId node, Namespace space, const std::string& name);

 private:
  using Key = std::pair<Namespace, std::string>;
  enum class Status : std::uint8_t { idle, waits, inside };
  // Of a process that was inside, and may have crashed since: until when it could be sure of it.
  struct Promised {
    NodeId to = nobody;
    Ticks until{0};
  };
  struct Use {
    Status status = Status::idle;
    FencingToken fence;
    Ticks leaves{0};
  };
  struct Node final : GroupHost {
    Node(GroupWorld& of, NodeId is) : world(of), id(is) {}
    void send(NodeId to, std::string_view bytes, bool lasting) override;
    void arm(GroupTimer timer, Ticks after) override;
    void keep(const Membership::Durable& durable) override { kept = durable; }
    void granted(Namespace space, const std::string& name, const FencingToken& fence) override;
    void lost(Namespace space, const std::string& name) override;
    void view_changed() override {}
    void told(NodeId, std::string_view) override {}
    void received_nonsense(NodeId from) override;

    GroupWorld& world;
    NodeId id;
    std::uint64_t life = 0;
    bool has_left = false;  // cleanly: what it has sent still arrives
    Membership::Durable kept;
    std::unique_ptr<Group> group;
    std::map<GroupTimer, Ticks> timers;
    std::map<Key, Use> uses;
    Ticks acts{0};                // when it next thinks of asking
    std::optional<Ticks> starts;  // when it comes back
  };
  struct Message {
    Ticks at;
    std::uint64_t sender_life;
    std::uint64_t receiver_life;
    bool lasting;
    std::string bytes;
  };

  void start(Node& node);
  void act(Node& node);
  bool step(Ticks until);
  bool is_cut(std::uint32_t a, std::uint32_t b) const { return cut_.contains(std::minmax(a, b)); }
  void note_promises(const Node& node);
  void violated(const std::string& what);

  WorldOptions options_;
  std::mt19937_64 random_;
  std::shared_ptr<const Setup> setup_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::deque<Message>> links_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> cut_;
  std::map<Key, FencingToken> latest_;
  std::map<Key, Promised> promised_;
  Ticks now_{0};
  bool is_calm_ = false;
  std::uint64_t entries_ = 0;
  std::uint64_t losses_ = 0;
  std::vector<std::string> violations_;
  std::vector<TraceEvent> trace_;
  std::deque<std::string> sent_;
};

}  // namespace baton::net
