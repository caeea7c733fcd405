// The application of a membership alone: it watches which views the members install, and how long
// their leases last.
#include "lab/check/membership_application.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "lab/check/application_of.h"

namespace baton::check {

namespace {

class MembershipApplication {
 public:
  struct Local {
    Epoch view{};         // the view that it is in
    bool active = false;  // it is free to work in this view
    bool leased = false;
    bool may_claim = false;
    bool holds = false;
    std::uint32_t claims_left = 0;
  };
  struct Global {
    std::vector<View> views;  // all views that were installed
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
  using Observation = Local;

  enum Properties : std::size_t { one_per_epoch, onward, one_at_work, newest_holds, second_view };

  MembershipApplication(const Info&, const Traits&, const Bounds& bounds) : bounds_(&bounds) {}

  // A paused process may go on working after its lease. No protocol can prevent that; the fence
  // stops it at the resource.
  std::vector<Property> properties() const {
    return {{"one view per epoch"},
            {"views only go onward"},
            {bounds_->budgets.pause == 0 ? "only one view has leases" : ""},
            {"no old hold outranks a newer one"},
            {"there is a second view", Property::Kind::sometimes}};
  }
  std::string describe(std::size_t property) const {
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
  std::vector<Aim> aims(Promises) const { return {}; }
  bool is_symmetric() const { return false; }

  Local first(NodeId node) const {
    Local local;
    if (bounds_->asks(node)) local.claims_left = bounds_->requests;
    return local;
  }
  Observation observation(const Local& local, bool is_up, bool) const {
    return is_up ? local : Local{};
  }
  bool may_request(const Observation& observation) const {
    return observation.may_claim && observation.claims_left > 0;
  }
  bool may_release(const Observation& observation) const { return observation.holds; }
  void request(NodeId, Local& local) const { --local.claims_left; }
  void release(Local&) const {}
  void told(NodeId, Local& local, const Told& told, Effect& effect) const {
    if (!std::holds_alternative<const Standing*>(told)) return;
    const Standing& standing = *std::get<const Standing*>(told);
    if (standing.view.epoch != local.view) {
      effect.went_back = standing.view.epoch < local.view;
      effect.installed.push_back(standing.view);
    }
    if (standing.held) effect.claimed = standing.held->epoch;
    local.view = standing.view.epoch;
    local.active = standing.active;
    local.leased = standing.leased;
    local.may_claim = standing.may_claim;
    local.holds = standing.held.has_value();
  }
  void hear(Local&, std::uint32_t) const {}
  std::uint32_t tag(const Local&, bool) const { return 0; }
  void forget(Local&, NodeId) const {}
  void crashed(Local& local) const { local = {}; }
  void rename(Local&, const Renaming&) const {}
  bool enters(const Effect&) const { return false; }
  bool changes_global(const Effect& effect) const {
    return !effect.installed.empty() || effect.claimed != Epoch{};
  }
  void apply(Global& global, const Effect& effect) const {
    global.went_back = global.went_back || effect.went_back;
    global.claimed = std::max(global.claimed, effect.claimed);
    for (const View& view : effect.installed) {
      const auto known = std::find_if(global.views.begin(), global.views.end(),
                                      [&](const View& one) { return one.epoch == view.epoch; });
      if (known == global.views.end()) {
        global.views.push_back(view);
        for (const ViewHold& hold : view.holds) {
          global.outranked = global.outranked || hold.fence.epoch < global.claimed;
        }
      } else if (!reflect::equal(*known, view)) {
        global.two_in_an_epoch = true;
      }
    }
  }

  template <class V>
  PropertySet judge(const V& view) const {
    PropertySet found = 0;
    if (view.global().two_in_an_epoch) found |= PropertySet{1} << one_per_epoch;
    if (view.global().outranked) found |= PropertySet{1} << newest_holds;
    if (view.global().went_back) found |= PropertySet{1} << onward;
    if (view.global().views.size() > 1) found |= PropertySet{1} << second_view;
    const Local* at_work = nullptr;
    for (std::uint32_t i = 0; i < view.size(); ++i) {
      const Local& local = view.observation(i);
      if (!local.active || !local.leased) continue;
      if (at_work != nullptr && at_work->view != local.view) {
        found |= PropertySet{1} << one_at_work;
      }
      at_work = &local;
    }
    return found;
  }
  template <class V>
  std::uint32_t pending(const V&) const {
    return 0;
  }

 private:
  const Bounds* bounds_;
};

}  // namespace

std::unique_ptr<Application> membership_application(const Info& info, const Traits& traits,
                                                    const Bounds& bounds) {
  return std::make_unique<ApplicationOf<MembershipApplication>>(info, traits, bounds);
}

}  // namespace baton::check
