#include "check/state_store.h"

#include <algorithm>
#include <cmath>

namespace baton::check {

namespace {

constexpr std::size_t first_capacity = std::size_t{1} << 16;
constexpr std::uint32_t most_blocks = 1U << (32 - StateStore::block_bits);

std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

constexpr std::uint64_t upper_half = 0xFFFF'FFFF'0000'0000;

std::uint64_t word_of(std::uint64_t hash, StateStore::Number number) {
  return (hash & upper_half) | (std::uint64_t{number} + 1);
}
StateStore::Number number_of(std::uint64_t word) {
  return static_cast<StateStore::Number>(word & ~upper_half) - 1;
}

std::uint64_t capacity_crowded(std::uint64_t capacity) { return capacity / 16 * 11; }

}  // namespace

std::uint64_t hash_of(const std::uint8_t* bytes, std::size_t size) {
  constexpr std::uint64_t k0 = 0x9E37'79B9'7F4A'7C15;
  constexpr std::uint64_t k1 = 0xD6E8'FEB8'6659'FD93;
  std::uint64_t hash = k1 ^ size;
  for (; size > 8; bytes += 8, size -= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, 8);
    hash = fold(hash ^ word, k0);
  }
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, size);
  return fold(fold(hash ^ word, k0) ^ k1, k0);
}

// The bytes have room for the longest encodings; pages that are not touched cost nothing.
struct Block {
  explicit Block(StateStore::Number first_number, std::size_t most_bytes)
      : first(first_number),
        bytes(new std::uint8_t[most_bytes * StateStore::block_size]),
        ends(new std::uint32_t[StateStore::block_size]),
        parents(new StateStore::Number[StateStore::block_size]) {}

  std::uint32_t begin_of(std::uint32_t place) const { return place == 0 ? 0 : ends[place - 1]; }

  StateStore::Number first;
  std::uint32_t count = 0;
  std::unique_ptr<std::uint8_t[]> bytes;
  std::unique_ptr<std::uint32_t[]> ends;
  std::unique_ptr<StateStore::Number[]> parents;
};

StateStore::StateStore(std::size_t most_bytes_per_state)
    : most_bytes_(most_bytes_per_state), blocks_(most_blocks) {
  set_table(first_capacity);
}

StateStore::~StateStore() {
  for (std::uint32_t i = 0; i < blocks_used_; ++i) delete blocks_[i].load();
}

void StateStore::set_table(std::size_t capacity) {
  table_ = std::make_unique<std::atomic<std::uint64_t>[]>(capacity);
  mask_ = capacity - 1;
  crowded_at_ = capacity_crowded(capacity);
}

Block* StateStore::new_block() {
  const std::uint32_t index = blocks_used_.fetch_add(1);
  auto* block = new Block(index << block_bits, most_bytes_);
  blocks_[index].store(block, std::memory_order_release);
  return block;
}

std::span<const std::uint8_t> StateStore::bytes_of(Number number) const {
  const Block& block = *blocks_[number >> block_bits].load(std::memory_order_acquire);
  const std::uint32_t place = number & (block_size - 1);
  const std::uint32_t begin = block.begin_of(place);
  return {block.bytes.get() + begin, block.ends[place] - begin};
}

StateStore::Number StateStore::parent_of(Number number) const {
  return blocks_[number >> block_bits].load()->parents[number & (block_size - 1)];
}

StateStore::Number StateStore::find(const std::uint8_t* bytes, std::size_t size) const {
  const std::uint64_t hash = hash_of(bytes, size);
  for (std::uint64_t at = hash & mask_;; at = (at + 1) & mask_) {
    const std::uint64_t word = table_[at].load(std::memory_order_acquire);
    if (word == 0) return none;
    if (((word ^ hash) & upper_half) != 0) continue;
    const auto there = bytes_of(number_of(word));
    if (there.size() == size && std::memcmp(there.data(), bytes, size) == 0) {
      return number_of(word);
    }
  }
}

std::pair<StateStore::Number, bool> StateStore::Writer::add(const std::uint8_t* bytes,
                                                            std::size_t size, Number parent) {
  const std::uint64_t hash = hash_of(bytes, size);
  Number mine = none;
  for (std::uint64_t at = hash & store_->mask_;;) {
    std::uint64_t word = store_->table_[at].load(std::memory_order_acquire);
    if (word == 0) {
      if (mine == none) mine = append(bytes, size, parent);
      if (store_->table_[at].compare_exchange_strong(word, word_of(hash, mine),
                                                     std::memory_order_acq_rel)) {
        commit();
        return {mine, true};
      }
    }
    if (((word ^ hash) & upper_half) == 0) {
      const auto there = store_->bytes_of(number_of(word));
      if (there.size() == size && std::memcmp(there.data(), bytes, size) == 0) {
        return {number_of(word), false};
      }
    }
    at = (at + 1) & store_->mask_;
  }
}

