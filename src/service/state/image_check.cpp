// Checks that an image could have been taken of a real state. A state restored from an impossible
// image would crash later, or grant a lock twice.
#include <algorithm>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "service/state/state.h"

namespace baton::service {

namespace {

// No time, fencing token, ticket or session number ever comes so far, so a larger one is an error.
// The sum of two numbers below this limit still fits into 64 bits.
constexpr std::int64_t latest = std::int64_t{1} << 61;
constexpr std::uint64_t largest = std::uint64_t{1} << 61;

bool is_time(std::int64_t time) { return time >= 0 && time <= latest; }

class Check {
 public:
  explicit Check(const StateImage& image) : image_(image) {}

  std::optional<std::string> run() {
    check_counters();
    for (const SessionImage& session : image_.sessions) add(session);
    for (const LockImage& lock : image_.locks) add(lock);
    for (const SessionImage& session : image_.sessions) check(session);
    for (const LockImage& lock : image_.locks) check(lock);
    for (const FileInfo& file : image_.files) check(file);
    check_changes();
    return problem_;
  }

 private:
  void demand(bool is_so, const char* what) {
    if (!is_so && !problem_) problem_ = what;
  }

  void check_counters() {
    demand(is_time(image_.now.value), "its time is impossible");
    demand(image_.next_fence.value > 0 && image_.next_fence <= image_.reserve &&
               image_.reserve.value < largest && image_.fence_floor <= image_.next_fence &&
               image_.joinable_from <= image_.next_fence,
           "its fences contradict each other");
    demand(image_.ticket_floor <= image_.next_ticket && image_.next_ticket < largest,
           "its tickets contradict each other");
    demand(image_.next_session > 0 && image_.next_session < largest,
           "its sessions are uncountable");
  }

  void add(const SessionImage& session) {
    const bool is_new = sessions_.insert(session.id.value).second;
    demand(session.id != no_session && session.id.value < image_.next_session && is_new,
           "a session has an impossible number");
    const std::string& nonce = session.terms.nonce;
    demand(!nonce.empty() && nonces_.insert(nonce).second, "a session has the nonce of another");
  }

  void add(const LockImage& lock) {
    demand(!lock.name.empty() && lock.slots > 0 && lock.slots <= most_slots,
           "a lock has no name or no slots");
    demand(locks_[space_index(lock.space)].emplace(lock.name, &lock).second,
           "a lock is there twice");
  }

  void check(const SessionImage& session) {
    demand(is_time(session.terms.ttl.value) && is_time(session.terms.lock_delay.value) &&
               is_time(session.since.value) && is_time(session.ends.value),
           "a session has impossible times");
    const SessionId within = session.terms.within;
    demand(within == no_session || (within < session.id && sessions_.contains(within.value)),
           "a session is within one that is not there");
    // The answers of one that does not confirm are in the order in which they were given.
    demand((session.terms.latest_answers > 0 || are_in_order(session.answers, &Reply::request)) &&
               are_in_order(session.waiting, &WaitingRequest::id),
           "the requests of a session are in disorder");
    for (const WaitingRequest& waiting : session.waiting) check(session, waiting);
  }

  template <class T>
  static bool are_in_order(const std::vector<T>& all, RequestId T::*request) {
    return std::adjacent_find(all.begin(), all.end(), [&](const T& one, const T& next) {
             return one.*request >= next.*request;
           }) == all.end();
  }

