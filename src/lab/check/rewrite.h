// Rewrites plain aggregates field by field for the canonical form: moves logical clocks and numbers
// closer together, and renames processes. The types tell what a field means (core/ids.h);
// group_canonical.cpp has an example with numbers.
//
// Example of a renaming 0→1, 1→2, 2→0: the set {0, 2} becomes {0, 1}; the queue 2, 0 becomes 0, 1,
// in the same order; the timestamp <7,1> becomes <7,2>, since only its process is an id.
#pragma once

#include <boost/pfr/core.hpp>
#include <cstdint>
#include <set>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/fifo.h"
#include "core/ids.h"
#include "core/node_set.h"
#include "core/reflect.h"
#include "lab/check/number_set.h"
#include "lab/check/symmetry.h"

namespace baton::check {

namespace detail {
// A sequence number together with the process that it belongs to.
template <class T>
constexpr bool is_numbered() {
  if constexpr (std::is_aggregate_v<T> && !reflect::detail::Range<T>) {
    if constexpr (boost::pfr::tuple_size_v<T> == 2) {
      return std::is_same_v<boost::pfr::tuple_element_t<0, T>, NodeId> &&
             std::is_same_v<boost::pfr::tuple_element_t<1, T>, SequenceNumber>;
    }
  }
  return false;
}
}  // namespace detail

// Calls visit(domain, number&) for every such number of a value. `owner` is the process to which a
// bare number belongs: the sender of the message, or the process whose state this is. In a message
// with `is_answer` the numbers belong to the receiver.
template <bool numbers_by_process, class T, class Visit>
void visit_numbers(T& value, NodeId owner, Visit& visit, NodeId receiver = nobody) {
  using Plain = std::remove_const_t<T>;
  if constexpr (requires { Plain::is_answer; }) owner = receiver;
  if constexpr (std::is_same_v<Plain, Clock>) {
    visit(clocks, value.value);
  } else if constexpr (std::is_same_v<Plain, SequenceNumber>) {
    if constexpr (numbers_by_process) visit(numbers_of(owner), value.value);
  } else if constexpr (detail::is_numbered<Plain>()) {
    const NodeId node = boost::pfr::get<0>(value);
    if (node != nobody) visit_numbers<numbers_by_process>(boost::pfr::get<1>(value), node, visit);
  } else if constexpr (std::is_same_v<Plain, std::vector<SequenceNumber>>) {
    for (std::uint32_t i = 0; i < value.size(); ++i) {
      visit_numbers<numbers_by_process>(value[i], NodeId{i}, visit);
    }
  } else if constexpr (std::is_same_v<Plain, NodeSet> || std::is_arithmetic_v<Plain> ||
                       std::is_enum_v<Plain> || reflect::detail::is_strong<Plain> ||
                       std::is_same_v<Plain, std::string>) {
    // no numbers
  } else if constexpr (reflect::detail::is_variant<Plain>) {
    std::visit([&](auto& one) { visit_numbers<numbers_by_process>(one, owner, visit, receiver); },
               value);
  } else if constexpr (reflect::detail::is_optional<Plain>) {
    if (value) visit_numbers<numbers_by_process>(*value, owner, visit);
  } else if constexpr (reflect::detail::is_pair<Plain>) {
    visit_numbers<numbers_by_process>(value.first, owner, visit);
    visit_numbers<numbers_by_process>(value.second, owner, visit);
  } else if constexpr (reflect::detail::Range<Plain>) {
    using Element = typename Plain::value_type;
    if constexpr (std::is_const_v<T>) {
      for (const auto& element : value) {
        visit_numbers<numbers_by_process>(static_cast<const Element&>(element), owner, visit);
      }
    } else if constexpr (std::is_same_v<Plain, std::set<Element>>) {
      std::set<Element> visited;
      for (Element element : value) {
        visit_numbers<numbers_by_process>(element, owner, visit);
        visited.insert(element);
      }
      value = std::move(visited);
    } else if constexpr (!std::is_same_v<Plain, std::vector<bool>> &&
                         requires { value.begin()->~Element(); }) {
      if constexpr (std::is_same_v<decltype(*value.begin()), Element&>) {
        for (Element& element : value) visit_numbers<numbers_by_process>(element, owner, visit);
      }
    }
  } else if constexpr (!std::is_empty_v<Plain>) {
    boost::pfr::for_each_field(
        value, [&](auto& field) { visit_numbers<numbers_by_process>(field, owner, visit); });
  }
}

// Replaces the processes' ids in a value by their new names.
template <class T>
void rename(T& value, const Renaming& renaming) {
  if constexpr (std::is_same_v<T, NodeId>) {
    if (value != nobody) value.value = renaming[value.value];
  } else if constexpr (std::is_same_v<T, NodeSet>) {
    NodeSet renamed;
    value.for_each([&](NodeId node) { renamed.insert({renaming[node.value]}); });
    value = renamed;
  } else if constexpr (std::is_same_v<T, Fifo<NodeId>>) {
    Fifo<NodeId> renamed;
    for (NodeId node : value) {
      rename(node, renaming);
      renamed.push(node);
    }
    value = renamed;
  } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T> ||
                       reflect::detail::is_strong<T>) {
    // no ids
  } else if constexpr (reflect::detail::is_variant<T>) {
    std::visit([&](auto& one) { rename(one, renaming); }, value);
  } else if constexpr (reflect::detail::is_optional<T>) {
    if (value) rename(*value, renaming);
  } else if constexpr (reflect::detail::Range<T>) {
    for (auto& element : value) rename(element, renaming);
  } else if constexpr (!std::is_empty_v<T>) {
    boost::pfr::for_each_field(value, [&](auto& field) { rename(field, renaming); });
  }
}

}  // namespace baton::check
