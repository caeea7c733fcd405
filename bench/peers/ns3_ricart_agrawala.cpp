// Ricart–Agrawala on the event core of ns-3, to compare Baton's simulator with.
//
//   ns3_ricart_agrawala ENTRIES [constant|exponential] [SCHEDULER]
//
// Ten processes, each of which asks again as soon as it leaves; a message takes 1 (or an
// exponential time of mean 1), the critical section lasts 1. After ENTRIES requests nobody asks
// any more and the run ends once all have been served, so the number of deliveries is known
// exactly. Prints one JSON line. Seconds are processor time, as in Google Benchmark's rates, so
// that what else the machine is doing counts as little as possible.
//
// It is meant to be as fast as ns-3 allows: no network stack, no logging, one allocation per
// event (ns-3 owns its events by reference count), sets of processes in one word, the protocol as
// in src/algorithms/mutex/ricart_agrawala. The event is a class of its own because ns-3's bound member
// functions are larger. SCHEDULER is ns-3's event list: Heap, List, Map (which ns-3 takes by
// itself), Calendar or PriorityQueue, which is the fastest of them for this program and the default
// here.
#include <ns3/event-impl.h>
#include <ns3/nstime.h>
#include <ns3/object-factory.h>
#include <ns3/ptr.h>
#include <ns3/simulator.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <compare>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

namespace {

constexpr std::uint32_t processes = 10;
constexpr std::int64_t message_time = 1'000'000;

[[noreturn]] void fail(const char* reason) {
  std::fprintf(stderr, "ns3_ricart_agrawala: %s\n", reason);
  std::exit(1);
}

struct Timestamp {
  std::uint64_t clock = 0;
  std::uint32_t node = 0;

  friend auto operator<=>(const Timestamp&, const Timestamp&) = default;
};

struct Message {
  enum class Kind : std::uint8_t { request, reply };
  Timestamp request;        // the request, or the one that a reply answers
  std::uint64_t clock = 0;  // of the reply
  std::uint32_t sender = 0;
  Kind kind = Kind::request;
};

// SplitMix64. ns-3's own generator is several times as slow and is not what is compared here.
class Random {
 public:
  double exponential() { return -std::log1p(-static_cast<double>(next() >> 11) * 0x1p-53); }

 private:
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }

  std::uint64_t state_ = 1;
};

class World;

class Process {
 public:
  void be(World& world, std::uint32_t self) {
    world_ = &world;
    self_ = self;
  }

  void request();
  void release();
  void receive(const Message& message);

 private:
  enum class Mode : std::uint8_t { released, wanted, held };

  void upon_request(const Message& message);
  void upon_reply(const Message& message);

  World* world_ = nullptr;
  std::uint32_t self_ = 0;
  Mode mode_ = Mode::released;
  std::uint64_t clock_ = 0;
  Timestamp mine_;
  std::uint64_t awaited_ = 0;  // one bit per process that has not replied
  std::array<Timestamp, processes> deferred_;
  std::uint32_t deferred_count_ = 0;
};

class World {
 public:
  World(std::uint64_t entries, bool exponential) : to_ask_(entries), exponential_(exponential) {
    for (std::uint32_t i = 0; i < processes; ++i) group_[i].be(*this, i);
  }

  void start() {
    for (std::uint32_t i = 0; i < processes; ++i) ask(i);
  }
  void send(std::uint32_t to, const Message& message);
  void enter(std::uint32_t process);
  void leave(std::uint32_t process);
  void deliver(std::uint32_t to, const Message& message) {
    ++deliveries_;
    group_[to].receive(message);
  }

  std::uint64_t entries() const { return entries_; }
  std::uint64_t deliveries() const { return deliveries_; }

 private:
  void ask(std::uint32_t process) {
    if (to_ask_ == 0) return;
    --to_ask_;
    group_[process].request();
  }

  std::array<Process, processes> group_;
  std::uint64_t to_ask_;
  std::uint64_t entries_ = 0;
  std::uint64_t deliveries_ = 0;
  bool exponential_;
  bool occupied_ = false;
  Random random_;
};

