// The inside of a Client: the host of its parts. It owns the thread, the lock and the link.
//
//   application ─┐         ┌ Session         opening, resuming, the lease, loss, epochs ┐
//   link        ─┼─ turn ─▶│ Requests        numbers, confirmation, repetition          ├▶ Outbox
//   alarm       ─┘         │ Reads, Watches  answers in parts, changes in order         │
//                          └ Holds           granted, lost, reminded, acknowledged      ┘
//
// The parts are values. They do not know each other, except that Requests asks Holds what a report
// says. A turn takes the lock, looks at the clock before anything else is done or believed, lets
// the parts decide, and carries out what they left in the outbox. Callbacks run on the core's own
// thread without the lock; the requests that they make go out together when they have returned.
//
// Why the parts do not lock and call each other: docs/decisions/0011-client.md.
#pragma once

#include <boost/asio/io_context.hpp>
#include <limits>
#include <mutex>
#include <thread>

#include "io/alarm.h"
#include "io/clock.h"
#include "service/client/holds.h"
#include "service/client/link.h"
#include "service/client/requests.h"
#include "service/client/session.h"
#include "service/client/watches.h"

namespace baton::client {

using detail::HeldLock;
using io::boottime_us;

class Core final : public std::enable_shared_from_this<Core>, private Link::Listener {
 public:
  // Connects, and opens the session or resumes that of the ticket.
  static Result<std::shared_ptr<Core>> start(ClientOptions options,
                                             const SessionTicket* ticket = nullptr);
  Core(ClientOptions options, std::vector<Address> addresses, const SessionTicket* ticket);
  ~Core() override = default;
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  // --- Requests. Whoever asks is called back on the core's thread; once that has ended, at once.
  std::uint64_t request(proto::Request request, Replied done, std::shared_ptr<HeldLock> hold = {});
  // All parts of the answer, as one.
  void read(proto::Read read, Answered done);
  std::uint64_t watch(WatchRequest request);
  void unwatch(std::uint64_t number);

  // --- Holds.
  void acquire(proto::Acquire asked, std::stop_token give_up,
               std::function<void(Result<std::shared_ptr<HeldLock>>)> done);
  void release(const std::shared_ptr<HeldLock>& hold, Replied done);
  void change_mode(const std::shared_ptr<HeldLock>& hold, proto::Request request, Replied done);
  std::vector<LostHold> lost_holds() const;

  // --- The session.
  // Looks at the clock: false from the moment on at which the lease is over.
  bool is_alive();
  Micros lease_left();
  // What a function of the session says at this moment.
  template <class Value>
  Value of_session(Value (Session::*what)() const) const {
    const std::lock_guard lock(mutex_);
    return (session_.*what)();
  }
  Micros age() const;
  Result<void> close();
  Result<SessionTicket> detach();

  // --- A hold or the session.
  Claim& claim() const { return *session_.claim(); }
  void add_on_lost(Claim& claim, std::function<void(const Failure&)> callback);
  void add_on_jeopardy(Claim& claim, std::function<void(bool)> callback);
  Failure why_lost(const Claim& claim) const;

  bool is_own_thread() const { return std::this_thread::get_id() == thread_id_; }
  boost::asio::io_context& context() { return io_; }

 private:
  // A call from outside, for as long as it has the lock.
  class Turn {
    Core& core_;
    std::unique_lock<std::mutex> lock_;

   public:
    explicit Turn(Core& core);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

    const Micros now;
  };

  // Link::Listener.
  void woken() override;
  void connected(const std::string& to) override;
  bool received(std::string_view frame) override;
  void disconnected(const std::string& why) override;
  void settle() override;

  // --- With the lock.
  void hear(proto::ServerMessage& message, Micros now);
  void hear(const proto::Welcome& welcome, Micros now);
  void hear(proto::Reply& reply, Micros now);
  void hear(const proto::Goodbye& goodbye);
  void look_at_clock(Micros now);
  void tick(Micros now);
  void fail_overdue(Micros now);
  void set_alarm(Micros now);
  // Does what the session's decision means for the other parts.
  void follow(Session::Event event, Micros now);
  void enter(Micros now);
  void lose();
  std::uint64_t ask(proto::Request request, Micros now, Replied done = {},
                    std::shared_ptr<HeldLock> hold = {});
  // Sends it if the server hears requests now; if not, enter() will.
  void say(const proto::ClientMessage& message);
  // Hands the outbox to the link, which keeps what is written until flush().
  void carry_out();
  // Carries out, flushes, and has the callbacks made.
  void finish();

  // --- Without it.
  void run();
  // The loop of the client's thread.
  void work();
  // Ends the session for this client, and the thread. A caller who wants a ticket gets one, or
  // the reason why there is none, and then nothing ends.
  Failure end(SessionTicket* ticket);
  void cancel(std::uint64_t request);

  boost::asio::io_context io_{1};
  mutable std::mutex mutex_;
  Link link_;
  io::Alarm alarm_;
  std::thread thread_;
  std::thread::id thread_id_;

  Session session_;
  Requests requests_;
  Reads reads_;
  Watches watches_;
  Holds holds_;
  Outbox out_;
  // As of the last turn, for those who look without the lock. Nobody hears of what a turn brought
  // about before this is true: all callbacks, the opening's too, wait in the outbox.
  std::atomic<Micros> lease_end_{std::numeric_limits<Micros>::max()};

  std::function<void(Result<void>)> opened_;  // who waits for the first connection
  std::size_t tries_left_ = 0;                // for who does not keep trying
  std::string trouble_;                       // why there is no connection
  bool is_closed_ = false;
  bool gathers_ = false;    // callbacks run, and what they write goes out together
  bool has_ended_ = false;  // the thread: whoever leaves a callback in the outbox runs it
};

}  // namespace baton::client
