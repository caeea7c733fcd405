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
#include "layer/membership.h"

namespace baton::check {

struct MembershipApplication {
  using P = Membership;
  using Out = OutboxOf<P>;

  struct Local {
    Epoch view{};         // that it is in
    bool active = false;  // ... and free to work in
    bool leased = false;
  };
  struct Global {
    std::vector<View> views;  // all that were installed
    bool two_in_an_epoch = false;
    bool went_back = false;
  };
  struct Effect {
    std::vector<View> installed;
    bool went_back = false;
  };
  using Glance = Local;

  enum Properties : std::size_t { one_per_epoch, onward, one_at_work, second_view };

  static std::vector<Property> properties(const Info&, const Bounds&) {
    return {{"one view per epoch"},
            {"views only go onward"},
            {"only one view has leases"},
            {"there is a second view", Property::Kind::sometimes}};
  }
  static std::string describe(std::size_t property) {
    switch (property) {
      case one_per_epoch:
        return "two different views have the same epoch";
      case onward:
        return "a process installs a view that is not newer than its last";
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
  static Local first(NodeId, const Bounds&) { return {}; }
  static Glance glance(const Local& local, const P* protocol) {
    return protocol != nullptr ? local : Local{};
  }
  static bool may_request(const Glance&) { return false; }
  static bool may_release(const Glance&) { return false; }
  static void request(NodeId, Local&, P&, Out&, const Bounds&) {}
  static void release(Local&, P&, Out&) {}
  static void told(NodeId, Local&, const P::Event&, Effect&, const Bounds&) {}
  static void hear(Local&, std::uint32_t, const P::Message&) {}
  static void look(Local& local, const P& protocol, Effect& effect) {
    const View& view = protocol.view();
    if (view.epoch != local.view) {
      effect.went_back = view.epoch < local.view;
      effect.installed.push_back(view);
    }
    local = {view.epoch, protocol.is_active(), protocol.has_lease()};
  }
  static std::uint32_t tag(const Local&, const P::Message&) { return 0; }
  static std::uint32_t kind_of(const P::Message&) { return 1; }
  static void forget(Local&, NodeId) {}
  static void crashed(Local& local) { local = {}; }
  static void rename(Local&, const Renaming&) {}
  static bool enters(const Effect&) { return false; }
  static bool changes_global(const Effect& effect) { return !effect.installed.empty(); }
  static void apply(Global& global, NodeId, const Effect& effect) {
    global.went_back = global.went_back || effect.went_back;
    for (const View& view : effect.installed) {
      const auto known = std::find_if(global.views.begin(), global.views.end(),
                                      [&](const View& one) { return one.epoch == view.epoch; });
      if (known == global.views.end()) {
        global.views.push_back(view);
      } else if (!reflect::equal(*known, view)) {
        global.two_in_an_epoch = true;
      }
    }
  }

  template <class V>
  static PropertySet judge(const V& view) {
    PropertySet found = 0;
    if (view.global().two_in_an_epoch) found |= PropertySet{1} << one_per_epoch;
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
