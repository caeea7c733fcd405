// A parameter of an algorithm: a number, a flag or a word that users may choose.
//
// The algorithm declares it once, as a constant of its class, names it in info(), and reads it with
// Setup::value(). The command line, the library, `baton list` and the documents get it from there.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace baton {

struct Info;
struct Setup;

struct Parameter {
  std::string_view name = {};  // as on the command line: "votes" for --votes
  std::string_view help = {};
  std::int64_t least = 0;
  std::int64_t most = 1;
  // The value in a group of this size if the user chooses none, and its name if it is not a plain
  // number.
  std::int64_t (*usual)(std::uint32_t size) = nullptr;
  std::string_view usual_text = {};
  // The value that the checker takes if the user chooses none, because the checker needs small
  // groups.
  std::optional<std::int64_t> small = {};
  // For a choice among words: the words for the values from `least` on.
  std::span<const std::string_view> words = {};
  bool is_flag = false;
  // The value makes sense for a group of one size only. A view may be smaller than the group, and
  // then uses the usual value.
  bool depends_on_size = false;

  std::string text_of(std::int64_t value) const;
  // "1 to 31", "eventually-perfect or eventually-strong"
  std::string range() const;
};

template <std::int64_t value>
constexpr std::int64_t always(std::uint32_t) {
  return value;
}

// The parameter of this name, or null.
const Parameter* find_parameter(const Info& info, std::string_view name);

// Gives the parameter `name` of an algorithm the value `text`. Returns what is wrong: the algorithm
// has no such parameter, or the parameter cannot have this value. Empty if all is well.
std::string choose_parameter(Setup& setup, const Info& info, std::string_view name,
                             std::string_view text);

// Says which parameters of this group are wrong for this algorithm, each alone and all together.
std::string objection_to_parameters(const Setup& setup, const Info& info);

// For the checker: uses its small values instead of the usual ones.
void make_small(Setup& setup, const Info& info);

}  // namespace baton