// Written where the next state goes, but only commit() makes it stay.
StateStore::Number StateStore::Writer::append(const std::uint8_t* bytes, std::size_t size,
                                              Number parent) {
  if (block_ == nullptr || block_->count == block_size) block_ = store_->new_block();
  const std::uint32_t place = block_->count;
  const std::uint32_t begin = block_->begin_of(place);
  std::memcpy(block_->bytes.get() + begin, bytes, size);
  block_->ends[place] = begin + static_cast<std::uint32_t>(size);
  block_->parents[place] = parent;
  return block_->first + place;
}

void StateStore::Writer::commit() {
  const Number number = block_->first + block_->count++;
  if (added_.empty() || added_.back().last != number) added_.push_back({number, number});
  ++added_.back().last;
  store_->size_.fetch_add(1, std::memory_order_relaxed);
  const std::uint32_t place = block_->count - 1;
  store_->bytes_.fetch_add(block_->ends[place] - block_->begin_of(place),
                           std::memory_order_relaxed);
}

std::vector<StateStore::Range> StateStore::Writer::take_added() {
  return std::exchange(added_, {});
}

std::vector<StateStore::Range> StateStore::all() const {
  std::vector<Range> ranges;
  for (std::uint32_t i = 0; i < blocks_used_; ++i) {
    const Block& block = *blocks_[i].load();
    if (block.count > 0) ranges.push_back({block.first, block.first + block.count});
  }
  return ranges;
}

void StateStore::grow() {
  set_table(2 * (mask_ + 1));
  for (const Range& range : all()) {
    for (Number number = range.first; number < range.last; ++number) {
      const auto bytes = bytes_of(number);
      const std::uint64_t hash = hash_of(bytes.data(), bytes.size());
      std::uint64_t at = hash & mask_;
      while (table_[at].load(std::memory_order_relaxed) != 0) at = (at + 1) & mask_;
      table_[at].store(word_of(hash, number), std::memory_order_relaxed);
    }
  }
}

std::uint64_t StateStore::memory() const {
  constexpr std::uint64_t per_number = sizeof(std::uint32_t) + sizeof(Number);
  return table_bytes() + bytes_.load(std::memory_order_relaxed) +
         blocks_used_.load(std::memory_order_relaxed) * std::uint64_t{block_size} * per_number;
}

FingerprintStore::FingerprintStore() { set_table(first_capacity); }

void FingerprintStore::set_table(std::size_t capacity) {
  table_ = std::make_unique<std::atomic<std::uint64_t>[]>(capacity);
  mask_ = capacity - 1;
  crowded_at_ = capacity_crowded(capacity);
}

bool FingerprintStore::add(std::uint64_t fingerprint) {
  if (fingerprint == 0) fingerprint = 1;  // zero is an empty place
  for (std::uint64_t at = fingerprint & mask_;; at = (at + 1) & mask_) {
    std::uint64_t there = table_[at].load(std::memory_order_relaxed);
    if (there == 0 && table_[at].compare_exchange_strong(there, fingerprint)) {
      size_.fetch_add(1, std::memory_order_relaxed);
      return true;
    }
    if (there == fingerprint) return false;
  }
}

void FingerprintStore::grow() {
  const auto old = std::exchange(table_, nullptr);
  const std::uint64_t old_capacity = mask_ + 1;
  set_table(2 * old_capacity);
  for (std::uint64_t i = 0; i < old_capacity; ++i) {
    const std::uint64_t fingerprint = old[i].load(std::memory_order_relaxed);
    if (fingerprint == 0) continue;
    std::uint64_t at = fingerprint & mask_;
    while (table_[at].load(std::memory_order_relaxed) != 0) at = (at + 1) & mask_;
    table_[at].store(fingerprint, std::memory_order_relaxed);
  }
}

double omission_probability(std::uint64_t states) {
  const auto n = static_cast<double>(states);
  return -std::expm1(-n * (n - 1) / std::pow(2.0, 65));
}

}  // namespace baton::check
