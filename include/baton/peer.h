// A member of a group of peers inside this process: locks and elections without a server.
//
//   auto peer = baton::Peer::start({.group = "tellers.group", .self = "1",
//                                   .directory = "/var/lib/tellers"}).value();
//   auto client = baton::Client::connect({.url = peer.url()}).value();
#pragma once

#include <memory>
#include <string>

#include "baton/export.h"
#include "baton/result.h"

namespace baton {
inline namespace v1 {

struct PeerOptions {
  std::string group{};      // the file that all members share
  std::string self{};       // the member that this process is
  std::string algorithm{};  // empty: the algorithm that the file names
  std::string election{};   // empty: the election that the file names
  // The directory in which the member keeps its promises and its socket.
  std::string directory{};
};

class BATON_EXPORT Peer {
 public:
  // Runs the member on a thread of its own. It grants nothing until a majority of the group is
  // there.
  static Result<Peer> start(PeerOptions options);

  Peer(Peer&&) noexcept;
  Peer& operator=(Peer&&) noexcept;
  // Leaves the group. If a client still holds something, the other members wait for its lease.
  ~Peer();

  // The address for clients of this process and of others on this machine.
  std::string url() const;
  // True if a majority is there and agrees on the members of the group.
  bool is_working() const;

  Result<void> stop();

 private:
  struct Running;
  explicit Peer(std::unique_ptr<Running> running);
  std::unique_ptr<Running> running_;
};

}  // namespace v1
}  // namespace baton
