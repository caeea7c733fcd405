#include "service/state/wait_graph.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace baton::service {
namespace {

using Why = WaitEdge::Why;

// A party; or, for those around it, the whole of an inner session.
struct Node {
  Party party;
  bool is_whole = false;

  friend auto operator<=>(const Node&, const Node&) = default;
};

bool holds_enough(const Lock& lock, const Request& request) {
  const auto own = lock.holds.find(request.party);
  if (own == lock.holds.end() || own->second.is_over()) return false;
  return own->second.terms.mode == Mode::exclusive || request.mode() == Mode::shared;
}

bool asked_for_enough(const Tables& tables, const Lock& lock, const Request& request) {
  const Session& session = *tables.session(request.party.session);
  const OwnerId owner = request.party.owner;
  for (auto at = first_waiting(session, owner);
       at != session.waiting_of.end() && at->first == owner; ++at) {
    const Request& other = session.waiting.at(at->second);
    if (!(other.key() < request.key())) continue;
    if (!other.is_exclusive() && request.is_exclusive()) continue;
    if (std::find(other.locks.begin(), other.locks.end(), &lock) != other.locks.end()) return true;
  }
  return false;
}

bool excludes(const Request& a, const Request& b) { return a.is_exclusive() || b.is_exclusive(); }

bool ends_by_itself(const Tables& tables, const Party& party, const Hold& hold) {
  if (hold.is_over()) return true;
  const Session* session = tables.session(party.session);
  return session == nullptr || session->is_over();
}

// At one name a request waits until `count` of these edges have ended.
struct Need {
  struct Edge {
    Node to;
    Why why;
  };
  std::vector<Edge> edges;
  std::size_t count = 0;
  const Lock* lock = nullptr;
  RequestId request;
};

class Needs {
 public:
  explicit Needs(const Tables& tables) : tables_(tables) {}

  std::vector<Need> of(const Node& node) const {
    std::vector<Need> needs;
    const Session& session = *tables_.session(node.party.session);
    for (auto at = node.is_whole ? session.waiting_of.begin()
                                 : first_waiting(session, node.party.owner);
         at != session.waiting_of.end(); ++at) {
      if (node.is_whole)
        needs.push_back(within({{session.id, at->first}}));
      else if (at->first == node.party.owner)
        add(session.waiting.at(at->second), needs);
      else
        break;
    }
    for (const SessionId inner : session.inner) needs.push_back(within({{inner, {}}, true}));
    return needs;
  }

  void add(const Request& request, std::vector<Need>& needs) const {
    for (const Lock* lock : request.locks) {
      if (reenters(tables_, *lock, request)) continue;
      Need need{.lock = lock, .request = request.id};
      if (lock->slots > 1)
        count_slots(*lock, request, need);
      else
        list_all(*lock, request, need);
      if (need.count > 0) needs.push_back(std::move(need));
    }
  }

 private:
  static Need within(Node node) { return {.edges = {{node, Why::within}}, .count = 1}; }

  void count_slots(const Lock& lock, const Request& request, Need& need) const {
    for (const auto& [party, hold] : lock.holds)
      if (!ends_by_itself(tables_, party, hold)) need.edges.push_back({{party}, Why::holds});
    for (const auto& [key, other] : lock.queue) {
      if (!(key < request.key())) break;
      if (other->party != request.party) need.edges.push_back({{other->party}, Why::ahead});
    }
    const std::size_t taken = need.edges.size();
    need.count = taken < lock.slots ? 0 : taken - lock.slots + 1;
  }

  // Lists the earlier requests, from the nearest back to the first that itself waits for all before
  // it; that one stands for all of those.
  void list_all(const Lock& lock, const Request& request, Need& need) const {
    auto at = lock.queue.lower_bound(request.key());
    bool is_covered = false;
    while (!is_covered && !request.upgrade && at != lock.queue.begin()) {
      const Request& other = *(--at)->second;
      if (other.party == request.party || !excludes(other, request)) continue;
      need.edges.push_back({{other.party}, Why::ahead});
      is_covered = other.is_exclusive() && !other.upgrade && !reenters(tables_, lock, other);
    }
    if (!is_covered) list_holders(lock, request, need);
    need.count = need.edges.size();
  }

