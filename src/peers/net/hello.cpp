#include "peers/net/hello.h"

#include <algorithm>
#include <vector>

#include "core/text.h"
#include "peers/net/link_bytes.h"

namespace baton::net {

namespace {

constexpr std::string_view magic = "baton";

std::string in_quotes(std::string_view text) {
  std::string words = "'";
  words += printable(text, longest_name);
  words += "'";
  return words;
}

std::vector<std::string_view> parts_of(std::string_view dialect) {
  constexpr std::string_view comma = ", ";
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = dialect.find(comma);
    parts.push_back(dialect.substr(0, end));
    if (end == dialect.npos) return parts;
    dialect.remove_prefix(end + comma.size());
  }
}

// The parts of `one` that `other` lacks.
std::string peculiarity(std::string_view one, std::string_view other) {
  const auto others = parts_of(other);
  std::string words;
  for (const std::string_view part : parts_of(one)) {
    if (std::find(others.begin(), others.end(), part) != others.end()) continue;
    words += (words.empty() ? "" : ", ") + printable(part, longest_name);
  }
  return words;
}

}  // namespace

std::string encode_hello(const Hello& hello) {
  std::string out(magic);
  append_varint(out, link_version);
  for (const auto* text : {&hello.group, &hello.dialect, &hello.from, &hello.to}) {
    append_text(out, *text);
  }
  append_varint(out, hello.life);
  append_varint(out, hello.has_met ? 1 : 0);
  for (const std::uint64_t number :
       {hello.remembered_life, hello.generation, hello.received, hello.silence_ms}) {
    append_varint(out, number);
  }
  return out;
}

std::string encode_refusal(std::string_view words) {
  std::string out(magic);
  append_text(out, words.substr(0, longest_refusal));
  return out;
}

std::optional<Hello> decode_hello(std::string_view body, std::string& problem) {
  ByteReader reader(body);
  if (reader.bytes(magic.size()) != magic) {
    problem = "the first message is not from a member of a Baton group";
    return std::nullopt;
  }
  const std::uint64_t version = reader.varint();
  if (reader.is_good() && version != link_version) {
    problem = "version " + std::to_string(version) +
              " of the protocol between members meets version " + std::to_string(link_version) +
              ": run the same version of Baton everywhere";
    return std::nullopt;
  }
  Hello hello;
  hello.group = reader.text(longest_name);
  hello.dialect = reader.text(longest_dialect);
  hello.from = reader.text(longest_name);
  hello.to = reader.text(longest_name);
  hello.life = reader.varint();
  const std::uint64_t has_met = reader.varint();
  hello.has_met = has_met == 1;
  hello.remembered_life = reader.varint();
  hello.generation = reader.varint();
  hello.received = reader.varint();
  hello.silence_ms = reader.varint();
  if (reader.is_good() && reader.is_over() && has_met <= 1) return hello;
  problem = "the Hello is malformed";
  return std::nullopt;
}

std::optional<std::string> decode_refusal(std::string_view body) {
  ByteReader reader(body);
  if (reader.bytes(magic.size()) != magic) return std::nullopt;
  const std::string words = reader.text(longest_refusal);
  if (!reader.is_good() || !reader.is_over()) return std::nullopt;
  return printable(words);
}

std::string why_not_alike(const Hello& theirs, const Hello& ours) {
  if (theirs.group != ours.group) {
    return in_quotes(theirs.from) + " is of group " + in_quotes(theirs.group) + ", " +
           in_quotes(ours.from) + " of group " + in_quotes(ours.group);
  }
  if (theirs.from == ours.from) {
    return "two processes use the name " + in_quotes(ours.from) + ": give each member its own name";
  }
  if (theirs.to != ours.from) {
    return in_quotes(theirs.from) + " wants to talk to " + in_quotes(theirs.to) + ", but this is " +
           in_quotes(ours.from) + ": compare the addresses of the group";
  }
  if (theirs.dialect != ours.dialect) {
    return in_quotes(theirs.from) + " runs with " + peculiarity(theirs.dialect, ours.dialect) +
           ", " + in_quotes(ours.from) + " with " + peculiarity(ours.dialect, theirs.dialect);
  }
  return {};
}

std::string printable(std::string_view text, std::size_t longest) {
  return text::printable(text::beginning_of(text, longest));
}

}  // namespace baton::net
