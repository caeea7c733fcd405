// The explorer: every reachable state of a model, breadth first, so that the way to a state is a
// shortest one. All states of one depth are expanded, by all threads, before any of the next.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

#include "lab/check/explore_options.h"
#include "lab/check/model.h"
#include "lab/check/state_store.h"

namespace baton::check {

unsigned threads_of(const ExploreOptions& options);

// The memory of the whole program in bytes, as the system counts it; 0 if the system does not say.
std::uint64_t resident_memory();

namespace detail {

// Pauses all threads while one of them does something that needs them all to stand still.
class Rendezvous {
 public:
  explicit Rendezvous(unsigned threads) : running_(threads) {}

  bool is_closed() const { return closed_.load(std::memory_order_relaxed); }
  void close() { closed_.store(true, std::memory_order_relaxed); }

  template <class Work>
  void wait(Work work) {
    std::unique_lock lock(mutex_);
    if (!is_closed()) return;
    if (++waiting_ == running_) {
      open(work);
      return;
    }
    const std::uint64_t turn = turn_;
    changed_.wait(lock, [&] { return turn_ != turn; });
  }
  // The thread has nothing more to do in this level.
  template <class Work>
  void leave(Work work) {
    const std::unique_lock lock(mutex_);
    --running_;
    if (is_closed() && running_ > 0 && waiting_ == running_) open(work);
  }

 private:
  template <class Work>
  void open(Work work) {
    work();
    waiting_ = 0;
    closed_ = false;
    ++turn_;
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  unsigned running_;
  unsigned waiting_ = 0;
  std::uint64_t turn_ = 0;
  std::atomic<bool> closed_{false};
};

}  // namespace detail

template <Model M>
class Explorer {
 public:
  using State = typename M::State;
  using Number = StateStore::Number;

  Explorer(const M& model, ExploreOptions options)
      : model_(&model),
        options_(std::move(options)),
        threads_(threads_of(options_)),
        store_(M::most_bytes),
        began_(std::chrono::steady_clock::now()) {
    for (std::size_t i = 0; i < model.properties().size(); ++i) {
      if (model.properties()[i].kind == Property::Kind::always) always_ |= PropertySet{1} << i;
    }
    first_violation_.resize(model.properties().size(), StateStore::none);
    for (unsigned i = 0; i < threads_; ++i) slots_.push_back(std::make_unique<WorkerSlot>(*this));
  }

  void run() {
    begin();
    while (stop_ == Stop::none && !frontier_.empty()) {
      if (depth_ >= options_.most_depth) {
        stop_ = Stop::depth;
        break;
      }
      expand_level();
      collect();
      if (has_learned()) begin();
    }
    if (stop_ == Stop::none && violated() & options_.stop_at) stop_ = Stop::violation;
  }

  std::uint64_t distinct() const {
    return options_.fingerprints ? fingerprints_.size() : store_.size();
  }
  std::uint64_t generated() const { return generated_; }
  std::uint32_t depth() const { return depth_; }
  // States that the search found and did not expand.
  std::uint64_t frontier() const { return in_frontier_; }
  Stop stop() const { return stop_; }
  PropertySet violated() const { return judged_ & always_; }
  PropertySet shown() const { return judged_ & ~always_; }
  std::uint64_t memory() const {
    std::uint64_t bytes = options_.fingerprints ? fingerprints_.memory() : store_.memory();
    for (const auto& slot : slots_) bytes += slot->frontier.capacity() + slot->next.capacity();
    if constexpr (requires { model_->memory(); }) bytes += model_->memory();
    return bytes;
  }
  const StateStore& store() const { return store_; }
  // The first state found to violate an always-property. With several threads there may be others
  // at the same depth.
  Number violation_of(std::size_t property) const { return first_violation_[property]; }

  // The states from a first one to this one, both included.
  std::vector<Number> way_to(Number number) const {
    std::vector<Number> way;
    for (; number != StateStore::none; number = store_.parent_of(number)) way.push_back(number);
    return {way.rbegin(), way.rend()};
  }

 private:
  using Buffer = std::vector<std::uint8_t>;

  // States to expand: numbers, or with fingerprints a stretch of a thread's buffer.
  struct Chunk {
    std::uint64_t first;
    std::uint64_t last;
    const Buffer* buffer;
  };
  static constexpr std::uint32_t chunk_size = 256;

