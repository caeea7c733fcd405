#include "peers/net/peer.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <random>
#include <thread>
#include <utility>

#include "io/clock.h"
#include "peers/net/link_frame.h"

namespace baton::net {

namespace {

// Of one connection, in heartbeats: much longer than it takes to suspect the other end.
constexpr int silence_in_heartbeats = 20;

constexpr GroupTimer tick{};

constexpr std::size_t longest_words = largest_message - 1024;

std::shared_ptr<const Setup> setup_of(const GroupFile& group) {
  Setup setup = default_setup(static_cast<std::uint32_t>(group.members.size()));
  setup.lease = group.lease;
  setup.patience = group.patience;
  return std::make_shared<const Setup>(std::move(setup));
}

std::string whose_promises(const PeerOptions& options) {
  std::string words = "member " + options.group.members[options.self.value].id + " of the group " +
                      options.group.group + " with";
  for (const LinkMember& member : options.group.members) words += " " + member.id;
  return words;
}

bool has_a_processor(const GroupFile& group, NodeId self) {
  const std::string& host = group.members[self.value].address.host;
  const auto here =
      std::count_if(group.members.begin(), group.members.end(),
                    [&](const LinkMember& member) { return member.address.host == host; });
  // One more does no harm: somebody always waits for somebody.
  return here <= static_cast<std::ptrdiff_t>(std::thread::hardware_concurrency()) + 1;
}

std::uint64_t drawn() {
  std::random_device source;
  return (std::uint64_t{source()} << 32) | source();
}

}  // namespace

Peer::Peer(boost::asio::io_context& io, PeerOptions options, PeerEvents& events)
    : io_(io),
      options_(std::move(options)),
      events_(events),
      setup_(setup_of(options_.group)),
      promises_(Promises::open(options_.promises, setup_->size, whose_promises(options_))),
      began_us_(io::boottime_us()),
      has_a_processor_(has_a_processor(options_.group, options_.self)),
      timer_(io),
      wait_(io),
      unreachable_since_us_(setup_->size, began_us_),
      has_sent_to_(setup_->size),
      kept_for_(setup_->size),
      is_known_to_err_(setup_->size),
      last_loss_(setup_->size) {
  check_algorithms(options_.group);
  links_ = std::make_unique<Links>(
      io_,
      LinkOptions{.group = options_.group.group,
                  .dialect = options_.group.dialect(),
                  .members = options_.group.members,
                  .self = options_.self,
                  .life = drawn(),
                  .tls = options_.group.tls,
                  .silence = silence_in_heartbeats * options_.group.heartbeat},
      static_cast<LinkEvents&>(*this));
  make_group();
}

Peer::~Peer() = default;

void Peer::make_group() {
  group_ = std::make_unique<Group>(
      static_cast<GroupHost&>(*this),
      GroupOptions{.self = options_.self,
                   .setup = setup_,
                   .algorithm = find(options_.group.algorithm),
                   .election = find(options_.group.election),
                   .record = options_.record,
                   .seed = drawn(),
                   .now = [this] { return Ticks{io::boottime_us() - began_us_}; },
                   .clocks = group_ == nullptr ? TraceClocks{} : group_->clocks()},
      promises_->kept());
}

void Peer::start() {
  links_->start();
  if (promises_->was_cut_short()) return begin_later();
  begin();
}

void Peer::begin() {
  phase_ = Phase::working;
  last_tick_us_ = io::boottime_us();
  group_->start();
  for (const auto& [space, name] : std::set(asked_)) group_->request(space, name);
}

// As soon as the other members hear of this new life, they treat the locks of its earlier lives as
// free. So this member waits until its earlier promises to clients have expired.
void Peer::begin_later() {
  phase_ = Phase::waiting;
  wait_.expires_after(options_.group.lease * options_.group.heartbeat * 51 / 50);
  wait_.async_wait([this](const boost::system::error_code& error) {
    if (!error && phase_ == Phase::waiting) begin();
  });
}

void Peer::request(Namespace space, const std::string& name) {
  // Expire timers first: a lease that ended during a pause of this process must grant nothing.
  expire_due();
  asked_.insert({space, name});
  if (phase_ == Phase::working) group_->request(space, name);
}

void Peer::release(Namespace space, const std::string& name) {
  held_.erase({space, name});
  if (phase_ == Phase::working) group_->release(space, name);
}

void Peer::tell(NodeId to, std::string_view words) {
  if (phase_ != Phase::working) return;
  if (words.size() > longest_words)
    return events_.warned("a message to another member is too long and was not sent");
  group_->tell(to, words);
}

void Peer::leave() {
  if (phase_ == Phase::working && group_->leave()) promises_->leave();
  phase_ = Phase::left;
  timer_.cancel();
  wait_.cancel();
}

std::string Peer::trouble() const {
  if (is_working()) return {};
  if (phase_ == Phase::waiting) {
    return "this member ended while its clients may have held something, and waits until the "
           "promises to them have expired";
  }
  std::string missing;
  std::size_t reached = 1;
  for (std::uint32_t i = 0; i < setup_->size; ++i) {
    if (NodeId{i} == self() || links_->link({i}).is_connected()) {
      if (NodeId{i} != self()) ++reached;
      continue;
    }
    missing += (missing.empty() ? "" : ", ") + name_of({i});
    const std::string& why = links_->link({i}).problem();
    if (!why.empty()) missing += " (" + why + ")";
  }
  if (2 * reached <= setup_->size) {
    return "only " + std::to_string(reached) + " of " + std::to_string(setup_->size) +
           " members can be reached, and the group needs a majority. Waiting for " + missing;
  }
  return "the members are agreeing on who belongs to the group, and wait until nobody else can "
         "hold anything";
}

// --- The group's side ---------------------------------------------------------------------------

void Peer::send(NodeId to, std::string_view bytes, bool lasting) {
  if (lasting) {
    has_sent_to_[to.value] = true;
    keep_for(to, bytes);
    links_->link(to).send(bytes);
  } else {
    links_->link(to).send_if_connected(bytes);
  }
}

// A view may begin here before the link has met the other member in the life that belongs to the
// view, or before it knows that the other has reset the link. When the two ends meet, the link
// drops its queue. So the peer keeps the messages of this view itself, and sends them again then,
// until it has heard from that member in this view.
void Peer::keep_for(NodeId to, std::string_view bytes) {
  const Membership& membership = group_->members();
  if (membership.view().epoch != kept_in_) {
    kept_in_ = membership.view().epoch;
    for (auto& kept : kept_for_) kept.clear();
  }
  if (membership.view().find(to) == nullptr || group_->has_heard_in_view(to)) {
    kept_for_[to.value].clear();
  } else {
    kept_for_[to.value].emplace_back(bytes);
  }
}

void Peer::send_again(NodeId peer) {
  const Membership& membership = group_->members();
  if (membership.view().epoch != kept_in_ || group_->has_heard_in_view(peer)) return;
  for (const std::string& bytes : kept_for_[peer.value]) links_->link(peer).send(bytes);
}

void Peer::keep(const Membership::Durable& durable) { promises_->keep(durable); }

void Peer::granted(Namespace space, const std::string& name, const FencingToken& fence) {
  asked_.erase({space, name});
  held_.insert({space, name});
  events_.granted(space, name, fence);
}

void Peer::lost(Namespace space, const std::string& name) {
  held_.erase({space, name});
  events_.lost(space, name);
}

// Resets the links to members that do not belong to the new view: they need none of the messages
// that were sent to them before.
void Peer::view_changed() {
  const Membership& membership = group_->members();
  if (membership.is_active()) {
    last_loss_.assign(setup_->size, {});
    for (std::uint32_t i = 0; i < setup_->size; ++i) {
      if (!has_sent_to_[i] || membership.view().find({i}) != nullptr) continue;
      has_sent_to_[i] = false;
      links_->link({i}).reset();
    }
  }
  events_.view_changed();
}

void Peer::has_forgotten(NodeId member) {
  events_.warned("member " + name_of(member) +
                 " has forgotten what it promised: its file was lost, or is an old copy. Stop that "
                 "member: it may give out the same fencing tokens again");
}

// Warns once per member: it may send thousands of such messages.
void Peer::received_nonsense(NodeId from) {
  if (is_known_to_err_[from.value]) return;
  is_known_to_err_[from.value] = true;
  events_.warned("member " + name_of(from) + " sends what no member of this group would send");
}

// --- The network's side -------------------------------------------------------------------------

void Peer::received(NodeId from, std::string_view bytes) {
  // Expire timers first: after a pause of this process the message may be older than they are.
  expire_due();
  if (phase_ == Phase::working) group_->receive(from, bytes);
}

void Peer::connected(NodeId peer) { unreachable_since_us_[peer.value] = 0; }

void Peer::disconnected(NodeId peer, const std::string& why) {
  unreachable_since_us_[peer.value] = io::boottime_us();
  // A connection that breaks in the same way again and again is no news.
  if (std::exchange(last_loss_[peer.value], why) == why) return;
  events_.warned("lost the connection to member " + name_of(peer) + ": " + why);
}

void Peer::refused(NodeId peer, const std::string& why) {
  events_.warned(peer == nobody ? why : "member " + name_of(peer) + ": " + why);
}

// A message that had to arrive never will. The member starts over, as if it had crashed: all
// members know how to handle that.
void Peer::overflowed(NodeId peer) {
  start_over("member " + name_of(peer) + " leaves too many messages unconfirmed");
}

// Once, if several links have overflowed together.
void Peer::start_over(const std::string& why) {
  if (std::exchange(is_starting_over_, true)) return;
  events_.warned("this member starts over: " + why);
  boost::asio::post(io_, [this] {
    is_starting_over_ = false;
    if (phase_ != Phase::working) return;
    due_.clear();
    in_time_.clear();
    make_group();
    for (std::uint32_t i = 0; i < setup_->size; ++i) {
      if (NodeId{i} != self()) links_->link({i}).reset();
    }
    const auto held = std::exchange(held_, {});
    phase_ = Phase::waiting;
    for (const auto& [space, name] : held) events_.lost(space, name);
    if (held.empty()) {
      begin();
    } else {
      begin_later();
    }
  });
}

// --- Time ---------------------------------------------------------------------------------------

std::int64_t Peer::in_us(Ticks ticks) const {
  const std::int64_t heartbeat_us = std::chrono::microseconds(options_.group.heartbeat).count();
  // In floating point: ticks are many.
  return static_cast<std::int64_t>(static_cast<double>(ticks.value) *
                                   static_cast<double>(heartbeat_us) /
                                   static_cast<double>(Membership::tick_time.value));
}

void Peer::arm(GroupTimer timer, Ticks after) {
  if (const auto found = due_.find(timer); found != due_.end()) {
    in_time_.erase({found->second, timer});
    due_.erase(found);
  }
  if (after == forever) return;
  // Ticks follow each other, however late one of them is.
  const std::int64_t at = (timer == tick ? last_tick_us_ : io::boottime_us()) + in_us(after);
  due_.emplace(timer, at);
  in_time_.emplace(at, timer);
  rearm();
}

void Peer::rearm() {
  if (phase_ != Phase::working || in_time_.empty()) return;
  if (in_time_.begin()->first == armed_for_us_) return;
  armed_for_us_ = in_time_.begin()->first;
  timer_.expires_after(std::chrono::microseconds(armed_for_us_ - io::boottime_us()));
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) rang();
  });
}

