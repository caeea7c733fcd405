// The membership of Resilient<> by itself: who agrees on what belongs together, and for how long.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "check/aim.h"
#include "check/bounds.h"
#include "check/model.h"
#include "check/rewrite.h"
#include "layer/claiming.h"

namespace baton::check {

struct MembershipApplication {
  using P = ClaimingMembership;
  using Out = OutboxOf<P>;

  struct Local {
    Epoch view{};         // that it is in
    bool active = false;  // ... and free to work in
    bool leased = false;
    bool may_claim = false;
    bool holds = false;
    std::uint32_t claims_left = 0;
  };
  struct Global {
    std::vector<View> views;  // all that were installed
    Epoch claimed{};          // the latest view in which the lock was claimed
    bool two_in_an_epoch = false;
    bool went_back = false;
    bool outranked = false;
  };
  struct Effect {
    std::vector<View> installed;
    Epoch claimed{};
    bool went_back = false;
  };
  using Glance = Local;

  enum Properties : std::size_t { one_per_epoch, onward, one_at_work, newest_holds, second_view };

  // Who was paused may work on after its lease: nothing can prevent that, and fences are for it.
  static std::vector<Property> properties(const Info&, const Bounds& bounds) {
    return {{"one view per epoch"},
            {"views only go onward"},
            {bounds.budgets.pause == 0 ? "only one view has leases" : ""},
            {"no old hold outranks a newer one"},
            {"there is a second view", Property::Kind::sometimes}};
  }
  static std::string describe(std::size_t property) {
    switch (property) {
      case one_per_epoch:
        return "two different views have the same epoch";
      case onward:
        return "a process installs a view that is not newer than its last";
      case newest_holds:
        return "a view keeps a hold although an earlier view had given the lock to another";
      default:
        return "two processes may work, each in another view";
    }
  }
  static std::vector<Aim> aims(const Info&, const Bounds&, Promises) { return {}; }
  static bool is_symmetric(const Bounds&) { return false; }

  template <class Q>
  static Q make(NodeId node, const Bounds& bounds) {
    return Q(node, bounds.setup);
  }
  static Local first(NodeId node, const Bounds& bounds) {
    Local local;
    if (bounds.asks(node)) local.claims_left = bounds.requests;
    return local;
  }
  static Glance glance(const Local& local, const P* protocol) {
    return protocol != nullptr ? local : Local{};
  }
  static bool may_request(const Glance& glance) {
    return glance.may_claim && glance.claims_left > 0;
  }
  static bool may_release(const Glance& glance) { return glance.holds; }
  static void request(NodeId, Local& local, P& protocol, Out& out, const Bounds&) {
    --local.claims_left;
    protocol.request(out);
  }
  static void release(Local&, P& protocol, Out& out) { protocol.release(out); }
  static void told(NodeId, Local&, const P::Event&, Effect&, const Bounds&) {}
  static void hear(Local&, std::uint32_t, const P::Message&) {}
  static void look(Local& local, const P& protocol, Effect& effect) {
    const View& view = protocol.view();
    if (view.epoch != local.view) {
      effect.went_back = view.epoch < local.view;
      effect.installed.push_back(view);
    }
    if (protocol.held()) effect.claimed = protocol.held()->epoch;
    local.view = view.epoch;
    local.active = protocol.membership().is_active();
    local.leased = protocol.membership().has_lease();
    local.may_claim = protocol.may_request();
    local.holds = protocol.held().has_value();
  }
  static std::uint32_t tag(const Local&, const P::Message&) { return 0; }
  static std::uint32_t kind_of(const P::Message&) { return 1; }
  static void forget(Local&, NodeId) {}
  static void crashed(Local& local) { local = {}; }
  static void rename(Local&, const Renaming&) {}
  static bool enters(const Effect&) { return false; }
  static bool changes_global(const Effect& effect) {
    return !effect.installed.empty() || effect.claimed != Epoch{};
  }
  static void apply(Global& global, NodeId, const Effect& effect) {
    global.went_back = global.went_back || effect.went_back;
    global.claimed = std::max(global.claimed, effect.claimed);
    for (const View& view : effect.installed) {
      const auto known = std::find_if(global.views.begin(), global.views.end(),
                                      [&](const View& one) { return one.epoch == view.epoch; });
      if (known == global.views.end()) {
        global.views.push_back(view);
        for (const Hold& hold : view.holds) {
          global.outranked = global.outranked || hold.fence.epoch < global.claimed;
        }
      } else if (!reflect::equal(*known, view)) {
        global.two_in_an_epoch = true;
      }
    }
  }

  template <class V>
  static PropertySet judge(const V& view) {
    PropertySet found = 0;
    if (view.global().two_in_an_epoch) found |= PropertySet{1} << one_per_epoch;
    if (view.global().outranked) found |= PropertySet{1} << newest_holds;
    if (view.global().went_back) found |= PropertySet{1} << onward;
    if (view.global().views.size() > 1) found |= PropertySet{1} << second_view;
    const Local* at_work = nullptr;
    for (std::uint32_t i = 0; i < view.size(); ++i) {
      const Local& local = view.glance(i);
      if (!local.active || !local.leased) continue;
      if (at_work != nullptr && at_work->view != local.view) {
        found |= PropertySet{1} << one_at_work;
      }
      at_work = &local;
    }
    return found;
  }
  template <class V>
  static std::uint32_t pending(const V&) {
    return 0;
  }
};

}  // namespace baton::check
