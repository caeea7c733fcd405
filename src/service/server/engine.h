// The engine of a leading server: the state, its journal, and what lies between them. No sockets.
//
// A request is applied to the state as soon as it comes, and added to the batch that is being
// gathered. When the journal is ready for another record the batch is sent to it, so that
// everything that comes during one append goes into the next. What a command brought about is held
// back until its batch is durable. Two things go out earlier:
// - grants of the fast grade, and replies to what a session of the fast grade lets go: after a
//   crash its client reports what it held;
// - answers to questions, when nothing is under way that they could have seen.
//
// A batch that nobody waits for, since all that it brought about went out early, may linger for a
// moment: the more commands share a write to the disk, the less each of them costs.
//
// To a journal whose appends cost much more than a message (etcd's) the next record may be held
// back for a moment after one is done: those who have just got their answers ask again, and then
// all of them share one append instead of two groups taking turns.
//
// The fence of a grant that goes out early must be below a reserve that is already durable, or two
// leaders could give out the same one. So must a place in line, since the next leader counts both
// from there on. And while the end of a session, or of a hold against the holder's will, is not
// durable, no grant goes out early: after a crash that end would not have happened, and whoever was
// granted the lock before may still be given the answer that is kept.
//
// A gated state (service/state/state.h) has a journal that keeps nothing: whatever it brings about
// goes out at once.
//
// All calls, and all calls of the host, are on one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "baton/journal.pb.h"
#include "service/journal/journal.h"
#include "service/server/histogram.h"
#include "service/server/snapshot.h"
#include "service/server/translate.h"
#include "service/state/command.h"
#include "service/state/state.h"

namespace baton::server {

// What the engine needs of the process around it.
class EngineHost {
 public:
  virtual ~EngineHost() = default;

  // From any thread: runs it later on the engine's.
  virtual void post(std::function<void()> what) = 0;
  // Runs it beside the engine's thread, if there is another.
  virtual void run_aside(std::function<void()> what) = 0;
  // Microseconds. The first only goes on, also while the machine sleeps; the second is the date.
  virtual std::int64_t clock_us() = 0;
  virtual std::int64_t wall_us() = 0;

  // A turn, and with it a flush(), after so many microseconds, also if nothing happens till then.
  virtual void turn_in(std::int64_t) {}

  // Of a gated state: a name is wanted, or of no use any more. The engine may be called back.
  virtual void want(const service::Wanted&) {}
  virtual void leave(const service::Unwanted&) {}

  // ... and those with whom it shares its names do not keep up.
  virtual bool is_held_up() const { return false; }

  // These may be told to clients now.
  virtual void deliver(service::Effects& effects) = 0;
  // The journal did not keep its word: nothing may be told to anyone any more.
  virtual void fail(const journal::Fault& fault) = 0;
};

struct EngineOptions {
  std::string server;  // its name, for people
  bool gated = false;
  std::uint64_t fences_per_reserve = 1'000'000;
  std::size_t commands_per_snapshot = 250'000;  // a snapshot is due after so many commands …
  std::size_t bytes_per_snapshot = 32 * 1024 * 1024;  // … or so many bytes of records
  service::Duration longest_linger{0};                // of a batch that nobody waits for
  int appends_per_holdback = 0;  // an append is held back for this part of the last; 0: not at all
};

struct EngineCounters {
  std::uint64_t commands = 0;
  std::uint64_t batches = 0;
  std::uint64_t batch_bytes = 0;
  std::uint64_t early_replies = 0;
  std::uint64_t snapshots = 0;
  std::uint64_t snapshot_bytes = 0;  // of the last
  std::uint64_t replayed = 0;
  Histogram batch_commands{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000};
  Histogram append_seconds{0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01,
                           0.025,  0.05,    0.1,    0.25,  0.5,    1,     2.5};
};

class Engine {
 public:
  using Answer = std::function<void(const service::Reply&)>;

  Engine(journal::Journal& journal, EngineHost& host, EngineOptions options);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // Reads the journal and begins to lead; `ready` is called when that is durable. Throws
  // journal::Unusable.
  void start(std::function<void()> ready);
  // The same in steps, for a journal that another server still writes: what it has written so far,
  // as it comes, and then, if ever, lead().
  void read_snapshot(journal::Position position, std::string_view bytes);
  void read_record(journal::Position position, std::string_view bytes);
  void lead(std::function<void()> ready);

  // A request that refusal_of() has nothing against, with its session, and the command that it
  // means. The proto goes into the journal. Replies to a session are delivered by the host;
  // `answer` gets that of a request without a session.
  void submit(proto::Request& request, service::Command command, const Answer& answer = {});
  void expire(service::SessionId session);
  void tick();
  // Of a gated state.
  void submit(const service::Open& open);
  void submit(const service::Revoke& revoke);
  void submit(const service::Elsewhere& elsewhere);
  // A Farewell: the last command. `done` is called when everything is durable.
  void stop(std::function<void()> done);