void Peer::rang() {
  armed_for_us_ = 0;
  expire_due();
  rearm();
}

// A process that was paused, or is slow, has missed ticks. This runs the missed ticks, because
// leases are counted in ticks; after twice a lease more ticks make no difference. A tick may cause
// further calls; they must not run the next tick.
void Peer::expire_due() {
  if (phase_ != Phase::working || is_expiring_) return;
  is_expiring_ = true;
  const std::int64_t now = io::boottime_us();
  const std::int64_t long_ago =
      now - 2 * std::int64_t{setup_->lease} * in_us(Membership::tick_time);
  while (!in_time_.empty() && in_time_.begin()->first <= now) {
    const auto [at, timer] = *in_time_.begin();
    in_time_.erase(in_time_.begin());
    due_.erase(timer);
    if (timer == tick) {
      last_tick_us_ = std::max(at, long_ago);
      suspect_unreachable();
    }
    group_->expire(timer);
    if (timer == tick) events_.ticked();
  }
  is_expiring_ = false;
}

std::chrono::microseconds Peer::promised() const {
  if (phase_ != Phase::working) return {};
  const auto ticks = static_cast<std::int64_t>(
      std::min<std::uint64_t>(group_->members().lease_left(), setup_->lease));
  const std::int64_t until = last_tick_us_ + ticks * in_us(Membership::tick_time);
  return std::chrono::microseconds(std::max<std::int64_t>(until - io::boottime_us(), 0));
}

// A connection broke and could not be made again at once: that member has most likely crashed.
void Peer::suspect_unreachable() {
  const std::int64_t before = io::boottime_us() - in_us(Membership::tick_time);
  for (std::uint32_t i = 0; i < setup_->size; ++i) {
    const std::int64_t since = unreachable_since_us_[i];
    if (NodeId{i} != self() && since != 0 && since < before) group_->suspect({i});
  }
}

}  // namespace baton::net