  void check(const SessionImage& session, const WaitingRequest& waiting) {
    demand(waiting.party.session == session.id, "a request waits for another session");
    demand(waiting.id.value > 0 && waiting.ticket > 0 && waiting.ticket < image_.next_ticket,
           "a waiting request has an impossible number");
    demand(is_time(waiting.since.value) && is_time(waiting.terms.hold.max_hold.value) &&
               (!waiting.deadline || is_time(waiting.deadline->value)),
           "a waiting request has impossible times");
    const bool is_answered =
        std::any_of(session.answers.begin(), session.answers.end(),
                    [&](const Reply& reply) { return reply.request == waiting.id; });
    demand(!is_answered, "a request waits though it is answered");
    demand(!waiting.names.empty() &&
               std::set<std::string_view>(waiting.names.begin(), waiting.names.end()).size() ==
                   waiting.names.size(),
           "a request waits for nothing, or twice for the same");
    for (const std::string& name : waiting.names) {
      const LockImage* lock = find(waiting.space, name);
      demand(lock != nullptr && lock->slots == waiting.terms.slots, "a request waits for no lock");
      if (lock == nullptr) return;
      waited_for_.insert(lock);
      if (!waiting.upgrade) continue;
      const bool holds = std::any_of(lock->holds.begin(), lock->holds.end(),
                                     [&](const Hold& hold) { return hold.party == waiting.party; });
      demand(holds && waiting.names.size() == 1, "a request upgrades what is not held");
    }
  }

  void check(const LockImage& lock) {
    demand(!lock.holds.empty() || waited_for_.contains(&lock), "a lock is neither held nor wanted");
    std::set<Party> parties;
    std::set<std::uint32_t> slots;
    for (const Hold& hold : lock.holds) {
      check(hold);
      demand(parties.insert(hold.party).second, "a lock is held twice by the same");
      demand(lock.slots == 1 || (hold.slot < lock.slots && slots.insert(hold.slot).second &&
                                 hold.terms.mode == Mode::exclusive),
             "a lock has an impossible slot");
    }
    const bool is_shared =
        lock.slots > 1 || std::all_of(lock.holds.begin(), lock.holds.end(), [&](const Hold& hold) {
          return hold.terms.mode == Mode::shared && hold.fence == lock.holds.front().fence;
        });
    demand(is_shared || lock.holds.size() == 1, "a lock is held by too many");
  }

  void check(const Hold& hold) {
    demand(
        is_time(hold.since.value) && is_time(hold.terms.max_hold.value) && is_time(hold.ends.value),
        "a hold has impossible times");
    demand(hold.fence.value > 0 && hold.fence < image_.next_fence,
           "a hold has an impossible fence");
    demand(hold.expired ? hold.ends.value > 0 : sessions_.contains(hold.party.session.value),
           "a lock is held by nobody");
  }

  void check(const FileInfo& file) {
    demand(!file.key.empty() && files_.insert(file.key).second, "a file is there twice");
    demand(file.version > 0 && file.revision <= image_.revision,
           "a file has an impossible version");
    demand(file.tied == no_session || sessions_.contains(file.tied.value),
           "a file is tied to no session");
  }

  void check_changes() {
    demand(image_.revision.value >= image_.changes.size() && image_.revision.value < largest,
           "its changes are uncountable");
    std::uint64_t revision = image_.revision.value - image_.changes.size();
    for (const Change& change : image_.changes) {
      demand(change.revision.value == ++revision && change.kind <= Change::Kind::resign,
             "its changes are in disorder");
    }
  }

  static std::size_t space_index(Namespace space) { return static_cast<std::size_t>(space); }
  const LockImage* find(Namespace space, const std::string& name) const {
    const auto& locks = locks_[space_index(space)];
    const auto at = locks.find(name);
    return at == locks.end() ? nullptr : at->second;
  }

  const StateImage& image_;
  std::optional<std::string> problem_;
  std::unordered_set<std::uint64_t> sessions_;
  std::unordered_set<std::string_view> nonces_;
  std::unordered_map<std::string_view, const LockImage*> locks_[2];
  std::unordered_set<const LockImage*> waited_for_;
  std::unordered_set<std::string_view> files_;
};

}  // namespace

std::optional<std::string> what_is_wrong_with(const StateImage& image) {
  return Check(image).run();
}

}  // namespace baton::service
