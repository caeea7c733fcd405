#include "service/cluster_sim/world.h"

#include <algorithm>

#include "baton/cluster.pb.h"
#include "service/cluster/keys.h"

namespace baton::cluster_sim {

namespace {

constexpr std::int64_t second_us = 1'000'000;
constexpr std::size_t server_count = 3;
constexpr int client_count = 4;
constexpr std::int64_t between_looks_us = 250'000;
constexpr std::int64_t longest_recovery_us = 40 * second_us;

}  // namespace

World::World(std::uint64_t seed, const WorldOptions& options) : scene_(seed), judge_(scene_) {
  scene_.flaw = options.flaw;
  scene_.omitted_by_clients = options.omitted_by_clients;
  scene_.is_traced = options.is_traced;
  if (scene_.one_in(4)) scene_.longest_delay_us = 40'000;
  make_servers();
  make_clients(options.clients.empty() ? some_clients() : options.clients);
  if (!options.clients.empty()) return;
  const std::uint64_t one_in = 1 + scene_.below(6);
  for (std::size_t kind = 0; kind < fault_kinds; ++kind) {
    if (scene_.one_in(one_in)) kinds_.push_back(static_cast<Fault>(kind));
  }
  between_faults_us_ = scene_.between(200'000, 2 * second_us);
}

World::~World() {
  for (const auto& server : servers_) server->crash();
}

ProcessClock World::some_clock() {
  return {scene_.between(0, 1'000'000 * second_us), scene_.between(-9000, 9000)};
}

// Small numbers of everything, so that all of it comes up.
void World::make_servers() {
  const bool is_dedicated = scene_.one_in(2);
  server::EngineOptions engine;
  engine.commands_per_snapshot = scene_.below(2) == 0 ? 15 : 60;
  engine.fences_per_reserve = scene_.below(2) == 0 ? 8 : 1000;
  engine.longest_linger = {scene_.below(2) == 0 ? 20'000 : 0};
  cluster::EtcdJournalOptions journal;
  journal.most_under_way = 1 + scene_.below(4);
  journal.record_bytes = scene_.one_in(2) ? 600 : 100'000;
  journal.part_bytes = scene_.one_in(2) ? 300 : 100'000;
  journal.is_dedicated = is_dedicated;
  std::vector<SimServer*> all;
  for (std::size_t i = 0; i < server_count; ++i) {
    ServerPlan plan;
    plan.number = static_cast<int>(i);
    plan.clock = some_clock();
    plan.wall_origin_us = scene_.between(0, 100 * second_us);
    plan.engine = engine;
    plan.journal = journal;
    servers_.push_back(std::make_unique<SimServer>(scene_, plan));
  }
}

std::vector<ClientPlan> World::some_clients() {
  std::vector<std::string> names = {"a", "b", "c"};
  names.resize(1 + scene_.below(3));
  const bool shares = scene_.one_in(3);
  const std::uint64_t fast = scene_.below(16);
  const int counting = static_cast<int>(scene_.below(4));
  std::vector<ClientPlan> plans;
  for (int i = 0; i < client_count; ++i) {
    ClientPlan plan;
    plan.number = i;
    plan.clock = some_clock();
    plan.is_fast = (fast >> i & 1) != 0;
    plan.counts = i < counting;
    plan.shares = shares;
    plan.ttl_us = scene_.between(second_us, 3 * second_us);
    plan.names = names;
    // Who is quiet has its lease and nothing else.
    const bool is_quiet = scene_.one_in(3);
    plan.longest_hold_us = is_quiet ? 1'500'000 : 200'000;
    plan.longest_pause_us = is_quiet ? 2'000'000 : 300'000;
    plans.push_back(plan);
  }
  return plans;
}

void World::make_clients(const std::vector<ClientPlan>& plans) {
  std::vector<SimClient*> clients;
  std::vector<SimServer*> servers;
  for (const ClientPlan& plan : plans) {
    const auto to = [this](SimClient& client, std::size_t server) {
      return connect(client, server);
    };
    clients_.push_back(std::make_unique<SimClient>(scene_, judge_, plan, to, server_count));
    clients.push_back(clients_.back().get());
    blocked_.emplace_back(server_count, 0);
  }
  for (const auto& server : servers_) servers.push_back(server.get());
  judge_.set_world(std::move(clients), std::move(servers));
}

std::shared_ptr<Wire> World::connect(SimClient& client, std::size_t server) {
  auto wire = std::make_shared<Wire>(scene_, client, *servers_[server]);
  wire->set_blocked(blocked_[static_cast<std::size_t>(client.number())][server] > 0);
  wires_.push_back(wire);
  return wire;
}

// --- Running ------------------------------------------------------------------------------------

template <class Condition>
bool World::run_until(std::int64_t us, Condition condition) {
  std::int64_t looks_at_us = scene_.timeline.now_us();
  while (scene_.problem.empty() && scene_.timeline.now_us() < us) {
    if (scene_.timeline.now_us() >= looks_at_us) {
      if (condition()) return true;
      look();
      looks_at_us += between_looks_us;
    }
    scene_.timeline.step(std::min(us, looks_at_us));
  }
  return condition();
}

void World::pass(std::int64_t us) {
  run_until(scene_.timeline.now_us() + us, [] { return false; });
}

void World::look() {
  for (const auto& server : servers_) {
    if (server->is_up() && !server->is_paused() && server->is_leader_in_etcd()) {
      judge_.look_at(*server);
    }
  }
}

void World::begin() {
  for (const auto& server : servers_) {
    scene_.timeline.in(scene_.between(0, second_us), [&server = *server] { server.boot(); });
  }
  for (const auto& client : clients_) client->begin();
  pass(2 * second_us);
}

std::string World::run() {
  begin();
  fault_later();
  pass(scene_.between(6, 16) * second_us);
  return end();
}

std::string World::end() {
  heal();
  for (const auto& client : clients_) client->count_grants_from_now_on();
  const std::int64_t quiet_us = scene_.timeline.now_us();
  if (!run_until(quiet_us + longest_recovery_us, [this] { return are_all_granted(); })) {
    for (const auto& client : clients_) {
      if (client->grants() == 0) {
        scene_.wrong("client {} gets no lock although all is well again", client->number());
      }
    }
  }
  for (const auto& client : clients_) client->finish();
  const auto is_over = [this] { return are_all_idle() && are_all_equal_in_position(); };
  const auto rest = [&] {
    if (run_until(scene_.timeline.now_us() + longest_recovery_us, is_over)) return;
    scene_.wrong("servers and clients do not come to rest: {}", describe());
  };
  rest();
  // What lingers in the leader is written.
  pass(second_us);
  rest();
  if (scene_.problem.empty()) compare_states();
  if (scene_.problem.empty()) replay();
  return scene_.problem;
}

std::string World::describe() const {
  std::string text;
  for (const auto& client : clients_) {
    if (!client->is_idle()) text += fmt::format("client {} is not idle; ", client->number());
  }
  for (const auto& server : servers_) {
    if (!server->is_up()) continue;
    text += fmt::format("server {}: {} {} of {}; ", server->url(), server->is_serving(),
                        server->member().position(), server->engine().position());
  }
  return text;
}

bool World::are_all_granted() const {
  return std::all_of(clients_.begin(), clients_.end(),
                     [](const auto& client) { return client->grants() > 0; });
}

bool World::are_all_idle() const {
  return std::all_of(clients_.begin(), clients_.end(),
                     [](const auto& client) { return client->is_idle(); });
}

// --- The end ------------------------------------------------------------------------------------

bool World::are_all_equal_in_position() {
  const SimServer* first = leader();
  if (first == nullptr) return false;
  return std::all_of(servers_.begin(), servers_.end(), [&](const auto& server) {
    return server->is_up() && server->member().position() == first->engine().position() &&
           server->engine().position() == first->engine().position();
  });
}

void World::compare_states() {
  const SimServer* first = leader();
  const service::StateImage image = first->engine().state().image();
  for (const auto& server : servers_) {
    if (server->engine().state().image() != image) {
      scene_.wrong("server {} has another state than server {}, which leads", server->url(),
                   first->url());
    }
    if (server->engine().epoch() != first->engine().epoch()) {
      scene_.wrong("server {} knows another epoch", server->url());
    }
  }
  const auto file = first->engine().state().file(counted_file);
  const std::uint64_t version = file ? file->version : 0;
  if (version < judge_.most_counted()) {
    scene_.wrong("the file is at {}, and {} was acknowledged", version, judge_.most_counted());
  }
  if (file && file->value != std::to_string(version)) {
    scene_.wrong("the file says {} in version {}", file->value, version);
  }
}

namespace {

// For an engine that only reads.
class NoJournal final : public journal::Journal {
 public:
  journal::Position read(const std::function<void(journal::Position, std::string_view)>&,
                         const std::function<void(journal::Position, std::string_view)>&) override {
    return 0;
  }
  void append(std::string, Done) override {}
  std::size_t most_under_way() const override { return 0; }
  void snapshot(journal::Position, std::string, Done) override {}
  void close() override {}
  std::string describe() const override { return "etcd"; }
};

class NoHost final : public server::EngineHost {
 public:
  void post(std::function<void()>) override {}
  void run_aside(std::function<void()>) override {}
  std::int64_t clock_us() override { return 0; }
  std::int64_t wall_us() override { return 0; }
  void deliver(service::Effects&) override {}
  void fail(const journal::Fault&) override {}
};

std::vector<etcd::KeyValue> items(const etcd::ModelStore& store, const etcd::KeyRange& keys) {
  etcd::RangeResult result;
  store.range({keys}, result);
  return result.items;
}

}  // namespace

// What is in etcd, read without any of the member's code.
void World::replay() {
  const etcd::ModelStore& store = scene_.etcd.store();
  const cluster::Keys keys(prefix_in_etcd);
  NoJournal no_journal;
  NoHost no_host;
  server::Engine engine(no_journal, no_host, {});
  journal::Position position = 0;
  for (const etcd::KeyValue& item : items(store, etcd::KeyRange::one(keys.snapshot()))) {
    proto::SnapshotInfo info;
    info.ParseFromString(item.value);
    std::string bytes;
    for (const auto& part : items(store, keys.parts(info.position()))) bytes += part.value;
    position = info.position();
    engine.read_snapshot(position, bytes);
  }
  while (true) {
    const auto record = items(store, etcd::KeyRange::one(keys.record(position + 1)));
    if (record.empty()) break;
    engine.read_record(++position, record[0].value);
  }
  if (engine.state().image() != leader()->engine().state().image()) {
    scene_.wrong("what is in etcd makes another state than the servers have");
  }
}

Counts& Counts::operator+=(const Counts& other) {
  entries += other.entries;
  counted += other.counted;
  endings += other.endings;
  leaderships += other.leaderships;
  snapshots += other.snapshots;
  faults += other.faults;
  return *this;
}

Counts World::counts() const {
  Counts counts{.entries = judge_.entries(),
                .counted = judge_.most_counted(),
                .endings = judge_.endings(),
                .faults = faults_};
  for (const auto& server : servers_) {
    counts.leaderships += server->leaderships();
    counts.snapshots += server->snapshots();
  }
  return counts;
}

std::string World::trace() const {
  std::string text;
  for (const std::string& line : scene_.trace) text += line + "\n";
  return text;
}

}  // namespace baton::cluster_sim
