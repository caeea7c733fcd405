// A client in virtual time that speaks the client protocol as the real one does
// (src/service/client/), with the real lease. It takes locks and releases them, and some of them
// also count up a file.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "baton/client.pb.h"
#include "baton/error.h"
#include "service/cluster_sim/judge.h"
#include "service/cluster_sim/process.h"
#include "service/cluster_sim/scene.h"
#include "service/cluster_sim/wire.h"
#include "service/lease/lease.h"

namespace baton::cluster_sim {

inline Error error_of(std::uint32_t number) { return static_cast<Error>(number); }

struct ClientPlan {
  int number = 0;
  ProcessClock clock;
  bool is_fast = false;
  bool counts = false;  // up a file
  bool shares = false;  // takes locks in the shared mode, now and then
  std::int64_t ttl_us = 2'000'000;
  std::vector<std::string> names;  // of locks
  std::int64_t least_hold_us = 0;
  std::int64_t longest_hold_us = 500'000;
  std::int64_t longest_pause_us = 300'000;  // before it asks again
};

class SimClient final : public Process {
 public:
  SimClient(Scene& scene, Judge& judge, const ClientPlan& plan,
            std::function<std::shared_ptr<Wire>(SimClient&, std::size_t server)> connect,
            std::size_t servers);

  void begin();
  // As if its process had been killed and started again.
  void die();
  // From now on it asks for nothing more, but ends what it has begun.
  void finish() { is_finishing_ = true; }
  bool is_idle() const;

  int number() const { return plan_.number; }
  std::uint64_t session() const { return session_; }
  std::int64_t ttl_us() const { return plan_.ttl_us; }
  // What it holds counts, by its own clock.
  bool has_lease() const;
  const std::shared_ptr<Wire>& wire() const { return wire_; }
  // Requests for a lock that were made from now on, and granted.
  void count_grants_from_now_on();
  std::uint64_t grants() const { return grants_; }

  // Nothing has been done to it since then; later than now: it is being harmed.
  std::int64_t unharmed_since_us() const { return unharmed_since_us_; }
  void harm_until(std::int64_t us) { unharmed_since_us_ = std::max(unharmed_since_us_, us); }

  // When it first asked that server to go on with its session, since the server has been sure.
  std::optional<std::int64_t> asked_us(const SimServer& server) const;

  struct Waiting {
    std::string name;
    std::uint64_t ticket = 0;
    bool is_exclusive = false;
    bool is_patient = false;  // it waits for ever
  };
  // What it asks for and was not yet answered.
  std::optional<Waiting> waiting() const;

  // For wires.
  void hear(const proto::ServerMessage& message);
  void disconnected();
  void told_over(const Wire& wire, std::uint64_t session);

 private:
  enum class Phase : std::uint8_t { away, entering, ready };
  enum class Job : std::uint8_t { none, asked, held, released };
  struct Pending {
    proto::ClientMessage message;
    std::uint64_t ticket = 0;
    int times_sent = 0;
  };

  void connect();
  void drop(const std::string& why);
  std::int64_t pause_before_next();

  void hear(const proto::Welcome& welcome);
  void hear(const proto::Reply& reply);
  void hear(const proto::Alive& alive);
  void hear(const proto::Resumed& resumed);
  void hear(const proto::Answer& answer);
  void hear(const proto::HoldOver& over);
  void hear_opened(const proto::Reply& reply);

  void open_session();
  void resume_session();
  void become_ready(bool has_reported);
  void report();
  void carry_out(const service::LeaseClient::Step& step);
  void woken();
  void tick();
  void set_alarm();
  void lose(const std::string& why);

  std::uint64_t add_request(proto::Request request);
  void send(Pending& pending);
  std::uint64_t confirmed() const;
  void answered(const proto::Request& request, const proto::Reply& reply);
  void granted(const proto::Request& request, const proto::Reply& reply);
  void refused(const Pending& pending, const proto::Reply& reply);

  // What it does with its session.
  void ask_later();
  void ask();
  void let_go();
  void count_later();
  void count();
  void read();
  // Unless the session has changed meanwhile.
  void in_session(std::int64_t us, void (SimClient::*what)());
  service::Time clock() const { return {local_us()}; }

  Scene& scene_;
  Judge& judge_;
  ClientPlan plan_;
  std::function<std::shared_ptr<Wire>(SimClient&, std::size_t server)> connect_;
  std::size_t servers_;

  std::shared_ptr<Wire> wire_;
  Phase phase_ = Phase::away;
  std::uint64_t attempt_ = 0;
  bool is_settled_ = false;
  int failures_ = 0;
  std::size_t next_server_ = 0;
  std::optional<std::size_t> preferred_;

  std::uint64_t life_ = 0;  // counts sessions, and attempts at them
  std::uint64_t epoch_ = 0;
  std::uint64_t session_ = 0;
  std::string nonce_;
  std::map<const SimServer*, std::int64_t> asked_us_;
  std::int64_t opening_sent_us_ = 0;
  std::uint64_t opening_request_ = 0;
  int opening_tries_ = 0;
  int openings_ = 0;
  std::optional<service::LeaseClient> lease_;
  service::LeaseTerms terms_{};
  bool is_lost_ = false;
  std::map<std::uint64_t, std::int64_t> keep_alives_;
  std::uint64_t next_keep_alive_ = 1;
  std::uint64_t alarm_ = 0;

  std::uint64_t next_request_ = 1;
  std::map<std::uint64_t, Pending> pending_;

  Job job_ = Job::none;
  Entry entry_;
  std::int64_t asked_at_us_ = 0;
  bool is_counting_ = false;
  bool knows_version_ = false;
  std::uint64_t version_ = 0;
  std::uint64_t reading_ = 0;  // the number of a question; 0: none
  std::uint64_t least_version_ = 0;
  std::uint64_t next_reading_ = 1;

  bool is_finishing_ = false;
  std::int64_t counted_from_us_ = 0;
  std::uint64_t grants_ = 0;
  std::int64_t unharmed_since_us_ = 0;
};

}  // namespace baton::cluster_sim
