// A group of processes that run one protocol, as a model: the processes, the channels between them,
// and every step that can be next.
//
// The protocol's class is the one that the simulator and the network run. Since it is a value, what
// it does depends on its state and on what happens to it, so each such step is computed once and
// looked up from then on (interning.h).
//
// What differs per kind of protocol is the application, `A` (lock_application.h and its kin).
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "check/bounds.h"
#include "check/interning.h"
#include "check/model.h"
#include "check/rewrite.h"
#include "check/symmetry.h"
#include "core/protocol.h"
#include "core/reflect.h"
#include "core/schedule.h"

namespace baton::check {

inline constexpr std::uint32_t most_processes = 6;

namespace detail {

template <class P>
struct DurableOf {
  struct type {};
};
template <HasDurable P>
struct DurableOf<P> {
  using type = typename P::Durable;
};

// Whether a message is of a kind that is sent again and again, whatever happens.
template <class Message>
bool is_background(const Message& message) {
  if constexpr (reflect::Opaque<Message>) {
    return message.is_background();
  } else {
    return std::visit(
        []<class M>(const M& one) {
          if constexpr (reflect::Wraps<M>) {
            return is_background(one.message);
          } else {
            return requires { M::is_background; };
          }
        },
        message);
  }
}

template <class P>
concept Resumable = requires(P protocol, typename P::State state) {
  protocol.assume(std::move(state));
};

template <class P>
concept Simplifies = requires(const P& protocol, NodeId from, typename P::Message& message) {
  protocol.simplify(from, message);
};

template <class P>
constexpr bool numbers_by_process() {
  if constexpr (requires { P::numbers_by_process; }) {
    return P::numbers_by_process;
  } else {
    return false;
  }
}

// Lets a handler choose everything that it can, one run after the other.
class EveryChoice final : public Chooser {
 public:
  std::uint32_t choose(std::uint32_t bound) override {
    if (made_ == taken_.size()) {
      taken_.push_back(0);
      bounds_.push_back(bound);
    }
    return taken_[made_++];
  }
  const std::vector<std::uint32_t>& taken() const { return taken_; }
  // On to the next combination; false if that was the last.
  bool advance() {
    made_ = 0;
    while (!taken_.empty()) {
      if (++taken_.back() < bounds_.back()) return true;
      taken_.pop_back();
      bounds_.pop_back();
    }
    return false;
  }

 private:
  std::vector<std::uint32_t> taken_;
  std::vector<std::uint32_t> bounds_;
  std::size_t made_ = 0;
};

}  // namespace detail

template <Protocol P, class A>
class GroupModel {
 public:
  using Message = typename P::Message;

  struct Armed {
    TimerId timer;
    std::uint32_t left = 0;  // units of time
  };
  struct Local {
    std::optional<P> protocol;  // none: down
    typename A::Local application;
    std::vector<Armed> timers;                      // by number
    NodeSet suspected;                              // of whom the host has said so
    bool paused = false;                            // nothing happens here, and nobody knows
    typename detail::DurableOf<P>::type durable{};  // while down
  };
  // A message under way.
  struct Letter {
    Message message;
    std::uint32_t tag = 0;   // what the application notes of it
    std::uint32_t left = 0;  // units of time
    NodeId from = nobody;    // where numbers are told apart by who sent them, and to whom
    NodeId to = nobody;
  };
  static constexpr std::uint32_t late = 255;
  struct Rest {
    Budgets budgets;
    std::uint32_t time = 0;  // units that have passed, where they are limited
    typename A::Global application;
  };

  // The numbers of its parts: processes, channels by sender and receiver, and the rest.
  struct State {
    std::array<Id, most_processes * most_processes + 1> part{};
  };
  // The last ones are written together with what follows.
  static constexpr std::size_t most_bytes = 5 * (most_processes * most_processes + 1) + 8;

  static constexpr std::uint8_t unfair = 255;
  struct Step {
    ScheduledStep::Kind kind{};
    std::uint8_t node = 0;
    std::uint8_t peer = 0;
    std::uint8_t fair =
        unfair;  // a scheduler that is fair to this number takes such a step in the end
    bool enters = false;
    std::uint32_t detail = 0;  // the letter's number, or the timer's
    std::uint32_t outcome = 0;

