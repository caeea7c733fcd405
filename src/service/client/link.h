// One connection at a time to one of several servers. It finds a server, and finds another when the
// connection breaks. It does not look into the messages.
//
// Everything but run() is called with the listener's mutex held.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "io/address.h"
#include "io/frames.h"

namespace baton::client {

using io::Address;

class Link {
 public:
  // The listener. All but settle() are called on the link's thread with the mutex held.
  class Listener {
   public:
    virtual ~Listener() = default;
    // Something happened after who knows how long: before anything else.
    virtual void woken() = 0;
    virtual void connected(const std::string& to) = 0;
    // False: the other side is not to be understood, and is hung up on.
    virtual bool received(std::string_view frame) = 0;
    virtual void disconnected(const std::string& why) = 0;
    // Without the mutex, after each of these.
    virtual void settle() = 0;
  };

  Link(boost::asio::io_context& io, std::mutex& mutex, Listener& listener,
       std::vector<Address> addresses);

  // Until it is stopped.
  boost::asio::awaitable<void> run();

  bool is_open() const { return is_open_; }
  // Moves the frames to what the next flush() sends. They are lost if there is no connection.
  void write(std::string& frames);
  // Hands over as much as the kernel takes now; the rest follows.
  void flush();
  // Hangs up: disconnected() follows on the link's thread.
  void drop(std::string why);
  // Hangs up on a server that is silent, and does not try it again for a while if there are others.
  void drop_silent();
  // Hangs up and does not look any further.
  void stop();
  // The other side is understood: there is no hurry any more, and the next search may be quick.
  void settled();
  // The next to be tried, since another server has named it.
  void prefer(Address address);
  // How long a server may take to be connected to and understood.
  void set_patience(std::chrono::microseconds patience) { patience_ = patience; }
  // Somebody else may know more than the one that is silent.
  bool has_several() const { return addresses_.size() > 1; }

 private:
  using Socket = boost::asio::generic::stream_protocol::socket;

  boost::asio::awaitable<bool> connect(const Address& address);
  boost::asio::awaitable<bool> connect_tcp(const Address& address);
  boost::asio::awaitable<void> converse();
  bool take_frames(std::string_view bytes);
  void start_timeout();
  void wait_until_writable();
  void close();
  Address next_address();
  void note_silence();
  bool is_silent(const Address& address) const;
  std::chrono::microseconds pause();

  boost::asio::io_context& io_;
  std::mutex& mutex_;
  Listener& listener_;
  std::vector<Address> addresses_;
  std::size_t next_ = 0;
  std::optional<Address> preferred_;
  std::string current_;
  std::map<std::string, std::chrono::steady_clock::time_point> silent_;  // since when, by address
  Socket socket_;
  boost::asio::steady_timer timeout_;
  std::chrono::microseconds patience_{std::chrono::seconds(2)};
  bool is_open_ = false;
  bool is_dropped_ = false;
  bool is_settled_ = false;
  bool is_stopped_ = false;
  bool waits_for_room_ = false;
  std::string why_;
  std::string out_;
  std::size_t sent_ = 0;  // of out_
  io::FrameCutter cutter_;
  int failures_ = 0;
  std::minstd_rand random_;
};

}  // namespace baton::client
