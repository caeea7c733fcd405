// A member of a group of peers inside this process: locks and elections without a server.
//
//   auto peer =
//       baton::Peer::start({.group = "tellers.group", .self = "1", .directory =
//       "/var/lib/tellers"}).value();
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
  std::string self{};       // which of them this is
  std::string algorithm{};  // empty: as the file has it
  std::string election{};   // likewise
  // Where its promises are kept, and its socket is.
  std::string directory{};
};

class BATON_EXPORT Peer {
 public:
  // On a thread of its own. Grants nothing until a majority of the group is there.
  static Result<Peer> start(PeerOptions options);

  Peer(Peer&&) noexcept;
  Peer& operator=(Peer&&) noexcept;
  // Leaves the group; if a client holds something, the others wait for its lease.
  ~Peer();

  // For clients of this process and of others on this machine.
  std::string url() const;
  // A majority is there, and agrees on who belongs to the group.
  bool is_working() const;

  Result<void> stop();

 private:
  struct Running;
  explicit Peer(std::unique_ptr<Running> running);
  std::unique_ptr<Running> running_;
};

}  // namespace v1
}  // namespace baton
