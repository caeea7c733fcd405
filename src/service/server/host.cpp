#include "service/server/host.h"

#include <spdlog/sinks/null_sink.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <chrono>
#include <climits>
#include <utility>

#include "baton/version.h"
#include "core/text.h"
#include "io/clock.h"
#include "service/journal/open.h"

namespace baton::server {

namespace {

namespace asio = boost::asio;

constexpr const char* program = "baton " BATON_VERSION_STRING;
constexpr std::chrono::milliseconds between_pulses{100};
constexpr std::chrono::milliseconds between_looks_at_the_end{20};
constexpr int most_looks_at_the_end = 50;
constexpr std::chrono::milliseconds longest_farewell{3000};
constexpr int appends_per_holdback = 3;  // to etcd

std::string name_of_machine() {
  char name[HOST_NAME_MAX + 1] = "";
  ::gethostname(name, sizeof name - 1);
  return name;
}

// The URL under which other machines reach a server that listens here. Throws if that is unclear.
std::string url_for_others(const std::vector<std::string>& listen) {
  for (const std::string& text : listen) {
    const io::Address address = io::parse_address(text);
    const bool is_anywhere = address.host == "0.0.0.0" || address.host == "::";
    if (!is_anywhere && (address.is_unix() || address.port != 0)) return address.url();
  }
  throw journal::Unusable(
      "the other servers of the cluster need this server's address: give --advertise HOST:PORT");
}

}  // namespace

Host::Host(HostOptions options)
    : log_(options.log),
      options_(std::move(options)),
      io_(1),
      work_(io_.get_executor()),
      probe_(io_, [this] { suspect_leader(); }),
      pulse_(io_),
      due_(io_),
      turn_(io_),
      ending_(io_) {
  if (log_ == nullptr) {
    log_ = std::make_shared<spdlog::logger>("", std::make_shared<spdlog::sinks::null_sink_mt>());
  }
  if (options_.gate != nullptr && options_.journal != "memory:") {
    throw journal::Unusable(
        options_.journal + ": a member of a group of peers keeps its locks in memory: use memory:");
  }
  options_.name = text::as_utf8(options_.name);
  if (names_etcd(options_.journal)) {
    options_.engine.appends_per_holdback = appends_per_holdback;
    join_cluster();
  } else {
    open_journal();
  }
  options_.engine.server = options_.name;
  options_.engine.gated = options_.gate != nullptr;
  make_engine();
  FrontendOptions of_frontend{.program = program,
                              .server = options_.name,
                              .journal = text::as_utf8(journal_->describe()),
                              .scope = text::as_utf8(options_.scope),
                              .gate = options_.gate};
  of_frontend.others = options_.gate;
  if (membership_) of_frontend.others = membership_.get();
  frontend_ = std::make_unique<SessionFrontend>(*engine_, static_cast<EngineHost&>(*this),
                                                std::move(of_frontend));
  server_ = std::make_unique<Server>(io_, *engine_, *frontend_, options_.limits);
  server_->on_turn([this] { watch_due(); });
  for (const std::string& text : options_.listen) {
    const io::Address address = io::parse_address(text);
    if (!address.is_loopback()) {
      log_->warn("{} can be reached from other machines, and there is no authentication yet", text);
    }
    server_->listen(address, options_.access);
  }
  for (const int descriptor : options_.descriptors) server_->adopt(descriptor);
  if (options_.side_server) {
    side_server_ = options_.side_server(*this);
    frontend_->set_http_addresses(side_server_->addresses());
  }
  if (membership_) {
    // Listen at once, so that `baton status` gets an answer even while etcd is not reachable.
    frontend_->attach(*engine_);
    begin_listening();
    membership_->replica().start();
  } else {
    lead_alone();
  }
}

Host::~Host() {
  side_server_.reset();
  server_.reset();
  // The journal's remaining callbacks are only posted to the loop, which no longer runs.
  if (journal_ != nullptr) journal_->close();
  membership_.reset();
  if (aside_.joinable()) aside_.join();
}

void Host::make_engine() {
  engine_ = std::make_unique<Engine>(*journal_, static_cast<EngineHost&>(*this), options_.engine);
}

// --- Alone, with a journal of its own -----------------------------------------------------------

void Host::open_journal() {
  if (options_.name.empty()) options_.name = name_of_machine();
  own_journal_ =
      journal::open(options_.journal, {.accept_loss = options_.accept_loss,
                                       .warn = [this](const std::string& what) { warn(what); }});
  journal_ = own_journal_.get();
}

void Host::lead_alone() {
  const auto begin = std::chrono::steady_clock::now();
  engine_->start([this] { serve({}); });
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  if (options_.gate != nullptr) return;
  log_->info("read {}: {} commands since the last snapshot, {} sessions, in {:.3f} s",
             journal_->describe(), engine_->counters().replayed, engine_->state().session_count(),
             took.count());
}

// --- In a cluster -------------------------------------------------------------------------------

void Host::join_cluster() {
  std::string& advertise = options_.cluster.advertise;
  // A URL, because the server sends it to clients, and clients know only URLs.
  advertise =
      advertise.empty() ? url_for_others(options_.listen) : io::parse_address(advertise).url();
  if (options_.name.empty()) options_.name = advertise;
  membership_ = std::make_unique<ClusterMembership>(io_, options_.journal, options_.name, program,
                                                    options_.cluster,
                                                    static_cast<cluster::ReplicaHost&>(*this));
  journal_ = &membership_->replica().journal();
}

void Host::suspect_leader() {
  const auto& leader = membership_->replica().leader();
  if (!leader || leader->is_self) return;
  log_->warn("the leader {} refuses connections: this server treats it as dead", leader->url);
  ++leaderships_.suspected;
  membership_->replica().suspect(*leader);
}

void Host::after(std::int64_t us, std::function<void()> what) {
  run_after(io_, us, std::move(what));
}

// This server no longer leads: it drops its state, because commands that it had not written never
// happened. The replica then reads the journal anew.
void Host::forget(const std::string& why) {
  if (is_serving_) {
    log_->warn("this server no longer leads: {}", why);
    ++leaderships_.lost;
  }
  is_serving_ = false;
  due_at_.reset();
  due_.cancel();
  frontend_->dismiss(Error::not_leader, "this server no longer leads: " + why);
  make_engine();
  frontend_->attach(*engine_);
  server_->attach(*engine_);
  if (!is_stopping_) return;
  // The stop cannot be clean any more: this server's Farewell was among the dropped commands.
  frontend_->close();
  asio::post(io_, [this] { take_leave(); });
}

void Host::read_snapshot(journal::Position position, std::string_view bytes) {
  engine_->read_snapshot(position, bytes);
}

void Host::read_record(journal::Position position, std::string_view bytes) {
  engine_->read_record(position, bytes);
}

void Host::follow(const cluster::LeaderInfo* leader) {
  const std::string url = leader == nullptr ? "" : leader->url;
  probe_.watch(url);
  if (is_stopping_) return;
  log_->info("{}", url.empty() ? "no server leads" : "following " + url);
  frontend_->follow(url);
  be_ready();
}

void Host::lead(std::int64_t wait_us) {
  probe_.watch({});
  log_->info("this server takes over as leader, from record {} on",
             membership_->replica().position());
  engine_->lead([this, wait_us] { serve({wait_us}); });
}

void Host::give_up(const std::string& why) { fail({journal::Fault::Kind::failed, why}); }

void Host::renewed(std::int64_t left_us) {
  leaderships_.margin_seconds.add(static_cast<double>(left_us) / 1e6);
}

void Host::warn(const std::string& what) { log_->warn("{}", what); }

// --- Running ------------------------------------------------------------------------------------

std::optional<std::string> Host::run() {
  while (!io_.stopped()) {
    io_.poll();
    const bool stays_awake =
        server_->stays_awake() || (options_.gate != nullptr && options_.gate->stays_awake());
    if (!stays_awake) io_.run_one();
  }
  return problem_;
}

void Host::begin_listening() {
  if (std::exchange(is_listening_, true)) return;
  server_->start();
  if (side_server_ != nullptr) side_server_->open();
  pulse();
  for (const std::string& url : server_->addresses()) log_->info("listening on {}", url);
  if (side_server_ != nullptr) {
    for (const std::string& url : side_server_->addresses()) log_->info("serving {}", url);
  }
}

void Host::be_ready() {
  begin_listening();
  if (!std::exchange(is_ready_, true) && options_.on_ready) options_.on_ready();
}

void Host::serve(service::Duration promised) {
  if (is_stopping_) return;
  is_serving_ = true;
  ++leaderships_.begun;
  frontend_->open(promised);
  be_ready();
  if (options_.gate == nullptr) log_->info("leading in epoch {}", engine_->epoch());
  if (engine_->state().is_recovering()) {
    log_->warn(
        "the last leader crashed: this server grants nothing until {} sessions have reported what "
        "they hold",
        engine_->state().unreported().size());
  }
}

// Looks after leases now and then: first it notes the time, then the loop reads what has arrived,
// and only then it expires sessions. So a keepalive that waited in a socket still counts. The turn
// also writes a batch that lingers in the engine.
void Host::pulse() {
  frontend_->wake();
  asio::post(io_, [this] {
    if (is_stopping_) return;
    frontend_->expire();
    watch_proof();
    stop_when_idle();
    server_->turn();
  });
  pulse_.expires_after(between_pulses);
  pulse_.async_wait([this](const boost::system::error_code& error) {
    if (!error) pulse();
  });
}

// Sets a timer for the next end of a wait, a hold or a delay, so that it happens on time even if no
// client sends a request.
void Host::watch_due() {
  if (!is_serving_ || is_stopping_) return;
  const auto next = engine_->state().next_due();
  if (next == due_at_) return;
  due_at_ = next;
  if (!next) {
    due_.cancel();
    return;
  }
  const std::int64_t left_us = std::max<std::int64_t>((*next - engine_->now()).value, 0);
  due_.expires_after(std::chrono::microseconds(left_us + 1));
  due_.async_wait([this](const boost::system::error_code& error) {
    if (error || is_stopping_) return;
    due_at_.reset();
    if (const auto at = engine_->state().next_due(); at && *at <= engine_->now()) engine_->tick();
    server_->turn();
  });
}

void Host::watch_proof() {
  if (!membership_ || !is_serving_) return;
  const bool is_sure = engine_->is_sure();
  if (std::exchange(was_sure_, is_sure) == is_sure) return;
  if (is_sure) {
    log_->info("etcd answers again, and this server still leads");
  } else {
    log_->warn("{}; this server grants nothing until etcd answers",
               membership_->replica().trouble());
  }
}

void Host::stop_when_idle() {
  if (options_.idle_stop_s == 0 || !is_serving_) return;
  const bool has_clients = side_server_ != nullptr && side_server_->connections() > 0;
  if (engine_->state().session_count() > 0 || frontend_->clients() > 0 || has_clients) {
    idle_since_us_.reset();
    return;
  }
  if (!idle_since_us_) idle_since_us_ = clock_us();
  const std::int64_t idle_us = clock_us() - *idle_since_us_;
  if (idle_us < static_cast<std::int64_t>(options_.idle_stop_s) * 1'000'000) return;
  log_->info("no client has used this server for {} s: it stops", options_.idle_stop_s);
  begin_stop();
}

// --- Stopping -----------------------------------------------------------------------------------

void Host::stop() {
  asio::post(io_, [this] { begin_stop(); });
}

void Host::begin_stop() {
  if (std::exchange(is_stopping_, true)) return;
  log_->info("stopping");
  // A standby treats a leader that refuses connections as crashed. So in a cluster this server
  // keeps listening until its Farewell is written and its key in etcd is gone.
  if (!membership_) server_->stop_listening();
  if (side_server_ != nullptr) side_server_->stop_listening();
  frontend_->close();
  if (options_.gate != nullptr) options_.gate->close();
  if (!is_serving_) return take_leave();
  engine_->stop([this] { take_leave(); });
  if (!membership_) return;
  ending_.expires_after(longest_farewell);
  ending_.async_wait([this](const boost::system::error_code& error) {
    if (error || has_left_) return;
    log_->warn("etcd did not confirm the clean stop: the next leader treats it as a crash");
    take_leave();
  });
}

void Host::take_leave() {
  if (std::exchange(has_left_, true)) return;
  frontend_->dismiss(Error::shutting_down, "the server is stopping");
  if (side_server_ != nullptr)
    side_server_->dismiss(Error::shutting_down, "the server is stopping");
  if (!membership_) return end_stop(most_looks_at_the_end);
  probe_.watch({});
  membership_->replica().leave([this] {
    server_->stop_listening();
    end_stop(most_looks_at_the_end);
  });
}

// Waits a moment until the sockets have written the last messages.
void Host::end_stop(int tries_left) {
  const bool is_all_written =
      server_->is_all_written() && (side_server_ == nullptr || side_server_->is_all_written());
  if (is_all_written || tries_left == 0) {
    log_->info("stopped");
    io_.stop();
    return;
  }
  ending_.expires_after(between_looks_at_the_end);
  ending_.async_wait(
      [this, tries_left](const boost::system::error_code&) { end_stop(tries_left - 1); });
}

std::optional<NotServing> Host::not_serving() const {
  if (is_stopping_) return NotServing{Error::shutting_down, "the server is stopping", {}};
  if (membership_ && !is_serving_) {
    const auto& leader = membership_->replica().leader();
    const bool is_known = leader && !leader->is_self;
    if (is_known) return NotServing{Error::not_leader, "another server leads", leader->url};
    const std::string trouble = membership_->replica().trouble();
    return NotServing{
        Error::unavailable, "no server leads" + (trouble.empty() ? "" : ": etcd: " + trouble), {}};
  }
  if (membership_ && !engine_->is_sure()) {
    return NotServing{Error::unavailable, membership_->replica().trouble(), {}};
  }
  if (!is_serving_ || !engine_->is_leading()) {
    return NotServing{Error::unavailable, "the server does not lead yet", {}};
  }
  return std::nullopt;
}

void Host::fail(const journal::Fault& fault) {
  problem_ = fault.what;
  log_->critical("{}{}",
                 membership_ ? "" : "the journal failed, so this server stops: ", fault.what);
  io_.stop();
}

// --- For the engine -----------------------------------------------------------------------------

void Host::post(std::function<void()> what) {
  asio::post(io_, [this, what = std::move(what)] {
    what();
    server_->turn();
  });
}

void Host::turn_in(std::int64_t microseconds) {
  turn_.expires_after(std::chrono::microseconds(microseconds));
  turn_.async_wait([this](const boost::system::error_code& error) {
    if (!error) server_->turn();
  });
}

// One at a time: the one before has said that it is done.
void Host::run_aside(std::function<void()> what) {
  if (aside_.joinable()) aside_.join();
  aside_ = std::thread(std::move(what));
}

std::int64_t Host::clock_us() { return io::boottime_us(); }
std::int64_t Host::wall_us() { return io::wall_time_us(); }

void Host::deliver(service::Effects& effects) {
  if (options_.gate != nullptr) {
    for (const service::Effect& effect : effects) {
      const auto* change = std::get_if<service::Change>(&effect);
      if (change != nullptr && change->session != service::no_session) options_.gate->led(*change);
    }
  }
  frontend_->deliver(effects);
}

// --- Between the engine and the gate ------------------------------------------------------------

void Host::want(const service::Wanted& wanted) { options_.gate->want(wanted.space, wanted.name); }

void Host::leave(const service::Unwanted& unwanted) {
  options_.gate->leave(unwanted.space, unwanted.name);
}

bool Host::is_held_up() const { return options_.gate != nullptr && options_.gate->is_congested(); }

void Host::open(service::Namespace space, const std::string& name, service::FencingToken fence) {
  engine_->submit(service::Open{space, name, fence});
  server_->turn();
}

void Host::revoke(const service::Revoke& revoke) {
  engine_->submit(revoke);
  server_->turn();
}

void Host::elsewhere(const service::Elsewhere& leader) {
  engine_->submit(leader);
  server_->turn();
}

}  // namespace baton::server
