// Says which of many descriptors can be read or written.
//
// A descriptor is registered once and stays registered; Asio would need a system call for each
// wait. Asio waits only for the poller's own descriptor, once for all descriptors that are ready.
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
    // The callee may stop being watched, and may be destroyed, during this call.
    virtual void ready(bool can_read, bool can_write) = 0;

   private:
    friend class Poller;
    std::uint32_t events_ = 0;
  };

  explicit Poller(boost::asio::io_context& io);

  // Watches the descriptor until the next call changes that; with neither of the two, not at all.
  // False if the system cannot watch another descriptor.
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
