#include "service/http/info_json.h"

#include <boost/json.hpp>
#include <chrono>
#include <string_view>
#include <utility>

#include "core/text.h"
#include "service/http/text.h"
#include "service/lease/lease.h"

namespace baton::http {

namespace {

namespace json = boost::json;

double in_seconds(std::chrono::microseconds time) {
  return std::chrono::duration<double>(time).count();
}

template <class List>
json::array array_of(const List& list) {
  return json::array(list.begin(), list.end());
}

json::object json_of(const Who& who) {
  return {{"host", who.host}, {"user", who.user}, {"process", who.process}};
}

// What a holder and a leader have in common, and a waiter but for the end.
template <class Info>
json::object json_of_party(const Info& info) {
  json::object object = json_of(info.who);
  object["session_id"] = info.session;
  object["owner"] = info.owner;
  object["label"] = info.label.empty() ? info.who.label : info.label;
  return object;
}

json::object json_of(const HolderInfo& holder) {
  json::object object = json_of_party(holder);
  object["shared"] = holder.shared;
  object["fence"] = holder.fence;
  object["slot"] = holder.slot;
  object["ending"] = holder.ending;
  object["held_s"] = in_seconds(holder.held_for);
  if (!holder.value.empty()) add_bytes(object, "value", holder.value);
  return object;
}

json::object json_of(const WaiterInfo& waiter, std::size_t position) {
  json::object object = json_of_party(waiter);
  object["position"] = position;
  object["shared"] = waiter.shared;
  object["ticket"] = waiter.ticket;
  object["names"] = array_of(waiter.names);
  object["waited_s"] = in_seconds(waiter.waited_for);
  return object;
}

json::object json_of(const LockInfo& lock) {
  json::array holders;
  for (const HolderInfo& holder : lock.holders) holders.push_back(json_of(holder));
  json::array waiters;
  for (const WaiterInfo& waiter : lock.waiters) {
    waiters.push_back(json_of(waiter, waiters.size() + 1));
  }
  json::object object{{"name", lock.name},
                      {"slots", lock.slots},
                      {"holders", std::move(holders)},
                      {"waiters", std::move(waiters)}};
  if (lock.closed_for.count() > 0) object["closed_s"] = in_seconds(lock.closed_for);
  return object;
}

json::object json_of(const WaitEdge& edge) {
  return {{"from", edge.from_session}, {"from_owner", edge.from_owner}, {"to", edge.to_session},
          {"to_owner", edge.to_owner}, {"election", edge.election},     {"name", edge.name},
          {"by_queue", edge.by_queue}};
}

json::object json_of(const SessionInfo& session) {
  json::object object = json_of(session.who);
  object["session_id"] = session.session;
  object["label"] = session.who.label;
  object["ttl_s"] = in_seconds(session.ttl);
  object["lease_left_s"] = in_seconds(session.lease_left);
  object["fast"] = session.fast;
  object["within"] = session.within;
  object["connected"] = session.connected;
  object["holds"] = session.holds;
  object["waits"] = session.waits;
  object["open_s"] = in_seconds(session.open_for);
  return object;
}

json::object json_of_cluster(const StatusInfo& status) {
  json::array servers;
  for (const ServerInfo& one : status.servers) {
    servers.push_back({{"name", one.name},
                       {"url", one.url},
                       {"program", one.program},
                       {"position", one.position},
                       {"leads", one.leads}});
  }
  json::array etcd;
  for (const EtcdInfo& one : status.etcd) {
    etcd.push_back({{"endpoint", one.endpoint},
                    {"healthy", one.is_healthy},
                    {"leads", one.leads},
                    {"version", one.version},
                    {"bytes", one.bytes},
                    {"problem", one.problem}});
  }
  return {{"leader", status.leader},       {"leader_url", status.leader_url},
          {"follows", status.follows},     {"proof_left_s", in_seconds(status.proof_left)},
          {"servers", std::move(servers)}, {"etcd", std::move(etcd)}};
}

json::object json_of(const PeerGroupInfo& group) {
  json::array members;
  for (const PeerMemberInfo& one : group.members) {
    members.push_back({{"id", one.id},
                       {"address", one.address},
                       {"belongs", one.belongs},
                       {"connected", one.is_connected},
                       {"arbiter", one.is_arbiter},
                       {"problem", one.problem}});
  }
  return {{"name", group.name},         {"self", group.self},     {"algorithm", group.algorithm},
          {"election", group.election}, {"epoch", group.epoch},   {"working", group.is_working},
          {"messages", group.messages}, {"grants", group.grants}, {"members", std::move(members)}};
}

std::string_view name_of(LeaderChange::Kind kind) {
  switch (kind) {
    case LeaderChange::Kind::elected:
      return "elect";
    case LeaderChange::Kind::proclaimed:
      return "proclaim";
    case LeaderChange::Kind::resigned:
      break;
  }
  return "resign";
}

}  // namespace

void add_bytes(json::object& object, const std::string& name, const std::string& bytes) {
  if (baton::text::is_utf8(bytes)) {
    object[name] = bytes;
  } else {
    object[name + "_base64"] = base64(bytes);
  }
}

void add_lease(json::object& object, service::Duration ttl) {
  const auto terms = service::LeaseTerms::of(ttl, {0});
  const auto seconds = [](service::Duration time) {
    return in_seconds(std::chrono::microseconds(time.value));
  };
  object["ttl_s"] = seconds(ttl);
  object["lease_s"] = seconds(terms.length());
  object["keepalive_every_s"] = seconds(terms.interval);
}

json::object json_of(const LocksInfo& info) {
  json::array locks;
  for (const LockInfo& lock : info.locks) locks.push_back(json_of(lock));
  json::array edges;
  for (const WaitEdge& edge : info.edges) edges.push_back(json_of(edge));
  json::object object{
      {"locks", std::move(locks)}, {"waits_for", std::move(edges)}, {"revision", info.revision}};
  if (!info.silent.empty()) object["silent"] = array_of(info.silent);
  return object;
}

json::object json_of(const std::vector<SessionInfo>& sessions) {
  json::array all;
  for (const SessionInfo& session : sessions) all.push_back(json_of(session));
  return {{"sessions", std::move(all)}};
}

json::object json_of(const StatusInfo& status) {
  json::object object{{"server", status.server},
                      {"scope", status.scope},
                      {"program", status.program},
                      {"process", status.process},
                      {"epoch", status.epoch},
                      {"leads_s", in_seconds(status.leads_for)},
                      {"journal", status.journal},
                      {"position", status.position},
                      {"sessions", status.sessions},
                      {"locks", status.locks},
                      {"waiters", status.waiters},
                      {"files", status.files},
                      {"revision", status.revision},
                      {"connections", status.connections},
                      {"http", array_of(status.http)},
                      {"last_fence", status.last_fence},
                      {"waits_for_reports_of", array_of(status.waits_for_reports_of)},
                      {"trouble", status.trouble}};
  if (!status.servers.empty() || !status.etcd.empty()) object["cluster"] = json_of_cluster(status);
  if (status.group) object["group"] = json_of(*status.group);
  return object;
}

json::object json_of(const File& file) {
  json::object object{{"key", file.key}, {"version", file.version}, {"revision", file.revision}};
  add_bytes(object, "value", file.value);
  if (file.tied_to != 0) object["tied_to"] = file.tied_to;
  return object;
}

json::object json_of(const FileList& list) {
  json::array files;
  for (const File& file : list.files) files.push_back(json_of(file));
  return {{"files", std::move(files)}, {"revision", list.revision}};
}

json::object json_of(const Stored& stored) {
  return {{"version", stored.version}, {"revision", stored.revision}};
}

json::object json_of(const FileChange& change) {
  json::object object{{"kind", change.removed ? "remove" : "put"},
                      {"revision", change.revision},
                      {"key", change.key},
                      {"version", change.version}};
  if (change.tied_to != 0) object["tied_to"] = change.tied_to;
  if (!change.removed) add_bytes(object, "value", change.value);
  return object;
}

json::object json_of(const std::string& election, const LeaderChange& change) {
  json::object object{{"kind", name_of(change.kind)},
                      {"revision", change.revision},
                      {"name", election},
                      {"term", change.leader.term},
                      {"session_id", change.leader.session}};
  if (change.kind != LeaderChange::Kind::resigned) add_bytes(object, "value", change.leader.value);
  return object;
}

bool has_leader(const LocksInfo& info) {
  return !info.locks.empty() && !info.locks.front().holders.empty();
}

json::object json_of_leader(const std::string& election, const LocksInfo& info) {
  json::object object;
  if (has_leader(info)) {
    const HolderInfo& leader = info.locks.front().holders.front();
    object = json_of_party(leader);
    object["ending"] = leader.ending;
    add_bytes(object, "value", leader.value);
    object["name"] = election;
    object["term"] = leader.fence;
    object["leads_s"] = in_seconds(leader.held_for);
  } else {
    object = json_of_error({Error::not_found, "nobody leads '" + election + "'"});
  }
  object["revision"] = info.revision;
  return object;
}

json::object json_of_error(const baton::Failure& failure) {
  const auto& [error, message] = failure;
  return {{"error", baton::name_of(error)},
          {"code", static_cast<unsigned>(error)},
          {"message", message.empty() ? message_of(error) : baton::text::as_utf8(message)}};
}

}  // namespace baton::http
