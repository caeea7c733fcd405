// Says which of many descriptors can be read or written.
//
// Each is registered once, and stays so: a wait of Asio's has to be asked for anew every time, by a
// system call. The poller's own descriptor is what Asio waits for, once for all that are ready.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

#include "io/busy_poll.h"
#include "io/calls.h"

struct epoll_event;

namespace baton::io {

class Poller {
 public:
  class Watched {
   public:
    virtual ~Watched() = default;
    // May stop being watched, and go, meanwhile.
    virtual void ready(bool can_read, bool can_write) = 0;

   private:
    friend class Poller;
    std::uint32_t events_ = 0;
  };

  explicit Poller(boost::asio::io_context& io);

  // Until the next call says otherwise; neither of the two: not at all. False if the system has no
  // room for it.
  bool watch(int descriptor, Watched& watched, bool reads, bool writes);
  void start();
  // Is called when all that were ready have been told.
  void on_served(std::function<void()> what) { on_served_ = std::move(what); }
  bool is_serving() const { return ready_count_ > 0; }
  BusyPoll& busy_poll() { return busy_poll_; }

 private:
  void wait();
  void serve();

  boost::asio::posix::stream_descriptor epoll_;
  epoll_event* ready_ = nullptr;  // while they are served
  std::size_t ready_count_ = 0;
  std::function<void()> on_served_;
  BusyPoll busy_poll_;
  Calls calls_;
};

}  // namespace baton::io
