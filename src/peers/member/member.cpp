#include "peers/member/member.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include "peers/net/link_frame.h"
#include "service/server/answers.h"
#include "service/server/translate.h"

namespace baton::peer {

namespace {

constexpr std::chrono::milliseconds patience_for_answers{500};
// Of all members together: what is held fits into one message, with room to spare.
constexpr std::size_t most_used_bytes = net::largest_message / 2;
constexpr std::size_t bytes_per_answer = net::largest_message / 4;
constexpr const char* slowness =
    "the other members answer too late for the group's short lease: this member grants nothing. "
    "Give the group a longer lease";

// In a message, and in the time that a change of view takes.
std::size_t cost_of(const std::string& name) { return name.size() + 128; }

}  // namespace

// The token leaves out the proposer's life: two views with one number and one proposer are never
// both installed, because the proposer is a member itself and has promised durably.
std::uint64_t token_of(const FencingToken& fence) {
  constexpr unsigned count_bits = 36;
  constexpr unsigned proposer_bits = 6;
  constexpr unsigned number_bits = 64 - count_bits - proposer_bits;
  static_assert(net::most_members <= std::size_t{1} << proposer_bits);
  if (fence.epoch.number.value >> number_bits != 0 || fence.count >> count_bits != 0) {
    throw std::overflow_error("the group has used up its fencing tokens: start a new group");
  }
  return (fence.epoch.number.value << (count_bits + proposer_bits)) |
         (std::uint64_t{fence.epoch.proposer.value} << count_bits) | fence.count;
}

Member::Member(net::PeerOptions options) : options_(std::move(options)) {
  const net::GroupFile& group = options_.group;
  if (longest_promise() >= service::shortest_ttl) return;
  throw net::GroupFileError("a lease of " + std::to_string(group.lease) + " heartbeats of " +
                            std::to_string(group.heartbeat.count()) +
                            " ms is too short: clients need a promise of 1000 ms, and a member "
                            "can promise them only " +
                            std::to_string(group.longest_promise().count()) + " ms");
}

Member::~Member() = default;

void Member::attend(server::Host& host) {
  host_ = &host;
  peer_ = std::make_unique<net::Peer>(host.io(), options_, static_cast<net::PeerEvents&>(*this));
  const net::LinkMember& self = options_.group.members[options_.self.value];
  host.log()->info("member {} of the group {}, on {} for the others", self.id, options_.group.group,
                   self.address.host_and_port());
  peer_->start();
  log_view();
}

void Member::leave_host() {
  askings_.clear();
  peer_.reset();
}

// --- Locks and elections ------------------------------------------------------------------------

// Every change of view carries the names that are held, and its messages are bounded.
bool Member::has_room_for(const Key& key) const {
  return used_bytes_ + cost_of(key.second) <= most_used_bytes / options_.group.members.size();
}

void Member::ask(Wishes::iterator wish) {
  const Key key = wish->first;
  wish->second.stage = Stage::asked;
  used_bytes_ += cost_of(key.second);
  peer_->request(key.first, key.second);
}

void Member::forget(Wishes::iterator wish) {
  if (wish->second.stage == Stage::queued) {
    std::erase(queue_, wish->first);
  } else {
    used_bytes_ -= cost_of(wish->first.second);
  }
  wishes_.erase(wish);
  while (!queue_.empty() && has_room_for(queue_.front())) {
    const auto next = wishes_.find(queue_.front());
    queue_.pop_front();
    ask(next);
  }
}

void Member::want(service::Namespace space, const std::string& name) {
  if (peer_ == nullptr) return;
  const auto [at, is_new] = wishes_.emplace(Key(space, name), Wish{});
  if (!is_new) {
    if (at->second.stage == Stage::abandoned) at->second.stage = Stage::asked;
  } else if (has_room_for(at->first)) {
    ask(at);
  } else {
    if (queue_.empty())
      warned("this member uses as many names as it may: requests for more names wait");
    queue_.push_back(at->first);
  }
}

// A request to the group cannot be withdrawn. The member waits for the name and gives it back at
// once.
void Member::leave(service::Namespace space, const std::string& name) {
  const auto at = wishes_.find({space, name});
  if (at == wishes_.end() || peer_ == nullptr) return;
  if (at->second.stage == Stage::asked) {
    at->second.stage = Stage::abandoned;
  } else if (at->second.stage != Stage::abandoned) {
    if (at->second.stage >= Stage::had) peer_->release(space, name);
    forget(at);
  }
}

void Member::granted(Namespace space, const std::string& name, const FencingToken& fence) {
  const auto at = wishes_.find({space, name});
  if (at == wishes_.end() || at->second.stage == Stage::abandoned) {
    peer_->release(space, name);
    if (at != wishes_.end()) forget(at);
    return;
  }
  at->second = {Stage::had, fence};
  open_if_promised(Key(at->first));
}

// The group has taken the name away. The member ignores this if it has asked for the name since. If
// no client had the name yet, it asks the group again.
void Member::lost(Namespace space, const std::string& name) {
  const auto at = wishes_.find({space, name});
  if (at == wishes_.end() || at->second.stage < Stage::had) return;
  if (at->second.stage == Stage::had) {
    at->second.stage = Stage::asked;
    peer_->request(space, name);
    return;
  }
  forget(at);
  host_->revoke({space, name, out_of_touch()});
}

// Gives back the names that no client holds. The other names stay held, because their clients may
// work until their leases expire.
void Member::close() {
  if (peer_ == nullptr) return;
  for (const auto& [key, wish] : wishes_) {
    if (wish.stage == Stage::had) peer_->release(key.first, key.second);
  }
  peer_->leave();
}

std::string Member::out_of_touch() const {
  const std::string why = peer_->trouble();
  return "this member has lost contact with the group" + (why.empty() ? "" : ": " + why);
}

service::Duration Member::promised() const {
  return {peer_ == nullptr ? 0 : peer_->promised().count()};
}

service::Duration Member::longest_promise() const {
  return {std::chrono::microseconds(options_.group.longest_promise()).count()};
}

bool Member::is_congested() const { return peer_ != nullptr && peer_->links().is_congested(); }

// Opens the name for a client if the group's promise is long enough for a client's lease. The
// host's pending messages go first: the host may not want the name any more.
void Member::open_if_promised(const Key& key) {
  const auto at = wishes_.find(key);
  if (at == wishes_.end() || at->second.stage != Stage::had) return;
  if (promised() < longest_promise()) return;
  if (host_->has_more_for_gate()) {
    boost::asio::post(host_->io(), [this, key] { open_if_promised(key); });
    return;
  }
  at->second.stage = Stage::open;
  host_->open(key.first, key.second, {token_of(at->second.fence)});
}

// Gives back a name that this member could not open in time, and asks for it again: meanwhile
// another member, with a better connection to the group, may have its turn.
void Member::give_back(const Key& key) {
  const auto at = wishes_.find(key);
  if (at == wishes_.end() || at->second.stage != Stage::had) return;
  if (!std::exchange(is_slow_, true)) warned(slowness);
  at->second = {Stage::asked};
  peer_->release(key.first, key.second);
  peer_->request(key.first, key.second);
}

std::string Member::trouble() const {
  if (peer_ == nullptr) return "";
  const std::string why = peer_->trouble();
  return why.empty() && is_slow_ ? slowness : why;
}

// Tells clients in time that this member has lost the group. They would notice it by their leases,
// but not learn why.
void Member::ticked() {
  if (promised() >= longest_promise()) is_slow_ = false;
  const bool is_notice_due = 4 * promised().value < 3 * longest_promise().value;
  std::vector<Key> to_open;
  std::vector<Key> to_give_back;
  std::vector<Key> to_notice;
  for (auto& [key, wish] : wishes_) {
    if (wish.stage == Stage::had) {
      const bool is_overdue = ++wish.ticks_had >= options_.group.lease;
      (is_overdue ? to_give_back : to_open).push_back(key);
    }
    if (wish.stage != Stage::open || !is_notice_due) continue;
    wish.stage = Stage::noticed;
    to_notice.push_back(key);
  }
  for (const Key& key : to_open) open_if_promised(key);
  for (const Key& key : to_give_back) give_back(key);
  if (!to_notice.empty()) {
    host_->log()->warn(
        "this member has not heard from a majority lately: it tells clients to release what they "
        "hold");
  }
  for (const Key& key : to_notice) host_->revoke({key.first, key.second, out_of_touch(), true});
}

// --- Who leads ----------------------------------------------------------------------------------

void Member::led(const service::Change& change) {
  proto::PeerWords::Leader leader;
  leader.set_name(change.key);
  leader.set_life(peer_->group().members().durable().incarnation.value);
  if (change.kind == service::Change::Kind::resign) {
    leaders_here_.erase(change.key);
  } else if (change.kind == service::Change::Kind::elect ||
             change.kind == service::Change::Kind::proclaim) {
    leader.set_fence(change.fence.value);
    leader.set_value(change.value);
    if (const auto session = host_->engine().state().session(change.session)) {
      server::fill(*leader.mutable_who(), session->terms.who);
    }
    leaders_here_[change.key] = leader;
  } else {
    return;
  }
  proto::PeerWords words;
  *words.mutable_leader() = leader;
  tell_others(words);
}

void Member::heard_of_leader(NodeId from, const proto::PeerWords::Leader& leader) {
  // The sender may be in a newer view than this member.
  const baton::ViewMember member{from, {leader.life()}};
  const baton::ViewMember* present = peer_->group().members().view().find(from);
  if (present != nullptr && member < *present) return;
  const auto known = leaders_elsewhere_.find(leader.name());
  if (leader.fence() == 0) {
    // The next leader's message may have arrived before this one.
    if (known == leaders_elsewhere_.end() || known->second.at.node != from) return;
    leaders_elsewhere_.erase(known);
  } else {
    if (known != leaders_elsewhere_.end() && known->second.fence > leader.fence()) return;
    leaders_elsewhere_[leader.name()] = {member, leader.fence()};
  }
  host_->elsewhere({.name = leader.name(),
                    .fence = {leader.fence()},
                    .value = leader.value(),
                    .who = server::who_of(leader.who())});
}

// Forgets leaders at members that left the view or have started anew.
void Member::forget_leaders_of_others() {
  const View& view = peer_->group().members().view();
  for (auto at = leaders_elsewhere_.begin(); at != leaders_elsewhere_.end();) {
    const baton::ViewMember* member = view.find(at->second.at.node);
    if (member != nullptr && member->incarnation <= at->second.at.incarnation) {
      ++at;
      continue;
    }
    host_->elsewhere({.name = at->first});
    at = leaders_elsewhere_.erase(at);
  }
}

void Member::tell_others(const proto::PeerWords& words) {
  const std::string bytes = words.SerializeAsString();
  for (const baton::ViewMember& other : peer_->group().members().view().members) {
    if (other.node != peer_->self()) peer_->tell(other.node, bytes);
  }
}

void Member::view_changed() {
  log_view();
  if (on_change_) on_change_(peer_->is_working());
  if (!peer_->is_working()) return;
  forget_leaders_of_others();
  // New members of the view do not know the leaders here.
  for (const auto& [name, leader] : leaders_here_) {
    proto::PeerWords words;
    *words.mutable_leader() = leader;
    tell_others(words);
  }
}

void Member::log_view() {
  std::string line = peer_->trouble();
  const bool is_trouble = !line.empty();
  if (!is_trouble) {
    const auto& members = peer_->group().members().view().members;
    line = members.size() == 1 ? "alone in the group" : "in a group with";
    for (const baton::ViewMember& one : members) {
      if (one.node != peer_->self()) line += " " + peer_->name_of(one.node);
    }
    line += ", epoch " + std::to_string(peer_->group().members().view().epoch.number.value);
  }
  if (line == logged_) return;
  logged_ = line;
  if (is_trouble) {
    host_->log()->warn("{}", line);
  } else {
    host_->log()->info("{}", line);
  }
}

// --- What the members say to each other ---------------------------------------------------------

std::vector<proto::Lock> Member::locks_here(const proto::Read::Locks& asked) const {
  proto::Read read;
  *read.mutable_locks() = asked;
  std::vector<proto::Lock> all;
  const server::Asked how{.state = host_->engine().state(), .now = host_->engine().now()};
  for (proto::Answer& part : server::answer(read, how)) {
    for (proto::Lock& lock : *part.mutable_locks()) all.push_back(std::move(lock));
  }
  return all;
}

void Member::tell_locks(NodeId to, const proto::PeerWords::AskLocks& asked) {
  proto::PeerWords words;
  words.mutable_locks()->set_number(asked.number());
  std::size_t bytes = 0;
  for (proto::Lock& lock : locks_here(asked.asked())) {
    bytes += lock.ByteSizeLong();
    *words.mutable_locks()->add_locks() = std::move(lock);
    if (bytes < bytes_per_answer) continue;
    words.mutable_locks()->set_more(true);
    peer_->tell(to, words.SerializeAsString());
    words.mutable_locks()->clear_locks();
    bytes = 0;
  }
  words.mutable_locks()->set_more(false);
  peer_->tell(to, words.SerializeAsString());
}

void Member::complete_locks(const proto::Read::Locks& asked,
                            std::function<void(server::OthersLocks)> done) {
  const std::uint64_t number = ++last_asking_;
  Asking& asking = askings_[number];
  asking.done = std::move(done);
  proto::PeerWords words;
  words.mutable_ask_locks()->set_number(number);
  *words.mutable_ask_locks()->mutable_asked() = asked;
  for (const baton::ViewMember& other : peer_->group().members().view().members) {
    if (other.node != peer_->self()) asking.missing.insert(other.node);
  }
  if (asking.missing.empty()) return finish(number);
  asking.patience = std::make_unique<boost::asio::steady_timer>(host_->io(), patience_for_answers);
  asking.patience->async_wait([this, number](const boost::system::error_code& error) {
    if (!error) finish(number);
  });
  tell_others(words);
}

void Member::answered(NodeId by, const proto::PeerWords::Locks& locks) {
  const auto at = askings_.find(locks.number());
  if (at == askings_.end()) return;
  for (const proto::Lock& lock : locks.locks()) at->second.found.locks.push_back(lock);
  if (locks.more()) return;
  at->second.missing.erase(by);
  if (at->second.missing.empty()) finish(locks.number());
}

void Member::finish(std::uint64_t number) {
  const auto at = askings_.find(number);
  if (at == askings_.end()) return;
  const auto asking = std::make_shared<Asking>(std::move(at->second));
  askings_.erase(at);
  for (const NodeId node : asking->missing) asking->found.silent.push_back(peer_->name_of(node));
  asking->done(std::move(asking->found));
}

void Member::told(NodeId from, std::string_view bytes) {
  proto::PeerWords words;
  if (!words.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    // Warn once per member: it may send thousands of such messages.
    if (!not_understood_.insert(from).second) return;
    return warned("member " + peer_->name_of(from) +
                  " sent a message that this version does not understand");
  }
  if (words.has_ask_locks()) {
    tell_locks(from, words.ask_locks());
  } else if (words.has_locks()) {
    answered(from, words.locks());
  } else if (words.has_leader()) {
    heard_of_leader(from, words.leader());
  }
}

void Member::complete_status(proto::Status status, std::function<void(const proto::Status&)> done) {
  status.set_trouble(trouble());
  status.clear_journal();
  status.clear_last_fence();
  const net::Group& group = peer_->group();
  const View& view = group.members().view();
  proto::PeerGroup& told = *status.mutable_group();
  told.set_name(options_.group.group);
  told.set_self(peer_->name_of(peer_->self()));
  told.set_algorithm(options_.group.algorithm);
  told.set_election(options_.group.election);
  told.set_epoch(view.epoch.number.value);
  told.set_working(peer_->is_working());
  told.set_messages(group.counters().of_algorithms());
  told.set_grants(group.counters().grants);
  for (std::uint32_t i = 0; i < options_.group.members.size(); ++i) {
    const net::LinkMember& member = options_.group.members[i];
    const bool is_self = NodeId{i} == peer_->self();
    proto::PeerGroup::Member& one = *told.add_members();
    one.set_id(member.id);
    one.set_address(member.address.host_and_port());
    one.set_belongs(peer_->is_working() && view.find({i}) != nullptr);
    one.set_connected(is_self || peer_->links().link({i}).is_connected());
    one.set_arbiter(group.arbiter() == NodeId{i});
    if (!one.connected()) one.set_problem(peer_->links().link({i}).problem());
  }
  done(status);
}

void Member::warned(const std::string& what) { host_->log()->warn("{}", what); }

}  // namespace baton::peer
