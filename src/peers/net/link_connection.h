// One connection between two members: reads frames, and writes those of its link.
//
// Until both ends have sent their Hello the connection belongs to no link, and accepts only a Hello
// or a refusal. If this end refuses the other, it sends the reason and reads on until the other
// closes: closing at once could discard the reason before the other end has read it.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "core/ids.h"
#include "io/frames.h"
#include "io/poller.h"
#include "io/tls.h"
#include "peers/net/link_frame.h"

namespace baton::net {

class Link;
class Links;

class LinkConnection final : private io::Poller::Watched,
                             public std::enable_shared_from_this<LinkConnection> {
 public:
  // Owns the socket from now on. `dialled` is nobody if the other end dialled.
  LinkConnection(Links& links, int socket, NodeId dialled);
  ~LinkConnection() override;

  void start();
  void greet(std::string_view hello);
  // Both ends have sent their Hello: the connection now belongs to this link.
  void join(Link& link);
  // Sends the reason, and ends.
  void refuse(std::string_view why);
  void close(const std::string& why);

  // Writes at the end of this turn of the loop.
  void write_soon();
  // Writes as much as the other end takes.
  void flush();

  NodeId dialled() const { return dialled_; }
  Link* link() const { return link_; }
  bool is_closed() const { return is_closed_; }
  bool is_leaving() const { return is_leaving_; }
  bool is_blocked() const { return is_blocked_; }
  bool is_about_to_write() const { return is_dirty_; }
  bool is_overdue(std::chrono::steady_clock::time_point now) const;
  // Ticks since something came.
  std::size_t count_silence() { return ++silent_ticks_; }
  // The other end's address, without its port.
  std::string address() const;

 private:
  void ready(bool can_read, bool can_write) override;
  void read();
  void take(std::string_view wire);
  bool begin(char first);
  void take_plain(std::string_view bytes);
  void take_frame(std::string_view frame);
  void leave();
  void watch();
  bool fill();
  void written();

  Links& links_;
  int socket_;
  NodeId dialled_;
  Link* link_ = nullptr;
  std::unique_ptr<io::TlsStream> tls_;
  io::FrameCutter cutter_;
  std::string greeting_;  // to be written
  std::string out_;       // being written
  std::size_t out_sent_ = 0;
  std::size_t silent_ticks_ = 0;
  std::chrono::steady_clock::time_point since_;  // it began, or was told to go
  bool has_begun_ = false;                       // something has come
  bool must_be_refusal_ = false;                 // TLS was expected, and is not used
  bool is_dirty_ = false;
  bool is_blocked_ = false;
  bool is_leaving_ = false;
  bool is_closed_ = false;
};

}  // namespace baton::net
