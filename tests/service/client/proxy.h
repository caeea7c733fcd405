// Stands between a client and a server, and cuts the connection at a byte of the test's choice.
#pragma once

#include <atomic>
#include <mutex>
#include <ostream>
#include <string>
#include <thread>

namespace baton::test {

class Proxy {
 public:
  enum class Direction { to_server, to_client };
  friend void PrintTo(Direction direction, std::ostream* to) {
    *to << (direction == Direction::to_server ? "to the server" : "to the client");
  }

  // Listens on the one path and connects to the other, for one client at a time.
  Proxy(const std::string& path, const std::string& server);
  ~Proxy();
  Proxy(const Proxy&) = delete;
  Proxy& operator=(const Proxy&) = delete;

  // Both connections end when so many more bytes have gone in that direction, once. What was still
  // to come is never delivered.
  void cut_after(Direction direction, std::size_t bytes);
  bool has_cut() const { return has_cut_; }
  // That have gone in that direction.
  std::size_t passed(Direction direction) const { return passed_[static_cast<int>(direction)]; }

 private:
  void run();
  void carry(int client, int server);
  bool pass(int from, int to, Direction direction);

  std::string path_;
  std::string server_;
  int listener_ = -1;
  int wake_[2] = {-1, -1};
  std::atomic<bool> is_ending_{false};
  std::atomic<bool> has_cut_{false};
  std::atomic<std::size_t> passed_[2] = {0, 0};
  std::mutex mutex_;
  bool is_to_cut_ = false;
  Direction cut_direction_{};
  std::size_t left_ = 0;
  std::thread thread_;
};

}  // namespace baton::test
