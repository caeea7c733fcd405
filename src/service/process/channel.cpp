#include "service/process/channel.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <vector>

namespace baton::process {

namespace {

struct Header {
  Message::Kind kind;
  std::int64_t number;
  std::int64_t other;
};

}  // namespace

bool Channel::send(const Message& message) const {
  const Header header{message.kind, message.number, message.other};
  std::vector<char> bytes(sizeof header + message.text.size());
  std::memcpy(bytes.data(), &header, sizeof header);
  std::memcpy(bytes.data() + sizeof header, message.text.data(), message.text.size());
  const ssize_t sent =
      ::send(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  return sent == static_cast<ssize_t>(bytes.size());
}

std::optional<Message> Channel::receive() {
  char probe = 0;
  const ssize_t size =
      recv(socket_.get(), &probe, sizeof probe, MSG_DONTWAIT | MSG_PEEK | MSG_TRUNC);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return std::nullopt;
  if (size < static_cast<ssize_t>(sizeof(Header))) {
    over_ = true;
    return std::nullopt;
  }
  std::vector<char> bytes(static_cast<std::size_t>(size));
  if (recv(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT) != size) return std::nullopt;
  Header header;
  std::memcpy(&header, bytes.data(), sizeof header);
  return Message{header.kind, header.number, header.other,
                 std::string(bytes.begin() + sizeof header, bytes.end())};
}

std::pair<Channel, Channel> make_channel() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    throw std::system_error(errno, std::generic_category(), "socketpair");
  }
  return {Channel(io::Descriptor(ends[0])), Channel(io::Descriptor(ends[1]))};
}

}  // namespace baton::process
