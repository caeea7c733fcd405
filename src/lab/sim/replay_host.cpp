#include "lab/sim/replay_host.h"

#include <algorithm>
#include <cstddef>

namespace baton::sim {

namespace {

using Kind = ScheduledStep::Kind;

// A loop in which numbers grow never closes. If it can be carried out so often, it goes on for
// ever.
constexpr int repetitions = 3;
constexpr std::size_t most_listed = 5;

std::string text_of(NodeId node) { return std::to_string(node.value); }

// "0, 1 and 2"
std::string listed(const std::vector<std::string>& items) {
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) text += i + 1 == items.size() ? " and " : ", ";
    text += items[i];
  }
  return text;
}

template <class Nodes>
std::string listed_nodes(const Nodes& nodes) {
  std::vector<std::string> items;
  items.reserve(nodes.size());
  for (const NodeId node : nodes) items.push_back(text_of(node));
  return listed(items);
}

bool names_a_message(Kind kind) {
  return kind == Kind::deliver || kind == Kind::lose || kind == Kind::duplicate ||
         kind == Kind::delay;
}

bool names_a_peer(Kind kind) {
  return names_a_message(kind) || kind == Kind::suspect || kind == Kind::trust;
}

Trace empty_trace(const Info& info, const Setup& setup) {
  Trace trace;
  trace.algorithm = info.name;
  trace.size = setup.size;
  return trace;
}

}  // namespace

ReplayHost::ReplayHost(Application application, const Info& info, const Setup& setup,
                       const ReplayOptions& options, const Schedule& schedule)
    : application_(application),
      setup_(&setup),
      options_(options),
      schedule_(&schedule),
      replayed_{.trace = empty_trace(info, setup)},
      recorder_(replayed_.trace),
      oracle_(setup, info, report_),
      info_(&info),
      status_(setup.size, Status::outside),
      timers_(setup.size),
      position_(schedule.steps.size()) {
  if (options.inside != nobody) status_[options.inside.value] = Status::inside;
}

Replayed ReplayHost::run() {
  for (std::uint32_t i = 0; i < setup_->size; ++i) start({i});
  choices_of_start_ = choices_taken_;
  for (std::size_t i = 0; i < schedule_->steps.size() && !failed(); ++i) take_step(i);
  if (!failed()) judge();
  recorder_.set_verdict(replayed_.found);
  return std::move(replayed_);
}

void ReplayHost::take_step(std::size_t index) {
  const ScheduledStep& step = schedule_->steps[index];
  index_ = index;
  choices_taken_ = index == 0 ? choices_of_start_ : 0;
  now_ = now_ + message_time;
  if (schedule_->loop == index && recording_) begin_loop();
  if (!failed() && is_possible(step)) perform(step);
  if (failed() || choices_taken_ == step.choices.size()) return;
  fail("nobody asked for " + std::to_string(step.choices.size() - choices_taken_) + " of its " +
       std::to_string(step.choices.size()) + " choices");
}

void ReplayHost::begin_loop() {
  const NodeId node = schedule_->steps[index_].node;
  record(node.value < setup_->size ? node : NodeId{0}, TraceKind::note, nobody,
         "sees the loop begin");
  state_at_loop_ = state();
  for (const NodeId waiting : those(Status::waiting)) patient_.insert(waiting);
  for (const NodeId inside : those(Status::inside)) neglected_.inside.insert(inside);
  for (const auto& [ends, channel] : channels_) {
    if (!channel.empty() && is_up(ends.second)) neglected_.channels.insert(ends);
  }
  for (std::uint32_t i = 0; i < setup_->size; ++i) {
    for (const TimerId timer : timers_[i]) neglected_.timers.insert({{i}, timer});
  }
}

void ReplayHost::Neglected::forget(NodeId node) {
  std::erase_if(channels, [&](const Ends& ends) { return ends.second == node; });
  std::erase_if(timers, [&](const auto& timer) { return timer.first == node; });
  inside.erase(node);
}

void ReplayHost::fail(std::string what) {
  if (!failed()) replayed_.error = ReplayError{index_ + 1, std::move(what)};
}

