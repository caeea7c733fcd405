// A judge of the lock service that knows nothing of how it works: only what was sent, what was
// told, and what the state says about locks when asked. It computes everything anew, the slow way.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "service/state/state.h"

namespace baton::service {

class Oracle {
 public:
  // After each command that was applied. Returns what is wrong, or nothing.
  std::string judge(const Command& command, const Effects& effects, const State& state);

  // Whether everything that was asked has been answered.
  bool is_all_answered() const { return open_.empty(); }

  int grants = 0;
  int deadlocks = 0;
  int waits = 0;
  int forgotten = 0;
  int taken_back = 0;  // grants that were asked for again after their holds had been taken away

 private:
  using Id = std::pair<SessionId, RequestId>;
  using Place = std::pair<Namespace, std::string>;

  // A request for locks that has not been answered.
  struct Wish {
    Party party;
    Namespace space{};
    std::vector<std::string> names;
    Mode mode{};
    std::uint32_t slots = 1;
    bool upgrade = false;
    bool despite = false;
    std::uint64_t ticket = UINT64_MAX;  // that it was told
  };

  // A wish that was granted, and what became of the holds since.
  struct GrantedWish {
    Wish wish;
    bool is_let_go = false;    // perhaps
    bool may_be_lost = false;  // one was taken away, of this grant or of a later one
    bool is_lost = false;      // of this one
  };

  // Of a session that does not confirm: the answers that it can ask for again, oldest first.
  struct Memory {
    std::size_t most = 0;
    std::vector<Reply> answers;
  };

  void note(const Command& command);
  std::string recall(const Command& command, const Effects& effects);
  bool is_taken_back(const Reply& answer, const Effects& effects) const;
  void note_end(const Party& party, Namespace space, const std::string& name, bool is_own_word);
  void remember(const Command& command, const Effects& effects);
  std::string hear(const Command& command, const Effects& effects);
  std::string hear(const Command& command, const Reply& reply);
  void look(const State& state);

  std::string judge_holders() const;
  std::string judge_fences() const;
  std::string judge_order() const;
  std::string judge_queues() const;
  std::string judge_idleness(const State& state) const;
  std::string judge_cycles() const;
  std::string judge_refusal(const Command& command, const Effects& effects) const;

  const LockInfo* lock(const Wish& wish, const std::string& name) const;
  static bool is_enough(Mode held, Mode wanted) {
    return held == Mode::exclusive || wanted == Mode::shared;
  }
  static bool is_before(const Wish& a, const Wish& b);
  bool enters_again(const Wish& wish, const std::string& name) const;
  bool is_free(const Wish& wish, const std::string& name) const;
  bool is_ending(const Hold& holder) const;
  bool can_end(const Wish& wish, const std::string& name, const std::set<Party>& ended) const;
  std::set<Party> never_end(bool ignore_despite) const;

  std::map<Id, Wish> open_;
  std::set<Id> answered_;
  std::map<Id, GrantedWish> grants_;
  std::map<SessionId, Memory> memories_;
  std::vector<std::pair<Wish, Grant>> granted_;         // by this command
  std::set<std::pair<Party, Place>> upgraded_despite_;  // and they hold it still
  std::map<Place, LockInfo> locks_;                     // now
  std::map<Place, LockInfo> before_;                    // before this command
  std::map<Place, FencingToken> highest_;               // given out before this command
  std::map<SessionId, SessionInfo> sessions_;
};

}  // namespace baton::service
