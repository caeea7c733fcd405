#include "service/state/tables.h"

#include <tuple>

namespace baton::service {
namespace {

// No lock comes before all locks.
int compare(const Lock* a, const Lock* b) {
  if (a == b) return 0;
  if (a == nullptr || b == nullptr) return a == nullptr ? -1 : 1;
  if (a->space != b->space) return a->space < b->space ? -1 : 1;
  return a->name.compare(b->name);
}

}  // namespace

void FreeSlots::take(std::uint32_t slot) {
  for (; fresh <= slot; ++fresh) below.insert(fresh);
  below.erase(slot);
}

bool HoldKeyOrder::operator()(const HoldKey& a, const HoldKey& b) const {
  return a.owner != b.owner ? a.owner < b.owner : compare(a.lock, b.lock) < 0;
}

bool TimerOrder::operator()(const Timer& a, const Timer& b) const {
  const auto left = std::tie(a.at, a.kind, a.session, a.id, a.fence);
  const auto right = std::tie(b.at, b.kind, b.session, b.id, b.fence);
  return left != right ? left < right : compare(a.lock, b.lock) < 0;
}

const Session* Tables::session(SessionId id) const {
  const auto found = sessions.find(id.value);
  return found == sessions.end() ? nullptr : &found->second;
}
Session* Tables::session(SessionId id) {
  return const_cast<Session*>(std::as_const(*this).session(id));
}

const Lock* Tables::lock(Namespace space, std::string_view name) const {
  const auto found = table(space).find(name);
  return found == table(space).end() ? nullptr : &found->second;
}
Lock* Tables::lock(Namespace space, std::string_view name) {
  return const_cast<Lock*>(std::as_const(*this).lock(space, name));
}

const Hold* Tables::leader(std::string_view election) const {
  const Lock* found = lock(Namespace::election, election);
  if (found == nullptr || found->holds.empty()) return nullptr;
  const Hold& leads = found->holds.begin()->second;
  return leads.expired ? nullptr : &leads;
}

std::string Tables::describe(SessionId id) const {
  std::string text = "session " + std::to_string(id.value);
  const Session* found = session(id);
  if (found == nullptr) return text;
  const Who& who = found->terms.who;
  std::string about = who.label;
  if (!who.host.empty()) about += (about.empty() ? "on host " : " on host ") + who.host;
  return about.empty() ? text : text + " (" + about + ")";
}

std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

}  // namespace baton::service
