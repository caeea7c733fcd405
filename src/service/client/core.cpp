#include "service/client/core.h"

#include <pthread.h>
#include <pwd.h>
#include <signal.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <future>
#include <limits>

#include "baton/version.h"

namespace baton::client {

namespace {

constexpr const char* program = "baton client " BATON_VERSION_STRING;
constexpr Micros never = std::numeric_limits<Micros>::max();
constexpr std::size_t most_calls_in_a_row = 1024;

// While something is waited for, of a server beside which there are others.
constexpr Micros between_probes = 400'000;
constexpr Micros longest_silence = 800'000;

std::string new_nonce() {
  std::array<char, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) abort();
  return {bytes.data(), bytes.size()};
}

void find_out_who(ClientOptions& options) {
  if (options.host.empty()) {
    std::array<char, 257> name{};
    if (gethostname(name.data(), name.size() - 1) == 0) options.host = name.data();
  }
  if (options.user.empty()) {
    passwd entry{};
    passwd* found = nullptr;
    std::array<char, 4096> room{};
    getpwuid_r(getuid(), &entry, room.data(), room.size(), &found);
    options.user = found != nullptr ? found->pw_name : std::to_string(getuid());
  }
  if (options.process == 0) options.process = static_cast<std::uint32_t>(getpid());
}

Failure lost_failure(const std::string& why) { return {Error::session_lost, why}; }

service::Time time_of(Micros now) { return {now}; }

Result<std::vector<Address>> addresses_of(const std::string& url) {
  try {
    return io::parse_url(url);
  } catch (const io::AddressError& error) {
    return Failure{Error::bad_request, std::string("the URL ") + error.what()};
  }
}

}  // namespace

// --- Beginning and end --------------------------------------------------------------------------

Core::Core(ClientOptions options, std::vector<Address> addresses)
    : options_(std::move(options)),
      link_(io_, mutex_, *this, std::move(addresses)),
      alarm_(io_,
             [this] {
               {
                 const std::lock_guard lock(mutex_);
                 tick();
               }
               settle();
             }),
      loss_margin_(options_.loss_margin.count()),
      lease_end_(never) {}

Core::~Core() = default;

