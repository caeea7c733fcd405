#include "service/failover/workload.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "service/failover/fleet.h"

namespace baton::test {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t keepers = 2;  // one of each grade
constexpr auto patience = 60s;      // on a busy machine

std::uint64_t number_in(const std::string& text) { return text.empty() ? 0 : std::stoull(text); }

}  // namespace

Workload::Workload(WorkloadOptions options) : options_(std::move(options)) {
  observe();
  for (std::size_t i = 0; i < keepers + options_.durable + options_.fast; ++i) {
    auto worker = std::make_unique<Worker>();
    worker->number = i;
    worker->is_fast = i < keepers ? i == 0 : i < keepers + options_.fast;
    worker->random.seed(static_cast<std::minstd_rand::result_type>(options_.seed * 1000 + i));
    workers_.push_back(std::move(worker));
  }
  for (const auto& worker : workers_) {
    worker->thread = std::thread([this, &it = *worker] {
      if (it.number < keepers) {
        keep(it);
      } else {
        work(it);
      }
      it.has_ended = true;
    });
  }
}

Workload::~Workload() { end_all(); }

ClientOptions Workload::client_options(const Worker& worker) const {
  ClientOptions options;
  options.url = options_.url;
  options.ttl = options_.ttl;
  options.patience = patience;
  options.fast = worker.is_fast;
  options.label = "worker " + std::to_string(worker.number);
  return options;
}

// --- What they do -------------------------------------------------------------------------------

void Workload::work(Worker& worker) {
  while (!is_over_) {
    doing(worker, "connecting");
    auto client = Client::connect(client_options(worker));
    if (!client) {
      wrong("worker " + std::to_string(worker.number) + " finds no server: " + client.message());
      return;
    }
    while (!is_over_ && client->is_alive()) work_once(worker, *client);
    if (!client->is_alive()) lost(worker, client->why_lost());
    doing(worker, "closing");
    const auto closed = client->close();
    if (client->is_alive() && !closed) wrong("close: " + closed.message());
  }
}

void Workload::work_once(Worker& worker, Client& client) {
  switch (std::uniform_int_distribution<int>(0, 5)(worker.random)) {
    case 0:
    case 1:
      take_lock(worker, client, "everybody's");
      break;
    case 2:
    case 3:
      take_lock(worker, client, "of " + std::to_string(worker.number));
      break;
    case 4:
      lead(worker, client);
      break;
    default:
      count_up(worker, client);
  }
  ++worker.done;
  std::this_thread::sleep_for(
      std::chrono::microseconds(std::uniform_int_distribution<int>(500, 6000)(worker.random)));
}

void Workload::take_lock(Worker& worker, Client& client, const std::string& name) {
  doing(worker, "waiting for the lock " + name);
  LockOptions options;
  options.fast = worker.is_fast && worker.random() % 4 != 0;
  options.give_up = give_up_.get_token();
  auto lock = client.lock(name, options);
  if (!lock) return refused(worker, name, lock.failure());
  believe(worker, *lock, name);
  doing(worker, "releasing " + name);
  if (auto released = lock->release(); !released && lock->is_held()) {
    wrong("release of " + name + ": " + released.message());
  }
}

void Workload::lead(Worker& worker, Client& client) {
  doing(worker, "campaigning");
  CampaignOptions options;
  options.give_up = give_up_.get_token();
  auto leads = client.election("boss").campaign(std::to_string(worker.number), options);
  if (!leads) return refused(worker, "boss", leads.failure());
  believe(worker, leads->hold(), "boss");
  doing(worker, "resigning");
  if (auto resigned = leads->resign(); !resigned && leads->is_leader()) {
    wrong("resignation: " + resigned.message());
  }
}

void Workload::count_up(Worker& worker, Client& client) {
  doing(worker, "counting");
  while (client.is_alive() && !give_up_.stop_requested()) {
    const auto file = client.get("count");
    if (!file && file.error() != Error::not_found) {
      return refused(worker, "get", file.failure());
    }
    const std::uint64_t value = file ? number_in(file->value) : 0;
    const auto stored =
        client.put("count", std::to_string(value + 1), {.version = file ? file->version : 0});
    if (stored.error() == Error::conflict) continue;
    {
      const std::lock_guard lock(mutex_);
      ++(stored ? count_.acknowledged : count_.unknown);
    }
    if (!stored) refused(worker, "put", stored.failure());
    return;
  }
}

// Stays with it for a moment, and looks whether it is still there.
void Workload::believe(Worker& worker, const Lock& lock, const std::string& name) {
  ++grants_;
  Belief belief{name, worker.number, lock.fence(), io::boottime_us(), 0};
  if (!lock.is_held()) return;
  belief.until_us = belief.from_us;
  for (std::uint32_t i = worker.random() % 4; i < 6; ++i) {
    const bool is_taken = resource_.write(name, lock.fence());
    const std::int64_t at_us = io::boottime_us();
    if (!lock.is_held()) break;
    belief.until_us = at_us;
    if (!is_taken) wrong(name + ": refused by the resource while it is held");
    std::this_thread::sleep_for(500us);
  }
  const std::lock_guard guard(mutex_);
  beliefs_.push_back(std::move(belief));
}