  void list_holders(const Lock& lock, const Request& request, Need& need) const {
    for (const auto& [party, hold] : lock.holds) {
      if (tables_.keeps_out(hold, request.mode()) && party != request.party &&
          !ends_by_itself(tables_, party, hold))
        need.edges.push_back({{party}, Why::holds});
    }
  }

  const Tables& tables_;
};

// The part of the graph that can be reached from one party.
class Reach {
 public:
  Reach(const Tables& tables, const Party& party) : tables_(tables) {
    index_of({party});
    for (std::size_t i = 0; i < nodes_.size(); ++i) expand(i);
  }

  // Through the party, by any of its edges or by those of one request.
  std::optional<Cycle> cycle(const Request* by) {
    if (!is_start_reached_) return std::nullopt;
    reduce();
    return ends_[0] ? std::nullopt : path_back(by);
  }

 private:
  std::size_t index_of(const Node& node) {
    const auto [at, is_new] = indices_.emplace(node, nodes_.size());
    if (is_new) {
      nodes_.push_back(node);
      needs_.emplace_back();
      ends_.push_back(false);
    }
    return at->second;
  }

  void expand(std::size_t i) {
    needs_[i] = Needs(tables_).of(nodes_[i]);
    for (std::size_t n = 0; n < needs_[i].size(); ++n)
      for (std::size_t e = 0; e < needs_[i][n].edges.size(); ++e)
        if (index_of(Node(needs_[i][n].edges[e].to)) == 0) is_start_reached_ = true;
  }

  bool can_end(const Need& need) const {
    std::size_t ended = 0;
    for (const auto& edge : need.edges) ended += ends_[indices_.at(edge.to)];
    return ended >= need.count;
  }

  // Goes backwards: the parties that were reached last are nearest to parties that do not wait.
  void reduce() {
    for (bool is_changed = true; is_changed;) {
      is_changed = false;
      for (std::size_t i = nodes_.size(); i-- > 0;) {
        if (ends_[i]) continue;
        ends_[i] = std::all_of(needs_[i].begin(), needs_[i].end(),
                               [&](const Need& need) { return can_end(need); });
        is_changed = is_changed || ends_[i];
      }
    }
  }

  // The shortest way from the party back to itself among those that never end.
  std::optional<Cycle> path_back(const Request* by) const {
    struct Came {
      std::size_t from;
      const Need* need;
      Why why;
    };
    std::map<std::size_t, Came> came;
    std::vector<std::size_t> line{0};
    for (std::size_t next = 0; next < line.size() && !came.contains(0); ++next) {
      const std::size_t i = line[next];
      for (const Need& need : needs_[i]) {
        if (i == 0 && by != nullptr && need.request != by->id) continue;
        if (can_end(need)) continue;
        for (const auto& edge : need.edges) {
          const std::size_t to = indices_.at(edge.to);
          if (!ends_[to] && came.emplace(to, Came{i, &need, edge.why}).second) line.push_back(to);
        }
      }
    }
    if (!came.contains(0)) return std::nullopt;
    // Backwards. A session as a whole is no party: what leads to it leads on to the party inside.
    Cycle cycle;
    std::size_t to = 0;
    Party next = nodes_[0].party;
    do {
      const Came& step = came.at(to);
      to = step.from;
      if (nodes_[to].is_whole) continue;
      cycle.push_back(edge(nodes_[to].party, *step.need, next, step.why));
      next = nodes_[to].party;
    } while (to != 0);
    std::reverse(cycle.begin(), cycle.end());
    return cycle;
  }

  static WaitEdge edge(const Party& from, const Need& need, const Party& to, Why why) {
    WaitEdge edge{.from = from, .request = need.request, .to = to, .why = why};
    if (need.lock == nullptr) return edge;
    edge.space = need.lock->space;
    edge.name = need.lock->name;
    return edge;
  }

