// The application that runs on a group of protocols, as the search sees it. The search knows by
// numbers what the application knows at a process (local), what the steps so far have done for all
// (global), and the effect of a step, as it does states of protocols (lab/check/steps.h). The kinds
// of applications are in lock_application.cpp and its siblings.
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
  // Says in a sentence that a property is broken.
  virtual std::string describe(std::size_t property) const = 0;
  virtual std::vector<Aim> aims(Promises demands) const = 0;
  virtual bool is_symmetric() const = 0;

  // The number of what the application knows at one process.
  virtual Id first(NodeId node) = 0;
  virtual Id requested(NodeId node, Id local) = 0;
  virtual Id released(Id local) = 0;
  virtual Id heard(Id local, std::uint32_t tag) = 0;
  virtual Id told(NodeId node, Id local, const Told& told, Id& effect) = 0;
  virtual Id forgot(Id local, NodeId node) = 0;  // forgets that `node` has asked
  virtual Id crashed(Id local) = 0;
  virtual Id renamed(Id local, const Renaming& renaming) = 0;
  // The tag that goes along with a message that is sent now.
  virtual std::uint32_t tag(Id local, bool is_observed) const = 0;

  // The number of what properties see of a process.
  virtual Id observation(Id local, bool is_up, bool is_passive) = 0;
  virtual bool may_request(Id observation) const = 0;
  virtual bool may_release(Id observation) const = 0;

  // The number of the effect of a step; 0: no effect.
  virtual bool enters(Id effect) const = 0;
  virtual bool changes_global(Id effect) const = 0;
  // The number of what all steps so far have done.
  virtual Id first_global() = 0;
  virtual Id after(Id global, Id effect) = 0;

  virtual PropertySet judge(const GroupView& view) const = 0;
  // The bits of what must come to an end.
  virtual std::uint32_t pending(const GroupView& view) const = 0;
};

}  // namespace baton::check
