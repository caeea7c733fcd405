// The application of elections: it holds one, and believes what it is told.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "check/aim.h"
#include "check/bounds.h"
#include "check/model.h"
#include "check/rewrite.h"
#include "core/protocol.h"

namespace baton::check {

template <ElectionProtocol P>
struct ElectionApplication {
  using Out = OutboxOf<P>;

  struct Local {
    NodeId leader = nobody;
    Epoch epoch{};
    std::uint32_t elections_left = 0;
  };
  struct Global {
    bool two_in_an_epoch = false;
    std::vector<Elected> elected;  // where there are epochs: who in which
  };
  struct Effect {
    bool elects = false;
    std::vector<Elected> elected;
  };
  struct Glance {
    NodeId leader = nobody;
    bool may_request = false;

    friend bool operator==(const Glance&, const Glance&) = default;
  };

  enum Properties : std::size_t { one_per_epoch, somebody_leads };
  // What must come to an end.
  enum Pending : std::uint32_t { differ = 1, wrong = 2, unaware = 4 };

  static std::vector<Property> properties(const Info&, const Bounds&) {
    return {{"one leader per epoch"}, {"somebody leads", Property::Kind::sometimes}};
  }
  static std::string describe(std::size_t) { return "two leaders have the same epoch"; }
  static std::vector<Aim> aims(const Info& info, const Bounds& bounds, Promises demands) {
    // A run that ends with its time has not come to an end by itself.
    if (bounds.time.limit != 0) return {};
    const Promises judged = info.promises | demands;
    std::vector<Aim> aims;
    if (judged.has(Promise::one_leader)) {
      aims.push_back({"one leader", Promise::one_leader, differ, Aim::Kind::rest,
                      "processes go on taking different ones for the leader"});
    }
    if (judged.has(Promise::right_leader)) {
      aims.push_back({"the right leader", Promise::right_leader, wrong, Aim::Kind::rest,
                      "somebody goes on taking the wrong one for the leader"});
    }
    if (judged.has(Promise::everyone_learns)) {
      aims.push_back({"everyone learns", Promise::everyone_learns, unaware, Aim::Kind::rest,
                      "somebody never learns who leads"});
    }
    return aims;
  }
  static bool is_symmetric(const Bounds& bounds) { return bounds.requesters == 0; }

  template <class Q>
  static Q make(NodeId node, const Bounds& bounds) {
    return Q(node, bounds.setup);
  }
  static Local first(NodeId node, const Bounds& bounds) {
    Local local;
    local.elections_left = !bounds.asks(node) ? 0 : bounds.requests == 0 ? 1 : bounds.requests;
    return local;
  }
  static Glance glance(const Local& local, const P* protocol) {
    return {local.leader, protocol != nullptr && local.elections_left > 0};
  }
  static bool may_request(const Glance& glance) { return glance.may_request; }
  static bool may_release(const Glance&) { return false; }

  static void request(NodeId, Local& local, P& protocol, Out& out, const Bounds& bounds) {
    if (bounds.requests != 0) --local.elections_left;
    protocol.elect(out);
  }
  static void release(Local&, P&, Out&) {}
  static void told(NodeId, Local& local, const Elected& elected, Effect& effect, const Bounds&) {
    local.leader = elected.leader;
    local.epoch = elected.epoch;
    effect.elects = elected.leader != nobody;
    if (elected.epoch != Epoch{}) effect.elected.push_back(elected);
  }
  static void hear(Local&, std::uint32_t, const typename P::Message&) {}
  static void look(Local&, const P&, Effect&) {}
  static std::uint32_t tag(const Local&, const typename P::Message&) { return 0; }
  static std::uint32_t kind_of(const typename P::Message&) { return 1; }
  static void forget(Local&, NodeId) {}
  static void crashed(Local& local) {
    local.leader = nobody;
    local.epoch = {};
  }
  static void rename(Local& local, const Renaming& renaming) {
    check::rename(local.leader, renaming);
  }

  static bool enters(const Effect& effect) { return effect.elects; }
  static bool changes_global(const Effect& effect) { return !effect.elected.empty(); }
  static void apply(Global& global, NodeId, const Effect& effect) {
    for (const Elected& elected : effect.elected) {
      bool known = false;
      for (const Elected& other : global.elected) {
        if (other.epoch != elected.epoch) continue;
        known = true;
        global.two_in_an_epoch = global.two_in_an_epoch || other.leader != elected.leader;
      }
      if (!known) global.elected.push_back(elected);
    }
  }

  template <class View>
  static PropertySet judge(const View& view) {
    PropertySet found = 0;
    if (view.global().two_in_an_epoch) found |= PropertySet{1} << one_per_epoch;
    for (std::uint32_t i = 0; i < view.size(); ++i) {
      if (view.is_up(i) && view.glance(i).leader != nobody) {
        found |= PropertySet{1} << somebody_leads;
      }
    }
    return found;
  }

  template <class View>
  static std::uint32_t pending(const View& view) {
    if (!is_due(view)) return 0;
    NodeId leader = nobody;
    std::uint32_t found = 0;
    for (std::uint32_t i = 0; i < view.size(); ++i) {
      if (!view.is_up(i)) continue;
      const NodeId believed = view.glance(i).leader;
      if (believed == nobody) {
        found |= unaware;
      } else if (leader != nobody && believed != leader) {
        found |= differ;
      } else {
        leader = believed;
      }
      if (believed != nobody && !is_right(view, believed)) found |= wrong;
    }
    return found;
  }

 private:
  // Whether there shall be a leader: always, or since somebody has held an election.
  template <class View>
  static bool is_due(const View& view) {
    if (Starts<P> || view.bounds().requests == 0) return true;
    for (std::uint32_t i = 0; i < view.size(); ++i) {
      const Glance& glance = view.glance(i);
      if (!view.is_up(i)) continue;
      if (glance.leader != nobody || (view.bounds().asks({i}) && !glance.may_request)) return true;
    }
    return false;
  }
  template <class View>
  static bool is_right(const View& view, NodeId leader) {
    if (!view.is_up(leader.value)) return false;
    const Setup& setup = view.bounds().setup;
    for (std::uint32_t i = 0; i < view.size(); ++i) {
      if (!view.is_up(i) || NodeId{i} == leader) continue;
      switch (info_of<P>(setup).choice) {
        case Choice::highest_identity:
          if (setup.identity({i}) > setup.identity(leader)) return false;
          break;
        case Choice::smallest:
          if (i < leader.value) return false;
          break;
        case Choice::best_capacity:
          if (std::pair(setup.capacity({i}), setup.identity({i})) >
              std::pair(setup.capacity(leader), setup.identity(leader))) {
            return false;
          }
          break;
        case Choice::anyone:
        case Choice::several:
          break;
      }
    }
    return true;
  }
};

}  // namespace baton::check
