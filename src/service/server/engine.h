// The engine of a leading server: it applies commands to the state, writes them to the journal, and
// sends the effects when the journal is durable. No sockets.
//
// The engine applies a request to the state as soon as it comes, and adds it to the batch that it
// gathers. When the journal is ready for another record, the engine sends it the batch. So all
// requests that come during one append share the next append. The engine holds the effects of a
// command back until its batch is durable. Two kinds of effects go out earlier:
// - grants of the fast grade, and replies to a session of the fast grade that gives something up:
//   after a crash its client reports what it holds;
// - answers to questions, if they cannot have seen an effect that is not durable yet.
//
// If all effects of a batch went out early, nobody waits for it, and it may linger for a moment:
// the more commands share a write to the disk, the less each of them costs.
//
// If an append costs much more than a message (etcd's does), the engine may hold the next record
// back for a moment after one is done: the clients that just got their answers ask again, and then
// all of them share one append instead of two groups taking turns.
//
// The fencing token of a grant that goes out early must be below a reserve that is already durable;
// otherwise two leaders could give out the same token. The same holds for a place in a queue: the
// next leader counts both from the reserve on. And while the end of a session, or of a hold against
// its holder's will, is not durable, no grant goes out early: a crash would undo that end, and the
// holder before could still be sent the grant that the journal keeps as its answer.
//
// A gated state (service/state/state.h) has a journal that keeps nothing: the engine sends all its
// effects at once.
//
// The engine and its host call each other on one thread.
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

// The process around the engine, as the engine sees it.
class EngineHost {
 public:
  virtual ~EngineHost() = default;

  // From any thread: runs it later on the engine's.
  virtual void post(std::function<void()> what) = 0;
  // Runs it on another thread than the engine's, if there is one.
  virtual void run_aside(std::function<void()> what) = 0;
  // Microseconds. clock_us() never goes back and counts while the machine sleeps; wall_us() is the
  // date.
  virtual std::int64_t clock_us() = 0;
  virtual std::int64_t wall_us() = 0;

  // The host calls flush() after so many microseconds, even if nothing else happens until then.
  virtual void turn_in(std::int64_t) {}

  // Of a gated state: the engine wants a name, or needs it no longer. The host may call the engine
  // back at once.
  virtual void want(const service::Wanted&) {}
  virtual void leave(const service::Unwanted&) {}

  // Of a gated state: the servers that share its names do not keep up.
  virtual bool is_held_up() const { return false; }

  // The host may send these effects to clients now.
  virtual void deliver(service::Effects& effects) = 0;
  // The journal failed: the host must not send anything to clients any more.
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

  // Reads the journal and begins to lead. The engine calls `ready` when the beginning is durable.
  // Throws journal::Unusable.
  void start(std::function<void()> ready);
  // The same in steps, for a standby: it reads the records that the leader writes, as they come,
  // and calls lead() when it takes over.
  void read_snapshot(journal::Position position, std::string_view bytes);
  void read_record(journal::Position position, std::string_view bytes);
  void lead(std::function<void()> ready);

  // Submits a request that refusal_of() did not refuse, with its session set, and the same request
  // as a command. The proto goes into the journal. The host delivers replies to a session; `answer`
  // receives the reply to a request without a session.
  void submit(proto::Request& request, service::Command command, const Answer& answer = {});
  void expire(service::SessionId session);
  void tick();
  // Of a gated state.
  void submit(const service::Open& open);
  void submit(const service::Revoke& revoke);
  void submit(const service::Elsewhere& elsewhere);
  // Writes a Farewell as the last command, and calls `done` when everything is durable.
  void stop(std::function<void()> done);

  // Runs it when all commands applied so far are durable; at once if they are.
  void when_durable(std::function<void()> what);
  // Runs it when all commands applied so far are durable, and the journal has proved that no other
  // server led when this was called.
  void when_proven(std::function<void()> what);
  // This server can prove that it leads, so it may answer before the journal has a command.
  bool is_sure() const { return journal_.is_sure(); }
  // The engine has more effects to send to the gate.
  bool has_more_for_gate() const { return !for_gate_.empty(); }
  // The journal cannot keep larger requests; 0: no limit.
  std::size_t most_request_bytes() const { return journal_.most_record_bytes(); }

  // The host calls this at the end of each turn of its loop, when it has submitted all requests
  // that have arrived; and now and then, so that a lingering batch is written.
  void flush();

  const service::State& state() const { return state_; }
  service::Time now() const;
  std::uint64_t epoch() const { return epoch_; }
  bool is_leading() const { return is_leading_; }
  service::Time leading_since() const { return leading_since_; }
  journal::Position position() const { return appended_; }
  const EngineCounters& counters() const { return counters_; }
  bool is_fast(service::SessionId session) const { return fast_.contains(session.value); }
  // The batches that wait for the journal are so large that the server should stop reading from
  // clients for a while.
  bool is_congested() const {
    return record_.size() + sealed_bytes_ > most_gathered_bytes || host_.is_held_up();
  }

  static constexpr std::size_t most_gathered_bytes = 16 * 1024 * 1024;

 private:
  // Effects and callbacks that wait until their record is durable.
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
  // A callback that another thread may call. It does nothing after the engine has been destroyed.
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
