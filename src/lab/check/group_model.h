// A group of processes that run one protocol, as a model: the processes, the channels between them,
// and every step that can be next.
//
// The protocol's class is the one that the simulator and the network run. It is a value, so a step
// depends only on its state and on the event; the model computes each such step once and looks it
// up from then on. The model knows neither the type of the class (steps.h) nor that of the
// application (application.h).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/node_set.h"
#include "core/schedule.h"
#include "lab/check/application.h"
#include "lab/check/bounds.h"
#include "lab/check/interning.h"
#include "lab/check/model.h"
#include "lab/check/row.h"
#include "lab/check/steps.h"
#include "lab/check/symmetry.h"

namespace baton::check {

struct ProtocolClass;
class GroupView;

class GroupModel {
 public:
  struct Armed {
    TimerId timer;
    std::uint32_t left = 0;  // units of time
  };
  // A process.
  struct Local {
    Id protocol = 0;  // its state, a number of Steps
    Id application = 0;
    bool up = true;
    bool paused = false;        // nothing happens here, and the others do not know
    std::vector<Armed> timers;  // by number
    NodeSet suspected;          // the processes that the host has reported as crashed
  };
  // A message under way.
  struct Envelope {
    Id message = 0;          // a number of Steps
    std::uint32_t tag = 0;   // the application's note about it
    std::uint32_t left = 0;  // units of time
    NodeId from = nobody;    // set where numbers belong to processes
    NodeId to = nobody;
  };
  static constexpr std::uint32_t late = 255;
  struct Rest {
    Budgets budgets;
    std::uint32_t time = 0;  // units that have passed, if they are limited
    Id application = 0;
  };

  // A state is the numbers of its parts: processes, channels by sender and receiver, and the rest.
  static constexpr std::size_t most_parts = most_processes * most_processes + 1;
  struct State {
    std::array<Id, most_parts> part{};
  };
  static constexpr std::size_t most_bytes = most_bytes_of_row(most_parts);

  static constexpr std::uint8_t unfair = 255;
  struct Step {
    ScheduledStep::Kind kind{};
    std::uint8_t node = 0;
    std::uint8_t peer = 0;
    // A scheduler that is fair to this number takes such a step in the end.
    std::uint8_t fair = unfair;
    bool enters = false;
    std::uint32_t detail = 0;  // the number of the envelope or of the timer
    std::uint32_t outcome = 0;

    friend bool operator==(const Step&, const Step&) = default;
  };

  GroupModel(const ProtocolClass& of, Bounds bounds);

  const Bounds& bounds() const { return bounds_; }
  const Application& application() const { return *application_; }
  const std::vector<Property>& properties() const { return properties_; }
  std::uint64_t memory() const;
  // True if a protocol has called choose().
  bool chooses() const { return chooses_; }
  std::size_t renamings() const { return renamings_.size(); }

  // Partial-order reduction relies on which processes have never sent to which. begin() makes the
  // sends seen so far the basis of a search. If a process then sends to another for the first time,
  // the search must begin again.
  bool has_learned() const {
    return can_reduce_order() && (senders_.load() & ~relied_on_.load()) != 0;
  }
  void begin() const { relied_on_ = senders_.load(); }

  class Worker;

 private:
  friend class GroupView;

  struct LocalEntry {
    Local local;
    Id observation = 0;  // what properties see of it
    bool may_request = false;
    bool may_release = false;
    Numbers numbers{};
  };
  struct LocalSummary {
    LocalSummary() = default;
    explicit LocalSummary(const LocalEntry& entry)
        : observation(entry.observation),
          up(entry.local.up),
          runs(entry.local.up && !entry.local.paused),
          has_timers(!entry.local.timers.empty()),
          may_request(entry.may_request),
          may_release(entry.may_release) {}

    Id observation = 0;
    bool up = false;
    bool runs = false;  // up, and not paused
    bool has_timers = false;
    bool may_request = false;
    bool may_release = false;
  };
  struct EnvelopeEntry {
    Envelope envelope;
    Numbers numbers{};
  };
  struct Channel {
    std::vector<Id> envelopes;
    Numbers numbers{};
    bool has_observed = false;  // holds a message of the protocol that is observed
    bool must_arrive = false;   // a message must arrive before time passes
    bool is_prompt = false;     // the first envelope arrives before anything else happens
  };

  std::uint32_t parts() const { return size_ * size_ + 1; }
  std::uint32_t channel(std::uint32_t from, std::uint32_t to) const {
    return size_ + from * (size_ - 1) + (to < from ? to : to - 1);
  }
  std::uint32_t rest() const { return size_ * size_; }

  // Bit from * most_processes + to: `from` sends to `to`.
  static std::uint64_t pair_bit(std::uint32_t from, std::uint32_t to) {
    return std::uint64_t{1} << (from * most_processes + to);
  }
  void note_send(std::uint32_t from, std::uint32_t to) const;
  // True if steps of different processes can always trade places.
  bool can_reduce_order() const { return can_reduce_order_; }

  Bounds bounds_;
  std::uint32_t size_;
  std::unique_ptr<Steps> steps_;
  Traits traits_;
  std::unique_ptr<Application> application_;
  bool can_reduce_order_;
  mutable std::vector<Interner<LocalEntry, LocalSummary>> locals_;  // of each process
  mutable Interner<EnvelopeEntry> envelopes_;
  mutable Interner<Channel> channels_;
  mutable Interner<Rest> rests_;
  mutable std::atomic<bool> chooses_{false};
  mutable std::atomic<std::uint64_t> senders_{0};    // pairs seen so far
  mutable std::atomic<std::uint64_t> relied_on_{0};  // pairs that this search relies on
  std::vector<Property> properties_;
  std::vector<Renaming> renamings_;  // all but the identity
};

// A state as properties see it.
class GroupView {
 public:
  GroupView(const GroupModel& model, const GroupModel::State& state)
      : model_(&model), state_(&state) {}

  std::uint32_t size() const { return model_->size_; }
  bool is_up(std::uint32_t node) const { return summary(node).up; }
  Id observation(std::uint32_t node) const { return summary(node).observation; }
  Id global() const { return model_->rests_[state_->part[model_->rest()]].application; }
  // True if a message of the protocol that is observed is under way.
  bool is_observed_under_way() const {
    for (std::uint32_t i = size(); i < model_->rest(); ++i) {
      if (model_->channels_[state_->part[i]].has_observed) return true;
    }
    return false;
  }

 private:
  const GroupModel::LocalSummary& summary(std::uint32_t node) const {
    return model_->locals_[node].summary(state_->part[node]);
  }

  const GroupModel* model_;
  const GroupModel::State* state_;
};

}  // namespace baton::check