// A lock that is held all the time is neither lost nor given to somebody else.
void Workload::keep(Worker& worker) {
  doing(worker, "keeping");
  auto client = Client::connect(client_options(worker));
  if (!client) return wrong("a keeper finds no server: " + client.message());
  const std::string name = "kept " + std::to_string(worker.number);
  auto lock = client->lock(name, {.fast = worker.is_fast, .give_up = give_up_.get_token()});
  if (!lock) return refused(worker, name, lock.failure());
  Belief belief{name, worker.number, lock->fence(), io::boottime_us(), 0};
  belief.until_us = belief.from_us;
  while (!is_over_ && lock->is_held()) {
    belief.until_us = io::boottime_us();
    if (!lock->is_held()) break;
    ++worker.done;
    std::this_thread::sleep_for(5ms);
  }
  doing(worker, "releasing what it kept");
  if (!client->is_alive()) {
    lost(worker, client->why_lost());
  } else if (auto released = lock->release(); !released) {
    if (client->is_alive()) wrong(name + " was not held any more: " + released.message());
    if (!client->is_alive()) lost(worker, client->why_lost());
  }
  doing(worker, "closing");
  [[maybe_unused]] const auto closed = client->close();
  const std::lock_guard guard(mutex_);
  beliefs_.push_back(std::move(belief));
}

void Workload::observe() {
  ClientOptions options;
  options.url = options_.url;
  options.ttl = 60s;
  options.patience = patience;
  auto client = Client::connect(options);
  if (!client) return wrong("the observer finds no server: " + client.message());
  observer_ = std::make_unique<Client>(std::move(client).value());
  auto watch = observer_->election("boss").observe([this](const LeaderChange& change) {
    if (change.kind != LeaderChange::Kind::elected) return;
    const std::lock_guard lock(mutex_);
    terms_.push_back(change.leader.term);
  });
  if (!watch) return wrong("the observer: " + watch.message());
  watch_ = std::move(watch).value();
}

// --- What becomes of it -------------------------------------------------------------------------

void Workload::doing(Worker& worker, std::string what) {
  const std::lock_guard lock(mutex_);
  worker.doing = std::move(what);
}

void Workload::wrong(const std::string& what) {
  const std::lock_guard lock(mutex_);
  wrong_.push_back(what);
}

void Workload::lost(const Worker& worker, const Failure& why) {
  if (options_.may_lose_sessions) return;
  wrong("worker " + std::to_string(worker.number) + " has lost its session: " + to_string(why));
}

// A request fails only with its session.
void Workload::refused(Worker& worker, const std::string& what, const Failure& failure) {
  if (failure.error == Error::session_lost || give_up_.stop_requested()) return;
  wrong("worker " + std::to_string(worker.number) + ", " + what + ": " + to_string(failure));
}

bool Workload::goes_on() {
  std::vector<std::uint64_t> before;
  for (const auto& worker : workers_) before.push_back(worker->done);
  return eventually([&] {
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      // What is under way now may have been asked for before.
      if (workers_[i]->done < before[i] + 2) return false;
    }
    return true;
  });
}

void Workload::end_all() {
  if (std::exchange(has_ended_, true)) return;
  is_over_ = true;
  const bool have_ended = eventually([&] {
    return std::all_of(workers_.begin(), workers_.end(),
                       [](const auto& worker) { return worker->has_ended.load(); });
  });
  if (!have_ended) {
    for (const auto& worker : workers_) {
      const std::lock_guard lock(mutex_);
      if (worker->has_ended) continue;
      wrong_.push_back("worker " + std::to_string(worker->number) +
                       " does not get any further: " + worker->doing);
    }
    give_up_.request_stop();
  }
  for (const auto& worker : workers_) worker->thread.join();
  watch_ = {};
}

void Workload::look_at_what_is_left() {
  if (!observer_) return;
  if (!observer_->is_alive()) wrong("the observer's session: " + to_string(observer_->why_lost()));
  const auto file = observer_->get("count");
  count_.found = file ? number_in(file->value) : 0;
  const auto is_ours = [](const std::string& name) {
    return name == "everybody's" || name == "boss" || name.starts_with("of ") ||
           name.starts_with("kept ");
  };
  std::string left;
  const bool is_empty = eventually([&] {
    left.clear();
    const auto sessions = observer_->sessions();
    for (const SessionInfo& one : sessions ? *sessions : std::vector<SessionInfo>{}) {
      if (one.who.label.starts_with("worker")) left += " session of " + one.who.label;
    }
    for (const bool elections : {false, true}) {
      const auto locks = observer_->locks({.elections = elections});
      for (const LockInfo& one : locks ? locks->locks : std::vector<LockInfo>{}) {
        if (is_ours(one.name)) left += " lock " + one.name;
      }
      if (!locks) left += " " + locks.message();
    }
    if (!sessions) left += " " + sessions.message();
    return left.empty();
  });
  if (!is_empty) wrong("what is left:" + left);
  [[maybe_unused]] const auto closed = observer_->close();
  observer_.reset();
}

std::string Workload::verdict() {
  end_all();
  look_at_what_is_left();
  std::vector<std::string> all = judge(beliefs_);
  all.insert(all.end(), wrong_.begin(), wrong_.end());
  if (const auto objection = judge(count_)) all.push_back(*objection);
  if (const auto objection = judge_terms(terms_)) all.push_back(*objection);
  constexpr std::size_t enough = 20;
  std::string text;
  for (std::size_t i = 0; i < all.size() && i < enough; ++i) text += all[i] + "\n";
  return text;
}

}  // namespace baton::test
