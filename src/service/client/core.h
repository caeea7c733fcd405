// One session, its connection and its thread: what stands behind a Client.
//
// A mutex guards everything. Requests are sent by the thread that makes them; answers, the lease
// and all callbacks are the matter of the core's own thread. Whatever wakes it up first looks at
// the clock: if the lease is over, that is declared before anything else is done or believed.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "baton/client.h"
#include "baton/client.pb.h"
#include "io/alarm.h"
#include "service/client/held_lock.h"
#include "service/client/link.h"
#include "service/lease/lease.h"

namespace baton::client {

using detail::HeldLock;
using io::boottime_us;
using Micros = std::int64_t;

inline constexpr std::uint32_t protocol_version = 1;

// Of a file prefix or of an election.
struct WatchRequest {
  proto::Namespace space = proto::LOCK;
  std::string prefix;
  std::uint64_t after = 0;
  std::function<void(const proto::Change&)> changed;
  std::function<void(const Failure&)> ended;
};

// What a server says went wrong.
Error error_of(std::uint32_t number);
// Not this server, or not any more: the next one may do it.
bool is_elsewhere(Error error);

class Core final : public std::enable_shared_from_this<Core>, private Link::Listener {
 public:
  using Replied = std::function<void(Result<proto::Reply>)>;
  using Answered = std::function<void(Result<proto::Answer>)>;

  // Connects, and opens the session or resumes that of the ticket.
  static Result<std::shared_ptr<Core>> start(ClientOptions options,
                                             const SessionTicket* ticket = nullptr);
  Core(ClientOptions options, std::vector<Address> addresses);
  ~Core() override;
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  // --- Requests; what is done with the answer is done on the core's thread.
  std::uint64_t request(proto::Request request, Replied done, std::shared_ptr<HeldLock> hold = {});
  // Gives up waiting; the request itself is answered then.
  void cancel(std::uint64_t request);
  // All parts of the answer, as one.
  void read(proto::Read read, Answered done);
  std::uint64_t watch(WatchRequest request);
  void unwatch(std::uint64_t number);

  // --- Holds.
  void acquire(std::shared_ptr<HeldLock> hold, std::stop_token give_up,
               std::function<void(Result<std::shared_ptr<HeldLock>>)> done);
  void release(const std::shared_ptr<HeldLock>& hold, Replied done);
  void change_mode(const std::shared_ptr<HeldLock>& hold, proto::Request request, Replied done);
  void add_on_lost(const std::shared_ptr<HeldLock>& hold,
                   std::function<void(const Failure&)> callback);
  void add_on_jeopardy(const std::shared_ptr<HeldLock>& hold, std::function<void(bool)> callback);
  Failure why_lost(const HeldLock& hold) const;

  // --- The session.
  // Looks at the clock: false from the moment on at which the lease is over.
  bool is_alive();
  bool is_connected() const;
  std::uint64_t session() const;
  Micros age() const { return age_; }
  Micros ttl() const;
  Micros loss_margin() const;
  Micros lease_left();
  std::stop_token lost() const { return lost_.get_token(); }
  Failure why_lost() const;
  void add_on_lost(std::function<void(const Failure&)> callback);
  void add_on_jeopardy(std::function<void(bool)> callback);
  Result<void> close();
  Result<SessionTicket> detach();
  std::vector<LostHold> lost_holds() const;

  bool is_own_thread() const { return std::this_thread::get_id() == thread_id_; }
  boost::asio::io_context& context() { return io_; }
  // Runs on the core's thread.
  void call(std::function<void()> function);

 private:
  enum class Phase : std::uint8_t {
    away,      // no connection, or one that has not been understood yet
    entering,  // a session is being opened or resumed
    ready
  };
  struct Pending {
    proto::ClientMessage message;
    Replied done;
    std::shared_ptr<HeldLock> hold;
    std::uint64_t ticket = 0;  // its place in line, once told
    Micros made = 0;
    bool is_given_up = false;  // nobody waits for the answer any more
  };
  struct Reading {
    proto::ClientMessage message;
    proto::Answer so_far;
    Answered done;
    Micros made = 0;
  };

  // Link::Listener.
  void woken() override;
  void connected(const std::string& to) override;
  bool received(std::string_view frame) override;
  void disconnected(const std::string& why) override;
  void settle() override;

