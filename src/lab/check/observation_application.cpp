// The application of observers: it begins to observe, and compares the findings with the truth.
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "lab/check/application_of.h"

namespace baton::check {

namespace {

class ObservationApplication {
 public:
  struct Local {
    std::uint32_t observations_left = 0;
    bool began = false;
    bool recorded = false;
    bool found = false;  // the snapshot is complete, or termination is announced
    bool inconsistent = false;
  };
  struct Global {};
  struct Effect {
    bool found = false;
  };
  struct Observation {
    bool may_request = false;
    bool began = false;
    bool found = false;
    bool inconsistent = false;
    bool passive = true;

    friend bool operator==(const Observation&, const Observation&) = default;
  };

  enum Properties : std::size_t { consistent, not_early, something_found };

  ObservationApplication(const Info& info, const Traits& traits, const Bounds& bounds)
      : info_(&info), traits_(&traits), bounds_(&bounds) {}

  std::vector<Property> properties() const {
    return {{traits_->detects_termination ? "" : "consistent snapshots"},
            {traits_->detects_termination ? "termination is not announced early" : ""},
            {"something is found", Property::Kind::sometimes}};
  }
  std::string describe(std::size_t property) const {
    return property == consistent ? "a snapshot shows a state in which the group cannot have been"
                                  : "termination is announced before the computation has ended";
  }
  std::vector<Aim> aims(Promises demands) const {
    const Promises judged = info_->promises | demands;
    const Promise promise =
        traits_->detects_termination ? Promise::detection : Promise::consistency;
    if (!judged.has(promise)) return {};
    return {{traits_->detects_termination ? "termination is announced" : "snapshots are completed",
             promise, 1, Aim::Kind::rest,
             traits_->detects_termination ? "the computation has ended, and nobody announces it"
                                          : "a snapshot is never completed"}};
  }
  bool is_symmetric() const { return false; }

  Local first(NodeId node) const {
    Local local;
    if (traits_->begins_when_told && bounds_->asks(node)) {
      local.observations_left = bounds_->requests == 0 ? 1 : bounds_->requests;
    }
    return local;
  }
  Observation observation(const Local& local, bool, bool is_passive) const {
    return {local.observations_left > 0, local.began || !traits_->begins_when_told, local.found,
            local.inconsistent, is_passive};
  }
  bool may_request(const Observation& observation) const { return observation.may_request; }
  bool may_release(const Observation&) const { return false; }

  void request(NodeId, Local& local) const {
    --local.observations_left;
    local.began = true;
  }
  void release(Local&) const {}
  void told(NodeId, Local& local, const Told& told, Effect& effect) const {
    if (std::holds_alternative<Recorded>(told)) {
      local.recorded = true;
    } else if (const auto* completed = std::get_if<Completed>(&told)) {
      local.found = effect.found = true;
      local.inconsistent = local.inconsistent || !completed->conserves;
    } else if (std::holds_alternative<Announced>(told)) {
      local.found = effect.found = true;
    }
  }
  // An effect without a cause: the sender recorded its state before it sent this message, and the
  // receiver has not yet recorded its own when the message arrives.
  void hear(Local& local, std::uint32_t tag) const {
    if (tag != 0 && !local.recorded) local.inconsistent = true;
  }
  std::uint32_t tag(const Local& local, bool is_observed) const {
    return local.recorded && is_observed && !traits_->detects_termination ? 1 : 0;
  }
  void forget(Local&, NodeId) const {}
  void crashed(Local&) const {}
  void rename(Local&, const Renaming&) const {}
  bool enters(const Effect& effect) const { return effect.found; }
  bool changes_global(const Effect&) const { return false; }
  void apply(Global&, const Effect&) const {}

  template <class View>
  PropertySet judge(const View& view) const {
    PropertySet judged = 0;
    const bool ended = has_ended(view);
    for (std::uint32_t i = 0; i < view.size(); ++i) {
      const Observation& observation = view.observation(i);
      if (observation.inconsistent) judged |= PropertySet{1} << consistent;
      if (!observation.found) continue;
      judged |= PropertySet{1} << something_found;
      if (traits_->detects_termination && !ended) judged |= PropertySet{1} << not_early;
    }
    return judged;
  }

  // Every observation must finish, and some process must notice the end of the computation.
  template <class View>
  std::uint32_t pending(const View& view) const {
    bool began = false;
    bool found = false;
    for (std::uint32_t i = 0; i < view.size(); ++i) {
      began = began || view.observation(i).began;
      found = found || view.observation(i).found;
    }
    return began && !found && (!traits_->detects_termination || has_ended(view)) ? 1 : 0;
  }

 private:
  template <class View>
  bool has_ended(const View& view) const {
    if (view.is_observed_under_way()) return false;
    for (std::uint32_t i = 0; i < view.size(); ++i) {
      if (!view.observation(i).passive) return false;
    }
    return true;
  }

  const Info* info_;
  const Traits* traits_;
  const Bounds* bounds_;
};

}  // namespace

std::unique_ptr<Application> observation_application(const Info& info, const Traits& traits,
                                                     const Bounds& bounds) {
  return std::make_unique<ApplicationOf<ObservationApplication>>(info, traits, bounds);
}

}  // namespace baton::check
