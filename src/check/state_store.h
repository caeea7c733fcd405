// All states that were found, each once, as the bytes of its encoding.
//
// Several threads add states at the same time. A state gets a number, by which its bytes and its
// parent, the state from which it was first reached, are found again. The table that finds a state
// by its bytes is open addressing over atomic words, each the upper half of a hash and a number;
// between two of its sizes all threads must pause (explore.h sees to that).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace baton::check {

std::uint64_t hash_of(const std::uint8_t* bytes, std::size_t size);

class StateStore {
 public:
  using Number = std::uint32_t;
  static constexpr Number none = 0xFFFF'FFFF;

  // States are numbered in blocks; each thread fills blocks of its own, so that the states that it
  // adds one after the other have consecutive numbers but for the ends of blocks.
  static constexpr std::uint32_t block_bits = 14;
  static constexpr Number block_size = Number{1} << block_bits;

  struct Range {
    Number first;
    Number last;  // one past
  };

  class Writer {
   public:
    explicit Writer(StateStore& store) : store_(&store) {}

    // The number of this state, and whether it is new.
    std::pair<Number, bool> add(const std::uint8_t* bytes, std::size_t size, Number parent);
    // What was added since the last call.
    std::vector<Range> take_added();

   private:
    Number append(const std::uint8_t* bytes, std::size_t size, Number parent);
    void commit();

    StateStore* store_;
    struct Block* block_ = nullptr;
    std::vector<Range> added_;
  };

  explicit StateStore(std::size_t most_bytes_per_state);
  ~StateStore();
  StateStore(const StateStore&) = delete;
  StateStore& operator=(const StateStore&) = delete;

  std::span<const std::uint8_t> bytes_of(Number number) const;
  Number parent_of(Number number) const;
  // The number of the state with these bytes, or `none`.
  Number find(const std::uint8_t* bytes, std::size_t size) const;

  std::uint64_t size() const { return size_.load(std::memory_order_relaxed); }
  // One past the largest number that is in use. Not all numbers below it are.
  Number numbers() const { return blocks_used_.load(std::memory_order_relaxed) << block_bits; }
  std::vector<Range> all() const;

  // Whether the table should grow before many more states are added, how much memory there would
  // be then, and the growing: while no other thread uses the store.
  bool is_crowded() const { return size() > crowded_at_; }
  std::uint64_t memory_after_growth() const { return memory() + 2 * table_bytes(); }
  void grow();
  // Bytes that are occupied.
  std::uint64_t memory() const;

 private:
  std::uint64_t table_bytes() const { return 8 * (mask_ + 1); }
  void set_table(std::size_t capacity);
  struct Block* new_block();

  std::size_t most_bytes_;
  std::unique_ptr<std::atomic<std::uint64_t>[]> table_;
  std::uint64_t mask_ = 0;
  std::uint64_t crowded_at_ = 0;
  std::vector<std::atomic<struct Block*>> blocks_;
  std::atomic<std::uint32_t> blocks_used_{0};
  std::atomic<std::uint64_t> size_{0};
  std::atomic<std::uint64_t> bytes_{0};  // of the states themselves
};

// For hash compaction: remembers 64 bits of each state and nothing else. Two states that agree in
// these pass for one, so the search may leave states out.
class FingerprintStore {
 public:
  FingerprintStore();

  // False if a state with this fingerprint was there.
  bool add(std::uint64_t fingerprint);
  std::uint64_t size() const { return size_.load(std::memory_order_relaxed); }
  bool is_crowded() const { return size() > crowded_at_; }
  std::uint64_t memory_after_growth() const { return 3 * memory(); }
  void grow();
  std::uint64_t memory() const { return 8 * (mask_ + 1); }

 private:
  void set_table(std::size_t capacity);

  std::unique_ptr<std::atomic<std::uint64_t>[]> table_;
  std::uint64_t mask_ = 0;
  std::uint64_t crowded_at_ = 0;
  std::atomic<std::uint64_t> size_{0};
};

// How likely it is that a search with fingerprints left out at least one of so many states.
double omission_probability(std::uint64_t states);

}  // namespace baton::check
