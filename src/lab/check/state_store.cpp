#include "lab/check/state_store.h"

#ifdef __linux__
#include <sys/mman.h>  // only here
#endif

#include <cmath>
#include <cstdlib>
#include <new>

namespace baton::check {

namespace {

constexpr std::size_t huge_page = std::size_t{1} << 21;
constexpr std::uint64_t first_capacity = huge_page / 8;
constexpr std::uint32_t most_blocks = 1U << (32 - StateStore::block_bits);

std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

std::uint64_t eight_at(const std::uint8_t* bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, 8);
  return word;
}
std::uint64_t few_at(const std::uint8_t* bytes, std::size_t size) {
  std::uint64_t word = 0;
  while (size > 0) word = word << 8 | bytes[--size];
  return word;
}

// Most encodings have a dozen bytes, for which a call of memcmp takes longer.
bool are_same(const std::uint8_t* a, const std::uint8_t* b, std::size_t size) {
  if (size < 8) return few_at(a, size) == few_at(b, size);
  for (std::size_t at = 0; at + 8 < size; at += 8) {
    if (eight_at(a + at) != eight_at(b + at)) return false;
  }
  return eight_at(a + size - 8) == eight_at(b + size - 8);
}

constexpr std::uint64_t upper_half = 0xFFFF'FFFF'0000'0000;

std::uint64_t word_of(std::uint64_t hash, StateStore::Number number) {
  return (hash & upper_half) | (std::uint64_t{number} + 1);
}
StateStore::Number number_of(std::uint64_t word) {
  return static_cast<StateStore::Number>(word & ~upper_half) - 1;
}

}  // namespace

std::uint64_t hash_of(const std::uint8_t* bytes, std::size_t size) {
  constexpr std::uint64_t k0 = 0x9E37'79B9'7F4A'7C15;
  constexpr std::uint64_t k1 = 0xD6E8'FEB8'6659'FD93;
  std::uint64_t hash = k1 ^ size;
  if (size < 8) return fold(fold(hash ^ few_at(bytes, size), k0) ^ k1, k0);
  for (std::size_t at = 0; at + 8 < size; at += 8) hash = fold(hash ^ eight_at(bytes + at), k0);
  return fold(fold(hash ^ eight_at(bytes + size - 8), k0) ^ k1, k0);
}

// Places are looked up at random: with pages of the usual size each would also be a miss of the
// cache of addresses.
WordTable::WordTable(std::uint64_t capacity) : capacity_(capacity) {
  const std::size_t size = (bytes() + huge_page - 1) / huge_page * huge_page;
  void* memory = std::aligned_alloc(huge_page, size);
  if (memory == nullptr) throw std::bad_alloc();
#ifdef __linux__
  madvise(memory, size, MADV_HUGEPAGE);
#endif
  words_.reset(new (memory) std::atomic<std::uint64_t>[capacity] {});
}

void WordTable::Free::operator()(std::atomic<std::uint64_t>* words) const { std::free(words); }

void WordTable::grow() {
  WordTable larger(capacity_after_growth());
  for (std::uint64_t i = 0; i < capacity_; ++i) {
    const std::uint64_t word = words_[i].load(std::memory_order_relaxed);
    if (word == 0) continue;
    std::uint64_t at = larger.home_of(word);
    while (larger[at].load(std::memory_order_relaxed) != 0) at = larger.after(at);
    larger[at].store(word, std::memory_order_relaxed);
  }
  *this = std::move(larger);
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
  std::uint32_t settled = 0;
  std::unique_ptr<std::uint8_t[]> bytes;
  std::unique_ptr<std::uint32_t[]> ends;
  std::unique_ptr<StateStore::Number[]> parents;
};

StateStore::StateStore(std::size_t most_bytes_per_state)
    : most_bytes_(most_bytes_per_state), table_(first_capacity), blocks_(most_blocks) {}

StateStore::~StateStore() { clear(); }