    friend bool operator==(const Step&, const Step&) = default;
  };

  explicit GroupModel(Bounds bounds)
      : bounds_(std::move(bounds)),
        size_(bounds_.setup.size),
        locals_(size_),
        properties_(A::properties(info_of<P>(bounds_.setup), bounds_)) {
    if (bounds_.reductions.symmetry && A::is_symmetric(bounds_)) {
      renamings_ = symmetries<P>(bounds_.setup);
    }
    channels_.intern("", [] { return Channel{}; });  // number 0: nothing under way
  }

  const Bounds& bounds() const { return bounds_; }
  const std::vector<Property>& properties() const { return properties_; }
  std::uint64_t memory() const {
    std::uint64_t bytes = letters_.memory() + channels_.memory() + rests_.memory();
    for (const auto& locals : locals_) bytes += locals.memory();
    return bytes;
  }
  // Whether a protocol has had a choice.
  bool chooses() const { return chooses_; }
  std::size_t renamings() const { return renamings_.size(); }

  // Partial-order reduction relies on who has never been seen to send to whom. begin() makes what
  // has been seen so far the basis of a search; if somebody then does send for the first time, the
  // search must begin again.
  bool has_learned() const {
    return can_reduce_order() && (senders_.load() & ~relied_on_.load()) != 0;
  }
  void begin() const { relied_on_ = senders_.load(); }

  class Worker;

 private:
  using Numbers = std::array<NumberSet, most_processes + 1>;

  struct LocalEntry {
    Local local;
    typename A::Glance glance;
    std::vector<Armed> timers;
    bool up = false;
    Numbers numbers{};
  };
  struct LocalBrief {
    LocalBrief() = default;
    explicit LocalBrief(const LocalEntry& entry)
        : glance(entry.glance),
          up(entry.up),
          runs(entry.up && !entry.local.paused),
          has_timers(!entry.timers.empty()) {}

    typename A::Glance glance{};
    bool up = false;
    bool runs = false;  // up, and not paused
    bool has_timers = false;
  };
  struct LetterEntry {
    Letter letter;
    Numbers numbers{};
  };
  struct Channel {
    std::vector<Id> letters;
    Numbers numbers{};
    std::uint32_t kinds = 0;   // bits of the messages' A::kind_of
    bool must_arrive = false;  // before time passes
    bool is_prompt = false;    // the first letter arrives before anything else happens
  };
  static constexpr bool can_rewrite = detail::Resumable<P>;
  static constexpr bool by_process = detail::numbers_by_process<P>();

  std::uint32_t parts() const { return size_ * size_ + 1; }
  std::uint32_t channel(std::uint32_t from, std::uint32_t to) const {
    return size_ + from * (size_ - 1) + (to < from ? to : to - 1);
  }
  std::uint32_t rest() const { return size_ * size_; }

  // Bit from * most_processes + to: `from` sends to `to`.
  static std::uint64_t pair_bit(std::uint32_t from, std::uint32_t to) {
    return std::uint64_t{1} << (from * most_processes + to);
  }
  void note_send(std::uint32_t from, std::uint32_t to) const {
    std::uint64_t pairs = pair_bit(from, to);
    for (const Renaming& renaming : renamings_) pairs |= pair_bit(renaming[from], renaming[to]);
    if ((senders_.load() & pairs) != pairs) senders_ |= pairs;
  }
  // Whether steps of different processes can always trade places.
  bool can_reduce_order() const {
    return bounds_.reductions.partial_order && bounds_.fifo && bounds_.budgets == Budgets{} &&
           !bounds_.time.counts && !bounds_.order && bounds_.under_way == 0;
  }

  Bounds bounds_;
  std::uint32_t size_;
  mutable std::vector<Interner<LocalEntry, LocalBrief>> locals_;  // of each process
  mutable Interner<LetterEntry> letters_;
  mutable Interner<Channel> channels_;
  mutable Interner<Rest> rests_;
  mutable std::atomic<bool> chooses_{false};
  mutable std::atomic<std::uint64_t> senders_{0};    // seen so far
  mutable std::atomic<std::uint64_t> relied_on_{0};  // in this search
  std::vector<Property> properties_;
  std::vector<Renaming> renamings_;  // but for the one that changes nothing
};

}  // namespace baton::check

#include "check/group_worker.h"
