#include "lab/view/line_reader.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <istream>
#include <utility>

namespace baton::view {

namespace json = boost::json;

std::string quoted(std::string_view key) { return '"' + std::string(key) + '"'; }

void LineReader::fail(std::string what) { fail_at(line_, std::move(what)); }

void LineReader::fail_at(std::size_t line, std::string what) {
  if (!error_) error_ = LineError{line, std::move(what)};
}

std::optional<json::object> LineReader::next_object() {
  if (failed()) return std::nullopt;
  if (!std::getline(*from_, line_text_)) {
    if (line_ == 0) line_ = 1;
    return std::nullopt;
  }
  ++line_;
  const bool complete = !from_->eof();
  if (!complete && may_be_cut_off_) {
    is_cut_off_ = true;
    return std::nullopt;
  }
  json::error_code error;
  json::value value = json::parse(line_text_, error);
  if (!complete) {
    fail("the file is truncated: its last line has no end");
  } else if (error) {
    fail("not JSON: " + error.message());
  } else if (!value.is_object()) {
    fail("not a JSON object");
  }
  if (failed()) return std::nullopt;
  return std::move(value.as_object());
}

void LineReader::only_keys(const json::object& object,
                           std::initializer_list<std::string_view> known) {
  for (const auto& [key, value] : object) {
    const std::string_view name = key;
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      fail("unknown key " + quoted(name));
    }
  }
}

std::uint64_t LineReader::number(const json::object& object, std::string_view key,
                                 std::uint64_t largest) {
  const json::value* value = object.if_contains(key);
  if (value == nullptr) {
    fail(quoted(key) + " is missing");
    return 0;
  }
  json::error_code error;
  const auto result = value->is_double() ? 0 : value->to_number<std::uint64_t>(error);
  if (value->is_double() || error || result > largest) {
    fail(quoted(key) + " is not a whole number from 0 to " + std::to_string(largest));
    return 0;
  }
  return result;
}

std::string LineReader::text(const json::object& object, std::string_view key, bool required) {
  const json::value* value = object.if_contains(key);
  if (value == nullptr) {
    if (required) fail(quoted(key) + " is missing");
    return {};
  }
  if (!value->is_string()) {
    fail(quoted(key) + " is not a string");
    return {};
  }
  return std::string(value->get_string());
}

std::string_view LineReader::kind_of_file(const json::object& header) {
  const json::value* kind = header.if_contains("baton");
  return kind != nullptr && kind->is_string() ? std::string_view(kind->get_string()) : "";
}

}  // namespace baton::view
