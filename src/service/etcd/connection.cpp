#include "service/etcd/connection.h"

#include <grpc/support/log.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "service/etcd/outcome.h"
#include "service/etcd/unary.h"

namespace baton::etcd {

namespace {

using std::chrono::milliseconds;

// How long one endpoint may take to connect before the next is tried as well.
constexpr milliseconds patience{250};
// Between looks at endpoints that are connecting: from 1 ms on, doubled each time.
constexpr milliseconds longest_alarm_pause{50};
constexpr milliseconds pause_of_authentication{100};

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file || text.empty()) throw std::runtime_error("etcd: cannot read the file " + path);
  return text;
}

std::shared_ptr<grpc::ChannelCredentials> credentials(const EtcdOptions& options) {
  if (!options.tls) return grpc::InsecureChannelCredentials();
  const Tls& tls = *options.tls;
  if (tls.certificate_file.empty() != tls.key_file.empty()) {
    throw std::runtime_error("etcd: a certificate and its key belong together");
  }
  grpc::SslCredentialsOptions files;
  if (!tls.ca_file.empty()) files.pem_root_certs = content(tls.ca_file);
  if (!tls.certificate_file.empty()) files.pem_cert_chain = content(tls.certificate_file);
  if (!tls.key_file.empty()) files.pem_private_key = content(tls.key_file);
  return grpc::SslCredentials(files);
}

grpc::ChannelArguments arguments(const EtcdOptions& options) {
  grpc::ChannelArguments result;
  // After a refused connection; the least is how long an attempt may take.
  result.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  result.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 500);
  result.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 2000);
  // A silent connection is asked for a sign of life. etcd ends connections that do so more often
  // than every five seconds.
  result.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 6000);
  result.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 2000);
  result.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  // Nothing is repeated behind anybody's back.
  result.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  result.SetInt(GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION, 1);
  result.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  // A connection of its own, whatever else this process has to do with etcd.
  result.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  // etcd limits what is put in one request, not what many of them add up to when they are read.
  result.SetMaxReceiveMessageSize(-1);
  if (options.tls && !options.tls->server_name.empty()) {
    result.SetSslTargetNameOverride(options.tls->server_name);
  }
  return result;
}

gpr_timespec in(Clock::duration duration) {
  const auto us = std::chrono::duration_cast<std::chrono::microseconds>(duration).count();
  return gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_micros(us, GPR_TIMESPAN));
}

// Silences gRPC's own log: the outcomes contain the errors, and gRPC would write a line to standard
// error for each attempt to connect.
void keep_quiet() {
  static const bool is_quiet = [] {
    if (std::getenv("GRPC_VERBOSITY") != nullptr) return false;
    gpr_set_log_function([](gpr_log_func_args*) {});
    return true;
  }();
  static_cast<void>(is_quiet);
}

// The tag that gRPC returns for the alarm, in place of a job.
void* const alarm_tag = nullptr;

}  // namespace

Connection::Connection(const EtcdOptions& options)
    : options_(options), timeout_(options.timeout_ms), needs_token_(!options.user.empty()) {
  if (options.endpoints.empty()) throw std::runtime_error("etcd: no endpoint is given");
  if (!options.post) throw std::runtime_error("etcd: nowhere to call back");
  keep_quiet();
  const auto how = credentials(options);
  const auto with = arguments(options);
  for (const std::string& address : options.endpoints) {
    Endpoint endpoint;
    endpoint.index = endpoints_.size();
    endpoint.address = address;
    endpoint.channel = grpc::CreateCustomChannel(address, how, with);
    endpoint.kv = pb::KV::NewStub(endpoint.channel);
    endpoint.watch = pb::Watch::NewStub(endpoint.channel);
    endpoint.lease = pb::Lease::NewStub(endpoint.channel);
    endpoint.maintenance = pb::Maintenance::NewStub(endpoint.channel);
    endpoint.auth = pb::Auth::NewStub(endpoint.channel);
    endpoints_.push_back(std::move(endpoint));
  }
  endpoints_.front().channel->GetState(true);
  thread_ = std::thread([this] { run(); });
}

Connection::~Connection() {
  {
    const std::lock_guard lock(mutex_);
    is_closing_ = true;
    *is_alive_ = false;
    for (Job* job : std::exchange(waiting_, {})) jobs_.erase(job);
    for (const auto& [job, owned] : jobs_) job->cancel();
    alarm_.Cancel();
    close_if_idle();
  }
  thread_.join();
}

