// Checks that the lengths, numbers and characters of a request are within their limits.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "service/state/command.h"

namespace baton::service {

struct Refusal {
  Error error;
  std::string message;
};

// Why not, or nothing. `what` names the thing in the message: "the name".
std::optional<Refusal> refuse_name(std::string_view name, std::string_view what = "the name");
std::optional<Refusal> refuse_names(const std::vector<std::string>& names);
std::optional<Refusal> refuse_text(std::string_view text, std::size_t longest,
                                   std::string_view what);
std::optional<Refusal> refuse_value(std::string_view value);
std::optional<Refusal> refuse_wait(const std::optional<Duration>& wait);
std::optional<Refusal> refuse(const OpenSession& open);
std::optional<Refusal> refuse(const Acquire& acquire);
std::optional<Refusal> refuse(const Reclaim::Held& held);
// Why a gated state refuses this kind of request, whatever the request contains.
std::optional<Refusal> refuse_in_gated(const Command& command);
inline constexpr std::string_view only_exclusive =
    "a group of peers has exclusive locks and elections only";

}  // namespace baton::service
