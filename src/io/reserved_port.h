// A port of loopback for a server that is started later, or again and again.
//
// A socket that is bound and never listens keeps the port. While it lives, the system gives the
// port neither to a program that asks for any free port nor to an outgoing connection. A server
// that gets the number can bind the port too, because both sockets have SO_REUSEADDR and only the
// server's listens. While no server listens, connections are refused.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdint>
#include <system_error>

#include "io/descriptor.h"

namespace baton::io {

class ReservedPort {
 public:
  // Throws std::system_error.
  ReservedPort() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const int yes = 1;
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof address;
    const int socket = socket_.get();
    if (!socket_ || ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
        ::bind(socket, generic, size) != 0 || ::getsockname(socket, generic, &size) != 0) {
      throw std::system_error(errno, std::generic_category(), "no port of loopback is free");
    }
    number_ = ntohs(address.sin_port);
  }

  std::uint16_t number() const { return number_; }

 private:
  Descriptor socket_;
  std::uint16_t number_ = 0;
};

}  // namespace baton::io
