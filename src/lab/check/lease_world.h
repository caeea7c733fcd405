// The world in which the checker tests the lease protocol: two clients, a journal that follows, one
// lock, and a resource that remembers the highest fence. There is either one server, which may
// crash and come back, or two that share the journal: the first leads, and the second may take over
// from it once.
//
// The leases are LeaseClient and LeaseServer themselves. The lock is the least that shows what
// leases are for; it stands for the state machine of the service.
//
// Time passes in units. Within a unit, every process that is not paused does everything that is
// due, in any order: messages arrive, timers expire, the journal gets its records. Budgets limit
// the faults: a client is cut off from the server for any time; a message is late (it arrives at
// any time, or never); the server crashes or stops; a process is paused; a clock counts no unit or
// two where one has passed.
//
// Two servers share a store that holds the journal and the leader's key, which the leader renews in
// every unit. The leader may be cut off from the store, once, and the answer to a renewal may be
// late. Messages to the store that were under way when their server was cut off, paused or crashed
// may arrive at any time. The second server takes over early, at any time, or at the latest when
// the key has expired or was given up. If early, the first server goes on until it hears of that or
// its proof ends. A server that crashes or stops does not return, and nobody takes over from the
// second. A client is connected to one server. It changes to the other when its server tells it
// that it does not lead, when it hears nothing for a while, or after it was cut off. Clients are
// not paused. A run ends when the takeover is over: the rest would be the world of one server.
//
// The server answers a keepalive that is not late at once, unless something is before it in its
// channel: all orders of keepalives and other messages would be too many states.
//
// Nothing counts units from the beginning. All moments are relative to the present, and moments
// further back than any lease are cut off there. So the search has no limit on time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lab/check/model.h"
#include "service/lease/lease.h"

namespace baton::check {

struct LeaseBounds {
  std::uint32_t requests = 1;  // how often each client takes the lock
  std::uint32_t cuts = 1;
  std::uint32_t late = 1;
  std::uint32_t crashes = 1;
  std::uint32_t pauses = 1;
  std::uint32_t drifts = 1;
  // ^At most one takeover, which is not a fault; nor is it a fault that the leader is cut off from
  // the store once.
  std::uint32_t takeovers = 0;
  std::uint32_t faults = 2;  // of all kinds together
  std::uint32_t servers = 1;
  service::LeaseRule omitted = service::LeaseRule::none;
};

class LeaseWorld {
 public:
  using Number = std::uint8_t;
  static constexpr std::size_t clients = 2;
  static constexpr std::size_t most_servers = 2;

  // A message, in either direction.
  struct Packet {
    enum class Kind : Number { keep_alive, ask, report, alive, gone, granted, released, renewed };
    Kind kind{};
    Number epoch = 0;
    Number time = 0;     // when the keepalive was sent, by the client's clock
    Number request = 0;  // odd: to acquire; even: to release
    Number fence = 0;
    bool wants_report = false;

    friend bool operator==(const Packet&, const Packet&) = default;
  };
  template <class T, std::size_t most>
  struct List {
    Number size = 0;
    std::array<T, most> items{};

    void add(const T& item) { items.at(size++) = item; }
    T take(std::size_t at) {
      const T taken = items[at];
      for (std::size_t i = at + 1; i < size; ++i) items[i - 1] = items[i];
      items[--size] = T{};
      return taken;
    }
    bool empty() const { return size == 0; }
  };
  // A message from or to a client; or `renewed`, from the store to a server.
  struct Late {
    Packet packet;
    Number client = 0;
    Number server = 0;
    bool to_server = false;
  };

  enum class Stage : Number { idle, asking, holding, releasing, over };
  struct Client {
    service::LeaseClient::State lease;
    Stage stage = Stage::idle;
    Number request = 0;
    Number fence = 0;
    Number server = 0;  // the server to which it is connected
    bool fast = false;
    bool paused = false;
    bool cut_off = false;
    bool refused = false;  // neither server leads
    bool harmed = false;   // it was paused or cut off, or a message from or to it was late
    bool told_gone = false;
    bool lost = false;  // the client has declared a loss
  };

  // The contents of the journal.
  struct Kept {
    Number epoch = 0;
    bool clean = false;  // the leader has stopped, and the journal is complete
    std::array<bool, clients> alive{};
    Number holder = 0;  // client + 1
    Number fence = 0;   // the holder's
    Number next_fence = 1;
    Number reserve = 1;  // the leader may give out fences below this
    std::array<Number, clients> answered{};
    std::array<Number, clients> answer{};  // for an acquisition: the fence

    friend bool operator==(const Kept&, const Kept&) = default;
  };
  struct Record {
    enum class Effect : Number { none, reply, expiry, farewell };
    Kept kept;
    Effect effect{};
    Number client = 0;
  };

  struct Server {
    bool up = true;
    bool paused = false;
    Number paused_for = 0;
    bool turned = false;    // in this unit
    bool cut_off = false;   // from the store
    bool stopping = false;  // its Farewell is under way
    service::LeaderProof::State proof;
    service::LeaseServer::State lease;
    List<Number, clients> waiting;  // clients
    std::array<Number, clients> request{};
    Kept kept;                 // the part that it knows to be durable
    List<Record, 12> journal;  // the records that it has added to that

    bool leads() const { return up && proof.leads; }
    bool runs() const { return up && !paused; }
    const Kept& applied() const {
      return journal.empty() ? kept : journal.items[journal.size - 1U].kept;
    }
  };

