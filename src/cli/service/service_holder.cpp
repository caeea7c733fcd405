#include "cli/service/service_holder.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <future>
#include <system_error>

#include "cli/common/terminal.h"
#include "cli/common/text.h"
#include "cli/service/token.h"
#include "cli/service/who.h"
#include "io/clock.h"

namespace baton::cli {

namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

// What is left of the time to stop when the guard kills on its own, for the kill to take effect.
constexpr milliseconds last_moment{250};
constexpr milliseconds between_revivals{300};
constexpr milliseconds before_explaining{1500};
constexpr std::chrono::seconds patience_at_the_end{5};

io::Descriptor checked(int descriptor) {
  if (descriptor < 0) throw std::system_error(errno, std::generic_category());
  return io::Descriptor(descriptor);
}

void watch(const io::Descriptor& epoll, const io::Descriptor& what) {
  epoll_event event{.events = EPOLLIN, .data = {.fd = what.get()}};
  if (epoll_ctl(epoll.get(), EPOLL_CTL_ADD, what.get(), &event) != 0) {
    throw std::system_error(errno, std::generic_category());
  }
}

void drain(const io::Descriptor& counter) {
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t size = read(counter.get(), &count, sizeof count);
}

}  // namespace

ServiceHolder::ServiceHolder(const HoldOptions& options, Reach reach)
    : options_(options), reach_(std::move(reach)), front_(static_cast<std::uint32_t>(getpid())) {}