  // A successor, before the store knows whether it is new.
  struct Reached {
    State state;
    std::uint64_t hash = 0;
    std::size_t size = 0;
    std::uint8_t bytes[M::most_bytes];
  };

  // All successors of one state.
  struct Batch {
    std::vector<Reached> reached;  // only the first `count` belong to this state
    std::size_t count = 0;
    std::uint64_t generated = 0;
    Number parent = StateStore::none;
  };

  // The data of one thread.
  struct WorkerSlot {
    explicit WorkerSlot(Explorer& explorer) : worker(*explorer.model_), writer(explorer.store_) {}

    typename M::Worker worker;
    StateStore::Writer writer;
    State state;
    std::array<Batch, 3> batches;
    std::size_t turn = 0;
    std::uint64_t generated = 0;
    PropertySet judged = 0;
    std::vector<Number> first_violation;
    Buffer frontier;  // with fingerprints: lengths and encodings, for this level and the next
    Buffer next;
    std::vector<std::uint64_t> marks;  // where chunks begin in `next`
    std::uint64_t in_next = 0;
  };

  // Some models reduce by what their processes have not done so far. If a process then does it, the
  // states that the reduction left out may matter, and the search starts again.
  bool has_learned() const {
    if constexpr (requires { model_->has_learned(); }) {
      return !options_.fingerprints && stop_ == Stop::none && model_->has_learned();
    } else {
      return false;
    }
  }

  void begin() {
    if constexpr (requires { model_->begin(); }) {
      model_->begin();
      store_.clear();
      for (const auto& slot : slots_) slot->writer = StateStore::Writer(store_);
      generated_ = 0;
      judged_ = 0;
      std::fill(first_violation_.begin(), first_violation_.end(), StateStore::none);
      for (const auto& slot : slots_) {
        slot->judged = 0;
        slot->first_violation.clear();
      }
    }
    WorkerSlot& slot = *slots_[0];
    Batch& batch = slot.batches[0];
    batch.parent = StateStore::none;
    slot.worker.initial([&](const State& state) { reach(slot, batch, state); });
    fetch_places(batch);
    meet_all(slot, batch);
    depth_ = 0;
    collect();
  }

  // Memory is slow to answer, so three states are in progress at once: the thread expands the
  // first, prefetches the places of the second's successors, and adds the third's successors.
  void expand(WorkerSlot& slot, Number parent) {
    Batch& batch = slot.batches[slot.turn % 3];
    batch.parent = parent;
    const auto visit = [&](const typename M::Step&, const State& next) {
      reach(slot, batch, next);
    };
    const auto was_known = [&](const State& state) { return is_settled(slot, state); };
    if constexpr (requires { slot.worker.successors(slot.state, visit, was_known); }) {
      if (options_.fingerprints) {
        slot.worker.successors(slot.state, visit);
      } else {
        slot.worker.successors(slot.state, visit, was_known);
      }
    } else {
      slot.worker.successors(slot.state, visit);
    }
    fetch_places(batch);
    advance(slot);
  }
  // True if the state belongs to this level or an earlier one.
  bool is_settled(WorkerSlot& slot, const State& state) const {
    std::uint8_t bytes[M::most_bytes];
    const Number number = store_.find(bytes, slot.worker.encode(state, bytes));
    return number != StateStore::none && store_.is_settled(number);
  }
  void advance(WorkerSlot& slot) {
    ++slot.turn;
    const Batch& looked_at = slot.batches[(slot.turn + 1) % 3];
    for (std::size_t i = 0; i < looked_at.count; ++i) {
      if (!options_.fingerprints) store_.fetch_likeness(looked_at.reached[i].hash);
    }
    meet_all(slot, slot.batches[slot.turn % 3]);
  }

  void reach(WorkerSlot& slot, Batch& batch, const State& state) {
    ++batch.generated;
    if (!slot.worker.within(state)) return;
    if (batch.count == batch.reached.size()) batch.reached.emplace_back();
    Reached& one = batch.reached[batch.count++];
    one.state = state;
    one.size = slot.worker.encode(state, one.bytes);
  }
  void fetch_places(Batch& batch) {
    for (std::size_t i = 0; i < batch.count; ++i) {
      Reached& one = batch.reached[i];
      one.hash = hash_of(one.bytes, one.size);
      if (options_.fingerprints) {
        fingerprints_.fetch_place(one.hash);
      } else {
        store_.fetch_place(one.hash);
      }
    }
  }

