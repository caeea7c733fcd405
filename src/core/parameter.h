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
  // The value in a group of this size where nothing is chosen, and how people call it if it is no
  // plain number.
  std::int64_t (*usual)(std::uint32_t size) = nullptr;
  std::string_view usual_text = {};
  // What the checker takes where nothing is chosen: it needs small groups.
  std::optional<std::int64_t> small = {};
  // For a choice among words: those of the values from `least` on.
  std::span<const std::string_view> words = {};
  bool is_flag = false;
  // It makes sense for a group of one size only. A view of a group may be smaller, and has the
  // usual value.
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
// has no such parameter, or it cannot have this value. Empty if all is well.
std::string choose_parameter(Setup& setup, const Info& info, std::string_view name,
                             std::string_view text);

// What is wrong with the parameters of this group for this algorithm, each by itself and together.
std::string objection_to_parameters(const Setup& setup, const Info& info);

// The usual values are those that the checker takes.
void make_small(Setup& setup, const Info& info);

}  // namespace baton
