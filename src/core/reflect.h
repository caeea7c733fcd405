// Encodes, compares, hashes and prints plain aggregates, field by field (Boost.PFR). An algorithm
// only lists its fields; this code serves messages and states alike.
//
// The encoding is compact and unambiguous for a given type: integers as base-128 varints (zigzag
// when signed), a length before what varies in length, a variant's index before its value. Two
// values are equal exactly if their encodings are.
#pragma once

#include <bit>
#include <boost/pfr/core.hpp>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/ids.h"
#include "core/node_set.h"

namespace baton::reflect {

namespace detail {

template <class T>
inline constexpr bool is_strong = false;
template <class Tag, class Rep>
inline constexpr bool is_strong<Strong<Tag, Rep>> = true;

template <class T>
inline constexpr bool is_variant = false;
template <class... Ts>
inline constexpr bool is_variant<std::variant<Ts...>> = true;

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

template <class T>
inline constexpr bool is_pair = false;
template <class A, class B>
inline constexpr bool is_pair<std::pair<A, B>> = true;

template <class T>
concept Range = requires(const T& range) {
  range.begin();
  range.end();
  range.size();
};

}  // namespace detail

// Feeds every number of a value to `sink(std::uint64_t)`, in an order and with the lengths and
// variant indices that make the sequence of numbers determine the value.
template <class T, class Sink>
constexpr void flatten(const T& value, Sink& sink) {
  if constexpr (detail::is_strong<T>) {
    flatten(value.value, sink);
  } else if constexpr (requires { value.flatten(sink); }) {
    value.flatten(sink);
  } else if constexpr (std::is_enum_v<T>) {
    sink(static_cast<std::uint64_t>(value));
  } else if constexpr (std::signed_integral<T>) {
    const auto bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
    sink((bits << 1) ^ (value < 0 ? ~std::uint64_t{0} : 0));
  } else if constexpr (std::integral<T>) {
    sink(static_cast<std::uint64_t>(value));
  } else if constexpr (std::same_as<T, NodeSet>) {
    sink(value.size());
    value.for_each([&](NodeId node) { sink(node.value); });
  } else if constexpr (detail::is_variant<T>) {
    if constexpr (std::variant_size_v < T >> 1) sink(value.index());
    std::visit([&](const auto& alternative) { flatten(alternative, sink); }, value);
  } else if constexpr (detail::is_optional<T>) {
    sink(value.has_value() ? 1 : 0);
    if (value) flatten(*value, sink);
  } else if constexpr (detail::is_pair<T>) {
    flatten(value.first, sink);
    flatten(value.second, sink);
  } else if constexpr (detail::Range<T>) {
    sink(value.size());
    for (const auto& element : value) {
      // vector<bool> yields a proxy; the value is what counts.
      flatten<typename T::value_type>(element, sink);
    }
  } else {
    static_assert(std::is_aggregate_v<T>, "messages and states are made of plain aggregates");
    if constexpr (!std::is_empty_v<T>) {
      boost::pfr::for_each_field(value, [&](const auto& field) { flatten(field, sink); });
    }
  }
}

// Seven bits of the number per byte; for 1 to 64 bits this is a seventh, rounded up.
constexpr std::size_t varint_size(std::uint64_t number) {
  return (static_cast<std::size_t>(std::bit_width(number | 1)) * 9 + 64) / 64;
}

// The length of the encoding in bytes.
template <class T>
constexpr std::size_t encoded_size(const T& value) {
  std::size_t size = 0;
  auto sink = [&](std::uint64_t number) { size += varint_size(number); };
  flatten(value, sink);
  return size;
}

template <class T>
void encode(const T& value, std::string& to) {
  auto sink = [&](std::uint64_t number) {
    for (; number >= 0x80; number >>= 7) to.push_back(static_cast<char>(number | 0x80));
    to.push_back(static_cast<char>(number));
  };
  flatten(value, sink);
}

template <class T>
std::string encoded(const T& value) {
  std::string bytes;
  encode(value, bytes);
  return bytes;
}

template <class T>
bool equal(const T& a, const T& b) {
  return encoded(a) == encoded(b);
}

template <class T>
std::uint64_t hash(const T& value) {
  std::uint64_t mixed = 0x9E3779B97F4A7C15;
  auto sink = [&](std::uint64_t number) {
    mixed = (std::rotl(mixed, 23) ^ number) * 0xD6E8FEB86659FD93;
  };
  flatten(value, sink);
  return mixed ^ (mixed >> 32);
}

namespace detail {

template <class T>
constexpr std::string_view find_type_name() {
  std::string_view name = __PRETTY_FUNCTION__;
  const std::size_t start = name.find("T = ") + 4;
  name = name.substr(start, name.find_first_of(";]", start) - start);
  // Drops the type's own template arguments and the names of enclosing scopes, which may have some.
  if (name.back() == '>') {
    std::size_t at = name.size();
    for (int depth = 0; at > 0;) {
      --at;
      if (name[at] == '>') ++depth;
      if (name[at] == '<' && --depth == 0) break;
    }
    name = name.substr(0, at);
  }
  return name.substr(name.rfind(':') == name.npos ? 0 : name.rfind(':') + 1);
}

}  // namespace detail

// The bare name of a type: "Request". A type may name itself with `message_name`.
template <class T>
constexpr std::string_view type_name() {
  if constexpr (requires { T::message_name; }) {
    return T::message_name;
  } else {
    constexpr std::string_view name = detail::find_type_name<T>();
    return name;
  }
}

// A text for people and traces: numbers, true and false, [lists], (aggregates). Processes print as
// plain numbers, timestamps as in the literature: <102,32>. If a type has text(), that is used.
template <class T>
void print(const T& value, std::string& to) {
  if constexpr (std::same_as<T, NodeId>) {
    to += value == nobody ? "-" : std::to_string(value.value);
  } else if constexpr (std::same_as<T, Timestamp>) {
    to += '<';
    print(value.clock, to);
    to += ',';
    print(value.node, to);
    to += '>';
  } else if constexpr (requires { to += value.text(); }) {
    to += value.text();
  } else if constexpr (detail::is_strong<T>) {
    to += std::to_string(value.value);
  } else if constexpr (std::same_as<T, bool>) {
    to += value ? "true" : "false";
  } else if constexpr (std::is_enum_v<T>) {
    to += std::to_string(static_cast<std::underlying_type_t<T>>(value));
  } else if constexpr (std::integral<T>) {
    to += std::to_string(value);
  } else if constexpr (detail::is_variant<T>) {
    std::visit(
        [&]<class Alternative>(const Alternative& alternative) {
          to += type_name<Alternative>();
          print(alternative, to);
        },
        value);
  } else if constexpr (detail::is_optional<T>) {
    if (value) {
      print(*value, to);
    } else {
      to += '-';
    }
  } else {
    const char* separator = "";
    const auto item = [&](const auto& field) {
      to += separator;
      separator = " ";
      print(field, to);
    };
    constexpr bool list = detail::Range<T> || std::same_as<T, NodeSet>;
    to += list ? "[" : "(";
    if constexpr (std::same_as<T, NodeSet>) {
      value.for_each(item);
    } else if constexpr (detail::is_pair<T>) {
      item(value.first);
      item(value.second);
    } else if constexpr (detail::Range<T>) {
      for (const auto& element : value) item(static_cast<const typename T::value_type&>(element));
    } else if constexpr (!std::is_empty_v<T>) {
      boost::pfr::for_each_field(value, item);
    }
    to += list ? "]" : ")";
  }
}

template <class T>
std::string printed(const T& value) {
  std::string text;
  print(value, text);
  return text;
}

// A layer's message that carries a message of the protocol inside, as the field `message`. Its name
// and text are those of the carried message, because people want to see that one.
template <class M>
concept Wraps = requires {
  M::wraps;
};

// A message that is kept encoded and knows its own type (core/any_protocol.h).
template <class Message>
concept Opaque = requires(const Message& message) {
  { message.name() } -> std::convertible_to<std::string_view>;
  message.body();
  message.type();
};

// The type of the message that a variant holds, and the text of its fields without that name.
template <class Message>
std::string_view message_name(const Message& message) {
  if constexpr (Opaque<Message>) {
    return message.name();
  } else {
    return std::visit(
        []<class M>(const M& m) {
          if constexpr (Wraps<M>) {
            return message_name(m.message);
          } else {
            return type_name<M>();
          }
        },
        message);
  }
}
template <class Message>
std::string message_body(const Message& message) {
  if constexpr (Opaque<Message>) {
    return message.body();
  } else {
    return std::visit(
        []<class M>(const M& m) {
          if constexpr (Wraps<M> && !requires { m.text(); }) {
            return message_body(m.message);
          } else {
            return printed(m);
          }
        },
        message);
  }
}

// Calls visit.operator()<M>() for each type of message, in the order of their numbers. For a
// message that carries another it visits the types of the carried message instead. An opaque
// message counts as one type.
template <class Message, class Visit>
constexpr void for_each_message_type(Visit&& visit) {
  if constexpr (Opaque<Message>) {
    visit.template operator()<Message>();
  } else {
    [&]<class... M>(const std::variant<M...>*) {
      const auto one = [&]<class Type>(const Type*) {
        if constexpr (Wraps<Type>) {
          for_each_message_type<decltype(Type::message)>(visit);
        } else {
          visit.template operator()<Type>();
        }
      };
      (one(static_cast<const M*>(nullptr)), ...);
    }(static_cast<const Message*>(nullptr));
  }
}

// The number of types, if an opaque message stands for `opaque` of them.
template <class Message>
constexpr std::size_t message_types(std::size_t opaque = 0) {
  std::size_t count = 0;
  for_each_message_type<Message>([&]<class M>() { count += Opaque<M> ? opaque : 1; });
  return count;
}

namespace detail {

template <class M>
constexpr std::size_t types_of(std::size_t opaque) {
  if constexpr (Wraps<M>) {
    return message_types<decltype(M::message)>(opaque);
  } else {
    return 1;
  }
}

}  // namespace detail

// The number of this message's type.
template <class Message>
constexpr std::size_t message_type(const Message& message, std::size_t opaque = 0) {
  if constexpr (Opaque<Message>) {
    return message.type();
  } else {
    return [&]<class... M>(const std::variant<M...>* m) {
      if constexpr ((!Wraps<M> && ...)) {
        return m->index();
      } else {
        const std::size_t counts[] = {detail::types_of<M>(opaque)...};
        std::size_t before = 0;
        for (std::size_t i = 0; i < m->index(); ++i) before += counts[i];
        return before + std::visit(
                            [&]<class Type>(const Type& type) -> std::size_t {
                              if constexpr (Wraps<Type>) {
                                return message_type(type.message, opaque);
                              } else {
                                return 0;
                              }
                            },
                            *m);
      }
    }(&message);
  }
}

}  // namespace baton::reflect