void Connection::start(std::unique_ptr<Job> job) {
  const std::lock_guard lock(mutex_);
  Job& added = *job;
  jobs_.emplace(&added, std::move(job));
  wait(added);
}

void Connection::start_at(std::size_t endpoint, std::unique_ptr<Job> job) {
  const std::lock_guard lock(mutex_);
  Job& added = *job;
  jobs_.emplace(&added, std::move(job));
  added.is_pinned = true;
  send(added, endpoints_[endpoint]);
}

void Connection::with_lock(const std::function<void()>& action) {
  const std::lock_guard lock(mutex_);
  action();
}

void Connection::prefer(const std::string& address) {
  const std::lock_guard lock(mutex_);
  for (const Endpoint& endpoint : endpoints_) {
    if (endpoint.address != address || endpoint.index == current_) continue;
    if (endpoint.channel->GetState(true) != GRPC_CHANNEL_READY) continue;
    current_ = endpoint.index;
    others_tried_ = 0;
    next_other_ = Clock::time_point::max();
  }
}

void Connection::wait(Job& job) {
  if (is_closing_) return drop(job);
  job.is_waiting = true;
  waiting_.push_back(&job);
  pump();
}

void Connection::drop(Job& job) {
  if (job.is_waiting) std::erase(waiting_, &job);
  jobs_.erase(&job);
}

void Connection::failed(std::size_t endpoint) {
  if (endpoint != current_ || endpoints_.size() == 1) return;
  current_ = (current_ + 1) % endpoints_.size();
  others_tried_ = 0;
  next_other_ = Clock::now() + patience;
  for (const auto& [job, owned] : jobs_) {
    if (job->is_long && !job->is_waiting && job->endpoint == endpoint) job->cancel();
  }
}

bool Connection::renews_token(Job& job, const std::string& error) {
  const bool may_repeat = job.needs_token && !job.is_pinned && !job.token_was_renewed;
  if (options_.user.empty() || !may_repeat || !wants_new_token(error)) return false;
  job.token_was_renewed = true;
  needs_token_ = true;
  if (token_ == job.token) token_.clear();
  wait(job);
  return true;
}

void Connection::post(std::function<void()> callback) {
  callbacks_.push_back([is_alive = is_alive_, callback = std::move(callback)] {
    if (*is_alive) callback();
  });
}

void Connection::run() {
  void* tag = nullptr;
  bool ok = false;
  while (queue_.Next(&tag, &ok)) {
    std::vector<std::function<void()>> callbacks;
    {
      const std::lock_guard lock(mutex_);
      if (tag == alarm_tag) {
        alarm_is_set_ = false;
        tick();
      } else {
        static_cast<Job*>(tag)->arrived(ok);
      }
      close_if_idle();
      if (!is_closing_) callbacks = std::exchange(callbacks_, {});
    }
    for (auto& callback : callbacks) options_.post(std::move(callback));
  }
}

void Connection::close_if_idle() {
  if (!is_closing_ || is_shut_down_ || alarm_is_set_ || !jobs_.empty()) return;
  is_shut_down_ = true;
  queue_.Shutdown();
}

// Sends what can be sent.
void Connection::pump() {
  if (is_closing_ || waiting_.empty()) return;
  if (!find_ready()) return set_alarm();
  Endpoint& endpoint = endpoints_[current_];
  const bool lacks_token = needs_token_ && token_.empty();
  const Clock::time_point now = Clock::now();
  for (Job* job : std::exchange(waiting_, {})) {
    const bool can_go = job->not_before <= now && !(lacks_token && job->needs_token);
    if (can_go) {
      send(*job, endpoint);
    } else {
      waiting_.push_back(job);
    }
  }
  if (lacks_token) authenticate();
  if (!waiting_.empty()) set_alarm();
}

void Connection::tick() {
  if (is_closing_) return;
  expire();
  alarm_pause_ = std::min(alarm_pause_ * 2, longest_alarm_pause);
  pump();
  if (waiting_.empty()) alarm_pause_ = milliseconds(1);
}

void Connection::set_alarm() {
  if (std::exchange(alarm_is_set_, true)) return;
  alarm_.Set(&queue_, in(alarm_pause_), alarm_tag);
}

void Connection::expire() {
  const Clock::time_point now = Clock::now();
  for (Job* job : std::vector<Job*>(waiting_)) {
    if (job->deadline <= now) job->give_up({Outcome::Kind::unknown, describe()});
  }
}

