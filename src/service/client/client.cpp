#include "baton/client.h"

#include <charconv>
#include <utility>

#include "service/client/access.h"
#include "service/client/convert.h"

namespace baton {
inline namespace v1 {

using client::Core;
using client::only_error;
using client::wait_for;
using detail::Access;
using detail::HeldLock;
using std::chrono::microseconds;

Result<Client> Client::connect(ClientOptions options) {
  auto core = Core::start(std::move(options));
  if (!core) return core.failure();
  return Access::client(std::move(*core));
}

Result<Client> Client::attach(ClientOptions options, const SessionTicket& ticket) {
  if (ticket.session == 0) return Failure{Error::bad_request, "the ticket is of no session"};
  options.session = true;
  auto core = Core::start(std::move(options), &ticket);
  if (!core) return core.failure();
  return Access::client(std::move(*core));
}

Client& Client::operator=(Client&& other) noexcept {
  Client before(std::exchange(core_, std::exchange(other.core_, nullptr)));
  return *this;
}

Client::~Client() {
  if (core_) (void)close();
}

Result<void> Client::close() { return Access::core(*this).close(); }
Result<SessionTicket> Client::detach() { return Access::core(*this).detach(); }
std::vector<LostHold> Client::lost_holds() const { return Access::core(*this).lost_holds(); }

std::uint64_t Client::session() const { return Access::core(*this).session(); }
microseconds Client::ttl() const { return microseconds(Access::core(*this).ttl()); }
std::chrono::microseconds Client::age() const {
  return std::chrono::microseconds(Access::core(*this).age());
}
bool Client::is_connected() const { return Access::core(*this).is_connected(); }
bool Client::is_alive() const { return Access::core(*this).is_alive(); }
std::stop_token Client::lost() const { return Access::core(*this).lost(); }
Failure Client::why_lost() const { return Access::core(*this).why_lost(); }
microseconds Client::loss_margin() const { return microseconds(Access::core(*this).loss_margin()); }
microseconds Client::lease_left() const { return microseconds(Access::core(*this).lease_left()); }
void Client::on_lost(std::function<void(const Failure&)> callback) {
  Access::core(*this).add_on_lost(std::move(callback));
}
void Client::on_jeopardy(std::function<void(bool)> callback) {
  Access::core(*this).add_on_jeopardy(std::move(callback));
}

// --- Locks --------------------------------------------------------------------------------------

void Client::async_lock(Names names, LockOptions options, Callback<Lock> done) {
  auto hold = std::make_shared<HeldLock>();
  hold->core = Access::share(core_);
  hold->names = names.all();
  hold->asked = client::acquire_of(names, options);
  hold->is_shared = options.shared;
  Core& core = *hold->core;
  core.acquire(std::move(hold), std::move(options.give_up),
               [done = std::move(done)](Result<std::shared_ptr<HeldLock>> granted) {
                 if (!granted) return done(granted.failure());
                 done(Access::lock(std::move(*granted)));
               });
}

Result<Lock> Client::lock(Names names, LockOptions options) {
  if (!options.owner) options.owner = Owner::of_this_thread();
  return wait_for<Lock>(Access::core(*this), [&](auto done) {
    async_lock(std::move(names), std::move(options), std::move(done));
  });
}

Result<Lock> Client::try_lock(Names names, LockOptions options) {
  options.wait = microseconds(0);
  return lock(std::move(names), std::move(options));
}

Result<Lock> Client::lock_until(Names names, std::chrono::steady_clock::time_point deadline,
                                LockOptions options) {
  const auto left = deadline - std::chrono::steady_clock::now();
  options.wait = std::max(microseconds(0), std::chrono::ceil<microseconds>(left));
  Result<Lock> result = lock(std::move(names), std::move(options));
  // A deadline that has passed already is no different from one that has passed since.
  if (result.error() == Error::busy) return Failure{Error::timed_out, result.failure().message};
  return result;
}

// --- Files --------------------------------------------------------------------------------------

void Client::async_put(std::string key, std::string value, PutOptions options,
                       Callback<Stored> done) {
  proto::Request request;
  proto::Put& put = *request.mutable_put();
  put.set_key(std::move(key));
  put.set_value(std::move(value));
  if (options.version) put.set_version(*options.version);
  put.set_tied(options.tied || options.tied_to != 0);
  put.set_tied_to(options.tied_to);
  Access::core(*this).request(std::move(request),
                              [done = std::move(done)](const Result<proto::Reply>& reply) {
                                if (!reply) return done(reply.failure());
                                done(Stored{reply->stored().version(), reply->stored().revision()});
                              });
}

void Client::async_get(std::string key, Callback<File> done) {
  proto::Read read;
  read.mutable_files()->set_key(key);
  Access::core(*this).read(std::move(read),
                           [key, done = std::move(done)](const Result<proto::Answer>& answer) {
                             if (!answer) return done(answer.failure());
                             if (answer->files_size() == 0)
                               return done(Failure{Error::not_found, key});
                             done(client::file_of(answer->files(0)));
                           });
}

void Client::async_list(std::string prefix, bool keys_only, Callback<FileList> done) {
  proto::Read read;
  read.mutable_files()->set_prefix(std::move(prefix));
  read.mutable_files()->set_keys_only(keys_only);
  Access::core(*this).read(std::move(read),
                           [done = std::move(done)](const Result<proto::Answer>& answer) {
                             if (!answer) return done(answer.failure());
                             FileList list;
                             for (const auto& file : answer->files())
                               list.files.push_back(client::file_of(file));
                             list.revision = answer->revision();
                             done(std::move(list));
                           });
}

void Client::async_remove(std::string key, std::optional<std::uint64_t> version,
                          Callback<void> done) {
  proto::Request request;
  request.mutable_remove()->set_key(std::move(key));
  if (version) request.mutable_remove()->set_version(*version);
  Access::core(*this).request(std::move(request), only_error(std::move(done)));
}

Result<Stored> Client::put(std::string key, std::string value, PutOptions options) {
  return wait_for<Stored>(Access::core(*this), [&](auto done) {
    async_put(std::move(key), std::move(value), options, std::move(done));
  });
}

Result<File> Client::get(std::string key) {
  return wait_for<File>(Access::core(*this),
                        [&](auto done) { async_get(std::move(key), std::move(done)); });
}

Result<FileList> Client::list(std::string prefix, bool keys_only) {
  return wait_for<FileList>(Access::core(*this), [&](auto done) {
    async_list(std::move(prefix), keys_only, std::move(done));
  });
}

Result<void> Client::remove(std::string key, std::optional<std::uint64_t> version) {
  return wait_for<void>(Access::core(*this),
                        [&](auto done) { async_remove(std::move(key), version, std::move(done)); });
}

// --- Looking ------------------------------------------------------------------------------------

void Client::async_locks(LockQuery query, Callback<LocksInfo> done) {
  proto::Read read;
  proto::Read::Locks& locks = *read.mutable_locks();
  locks.set_space(query.elections ? proto::ELECTION : proto::LOCK);
  if (query.name) locks.set_name(*query.name);
  locks.set_prefix(query.prefix);
  Access::core(*this).read(std::move(read),
                           [done = std::move(done)](const Result<proto::Answer>& answer) {
                             if (!answer) return done(answer.failure());
                             done(client::locks_of(*answer));
                           });
}

void Client::async_sessions(Callback<std::vector<SessionInfo>> done) {
  proto::Read read;
  read.mutable_sessions();
  Access::core(*this).read(std::move(read),
                           [done = std::move(done)](const Result<proto::Answer>& answer) {
                             if (!answer) return done(answer.failure());
                             done(client::sessions_of(*answer));
                           });
}

void Client::async_status(Callback<StatusInfo> done) {
  proto::Read read;
  read.mutable_status();
  Access::core(*this).read(std::move(read),
                           [done = std::move(done)](const Result<proto::Answer>& answer) {
                             if (!answer) return done(answer.failure());
                             done(client::status_of(answer->status()));
                           });
}

Result<LocksInfo> Client::locks(LockQuery query) {
  return wait_for<LocksInfo>(Access::core(*this),
                             [&](auto done) { async_locks(std::move(query), std::move(done)); });
}

Result<std::vector<SessionInfo>> Client::sessions() {
  return wait_for<std::vector<SessionInfo>>(Access::core(*this),
                                            [&](auto done) { async_sessions(std::move(done)); });
}

Result<std::string> Client::backup() {
  return wait_for<std::string>(Access::core(*this), [&](auto done) {
    proto::Read read;
    read.mutable_backup();
    Access::core(*this).read(std::move(read), [done](Result<proto::Answer> answer) {
      if (!answer) return done(answer.failure());
      std::string all;
      for (const std::string& piece : answer->backup()) all += piece;
      done(std::move(all));
    });
  });
}

Result<StatusInfo> Client::status() {
  return wait_for<StatusInfo>(Access::core(*this),
                              [&](auto done) { async_status(std::move(done)); });
}

// --- Operating ----------------------------------------------------------------------------------

namespace {

Result<void> ask(Core& core, proto::Request request) {
  return wait_for<void>(
      core, [&](auto done) { core.request(std::move(request), only_error(std::move(done))); });
}

Result<void> break_name(Core& core, proto::Namespace space, std::string name, bool force) {
  proto::Request request;
  proto::Break& it = *request.mutable_break_();
  it.set_space(space);
  it.set_name(std::move(name));
  it.set_force(force);
  return ask(core, std::move(request));
}

}  // namespace

Result<void> Client::break_lock(std::string name, bool force) {
  return break_name(Access::core(*this), proto::LOCK, std::move(name), force);
}

Result<void> Client::break_election(std::string name, bool force) {
  return break_name(Access::core(*this), proto::ELECTION, std::move(name), force);
}

Result<void> Client::break_session(std::uint64_t session, bool force) {
  proto::Request request;
  request.mutable_break_session()->set_session(session);
  request.mutable_break_session()->set_force(force);
  return ask(Access::core(*this), std::move(request));
}

}  // namespace v1
}  // namespace baton
