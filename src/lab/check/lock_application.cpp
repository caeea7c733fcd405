// The application of locks: it asks, enters and leaves.
#include <algorithm>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "lab/check/application_of.h"

namespace baton::check {

namespace {

class LockApplication {
 public:
  enum class Phase : std::uint8_t { outside, waiting, inside };
  struct Local {
    Phase phase = Phase::outside;
    std::uint32_t requests_left = 0;  // where they are limited
    // Where order is watched: the unserved requests that this process knows of, and those that it
    // knew of when it asked.
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
  struct Observation {
    Phase phase = Phase::outside;
    bool may_request = false;

    friend bool operator==(const Observation&, const Observation&) = default;
  };

  enum Properties : std::size_t { mutual_exclusion, somebody_enters, order, fences };

  LockApplication(const Info& info, const Traits& traits, const Bounds& bounds)
      : info_(&info), is_fenced_(traits.fenced), bounds_(&bounds) {}

  std::vector<Property> properties() const {
    std::vector<Property> all{{"mutual exclusion"}, {"somebody enters", Property::Kind::sometimes}};
    all.push_back({bounds_->order ? "order by happened-before" : ""});
    if (is_fenced_) all.push_back({"fences never go back"});
    return all;
  }

  std::string describe(std::size_t property) const {
    switch (property) {
      case mutual_exclusion:
        return "two processes are inside at the same time";
      case order:
        return "a request is served before one that happened before it";
      default:
        return "a grant has no larger fence than one before";
    }
  }
  std::vector<Aim> aims(Promises demands) const {
    // A run that ends because its time is over has not come to an end by itself.
    if (bounds_->time.limit != 0) return {};
    return lock_aims(*info_, bounds_->setup.size, demands);
  }

  bool is_symmetric() const {
    return !bounds_->order && bounds_->requesters == 0 && bounds_->inside == nobody;
  }

  Local first(NodeId node) const {
    Local local;
    if (node == bounds_->inside) local.phase = Phase::inside;
    // One stands for any number of requests left; zero for none.
    local.requests_left = !bounds_->asks(node) ? 0 : bounds_->requests == 0 ? 1 : bounds_->requests;
    return local;
  }
  Observation observation(const Local& local, bool, bool) const {
    return {local.phase, local.phase == Phase::outside && local.requests_left > 0};
  }

  bool may_request(const Observation& observation) const { return observation.may_request; }
  bool may_release(const Observation& observation) const {
    return observation.phase == Phase::inside;
  }

  void request(NodeId self, Local& local) const {
    local.phase = Phase::waiting;
    if (bounds_->requests != 0) --local.requests_left;
    if (bounds_->order) {
      local.before = local.knows;
      local.knows |= std::uint32_t{1} << self.value;
    }
  }
  void release(Local& local) const { local.phase = Phase::outside; }
  void told(NodeId, Local& local, const Told& told, Effect& effect) const {
    if (std::holds_alternative<Entered>(told)) {
      local.phase = Phase::inside;
      effect.entered = true;
      effect.out_of_order = local.before != 0;
      local.before = 0;
    } else if (const auto* granted = std::get_if<Granted>(&told)) {
      local.phase = Phase::inside;
      effect.entered = true;
      effect.fence = granted->fence;
    } else {
      local.phase = Phase::outside;
    }
  }
  void hear(Local& local, std::uint32_t tag) const { local.knows |= tag; }
  std::uint32_t tag(const Local& local, bool) const { return local.knows; }
  void forget(Local& local, NodeId node) const {
    local.knows &= ~(std::uint32_t{1} << node.value);
    local.before &= ~(std::uint32_t{1} << node.value);
  }
  void crashed(Local& local) const { local.phase = Phase::outside; }
  void rename(Local&, const Renaming&) const {}

  bool enters(const Effect& effect) const { return effect.entered; }
  bool changes_global(const Effect& effect) const {
    return effect.out_of_order || (is_fenced_ && effect.entered);
  }
  void apply(Global& global, const Effect& effect) const {
    global.out_of_order = global.out_of_order || effect.out_of_order;
    if (!is_fenced_ || !effect.entered) return;
    global.fence_went_back = global.fence_went_back || effect.fence <= global.highest;
    global.highest = std::max(global.highest, effect.fence);
  }

  template <class View>
  PropertySet judge(const View& view) const {
    PropertySet found = 0;
    int inside = 0;
    for (std::uint32_t i = 0; i < view.size(); ++i) {
      if (view.observation(i).phase == Phase::inside) ++inside;
    }
    if (inside > 1) found |= PropertySet{1} << mutual_exclusion;
    if (inside > 0) found |= PropertySet{1} << somebody_enters;
    if (view.global().out_of_order) found |= PropertySet{1} << order;
    if (view.global().fence_went_back) found |= PropertySet{1} << fences;
    return found;
  }

  // The waiting processes, as bits: each must get in.
  template <class View>
  std::uint32_t pending(const View& view) const {
    std::uint32_t waiting = 0;
    for (std::uint32_t i = 0; i < view.size(); ++i) {
      if (view.observation(i).phase == Phase::waiting) waiting |= std::uint32_t{1} << i;
    }
    return waiting;
  }

 private:
  const Info* info_;
  bool is_fenced_;
  const Bounds* bounds_;
};

}  // namespace

std::unique_ptr<Application> lock_application(const Info& info, const Traits& traits,
                                              const Bounds& bounds) {
  return std::make_unique<ApplicationOf<LockApplication>>(info, traits, bounds);
}

}  // namespace baton::check