class Delivery final : public ns3::EventImpl {
 public:
  Delivery(World& world, std::uint32_t to, const Message& message)
      : world_(world), to_(to), message_(message) {}

 private:
  void Notify() override { world_.deliver(to_, message_); }

  World& world_;
  std::uint32_t to_;
  Message message_;
};

class Leaving final : public ns3::EventImpl {
 public:
  Leaving(World& world, std::uint32_t process) : world_(world), process_(process) {}

 private:
  void Notify() override { world_.leave(process_); }

  World& world_;
  std::uint32_t process_;
};

void schedule(std::int64_t delay, ns3::EventImpl* event) {
  // The pointer takes the reference that the new event was born with.
  ns3::Simulator::Schedule(ns3::Time(delay), ns3::Ptr<ns3::EventImpl>(event, false));
}

void World::send(std::uint32_t to, const Message& message) {
  const std::int64_t delay =
      exponential_ ? std::llround(random_.exponential() * message_time) : message_time;
  schedule(delay, new Delivery(*this, to, message));
}

void World::enter(std::uint32_t process) {
  if (occupied_) fail("two processes are in the critical section");
  occupied_ = true;
  ++entries_;
  schedule(message_time, new Leaving(*this, process));
}

void World::leave(std::uint32_t process) {
  occupied_ = false;
  group_[process].release();
  ask(process);
}

void Process::request() {
  mode_ = Mode::wanted;
  mine_ = {++clock_, self_};
  awaited_ = ((std::uint64_t{1} << processes) - 1) & ~(std::uint64_t{1} << self_);
  const Message message{mine_, 0, self_, Message::Kind::request};
  for (std::uint32_t to = 0; to < processes; ++to) {
    if (to != self_) world_->send(to, message);
  }
}

void Process::release() {
  mode_ = Mode::released;
  for (std::uint32_t i = 0; i < deferred_count_; ++i) {
    world_->send(deferred_[i].node, {deferred_[i], clock_, self_, Message::Kind::reply});
  }
  deferred_count_ = 0;
}

void Process::receive(const Message& message) {
  if (message.kind == Message::Kind::request) {
    upon_request(message);
  } else {
    upon_reply(message);
  }
}

void Process::upon_request(const Message& message) {
  clock_ = std::max(clock_, message.request.clock);
  if (mode_ == Mode::held || (mode_ == Mode::wanted && mine_ < message.request)) {
    deferred_[deferred_count_++] = message.request;
  } else {
    world_->send(message.sender, {message.request, clock_, self_, Message::Kind::reply});
  }
}

void Process::upon_reply(const Message& message) {
  clock_ = std::max(clock_, message.clock);
  if (mode_ != Mode::wanted || message.request != mine_) return;
  awaited_ &= ~(std::uint64_t{1} << message.sender);
  if (awaited_ == 0) {
    mode_ = Mode::held;
    world_->enter(self_);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t entries = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 0;
  const char* delays = argc > 2 ? argv[2] : "constant";
  const std::string scheduler = argc > 3 ? argv[3] : "PriorityQueue";
  const bool exponential = std::strcmp(delays, "exponential") == 0;
  if (entries == 0 || (!exponential && std::strcmp(delays, "constant") != 0)) {
    std::fprintf(stderr, "usage: ns3_ricart_agrawala ENTRIES [constant|exponential] [SCHEDULER]\n");
    return 2;
  }

  ns3::ObjectFactory factory;
  factory.SetTypeId("ns3::" + scheduler + "Scheduler");
  ns3::Simulator::SetScheduler(factory);

  World world(entries, exponential);
  const std::clock_t begin = std::clock();
  world.start();
  ns3::Simulator::Run();
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  ns3::Simulator::Destroy();

  if (world.entries() != entries) fail("somebody was never served");
  if (world.deliveries() != 2 * (processes - 1) * entries) fail("wrong number of deliveries");
  std::printf(R"({"peer":"ns-3","deliveries":%llu,"seconds":%.6f,"deliveries_per_s":%.0f})"
              "\n",
              static_cast<unsigned long long>(world.deliveries()), seconds,
              static_cast<double>(world.deliveries()) / seconds);
}
