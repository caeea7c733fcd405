#include "server/host.h"

#include <spdlog/sinks/null_sink.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <chrono>
#include <climits>
#include <ctime>
#include <utility>

#include "journal/open.h"

namespace baton::server {

namespace {

namespace asio = boost::asio;

constexpr const char* program = "baton 0.1.0";
constexpr std::chrono::milliseconds between_pulses{100};
constexpr std::chrono::milliseconds between_looks_at_the_end{20};
constexpr int most_looks_at_the_end = 50;

std::string name_of_machine() {
  char name[HOST_NAME_MAX + 1] = "";
  ::gethostname(name, sizeof name - 1);
  return name;
}

std::int64_t read_clock_us(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1000;
}

}  // namespace

Host::Host(HostOptions options)
    : log_(options.log),
      options_(std::move(options)),
      io_(1),
      work_(io_.get_executor()),
      pulse_(io_),
      due_(io_),
      ending_(io_) {
  if (log_ == nullptr) {
    log_ = std::make_shared<spdlog::logger>("", std::make_shared<spdlog::sinks::null_sink_mt>());
  }
  if (options_.name.empty()) options_.name = name_of_machine();
  options_.engine.server = options_.name;
  open_journal();
  auto& host = static_cast<EngineHost&>(*this);
  engine_ = std::make_unique<Engine>(*journal_, host, options_.engine);
  desk_ = std::make_unique<Desk>(*engine_, host,
                                 DeskOptions{.program = program,
                                             .server = options_.name,
                                             .journal = journal_->describe(),
                                             .scope = options_.scope});
  server_ = std::make_unique<Server>(io_, *engine_, *desk_, options_.limits);
  server_->on_turn([this] { watch_due(); });
  for (const std::string& text : options_.listen) {
    const Address address = parse_address(text);
    if (!address.is_loopback()) {
      log_->warn("{} can be reached from other machines, and there is no authentication yet", text);
    }
    server_->listen(address);
  }
  for (const int descriptor : options_.descriptors) server_->adopt(descriptor);
  lead();
}

Host::~Host() {
  server_.reset();
  // What the journal still calls back for is posted, and never runs.
  if (journal_ != nullptr) journal_->close();
  if (aside_.joinable()) aside_.join();
}

void Host::open_journal() {
  journal_ = journal::open(options_.journal,
                           {.accept_loss = options_.accept_loss,
                            .warn = [this](const std::string& what) { log_->warn("{}", what); }});
}

void Host::lead() {
  const auto begin = std::chrono::steady_clock::now();
  engine_->start([this] { serve(); });
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  log_->info("read {}: {} commands since the last snapshot, {} sessions, in {:.3f} s",
             journal_->describe(), engine_->counters().replayed, engine_->state().session_count(),
             took.count());
}

// --- Running ------------------------------------------------------------------------------------

std::optional<std::string> Host::run() {
  io_.run();
  return problem_;
}

void Host::serve() {
  if (is_stopping_) return;
  is_serving_ = true;
  desk_->open();
  server_->start();
  pulse();
  for (const std::string& url : server_->addresses()) log_->info("listening on {}", url);
  log_->info("leading in epoch {}", engine_->epoch());
  if (engine_->state().is_recovering()) {
    log_->warn("after a crash: nothing is granted until {} sessions have reported what they hold",
               engine_->state().unreported().size());
  }
  if (options_.on_ready) options_.on_ready();
}

// Leases are looked after once in a while: first the time, then what has arrived, then who is late.
void Host::pulse() {
  desk_->wake();
  asio::post(io_, [this] {
    if (is_stopping_) return;
    desk_->expire();
    stop_when_idle();
    server_->turn();
  });
  pulse_.expires_after(between_pulses);
  pulse_.async_wait([this](const boost::system::error_code& error) {
    if (!error) pulse();
  });
}

// Sees to it that what is due happens although nobody asks for anything.
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

void Host::stop_when_idle() {
  if (options_.idle_stop_s == 0) return;
  if (engine_->state().session_count() > 0 || desk_->guests() > 0) {
    idle_since_us_.reset();
    return;
  }
  if (!idle_since_us_) idle_since_us_ = clock_us();
  const std::int64_t idle_us = clock_us() - *idle_since_us_;
  if (idle_us < static_cast<std::int64_t>(options_.idle_stop_s) * 1'000'000) return;
  log_->info("nobody has needed this server for {} s", options_.idle_stop_s);
  begin_stop();
}

// --- Stopping -----------------------------------------------------------------------------------

void Host::stop() {
  asio::post(io_, [this] { begin_stop(); });
}

void Host::begin_stop() {
  if (std::exchange(is_stopping_, true)) return;
  log_->info("stopping");
  server_->stop_listening();
  desk_->close();
  engine_->stop([this] {
    desk_->dismiss(Error::shutting_down, "the server is stopping");
    end_stop(most_looks_at_the_end);
  });
}

// Waits a moment for what has been said to be written.
void Host::end_stop(int tries_left) {
  if (server_->is_all_written() || tries_left == 0) {
    log_->info("stopped");
    io_.stop();
    return;
  }
  ending_.expires_after(between_looks_at_the_end);
  ending_.async_wait(
      [this, tries_left](const boost::system::error_code&) { end_stop(tries_left - 1); });
}

void Host::fail(const journal::Fault& fault) {
  problem_ = fault.what;
  log_->critical("the journal failed, and so nothing can be promised any more: {}", fault.what);
  io_.stop();
}

// --- For the engine -----------------------------------------------------------------------------

void Host::post(std::function<void()> what) {
  asio::post(io_, [this, what = std::move(what)] {
    what();
    server_->turn();
  });
}

// One at a time: the one before has said that it is done.
void Host::run_aside(std::function<void()> what) {
  if (aside_.joinable()) aside_.join();
  aside_ = std::thread(std::move(what));
}

std::int64_t Host::clock_us() { return read_clock_us(CLOCK_BOOTTIME); }
std::int64_t Host::wall_us() { return read_clock_us(CLOCK_REALTIME); }

void Host::deliver(service::Effects& effects) { desk_->deliver(effects); }

}  // namespace baton::server
