// A server of the client protocol that does as it is told: over a real Unix socket, with frames of
// its own making. It knows sessions by their nonces and answers each request once, so that it can
// tell a repetition; everything that is asked for it grants at once, unless a test says otherwise.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include "baton/client.pb.h"

namespace baton::test {

// A folder of its own that goes when it does.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

class FakeServer {
 public:
  enum class Cut {
    before,   // what was received is not carried out
    after,    // it is, but the answer is not sent
    half_way  // half of the answer is sent
  };
  friend void PrintTo(Cut cut, std::ostream* to) {
    *to << (cut == Cut::before ? "before" : cut == Cut::after ? "after" : "half_way");
  }
  // What a test may change. Returns whether it has dealt with the message.
  using Script = std::function<bool(FakeServer&, const proto::ClientMessage&)>;

  explicit FakeServer(const std::string& path);
  ~FakeServer();
  FakeServer(const FakeServer&) = delete;
  FakeServer& operator=(const FakeServer&) = delete;

  void set_script(Script script);
  // At the so manieth message of all, counted from 0, once.
  void cut_at(int message, Cut cut);
  void set_epoch(std::uint64_t epoch) { epoch_ = epoch; }
  void set_must_report(bool must) { must_report_ = must; }
  void set_silent(bool silent) { is_silent_ = silent; }

  // From a script: over the present connection.
  void send(const proto::ServerMessage& message);
  void send_bytes(const std::string& bytes);
  void hang_up();
  // The usual answer.
  void answer(const proto::ClientMessage& message);

  // All that was received, in order.
  std::vector<proto::ClientMessage> received() const;
  int connections() const { return connections_; }
  int message_count() const;
  bool has_cut() const { return has_cut_; }

 private:
  void run();
  void converse();
  void take(const proto::ClientMessage& message);
  void answer_request(const proto::Request& request);

  std::string path_;
  int listener_ = -1;
  int wake_[2] = {-1, -1};
  int connection_ = -1;
  std::atomic<bool> is_ending_{false};
  std::atomic<bool> is_silent_{false};
  std::atomic<bool> has_cut_{false};
  std::atomic<bool> must_report_{false};
  std::atomic<std::uint64_t> epoch_{1};
  std::atomic<int> connections_{0};
  mutable std::mutex mutex_;
  Script script_;
  int cut_message_ = -1;
  Cut cut_ = Cut::before;
  bool sends_half_ = false;
  bool sends_nothing_ = false;
  std::vector<proto::ClientMessage> received_;
  std::map<std::string, std::uint64_t> sessions_;  // by nonce
  std::map<std::uint64_t, proto::Reply> answers_;  // by request
  std::uint64_t next_fence_ = 100;
  std::thread thread_;
};

std::string frame_of(const proto::ServerMessage& message);

// Asks until it is so, or for ten seconds.
bool eventually(const std::function<bool()>& is_so);

}  // namespace baton::test
