// The inside of a State: what each command does to the tables.
//
//   machine.cpp           commands as they come: due first, retries answered, then carried out
//   machine_locks.cpp     acquire, release, upgrade, break …
//   machine_grants.cpp    whose turn it is
//   machine_sessions.cpp  open, close, expire
//   machine_reclaim.cpp   after a crash
//   machine_gate.cpp      what is shared with others elsewhere
//   machine_files.cpp     put, remove, and the changes that others watch
//   image.cpp, query.cpp  what can be seen from outside
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "service/state/command.h"
#include "service/state/state.h"
#include "service/state/tables.h"
#include "service/state/valid.h"

namespace baton::service {

class Machine {
 public:
  Machine() = default;
  explicit Machine(const StateImage& image);
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  void apply(const Command& command, Effects& effects);
  StateImage image() const;

  const Tables& tables() const { return tables_; }
  Time now() const { return now_; }
  FencingToken next_fence() const { return next_fence_; }
  FencingToken reserve() const { return reserve_; }
  bool is_gated() const { return is_gated_; }

 private:
  using Result = decltype(Reply::result);
  // The sender of the command, to whom the answer goes. An operator and the server itself have no
  // session.
  struct Asker {
    Session* session = nullptr;
    SessionId id;
    RequestId request;
  };
  // A party that waits has itself acquired or lost this lock.
  struct OwnChange {
    Party party;
    Lock* lock;
  };
  enum class End : std::uint8_t { closed, expired, broken };

  // machine.cpp
  void bring_about_due();
  void bring_about(const Timer& timer);
  void serve(const Command& command);
  bool is_repeated(const Asker& asker);
  bool may_go_on(const Asker& asker, const Command& command);
  void confirm(Session& session, RequestId confirmed);
  void answer(const Asker& asker, Error error, std::string message = {});
  void answer(const Asker& asker, const Refusal& refusal);
  void answer(const Asker& asker, Result result, bool fast = false);
  void send(Session* session, Reply reply);
  void note_answer(Hold& hold, const Asker& asker);
  void take_back_answers(const Lock& lock, Hold& hold, const std::string& reason);
  void carry_out(const Asker& asker, const Tick& tick);
  void carry_out(const Asker& asker, const Lead& lead);
  void carry_out(const Asker& asker, const Reserve& reserve);

  // machine_locks.cpp
  void carry_out(const Asker& asker, const Acquire& acquire);
  void carry_out(const Asker& asker, const Cancel& cancel);
  void carry_out(const Asker& asker, const Release& release);
  void carry_out(const Asker& asker, const Downgrade& downgrade);
  void carry_out(const Asker& asker, const Upgrade& upgrade);
  void carry_out(const Asker& asker, const Break& breaking);
  void carry_out(const Asker& asker, const Acknowledge& acknowledge);
  std::optional<Refusal> refuse_to(const Asker& asker, const Acquire& acquire) const;
  std::optional<Refusal> refuse_lock(const Asker& asker, const Acquire& acquire,
                                     const Lock& lock) const;
  std::optional<Refusal> refuse_upgrade(const Asker& asker, const Upgrade& upgrade,
                                        const Lock* lock) const;
  bool waits_at(const Asker& asker, OwnerId owner, const Lock& lock, Mode mode) const;
  void take_or_wait(const Asker& asker, Request request, const std::optional<Duration>& wait);
  bool would_deadlock_at_once(const Request& upgrade);
  std::string busy_message(const Request& request) const;
  void tell_over(Lock& lock, Hold& hold, const std::string& reason);
  void break_hold(Lock& lock, Hold& hold, bool force);
  void take_away(Lock& lock, Hold& hold, const std::string& reason);
  void tell(HoldOver over);
  void tell_lost(const Lock& lock, Hold& hold, const std::string& reason);

