// A protocol's class as the search of a group sees it, without its type. States of processes and
// messages are numbers; a step leads from one number of a process's state to another.
//
// The search remembers every answer, so it asks only for new steps and the time of an answer
// matters little. Several threads may ask at once.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "algorithms/observe/protocol.h"
#include "core/outbox.h"
#include "core/protocol.h"
#include "lab/check/bounds.h"
#include "lab/check/interning.h"
#include "lab/check/number_set.h"
#include "lab/check/symmetry.h"
#include "lab/check/traits.h"

namespace baton::check {

// The numbers that occur in a state or a message, by domain.
using Numbers = std::array<NumberSet, most_processes + 1>;

// One clause of a protocol, with its arguments.
struct Happening {
  enum class Clause : std::uint8_t {
    start,
    request,  // the command of the kind: hold an election, begin an observation
    release,
    receive,   // `message` of `peer`
    returned,  // `message` could not be handed to `peer`
    expire,    // `timer`
    suspect,   // `peer`
    trust,     // `peer`
    leave,
    recover
  };
  Clause clause{};
  NodeId peer = nobody;
  Id message = 0;
  TimerId timer{};
};

// Reported when a snapshot is complete at its initiator.
struct Completed {
  bool conserves = true;  // the recorded state has lost or made nothing
};
// The state of a member in its membership after a step (lab/check/membership_application.h).
struct Standing;

// The events of all kinds of protocols, for the application.
using Told =
    std::variant<Entered, Granted, Lost, Elected, Recorded, Completed, Announced, const Standing*>;

// The decisions of a protocol in a step, in the order of a host's duties (core/outbox.h). Messages
// of a process to itself do not appear here.
class StepHost {
 public:
  virtual void send(NodeId to, Id message) = 0;
  virtual void arm(TimerId timer, Ticks after) = 0;
  virtual void tell(const Told& told) = 0;

 protected:
  ~StepHost() = default;
};

class Steps {
 public:
  virtual ~Steps() = default;

  const Traits& traits() const { return traits_; }
  virtual std::uint64_t memory() const = 0;
  virtual std::vector<Renaming> symmetries() const = 0;

  // States of processes have numbers of their own at each node.
  virtual Id make(NodeId node) = 0;
  virtual Id take(NodeId node, Id process, const Happening& happening, Chooser& chooser,
                  StepHost& host) = 0;
  virtual Id crashed(NodeId node, Id process) = 0;
  virtual bool is_passive(NodeId node, Id process) const = 0;
  virtual Numbers numbers_in(NodeId node, Id process) const = 0;
  // The state or message after the numbers `from` of one domain have moved to `to`.
  virtual Id moved(NodeId node, Id process, Domain domain, NumberSet from, NumberSet to) = 0;
  // The state of the process under its new name, when all processes are renamed.
  virtual Id renamed(NodeId node, Id process, const Renaming& renaming) = 0;

  virtual std::string text_of(Id message) const = 0;
  // True if messages of this kind are sent again and again, whatever happens.
  virtual bool is_background(Id message) const = 0;
  // True if it belongs to the protocol that is observed.
  virtual bool is_observed(Id message) const = 0;
  // `from` and `to` are sender and receiver, where numbers belong to processes.
  virtual Numbers numbers_in(Id message, NodeId from, NodeId to) const = 0;
  virtual Id moved(Id message, NodeId from, NodeId to, Domain domain, NumberSet of,
                   NumberSet becomes) = 0;
  virtual Id renamed(Id message, const Renaming& renaming) = 0;
  // The message without what makes no difference to `to` when it gets it from `from`.
  virtual Id simplified(Id message, NodeId from, NodeId to, Id receiver) = 0;

 protected:
  explicit Steps(const Traits& traits) : traits_(traits) {}

 private:
  Traits traits_;
};

}  // namespace baton::check