  // Runs it when everything that the state has seen is durable, now if it is already.
  void when_durable(std::function<void()> what);
  // ... and it is known that no other server led when this was called.
  void when_proven(std::function<void()> what);
  // Promises may be made that the journal does not have.
  bool is_sure() const { return journal_.is_sure(); }
  // Of what it tells the gate, something is still to come.
  bool has_more_for_gate() const { return !for_gate_.empty(); }
  // Larger ones cannot be kept; 0: all can.
  std::size_t most_request_bytes() const { return journal_.most_record_bytes(); }

  // To be called at the end of each turn, when all that has arrived is submitted, and now and then
  // for the sake of what lingers.
  void flush();

  const service::State& state() const { return state_; }
  service::Time now() const;
  std::uint64_t epoch() const { return epoch_; }
  bool is_leading() const { return is_leading_; }
  service::Time leading_since() const { return leading_since_; }
  journal::Position position() const { return appended_; }
  const EngineCounters& counters() const { return counters_; }
  bool is_fast(service::SessionId session) const { return fast_.contains(session.value); }
  // So much is gathered that nothing more should be read from clients for a while.
  bool is_congested() const {
    return record_.size() + sealed_bytes_ > most_gathered_bytes || host_.is_held_up();
  }

  static constexpr std::size_t most_gathered_bytes = 16 * 1024 * 1024;

 private:
  // What waits for a record to become durable.
  struct Held {
    service::Effects effects;
    std::vector<std::function<void()>> then;
    std::optional<std::uint64_t> reserve;
    bool has_ending = false;  // of a hold, not by its holder
    std::size_t commands = 0;
    std::int64_t sent_us = 0;
  };

  void replay_one(const proto::Command& message, service::Time& now);
  void add_lead();
  void add_reserve();

  proto::Command& begin(service::Command& command);
  void gather(const service::Command& command);
  void apply(const service::Command& command, const Answer& answer);
  void tell_gate();
  void note(const service::Command& command, const service::Effect& effect);
  void note_ending();
  bool may_go_early(const service::Command& command, const service::Effect& effect) const;
  void answer_when_durable(const service::Reply& reply, const Answer& answer);

  bool may_linger() const;
  void hold_back(const Held& done);
  bool is_held_back();
  void seal();
  void send(std::string record, Held held);
  void batch_done(const journal::Fault& fault);
  void check_durable(const Held& held) const;
  void consider_snapshot();
  void write_snapshot();
  void snapshot_done(const journal::Fault& fault);
  void fail(const journal::Fault& fault);
  // A callback for another thread, which does nothing when the engine is gone.
  journal::Journal::Done on_engine_thread(void (Engine::*what)(const journal::Fault&));

  journal::Journal& journal_;
  EngineHost& host_;
  EngineOptions options_;
  service::State state_;
  std::unordered_set<std::uint64_t> fast_;  // sessions

  std::uint64_t epoch_ = 0;
  bool is_leading_ = false;
  bool has_failed_ = false;
  bool ended_cleanly_ = true;                    // as far as has been read
  std::optional<std::int64_t> clock_origin_us_;  // none: has not led
  std::optional<std::int64_t> read_at_us_;       // the last record
  service::Time leading_since_;

  struct Sealed {
    std::string record;
    Held held;
  };
  std::deque<Sealed> sealed_;  // as large as a record may be, and not yet sent
  std::size_t sealed_bytes_ = 0;
  std::string record_;  // being gathered
  Held gathering_;
  service::Time record_since_;  // of the first command in it
  service::Time batch_time_;    // of the last command
  proto::Batch piece_;          // the next command
  std::deque<Held> under_way_;
  std::int64_t held_back_until_us_ = 0;  // 0: nothing is held back
  std::size_t enough_commands_ = 0;      // as soon as so many have come, it is not any more
  journal::Position appended_ = 0;
  std::uint64_t durable_reserve_ = 0;
  std::size_t endings_ = 0;  // batches with one that are not durable
  bool is_reserving_ = false;
  service::Effects new_effects_;
  service::Effects early_;
  std::deque<service::Effect> for_gate_;
  bool is_telling_gate_ = false;

  std::size_t commands_since_snapshot_ = 0;
  std::size_t bytes_since_snapshot_ = 0;
  bool is_writing_snapshot_ = false;

  EngineCounters counters_;
  std::shared_ptr<Engine*> self_;
};

}  // namespace baton::server
