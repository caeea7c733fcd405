#include "io/listener.h"

#include <fcntl.h>
#include <grp.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

namespace baton::io {

namespace {

namespace asio = boost::asio;
using Generic = asio::generic::stream_protocol;

constexpr std::chrono::milliseconds pause_without_descriptors{100};

std::string words(int error) { return std::strerror(error); }

// Used for all protocols: the client protocol, HTTP, and the one between members of a group.
[[noreturn]] void cannot(const Address& address, const std::string& why) {
  const std::string where = address.is_unix() ? address.url() : address.host_and_port();
  throw ListenError("cannot listen on " + where + ": " + why);
}

std::string explain(const boost::system::error_code& error) {
  if (error == asio::error::address_in_use) {
    return "the port is in use; choose another, or stop the program that has it";
  }
  if (error == asio::error::access_denied) return "not allowed; ports below 1024 belong to root";
  if (error == boost::system::errc::address_not_available) {
    return "this machine has no such address";
  }
  return error.message();
}

// An error message, or nothing.
std::string allow(const std::string& path, const SocketAccess& access) {
  if (!access.group.empty()) {
    const group* entry = ::getgrnam(access.group.c_str());
    if (entry == nullptr) return "there is no group '" + access.group + "'";
    if (::chown(path.c_str(), static_cast<uid_t>(-1), entry->gr_gid) != 0) {
      return "it cannot be given to the group '" + access.group + "': " + words(errno);
    }
  }
  if (::chmod(path.c_str(), static_cast<mode_t>(access.mode)) == 0) return {};
  return words(errno);
}

}  // namespace

Listener::Listener(asio::io_context& io, const Address& address, const SocketAccess& access)
    : acceptor_(io), pause_(io), address_(address) {
  if (address.is_unix()) {
    listen_on_path(access);
  } else {
    listen_on_port();
  }
  acceptor_.non_blocking(true);
}

Listener::Listener(asio::io_context& io, int descriptor) : acceptor_(io), pause_(io) {
  sockaddr_storage name{};
  socklen_t length = sizeof name;
  if (::getsockname(descriptor, reinterpret_cast<sockaddr*>(&name), &length) != 0) {
    throw ListenError("descriptor " + std::to_string(descriptor) +
                      " is not a socket to listen on: " + words(errno));
  }
  acceptor_.assign(Generic(name.ss_family, 0), descriptor);
  acceptor_.non_blocking(true);
  if (name.ss_family == AF_UNIX) {
    asio::local::stream_protocol::endpoint endpoint;
    std::memcpy(endpoint.data(), &name, length);
    endpoint.resize(length);
    address_.path = endpoint.path();
  } else {
    find_out_address();
  }
}

Listener::~Listener() { close(); }

void Listener::close() {
  if (!acceptor_.is_open()) return;
  calls_.drop();
  boost::system::error_code ignored;
  acceptor_.close(ignored);
  pause_.cancel();
  if (!lock_) return;
  ::unlink(address_.path.c_str());
  lock_.close();
}

void Listener::listen_on_path(const SocketAccess& access) {
  const std::string& path = address_.path;
  Descriptor lock(::open((path + ".lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600));
  if (!lock) cannot(address_, path + ".lock cannot be opened: " + words(errno));
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    cannot(address_, "another server listens there");
  }
  struct stat there {};
  if (::lstat(path.c_str(), &there) == 0 && !S_ISSOCK(there.st_mode)) {
    cannot(address_, path + " is there, and is not a socket");
  }
  ::unlink(path.c_str());
  boost::system::error_code error;
  acceptor_.open(Generic(AF_UNIX, 0), error);
  // Only this user may connect until the access rights are set; nobody can connect before listen().
  const mode_t before = ::umask(0077);
  if (!error)
    acceptor_.bind(Generic::endpoint(asio::local::stream_protocol::endpoint(path)), error);
  ::umask(before);
  std::string problem = error.message();
  if (!error) {
    problem = allow(path, access);
    acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (problem.empty() && !error) {
      lock_ = std::move(lock);
      return;
    }
    ::unlink(path.c_str());
  }
  cannot(address_, problem.empty() ? error.message() : problem);
}

void Listener::listen_on_port() {
  boost::system::error_code error;
  asio::ip::tcp::resolver resolver(acceptor_.get_executor());
  const auto found = resolver.resolve(address_.host, std::to_string(address_.port),
                                      asio::ip::tcp::resolver::passive, error);
  if (error || found.empty()) cannot(address_, "there is no host '" + address_.host + "'");
  const asio::ip::tcp::endpoint endpoint = found.begin()->endpoint();
  acceptor_.open(Generic(endpoint.protocol()), error);
  if (!error) acceptor_.set_option(asio::socket_base::reuse_address(true), error);
  if (!error) acceptor_.bind(Generic::endpoint(endpoint), error);
  if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
  if (error) cannot(address_, explain(error));
  find_out_address();
}

void Listener::find_out_address() {
  const Generic::endpoint local = acceptor_.local_endpoint();
  asio::ip::tcp::endpoint endpoint;
  std::memcpy(endpoint.data(), local.data(), local.size());
  endpoint.resize(local.size());
  address_.host = endpoint.address().to_string();
  address_.port = endpoint.port();
}

void Listener::accept(std::function<void(Socket)> taken) {
  taken_ = std::move(taken);
  accept_next();
}

void Listener::accept_next() {
  acceptor_.async_accept(calls_.wrap([this](const boost::system::error_code& error, Socket socket) {
    if (error == asio::error::operation_aborted) return;
    if (!error) {
      taken_(std::move(socket));
      // It may have been closed meanwhile.
      if (acceptor_.is_open()) accept_next();
      return;
    }
    // Most likely no descriptors are left. Wait until another connection has closed.
    pause_.expires_after(pause_without_descriptors);
    pause_.async_wait(calls_.wrap([this](const boost::system::error_code& cancelled) {
      if (!cancelled) accept_next();
    }));
  }));
}

}  // namespace baton::io
