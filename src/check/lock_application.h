// The application of locks: it asks, is let in, and leaves.
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

template <class P>
requires MutexProtocol<P> || FencedMutexProtocol<P>
struct LockApplication {
  using Out = OutboxOf<P>;
  static constexpr bool is_fenced = FencedMutexProtocol<P>;

  enum class Phase : std::uint8_t { outside, waiting, inside };
  struct Local {
    Phase phase = Phase::outside;
    std::uint32_t requests_left = 0;  // where they are limited
    // Where order is watched: of whose request, not yet served, this process knows; and of whose
    // it knew when it asked.
    std::uint32_t knows = 0;
    std::uint32_t before = 0;
  };
  struct Global {
    FencingToken highest{};
    bool fence_went_back = false;
    bool out_of_order = false;
  };
  struct Effect {
    bool entered = false;
    bool out_of_order = false;
    FencingToken fence{};
  };
  struct Glance {
    Phase phase = Phase::outside;
    bool may_request = false;

    friend bool operator==(const Glance&, const Glance&) = default;
  };

  enum Properties : std::size_t { mutual_exclusion, somebody_enters, order, fences };

  static std::vector<Property> properties(const Info&, const Bounds& bounds) {
    std::vector<Property> all{{"mutual exclusion"}, {"somebody enters", Property::Kind::sometimes}};
    all.push_back({bounds.order ? "order by happened-before" : ""});
    if constexpr (is_fenced) all.push_back({"fences never go back"});
    return all;
  }

  static std::string describe(std::size_t property) {
    switch (property) {
      case mutual_exclusion:
        return "two processes are inside at the same time";
      case order:
        return "a request is served before one that happened before it";
      default:
        return "a grant has no larger fence than one before";
    }
  }
  static std::vector<Aim> aims(const Info& info, const Bounds& bounds, Promises demands) {
    // A run that ends with its time has not come to an end by itself.
    if (bounds.time.limit != 0) return {};
    return lock_aims(info, bounds.setup.size, demands);
  }

  static bool is_symmetric(const Bounds& bounds) {
    return !bounds.order && bounds.requesters == 0 && bounds.inside == nobody;
  }

  template <class Q>
  static Q make(NodeId node, const Bounds& bounds) {
    if constexpr (std::constructible_from<Q, NodeId, const Setup&, NodeId>) {
      return Q(node, bounds.setup, bounds.inside);
    } else {
      return Q(node, bounds.setup);
    }
  }
  static Local first(NodeId node, const Bounds& bounds) {
    Local local;
    if (node == bounds.inside) local.phase = Phase::inside;
    // One stands for any number; zero for none left.
    local.requests_left = !bounds.asks(node) ? 0 : bounds.requests == 0 ? 1 : bounds.requests;
    return local;
  }
  static Glance glance(const Local& local, const P*) {
    return {local.phase, local.phase == Phase::outside && local.requests_left > 0};
  }

  static bool may_request(const Glance& glance) { return glance.may_request; }
  static bool may_release(const Glance& glance) { return glance.phase == Phase::inside; }

  static void request(NodeId self, Local& local, P& protocol, Out& out, const Bounds& bounds) {
    local.phase = Phase::waiting;
    if (bounds.requests != 0) --local.requests_left;
    if (bounds.order) {
      local.before = local.knows;
      local.knows |= std::uint32_t{1} << self.value;
    }
    protocol.request(out);
  }
  static void release(Local& local, P& protocol, Out& out) {
    local.phase = Phase::outside;
    protocol.release(out);
  }
  static void told(NodeId, Local& local, const Entered&, Effect& effect, const Bounds&) {
    local.phase = Phase::inside;
    effect.entered = true;
    effect.out_of_order = local.before != 0;
    local.before = 0;
  }
  static void told(NodeId, Local& local, const FencedEvent& event, Effect& effect, const Bounds&) {
    if (const auto* granted = std::get_if<Granted>(&event)) {
      local.phase = Phase::inside;
      effect.entered = true;
      effect.fence = granted->fence;
    } else {
      local.phase = Phase::outside;
    }
  }
  static void hear(Local& local, std::uint32_t tag, const typename P::Message&) {
    local.knows |= tag;
  }
  static void look(Local&, const P&, Effect&) {}
  static std::uint32_t tag(const Local& local, const typename P::Message&) { return local.knows; }
  static std::uint32_t kind_of(const typename P::Message&) { return 1; }
  static void forget(Local& local, NodeId node) {
    local.knows &= ~(std::uint32_t{1} << node.value);
    local.before &= ~(std::uint32_t{1} << node.value);
  }
  static void crashed(Local& local) { local.phase = Phase::outside; }
  static void rename(Local&, const Renaming&) {}

  static bool enters(const Effect& effect) { return effect.entered; }
  static bool changes_global(const Effect& effect) {
    return effect.out_of_order || (is_fenced && effect.entered);
  }
  static void apply(Global& global, NodeId, const Effect& effect) {
    global.out_of_order = global.out_of_order || effect.out_of_order;
    if constexpr (is_fenced) {
      if (!effect.entered) return;
      global.fence_went_back = global.fence_went_back || effect.fence <= global.highest;
      global.highest = std::max(global.highest, effect.fence);
    }
  }

  template <class View>
  static PropertySet judge(const View& view) {
    PropertySet found = 0;
    int inside = 0;
    for (std::uint32_t i = 0; i < view.size(); ++i) {
      if (view.glance(i).phase == Phase::inside) ++inside;
    }
    if (inside > 1) found |= PropertySet{1} << mutual_exclusion;
    if (inside > 0) found |= PropertySet{1} << somebody_enters;
    if (view.global().out_of_order) found |= PropertySet{1} << order;
    if (view.global().fence_went_back) found |= PropertySet{1} << fences;
    return found;
  }

  // Who waits, as bits: what must come to an end.
  template <class View>
  static std::uint32_t pending(const View& view) {
    std::uint32_t waiting = 0;
    for (std::uint32_t i = 0; i < view.size(); ++i) {
      if (view.glance(i).phase == Phase::waiting) waiting |= std::uint32_t{1} << i;
    }
    return waiting;
  }
};

}  // namespace baton::check