void StateStore::clear() {
  for (std::uint32_t i = 0; i < blocks_used_; ++i) delete blocks_[i].load();
  blocks_used_ = 0;
  written_.clear();
  table_ = WordTable(first_capacity);
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

bool StateStore::is_at(Number number, const std::uint8_t* bytes, std::size_t size) const {
  const auto there = bytes_of(number);
  return there.size() == size && are_same(there.data(), bytes, size);
}

void StateStore::fetch_likeness(std::uint64_t hash) const {
  const std::uint64_t word = table_[table_.home_of(hash)].load(std::memory_order_acquire);
  if (word == 0 || ((word ^ hash) & upper_half) != 0) return;
  __builtin_prefetch(bytes_of(number_of(word)).data());
}

bool StateStore::is_settled(Number number) const {
  const Block& block = *blocks_[number >> block_bits].load(std::memory_order_acquire);
  return (number & (block_size - 1)) < block.settled;
}

StateStore::Number StateStore::find(const std::uint8_t* bytes, std::size_t size) const {
  const std::uint64_t hash = hash_of(bytes, size);
  for (std::uint64_t at = table_.home_of(hash);; at = table_.after(at)) {
    const std::uint64_t word = table_[at].load(std::memory_order_acquire);
    if (word == 0) return none;
    if (((word ^ hash) & upper_half) == 0 && is_at(number_of(word), bytes, size)) {
      return number_of(word);
    }
  }
}

std::pair<StateStore::Number, bool> StateStore::Writer::add(const std::uint8_t* bytes,
                                                            std::size_t size, std::uint64_t hash,
                                                            Number parent) {
  WordTable& table = store_->table_;
  Number mine = none;
  for (std::uint64_t at = table.home_of(hash);; at = table.after(at)) {
    std::uint64_t word = table[at].load(std::memory_order_acquire);
    if (word == 0) {
      if (mine == none) mine = append(bytes, size, parent);
      if (table[at].compare_exchange_strong(word, word_of(hash, mine), std::memory_order_acq_rel)) {
        commit();
        return {mine, true};
      }
    }
    if (((word ^ hash) & upper_half) == 0 && store_->is_at(number_of(word), bytes, size)) {
      return {number_of(word), false};
    }
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
  const std::uint32_t place = block_->count - 1;
  const auto add = [](std::atomic<std::uint64_t>& sum, std::uint64_t more) {
    sum.store(sum.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
  };
  add(written_->states, 1);
  add(written_->bytes, block_->ends[place] - block_->begin_of(place));
}

std::vector<StateStore::Range> StateStore::Writer::take_added() {
  for (const Range& range : added_) {
    for (Number i = range.first >> block_bits; i <= (range.last - 1) >> block_bits; ++i) {
      Block& block = *store_->blocks_[i].load();
      block.settled = block.count;
    }
  }
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

std::uint64_t StateStore::size() const {
  std::uint64_t states = 0;
  for (const Written& one : written_) states += one.states.load(std::memory_order_relaxed);
  return states;
}

std::uint64_t StateStore::memory() const {
  constexpr std::uint64_t per_number = sizeof(std::uint32_t) + sizeof(Number);
  std::uint64_t bytes = table_.bytes();
  for (const Written& one : written_) bytes += one.bytes.load(std::memory_order_relaxed);
  return bytes +
         blocks_used_.load(std::memory_order_relaxed) * std::uint64_t{block_size} * per_number;
}

FingerprintStore::FingerprintStore() : table_(first_capacity) {}

bool FingerprintStore::add(std::uint64_t fingerprint) {
  if (fingerprint == 0) fingerprint = 1;  // zero is an empty place
  for (std::uint64_t at = table_.home_of(fingerprint);; at = table_.after(at)) {
    std::uint64_t there = table_[at].load(std::memory_order_relaxed);
    if (there == 0 && table_[at].compare_exchange_strong(there, fingerprint)) {
      size_.fetch_add(1, std::memory_order_relaxed);
      return true;
    }
    if (there == fingerprint) return false;
  }
}

double omission_probability(std::uint64_t states) {
  const auto n = static_cast<double>(states);
  return -std::expm1(-n * (n - 1) / std::pow(2.0, 65));
}

}  // namespace baton::check
