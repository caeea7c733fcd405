// Says in words what a class lacks to be an algorithm: core/protocol.h as a list of assertions,
// each with its own sentence. Hosts are templates; without these assertions a missing function
// shows as a page of template errors.
//
// The compiler names the class in the line above the first error, as contract_of<MyLock>. An
// assertion is skipped if it depends on something that is already reported as missing, so each
// mistake is reported once.
#pragma once

#include <boost/pfr/core.hpp>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/protocol.h"
#include "core/reflect.h"

namespace baton::lab {

namespace detail {

struct AnySink {
  void operator()(std::uint64_t) {}
};

// True if core/reflect.h can take the value apart; with `is_read_back`, core/decode.h must also be
// able to put it together again.
template <class T, bool is_read_back>
constexpr bool is_plain() {
  using reflect::detail::Range;
  if constexpr (reflect::detail::is_strong<T> || std::is_enum_v<T> || std::integral<T> ||
                std::same_as<T, NodeSet>) {
    return true;
  } else if constexpr (!is_read_back &&
                       requires(const T& value, AnySink sink) { value.flatten(sink); }) {
    return true;
  } else if constexpr (reflect::detail::is_variant<T>) {
    return []<class... M>(const std::variant<M...>*) {
      return (is_plain<M, is_read_back>() && ...);
    }(static_cast<const T*>(nullptr));
  } else if constexpr (reflect::detail::is_optional<T>) {
    return is_plain<typename T::value_type, is_read_back>();
  } else if constexpr (reflect::detail::is_pair<T>) {
    return is_plain<std::remove_const_t<typename T::first_type>, is_read_back>() &&
           is_plain<typename T::second_type, is_read_back>();
  } else if constexpr (Range<T>) {
    if constexpr (is_read_back && !requires(T all, typename T::value_type one) {
                    all.clear();
                    all.push_back(one);
                  }) {
      return false;
    } else {
      return is_plain<typename T::value_type, is_read_back>();
    }
  } else if constexpr (std::is_class_v<T> && std::is_aggregate_v<T>) {
    if constexpr (std::is_empty_v<T>) {
      return true;
    } else {
      return []<std::size_t... index>(std::index_sequence<index...>) {
        return (is_plain<boost::pfr::tuple_element_t<index, T>, is_read_back>() && ...);
      }
      (std::make_index_sequence<boost::pfr::tuple_size_v<T>>());
    }
  } else {
    return false;
  }
}

#define BATON_LAB_IS_NAMED(P, NAME) (requires { &P::NAME; })

template <class P>
struct Types {
  static constexpr bool message = requires { typename P::Message; };
  static constexpr bool event = requires { typename P::Event; };
  static constexpr bool state = requires { typename P::State; };
  static constexpr bool all = message && event && state;
};

template <class P>
constexpr bool message_is_variant() {
  if constexpr (Types<P>::message) return reflect::detail::is_variant<typename P::Message>;
  return false;
}
template <class P>
constexpr bool message_is_plain() {
  if constexpr (message_is_variant<P>()) return is_plain<typename P::Message, true>();
  return true;
}
template <class P>
constexpr bool state_is_aggregate() {
  if constexpr (Types<P>::state) {
    return std::is_class_v<typename P::State> && std::is_aggregate_v<typename P::State>;
  }
  return true;
}
template <class P>
constexpr bool state_is_plain() {
  if constexpr (Types<P>::state && state_is_aggregate<P>()) {
    return is_plain<typename P::State, false>();
  }
  return true;
}
template <class P, class E>
constexpr bool event_is() {
  if constexpr (Types<P>::event) return std::same_as<typename P::Event, E>;
  return false;
}

}  // namespace detail

// Checks the types first, because an outbox is made of them.
template <class P>
struct types_of {
  using Has = detail::Types<P>;
  static constexpr bool is_lock = detail::event_is<P, Entered>();
  static constexpr bool is_election = detail::event_is<P, Elected>();
  static constexpr bool variant = detail::message_is_variant<P>();
  static constexpr bool plain_message = detail::message_is_plain<P>();
  static constexpr bool aggregate = detail::state_is_aggregate<P>();
  static constexpr bool plain_state = detail::state_is_plain<P>();
  static constexpr bool hold =
      Has::all && (is_lock || is_election) && variant && plain_message && aggregate && plain_state;

