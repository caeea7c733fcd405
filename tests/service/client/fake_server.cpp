#include "service/client/fake_server.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <stdexcept>

namespace baton::test {

Folder::Folder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "baton-client-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp");
  path_ = pattern;
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

bool eventually(const std::function<bool()>& is_so) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!is_so()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

std::string frame_of(const proto::ServerMessage& message) {
  const std::string body = message.SerializeAsString();
  std::string frame;
  for (int shift = 24; shift >= 0; shift -= 8)
    frame.push_back(static_cast<char>(body.size() >> shift & 0xFF));
  return frame + body;
}

FakeServer::FakeServer(const std::string& path) : path_(path) {
  listener_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  unlink(path.c_str());
  if (bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      listen(listener_, 8) != 0 || pipe(wake_) != 0)
    throw std::runtime_error("cannot listen on " + path);
  thread_ = std::thread([this] { run(); });
}

FakeServer::~FakeServer() {
  is_ending_ = true;
  (void)!write(wake_[1], "x", 1);
  thread_.join();
  for (const int descriptor : {listener_, wake_[0], wake_[1]}) close(descriptor);
  unlink(path_.c_str());
}

void FakeServer::set_script(Script script) {
  const std::lock_guard lock(mutex_);
  script_ = std::move(script);
}

void FakeServer::cut_at(int message, Cut cut) {
  const std::lock_guard lock(mutex_);
  cut_message_ = message;
  cut_ = cut;
}

std::vector<proto::ClientMessage> FakeServer::received() const {
  const std::lock_guard lock(mutex_);
  return received_;
}

int FakeServer::message_count() const {
  const std::lock_guard lock(mutex_);
  return static_cast<int>(received_.size());
}

void FakeServer::run() {
  while (!is_ending_) {
    pollfd waits[2] = {{listener_, POLLIN, 0}, {wake_[0], POLLIN, 0}};
    poll(waits, 2, -1);
    if ((waits[0].revents & POLLIN) == 0) continue;
    connection_ = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    ++connections_;
    converse();
    close(connection_);
    connection_ = -1;
  }
}

void FakeServer::converse() {
  std::string bytes;
  while (!is_ending_) {
    pollfd waits[2] = {{connection_, POLLIN, 0}, {wake_[0], POLLIN, 0}};
    poll(waits, 2, -1);
    if (waits[0].revents == 0) continue;
    char part[4096];
    const ssize_t count = read(connection_, part, sizeof part);
    if (count <= 0) return;
    bytes.append(part, static_cast<std::size_t>(count));
    while (bytes.size() >= 4) {
      std::size_t length = 0;
      for (std::size_t i = 0; i < 4; ++i)
        length = length << 8 | static_cast<unsigned char>(bytes[i]);
      if (bytes.size() < 4 + length) break;
      proto::ClientMessage message;
      if (!message.ParseFromArray(bytes.data() + 4, static_cast<int>(length))) return;
      bytes.erase(0, 4 + length);
      take(message);
    }
  }
}

void FakeServer::take(const proto::ClientMessage& message) {
  Script script;
  bool cuts = false;
  {
    const std::lock_guard lock(mutex_);
    cuts = static_cast<int>(received_.size()) == cut_message_;
    received_.push_back(message);
    script = script_;
  }
  if (is_silent_) return;
  if (cuts && cut_ != Cut::before) {
    (cut_ == Cut::after ? sends_nothing_ : sends_half_) = true;
    answer(message);
    sends_nothing_ = sends_half_ = false;
  }
  if (cuts) {
    has_cut_ = true;
    return hang_up();
  }
  if (!script || !script(*this, message)) answer(message);
}

void FakeServer::send(const proto::ServerMessage& message) { send_bytes(frame_of(message)); }

void FakeServer::send_bytes(const std::string& bytes) {
  const std::size_t size = sends_nothing_ ? 0 : sends_half_ ? bytes.size() / 2 : bytes.size();
  (void)!::send(connection_, bytes.data(), size, MSG_NOSIGNAL);
}

void FakeServer::hang_up() { shutdown(connection_, SHUT_RDWR); }

void FakeServer::answer(const proto::ClientMessage& message) {
  proto::ServerMessage reply;
  if (message.has_hello()) {
    reply.mutable_welcome()->set_protocol(1);
    reply.mutable_welcome()->set_epoch(epoch_);
  } else if (message.has_keep_alive()) {
    reply.mutable_alive()->set_number(message.keep_alive().number());
    reply.mutable_alive()->set_epoch(epoch_);
  } else if (message.has_resume()) {
    const auto found = sessions_.find(message.resume().nonce());
    reply.mutable_resumed()->set_session(message.resume().session());
    reply.mutable_resumed()->set_must_report(must_report_.exchange(false));
    reply.mutable_resumed()->set_ttl(10'000'000);
    if (found == sessions_.end() || found->second != message.resume().session())
      reply.mutable_resumed()->set_error(10);
  } else if (message.has_read()) {
    reply.mutable_answer()->set_number(message.read().number());
    reply.mutable_answer()->set_revision(7);
  } else if (message.has_request()) {
    return answer_request(message.request());
  } else {
    return;
  }
  send(reply);
}

void FakeServer::answer_request(const proto::Request& request) {
  proto::ServerMessage message;
  proto::Reply& reply = *message.mutable_reply();
  if (request.has_open_session()) {
    const auto [found, is_new] =
        sessions_.emplace(request.open_session().nonce(), sessions_.size() + 1);
    reply.set_request(request.request());
    reply.mutable_opened()->set_session(found->second);
    reply.mutable_opened()->set_ttl(request.open_session().ttl());
    return send(message);
  }
  const auto [kept, is_new] = answers_.emplace(request.request(), proto::Reply());
  if (is_new) {
    kept->second.set_request(request.request());
    if (request.has_acquire() || request.has_upgrade())
      kept->second.mutable_granted()->set_fence(next_fence_++);
  }
  reply = kept->second;
  send(message);
}

}  // namespace baton::test
