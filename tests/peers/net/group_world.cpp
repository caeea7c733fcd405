#include "group_world.h"

namespace baton::net {

namespace {

constexpr Ticks between_wishes = 30 * message_time;
constexpr std::size_t most_sent_kept = 500;

}  // namespace

GroupWorld::GroupWorld(WorldOptions options)
    : options_(std::move(options)), random_(options_.seed) {
  Setup setup = default_setup(options_.size);
  setup.omission = options_.omission;
  setup_ = std::make_shared<const Setup>(std::move(setup));
  for (std::uint32_t i = 0; i < options_.size; ++i) {
    nodes_.push_back(std::make_unique<Node>(*this, NodeId{i}));
  }
  for (const auto& node : nodes_) start(*node);
}

void GroupWorld::start(Node& node) {
  ++node.life;
  node.has_left = false;
  node.starts.reset();
  Recorder record;
  if (options_.traced) record = [this](const TraceEvent& event) { trace_.push_back(event); };
  node.group = std::make_unique<Group>(node,
                                       GroupOptions{.self = node.id,
                                                    .setup = setup_,
                                                    .algorithm = find(options_.algorithm),
                                                    .election = find(options_.election),
                                                    .record = std::move(record),
                                                    .seed = random_(),
                                                    .now = [this] { return now_; },
                                                    .most_instances = options_.most_instances},
                                       node.kept);
  node.acts = now_ + Ticks{draw(static_cast<std::uint32_t>(between_wishes.value))};
  node.group->start();
}

void GroupWorld::crash(NodeId id) {
  Node& node = *nodes_[id.value];
  node.group.reset();
  node.timers.clear();
  node.uses.clear();
}

bool GroupWorld::leave(NodeId id) {
  Node& node = *nodes_[id.value];
  node.has_left = node.group->leave();
  crash(id);
  return node.has_left;
}

void GroupWorld::restart(NodeId id) {
  Node& node = *nodes_[id.value];
  if (node.has_left) return start(node);
  node.starts = now_ + setup_->lease * Membership::tick_time;
}

void GroupWorld::mend() { cut_.clear(); }

bool GroupWorld::is_quiet() const {
  return std::all_of(nodes_.begin(), nodes_.end(), [](const auto& node) {
    return std::all_of(node->uses.begin(), node->uses.end(),
                       [](const auto& use) { return use.second.status == Status::idle; });
  });
}

void GroupWorld::violated(const std::string& what) {
  violations_.push_back(what + " at " + std::to_string(in_message_times(now_)) + ", seed " +
                        std::to_string(options_.seed));
}

// --- What processes do --------------------------------------------------------------------------

void GroupWorld::Node::send(NodeId to, std::string_view bytes, bool lasting) {
  auto& link = world.links_[{id.value, to.value}];
  world.sent_.emplace_back(bytes);
  if (world.sent_.size() > most_sent_kept) world.sent_.pop_front();
  const Ticks delay{1 + world.draw(static_cast<std::uint32_t>(message_time.value))};
  if (!lasting && world.is_cut(id.value, to.value)) return;
  Ticks at = world.now_ + delay;
  if (!link.empty()) at = std::max(at, link.back().at);
  link.push_back({at, life, world.nodes_[to.value]->life, lasting, std::string(bytes)});
}

void GroupWorld::Node::arm(GroupTimer timer, Ticks after) {
  if (after == forever) {
    timers.erase(timer);
  } else {
    timers[timer] = world.now_ + after;
  }
}

void GroupWorld::Node::granted(Namespace space, const std::string& name,
                               const FencingToken& fence) {
  Use& use = uses[{space, name}];
  if (use.status != Status::waits) world.violated("a grant that nobody asked for: " + name);
  for (const auto& other : world.nodes_) {
    const auto found = other->uses.find({space, name});
    if (other->id != id && found != other->uses.end() && found->second.status == Status::inside) {
      world.violated(name + ": " + std::to_string(id.value) + " enters while " +
                     std::to_string(other->id.value) + " is inside");
    }
  }
  if (const Promised& promised = world.promised_[{space, name}];
      promised.to != id && world.now_ < promised.until) {
    world.violated(name + ": " + std::to_string(id.value) + " enters while it is promised to " +
                   std::to_string(promised.to.value));
  }
  world.promised_[{space, name}] = {id, {}};
  FencingToken& latest = world.latest_[{space, name}];
  if (fence <= latest) world.violated(name + ": a fence that is not larger than an earlier one");
  latest = std::max(latest, fence);
  ++world.entries_;
  const Ticks stay{world.draw(static_cast<std::uint32_t>(2 * message_time.value))};
  use = {Status::inside, fence, world.options_.stays ? forever : world.now_ + stay};
}

void GroupWorld::Node::lost(Namespace space, const std::string& name) {
  Use& use = uses[{space, name}];
  if (use.status != Status::inside) world.violated("lost what it did not hold: " + name);
  use.status = Status::idle;
  if (world.now_ < world.promised_[{space, name}].until) {
    world.violated(name + ": lost sooner than was promised");
  }
  ++world.losses_;
}

void GroupWorld::Node::received_nonsense(NodeId from) {
  world.violated("nonsense from " + std::to_string(from.value));
}

bool GroupWorld::ask(NodeId id, Namespace space, const std::string& name) {
  Node& node = *nodes_[id.value];
  Use& use = node.uses[{space, name}];
  if (use.status != Status::idle) return false;
  use.status = Status::waits;
  node.group->request(space, name);
  return true;
}

std::optional<FencingToken> GroupWorld::held(NodeId id, Namespace space,
                                             const std::string& name) const {
  const auto found = nodes_[id.value]->uses.find({space, name});
  if (found == nodes_[id.value]->uses.end() || found->second.status != Status::inside) return {};
  return found->second.fence;
}

void GroupWorld::leave(NodeId id, Namespace space, const std::string& name) {
  nodes_[id.value]->uses[{space, name}].status = Status::idle;
  promised_.erase({space, name});
  nodes_[id.value]->group->release(space, name);
}

// As a member tells its clients, who may act on it even when the member is gone.
void GroupWorld::note_promises(const Node& node) {
  const auto next_tick = node.timers.find(GroupTimer{});
  if (next_tick == node.timers.end()) return;
  const auto ticks = static_cast<std::int64_t>(node.group->members().lease_left());
  const Ticks until = next_tick->second + (ticks - 1) * Membership::tick_time;
  for (const auto& [key, use] : node.uses) {
    if (use.status != Status::inside) continue;
    promised_[key].until = std::max(promised_[key].until, until);
  }
}

void GroupWorld::act(Node& node) {
  node.acts = now_ + Ticks{1 + draw(static_cast<std::uint32_t>(between_wishes.value))};
  if (is_calm_ || options_.names == 0) return;
  const Namespace space = draw(4) == 0 ? Namespace::election : Namespace::lock;
  ask(node.id, space, std::string(1, static_cast<char>('a' + draw(options_.names))));
}

// --- Time ---------------------------------------------------------------------------------------

void GroupWorld::run(Ticks until) {
  while (step(until)) {
  }
  now_ = until;
}

// The next thing that happens. False: nothing does before that time.
bool GroupWorld::step(Ticks until) {
  Ticks first = until;
  std::function<void()> what;
  const auto offer = [&](Ticks at, auto&& happens) {
    if (at >= first) return;
    first = at;
    what = happens;
  };
  for (auto& [ends, link] : links_) {
    if (link.empty()) continue;
    const Message& message = link.front();
    const Node& from = *nodes_[ends.first];
    const Node& to = *nodes_[ends.second];
    // What one of the two ends no longer knows of is gone; what is cut off waits.
    const bool is_gone = message.sender_life != from.life || message.receiver_life != to.life ||
                         (from.group == nullptr && !from.has_left) || to.group == nullptr;
    if (!is_gone && is_cut(ends.first, ends.second) && message.lasting) continue;
    offer(std::max(now_, message.at), [this, ends = ends, is_gone] {
      const Message arrived = std::move(links_[ends].front());
      links_[ends].pop_front();
      if (is_gone || (is_cut(ends.first, ends.second) && !arrived.lasting)) return;
      nodes_[ends.second]->group->receive({ends.first}, arrived.bytes);
    });
  }
  for (const auto& node : nodes_) {
    if (node->starts) offer(std::max(now_, *node->starts), [this, &node] { start(*node); });
    if (node->group == nullptr) continue;
    offer(std::max(now_, node->acts), [this, &node] { act(*node); });
    for (const auto& [timer, at] : node->timers) {
      offer(std::max(now_, at), [&node, timer = timer] {
        node->timers.erase(timer);
        node->group->expire(timer);
      });
    }
    for (const auto& [key, use] : node->uses) {
      if (use.status != Status::inside) continue;
      offer(std::max(now_, use.leaves),
            [this, &node, key = key] { leave(node->id, key.first, key.second); });
    }
  }
  if (!what) return false;
  now_ = first;
  what();
  for (const auto& node : nodes_) {
    if (node->group != nullptr) note_promises(*node);
  }
  return true;
}

}  // namespace baton::net
