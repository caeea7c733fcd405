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

namespace baton::client {

namespace {

constexpr std::size_t most_calls_in_a_row = 1024;
// While something is waited for, of a server beside which there are others.
constexpr Micros between_probes = 400'000;

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

Result<std::vector<Address>> addresses_of(const std::string& url) {
  try {
    return io::parse_url(url);
  } catch (const io::AddressError& error) {
    return Failure{Error::bad_request, std::string("the URL ") + error.what()};
  }
}

}  // namespace

// --- Beginning and end --------------------------------------------------------------------------

Core::Core(ClientOptions options, std::vector<Address> addresses, const SessionTicket* ticket)
    : link_(io_, mutex_, *this, std::move(addresses)),
      alarm_(io_,
             [this] {
               const Turn turn(*this);
               tick(turn.now);
             }),
      session_(std::move(options), ticket, new_nonce),
      requests_(ticket != nullptr ? ticket->next_request : opening_request + 1),
      holds_(ticket != nullptr) {}

Result<std::shared_ptr<Core>> Core::start(ClientOptions options, const SessionTicket* ticket) {
  auto addresses = addresses_of(options.url);
  if (!addresses) return addresses.failure();
  if (options.ttl.count() - options.ttl.count() / 50 <= options.loss_margin.count() + 100'000)
    return Failure{Error::bad_request, "the ttl is too short for its loss margin"};
  find_out_who(options);
  const std::size_t address_count = addresses->size();
  auto core = std::make_shared<Core>(std::move(options), std::move(*addresses), ticket);
  if (!core->session_.options().keep_trying) core->tries_left_ = address_count;
  auto opened = std::make_shared<std::promise<Result<void>>>();
  core->opened_ = [opened](Result<void> result) { opened->set_value(std::move(result)); };
  core->run();
  auto future = opened->get_future();
  if (future.wait_for(core->session_.options().patience) != std::future_status::ready) {
    const Turn turn(*core);
    core->out_.answer(core->opened_, Failure{Error::unavailable, core->trouble_});
  }
  const Result<void> result = future.get();
  if (result) return core;
  (void)core->end(nullptr);
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
        session_.options().ttl / 3, std::chrono::milliseconds(300), std::chrono::seconds(5)));
    thread_ = std::thread([self = shared_from_this()] { self->work(); });
    thread_id_ = thread_.get_id();
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Core::work() {
  io_.run();
  std::unique_lock lock(mutex_);
  while (!out_.calls.empty()) {
    lock.unlock();
    settle();
    lock.lock();
  }
  has_ended_ = true;
}

Result<void> Core::close() {
  Result<void> result;
  std::future<Result<proto::Reply>> closed;
  {
    const Turn turn(*this);
    if (is_closed_) return {};
    if (session_.is_lost()) {
      result = session_.why();
    } else if (session_.id() != 0 && !is_own_thread()) {
      auto promise = std::make_shared<std::promise<Result<proto::Reply>>>();
      closed = promise->get_future();
      proto::Request request;
      request.mutable_close_session();
      ask(std::move(request), turn.now,
          [promise](Result<proto::Reply> reply) { promise->set_value(std::move(reply)); });
    }
  }
  if (closed.valid()) {
    const ClientOptions& options = session_.options();
    const auto patience = std::min<std::chrono::microseconds>(options.patience, options.ttl);
    if (closed.wait_for(patience) != std::future_status::ready) {
      result = Failure{Error::unavailable, "the session was left to its lease"};
    } else if (auto reply = closed.get(); !reply && reply.error() != Error::session_lost) {
      result = reply.failure();
    }
  }
  (void)end(nullptr);
  if (const auto lost = lost_holds(); result && !lost.empty())
    result = Failure{Error::lock_lost, "'" + lost.front().name + "': " + lost.front().reason};
  return result;
}

Result<SessionTicket> Core::detach() {
  SessionTicket ticket;
  Failure why_not = end(&ticket);
  return why_not.error == Error::none ? Result(std::move(ticket)) : why_not;
}

Failure Core::end(SessionTicket* ticket) {
  {
    const Turn turn(*this);
    if (ticket != nullptr) {
      if (session_.is_lost()) return session_.why();
      if (session_.id() == 0) return {Error::session_lost, "there is no session"};
      *ticket = session_.ticket(requests_.next());
    }
    if (std::exchange(is_closed_, true)) return {Error::none, {}};
    opened_ = nullptr;
    follow(session_.lose({Error::session_lost, "the client was closed"}), turn.now);
  }
  io_.stop();
  // The thread itself ends when what it is doing returns.
  if (is_own_thread())
    thread_.detach();
  else
    thread_.join();
  return {Error::none, {}};
}

// --- Turns --------------------------------------------------------------------------------------

Core::Turn::Turn(Core& core) : core_(core), lock_(core.mutex_), now(boottime_us()) {
  core_.look_at_clock(now);
}

Core::Turn::~Turn() {
  core_.finish();
  if (!core_.has_ended_) return;
  lock_.unlock();
  core_.settle();
}

// However long nobody has looked: first of all the clock.
void Core::look_at_clock(Micros now) { follow(session_.wake(now, !holds_.empty(), out_), now); }

void Core::carry_out() {
  lease_end_.store(session_.lease_end(), std::memory_order_release);
  if (!out_.frames.empty()) link_.write(out_.frames);
  if (out_.hang_up) link_.drop(*std::exchange(out_.hang_up, std::nullopt));
}

// Ends a turn. Requests that callbacks make go out when the callbacks have returned.
void Core::finish() {
  carry_out();
  if (!(gathers_ && is_own_thread())) link_.flush();
  if (!out_.calls.empty() && !gathers_ && !has_ended_) boost::asio::post(io_, [this] { settle(); });
}

void Core::settle() {
  std::unique_lock lock(mutex_);
  gathers_ = true;
  for (std::size_t i = 0; !out_.calls.empty() && i < most_calls_in_a_row; ++i) {
    auto function = std::move(out_.calls.front());
    out_.calls.pop_front();
    lock.unlock();
    function();
    function = nullptr;
    lock.lock();
  }
  gathers_ = false;
  finish();
}

std::uint64_t Core::ask(proto::Request request, Micros now, Replied done,
                        std::shared_ptr<HeldLock> hold) {
  if (session_.is_lost() || requests_.is_full()) {
    out_.answer(done, session_.is_lost()
                          ? session_.why()
                          : Failure{Error::too_many, "too many requests are unanswered"});
    return 0;
  }
  const auto& message = requests_.add(std::move(request), std::move(done), std::move(hold), now);
  say(message);
  return message.request().request();
}

void Core::say(const proto::ClientMessage& message) {
  if (session_.is_ready()) out_.send(message);
}

// --- The clock ----------------------------------------------------------------------------------

void Core::tick(Micros now) {
  const bool is_waiting = !requests_.empty();
  if (is_waiting && link_.has_several()) follow(session_.probe(now, out_), now);
  if (session_.is_silent(now, link_.has_several(), is_waiting)) link_.drop_silent();
  fail_overdue(now);
  for (const std::uint64_t waiting : requests_.give_up_overdue(now, out_))
    ask(cancel_of(waiting), now);
  set_alarm(now);
}

// Only without a session, or with one in doubt, is there no lease that would end a vain wait.
void Core::fail_overdue(Micros now) {
  const Micros patience = session_.options().patience.count();
  if (!session_.options().session) {
    const Failure failure{Error::unavailable, trouble_};
    requests_.fail_older(now - patience, failure, out_);
    reads_.fail_older(now - patience, failure, out_);
  } else if (session_.doubt_since() != 0 && !(requests_.empty() && reads_.empty())) {
    const Micros since = std::max({session_.doubt_since(), requests_.oldest(), reads_.oldest()});
    if (now - since < patience) return;
    follow(session_.lose({Error::session_lost, "no server has answered: " + trouble_}), now);
  }
}

void Core::set_alarm(Micros now) {
  if (session_.is_lost()) return;
  const Micros next = now + (link_.has_several() ? between_probes : Micros{1'000'000});
  alarm_.set(std::max(std::min(next, session_.next_wake().value_or(next)), now + 100));
}

// --- The connection -----------------------------------------------------------------------------

void Core::woken() {
  look_at_clock(boottime_us());
  finish();
}

void Core::connected(const std::string&) {
  session_.greet(out_);
  carry_out();
}

void Core::disconnected(const std::string& why) {
  session_.disconnected();
  trouble_ = why;
  if (tries_left_ > 0 && --tries_left_ == 0)
    out_.answer(opened_, Failure{Error::unavailable, trouble_});
  if (session_.options().session) return;
  // Nobody would recognise the repetition.
  requests_.fail_all(
      {Error::unavailable, "the connection broke before the answer came, which may have been yes"},
      out_);
}

bool Core::received(std::string_view frame) {
  proto::ServerMessage message;
  if (!message.ParseFromArray(frame.data(), static_cast<int>(frame.size()))) return false;
  if (session_.is_lost()) return true;
  if (session_.is_away() && !message.has_welcome() && !message.has_goodbye()) return false;
  const Micros now = boottime_us();
  hear(message, now);
  // attach() waits until the server has said that the session lives and which holds it has lost.
  if (opened_ && session_.is_ready() && session_.has_lease(now) && !holds_.expects_reminders())
    out_.answer(opened_, Result<void>());
  carry_out();
  return true;
}

void Core::hear(proto::ServerMessage& message, Micros now) {
  using What = proto::ServerMessage;
  switch (message.what_case()) {
    case What::kWelcome:
      return hear(message.welcome(), now);
    case What::kReply:
      return hear(*message.mutable_reply(), now);
    case What::kAlive:
      follow(session_.hear(message.alive(), now, out_), now);
      return set_alarm(now);
    case What::kResumed:
      holds_.expect_reminders(message.resumed().reminders());
      return follow(session_.hear(message.resumed(), now, out_), now);
    case What::kAnswer:
      return reads_.hear(*message.mutable_answer(), out_);
    case What::kChanges:
      return watches_.hear(message.changes(), out_);
    case What::kQueued:
      return requests_.hear(message.queued());
    case What::kHoldOver:
      if (auto request = holds_.hear(message.hold_over(), out_)) ask(std::move(*request), now);
      return;
    case What::kSessionOver:
      return follow(session_.hear(message.session_over()), now);
    case What::kGoodbye:
      return hear(message.goodbye());
    case What::WHAT_NOT_SET:
      break;  // of a later version
  }
}

void Core::hear(const proto::Welcome& welcome, Micros now) {
  const Session::Event event = session_.hear(welcome, now, out_);
  if (event == Session::Event::follows) {
    tries_left_ = 0;  // a server is there, and another one leads or soon will
    if (auto leader = addresses_of(welcome.leader())) link_.prefer(leader->front());
  }
  if (!out_.hang_up) link_.settled();
  follow(event, now);
  set_alarm(now);
}

void Core::hear(const proto::Goodbye& goodbye) {
  const Error error = error_of(goodbye.error());
  if (error == Error::version) out_.answer(opened_, Failure{error, goodbye.message()});
  out_.hang_up = goodbye.message().empty() ? std::string(message_of(error)) : goodbye.message();
}

void Core::hear(proto::Reply& reply, Micros now) {
  if (session_.is_opening()) return follow(session_.hear(reply, now, out_), now);
  if (!requests_.contains(reply.request())) return;
  if (reply.has_granted() && !session_.has_lease(now)) {
    // It may be another's already. The lease comes first; then the answer is asked for again.
    out_.hang_up = "a grant came before the lease";
    return;
  }
  const Error error = error_of(reply.error());
  if (session_.id() != 0 && is_elsewhere(error)) {
    out_.hang_up = reply.message();
    return;
  }
  Pending answered = requests_.take(reply.request());
  const proto::Request& asked = answered.asked();
  if (error != Error::none) {
    const Failure failure{error, reply.message()};
    out_.answer(answered.done, failure);
    if (error == Error::session_lost) return follow(session_.lose(failure), now);
    if (asked.has_acquire() && reply.has_granted())
      for (auto& rest : release_of_rest(asked.acquire(), reply.granted()))
        ask(std::move(rest), now);
    return;
  }
  if (answered.hold) holds_.answered(answered.hold, asked, reply.granted());
  if (asked.has_acquire() && !answered.done) {
    // Nobody waits for it any more.
    (void)holds_.let_go(answered.hold, out_);
    ask(release_of(*answered.hold), now);
  }
  out_.answer(answered.done, std::move(reply));
}

// --- What the session decided -------------------------------------------------------------------

void Core::follow(Session::Event event, Micros now) {
  using Event = Session::Event;
  switch (event) {
    case Event::none:
    case Event::follows:
      return;
    case Event::refused:
      return out_.answer(opened_, session_.why());
    case Event::admitted:
      return enter(now);
    case Event::jeopardy:
    case Event::safe:
      tell_jeopardy(session_.claim(), event == Event::jeopardy, out_);
      return holds_.tell_jeopardy(event == Event::jeopardy, out_);
    case Event::lost:
      return lose();
  }
}

void Core::enter(Micros now) {
  const bool has_reported = session_.must_report();
  if (has_reported) requests_.report(holds_, now, out_);
  follow(session_.begin(now, out_), now);
  requests_.repeat(has_reported, out_);
  reads_.repeat(out_);
  watches_.repeat(out_);
  set_alarm(now);
}

// For ever. Those who hold are told first.
void Core::lose() {
  const Failure& why = session_.why();
  holds_.lose_all(why, out_);
  tell_lost(session_.claim(), out_);
  out_.answer(opened_, why);
  requests_.fail_all(why, out_);
  reads_.fail_all(why, out_);
  watches_.fail_all(why, out_);
  link_.stop();
}

}  // namespace baton::client
