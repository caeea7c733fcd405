// Reads back the encodings of core/reflect.h. A network may deliver anything, so decoding rejects
// bytes that are cut short, that do not fit the type, or that name a process outside the group.
#pragma once

#include <boost/pfr/core.hpp>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/reflect.h"

namespace baton::reflect {

// For messages that this very program wrote, or that only people read: a process may have any
// number.
inline constexpr std::uint32_t any_group_size = nobody.value;

// Takes numbers from the front of some bytes. After the first failure every further call fails.
class Reader {
 public:
  // `size`: the number of processes in the group.
  Reader(std::string_view bytes, std::uint32_t size) : bytes_(bytes), size_(size) {}

  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !bytes_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes_.front());
      bytes_.remove_prefix(1);
      const std::uint64_t bits = byte & 0x7FU;
      if (shift == 63 && bits > 1) break;
      value |= bits << shift;
      if (byte < 0x80) {
        // Accepts the shortest form only, so that equal values have equal encodings.
        if (byte == 0 && shift > 0) break;
        return value;
      }
    }
    fail();
    return 0;
  }

  // Reads the length of a list whose elements take at least a byte each.
  std::size_t count() {
    const std::uint64_t value = number();
    if (value > bytes_.size()) fail();
    return ok_ ? static_cast<std::size_t>(value) : 0;
  }

  NodeId node() {
    const std::uint64_t value = number();
    if (value >= size_ && value != nobody.value) fail();
    return ok_ ? NodeId{static_cast<std::uint32_t>(value)} : nobody;
  }

  void fail() {
    ok_ = false;
    bytes_ = {};
  }
  bool ok() const { return ok_; }
  std::string_view rest() const { return bytes_; }

 private:
  std::string_view bytes_;
  std::uint32_t size_;
  bool ok_ = true;
};

namespace detail {

// Reads a number that must fit the type.
template <class T>
T narrowed(Reader& from) {
  const std::uint64_t number = from.number();
  if (number > static_cast<std::uint64_t>(std::numeric_limits<T>::max())) from.fail();
  return from.ok() ? static_cast<T>(number) : T{};
}

}  // namespace detail

// Returns false if the bytes hold no such value; `value` is then not to be used.
template <class T>
bool decode(Reader& from, T& value);

namespace detail {

template <class Variant, std::size_t... index>
void decode_alternative(Reader& from, std::uint64_t wanted, Variant& value,
                        std::index_sequence<index...>) {
  const bool found =
      ((wanted == index && (decode(from, value.template emplace<index>()), true)) || ...);
  if (!found) from.fail();
}

}  // namespace detail

template <class T>
bool decode(Reader& from, T& value) {
  if constexpr (std::same_as<T, NodeId>) {
    value = from.node();
  } else if constexpr (detail::is_strong<T>) {
    return decode(from, value.value);
  } else if constexpr (std::is_enum_v<T>) {
    value = static_cast<T>(detail::narrowed<std::underlying_type_t<T>>(from));
  } else if constexpr (std::same_as<T, bool>) {
    const std::uint64_t number = from.number();
    if (number > 1) from.fail();
    value = number == 1;
  } else if constexpr (std::signed_integral<T>) {
    const std::uint64_t bits = from.number();
    const auto number = static_cast<std::int64_t>((bits >> 1) ^ (~(bits & 1) + 1));
    value = static_cast<T>(number);
    if (value != number) from.fail();
  } else if constexpr (std::integral<T>) {
    value = detail::narrowed<T>(from);
  } else if constexpr (std::same_as<T, NodeSet>) {
    value.clear();
    std::uint32_t least = 0;
    for (std::size_t left = from.count(); left > 0 && from.ok(); --left) {
      const NodeId node = from.node();
      if (node == nobody || node.value < least) from.fail();
      if (from.ok()) value.insert(node);
      least = node.value + 1;
    }
  } else if constexpr (detail::is_variant<T>) {
    const std::uint64_t index = std::variant_size_v < T >> 1 ? from.number() : 0;
    detail::decode_alternative(from, index, value,
                               std::make_index_sequence<std::variant_size_v<T>>());
  } else if constexpr (detail::is_optional<T>) {
    bool has_value = false;
    if (decode(from, has_value) && has_value) {
      decode(from, value.emplace());
    } else {
      value.reset();
    }
  } else if constexpr (detail::is_pair<T>) {
    if (decode(from, value.first)) decode(from, value.second);
  } else if constexpr (detail::Range<T>) {
    value.clear();
    for (std::size_t left = from.count(); left > 0 && from.ok(); --left) {
      typename T::value_type element{};
      if (decode(from, element)) value.push_back(std::move(element));
    }
  } else {
    static_assert(std::is_aggregate_v<T>, "messages and states are made of plain aggregates");
    if constexpr (!std::is_empty_v<T>) {
      boost::pfr::for_each_field(value, [&](auto& field) {
        if (from.ok()) decode(from, field);
      });
    }
  }
  return from.ok();
}

// Decodes a value that takes up all of the bytes.
template <class T>
std::optional<T> decoded(std::string_view bytes, std::uint32_t group_size) {
  Reader from(bytes, group_size);
  std::optional<T> value(std::in_place);
  if (!decode(from, *value) || !from.rest().empty()) value.reset();
  return value;
}

}  // namespace baton::reflect