// The current endpoint if it is connected; otherwise those after it, one more after each failure or
// while.
bool Connection::find_ready() {
  const std::size_t count = endpoints_.size();
  for (std::size_t i = 0; i <= others_tried_ && i < count; ++i) {
    Endpoint& endpoint = endpoints_[(current_ + i) % count];
    const grpc_connectivity_state state = endpoint.channel->GetState(true);
    if (state == GRPC_CHANNEL_READY) {
      endpoint.was_asked_why = false;
      if (i > 0) failed(current_);
      current_ = endpoint.index;
      others_tried_ = 0;
      next_other_ = Clock::time_point::max();
      return true;
    }
    const bool is_down = state == GRPC_CHANNEL_TRANSIENT_FAILURE;
    if (is_down) ask_why(endpoint);
    const bool is_last = i == others_tried_;
    if (is_last && next_other_ == Clock::time_point::max()) next_other_ = Clock::now() + patience;
    if (is_last && i + 1 < count && (is_down || Clock::now() >= next_other_)) {
      ++others_tried_;
      next_other_ = Clock::now() + patience;
    }
  }
  return false;
}

// A call to an endpoint that cannot be reached fails at once, and says why.
void Connection::ask_why(Endpoint& endpoint) {
  if (std::exchange(endpoint.was_asked_why, true)) return;
  using Ask = Unary<pb::StatusRequest, pb::StatusResponse>;
  auto job = std::make_unique<Ask>(
      *this,
      [](Endpoint& where, grpc::ClientContext* context, const pb::StatusRequest& request,
         grpc::CompletionQueue* queue) {
        return where.maintenance->PrepareAsyncStatus(context, request, queue);
      },
      pb::StatusRequest{},
      [&endpoint](const Outcome& outcome, const pb::StatusResponse&) {
        endpoint.problem = outcome.message;
      });
  job->is_pinned = true;
  Job& added = *job;
  jobs_.emplace(&added, std::move(job));
  send(added, endpoint);
}

void Connection::authenticate() {
  if (is_authenticating_ || Clock::now() < next_authentication_) return;
  is_authenticating_ = true;
  next_authentication_ = Clock::now() + pause_of_authentication;
  pb::AuthenticateRequest request;
  request.set_name(options_.user);
  request.set_password(options_.password);
  using Ask = Unary<pb::AuthenticateRequest, pb::AuthenticateResponse>;
  auto job = std::make_unique<Ask>(
      *this,
      [](Endpoint& where, grpc::ClientContext* context, const pb::AuthenticateRequest& what,
         grpc::CompletionQueue* queue) {
        return where.auth->PrepareAsyncAuthenticate(context, what, queue);
      },
      std::move(request),
      [this](const Outcome& outcome, const pb::AuthenticateResponse& answer) {
        authenticated(outcome, answer.token());
      });
  job->needs_token = false;
  Job& added = *job;
  jobs_.emplace(&added, std::move(job));
  send(added, endpoints_[current_]);
}

void Connection::authenticated(const Outcome& outcome, const std::string& token) {
  is_authenticating_ = false;
  if (outcome.ok()) {
    token_ = token;
  } else if (outcome.message == "etcdserver: authentication is not enabled") {
    needs_token_ = false;
  } else if (outcome.kind == Outcome::Kind::refused) {
    for (Job* job : std::vector<Job*>(waiting_)) {
      if (job->needs_token) job->give_up(outcome);
    }
  }
  pump();
}

void Connection::send(Job& job, Endpoint& endpoint) {
  job.is_waiting = false;
  job.endpoint = endpoint.index;
  job.clear();
  job.context = std::make_unique<grpc::ClientContext>();
  if (job.deadline != Clock::time_point::max()) {
    job.context->set_deadline(in(job.deadline - Clock::now()));
  }
  if (job.needs_token && needs_token_ && !token_.empty()) {
    job.token = token_;
    job.context->AddMetadata("token", token_);
  }
  job.send(endpoint);
}

std::string Connection::describe() const {
  std::string text = "no connection to etcd";
  for (const Endpoint& endpoint : endpoints_) {
    text += (endpoint.index == 0 ? " at " : ", ") + endpoint.address;
    if (!endpoint.problem.empty()) text += " (" + endpoint.problem + ")";
  }
  return text;
}

}  // namespace baton::etcd