  // One function for each thing that a server says.
  void hear(const proto::Welcome& welcome);
  void hear(proto::Reply& reply);
  void hear(const proto::Alive& alive);
  void hear(const proto::Resumed& resumed);
  void hear(proto::Answer& answer);
  void hear(const proto::Changes& changes);
  void hear(const proto::Queued& queued);
  void hear(const proto::HoldOver& over);
  void hear(const proto::SessionOver& over);
  void hear(const proto::Goodbye& goodbye);
  void hear_opened(const proto::Reply& reply);
  void hear_unknown(const proto::HoldOver& over);

  void run();
  void tick();
  void watch_silence(Micros now);
  void watch_entering(Micros now);
  void set_alarm(Micros now);
  void open_session(Micros now);
  void resume();
  void become_ready(bool has_reported = false);
  void settle_if_entered();
  void report();
  void send(Pending& pending);
  void begin_lease(Micros ttl);
  // Carries out what the lease protocol decided.
  void carry_out(const service::LeaseClient::Step& step);
  void tell_jeopardy(bool is_near);
  void flush();
  void wake();
  // On the core's thread; from here if that has ended. The lock may be given back.
  void deliver(std::unique_lock<std::mutex>& lock, std::function<void()> function);

  void granted(const Pending& pending, const proto::Reply& reply);
  void give_back(const proto::Acquire& asked, const proto::Reply::Granted& granted);
  void lose_hold(const std::shared_ptr<HeldLock>& hold, const Failure& why);
  void acknowledge(HeldLock& hold);
  void lose(Failure why);
  void fail_everything(const Failure& why);
  void fail_overdue(Micros now);
  void give_up_waits(Micros now);
  void settle_opening(Failure failure);
  std::uint64_t confirmed() const;
  std::uint64_t add_request(proto::Request request, Replied done, std::shared_ptr<HeldLock> hold);
  void shut_down();

  ClientOptions options_;
  boost::asio::io_context io_{1};
  mutable std::mutex mutex_;
  Link link_;
  io::Alarm alarm_;
  std::thread thread_;
  std::thread::id thread_id_;

  Phase phase_ = Phase::away;
  bool is_closed_ = false;
  bool is_detached_ = false;
  bool is_attached_ = false;          // the session may hold what this client does not know
  std::uint32_t reminders_left_ = 0;  // that the server has yet to send
  std::vector<LostHold> lost_holds_;  // of which this client does not know who works on them
  std::uint64_t epoch_ = 0;           // the latest that was accepted
  std::string trouble_;               // why there is no connection
  std::size_t tries_left_ = 0;        // for who does not keep trying

  std::uint64_t session_ = 0;
  std::string nonce_;
  Micros greeted_at_ = 0;    // by the present server
  Micros opening_sent_ = 0;  // the first time
  std::uint64_t opening_request_ = 0;
  int opening_tries_ = 0;
  std::optional<service::LeaseClient> lease_;
  service::LeaseTerms terms_{};
  Micros loss_margin_;
  Micros doubt_since_ = 0;
  std::atomic<Micros> lease_end_;
  std::atomic<bool> is_lost_{false};
  std::atomic<Micros> age_{0};                   // of the last answer
  std::map<std::uint64_t, Micros> keep_alives_;  // when each that is unanswered was sent
  std::uint64_t next_keep_alive_ = 1;
  std::stop_source lost_;
  Failure why_lost_{Error::none, {}};
  std::vector<std::function<void(const Failure&)>> on_lost_;
  std::vector<std::function<void(bool)>> on_jeopardy_;
  std::function<void(Result<void>)> opened_;

  std::uint64_t next_request_ = 1;
  std::map<std::uint64_t, Pending> pending_;
  std::uint64_t next_number_ = 1;
  std::map<std::uint64_t, Reading> readings_;
  std::map<std::uint64_t, WatchRequest> watches_;
  std::set<std::shared_ptr<HeldLock>> holds_;
  std::set<std::shared_ptr<HeldLock>> stopping_;  // the server wants them back, and work may go on

  std::deque<std::function<void()>> calls_;
  bool gathers_ = false;  // writes of the callbacks go out together
};

}  // namespace baton::client
