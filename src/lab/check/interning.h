// Keeps each distinct value once, under a small number. States of a group share most of their
// parts: a few thousand different processes and channels make up millions of states. So a state is
// a row of numbers, and the search computes each step of a protocol's state once.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "core/reflect.h"

namespace baton::check {

using Id = std::uint32_t;

// A sequence that may grow while other threads read what is already there.
template <class T>
class GrowingSequence {
 public:
  GrowingSequence() = default;
  ~GrowingSequence() {
    for (auto& part : parts_) delete[] part.load();
  }
  GrowingSequence(const GrowingSequence&) = delete;
  GrowingSequence& operator=(const GrowingSequence&) = delete;

  const T& operator[](Id index) const {
    const auto [part, place] = find(index);
    return parts_[part].load(std::memory_order_acquire)[place];
  }
  // Only one thread at a time may append.
  void push_back(T value) {
    const auto [part, place] = find(size_);
    if (place == 0) parts_[part].store(new T[first_part << part], std::memory_order_release);
    parts_[part].load()[place] = std::move(value);
    ++size_;
  }
  Id size() const { return size_; }

 private:
  static constexpr Id first_part = 64;

  // Each part is twice as long as the one before.
  static constexpr std::pair<std::size_t, std::size_t> find(Id index) {
    const std::uint64_t from_one = std::uint64_t{index} / first_part + 1;
    const auto part = static_cast<std::size_t>(std::bit_width(from_one) - 1);
    return {part, index - first_part * ((std::uint64_t{1} << part) - 1)};
  }

  std::array<std::atomic<T*>, 26> parts_{};
  Id size_ = 0;
};

// Writes a value as core/reflect.h encodes it. It has one type for all values and needs no template
// per type, because it runs only for new values.
class Encoding {
 public:
  void operator()(std::uint64_t number);
  template <class T>
  Encoding& add(const T& value) {
    reflect::flatten(value, *this);
    return *this;
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Numbers for encodings, from 0 on. Interners of all types share this class.
class Encodings {
 protected:
  // Returns the number of this encoding, which is `next` if it is new. The caller holds the lock.
  std::pair<Id, bool> number_of(std::string&& encoding, Id next);

  mutable std::mutex mutex_;

 private:
  std::unordered_map<std::string, Id> ids_;
};

// Values under their numbers, found by their encodings. Threads may add and read at once. The
// value's summary holds what every step reads, next to the summaries of other values.
template <class T, class Summary = std::monostate>
class Interner : private Encodings {
 public:
  // The number of the value with this encoding; make() builds the value if it is new.
  template <class Make>
  Id intern(std::string encoding, Make make) {
    const std::lock_guard lock(mutex_);
    const auto [id, is_new] = number_of(std::move(encoding), values_.size());
    if (is_new) {
      T value = make();
      if constexpr (!std::is_empty_v<Summary>) summaries_.push_back(Summary(value));
      values_.push_back(std::move(value));
    }
    return id;
  }
  const T& operator[](Id id) const { return values_[id]; }
  const Summary& summary(Id id) const { return summaries_[id]; }
  Id size() const {
    const std::lock_guard lock(mutex_);
    return values_.size();
  }
  // An estimate.
  std::uint64_t memory() const {
    const std::lock_guard lock(mutex_);
    return std::uint64_t{values_.size()} * (3 * sizeof(T) + 64);
  }

 private:
  GrowingSequence<T> values_;
  GrowingSequence<Summary> summaries_;
};

// Remembers results by a word and a detail, for one thread.
template <class Detail>
class Cache {
 public:
  struct Key {
    std::uint64_t word = 0;  // not zero
    Detail detail{};
  };

  Cache() : places_(1024) {}

  // The result for the key; compute() runs if it is not known.
  template <class Compute>
  std::uint32_t get(Key key, Compute compute) {
    const std::size_t at = find(key);
    if (places_[at].word != 0) return places_[at].result;
    const std::uint32_t result = compute();  // may itself use the cache
    put(key, result);
    return result;
  }

 private:
  struct Place {
    std::uint64_t word = 0;
    Detail detail{};
    std::uint32_t result = 0;
  };

  std::size_t find(const Key& key) const {
    const std::size_t mask = places_.size() - 1;
    std::uint64_t hash =
        (key.word ^ std::rotl(std::uint64_t{key.detail}, 29)) * 0x9E37'79B9'7F4A'7C15;
    hash ^= hash >> 32;
    std::size_t at = hash & mask;
    while (places_[at].word != 0 && !holds(places_[at], key)) at = (at + 1) & mask;
    return at;
  }
  static bool holds(const Place& place, const Key& key) {
    return place.word == key.word && place.detail == key.detail;
  }
  void put(const Key& key, std::uint32_t result) {
    if (2 * ++used_ > places_.size()) {
      std::vector<Place> old(2 * places_.size());
      std::swap(old, places_);
      for (const Place& place : old) {
        if (place.word != 0) places_[find({place.word, place.detail})] = place;
      }
    }
    places_[find(key)] = {key.word, key.detail, result};
  }

  std::vector<Place> places_;
  std::size_t used_ = 0;
};

}  // namespace baton::check
