// Elections. The leader holds the election's name, publishes a value, and has a term, which is a
// fencing token.
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
    proclaimed,  // the same leader publishes another value
    resigned     // nobody leads until the next is elected
  };
  Kind kind{};
  std::uint64_t revision = 0;
  Leader leader;  // of a resignation: the process that led
};

struct CampaignOptions {
  // How long to wait at most; 0: do not wait; none: wait for ever.
  std::optional<std::chrono::microseconds> wait{};
  std::chrono::microseconds max_hold{0};
  std::string label{};
  bool fast = false;
  std::optional<Owner> owner{};
  std::stop_token give_up{};
};

// The destructor resigns.
class BATON_EXPORT Leadership {
 public:
  Leadership() = default;

  bool is_leader() const { return lock_.is_held(); }
  explicit operator bool() const { return is_leader(); }
  std::uint64_t term() const { return lock_.fence(); }

  // Publishes another value to the observers.
  Result<void> proclaim(std::string value);
  void async_proclaim(std::string value, Callback<void> done);
  Result<void> resign() { return lock_.release(); }
  void async_resign(Callback<void> done) { lock_.async_release(std::move(done)); }

  // The hold that makes this process the leader: it has the lease, and reports jeopardy and loss.
  Lock& hold() { return lock_; }
  const Lock& hold() const { return lock_; }
  std::stop_token lost() const { return lock_.lost(); }
  void on_lost(std::function<void(const Failure&)> callback) { lock_.on_lost(std::move(callback)); }

 private:
  friend struct detail::Access;
  explicit Leadership(Lock lock) : lock_(std::move(lock)) {}

  Lock lock_;
};

// The election of one name. Client::election() makes it.
class BATON_EXPORT Election {
 public:
  const std::string& name() const { return name_; }

  // Waits until this process leads.
  Result<Leadership> campaign(std::string value, CampaignOptions options = {});
  void async_campaign(std::string value, CampaignOptions options, Callback<Leadership> done);

  // No value: nobody leads.
  Result<std::optional<Leader>> leader();
  void async_leader(Callback<std::optional<Leader>> done);

  // Calls back first with the current leader, if there is one, then with every change in order, on
  // the client's own thread. A lost connection leaves no gap. If the server no longer keeps the
  // changes that this client missed, the client reports the present state instead: `elected` for
  // another leader, `proclaimed` for the same leader with another value, `resigned` if nobody
  // leads.
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
