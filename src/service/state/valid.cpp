#include "service/state/valid.h"

#include <algorithm>

#include "core/text.h"

namespace baton::service {
namespace {

Refusal bad(std::string message) { return {Error::bad_request, std::move(message)}; }

std::string bytes(std::size_t count) { return std::to_string(count) + " bytes"; }

bool is_between(Duration duration, Duration least, Duration most) {
  return duration >= least && duration <= most;
}

}  // namespace

std::optional<Refusal> refuse_text(std::string_view text, std::size_t longest,
                                   std::string_view what) {
  if (text.size() > longest)
    return Refusal{Error::too_large, std::string(what) + " has " + bytes(text.size()) +
                                         ", more than " + std::to_string(longest)};
  if (!text::is_utf8(text)) return bad(std::string(what) + " is not UTF-8");
  return std::nullopt;
}

std::optional<Refusal> refuse_name(std::string_view name, std::string_view what) {
  if (name.empty()) return bad(std::string(what) + " is empty");
  return refuse_text(name, longest_name, what);
}

std::optional<Refusal> refuse_names(const std::vector<std::string>& names) {
  if (names.empty()) return bad("no name is given");
  if (names.size() > most_names_at_once)
    return Refusal{Error::too_many, std::to_string(names.size()) + " names at once, more than " +
                                        std::to_string(most_names_at_once)};
  for (const auto& name : names)
    if (auto refusal = refuse_name(name)) return refusal;
  if (names.size() == 1) return std::nullopt;
  std::vector<std::string_view> sorted(names.begin(), names.end());
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) return bad("'" + std::string(*twice) + "' is named twice");
  return std::nullopt;
}

std::optional<Refusal> refuse_value(std::string_view value) {
  if (value.size() <= largest_file) return std::nullopt;
  return Refusal{Error::too_large, "the value has " + bytes(value.size()) + ", more than " +
                                       std::to_string(largest_file)};
}

std::optional<Refusal> refuse_wait(const std::optional<Duration>& wait) {
  if (!wait || is_between(*wait, {0}, longest_wait)) return std::nullopt;
  return bad("the wait is negative, or longer than a year");
}

std::optional<Refusal> refuse(const OpenSession& open) {
  if (open.nonce.empty() || open.nonce.size() > longest_nonce)
    return bad("the nonce must have 1 to " + bytes(longest_nonce));
  if (auto refusal = refuse_text(open.who.host, longest_who, "the host")) return refusal;
  if (auto refusal = refuse_text(open.who.user, longest_who, "the user")) return refusal;
  if (auto refusal = refuse_text(open.who.label, longest_label, "the label")) return refusal;
  if (!is_between(open.ttl, shortest_ttl, longest_ttl))
    return bad("the time to live must be between a second and an hour");
  if (!is_between(open.lock_delay, {0}, longest_lock_delay))
    return bad("the lock-delay must be between nothing and an hour");
  if (open.latest_answers > most_latest_answers)
    return Refusal{Error::too_many,
                   "more than " + std::to_string(most_latest_answers) + " answers are not kept"};
  return std::nullopt;
}

std::optional<Refusal> refuse(const Acquire& acquire) {
  const RequestTerms& terms = acquire.terms;
  if (auto refusal = refuse_names(acquire.names)) return refusal;
  if (auto refusal = refuse_value(terms.hold.value)) return refusal;
  if (auto refusal = refuse_text(terms.hold.label, longest_label, "the label")) return refusal;
  if (auto refusal = refuse_wait(acquire.wait)) return refusal;
  if (!is_between(terms.hold.max_hold, {0}, longest_wait))
    return bad("the maximum hold is negative, or longer than a year");
  if (terms.slots == 0) return bad("a lock has at least one slot");
  if (terms.slots > most_slots)
    return Refusal{Error::too_many, "more than " + std::to_string(most_slots) + " slots"};
  const bool is_shared = terms.hold.mode == Mode::shared;
  if (is_shared && terms.slots > 1) return bad("a lock is shared or has slots, not both");
  if (acquire.space == Namespace::election && (is_shared || terms.slots > 1))
    return bad("an election has one leader");
  return std::nullopt;
}

std::optional<Refusal> refuse_in_gated(const Command& command) {
  bool is_refused = std::holds_alternative<Downgrade>(command.what) ||
                    std::holds_alternative<Upgrade>(command.what) ||
                    std::holds_alternative<Put>(command.what) ||
                    std::holds_alternative<Remove>(command.what);
  std::string why(only_exclusive);
  if (const auto* acquire = std::get_if<Acquire>(&command.what)) {
    is_refused = acquire->terms.hold.mode == Mode::shared || acquire->terms.slots > 1 ||
                 acquire->names.size() > 1;
    if (acquire->names.size() > 1) why += ", one at a time";
  }
  if (!is_refused) return std::nullopt;
  return Refusal{Error::unsupported, std::move(why)};
}

std::optional<Refusal> refuse(const Reclaim::Held& held) {
  if (held.hold.times == 0) return bad("held not even once");
  if (held.slots > 1 && held.hold.slot >= held.slots) return bad("there is no such slot");
  return refuse(Acquire{.space = held.space,
                        .names = {held.name},
                        .terms = {.hold = held.hold.terms, .slots = held.slots}});
}

}  // namespace baton::service
