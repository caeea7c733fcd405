// One listening socket.
//
// The file of a Unix socket stays when its server is killed, and the next server must remove it. To
// tell a dead server's file from a living one's, a server locks a second file, PATH.lock, for as
// long as it lives. Only the server that has the lock may remove the socket and bind it anew.
#pragma once

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <stdexcept>
#include <string>

#include "io/address.h"
#include "io/calls.h"
#include "io/descriptor.h"

namespace baton::io {

// The users who may connect to a Unix socket, besides its owner. There is no authentication: each
// of them may take and break locks.
struct SocketAccess {
  unsigned mode = 0700;
  std::string group;  // empty: that of the process
};

// The message names the address on which the server cannot listen, and why.
class ListenError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Listener {
 public:
  using Socket = boost::asio::generic::stream_protocol::socket;

  // Throws ListenError. Connections wait until they are accepted.
  Listener(boost::asio::io_context& io, const Address& address, const SocketAccess& access = {});
  // Takes over a socket that already listens.
  Listener(boost::asio::io_context& io, int descriptor);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // From now on gives every connection to `taken`, until it is closed.
  void accept(std::function<void(Socket)> taken);
  // The address, with the port that the system chose if the port was 0.
  const Address& address() const { return address_; }
  void close();

 private:
  void listen_on_path(const SocketAccess& access);
  void listen_on_port();
  void find_out_address();
  void accept_next();

  boost::asio::basic_socket_acceptor<boost::asio::generic::stream_protocol> acceptor_;
  boost::asio::steady_timer pause_;  // before the next attempt, when there are no descriptors
  Address address_;
  Descriptor lock_;  // of a Unix socket
  std::function<void(Socket)> taken_;
  Calls calls_;
};

}  // namespace baton::io
