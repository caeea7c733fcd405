#include <algorithm>

#include "service/state/machine.h"
#include "service/state/state.h"
#include "service/state/wait_graph.h"

namespace baton::service {
namespace {

// When fewer fencing tokens are left, the host should reserve more. They last for several seconds.
constexpr std::uint64_t few_fences = 250'000;

bool begins_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

LockInfo info_of(const Lock& lock) {
  LockInfo info{.space = lock.space, .name = std::string(lock.name), .slots = lock.slots};
  for (const auto& [party, hold] : lock.holds) info.holders.push_back(hold);
  for (const auto& [key, request] : lock.queue) info.queue.push_back(*request);
  return info;
}

// Adds elections that have a leader at another server and none here.
void add_elsewhere(const Tables& tables, std::string_view prefix, std::vector<LockInfo>& infos) {
  for (auto at = tables.elsewhere.lower_bound(prefix);
       at != tables.elsewhere.end() && begins_with(at->first, prefix); ++at) {
    if (tables.leader(at->first) != nullptr) continue;
    const auto is_before = [](const LockInfo& info, const std::string& name) {
      return info.name < name;
    };
    auto place = std::lower_bound(infos.begin(), infos.end(), at->first, is_before);
    if (place == infos.end() || place->name != at->first)
      place = infos.insert(place, {.space = Namespace::election, .name = at->first});
    place->elsewhere = at->second;
  }
}

SessionInfo info_of(const Session& session) {
  SessionInfo info{.id = session.id, .terms = session.terms, .since = session.since};
  if (session.is_over()) info.ends = session.ends;
  info.holds = session.held.size();
  info.waits = session.waiting.size();
  return info;
}

FileInfo info_of(const std::string& key, const File& file) {
  return {key, file.value, file.version, file.revision, file.tied};
}

}  // namespace

State::State() : machine_(std::make_unique<Machine>()) {}
State::State(const StateImage& image) : machine_(std::make_unique<Machine>(image)) {}
State::State(State&&) noexcept = default;
State& State::operator=(State&&) noexcept = default;
State::~State() = default;

void State::apply(const Command& command, Effects& effects) { machine_->apply(command, effects); }
StateImage State::image() const { return machine_->image(); }
Time State::now() const { return machine_->now(); }

std::optional<Time> State::next_due() const {
  const auto& timers = machine_->tables().timers;
  return timers.empty() ? std::nullopt : std::optional(timers.begin()->at);
}

bool State::needs_reserve() const {
  return machine_->reserve().value - machine_->next_fence().value < few_fences;
}
FencingToken State::next_fence() const { return machine_->next_fence(); }
FencingToken State::reserve() const { return machine_->reserve(); }
bool State::is_gated() const { return machine_->is_gated(); }

bool State::is_recovering() const { return !machine_->tables().unreported.empty(); }
std::vector<SessionId> State::unreported() const {
  const auto& sessions = machine_->tables().unreported;
  return {sessions.begin(), sessions.end()};
}

std::optional<LockInfo> State::lock(Namespace space, std::string_view name) const {
  const Tables& tables = machine_->tables();
  const Lock* found = tables.lock(space, name);
  auto info = found == nullptr ? std::nullopt : std::optional(info_of(*found));
  const auto other = tables.elsewhere.find(name);
  if (space == Namespace::lock || other == tables.elsewhere.end() || tables.leader(name) != nullptr)
    return info;
  if (!info) info = LockInfo{.space = space, .name = other->first};
  info->elsewhere = other->second;
  return info;
}

std::vector<LockInfo> State::locks(Namespace space, std::string_view prefix,
                                   std::size_t limit) const {
  std::vector<const Lock*> found;
  for (const auto& [name, lock] : machine_->tables().table(space))
    if (begins_with(name, prefix)) found.push_back(&lock);
  const auto by_name = [](const Lock* a, const Lock* b) { return a->name < b->name; };
  const std::size_t count = std::min(limit, found.size());
  const auto end = found.begin() + static_cast<std::ptrdiff_t>(count);
  std::partial_sort(found.begin(), end, found.end(), by_name);
  std::vector<LockInfo> infos;
  for (auto at = found.begin(); at != end; ++at) infos.push_back(info_of(**at));
  if (space == Namespace::election) add_elsewhere(machine_->tables(), prefix, infos);
  if (infos.size() > limit) infos.resize(limit);
  return infos;
}

std::size_t State::lock_count() const {
  const Tables& tables = machine_->tables();
  return tables.table(Namespace::lock).size() + tables.table(Namespace::election).size();
}
std::size_t State::waiting_count() const { return machine_->tables().waiting; }

std::optional<SessionInfo> State::session(SessionId id) const {
  const Session* found = machine_->tables().session(id);
  return found == nullptr ? std::nullopt : std::optional(info_of(*found));
}

bool State::holds_anything(SessionId id) const {
  const Session* found = machine_->tables().session(id);
  return found != nullptr && !found->held.empty();
}

std::vector<SessionInfo> State::sessions() const {
  std::vector<SessionInfo> infos;
  for (const auto& [id, session] : machine_->tables().sessions) infos.push_back(info_of(session));
  std::sort(infos.begin(), infos.end(),
            [](const SessionInfo& a, const SessionInfo& b) { return a.id < b.id; });
  return infos;
}

std::vector<HoldOver> State::endings(SessionId id) const {
  const Session* found = machine_->tables().session(id);
  return found == nullptr ? std::vector<HoldOver>() : found->endings;
}

std::size_t State::session_count() const { return machine_->tables().sessions.size(); }

std::optional<SessionId> State::session_of(std::string_view nonce) const {
  const auto& nonces = machine_->tables().nonces;
  const auto found = nonces.find(nonce);
  return found == nonces.end() ? std::nullopt : std::optional(found->second);
}

std::string State::describe(SessionId id) const { return machine_->tables().describe(id); }

std::optional<RequestId> State::find_request(SessionId id, RequestId from, RequestId to) const {
  const Session* session = machine_->tables().session(id);
  if (session == nullptr) return std::nullopt;
  const auto waiting = session->waiting.lower_bound(from);
  if (waiting != session->waiting.end() && waiting->first <= to) return waiting->first;
  for (const Reply& answer : session->answers)
    if (answer.request >= from && answer.request <= to) return answer.request;
  return std::nullopt;
}

std::vector<WaitEdge> State::wait_edges() const { return service::wait_edges(machine_->tables()); }

std::optional<Hold> State::leader(std::string_view election) const {
  const Tables& tables = machine_->tables();
  if (const auto* own = tables.leader(election)) return *own;
  const auto other = tables.elsewhere.find(election);
  if (other == tables.elsewhere.end()) return std::nullopt;
  const LeaderElsewhere& leader = other->second;
  return Hold{.terms = {.value = leader.value}, .fence = leader.fence, .since = leader.since};
}

std::optional<FileInfo> State::file(std::string_view key) const {
  const auto& files = machine_->tables().files;
  const auto found = files.find(key);
  if (found == files.end()) return std::nullopt;
  return info_of(found->first, found->second);
}

std::size_t State::file_count() const { return machine_->tables().files.size(); }

std::vector<FileInfo> State::files(std::string_view prefix, std::size_t limit) const {
  std::vector<FileInfo> infos;
  const auto& files = machine_->tables().files;
  for (auto at = files.lower_bound(prefix);
       at != files.end() && begins_with(at->first, prefix) && infos.size() < limit; ++at)
    infos.push_back(info_of(at->first, at->second));
  return infos;
}

Revision State::revision() const { return machine_->tables().changes.last(); }

std::optional<std::vector<Change>> State::changes_since(Revision after, Watched watched,
                                                        std::string_view prefix) const {
  return machine_->tables().changes.since(after, watched, prefix);
}

}  // namespace baton::service