// True if these processes exist, up or down as the step needs them.
bool ReplayHost::is_possible(const ScheduledStep& step) {
  const auto is_known = [&](NodeId node) {
    if (node.value < setup_->size) return true;
    fail(node == nobody ? "it does not say which process"
                        : "there is no process " + text_of(node) + "; the processes are 0 to " +
                              std::to_string(setup_->size - 1));
    return false;
  };
  if (step.kind == Kind::pass) return true;
  if (!is_known(step.node) || (names_a_peer(step.kind) && !is_known(step.peer))) return false;
  if (step.kind == Kind::recover && is_up(step.node)) {
    fail("process " + text_of(step.node) + " is not down");
  } else if (step.kind != Kind::recover && !names_a_message(step.kind) && !is_up(step.node)) {
    fail("process " + text_of(step.node) + " is down");
  } else if (names_a_peer(step.kind) && step.node == step.peer) {
    fail("process " + text_of(step.node) + " is its own peer");
  }
  return !failed();
}

void ReplayHost::perform(const ScheduledStep& step) {
  switch (step.kind) {
    case Kind::deliver:
      return deliver(step);
    case Kind::request:
      return make_request(step.node);
    case Kind::release:
      return leave(step.node);
    case Kind::expire:
      return run_out(step.node, {step.timer});
    case Kind::pass:
      return;
    case Kind::crash:
      return stop(step.node);
    case Kind::quit:
      say_farewell(step.node);
      return stop(step.node);
    case Kind::recover:
      return come_back(step.node);
    case Kind::suspect:
      record(step.node, TraceKind::suspect, step.peer);
      return suspect(step.node, step.peer);
    case Kind::trust:
      record(step.node, TraceKind::trust, step.peer);
      return trust(step.node, step.peer);
    case Kind::pause:
      return record(step.node, TraceKind::pause);
    case Kind::resume:
      return record(step.node, TraceKind::resume);
    case Kind::lose:
    case Kind::duplicate:
    case Kind::delay:
      return interfere(step);
  }
}

void ReplayHost::deliver(const ScheduledStep& step) {
  const auto position = find(step);
  if (!position) return;
  const InFlight message = take(step, *position);
  if (!is_up(step.node)) {
    if (recording_) recorder_.drop(now_, step.node, message.traced);
    if (is_up(step.peer)) give_back(step.peer, step.node, message.slot);
    return;
  }
  if (recording_) recorder_.receive(now_, step.node, message.traced);
  receive(step.node, step.peer, message.slot);
}

void ReplayHost::make_request(NodeId node) {
  switch (application_) {
    case Application::lock:
      if (status_[node.value] != Status::outside) {
        return fail("process " + text_of(node) + " is " +
                    (status_[node.value] == Status::inside ? "inside" : "waiting") + " already");
      }
      record(node, TraceKind::request);
      status_[node.value] = Status::waiting;
      break;
    case Application::election:
      record(node, TraceKind::request, nobody, "an election");
      ++report_.requests;
      break;
    case Application::observer:
      break;
    case Application::unasked_observer:
      return fail("this algorithm observes from the beginning and is not asked to");
  }
  ask(node);
}

void ReplayHost::leave(NodeId node) {
  if (status_[node.value] != Status::inside) {
    return fail("process " + text_of(node) + " is not inside");
  }
  record(node, TraceKind::exit);
  status_[node.value] = Status::outside;
  neglected_.inside.erase(node);
  release(node);
}

void ReplayHost::run_out(NodeId node, TimerId timer) {
  if (timers_[node.value].erase(timer) == 0) {
    return fail("timer " + std::to_string(timer.value) + " of process " + text_of(node) +
                " is not armed");
  }
  neglected_.timers.erase({node, timer});
  record(node, TraceKind::timer, nobody, std::to_string(timer.value));
  expire(node, timer);
}

void ReplayHost::stop(NodeId node) {
  record(node, TraceKind::crash);
  status_[node.value] = Status::down;
  timers_[node.value].clear();
  patient_.erase(node);
  neglected_.forget(node);
  oracle_.crash(node, now_);
  crash(node);
}

void ReplayHost::come_back(NodeId node) {
  record(node, TraceKind::recover);
  status_[node.value] = Status::outside;
  oracle_.recover(node, now_);
  recover(node);
}

