// All states that the search found, each once, as the bytes of its encoding.
//
// Several threads add states at the same time. Each state gets a number, under which the store
// finds its bytes and its parent, the state from which the search first reached it. A table finds a
// state by its bytes: open addressing over atomic words, each of which holds the upper half of a
// hash and a number. While the table grows, all threads pause (explore.h sees to that). A search
// spends most of its time waiting for memory, so a thread can prefetch a state's place.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace baton::check {

std::uint64_t hash_of(const std::uint8_t* bytes, std::size_t size);

// Words that are not zero, each at or after the place that its upper half gives. That place is the
// same fraction of any table, so growing fills the larger table from front to back.
class WordTable {
 public:
  explicit WordTable(std::uint64_t capacity);

  std::uint64_t capacity() const { return capacity_; }
  std::uint64_t bytes() const { return 8 * capacity_; }
  std::uint64_t home_of(std::uint64_t word) const { return (word >> 32) * capacity_ >> 32; }
  std::uint64_t after(std::uint64_t place) const { return place + 1 == capacity_ ? 0 : place + 1; }
  std::atomic<std::uint64_t>& operator[](std::uint64_t place) { return words_[place]; }
  const std::atomic<std::uint64_t>& operator[](std::uint64_t place) const { return words_[place]; }

  // From this number of words on the table should grow, while there is still room for what all
  // threads add before they pause.
  std::uint64_t crowded_at() const { return capacity_ / 4 * 3; }
  std::uint64_t capacity_after_growth() const { return capacity_ / 2 * 3; }
  void grow();

 private:
  struct Free {
    void operator()(std::atomic<std::uint64_t>* words) const;
  };

  std::uint64_t capacity_;
  std::unique_ptr<std::atomic<std::uint64_t>[], Free> words_;
};

class StateStore {
 public:
  using Number = std::uint32_t;
  static constexpr Number none = 0xFFFF'FFFF;

  // States are numbered in blocks, and each thread fills blocks of its own. So states that a thread
  // adds one after the other have consecutive numbers, except at the ends of blocks.
  static constexpr std::uint32_t block_bits = 14;
  static constexpr Number block_size = Number{1} << block_bits;

  struct Range {
    Number first;
    Number last;  // one past
  };

  // The additions of one writer. Each writer has its own, so that no two threads write to one cache
  // line.
  struct alignas(64) Written {
    std::atomic<std::uint64_t> states{0};
    std::atomic<std::uint64_t> bytes{0};
  };

  class Writer {
   public:
    // The caller constructs it while nobody else uses the store.
    explicit Writer(StateStore& store) : store_(&store), written_(&store.written_.emplace_back()) {}

    // The number of this state, and whether the state is new.
    std::pair<Number, bool> add(const std::uint8_t* bytes, std::size_t size, Number parent) {
      return add(bytes, size, hash_of(bytes, size), parent);
    }
    std::pair<Number, bool> add(const std::uint8_t* bytes, std::size_t size, std::uint64_t hash,
                                Number parent);
    // Returns the states added since the last call, and settles them.
    std::vector<Range> take_added();

   private:
    Number append(const std::uint8_t* bytes, std::size_t size, Number parent);
    void commit();

    StateStore* store_;
    Written* written_;
    struct Block* block_ = nullptr;
    std::vector<Range> added_;
  };

  explicit StateStore(std::size_t most_bytes_per_state);
  ~StateStore();
  StateStore(const StateStore&) = delete;
  StateStore& operator=(const StateStore&) = delete;

  std::span<const std::uint8_t> bytes_of(Number number) const;
  Number parent_of(Number number) const;
  // True if the writer has settled the state. Nobody knows the order of states that are being
  // added.
  bool is_settled(Number number) const;
  // The number of the state with these bytes, or `none`.
  Number find(const std::uint8_t* bytes, std::size_t size) const;

  // Prefetches for a state with this hash that will be added or looked for: call the first
  // function, and a little later the second.
  void fetch_place(std::uint64_t hash) const { __builtin_prefetch(&table_[table_.home_of(hash)]); }
  void fetch_likeness(std::uint64_t hash) const;

  std::uint64_t size() const;
  // One past the largest number in use. Not all numbers below it are used.
  Number numbers() const { return blocks_used_.load(std::memory_order_relaxed) << block_bits; }
  std::vector<Range> all() const;

  // Whether the table should grow before many more states are added; the memory after that; and the
  // growing itself. Call them while no other thread uses the store.
  bool is_crowded() const { return size() > table_.crowded_at(); }
  std::uint64_t memory_after_growth() const {
    return memory() + 8 * table_.capacity_after_growth();
  }
  void grow() { table_.grow(); }
  // Forgets all states. Every writer must be constructed anew.
  void clear();
  // Bytes in use.
  std::uint64_t memory() const;

 private:
  struct Block* new_block();
  bool is_at(Number number, const std::uint8_t* bytes, std::size_t size) const;

  std::size_t most_bytes_;
  WordTable table_;
  std::vector<std::atomic<struct Block*>> blocks_;
  std::atomic<std::uint32_t> blocks_used_{0};
  std::deque<Written> written_;
};

// For hash compaction: remembers only 64 bits of each state. The store takes two states that agree
// in these for one, so the search may leave states out.
class FingerprintStore {
 public:
  FingerprintStore();

  // False if the store already has a state with this fingerprint.
  bool add(std::uint64_t fingerprint);
  std::uint64_t size() const { return size_.load(std::memory_order_relaxed); }
  bool is_crowded() const { return size() > table_.crowded_at(); }
  std::uint64_t memory_after_growth() const {
    return memory() + 8 * table_.capacity_after_growth();
  }
  void grow() { table_.grow(); }
  std::uint64_t memory() const { return table_.bytes(); }
  void fetch_place(std::uint64_t fingerprint) const {
    __builtin_prefetch(&table_[table_.home_of(fingerprint)]);
  }

 private:
  WordTable table_;
  std::atomic<std::uint64_t> size_{0};
};

// The probability that a search with fingerprints left out at least one of so many states.
double omission_probability(std::uint64_t states);

}  // namespace baton::check