  static_assert(Has::message,
                "the algorithm has no type Message, such as: "
                "using Message = std::variant<Request, Reply>;");
  static_assert(!Has::message || variant,
                "Message is no std::variant; of one type it is std::variant<Request>");
  static_assert(plain_message,
                "Message has a field that cannot be sent: messages are plain structs of integers, "
                "enumerations, ids, std::vector, std::optional and the like, without pointers and "
                "floating point");
  static_assert(Has::event,
                "the algorithm has no type Event: using Event = baton::Entered; for a lock, "
                "baton::Elected for an election");
  static_assert(!Has::event || is_lock || is_election,
                "Event is neither baton::Entered, which makes a lock, nor baton::Elected, which "
                "makes an election");
  static_assert(
      Has::state,
      "the algorithm has no type State: a plain struct with all that a process remembers");
  static_assert(aggregate,
                "State is no aggregate: it is a plain struct, without constructors, bases and "
                "private members");
  static_assert(plain_state,
                "State has a field that cannot be compared and printed: it is made of integers, "
                "enumerations, ids, std::vector, std::optional and the like, without pointers and "
                "floating point");
};

template <class P, bool types_hold = types_of<P>::hold>
struct contract_of {
  static constexpr bool holds = false;
};

template <class P>
struct contract_of<P, true> {
  using Out = OutboxOf<P>;
  using Message = typename P::Message;
  static constexpr bool is_lock = types_of<P>::is_lock;

#define BATON_LAB_CALLABLE(CALL)                                                         \
  (requires(P & protocol, Out & out, NodeId node, TimerId timer, const Message& message, \
            typename P::State state) { protocol.CALL; })

  static constexpr bool copyable = std::copyable<P>;
  static constexpr bool made = std::constructible_from<P, NodeId, const Setup&>;
  static constexpr bool made_inside =
      !is_lock || std::constructible_from<P, NodeId, const Setup&, NodeId>;
  static constexpr bool receives = BATON_LAB_CALLABLE(receive(node, message, out));
  static constexpr bool requests = !is_lock || BATON_LAB_CALLABLE(request(out));
  static constexpr bool releases = !is_lock || BATON_LAB_CALLABLE(release(out));
  static constexpr bool elects = is_lock || BATON_LAB_CALLABLE(elect(out));
  static constexpr bool has_state = requires(const P& protocol) {
    { protocol.state() } -> std::convertible_to<typename P::State>;
  };
  static constexpr bool has_info = requires { P::info(); };
  static constexpr bool info_fits = !has_info || requires {
    { P::info() } -> std::same_as<const Info&>;
  };

  static_assert(copyable, "the algorithm cannot be copied: hosts keep processes as values");
  static_assert(made,
                "the algorithm has no constructor that takes (NodeId self, const Setup& setup); a "
                "lock's also takes NodeId inside = nobody");
  static_assert(!made || made_inside,
                "the algorithm has no constructor that takes (NodeId self, const Setup& setup, "
                "NodeId inside): a lock may be held from the beginning, by `inside`");
  static_assert(
      has_state,
      "the algorithm has no state(): const State& state() const tells all that it remembers");
  static_assert(has_info,
                "the algorithm has no info(): static const Info& info() tells what it promises");
  static_assert(info_fits, "info() does not return a reference: static const Info& info()");

  // The function is missing, or hosts cannot call it in this way.
#define BATON_LAB_NEEDS(OK, NAME, PARAMETERS)                                      \
  static_assert((OK) || BATON_LAB_IS_NAMED(P, NAME),                               \
                "the algorithm has no " #NAME PARAMETERS ", or it is not public"); \
  static_assert((OK) || !BATON_LAB_IS_NAMED(P, NAME),                              \
                #NAME " cannot be called as " #NAME PARAMETERS)
  // An optional clause must be missing or callable. Hosts skip a clause that they cannot call, and
  // nobody would notice.
#define BATON_LAB_MAY_HAVE(CALL, NAME, PARAMETERS)                        \
  static_assert(BATON_LAB_CALLABLE(CALL) || !BATON_LAB_IS_NAMED(P, NAME), \
                #NAME " cannot be called as " #NAME PARAMETERS ", and would never be called")

  BATON_LAB_NEEDS(receives, receive, "(NodeId from, const Message&, Out&)");
  BATON_LAB_NEEDS(requests, request, "(Out&)");
  BATON_LAB_NEEDS(releases, release, "(Out&)");
  BATON_LAB_NEEDS(elects, elect, "(Out&)");

  BATON_LAB_MAY_HAVE(start(out), start, "(Out&)");
  BATON_LAB_MAY_HAVE(expire(timer, out), expire, "(TimerId, Out&)");
  BATON_LAB_MAY_HAVE(suspect(node, out), suspect, "(NodeId, Out&)");
  BATON_LAB_MAY_HAVE(trust(node, out), trust, "(NodeId, Out&)");
  BATON_LAB_MAY_HAVE(returned(node, message, out), returned, "(NodeId to, const Message&, Out&)");
  BATON_LAB_MAY_HAVE(recover(out), recover, "(Out&)");
  BATON_LAB_MAY_HAVE(leave(out), leave, "(Out&)");
  BATON_LAB_MAY_HAVE(assume(std::move(state)), assume, "(State)");

#undef BATON_LAB_MAY_HAVE
#undef BATON_LAB_NEEDS
#undef BATON_LAB_CALLABLE

  static constexpr bool holds = copyable && made && made_inside && receives && requests &&
                                releases && elects && has_state && has_info && info_fits;
};

#undef BATON_LAB_IS_NAMED

}  // namespace baton::lab
