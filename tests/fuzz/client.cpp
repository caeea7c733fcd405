// What a server says, into a real client over a real socket: frames of any bytes, and answers that
// are well formed but make no sense. The client ignores them, or hangs up and asks again; it never
// falls over, and every call comes to an end.
//
// An input is a list of pieces, each sent as a frame when the client has said something after it
// was let in; a piece that begins with 0xFF is sent without a frame around it.
#include <google/protobuf/stubs/logging.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <deque>
#include <mutex>
#include <thread>

#include "baton/client.h"
#include "baton/client.pb.h"
#include "fuzz/fuzz.h"
#include "service/state/versions.h"

namespace baton::fuzz {

namespace {

using namespace std::chrono_literals;

// Every input that is not UTF-8 would be a line.
[[maybe_unused]] const auto told_before = google::protobuf::SetLogHandler(nullptr);

std::string framed(std::string_view bytes) {
  std::string frame;
  for (int shift = 24; shift >= 0; shift -= 8) {
    frame.push_back(static_cast<char>(bytes.size() >> shift & 0xFF));
  }
  return frame.append(bytes);
}

// Lets a client in, and then says what it is told to say. It lives as long as the program.
class Liar {
 public:
  explicit Liar(const std::string& path) {
    listener_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    demand(bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
               listen(listener_, 64) == 0,
           "there is a socket to listen on");
    std::thread([this] { run(); }).detach();
  }

  void say(std::deque<std::string> pieces) {
    const std::lock_guard lock(mutex_);
    pieces_ = std::move(pieces);
  }

 private:
  void run() {
    while (true) {
      connection_ = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      in_.clear();
      while (receive()) continue;
      close(connection_);
    }
  }

  bool receive() {
    char part[4096];
    const ssize_t count = recv(connection_, part, sizeof part, 0);
    if (count <= 0) return false;
    in_.append(part, static_cast<std::size_t>(count));
    while (in_.size() >= 4) {
      std::size_t length = 0;
      for (std::size_t i = 0; i < 4; ++i) length = length << 8 | static_cast<unsigned char>(in_[i]);
      if (in_.size() < 4 + length) return true;
      proto::ClientMessage message;
      demand(message.ParseFromString(in_.substr(4, length)), "a client speaks the protocol");
      in_.erase(0, 4 + length);
      if (!answer(message)) return false;
    }
    return true;
  }

  bool answer(const proto::ClientMessage& message) {
    proto::ServerMessage reply;
    if (message.has_hello()) {
      reply.mutable_welcome()->set_protocol(service::protocol_version);
      reply.mutable_welcome()->set_epoch(5);
      send(framed(reply.SerializeAsString()));
      return true;
    }
    if (message.has_request() && message.request().has_open_session()) {
      reply.mutable_reply()->set_request(message.request().request());
      reply.mutable_reply()->mutable_opened()->set_session(1);
      reply.mutable_reply()->mutable_opened()->set_ttl(10'000'000);
      send(framed(reply.SerializeAsString()));
      return true;
    }
    return lie();
  }

  // All at once; then the truth, that the session is over.
  bool lie() {
    const std::lock_guard lock(mutex_);
    for (const std::string& piece : pieces_) {
      send(piece.starts_with('\xFF') ? piece : framed(piece));
    }
    pieces_.clear();
    proto::ServerMessage over;
    over.mutable_session_over()->set_session(1);
    send(framed(over.SerializeAsString()));
    over.mutable_goodbye()->set_error(static_cast<std::uint32_t>(Error::session_lost));
    send(framed(over.SerializeAsString()));
    return true;
  }

  void send(const std::string& bytes) {
    (void)!::send(connection_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }

  int listener_ = -1;
  int connection_ = -1;
  std::string in_;
  std::mutex mutex_;
  std::deque<std::string> pieces_;
};

struct Stage {
  Scratch scratch;
  Liar& liar = *new Liar(scratch.file("socket"));
};

void use(Client& client) {
  std::atomic<int> calls{0};
  client.on_lost([](const Failure&) {});
  client.on_jeopardy([](bool) {});
  client.async_get("key", [&](const auto&) { ++calls; });
  client.async_locks({}, [&](const auto&) { ++calls; });
  client.async_status([&](const auto&) { ++calls; });
  auto watch = client.watch("", [](const FileChange&) {});
  auto lock = client.lock_until("a", std::chrono::steady_clock::now() + 50ms);
  if (lock) (void)lock->fence();
  client.close().ok();
  const auto deadline = std::chrono::steady_clock::now() + 20s;
  while (calls < 3) {
    demand(std::chrono::steady_clock::now() < deadline, "every call comes to an end");
    std::this_thread::sleep_for(100us);
  }
}

}  // namespace

std::vector<std::string> seeds() {
  std::vector<std::string> all;
  std::string together;
  const auto add = [&](const proto::ServerMessage& message) {
    const std::string piece = as_piece(message.SerializeAsString());
    all.push_back(piece);
    together += piece;
  };
  for (std::uint64_t request = 1; request < 5; ++request) {
    proto::ServerMessage message;
    message.mutable_reply()->set_request(request);
    message.mutable_reply()->mutable_granted()->set_fence(7);
    add(message);
    message.mutable_queued()->set_request(request);
    message.mutable_queued()->set_ticket(9);
    add(message);
    message.mutable_answer()->set_number(request);
    message.mutable_answer()->add_files()->set_key("key");
    message.mutable_answer()->add_locks()->add_holders()->set_session(1);
    add(message);
    message.mutable_changes()->set_number(request);
    message.mutable_changes()->add_changes()->set_key("key");
    add(message);
  }
  proto::ServerMessage message;
  message.mutable_alive()->set_number(1);
  add(message);
  message.mutable_resumed()->set_session(1);
  message.mutable_resumed()->set_must_report(true);
  add(message);
  message.mutable_hold_over()->set_name("a");
  message.mutable_hold_over()->set_fence(7);
  add(message);
  message.mutable_welcome()->set_protocol(service::protocol_version);
  message.mutable_welcome()->set_epoch(3);
  add(message);
  all.push_back(as_piece("\xFF\xFF\xFF\xFF too long"));
  all.push_back(together);
  return all;
}

}  // namespace baton::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace baton;
  static const fuzz::Stage& stage = *new fuzz::Stage;
  fuzz::Input input(data, size);
  std::deque<std::string> pieces;
  while (!input.is_over()) pieces.emplace_back(input.piece());
  stage.liar.say(std::move(pieces));
  ClientOptions options;
  options.url = "unix:" + stage.scratch.file("socket");
  options.patience = std::chrono::seconds(5);
  auto client = Client::connect(options);
  if (client) fuzz::use(*client);
  return 0;
}
