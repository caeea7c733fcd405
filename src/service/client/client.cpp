#include "baton/client.h"

#include <utility>

#include "service/client/access.h"
#include "service/client/convert.h"

namespace baton {
inline namespace v1 {

using client::Core;
using client::only_error;
using client::Session;
using client::told;
using client::wait_for;
using detail::Access;
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

std::uint64_t Client::session() const { return Access::core(*this).of_session(&Session::id); }
bool Client::is_connected() const { return Access::core(*this).of_session(&Session::is_ready); }
std::stop_token Client::lost() const { return Access::core(*this).claim().lost.get_token(); }
Failure Client::why_lost() const {
  Core& core = Access::core(*this);
  return core.why_lost(core.claim());
}
microseconds Client::ttl() const { return Access::core(*this).of_session(&Session::ttl); }
microseconds Client::loss_margin() const {
  return Access::core(*this).of_session(&Session::loss_margin);
}
microseconds Client::age() const { return microseconds(Access::core(*this).age()); }
microseconds Client::lease_left() const { return microseconds(Access::core(*this).lease_left()); }
bool Client::is_alive() const { return Access::core(*this).is_alive(); }
void Client::on_lost(std::function<void(const Failure&)> callback) {
  Core& core = Access::core(*this);
  core.add_on_lost(core.claim(), std::move(callback));
}
void Client::on_jeopardy(std::function<void(bool)> callback) {
  Core& core = Access::core(*this);
  core.add_on_jeopardy(core.claim(), std::move(callback));
}

// --- Locks --------------------------------------------------------------------------------------

void Client::async_lock(Names names, LockOptions options, Callback<Lock> done) {
  Access::core(*this).acquire(client::acquire_of(names, options), std::move(options.give_up),
                              told(std::move(done), Access::lock));
}

Result<Lock> Client::lock(Names names, LockOptions options) {
  if (!options.owner) options.owner = Owner::of_this_thread();
  return wait_for<Lock, &Client::async_lock>(*this, std::move(names), std::move(options));
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
                              told(std::move(done), [](const proto::Reply& reply) {
                                return Stored{reply.stored().version(), reply.stored().revision()};
                              }));
}

void Client::async_get(std::string key, Callback<File> done) {
  proto::Read read;
  read.mutable_files()->set_key(key);
  Access::core(*this).read(
      std::move(read), told(std::move(done), [key](const proto::Answer& answer) -> Result<File> {
        if (answer.files_size() == 0) return Failure{Error::not_found, key};
        return client::file_of(answer.files(0));
      }));
}

void Client::async_list(std::string prefix, bool keys_only, Callback<FileList> done) {
  proto::Read read;
  read.mutable_files()->set_prefix(std::move(prefix));
  read.mutable_files()->set_keys_only(keys_only);
  Access::core(*this).read(std::move(read), told(std::move(done), [](const proto::Answer& answer) {
                             FileList list;
                             for (const auto& file : answer.files())
                               list.files.push_back(client::file_of(file));
                             list.revision = answer.revision();
                             return list;
                           }));
}

void Client::async_remove(std::string key, std::optional<std::uint64_t> version,
                          Callback<void> done) {
  proto::Request request;
  request.mutable_remove()->set_key(std::move(key));
  if (version) request.mutable_remove()->set_version(*version);
  Access::core(*this).request(std::move(request), only_error(std::move(done)));
}

Result<Stored> Client::put(std::string key, std::string value, PutOptions options) {
  return wait_for<Stored, &Client::async_put>(*this, std::move(key), std::move(value), options);
}

Result<File> Client::get(std::string key) {
  return wait_for<File, &Client::async_get>(*this, std::move(key));
}

Result<FileList> Client::list(std::string prefix, bool keys_only) {
  return wait_for<FileList, &Client::async_list>(*this, std::move(prefix), keys_only);
}

Result<void> Client::remove(std::string key, std::optional<std::uint64_t> version) {
  return wait_for<void, &Client::async_remove>(*this, std::move(key), version);
}

// --- Looking ------------------------------------------------------------------------------------

void Client::async_locks(LockQuery query, Callback<LocksInfo> done) {
  proto::Read read;
  proto::Read::Locks& locks = *read.mutable_locks();
  locks.set_space(query.elections ? proto::ELECTION : proto::LOCK);
  if (query.name) locks.set_name(*query.name);
  locks.set_prefix(query.prefix);
  Access::core(*this).read(std::move(read), told(std::move(done), client::locks_of));
}

void Client::async_sessions(Callback<std::vector<SessionInfo>> done) {
  proto::Read read;
  read.mutable_sessions();
  Access::core(*this).read(std::move(read), told(std::move(done), client::sessions_of));
}

void Client::async_status(Callback<StatusInfo> done) {
  proto::Read read;
  read.mutable_status();
  Access::core(*this).read(std::move(read), told(std::move(done), [](const proto::Answer& answer) {
                             return client::status_of(answer.status());
                           }));
}

Result<LocksInfo> Client::locks(LockQuery query) {
  return wait_for<LocksInfo, &Client::async_locks>(*this, std::move(query));
}

Result<std::vector<SessionInfo>> Client::sessions() {
  return wait_for<std::vector<SessionInfo>, &Client::async_sessions>(*this);
}

Result<std::string> Client::backup() {
  return wait_for<std::string>(Access::core(*this), [&](auto done) {
    proto::Read read;
    read.mutable_backup();
    Access::core(*this).read(std::move(read),
                             told(Callback<std::string>(done), [](const proto::Answer& answer) {
                               std::string all;
                               for (const std::string& piece : answer.backup()) all += piece;
                               return all;
                             }));
  });
}

Result<StatusInfo> Client::status() { return wait_for<StatusInfo, &Client::async_status>(*this); }

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
