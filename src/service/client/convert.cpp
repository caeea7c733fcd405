#include "service/client/convert.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace baton::client {

using std::chrono::microseconds;

namespace {

// The fields that locks and elections have in common.
template <class Options>
proto::Acquire acquire_of(const Options& options) {
  proto::Acquire acquire;
  acquire.set_slots(1);
  acquire.set_owner((options.owner ? *options.owner : Owner()).id());
  if (options.wait) acquire.set_wait(std::max<std::int64_t>(options.wait->count(), 0));
  acquire.set_max_hold(options.max_hold.count());
  acquire.set_label(options.label);
  acquire.set_fast(options.fast);
  return acquire;
}

Who who_of(const proto::Who& who) { return {who.host(), who.process(), who.user(), who.label()}; }

HolderInfo holder_of(const proto::Holder& holder) {
  return {.session = holder.session(),
          .owner = holder.owner(),
          .who = who_of(holder.who()),
          .label = holder.label(),
          .shared = holder.mode() == proto::SHARED,
          .fence = holder.fence(),
          .slot = holder.slot(),
          .held_for = microseconds(holder.for_time()),
          .value = holder.value(),
          .ending = holder.ending()};
}

WaiterInfo waiter_of(const proto::Waiter& waiter) {
  return {.session = waiter.session(),
          .owner = waiter.owner(),
          .who = who_of(waiter.who()),
          .label = waiter.label(),
          .shared = waiter.mode() == proto::SHARED,
          .ticket = waiter.ticket(),
          .waited_for = microseconds(waiter.for_time()),
          .names = {waiter.names().begin(), waiter.names().end()}};
}

WaitEdge edge_of(const proto::WaitEdge& edge) {
  return {.from_session = edge.from_session(),
          .from_owner = edge.from_owner(),
          .to_session = edge.to_session(),
          .to_owner = edge.to_owner(),
          .election = edge.space() == proto::ELECTION,
          .name = edge.name(),
          .by_queue = edge.by_queue()};
}

LockInfo lock_of(const proto::Lock& lock) {
  LockInfo info{.election = lock.space() == proto::ELECTION,
                .name = lock.name(),
                .slots = lock.slots(),
                .holders = {},
                .waiters = {},
                .closed_for = microseconds(lock.closed_for())};
  for (const auto& holder : lock.holders()) info.holders.push_back(holder_of(holder));
  for (const auto& waiter : lock.waiters()) info.waiters.push_back(waiter_of(waiter));
  return info;
}

}  // namespace

proto::Acquire acquire_of(const Names& names, const LockOptions& options) {
  proto::Acquire acquire = acquire_of(options);
  for (const std::string& name : names.all()) acquire.add_names(name);
  acquire.set_mode(options.shared ? proto::SHARED : proto::EXCLUSIVE);
  acquire.set_slots(options.slots);
  acquire.set_despite_deadlock(options.despite_deadlock);
  return acquire;
}

proto::Acquire acquire_of(const std::string& election, std::string value,
                          const CampaignOptions& options) {
  proto::Acquire acquire = acquire_of(options);
  acquire.set_space(proto::ELECTION);
  acquire.add_names(election);
  acquire.set_value(std::move(value));
  return acquire;
}

proto::Reclaim::Held held_of(const proto::Acquire& asked, const std::string& name) {
  proto::Reclaim::Held held;
  held.set_space(asked.space());
  held.set_name(name);
  held.set_slots(asked.slots());
  held.set_owner(asked.owner());
  held.set_max_hold(asked.max_hold());
  held.set_value(asked.value());
  held.set_label(asked.label());
  return held;
}

File file_of(const proto::File& file) {
  return {file.key(), file.value(), file.version(), file.revision(), file.tied_to()};
}

FileChange file_change_of(const proto::Change& change) {
  return {.revision = change.revision(),
          .removed = change.kind() == proto::Change::REMOVE,
          .key = change.key(),
          .value = change.value(),
          .version = change.version(),
          .tied_to = change.session()};
}

LocksInfo locks_of(const proto::Answer& answer) {
  LocksInfo info;
  for (const auto& lock : answer.locks()) info.locks.push_back(lock_of(lock));
  for (const auto& edge : answer.edges()) info.edges.push_back(edge_of(edge));
  info.revision = answer.revision();
  info.silent = {answer.silent().begin(), answer.silent().end()};
  return info;
}

std::vector<SessionInfo> sessions_of(const proto::Answer& answer) {
  std::vector<SessionInfo> all;
  for (const auto& session : answer.sessions()) {
    all.push_back({.session = session.session(),
                   .who = who_of(session.who()),
                   .ttl = microseconds(session.ttl()),
                   .lease_left = microseconds(session.lease_left()),
                   .fast = session.fast(),
                   .within = session.within(),
                   .connected = session.connected(),
                   .holds = session.holds(),
                   .waits = session.waits(),
                   .open_for = microseconds(session.for_time())});
  }
  return all;
}

namespace {

PeerGroupInfo group_info(const proto::PeerGroup& group) {
  PeerGroupInfo info{.name = group.name(),
                     .self = group.self(),
                     .algorithm = group.algorithm(),
                     .election = group.election(),
                     .epoch = group.epoch(),
                     .is_working = group.working(),
                     .members = {},
                     .messages = group.messages(),
                     .grants = group.grants()};
  for (const proto::PeerGroup::Member& one : group.members()) {
    info.members.push_back(
        {one.id(), one.address(), one.belongs(), one.connected(), one.arbiter(), one.problem()});
  }
  return info;
}

}  // namespace

StatusInfo status_of(const proto::Status& status) {
  StatusInfo info{.server = status.server(),
                  .program = status.program(),
                  .scope = status.scope(),
                  .process = status.process(),
                  .epoch = status.epoch(),
                  .leads_for = microseconds(status.leads_for()),
                  .journal = status.journal(),
                  .position = status.position(),
                  .sessions = status.sessions(),
                  .locks = status.locks(),
                  .waiters = status.waiters(),
                  .files = status.files(),
                  .revision = status.revision(),
                  .connections = status.connections(),
                  .http = {status.http().begin(), status.http().end()},
                  .last_fence = status.last_fence(),
                  .waits_for_reports_of = {status.waits_for_reports_of().begin(),
                                           status.waits_for_reports_of().end()},
                  .follows = status.following(),
                  .leader = status.leader(),
                  .leader_url = status.leader_url(),
                  .trouble = status.trouble(),
                  .proof_left = microseconds(status.proof_left()),
                  .servers = {},
                  .etcd = {},
                  .group = {}};
  for (const proto::ClusterServer& one : status.servers()) {
    info.servers.push_back({one.name(), one.url(), one.program(), one.position(), one.leads()});
  }
  for (const proto::EtcdMember& one : status.etcd()) {
    info.etcd.push_back(
        {one.endpoint(), one.healthy(), one.leads(), one.version(), one.bytes(), one.problem()});
  }
  if (status.has_group()) info.group = group_info(status.group());
  return info;
}

}  // namespace baton::client