  // machine_grants.cpp
  Lock& lock_at(Namespace space, const std::string& name, std::uint32_t slots);
  void touch(Lock& lock);
  void settle();
  void pump(Lock& lock);
  void forget(Lock& lock);
  void note_own(const Party& party, Lock& lock);
  void look_again(const OwnChange& change);
  void refuse_deadlocked(Request& request);
  bool is_open(const Lock& lock, const Request& request) const;
  bool is_open(const Request& request) const;
  bool may_grant(const Request& request);
  void grant(Request& request);
  Grant::Part take(Lock& lock, const Request& request);
  FencingToken fresh_fence();
  Request& enqueue(Session& session, Request request);
  Request take_out(Request& request);
  Request* find_waiting(const QueueKey& key);
  // Answers a waiting request, which is then gone.
  void give_up(Request& request, Error error, std::string message = {});
  void give_up_upgrade(Lock& lock, const Party& party, Error error);
  void add_hold(Lock& lock, Hold hold);
  void let_go(Lock& lock, const Party& party);
  void arm(Lock& lock, const Hold& hold);
  void disarm(Lock& lock, const Hold& hold);
  void resume();

  // machine_sessions.cpp
  void carry_out(const Asker& asker, const OpenSession& open);
  void carry_out(const Asker& asker, const CloseSession& close);
  void carry_out(const Asker& asker, const ExpireSession& expire);
  void carry_out(const Asker& asker, const BreakSession& breaking);
  void give_up_all(Session& session, const std::string& reason);
  void end(Session& session, End how, const std::string& reason);
  void end_hold(Session& session, const HoldKey& key, End how);
  void close_for_a_while(Session& session, const HoldKey& key);
  void end_recovery_of(SessionId id);

  // machine_reclaim.cpp
  void carry_out(const Asker& asker, const Reclaim& reclaim);
  void tell_what_is_lost(const Asker& asker, const Reclaim& reclaim);
  void give_up_unreported(Session& session, const Reclaim& reclaim);
  void forget_unheard_grants(Session& session, const Reclaim& reclaim);
  void restore(Session& session, const Reclaim::Held& held);
  bool prevails(const Party& reporter, const Reclaim::Held& held);
  void bring_up_to_date(Lock& lock, const Reclaim::Held& held, Hold& own);
  void restore(Session& session, const Reclaim::Waiting& waiting);

  // machine_gate.cpp
  void carry_out(const Asker& asker, const Open& open);
  void carry_out(const Asker& asker, const Revoke& revoke);
  void carry_out(const Asker& asker, const Elsewhere& elsewhere);
  void watch_door(Lock& lock);
  void tell_elsewhere(Change::Kind kind, const std::string& name, const LeaderElsewhere& leader);

  // machine_files.cpp
  void carry_out(const Asker& asker, const Put& put);
  void carry_out(const Asker& asker, const Remove& remove);
  void carry_out(const Asker& asker, const Proclaim& proclaim);
  void tie(const std::string& key, SessionId from, SessionId to);
  Revision remove_file(const std::string& key);
  Revision tell_all(Change change);
  void tell_leader(Change::Kind kind, const Lock& lock, const Hold& hold);

  // image.cpp
  void restore(const SessionImage& image);
  void restore(const LockImage& image);
  void restore(const WaitingRequest& image);

  Tables tables_;
  Time now_;
  FencingToken next_fence_{1};
  FencingToken reserve_{1};
  FencingToken fence_floor_{1};
  std::uint64_t next_ticket_ = 1;
  std::uint64_t ticket_floor_ = 1;
  std::uint64_t next_session_ = 1;
  bool stalled_ = false;
  bool is_gated_ = false;

  // Only while a command is carried out.
  Effects* effects_ = nullptr;
  FencingToken opened_fence_;  // of a gated state
  std::vector<Lock*> to_pump_;
  std::vector<Lock*> to_check_;
  std::vector<OwnChange> own_changes_;
};

}  // namespace baton::service
