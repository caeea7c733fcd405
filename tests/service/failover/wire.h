// Networks of the test's own: TCP connections on loopback that pass through a thread of the test,
// which can hold back what is sent, in one direction or both, delay it, break connections and
// refuse new ones.
//
// As with TCP over a network that is cut, nothing that was sent is ever left out in the middle:
// what is held back arrives when the cut is healed, unless the connection is broken before that.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <ostream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "io/reserved_port.h"

namespace baton::test {

// `up` is from who connects to who is connected to.
enum class Way : std::uint8_t { up, down, both };
inline void PrintTo(Way way, std::ostream* to) {
  *to << (way == Way::up ? "up" : way == Way::down ? "down" : "both");
}
// Whose connections: known by what is said first over them.
enum class Whose : std::uint8_t { all, clients, servers };

class Network;

// All who connect to port() come to the target instead.
class Wire {
 public:
  Wire(Network& network, std::uint16_t target);

  std::uint16_t port() const { return port_.number(); }

  void cut(Way way = Way::both, Whose whose = Whose::all);
  // Works as it should, again.
  void heal();
  // Everything takes that long, and of a hundred pieces so many that much longer.
  void slow(std::chrono::milliseconds delay, int stalls = 0,
            std::chrono::milliseconds stall = std::chrono::milliseconds(0));
  // Breaks the connections that there are.
  void reset(Whose whose = Whose::all);
  // New ones are refused, as if nobody listened.
  void refuse();
  // New ones are accepted and broken at once.
  void hang_up();
  std::size_t accepted() const;  // so far
  // Breaks the connection that so many pieces (as they are read, so mostly messages) from now have
  // come over in this direction, before the last of them is passed on.
  void reset_at(Way way, std::size_t piece);
  bool has_reset() const;

 private:
  friend class Network;
  using Clock = std::chrono::steady_clock;

  struct Piece {
    Clock::time_point due;
    std::string bytes;
  };
  // One direction of a connection.
  struct Flow {
    std::list<Piece> pieces;
    std::size_t bytes = 0;
    bool has_ended = false;  // nothing more comes
    bool is_ended = false;   // ... and that was passed on
  };
  struct Connection {
    int near = -1;  // who has connected
    int far = -1;
    Flow up;
    Flow down;
    Whose whose = Whose::all;  // all: not known yet
    bool is_broken = false;
  };

  void listen(bool is_listening);
  bool is_cut(const Connection& connection, bool is_up) const;
  void accept();
  void receive(Connection& connection, bool is_up);
  void pass_on(Connection& connection, bool is_up, Clock::time_point now);
  static void close(Connection& connection);

  Network& network_;
  std::uint16_t target_;
  io::ReservedPort port_;
  int listener_;
  bool is_listening_ = false;
  bool cuts_up_ = false;
  bool cuts_down_ = false;
  Whose cuts_whose_ = Whose::all;
  bool hangs_up_ = false;
  std::size_t accepted_ = 0;
  std::chrono::milliseconds delay_{0};
  int stalls_ = 0;
  std::chrono::milliseconds stall_{0};
  Way reset_way_ = Way::both;
  std::size_t pieces_until_reset_ = 0;  // 0: none
  bool has_reset_ = false;
  std::list<Connection> connections_;
};

// The wires, and the thread that carries what is sent over them.
class Network {
 public:
  explicit Network(std::uint64_t seed = 1);
  ~Network();
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  Wire& add(std::uint16_t target);

 private:
  friend class Wire;
  void run();
  void change(const std::function<void()>& what);  // on behalf of a wire, from any thread
  void serve(Wire& wire, Wire::Clock::time_point now);

  mutable std::mutex mutex_;
  std::list<Wire> wires_;
  std::minstd_rand random_;
  int wake_[2] = {-1, -1};
  bool is_over_ = false;
  std::thread thread_;
};

}  // namespace baton::test