  struct State {
    std::array<Client, clients> client;
    Number servers = 1;
    std::array<Server, most_servers> server;
    Kept durable;
    Kept missed;  // the contents without the last record; only where a server may lead from that
    Number leader = 0;  // the server that has the key, + 1
    service::Time key_until;
    List<Kept, 1> under_way;  // to the store, from the first server, which will not see the answer
    std::array<List<Packet, 12>, clients> to_server;
    std::array<List<Packet, 12>, clients> to_client;
    List<Late, 3> late;
    Number faults_left = 0;
    Number cuts_left = 0;
    Number lates_left = 0;
    Number crashes_left = 0;
    Number pauses_left = 0;
    Number drifts_left = 0;
    Number takeovers_left = 0;
    Number partings_left = 0;    // how often the leader may still be cut off from the store
    bool server_harmed = false;  // a server has crashed, stopped, or been paused or cut off
    Number issued = 0;           // the highest fence ever given out
    Number presented = 0;        // the highest fence that the resource has seen
    // Set by the last step:
    std::uint16_t broken = 0;
    std::uint16_t shown = 0;

    // True if another server could lead beside this one, now or later.
    bool is_contested(std::size_t k) const {
      return servers > 1 && (takeovers_left > 0 || leader != k + 1);
    }
    // The state that the leader reads from the journal.
    const Kept& applied() const {
      return leader != 0 && server[leader - 1U].up ? server[leader - 1U].applied() : durable;
    }
  };

  enum Properties : std::size_t {
    exclusion,
    lease_covers,
    fences_rise,
    nothing_lost,
    keeping_alive_helps,
    loss_is_final,
    end_is_final,
    no_orphan,
    nobody_forgotten,
    a_loss,
    a_takeover,  // the lock changes hands although its holder did not release it
    granted_after_restart,
    a_reclaim,
    fenced_off,  // a paused client believes that it holds, and the resource rejects its fence
    doubt_ends_well,
    a_clean_restart,
    // For two servers:
    old_leader_answers,
    append_refused
  };
  static const std::vector<Property>& properties(std::size_t servers);
  static std::string describe(std::size_t property);

  enum class Action : Number {
    time_passes,
    clock_stands,  // of a client or a server: it misses a unit
    clock_leaps,
    client_wakes,
    client_wakes_in_vain,     // its keepalive is late
    client_wakes_unanswered,  // the answer to it is late
    client_asks,
    client_releases,
    client_pauses,
    client_resumes,
    client_moves,  // changes to the other server
    connection_breaks,
    connection_returns,
    connection_returns_in_vain,  // the first keepalive is late
    to_client,
    to_client_late,  // a message to a client becomes late
    to_server,
    to_server_late,
    late_arrives,
    server_turns,
    server_turns_unanswered,  // the answer to its renewal is late
    journal_writes,
    server_crashes,
    server_stops,
    server_starts,
    server_pauses,
    server_resumes,
    takeover,
    early_takeover,
    store_breaks,  // the connection of a server to the store
    store_returns,
    append_arrives
  };
  struct Step {
    Action action{};
    Number which = 0;  // a client, a server, a late message, or a clock
    Number how = 0;    // the server, the order, or whether a record is missed
  };
  // Clocks are numbered: those of the clients, of the servers, and of the store.
  static constexpr std::size_t clocks = clients + most_servers + 1;
  static constexpr std::size_t store_clock = clocks - 1;

  explicit LeaseWorld(const LeaseBounds& bounds);

  State first(bool fast_first, bool fast_second);
  void possible(const State& state, std::vector<Step>& steps);
  void take(const Step& step, State& state);
  PropertySet judge(const State& state);
  // "client 1 is told Granted, fence 2"
  std::string told(const State& before, const Step& step);

  static std::size_t encode(const State& state, std::uint8_t* bytes);
  static void decode(const std::uint8_t* bytes, State& state);
  static constexpr std::size_t most_bytes = 512;

 private:
  class Turn;

  bool omits(service::LeaseRule rule) const { return bounds_.omitted == rule; }
  service::LeaseClient& client(const State& state, std::size_t i);
  service::LeaseServer& server(const State& state, std::size_t k);
  // True if the server may answer, as far as it can know.
  bool has_proof(const State& state, std::size_t k);
  bool answers(const State& state, std::size_t k);
  bool may_pass(const State& state);
  bool is_settled(const State& state);
  bool is_due(const State& state, std::size_t i);
  void add_of_client(const State& state, std::size_t i, std::vector<Step>& steps);
  void add_of_server(const State& state, std::size_t k, std::vector<Step>& steps);
  void add_of_takeover(const State& state, std::vector<Step>& steps);
  void add_of_time(const State& state, std::vector<Step>& steps);
  void pass(State& state, const std::array<Number, clocks>& units) const;
  void do_step(const Step& step, State& state);
  void do_of_client(const Step& step, State& state);
  void do_of_server(const Step& step, State& state);
  static void make_late(State& state, std::size_t client, bool to_server);
  void tidy(State& state);
  void tidy_server(State& state, std::size_t k);
  bool is_idle_talk(const State& state, const Late& late);

  LeaseBounds bounds_;
  service::LeaseClient client_;
  service::LeaseServer server_;
  service::LeaderProof proof_;
};

}  // namespace baton::check