void ReplayHost::interfere(const ScheduledStep& step) {
  const auto position = find(step);
  if (!position) return;
  if (step.kind == Kind::lose) {
    const InFlight message = take(step, *position);
    if (recording_) recorder_.drop(now_, step.node, message.traced);
  } else if (step.kind == Kind::duplicate) {
    Channel& channel = channels_[{step.peer, step.node}];
    const InFlight copy = channel[*position];
    channel.insert(channel.begin() + static_cast<std::ptrdiff_t>(*position), copy);
  } else if (is_up(step.node)) {
    record(step.node, TraceKind::note, nobody,
           "will get " + step.message + " of " + text_of(step.peer) + " late");
  }
}

// The place of the step's message in its channel. In a repetition its fields may have grown, so the
// message is found by its place and type.
std::optional<std::size_t> ReplayHost::find(const ScheduledStep& step) {
  const Channel& channel = channels_[{step.peer, step.node}];
  const auto is_meant = [&](std::size_t i) {
    if (recording_) return channel[i].text == step.message;
    return i == position_[index_] && step.message.starts_with(channel[i].name + "(");
  };
  for (std::size_t i = 0; i < channel.size(); ++i) {
    if (!is_meant(i)) continue;
    position_[index_] = i;
    return i;
  }
  fail("no message " + step.message + " is under way from " + text_of(step.peer) + " to " +
       text_of(step.node) + "; " + what_is_under_way(step));
  return std::nullopt;
}

ReplayHost::InFlight ReplayHost::take(const ScheduledStep& step, std::size_t position) {
  Channel& channel = channels_[{step.peer, step.node}];
  const auto at = channel.begin() + static_cast<std::ptrdiff_t>(position);
  InFlight message = std::move(*at);
  channel.erase(at);
  neglected_.channels.erase({step.peer, step.node});
  return message;
}

std::string ReplayHost::what_is_under_way(const ScheduledStep& step) const {
  const auto channel = channels_.find({step.peer, step.node});
  if (channel == channels_.end() || channel->second.empty()) return "nothing is";
  std::string text = "under way are: ";
  for (std::size_t i = 0; i < channel->second.size(); ++i) {
    if (i == most_listed) return text + ", ...";
    text += (i == 0 ? "" : ", ") + channel->second[i].text;
  }
  return text;
}

std::uint32_t ReplayHost::choose(std::uint32_t bound) {
  static const std::vector<std::uint32_t> none;
  const auto& choices = index_ < schedule_->steps.size() ? schedule_->steps[index_].choices : none;
  if (choices_taken_ == choices.size()) {
    fail("a choice is missing, of a number below " + std::to_string(bound));
    return 0;
  }
  const std::uint32_t choice = choices[choices_taken_++];
  if (choice < bound) return choice;
  fail("choice " + std::to_string(choice) + " is not below " + std::to_string(bound));
  return 0;
}

void ReplayHost::sent(NodeId from, NodeId to, Sending sending) {
  const std::uint64_t traced =
      recording_ ? recorder_.send(now_, from, to, sending.name, sending.body) : 0;
  std::string name(sending.name);
  std::string text = name + sending.body;
  channels_[{from, to}].push_back(
      {std::move(name), std::move(text), std::move(sending.encoded), traced, sending.slot});
}

void ReplayHost::armed(NodeId node, TimerId timer, Ticks after) {
  neglected_.timers.erase({node, timer});
  if (after == forever) {
    timers_[node.value].erase(timer);
  } else {
    timers_[node.value].insert(timer);
  }
}

void ReplayHost::entered(NodeId node) {
  record(node, TraceKind::enter);
  status_[node.value] = Status::inside;
  patient_.erase(node);
  const auto inside = those(Status::inside);
  if (inside.size() > 1 && replayed_.found.empty()) {
    replayed_.found = "two inside: " + listed_nodes(inside);
  }
}

void ReplayHost::lost(NodeId node) {
  record(node, TraceKind::lose);
  status_[node.value] = Status::outside;
  neglected_.inside.erase(node);
}

