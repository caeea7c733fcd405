// The application of observers: it begins to observe, and what is found is compared with what is.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "check/aim.h"
#include "check/bounds.h"
#include "check/model.h"
#include "check/rewrite.h"
#include "observe/protocol.h"

namespace baton::check {

template <ObservationProtocol P>
struct ObservationApplication {
  using Out = OutboxOf<P>;
  using Observed = typename P::Observed;
  static constexpr bool detects_termination = Computation<Observed>;

  struct Local {
    std::uint32_t observations_left = 0;
    bool began = false;
    bool recorded = false;
    bool found = false;  // the snapshot is complete, or termination announced
    bool inconsistent = false;
  };
  struct Global {};
  struct Effect {
    bool found = false;
  };
  struct Glance {
    bool may_request = false;
    bool began = false;
    bool found = false;
    bool inconsistent = false;
    bool passive = true;

    friend bool operator==(const Glance&, const Glance&) = default;
  };

  enum Properties : std::size_t { consistent, not_early, something_found };
  // Messages under way: any, and those of the protocol that is observed.
  enum Kinds : std::uint32_t { any = 1, observed = 2 };

  static std::vector<Property> properties(const Info&, const Bounds&) {
    return {{detects_termination ? "" : "consistent snapshots"},
            {detects_termination ? "termination is not announced early" : ""},
            {"something is found", Property::Kind::sometimes}};
  }
  static std::string describe(std::size_t property) {
    return property == consistent ? "a snapshot shows a state in which the group cannot have been"
                                  : "termination is announced before the computation has ended";
  }
  static std::vector<Aim> aims(const Info& info, const Bounds&, Promises demands) {
    const Promises judged = info.promises | demands;
    const Promise promise = detects_termination ? Promise::detection : Promise::consistency;
    if (!judged.has(promise)) return {};
    return {{detects_termination ? "termination is announced" : "snapshots are completed", promise,
             1, Aim::Kind::rest,
             detects_termination ? "the computation has ended, and nobody announces it"
                                 : "a snapshot is never completed"}};
  }
  static bool is_symmetric(const Bounds&) { return false; }

  template <class Q>
  static Q make(NodeId node, const Bounds& bounds) {
    return Q(node, bounds.setup);
  }
  static Local first(NodeId node, const Bounds& bounds) {
    Local local;
    if (BeginsWhenTold<P> && bounds.asks(node)) {
      local.observations_left = bounds.requests == 0 ? 1 : bounds.requests;
    }
    return local;
  }
  static Glance glance(const Local& local, const P* protocol) {
    Glance glance{local.observations_left > 0, local.began || !BeginsWhenTold<P>, local.found,
                  local.inconsistent};
    if constexpr (detects_termination) {
      glance.passive = protocol == nullptr || Observed::is_passive(protocol->observed().state());
    }
    return glance;
  }
  static bool may_request(const Glance& glance) { return glance.may_request; }
  static bool may_release(const Glance&) { return false; }

  static void request(NodeId, Local& local, P& protocol, Out& out, const Bounds&) {
    if constexpr (BeginsWhenTold<P>) {
      --local.observations_left;
      local.began = true;
      protocol.observe(out);
    }
  }
  static void release(Local&, P&, Out&) {}
  static void told(NodeId, Local& local, const typename P::Event& event, Effect& effect,
                   const Bounds& bounds) {
    std::visit(
        [&]<class E>(const E& one) {
          if constexpr (std::same_as<E, Recorded>) {
            local.recorded = true;
          } else if constexpr (std::same_as<E, GlobalState<Observed>>) {
            local.found = effect.found = true;
            local.inconsistent = local.inconsistent || !conserves(one, bounds.setup);
          } else if constexpr (std::same_as<E, Announced>) {
            local.found = effect.found = true;
          }
        },
        event);
  }
  // A message that was sent after its sender recorded its state, and arrives before its receiver
  // does, is an effect without a cause.
  static void hear(Local& local, std::uint32_t tag, const typename P::Message&) {
    if (tag != 0 && !local.recorded) local.inconsistent = true;
  }
  static void look(Local&, const P&, Effect&) {}
  static std::uint32_t tag(const Local& local, const typename P::Message& message) {
    return local.recorded && is_observed(message) && !detects_termination ? 1 : 0;
  }
  static std::uint32_t kind_of(const typename P::Message& message) {
    return is_observed(message) ? any | observed : any;
  }
  static void forget(Local&, NodeId) {}
  static void crashed(Local&) {}
  static void rename(Local&, const Renaming&) {}
  static bool enters(const Effect& effect) { return effect.found; }
  static bool changes_global(const Effect&) { return false; }
  static void apply(Global&, NodeId, const Effect&) {}

  template <class View>
  static PropertySet judge(const View& view) {
    PropertySet judged = 0;
    const bool ended = has_ended(view);
    for (std::uint32_t i = 0; i < view.size(); ++i) {
      const Glance& glance = view.glance(i);
      if (glance.inconsistent) judged |= PropertySet{1} << consistent;
      if (!glance.found) continue;
      judged |= PropertySet{1} << something_found;
      if (detects_termination && !ended) judged |= PropertySet{1} << not_early;
    }
    return judged;
  }

  // What was begun must be finished, and an end must be noticed by somebody.
  template <class View>
  static std::uint32_t pending(const View& view) {
    bool began = false;
    bool found = false;
    for (std::uint32_t i = 0; i < view.size(); ++i) {
      began = began || view.glance(i).began;
      found = found || view.glance(i).found;
    }
    return began && !found && (!detects_termination || has_ended(view)) ? 1 : 0;
  }

 private:
  static bool is_observed(const typename P::Message& message) {
    return message.index() >= P::own_messages;
  }
  static bool conserves(const GlobalState<Observed>& global, const Setup& setup) {
    if constexpr (Conserves<Observed>) {
      std::uint64_t amount = 0;
      for (const auto& state : global.states) amount += Observed::amount_in(state);
      for (const auto& one : global.channels) amount += Observed::amount_in(one.message);
      return amount == Observed::amount_in_all(setup);
    } else {
      return true;
    }
  }
  template <class View>
  static bool has_ended(const View& view) {
    if ((view.under_way() & observed) != 0) return false;
    for (std::uint32_t i = 0; i < view.size(); ++i) {
      if (!view.glance(i).passive) return false;
    }
    return true;
  }
};

}  // namespace baton::check
