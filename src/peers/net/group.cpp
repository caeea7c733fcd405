#include "peers/net/group.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/invariant.h"

namespace baton::net {

namespace {

// The first byte of a message: what it is, and whether a stamp for traces follows.
enum class What : std::uint8_t { control, in_view, election, use, words };
constexpr std::uint8_t stamped = 0x80;

constexpr std::size_t longest_resource_name = 512;
// In one step. An algorithm that was told nonsense may go round in circles.
constexpr int most_to_self = 10'000;

char byte_of(What what, bool is_stamped) {
  return static_cast<char>(static_cast<std::uint8_t>(what) | (is_stamped ? stamped : 0));
}

void write_number(std::uint64_t number, std::string& to) { reflect::encode(number, to); }

void write_name(Namespace space, const std::string& name, std::string& to) {
  to.push_back(static_cast<char>(space));
  write_number(name.size(), to);
  to += name;
}

// Takes a name from the front of the bytes.
bool read_name(std::string_view& bytes, Namespace& space, std::string& name) {
  if (bytes.empty() || static_cast<unsigned char>(bytes[0]) > 1) return false;
  space = static_cast<Namespace>(bytes[0]);
  reflect::Reader from(bytes.substr(1), 0);
  const std::size_t size = from.count();
  if (!from.ok() || size > longest_resource_name) return false;
  name = from.rest().substr(0, size);
  bytes = from.rest().substr(size);
  return true;
}

// Of the membership's messages, those by which the past of a view comes into it. In a trace without
// them nothing would have happened before anything of a later view.
bool carries_the_past(const Membership::Message& message) {
  return std::holds_alternative<Membership::Promise>(message) ||
         std::holds_alternative<Membership::Install>(message);
}

}  // namespace

std::uint32_t Group::Drawn::choose(std::uint32_t bound) {
  // splitmix64
  state_ += 0x9E3779B97F4A7C15;
  std::uint64_t mixed = state_;
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
  return static_cast<std::uint32_t>((mixed ^ (mixed >> 31)) % bound);
}

Group::Group(GroupHost& host, GroupOptions options, const Membership::Durable& durable)
    : host_(host),
      options_(std::move(options)),
      membership_(options_.self, *options_.setup, durable),
      heard_(options_.setup->size),
      drawn_(options_.seed),
      clocks_(options_.clocks) {
  if (clocks_.vector.entries().empty()) {
    clocks_.vector = VectorClock(options_.setup->size);
    // Messages of different lives have different numbers.
    clocks_.messages = (membership_.durable().incarnation.value - 1) << 32;
  }
  election_ = make(*options_.election, Namespace::election, {});
}

Group::~Group() = default;

void Group::start() {
  begin_step();
  direct([](Membership& membership, auto& decided) { membership.start(decided); });
  // Only now is it kept which life this is: no other one will say so.
  const Incarnation life = membership_.durable().incarnation;
  if (is_traced() && life != Incarnation{1}) {
    TraceEvent event = note(TraceKind::recover);
    event.body = reflect::printed(life);
    options_.record(event);
  }
  settle();
}

void Group::suspect(NodeId node) {
  begin_step();
  direct([&](Membership& membership, auto& decided) { membership.suspect(node, decided); });
  settle();
}

bool Group::leave() {
  bool is_told = false;
  begin_step();
  direct([&](Membership& membership, auto& decided) { is_told = membership.leave(decided); });
  settle();
  return is_told;
}

void Group::expire(GroupTimer timer) {
  begin_step();
  if (timer.instance != 0) {
    const auto found = running_.find(timer.instance);
    if (found == running_.end()) return;
    record(TraceKind::timer, found->second);
    found->second.instance->expire(timer.timer);
    return settle();
  }
  direct([&](Membership& membership, auto& decided) { membership.expire(timer.timer, decided); });
  for (auto& [number, one] : running_) {
    if (one.has_begun) one.instance->tick();
  }
  if (running_.size() > options_.most_instances + 2 * kept_instances_) {
    direct([&](Membership& membership, auto& decided) { membership.renew(decided); });
  }
  settle();
}

// --- What the application wants -----------------------------------------------------------------

void Group::request(Namespace space, const std::string& name) {
  begin_step();
  Running& one = running(space, name);
  record(TraceKind::request, one);
  // request() first: when an instance begins, it asks for the names that are wanted.
  const bool had_begun = one.has_begun;
  one.instance->request();
  if (!had_begun && may_begin(one)) begin(one);
  settle();
}

void Group::release(Namespace space, const std::string& name) {
  begin_step();
  Running& one = running(space, name);
  // It may be lost, and the host about to be told.
  if (!one.instance->is_inside()) return;
  record(TraceKind::exit, one);
  one.instance->release();
  settle();
}

void Group::tell(NodeId to, std::string_view words, bool lasting) {
  std::string bytes(1, byte_of(What::words, false));
  bytes += words;
  ++counters_.upkeep;
  post(to, std::move(bytes), lasting);
  settle();
}

// --- What comes in ------------------------------------------------------------------------------

void Group::receive(NodeId from, std::string_view bytes) {
  if (from.value >= options_.setup->size) return;
  ++counters_.received;
  begin_step();
  dispatch(from, bytes);
  settle();
}

void Group::dispatch(NodeId from, std::string_view bytes) {
  arriving_ = {};
  if (bytes.empty()) return host_.received_nonsense(from);
  const auto first = static_cast<std::uint8_t>(bytes[0]);
  bytes.remove_prefix(1);
  if ((first & stamped) != 0) {
    reflect::Reader stamp(bytes, options_.setup->size);
    std::vector<std::uint64_t> entries(options_.setup->size);
    arriving_.message = stamp.number();
    arriving_.lamport = {stamp.number()};
    for (std::uint64_t& entry : entries) entry = stamp.number();
    if (!stamp.ok()) return host_.received_nonsense(from);
    arriving_.vector = VectorClock(std::move(entries));
    bytes = stamp.rest();
  }
  const auto what = static_cast<What>(first & ~stamped);
  if (from != self() && (what == What::in_view || what == What::election)) ++counters_.taken;
  switch (what) {
    case What::control:
      return receive_control(from, bytes);
    case What::in_view:
      return receive_in_view(from, bytes);
    case What::election:
      return receive_election(from, bytes);
    case What::use:
      return receive_use(bytes);
    case What::words:
      return host_.told(from, bytes);
  }
  host_.received_nonsense(from);
}

void Group::receive_control(NodeId from, std::string_view bytes) {
  const auto message = reflect::decoded<Membership::Message>(bytes, options_.setup->size);
  if (!message) return host_.received_nonsense(from);
  if (is_traced() && arriving_.message != 0) {
    note_arrival(from, reflect::message_name(*message), reflect::message_body(*message));
  }
  if (const auto* heartbeat = std::get_if<Membership::Heartbeat>(&*message)) {
    Heard& heard = heard_[from.value];
    const bool was_of_the_past = heard.is_of_the_past;
    heard.is_of_the_past = heartbeat->incarnation < heard.incarnation;
    if (heard.is_of_the_past && !was_of_the_past) host_.has_forgotten(from);
    if (!heard.is_of_the_past) heard = {heartbeat->incarnation, heartbeat->promised};
  }
  // A member that has forgotten its promises counts as dead.
  if (heard_[from.value].is_of_the_past) return;
  direct(
      [&](Membership& membership, auto& decided) { membership.receive(from, *message, decided); });
}

bool Group::has_heard_in_view(NodeId node) const {
  const View& view = membership_.view();
  const ViewMember* member = view.find(node);
  const Heard& heard = heard_[node.value];
  return member != nullptr && heard.incarnation == member->incarnation &&
         heard.promised >= view.epoch;
}

// A message of another view does not count any more.
bool Group::is_of_now(NodeId from, std::string_view in_view) const {
  reflect::Reader reader(in_view, options_.setup->size);
  Epoch epoch;
  if (!reflect::decode(reader, epoch) || epoch != membership_.promised()) return false;
  return !membership_.is_active() || membership_.view().dense(from) != nobody;
}

void Group::receive_in_view(NodeId from, std::string_view bytes) {
  Namespace space{};
  std::string name;
  if (!read_name(bytes, space, name)) return host_.received_nonsense(from);
  if (!is_of_now(from, bytes)) return note_drop(from);
  Running& one = running(space, name);
  if (may_begin(one)) begin(one);
  hand_over(from, bytes, one);
}

void Group::receive_election(NodeId from, std::string_view bytes) {
  if (!is_of_now(from, bytes)) return note_drop(from);
  hand_over(from, bytes, running_.at(election_));
}

void Group::hand_over(NodeId from, std::string_view in_view, Running& one) {
  if (is_traced() && arriving_.message != 0) {
    const auto [type, body] = one.instance->describe(in_view);
    note_arrival(from, type, body);
  }
  if (!one.instance->receive(from, in_view)) host_.received_nonsense(from);
}

void Group::receive_use(std::string_view bytes) {
  reflect::Reader reader(bytes, options_.setup->size);
  Epoch epoch;
  Namespace space{};
  std::string name;
  if (!reflect::decode(reader, epoch) || epoch != membership_.promised()) return;
  std::string_view rest = reader.rest();
  if (!read_name(rest, space, name)) return;
  Running& one = running(space, name);
  one.is_called_for = true;
  if (may_begin(one)) begin(one);
}

// --- Instances ----------------------------------------------------------------------------------

const AnyClass& Group::algorithm_of(Namespace space) const {
  static const AnyClass* const central = find("central");
  return space == Namespace::lock ? *options_.algorithm : *central;
}

Group::Running& Group::running(Namespace space, const std::string& name) {
  const auto found = by_name_.find({space, name});
  if (found != by_name_.end()) return running_.at(found->second);
  const std::uint32_t number = make(algorithm_of(space), space, name);
  by_name_.emplace(Key(space, name), number);
  return running_.at(number);
}

std::uint32_t Group::make(const AnyClass& algorithm, Namespace space, const std::string& name) {
  const std::uint32_t number = ++last_number_;
  // The membership knows locks and elections by one name.
  const std::string known_as = std::string(space == Namespace::lock ? "l" : "e") + name;
  Running one{space, name, nullptr};
  one.instance = make_instance(
      algorithm, *this,
      {.number = number, .name = known_as, .self = self(), .setup = options_.setup.get()});
  running_.emplace(number, std::move(one));
  return number;
}

bool Group::may_begin(const Running& one) const {
  if (one.has_begun || !membership_.is_active() || view_setup_ == nullptr) return false;
  return one.space == Namespace::lock || arbiter_ != nobody;
}

void Group::begin(Running& one) {
  one.has_begun = true;
  one.is_called_for = false;
  announce_use(one);
  one.instance->begin(one.space == Namespace::lock ? view_setup_ : arbitrated_setup_);
}

// An algorithm that does something before it is asked must begin everywhere.
void Group::announce_use(const Running& one) {
  if (!algorithm_of(one.space).starts()) return;
  std::string bytes(1, byte_of(What::use, false));
  reflect::encode(membership_.view().epoch, bytes);
  write_name(one.space, one.name, bytes);
  for (const ViewMember& member : membership_.view().members) {
    if (member.node == self()) continue;
    ++counters_.upkeep;
    post(member.node, bytes, true);
  }
}

void Group::send(std::uint32_t instance, const Outgoing& message) {
  const Running& one = running_.at(instance);
  const bool is_own = instance == election_;
  std::string bytes(1, byte_of(is_own ? What::election : What::in_view, is_traced()));
  if (message.to != self()) {
    // The group's own election belongs to no entry.
    const Phase phase = is_own ? Phase::upkeep : message.phase;
    std::uint64_t& counter = phase == Phase::enter  ? counters_.enter
                             : phase == Phase::exit ? counters_.exit
                                                    : counters_.upkeep;
    ++counter;
    ++counters_.sent;
  }
  if (is_traced()) stamp(message.to, message.type, message.body, bytes);
  if (!is_own) write_name(one.space, one.name, bytes);
  bytes += message.bytes;
  if (message.to != self()) counters_.bytes += bytes.size();
  post(message.to, std::move(bytes), true);
}

void Group::arm(std::uint32_t instance, TimerId timer, Ticks after) {
  host_.arm({instance, timer}, after);
}

void Group::granted(std::uint32_t instance, const FencingToken& fence) {
  Running& one = running_.at(instance);
  invariant(membership_.is_active() && membership_.has_lease(),
            "a lock is granted by a member that has no lease");
  invariant(one.last_fence < fence, "the fencing tokens of a lock do not grow");
  one.last_fence = fence;
  ++counters_.grants;
  if (is_traced()) record(TraceKind::enter, one, reflect::printed(fence));
  later([this, space = one.space, name = one.name, fence] { host_.granted(space, name, fence); });
}

void Group::lost(std::uint32_t instance) {
  const Running& one = running_.at(instance);
  record(TraceKind::lose, one);
  later([this, space = one.space, name = one.name] { host_.lost(space, name); });
}

// Once in a view: its arbiter stays as long as it does.
void Group::elected(NodeId leader, const Epoch& epoch) {
  if (leader == nobody || arbiter_ != nobody || epoch != membership_.view().epoch) return;
  if (is_traced()) {
    TraceEvent event = note(TraceKind::elect, leader);
    event.body = reflect::printed(epoch);
    options_.record(event);
  }
  arbiter_ = leader;
  Setup setup = *view_setup_;
  setup.protocol = &algorithm_of(Namespace::election);
  setup.coordinator = membership_.view().dense(leader);
  arbitrated_setup_ = std::make_shared<const Setup>(std::move(setup));
  later([this] { begin_elections(); });
}

void Group::begin_elections() {
  for (auto& [number, one] : running_) {
    if (number != election_ && one.space == Namespace::election && may_begin(one)) begin(one);
  }
}

// --- The membership -----------------------------------------------------------------------------

// Lets the membership act, and follows it.
template <class Handler>
void Group::direct(Handler handler) {
  OutboxOf<Membership> decided(drawn_);
  handler(membership_, decided);
  if (!reflect::equal(membership_.durable(), kept_)) {
    kept_ = membership_.durable();
    host_.keep(kept_);
  }
  for (const auto& send : decided.sends()) {
    const Membership::Message& message = decided.message(send);
    const bool is_stamped = is_traced() && carries_the_past(message);
    std::string bytes(1, byte_of(What::control, is_stamped));
    if (is_stamped) {
      stamp(send.to, reflect::message_name(message), reflect::message_body(message), bytes);
    }
    reflect::encode(message, bytes);
    if (send.to != self()) ++counters_.upkeep;
    // These may be lost: the membership repeats the ones that matter.
    post(send.to, std::move(bytes), false);
  }
  for (const auto& timer : decided.timers()) host_.arm({0, timer.id}, timer.after);
  for (const auto& event : decided.events()) {
    std::visit(upon{[&](const Frozen&) { freeze(); }, [&](const Installed&) { begin_view(); },
                    [&](const LeaseEnded&) {
                      for (auto& [number, one] : running_) one.instance->stop();
                      later([this] { host_.view_changed(); });
                    },
                    [&](const LeaseBegun&) {
                      for (auto& [number, one] : running_) one.instance->go_on();
                      later([this] { host_.view_changed(); });
                    }},
               event);
  }
}

void Group::freeze() {
  arbiter_ = nobody;
  for (auto& [number, one] : running_) {
    one.has_begun = false;
    one.is_called_for = false;
    one.instance->freeze();
  }
  later([this] { host_.view_changed(); });
}

void Group::begin_view() {
  ++counters_.views;
  const View& view = membership_.view();
  Setup setup = setup_of(view, *options_.setup);
  setup.protocol = options_.algorithm;
  view_setup_ = std::make_shared<const Setup>(setup);
  setup.protocol = options_.election;
  election_setup_ = std::make_shared<const Setup>(std::move(setup));
  arbiter_ = nobody;
  std::vector<std::uint32_t> kept;
  std::unordered_set<std::string_view> held_here;
  for (const ViewHold& hold : view.holds) {
    if (hold.holder == self()) held_here.insert(hold.lock);
  }
  for (auto at = running_.begin(); at != running_.end();) {
    Running& one = at->second;
    one.has_begun = false;
    // The view may begin with a lock held that the client has released meanwhile. Then the instance
    // begins, so that it releases the lock.
    const bool is_mine = held_here.contains((one.space == Namespace::lock ? "l" : "e") + one.name);
    if (at->first == election_ || is_mine || one.is_called_for || !one.instance->is_idle()) {
      kept.push_back((at++)->first);
    } else {
      by_name_.erase({one.space, one.name});
      at = running_.erase(at);
    }
  }
  kept_instances_ = kept.size();
  for (const std::uint32_t number : kept) {
    Running& one = running_.at(number);
    if (number == election_) {
      one.has_begun = true;
      one.instance->begin(election_setup_);
    } else if (may_begin(one)) {
      begin(one);
    }
  }
  later([this] { host_.view_changed(); });
}

// --- Steps --------------------------------------------------------------------------------------

void Group::post(NodeId to, std::string bytes, bool lasting) {
  if (to == self()) {
    to_self_.push_back(std::move(bytes));
  } else {
    host_.send(to, bytes, lasting);
  }
}

// Tells the application what has happened, then delivers what this process has sent to itself, and
// so on until there is nothing left.
void Group::settle() {
  if (std::exchange(is_settling_, true)) return;
  int delivered = 0;
  while (!to_tell_.empty() || !to_self_.empty()) {
    if (!to_tell_.empty()) {
      const auto what = std::move(to_tell_.front());
      to_tell_.pop_front();
      what();
    } else {
      if (++delivered > most_to_self) {
        to_self_.clear();
        host_.received_nonsense(self());
        continue;
      }
      const std::string bytes = std::move(to_self_.front());
      to_self_.pop_front();
      dispatch(self(), bytes);
    }
  }
  is_settling_ = false;
}

// --- Traces -------------------------------------------------------------------------------------

void Group::begin_step() {
  if (is_traced()) step_at_ = options_.now();
}

TraceEvent Group::note(TraceKind kind, NodeId peer, std::string name) {
  TraceEvent event{.at = step_at_, .node = self(), .kind = kind, .peer = peer};
  event.name = std::move(name);
  event.lamport = clocks_.lamport.tick();
  clocks_.vector.tick(self());
  event.vector = clocks_.vector;
  return event;
}

// Records an event of one name. A lock and an election may have the same name.
void Group::record(TraceKind kind, const Running& one, std::string body) {
  if (!is_traced()) return;
  TraceEvent event =
      note(kind, nobody, one.space == Namespace::lock ? one.name : "election " + one.name);
  event.body = std::move(body);
  options_.record(event);
}

// Stamps a message for traces. A trace does not show the messages of a process to itself.
void Group::stamp(NodeId to, std::string_view type, std::string body, std::string& bytes) {
  TraceEvent event;
  if (to != self()) {
    event = note(TraceKind::send, to, std::string(type));
    event.message = ++clocks_.messages * options_.setup->size + self().value;
    event.body = std::move(body);
    options_.record(event);
  }
  write_stamp(event, bytes);
}

void Group::note_arrival(NodeId from, std::string_view type, std::string body) {
  clocks_.lamport.now = std::max(clocks_.lamport.now, arriving_.lamport);
  // Of this process it may tell what an earlier life of it did: each counts its own events.
  std::vector<std::uint64_t> told = arriving_.vector.entries();
  told[self().value] = 0;
  clocks_.vector.merge(VectorClock(std::move(told)));
  TraceEvent event = note(TraceKind::receive, from, std::string(type));
  event.message = arriving_.message;
  event.body = std::move(body);
  options_.record(event);
}

// Records a message that this process drops. The event has the times of its sending; the sender's
// trace shows which message it was.
void Group::note_drop(NodeId from) {
  if (!is_traced() || arriving_.message == 0) return;
  TraceEvent event = arriving_;
  event.at = step_at_;
  event.node = self();
  event.kind = TraceKind::drop;
  event.peer = from;
  options_.record(event);
}

void Group::write_stamp(const TraceEvent& event, std::string& to) const {
  write_number(event.message, to);
  write_number(event.lamport.value, to);
  for (std::uint32_t i = 0; i < options_.setup->size; ++i) {
    write_number(event.message == 0 ? 0 : event.vector[NodeId{i}], to);
  }
}

}  // namespace baton::net
