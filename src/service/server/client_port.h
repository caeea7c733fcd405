// A client that speaks the client protocol, such as a connection. The frontend
// (service/server/session_frontend.h) keeps the state of the conversation here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "baton/client.pb.h"
#include "baton/error.h"
#include "service/state/command.h"

namespace baton::server {

class ClientPort {
 public:
  ClientPort() = default;
  ClientPort(const ClientPort&) = delete;
  ClientPort& operator=(const ClientPort&) = delete;
  virtual ~ClientPort() = default;

  virtual void send(const proto::ServerMessage& message) = 0;
  // The client has asked for an answer of so many bytes: until it has read them, the server does
  // not take it for too slow.
  virtual void make_room(std::size_t /*bytes*/) {}
  // Sends Goodbye with the reason. After that the connection receives and sends nothing.
  virtual void hang_up(Error error, const std::string& message) = 0;

  bool has_greeted() const { return has_greeted_; }
  service::SessionId session() const { return session_; }

 private:
  friend class SessionFrontend;
  friend class Watches;

  // Given by the frontend: clients come and go, and memory is used again.
  std::uint64_t number_ = 0;
  bool has_greeted_ = false;
  service::SessionId session_;
  bool is_session_over_ = false;
  std::size_t watches_ = 0;
};

}  // namespace baton::server