void ReplayHost::elected(NodeId node, const Elected& elected) {
  record(node, TraceKind::elect, elected.leader);
  oracle_.believe(node, elected.leader, elected.epoch, now_);
}

void ReplayHost::record(NodeId node, TraceKind kind, NodeId peer, std::string name) {
  if (recording_) recorder_.local(now_, node, kind, peer, std::move(name));
}

std::vector<NodeId> ReplayHost::those(Status status) const {
  std::vector<NodeId> nodes;
  for (std::uint32_t i = 0; i < status_.size(); ++i) {
    if (status_[i] == status) nodes.push_back({i});
  }
  return nodes;
}

bool ReplayHost::is_quiet() const {
  return std::all_of(channels_.begin(), channels_.end(),
                     [](const auto& channel) { return channel.second.empty(); }) &&
         std::all_of(timers_.begin(), timers_.end(),
                     [](const auto& timers) { return timers.empty(); });
}

// Everything that the future depends on. Every message of a channel can come next, so the order in
// a channel does not count.
std::string ReplayHost::state() const {
  std::string all;
  const auto add = [&](const std::string& part) {
    reflect::encode(part.size(), all);
    all += part;
  };
  for (std::uint32_t i = 0; i < setup_->size; ++i) {
    reflect::encode(status_[i], all);
    reflect::encode(timers_[i], all);
    add(state_of({i}));
  }
  for (const auto& [ends, channel] : channels_) {
    if (channel.empty()) continue;
    std::vector<std::string> messages;
    for (const InFlight& message : channel) messages.push_back(message.encoded);
    std::sort(messages.begin(), messages.end());
    reflect::encode(ends, all);
    reflect::encode(messages.size(), all);
    for (const std::string& message : messages) add(message);
  }
  return all;
}

bool ReplayHost::can_repeat() {
  recording_ = false;
  for (int round = 0; round < repetitions && !failed(); ++round) {
    for (std::size_t i = *schedule_->loop; i < schedule_->steps.size() && !failed(); ++i) {
      take_step(i);
    }
  }
  const bool repeats = !failed();
  replayed_.error.reset();
  return repeats;
}

void ReplayHost::judge() {
  if (schedule_->loop && *schedule_->loop < schedule_->steps.size()) {
    replayed_.loop_closes = state() == state_at_loop_;
    replayed_.loop_repeats = neglected_.empty() && (replayed_.loop_closes || can_repeat());
  }
  const bool repeats = replayed_.loop_repeats;
  if (!replayed_.found.empty()) return;
  if (application_ == Application::lock) judge_lock(repeats);
  if (application_ == Application::election) judge_election(repeats || is_quiet());
}

void ReplayHost::judge_lock(bool repeats) {
  const auto wait = [](const auto& nodes) {
    return listed_nodes(nodes) + (nodes.size() == 1 ? " waits" : " wait");
  };
  if (repeats && !patient_.empty()) {
    replayed_.found = wait(patient_) + " while steps " + std::to_string(*schedule_->loop + 1) +
                      " to " + std::to_string(schedule_->steps.size()) + " repeat";
  }
  const auto waiting = those(Status::waiting);
  if (waiting.empty() || schedule_->loop || !is_quiet()) return;
  if (!those(Status::inside).empty()) return;
  replayed_.found = "nothing is under way, and " + wait(waiting);
}

void ReplayHost::judge_election(bool settled) {
  if (settled) oracle_.judge(now_, [](NodeId, NodeId) { return true; });
  if (!report_.violations.empty()) {
    replayed_.found = report_.violations.front().what;
  } else if (!settled && info_->choice != Choice::several) {
    replayed_.found = beliefs_if_they_differ();
  }
}

// A process that knows no leader may still learn of one.
std::string ReplayHost::beliefs_if_they_differ() const {
  std::set<NodeId> leaders;
  std::vector<std::string> beliefs;
  for (std::uint32_t i = 0; i < setup_->size; ++i) {
    const NodeId leader = report_.leaders[i];
    if (leader == nobody) continue;
    leaders.insert(leader);
    beliefs.push_back(text_of({i}) + " takes " + text_of(leader));
  }
  return leaders.size() < 2 ? "" : listed(beliefs) + " for the leader";
}

}  // namespace baton::sim