void ServiceHolder::begin() {
  any_news_ = checked(epoll_create1(EPOLL_CLOEXEC));
  news_ = checked(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  timer_ = checked(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  watch(any_news_, news_);
  watch(any_news_, timer_);
  reviver_ = std::jthread([this](std::stop_token stop) { revive_when_needed(std::move(stop)); });
  taker_ = std::thread([this] { take(); });
}

// --- Taking it ----------------------------------------------------------------------------------

ClientOptions ServiceHolder::client_options() const {
  ClientOptions options = options_.client();
  options.loss_margin = options_.time_to_stop();
  options.process = front_;
  if (const auto around = session_around(); around && around->url == reach_.url()) {
    options.within = around->session;
  }
  return options;
}

void ServiceHolder::take() {
  try {
    Client client = reach_.connect(client_options());
    client.on_jeopardy([this](bool is_near) {
      const std::lock_guard guard(mutex_);
      is_in_jeopardy_ = is_near;
      changed_.notify_all();
    });
    {
      const std::lock_guard guard(mutex_);
      client_ = std::move(client);
    }
    tell_time_to_end();
    const Result<void> taken = options_.is_election ? take_lead() : take_lock();
    if (!taken) return fail(taken.failure());
    lock_.on_lost([this](const Failure& failure) { lose(failure); });
    become(State::held);
  } catch (const Refused& refused) {
    fail(refused.what(), refused.code());
  } catch (const std::exception& error) {
    fail(error.what(), process::exit_code::failed);
  }
}

Result<void> ServiceHolder::take_lock() {
  LockOptions options = options_.lock();
  options.give_up = give_up_.get_token();
  Result<Lock> lock = client_->lock(options_.names, std::move(options));
  if (!lock) return lock.failure();
  lock_ = std::move(lock).value();
  return {};
}

Result<void> ServiceHolder::take_lead() {
  CampaignOptions options = options_.campaign();
  options.give_up = give_up_.get_token();
  auto lead =
      client_->election(options_.names.front()).campaign(options_.value, std::move(options));
  if (!lead) return lead.failure();
  lock_ = std::move(lead->hold());
  return {};
}

void ServiceHolder::fail(const Failure& failure) {
  const bool is_conflict = failure.error == Error::busy || failure.error == Error::timed_out;
  std::string what = told(failure);
  if (is_conflict) {
    const std::string whose = whose_it_is();
    if (!whose.empty()) what = whose;
    const bool has_waited = failure.error == Error::timed_out && options_.asked.wait;
    if (has_waited) what = "gave up after " + typed(*options_.asked.wait) + ": " + what;
  }
  (void)client_->close();
  fail(what, is_conflict ? options_.conflict_exit_code : exit_code_of(failure.error));
}

void ServiceHolder::fail(const std::string& what, int code) {
  {
    const std::lock_guard guard(mutex_);
    if (state_ != State::waiting) return;
    message_ = what;
    failure_code_ = code;
  }
  become(State::failed);
}

// Of the first that is held: "'a' is held by ann@host, process 12, for 3 s".
std::string ServiceHolder::whose_it_is() {
  for (const std::string& name : options_.names) {
    const auto found = client_->locks({.elections = options_.is_election, .name = name});
    if (!found || found->locks.empty() || found->locks.front().holders.empty()) continue;
    const HolderInfo& holder = found->locks.front().holders.front();
    std::string text = "'" + name + "' is held by " + described(holder.who);
    if (!holder.label.empty()) text += " ('" + holder.label + "')";
    return text + ", for " + spoken(holder.held_for);
  }
  return "";
}

void ServiceHolder::lose(const Failure& failure) {
  {
    const std::lock_guard guard(mutex_);
    message_ = (options_.is_election ? "the lead of " : "lost ") + options_.quoted_names() +
               (options_.is_election ? " is lost: " : ": ") + to_string(failure);
  }
  become(State::lost);
}

void ServiceHolder::become(State state) {
  const std::lock_guard guard(mutex_);
  if (state_ == State::failed || state_ == State::lost) return;
  state_ = state;
  changed_.notify_all();
  if (state == State::held) {
    const auto often = std::max<nanoseconds>(client_->ttl() / 16, milliseconds(50));
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(often);
    const timespec interval{seconds.count(), (often - seconds).count()};
    const itimerspec every{interval, interval};
    timerfd_settime(timer_.get(), 0, &every, nullptr);
  }
  eventfd_write(news_.get(), 1);
}

// A server whose leases are short leaves less time than was asked for.
void ServiceHolder::tell_time_to_end() {
  if (!options_.kill_after || client_->loss_margin() >= options_.time_to_stop()) return;
  const auto left = std::chrono::duration_cast<Micros>(client_->loss_margin() - last_moment);
  tell("baton: leases last " + typed(client_->ttl()) + " at this server: if " +
       printable(options_.quoted_names()) + " is lost, the command gets only " + typed(left) +
       " to end");
}

// Why it takes so long, if nobody at all could have it now.
void ServiceHolder::tell_trouble() {
  const auto status = client_->status();
  if (!status || status->trouble.empty()) return;
  tell("baton: waiting for " + printable(options_.quoted_names()) + ": " +
       printable(status->trouble));
}

void ServiceHolder::revive_when_needed(std::stop_token stop) {
  std::unique_lock guard(mutex_);
  changed_.wait_for(guard, stop, before_explaining,
                    [this] { return state_ != State::waiting || is_in_jeopardy_; });
  // A server of the user's own has no such trouble, and may have to be started anew.
  const bool is_far = reach_.choice().scope == local::Scope::given;
  if (state_ == State::waiting && is_far && client_ && !stop.stop_requested()) {
    guard.unlock();
    tell_trouble();
    guard.lock();
  }
  while (!stop.stop_requested()) {
    changed_.wait(guard, stop, [this] { return is_in_jeopardy_; });
    if (stop.stop_requested()) return;
    guard.unlock();
    reach_.revive();
    guard.lock();
    changed_.wait_for(guard, stop, between_revivals, [] { return false; });
  }
}

// --- What the keeper asks -----------------------------------------------------------------------

process::Holder::State ServiceHolder::state() {
  drain(news_);
  drain(timer_);
  const std::lock_guard guard(mutex_);
  return state_;
}

process::Environment ServiceHolder::environment() {
  std::string names;
  for (const std::string& name : options_.names) names += (names.empty() ? "" : "\n") + name;
  process::Environment environment{{options_.is_election ? "BATON_ELECTION" : "BATON_LOCK", names},
                                   {"BATON_FENCE", std::to_string(lock_.fence())},
                                   {"BATON_SESSION", std::to_string(client_->session())},
                                   {"BATON_SESSION_URL", reach_.url()}};
  if (options_.asked.slots > 1)
    environment.emplace_back("BATON_SLOT", std::to_string(lock_.slot()));
  return environment;
}

std::string ServiceHolder::message() {
  const std::lock_guard guard(mutex_);
  return message_;
}

int ServiceHolder::failure_code() {
  const std::lock_guard guard(mutex_);
  return failure_code_;
}

// Rounded down, so that it does not seem to change when nothing has. Once the lease is over there
// is no more to come.
std::optional<nanoseconds> ServiceHolder::stop_by() {
  const nanoseconds now = std::chrono::microseconds(io::boottime_us());
  const nanoseconds left = lock_.lease_left();
  if (left.count() > 0) {
    const nanoseconds end = now + left + client_->loss_margin() - last_moment;
    stop_by_ = std::chrono::floor<milliseconds>(end) / 10 * 10;
  }
  return stop_by_;
}

// To close the session releases everything that it holds or waits for.
void ServiceHolder::release() {
  give_up_.request_stop();
  std::unique_lock guard(mutex_);
  changed_.wait_for(guard, patience_at_the_end,
                    [this] { return state_ != State::waiting || !client_; });
  if (!client_) return;  // it was still looking for a server
  guard.unlock();
  (void)client_->close();
}

// An operator who broke the lock, or the end of its time, waits for this.
void ServiceHolder::stopped() { (void)client_->close(); }

}  // namespace baton::cli