  void meet_all(WorkerSlot& slot, Batch& batch) {
    // With one thread, the work still in progress at the moment of a finding does not count.
    if (!is_over()) {
      slot.generated += batch.generated;
      for (std::size_t i = 0; i < batch.count; ++i) meet(slot, batch.reached[i], batch.parent);
    }
    batch.count = 0;
    batch.generated = 0;
  }
  bool is_over() const { return found_.load(std::memory_order_relaxed) && threads_ == 1; }

  void meet(WorkerSlot& slot, const Reached& one, Number parent) {
    Number number = StateStore::none;
    if (options_.fingerprints) {
      if (!fingerprints_.add(one.hash)) return;
      if (slot.in_next++ % chunk_size == 0) slot.marks.push_back(slot.next.size());
      slot.next.push_back(static_cast<std::uint8_t>(one.size));
      slot.next.push_back(static_cast<std::uint8_t>(one.size >> 8));
      slot.next.insert(slot.next.end(), one.bytes, one.bytes + one.size);
    } else {
      bool is_new = false;
      std::tie(number, is_new) = slot.writer.add(one.bytes, one.size, one.hash, parent);
      if (!is_new) return;
    }
    const PropertySet judged = slot.worker.judge(one.state);
    if ((judged & ~slot.judged) == 0) return;
    for (std::size_t i = 0; i < first_violation_.size(); ++i) {
      if (((judged & ~slot.judged) >> i & 1) == 0) continue;
      slot.first_violation.resize(first_violation_.size(), StateStore::none);
      slot.first_violation[i] = number;
    }
    slot.judged |= judged;
    // A violation makes deeper levels unnecessary; with one thread even the rest of this level.
    if (judged & always_ & options_.stop_at) found_ = true;
  }

  void expand_level() {
    next_chunk_ = 0;
    detail::Rendezvous rendezvous(threads_);
    const auto work = [&](unsigned index) {
      WorkerSlot& slot = *slots_[index];
      const auto make_room = [&] { grow(); };
      for (std::size_t i = next_chunk_++; i < frontier_.size(); i = next_chunk_++) {
        if (stop_ != Stop::none || is_over()) break;
        expand_chunk(slot, frontier_[i]);
        if (is_crowded()) rendezvous.close();
        if (rendezvous.is_closed()) rendezvous.wait(make_room);
        if (index == 0) look_around(slot);
      }
      rendezvous.leave(make_room);
    };
    std::vector<std::thread> others;
    // Waking the other threads does not pay for a level of a few states.
    const unsigned needed = frontier_.size() < 2 ? 1 : threads_;
    if (needed == 1) {
      for (unsigned i = 1; i < threads_; ++i) rendezvous.leave([] {});
    }
    for (unsigned i = 1; i < needed; ++i) others.emplace_back(work, i);
    work(0);
    for (std::thread& other : others) other.join();
  }

  void expand_chunk(WorkerSlot& slot, const Chunk& chunk) {
    expand_states(slot, chunk);
    advance(slot);
    advance(slot);
  }

  void expand_states(WorkerSlot& slot, const Chunk& chunk) {
    if (chunk.buffer == nullptr) {
      for (std::uint64_t number = chunk.first; number < chunk.last; ++number) {
        const auto bytes = store_.bytes_of(static_cast<Number>(number));
        slot.worker.decode(bytes.data(), bytes.size(), slot.state);
        expand(slot, static_cast<Number>(number));
        if (is_over()) return;
      }
      return;
    }
    const std::uint8_t* at = chunk.buffer->data() + chunk.first;
    const std::uint8_t* end = chunk.buffer->data() + chunk.last;
    while (at < end) {
      const std::size_t size = at[0] | static_cast<std::size_t>(at[1]) << 8;
      slot.worker.decode(at + 2, size, slot.state);
      at += 2 + size;
      expand(slot, StateStore::none);
    }
  }

