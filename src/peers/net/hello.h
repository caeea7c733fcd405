// What two members say to each other first, and why one may turn the other away.
//
// Who dials says Hello, who was dialled answers with its own. Both check the other's: two processes
// that are not of one group, or do not run the same, must not exchange a single message. Who turns
// the other away says why in words, in a form that all versions understand.
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

// None: `problem` says why not.
std::optional<Hello> decode_hello(std::string_view body, std::string& problem);
std::optional<std::string> decode_refusal(std::string_view body);

// What is wrong with the Hello of a process that should be of the same group and run the same;
// empty if nothing is. The words are for both ends.
std::string why_not_alike(const Hello& theirs, const Hello& ours);

// Words of the other end, for a message that people read: no control characters, and not too long.
std::string printable(std::string_view text, std::size_t longest = longest_refusal);

}  // namespace baton::net