  const Tables& tables_;
  std::vector<Node> nodes_;  // the party first
  std::map<Node, std::size_t> indices_;
  std::vector<std::vector<Need>> needs_;
  std::vector<bool> ends_;
  bool is_start_reached_ = false;
};

// True if another party could wait for this request's party. Most waiting parties hold nothing that
// others want, and then the search is not needed.
bool may_be_awaited(const Tables& tables, const Request& request) {
  constexpr int most_looked_at = 64;
  const Session& session = *tables.session(request.party.session);
  const OwnerId owner = request.party.owner;
  if (session.terms.within != no_session || session.waiting_of.size() > 1) return true;
  for (const Lock* lock : request.locks)
    if (lock->queue.rbegin()->first != request.key()) return true;
  int looked_at = 0;
  for (auto at = first_held(session, owner); at != session.held.end() && at->owner == owner; ++at)
    if (!at->lock->queue.empty() || ++looked_at > most_looked_at) return true;
  return false;
}

std::string name_of(const Tables& tables, const Party& party, bool with_owner) {
  const std::string session = tables.describe(party.session);
  return with_owner ? "owner " + std::to_string(party.owner.value) + " of " + session : session;
}

std::string how_in_the_way(const WaitEdge& edge) {
  switch (edge.why) {
    case Why::holds:
      return " holds " + quoted(edge.name);
    case Why::ahead:
      return " is ahead in line for " + quoted(edge.name);
    case Why::within:
      return " runs inside session " + std::to_string(edge.from.session.value);
  }
  return {};
}

}  // namespace

bool reenters(const Tables& tables, const Lock& lock, const Request& request) {
  return holds_enough(lock, request) ||
         (!request.upgrade && asked_for_enough(tables, lock, request));
}

std::optional<Cycle> find_cycle(const Tables& tables, const Request& request) {
  if (!may_be_awaited(tables, request)) return std::nullopt;
  return Reach(tables, request.party).cycle(request.upgrade ? nullptr : &request);
}

std::optional<Cycle> find_cycle(const Tables& tables, const Party& party) {
  return Reach(tables, party).cycle(nullptr);
}

std::string describe(const Tables& tables, const Cycle& cycle) {
  std::set<Party> parties;
  std::set<SessionId> sessions;
  for (const auto& edge : cycle) {
    parties.insert(edge.from);
    sessions.insert(edge.from.session);
  }
  const bool with_owners = sessions.size() < parties.size();
  std::string text;
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    const WaitEdge& before = cycle[(i + cycle.size() - 1) % cycle.size()];
    const WaitEdge& edge = cycle[i];
    if (!text.empty()) text += "; ";
    text += name_of(tables, edge.from, with_owners) + how_in_the_way(before) + " and waits for ";
    text +=
        edge.why == Why::within ? tables.describe(edge.to.session) + " to end" : quoted(edge.name);
  }
  return text;
}

namespace {

class Edges {
 public:
  explicit Edges(const Tables& tables) : tables_(tables) {}

  std::vector<WaitEdge> all() {
    for (const auto& [id, session] : tables_.sessions) {
      for (const auto& [request_id, request] : session.waiting)
        for (const Lock* lock : request.locks) add(request, *lock);
      for (const SessionId inner : session.inner) add_within(session, *tables_.session(inner));
    }
    std::sort(edges_.begin(), edges_.end(), [](const WaitEdge& a, const WaitEdge& b) {
      return std::tie(a.from, a.request, a.space, a.name, a.why, a.to) <
             std::tie(b.from, b.request, b.space, b.name, b.why, b.to);
    });
    return std::move(edges_);
  }

 private:
  void add(const Request& request, const Lock& lock) {
    if (reenters(tables_, lock, request)) return;
    std::vector<WaitEdge> found;
    const auto note = [&](const Party& to, Why why) {
      if (to != request.party)
        found.push_back({request.party, request.id, to, why, lock.space, std::string(lock.name)});
    };
    for (const auto& [party, hold] : lock.holds)
      if (tables_.keeps_out(hold, request.mode())) note(party, Why::holds);
    for (const auto& [key, other] : lock.queue) {
      if (!(key < request.key())) break;
      if (excludes(*other, request)) note(other->party, Why::ahead);
    }
    if (lock.slots > 1 && found.size() < lock.slots) return;
    edges_.insert(edges_.end(), found.begin(), found.end());
  }

  void add_within(const Session& outer, const Session& inner) {
    std::set<OwnerId> owners;
    std::set<OwnerId> waiting;
    for (const HoldKey& key : outer.held) owners.insert(key.owner);
    for (const auto& [owner, request] : inner.waiting_of) waiting.insert(owner);
    for (const OwnerId from : owners)
      for (const OwnerId to : waiting)
        edges_.push_back({{outer.id, from}, {}, {inner.id, to}, Why::within, {}, {}});
  }

  const Tables& tables_;
  std::vector<WaitEdge> edges_;
};

}  // namespace

std::vector<WaitEdge> wait_edges(const Tables& tables) { return Edges(tables).all(); }

}  // namespace baton::service