Result<std::shared_ptr<Core>> Core::start(ClientOptions options, const SessionTicket* ticket) {
  auto addresses = addresses_of(options.url);
  if (!addresses) return addresses.failure();
  if (options.ttl.count() - options.ttl.count() / 50 <= options.loss_margin.count() + 100'000)
    return Failure{Error::bad_request, "the ttl is too short for its loss margin"};
  find_out_who(options);
  const std::size_t address_count = addresses->size();
  auto core = std::make_shared<Core>(std::move(options), std::move(*addresses));
  if (!core->options_.keep_trying) core->tries_left_ = address_count;
  if (ticket != nullptr) {
    core->is_attached_ = true;
    core->session_ = ticket->session;
    core->nonce_ = ticket->nonce;
    core->next_request_ = ticket->next_request;
    core->epoch_ = ticket->epoch;
  }
  auto opened = std::make_shared<std::promise<Result<void>>>();
  core->opened_ = [opened](Result<void> result) { opened->set_value(std::move(result)); };
  core->run();
  auto future = opened->get_future();
  if (future.wait_for(core->options_.patience) != std::future_status::ready) {
    const std::lock_guard lock(core->mutex_);
    core->settle_opening({Error::unavailable, core->trouble_});
  }
  const Result<void> result = future.get();
  if (result) return core;
  core->shut_down();
  return result.failure();
}

void Core::run() {
  // The program's signals are not for this thread.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  {
    const std::lock_guard lock(mutex_);
    boost::asio::co_spawn(io_, link_.run(), boost::asio::detached);
    link_.set_patience(std::clamp<std::chrono::microseconds>(
        options_.ttl / 3, std::chrono::milliseconds(300), std::chrono::seconds(5)));
    thread_ = std::thread([self = shared_from_this()] {
      self->io_.run();
      self->settle();
    });
    thread_id_ = thread_.get_id();
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Core::settle_opening(Failure failure) {
  if (!opened_) return;
  auto opened = std::exchange(opened_, nullptr);
  opened(failure.error == Error::none ? Result<void>() : Result<void>(std::move(failure)));
}

Result<void> Core::close() {
  Result<void> result;
  std::future<Result<proto::Reply>> closed;
  {
    const std::lock_guard lock(mutex_);
    if (is_closed_) return {};
    woken();
    if (is_lost_) result = why_lost_;
    if (session_ != 0 && !is_detached_ && !is_lost_ && !is_own_thread()) {
      auto promise = std::make_shared<std::promise<Result<proto::Reply>>>();
      closed = promise->get_future();
      proto::Request request;
      request.mutable_close_session();
      add_request(std::move(request),
                  [promise](Result<proto::Reply> reply) { promise->set_value(std::move(reply)); },
                  {});
      flush();
    }
  }
  if (closed.valid()) {
    const auto patience = std::min<std::chrono::microseconds>(options_.patience, options_.ttl);
    if (closed.wait_for(patience) != std::future_status::ready) {
      result = Failure{Error::unavailable, "the session was left to its lease"};
    } else if (auto reply = closed.get(); !reply && reply.error() != Error::session_lost) {
      result = reply.failure();
    }
  }
  shut_down();
  if (result && !lost_holds_.empty())
    result = Failure{Error::lock_lost,
                     "'" + lost_holds_.front().name + "': " + lost_holds_.front().reason};
  return result;
}

Result<SessionTicket> Core::detach() {
  SessionTicket ticket;
  {
    const std::lock_guard lock(mutex_);
    woken();
    if (is_lost_) return why_lost_;
    if (is_closed_ || session_ == 0) return Failure{Error::session_lost, "there is no session"};
    ticket = {session_, nonce_, next_request_, epoch_};
    is_detached_ = true;
  }
  shut_down();
  return ticket;
}

void Core::shut_down() {
  {
    const std::lock_guard lock(mutex_);
    if (is_closed_) return;
    is_closed_ = true;
    opened_ = nullptr;
    lose(lost_failure("the client was closed"));
  }
  io_.stop();
  if (is_own_thread()) {
    thread_.detach();
  } else {
    thread_.join();
    settle();
  }
}

// --- What the thread does -----------------------------------------------------------------------

void Core::call(std::function<void()> function) {
  const std::lock_guard lock(mutex_);
  calls_.push_back(std::move(function));
  wake();
}

void Core::deliver(std::unique_lock<std::mutex>& lock, std::function<void()> function) {
  if (is_closed_) {
    lock.unlock();
    return function();
  }
  calls_.push_back(std::move(function));
  wake();
}

// Callbacks run on the core's thread, without the mutex.
void Core::wake() {
  if (calls_.empty() || gathers_) return;
  boost::asio::post(io_, [this] { settle(); });
}

void Core::settle() {
  std::unique_lock lock(mutex_);
  gathers_ = true;
  for (std::size_t i = 0; !calls_.empty() && i < most_calls_in_a_row; ++i) {
    auto function = std::move(calls_.front());
    calls_.pop_front();
    lock.unlock();
    function();
    function = nullptr;
    lock.lock();
  }
  gathers_ = false;
  wake();
  link_.flush();
}

// What callbacks write goes out when they are through.
void Core::flush() {
  if (!(gathers_ && is_own_thread())) link_.flush();
}

// However long this thread has not run: first of all the clock.
void Core::woken() {
  if (!lease_ || is_lost_) return;
  lease_->set_holding(!holds_.empty());
  carry_out(lease_->wake(time_of(boottime_us())));
}

void Core::tick() {
  woken();
  const Micros now = boottime_us();
  watch_silence(now);
  fail_overdue(now);
  give_up_waits(now);
  flush();
  set_alarm(now);
}

// A connection on which nothing is answered is no better than none. Who waits for something, and
// could ask others, does not wait for long.
void Core::watch_silence(Micros now) {
  if (is_lost_) return;
  if (phase_ == Phase::entering) return watch_entering(now);
  if (!lease_ || phase_ != Phase::ready) return;
  const bool is_curious = link_.has_several() && !pending_.empty();
  if (is_curious && keep_alives_.empty()) carry_out(lease_->connected(time_of(now)));
  Micros patience = terms_.length().value / 3;
  if (is_curious) patience = std::min(patience, longest_silence);
  if (!keep_alives_.empty() && now - keep_alives_.begin()->second >= patience) link_.drop_silent();
}

// A server may greet and then stop, or be cut off from its journal while another comes to lead. Who
// resumes is answered at once; an opening waits for the journal, and is asked for anew only where
// somebody else may answer.
void Core::watch_entering(Micros now) {
  if (session_ == 0 && !link_.has_several()) return;
  const Micros ttl = options_.ttl.count();
  const Micros patience = session_ == 0 ? ttl : std::max<Micros>(ttl / 3, 300'000);
  if (now - greeted_at_ >= patience) link_.drop_silent();
}

void Core::set_alarm(Micros now) {
  if (is_closed_) return;
  Micros next = now + (link_.has_several() ? between_probes : Micros{1'000'000});
  if (lease_ && !is_lost_) {
    if (const auto wake = lease_->next_wake()) next = std::min(next, wake->value);
  }
  alarm_.set(std::max(next, now + 100));
}

// Only without a session, or with one in doubt, is there no lease that would end a vain wait.
void Core::fail_overdue(Micros now) {
  if (is_lost_) return;
  const Micros patience = options_.patience.count();
  if (options_.session) {
    const bool is_doubtful = lease_ && lease_->phase() == service::LeaseClient::Phase::doubt;
    doubt_since_ = is_doubtful ? (doubt_since_ == 0 ? now : doubt_since_) : 0;
    if (!is_doubtful || (pending_.empty() && readings_.empty())) return;
    const Micros made = std::max(pending_.empty() ? 0 : pending_.begin()->second.made,
                                 readings_.empty() ? 0 : readings_.begin()->second.made);
    if (now - std::max(doubt_since_, made) >= patience)
      lose(lost_failure("no server has answered: " + trouble_));
    return;
  }
  const Failure failure{Error::unavailable, trouble_};
  while (!pending_.empty() && now - pending_.begin()->second.made >= patience) {
    calls_.push_back([done = std::move(pending_.begin()->second.done), failure] { done(failure); });
    pending_.erase(pending_.begin());
  }
  while (!readings_.empty() && now - readings_.begin()->second.made >= patience) {
    calls_.push_back(
        [done = std::move(readings_.begin()->second.done), failure] { done(failure); });
    readings_.erase(readings_.begin());
  }
}

// --- The connection -----------------------------------------------------------------------------

void Core::connected(const std::string&) {
  proto::ClientMessage message;
  message.mutable_hello()->set_protocol(protocol_version);
  message.mutable_hello()->set_program(program);
  link_.write(message);
  link_.flush();
}

void Core::disconnected(const std::string& why) {
  phase_ = Phase::away;
  trouble_ = why;
  keep_alives_.clear();
  if (tries_left_ > 0 && --tries_left_ == 0) settle_opening({Error::unavailable, trouble_});
  if (options_.session) return;
  // Nobody would recognise the repetition.
  const Failure failure{Error::unavailable,
                        "the connection broke before the answer came, which may have been yes"};
  for (auto& [id, pending] : pending_)
    calls_.push_back([done = std::move(pending.done), failure] { done(failure); });
  pending_.clear();
}

bool Core::received(std::string_view frame) {
  proto::ServerMessage message;
  if (!message.ParseFromArray(frame.data(), static_cast<int>(frame.size()))) return false;
  if (is_lost_) return true;
  using What = proto::ServerMessage;
  const auto what = message.what_case();
  if (phase_ == Phase::away && what != What::kWelcome && what != What::kGoodbye) return false;
  switch (what) {
    case What::kWelcome:
      hear(message.welcome());
      break;
    case What::kReply:
      hear(*message.mutable_reply());
      break;
    case What::kAlive:
      hear(message.alive());
      break;
    case What::kResumed:
      hear(message.resumed());
      break;
    case What::kAnswer:
      hear(*message.mutable_answer());
      break;
    case What::kChanges:
      hear(message.changes());
      break;
    case What::kQueued:
      hear(message.queued());
      break;
    case What::kHoldOver:
      hear(message.hold_over());
      break;
    case What::kSessionOver:
      hear(message.session_over());
      break;
    case What::kGoodbye:
      hear(message.goodbye());
      break;
    case What::WHAT_NOT_SET:
      break;  // of a later version
  }
  return true;
}

void Core::hear(const proto::Welcome& welcome) {
  if (phase_ != Phase::away) return;
  if (welcome.protocol() != protocol_version) {
    settle_opening({Error::version, "the server speaks protocol " +
                                        std::to_string(welcome.protocol()) + ", this client " +
                                        std::to_string(protocol_version)});
    return link_.drop("it speaks another protocol");
  }
  if (welcome.following() && !options_.stale) {
    tries_left_ = 0;  // a server is there, and another one leads or soon will
    if (welcome.leader().empty()) return link_.drop("no server leads at this moment");
    if (auto leader = addresses_of(welcome.leader())) link_.prefer(leader.value().front());
    return link_.drop("another server leads");
  }
  if (welcome.epoch() < epoch_ && !options_.stale) return link_.drop("it is out of date");
  epoch_ = welcome.epoch();
  if (lease_ && !lease_->is_current({epoch_})) return link_.drop("it is out of date");
  link_.settled();
  phase_ = Phase::entering;
  if (!options_.session) return become_ready();
  greeted_at_ = boottime_us();
  set_alarm(greeted_at_);
  if (session_ == 0) return open_session(boottime_us());
  resume();
}

void Core::hear(const proto::Goodbye& goodbye) {
  const Error error = error_of(goodbye.error());
  if (error == Error::version) settle_opening({error, goodbye.message()});
  link_.drop(goodbye.message().empty() ? std::string(message_of(error)) : goodbye.message());
}

// --- The session --------------------------------------------------------------------------------

// A repeated opening finds the session that the first one made, whose lease runs since then.
void Core::open_session(Micros now) {
  if (nonce_.empty() || now - opening_sent_ > options_.ttl.count() / 4) {
    nonce_ = new_nonce();
    opening_sent_ = now;
    opening_request_ = next_request_++;
    opening_tries_ = 0;
  }
  ++opening_tries_;
  proto::ClientMessage message;
  proto::Request& request = *message.mutable_request();
  request.set_request(opening_request_);
  request.set_confirmed(opening_request_);
  proto::OpenSession& open = *request.mutable_open_session();
  open.set_nonce(nonce_);
  open.mutable_who()->set_host(options_.host);
  open.mutable_who()->set_process(options_.process);
  open.mutable_who()->set_user(options_.user);
  open.mutable_who()->set_label(options_.label);
  open.set_ttl(options_.ttl.count());
  open.set_lock_delay(options_.lock_delay.count());
  open.set_fast(options_.fast);
  open.set_within(options_.within);
  link_.write(message);
}

void Core::hear_opened(const proto::Reply& reply) {
  if (session_ != 0 || reply.request() != opening_request_) return;
  if (reply.error() != 0 || !reply.has_opened()) {
    if (const Error error = error_of(reply.error()); !is_elsewhere(error))
      settle_opening({error == Error::none ? Error::internal : error, reply.message()});
    return link_.drop("it opens no session: " + reply.message());
  }
  session_ = reply.opened().session();
  begin_lease(reply.opened().ttl());
  const service::Welcome welcome{{epoch_}, nonce_, {session_}, time_of(opening_sent_)};
  carry_out(lease_->receive(time_of(boottime_us()), welcome));
  // One that an earlier server opened may have to report, even that it holds nothing.
  if (opening_tries_ > 1) return resume();
  become_ready();
}

void Core::resume() {
  proto::ClientMessage message;
  message.mutable_resume()->set_session(session_);
  message.mutable_resume()->set_nonce(nonce_);
  link_.write(message);
  link_.flush();
}

// A server may grant less than was asked for. Half of it at most is for stopping.
void Core::begin_lease(Micros ttl) {
  if (ttl < options_.ttl.count()) {
    loss_margin_ = std::min<Micros>(loss_margin_, ttl / 2);
  }
  terms_ = service::LeaseTerms::of({ttl}, {loss_margin_});
  lease_.emplace(nonce_, terms_, options_.fast);
}

void Core::hear(const proto::Resumed& resumed) {
  if (phase_ != Phase::entering || session_ == 0 || resumed.session() != session_) return;
  const Error error = error_of(resumed.error());
  if (error == Error::session_lost || error == Error::not_found)
    return lose(lost_failure(resumed.message().empty() ? "the server does not know it any more"
                                                       : resumed.message()));
  if (error != Error::none) return link_.drop(resumed.message());
  if (!lease_) {
    // One that was attached to: nobody here knows how long it has been left alone.
    begin_lease(resumed.ttl());
    const Micros now = boottime_us();
    lease_->assume({.phase = service::LeaseClient::Phase::doubt,
                    .session = {session_},
                    .epoch = {epoch_},
                    .leased_from = {now - 2 * resumed.ttl()},
                    .next_send = {now}});
  }
  reminders_left_ = resumed.reminders();
  const bool has_reported = resumed.must_report();
  if (has_reported) report();
  become_ready(has_reported);
}

// From here on requests are heard. The sign of life goes first: a grant counts only under a lease.
void Core::become_ready(bool has_reported) {
  phase_ = Phase::ready;
  if (lease_) carry_out(lease_->connected(time_of(boottime_us())));
  for (auto at = pending_.begin(); at != pending_.end();) {
    Pending& pending = at->second;
    const bool is_report = pending.message.request().has_reclaim();
    if (!is_report) send(pending);
    if (is_report && !has_reported) {
      // Nobody asks for it any more: it has arrived.
      calls_.push_back([done = std::move(pending.done)] { done(proto::Reply()); });
      at = pending_.erase(at);
    } else {
      ++at;
    }
  }
  for (auto& [number, reading] : readings_) {
    reading.so_far.Clear();
    link_.write(reading.message);
  }
  for (auto& [number, watch] : watches_) {
    proto::ClientMessage message;
    proto::Watch& again = *message.mutable_watch();
    again.set_number(number);
    again.set_space(watch.space);
    again.set_prefix(watch.prefix);
    again.set_after(watch.after);
    link_.write(message);
  }
  link_.flush();
  settle_if_entered();
  set_alarm(boottime_us());
}

// Who attaches waits until it is known that the session is alive, and what it has lost.
void Core::settle_if_entered() {
  if (phase_ != Phase::ready || reminders_left_ > 0) return;
  if (!lease_ || lease_->has_lease(time_of(boottime_us()))) settle_opening({Error::none, {}});
}

void Core::carry_out(const service::LeaseClient::Step& step) {
  using Event = service::LeaseClient::Event;
  lease_end_ = lease_->state().leased_from.value + terms_.length().value;
  if (step.event == Event::lost)
    return lose(lost_failure("no server has answered for as long as the lease lasts"));
  if (step.event == Event::jeopardy) tell_jeopardy(true);
  if (step.event == Event::safe) tell_jeopardy(false);
  if (!step.send || phase_ != Phase::ready) return;
  if (const auto* keep_alive = std::get_if<service::KeepAlive>(&*step.send)) {
    proto::ClientMessage message;
    message.mutable_keep_alive()->set_number(next_keep_alive_);
    keep_alives_.emplace(next_keep_alive_++, keep_alive->sent.value);
    link_.write(message);
    flush();
  }
}

void Core::hear(const proto::Alive& alive) {
  const auto sent = keep_alives_.find(alive.number());
  if (sent == keep_alives_.end() || !lease_) return;
  const service::Alive message{{alive.epoch()}, {session_}, time_of(sent->second)};
  keep_alives_.erase(keep_alives_.begin(), std::next(sent));
  const Micros now = boottime_us();
  carry_out(lease_->receive(time_of(now), message));
  settle_if_entered();
  set_alarm(now);
}

void Core::hear(const proto::SessionOver& over) {
  if (over.session() != session_) return;
  lose(lost_failure(over.reason()));
}

void Core::tell_jeopardy(bool is_near) {
  for (const auto& callback : on_jeopardy_)
    calls_.push_back([callback, is_near] { callback(is_near); });
  for (const auto& hold : holds_)
    for (const auto& callback : hold->on_jeopardy)
      calls_.push_back([callback, hold, is_near] {
        if (hold->state == HeldLock::State::held) callback(is_near);
      });
  wake();
}

// For ever. Those who hold are told first.
void Core::lose(Failure why) {
  if (is_lost_) return;
  why_lost_ = why;
  is_lost_ = true;
  const auto held = std::exchange(holds_, {});
  for (const auto& hold : held) lose_hold(hold, why);
  const auto stopping = std::exchange(stopping_, {});
  calls_.push_back([self = shared_from_this()] { self->lost_.request_stop(); });
  for (auto& callback : std::exchange(on_lost_, {}))
    calls_.push_back([callback = std::move(callback), why] { callback(why); });
  settle_opening(why);
  fail_everything(why);
  link_.stop();
  wake();
}

void Core::fail_everything(const Failure& why) {
  for (auto& [id, pending] : std::exchange(pending_, {}))
    calls_.push_back([done = std::move(pending.done), why] { done(why); });
  for (auto& [number, reading] : std::exchange(readings_, {}))
    calls_.push_back([done = std::move(reading.done), why] { done(why); });
  for (auto& [number, watch] : std::exchange(watches_, {}))
    if (watch.ended) calls_.push_back([ended = std::move(watch.ended), why] { ended(why); });
}

bool Core::is_alive() {
  if (is_lost_) return false;
  if (boottime_us() < lease_end_) return true;
  const std::lock_guard lock(mutex_);
  woken();
  // In doubt nothing is certain.
  return !is_lost_ && (!lease_ || lease_->has_lease(time_of(boottime_us())));
}

bool Core::is_connected() const {
  const std::lock_guard lock(mutex_);
  return phase_ == Phase::ready;
}

std::uint64_t Core::session() const {
  const std::lock_guard lock(mutex_);
  return session_;
}

Micros Core::ttl() const {
  const std::lock_guard lock(mutex_);
  return terms_.ttl.value;
}

Micros Core::loss_margin() const {
  const std::lock_guard lock(mutex_);
  return loss_margin_;
}

Micros Core::lease_left() {
  if (!is_alive()) return 0;
  const Micros end = lease_end_;
  return end == never ? never : std::max<Micros>(end - boottime_us(), 0);
}

Failure Core::why_lost() const {
  const std::lock_guard lock(mutex_);
  return why_lost_;
}

void Core::add_on_lost(std::function<void(const Failure&)> callback) {
  std::unique_lock lock(mutex_);
  if (!is_lost_) {
    on_lost_.push_back(std::move(callback));
  } else {
    deliver(lock, [callback = std::move(callback), why = why_lost_] { callback(why); });
  }
}

void Core::add_on_jeopardy(std::function<void(bool)> callback) {
  const std::lock_guard lock(mutex_);
  on_jeopardy_.push_back(std::move(callback));
}

}  // namespace baton::client
