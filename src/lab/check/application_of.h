// Gives numbers to what a kind of application keeps. `A` has the types and functions of one kind:
//   Local    what it knows at a process
//   Glance   the part of that which properties see
//   Effect   what a step does for all
//   Global   what all steps so far have done
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/reflect.h"
#include "lab/check/application.h"
#include "lab/check/group_model.h"
#include "lab/check/protocol_class.h"

namespace baton::check {

template <class A>
class ApplicationOf final : public Application {
 public:
  using Local = typename A::Local;
  using Observation = typename A::Observation;
  using Effect = typename A::Effect;
  using Global = typename A::Global;

  ApplicationOf(const Info& info, const Traits& traits, const Bounds& bounds)
      : of_(info, traits, bounds) {
    number(effects_, Effect{});
  }

  std::vector<Property> properties() const override { return of_.properties(); }
  std::string describe(std::size_t property) const override { return of_.describe(property); }
  std::vector<Aim> aims(Promises demands) const override { return of_.aims(demands); }
  bool is_symmetric() const override { return of_.is_symmetric(); }

  Id first(NodeId node) override { return number(locals_, of_.first(node)); }
  Id requested(NodeId node, Id local) override {
    return changed(local, [&](Local& at) { of_.request(node, at); });
  }
  Id released(Id local) override {
    return changed(local, [&](Local& at) { of_.release(at); });
  }
  Id heard(Id local, std::uint32_t tag) override {
    return changed(local, [&](Local& at) { of_.hear(at, tag); });
  }
  Id told(NodeId node, Id local, const Told& told, Id& effect) override {
    Effect of_step = effects_[effect];
    const Id after = changed(local, [&](Local& at) { of_.told(node, at, told, of_step); });
    effect = number(effects_, std::move(of_step));
    return after;
  }
  Id forgot(Id local, NodeId node) override {
    return changed(local, [&](Local& at) { of_.forget(at, node); });
  }
  Id crashed(Id local) override {
    return changed(local, [&](Local& at) { of_.crashed(at); });
  }
  Id renamed(Id local, const Renaming& renaming) override {
    return changed(local, [&](Local& at) { of_.rename(at, renaming); });
  }
  std::uint32_t tag(Id local, bool is_observed) const override {
    return of_.tag(locals_[local], is_observed);
  }

  Id observation(Id local, bool is_up, bool is_passive) override {
    return number(observations_, of_.observation(locals_[local], is_up, is_passive));
  }
  bool may_request(Id observation) const override {
    return of_.may_request(observations_[observation]);
  }
  bool may_release(Id observation) const override {
    return of_.may_release(observations_[observation]);
  }

  bool enters(Id effect) const override { return of_.enters(effects_[effect]); }
  bool changes_global(Id effect) const override { return of_.changes_global(effects_[effect]); }
  Id first_global() override { return number(globals_, Global{}); }
  Id after(Id global, Id effect) override {
    Global next = globals_[global];
    of_.apply(next, effects_[effect]);
    return number(globals_, std::move(next));
  }

  PropertySet judge(const GroupView& view) const override { return of_.judge(View{*this, view}); }
  std::uint32_t pending(const GroupView& view) const override {
    return of_.pending(View{*this, view});
  }

 private:
  // A state as properties see it.
  struct View {
    const ApplicationOf& application;
    const GroupView& group;

    std::uint32_t size() const { return group.size(); }
    bool is_up(std::uint32_t node) const { return group.is_up(node); }
    const Observation& observation(std::uint32_t node) const {
      return application.observations_[group.observation(node)];
    }
    const Global& global() const { return application.globals_[group.global()]; }
    bool is_observed_under_way() const { return group.is_observed_under_way(); }
  };

  template <class T>
  static Id number(Interner<T>& of, T value) {
    return of.intern(reflect::encoded(value), [&] { return std::move(value); });
  }
  template <class Change>
  Id changed(Id local, Change change) {
    Local at = locals_[local];
    change(at);
    return number(locals_, std::move(at));
  }

  A of_;
  Interner<Local> locals_;
  Interner<Observation> observations_;
  Interner<Effect> effects_;
  Interner<Global> globals_;
};

}  // namespace baton::check
