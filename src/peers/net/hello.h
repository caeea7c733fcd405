// The first messages between two members: Hello, or a refusal.
//
// The member that dials sends its Hello; the other answers with its own. Each checks the other's
// Hello: two processes of different groups, or with different algorithms, must not exchange a
// single message. A member that refuses the other sends the reason in words, in a form that all
// versions understand.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace baton::net {

inline constexpr std::uint64_t link_version = 1;
inline constexpr std::size_t largest_hello = 8 * 1024;  // the frame
inline constexpr std::size_t longest_name = 255;        // of a group or a member
inline constexpr std::size_t longest_dialect = 4096;
inline constexpr std::size_t longest_refusal = 1000;

struct Hello {
  std::string group;
  std::string dialect;
  std::string from;
  std::string to;                     // whom the sender believes to talk to
  std::uint64_t life = 0;             // of the sender
  std::uint64_t remembered_life = 0;  // of the receiver, if has_met
  bool has_met = false;               // the sender knows a life of the receiver
  std::uint64_t generation = 0;       // of the numbering, between these two lives
  std::uint64_t received = 0;         // reliable messages, in that numbering
  std::uint64_t silence_ms = 0;       // after which the sender gives the connection up

  bool operator==(const Hello&) const = default;
};

// Bodies of frames, behind the kind.
std::string encode_hello(const Hello& hello);
std::string encode_refusal(std::string_view words);

// Empty if the bytes are no Hello; `problem` then says why.
std::optional<Hello> decode_hello(std::string_view body, std::string& problem);
std::optional<std::string> decode_refusal(std::string_view body);

// Why two processes must not talk: another group, name or dialect. Empty if they may. Both ends
// show the words to people.
std::string why_not_alike(const Hello& theirs, const Hello& ours);

// Words of the other end, for a message that people read: no control characters, and not too long.
std::string printable(std::string_view text, std::size_t longest = longest_refusal);

}  // namespace baton::net
