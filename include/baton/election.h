// Elections: whoever leads holds a name, has something to say, and has a term that is a fencing
// token.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "baton/export.h"
#include "baton/files.h"
#include "baton/lock.h"
#include "baton/result.h"

namespace baton {
inline namespace v1 {

class Client;

struct Leader {
  std::string value;
  std::uint64_t term = 0;  // a fencing token
  std::uint64_t session = 0;
};

struct LeaderChange {
  enum class Kind : std::uint8_t {
    elected,
    proclaimed,  // the same leader says something else
    resigned     // nobody leads until the next is elected
  };
  Kind kind{};
  std::uint64_t revision = 0;
  Leader leader;  // of a resignation: who led
};

struct CampaignOptions {
  std::optional<std::chrono::microseconds> wait{};  // at most; 0: not at all; none: for ever
  std::chrono::microseconds max_hold{0};
  std::string label{};
  bool fast = false;
  std::optional<Owner> owner{};
  std::stop_token give_up{};
};

// Resigns when it goes.
class BATON_EXPORT Leadership {
 public:
  Leadership() = default;

  bool is_leader() const { return lock_.is_held(); }
  explicit operator bool() const { return is_leader(); }
  std::uint64_t term() const { return lock_.fence(); }

  // Says something else to those who observe.
  Result<void> proclaim(std::string value);
  void async_proclaim(std::string value, Callback<void> done);
  Result<void> resign() { return lock_.release(); }
  void async_resign(Callback<void> done) { lock_.async_release(std::move(done)); }

  // The hold of which leadership consists: loss, jeopardy, lease.
  Lock& hold() { return lock_; }
  const Lock& hold() const { return lock_; }
  std::stop_token lost() const { return lock_.lost(); }
  void on_lost(std::function<void(const Failure&)> callback) { lock_.on_lost(std::move(callback)); }

 private:
  friend struct detail::Access;
  explicit Leadership(Lock lock) : lock_(std::move(lock)) {}

  Lock lock_;
};

// Of one name; made by Client::election().
class BATON_EXPORT Election {
 public:
  const std::string& name() const { return name_; }

  // Waits until it leads.
  Result<Leadership> campaign(std::string value, CampaignOptions options = {});
  void async_campaign(std::string value, CampaignOptions options, Callback<Leadership> done);

  // Nobody: no value.
  Result<std::optional<Leader>> leader();
  void async_leader(Callback<std::optional<Leader>> done);

  // First who leads now (if anybody does), then every change in order, on the client's own thread.
  // A connection that is lost and found again leaves no gap. If the server no longer keeps what was
  // missed, whoever leads then is told as `elected` or, if it is the leader that was last told of
  // with something else to say, as `proclaimed`; if nobody leads any more, as `resigned`.
  Result<Watch> observe(std::function<void(const LeaderChange&)> callback,
                        std::function<void(const Failure&)> on_end = {});

 private:
  friend struct detail::Access;
  friend class Client;
  Election(std::shared_ptr<void> core, std::string name)
      : core_(std::move(core)), name_(std::move(name)) {}

  std::shared_ptr<void> core_;
  std::string name_;
};

}  // namespace v1
}  // namespace baton
