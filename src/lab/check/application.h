// What runs on a group of protocols and asks things of it, as the search sees it: what the
// application knows at a process, what the steps of a run have come to for all, and the effect of a
// step are numbers, as states of protocols are (lab/check/steps.h). The kinds of applications are
// in lock_application.cpp and its kin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lab/check/aim.h"
#include "lab/check/model.h"
#include "lab/check/steps.h"

namespace baton::check {

class GroupView;

class Application {
 public:
  virtual ~Application() = default;

  virtual std::vector<Property> properties() const = 0;
  // That a property is broken, in a sentence.
  virtual std::string describe(std::size_t property) const = 0;
  virtual std::vector<Aim> aims(Promises demands) const = 0;
  virtual bool is_symmetric() const = 0;

  // What it knows at one process.
  virtual Id first(NodeId node) = 0;
  virtual Id requested(NodeId node, Id local) = 0;
  virtual Id released(Id local) = 0;
  virtual Id heard(Id local, std::uint32_t tag) = 0;
  virtual Id told(NodeId node, Id local, const Told& told, Id& effect) = 0;
  virtual Id forgot(Id local, NodeId node) = 0;  // that `node` has asked
  virtual Id crashed(Id local) = 0;
  virtual Id renamed(Id local, const Renaming& renaming) = 0;
  // What goes along with a message that is sent now.
  virtual std::uint32_t tag(Id local, bool is_observed) const = 0;

  // What properties see of a process.
  virtual Id observation(Id local, bool is_up, bool is_passive) = 0;
  virtual bool may_request(Id observation) const = 0;
  virtual bool may_release(Id observation) const = 0;

  // The effect of a step; 0 is none.
  virtual bool enters(Id effect) const = 0;
  virtual bool changes_global(Id effect) const = 0;
  // What has come of all steps so far.
  virtual Id first_global() = 0;
  virtual Id after(Id global, Id effect) = 0;

  virtual PropertySet judge(const GroupView& view) const = 0;
  // What must come to an end, as bits.
  virtual std::uint32_t pending(const GroupView& view) const = 0;
};

}  // namespace baton::check