  bool is_crowded() const {
    return options_.fingerprints ? fingerprints_.is_crowded() : store_.is_crowded();
  }

  void grow() {
    const std::uint64_t then =
        options_.fingerprints ? fingerprints_.memory_after_growth() : store_.memory_after_growth();
    if (then > options_.memory) {
      stop_ = Stop::memory;
    } else if (options_.fingerprints) {
      fingerprints_.grow();
    } else {
      store_.grow();
    }
  }

  void look_around(WorkerSlot& slot) {
    if (distinct() > options_.most_states) stop_ = Stop::states;
    if (memory() > options_.memory) stop_ = Stop::memory;
    if (options_.interrupted != nullptr && *options_.interrupted) stop_ = Stop::interrupted;
    const std::chrono::duration<double> so_far = std::chrono::steady_clock::now() - began_;
    if (so_far.count() < next_report_) return;
    next_report_ = so_far.count() + 0.2;
    // The memory of models and workers is only an estimate above.
    if (resident_memory() > resident_before_ + options_.memory) stop_ = Stop::memory;
    if (!options_.progress) return;
    options_.progress({distinct(), generated_ + slot.generated * threads_, depth_, in_frontier_,
                       memory(), so_far.count()});
  }

  // Makes the states just found the next level's frontier.
  void collect() {
    frontier_.clear();
    in_frontier_ = 0;
    for (const auto& slot : slots_) {
      generated_ += std::exchange(slot->generated, 0);
      for (std::size_t i = 0; i < slot->first_violation.size(); ++i) {
        if (first_violation_[i] == StateStore::none) {
          first_violation_[i] = slot->first_violation[i];
        }
      }
      judged_ |= slot->judged;
      if (options_.fingerprints) {
        collect_buffer(*slot);
        continue;
      }
      for (const StateStore::Range& range : slot->writer.take_added()) {
        in_frontier_ += range.last - range.first;
        for (Number first = range.first; first < range.last; first += chunk_size) {
          frontier_.push_back({first, std::min(first + chunk_size, range.last), nullptr});
        }
      }
    }
    for (const auto& slot : slots_) slot->judged = judged_;
    if (in_frontier_ > 0) ++depth_;
    if (found_ && stop_ == Stop::none) stop_ = Stop::violation;
  }

  void collect_buffer(WorkerSlot& slot) {
    std::swap(slot.frontier, slot.next);
    slot.next.clear();
    in_frontier_ += std::exchange(slot.in_next, 0);
    for (std::size_t i = 0; i < slot.marks.size(); ++i) {
      const std::uint64_t end =
          i + 1 < slot.marks.size() ? slot.marks[i + 1] : slot.frontier.size();
      frontier_.push_back({slot.marks[i], end, &slot.frontier});
    }
    slot.marks.clear();
  }

  const M* model_;
  ExploreOptions options_;
  unsigned threads_;
  StateStore store_;
  FingerprintStore fingerprints_;
  std::chrono::steady_clock::time_point began_;
  double next_report_ = 0.2;
  std::uint64_t resident_before_ = resident_memory();
  std::vector<std::unique_ptr<WorkerSlot>> slots_;
  std::vector<Chunk> frontier_;
  std::uint64_t in_frontier_ = 0;
  std::atomic<std::size_t> next_chunk_{0};
  std::atomic<Stop> stop_{Stop::none};
  std::atomic<bool> found_{false};
  std::uint64_t generated_ = 0;
  std::uint32_t depth_ = 0;
  PropertySet always_ = 0;
  PropertySet judged_ = 0;
  std::vector<Number> first_violation_;
};

// The result, for callers that need no more.
template <class M>
struct Exploration {
  std::uint64_t distinct = 0;
  std::uint64_t generated = 0;
  std::uint32_t depth = 0;  // levels, the first states' included
  bool exhausted = false;
  PropertySet violated = 0;
  PropertySet shown = 0;
  std::uint64_t memory = 0;
};

template <Model M>
Exploration<M> explore(const M& model, const ExploreOptions& options = {}) {
  Explorer<M> explorer(model, options);
  explorer.run();
  return {
      explorer.distinct(), explorer.generated(), explorer.depth(), explorer.stop() == Stop::none,
      explorer.violated(), explorer.shown(),     explorer.memory()};
}

}  // namespace baton::check
