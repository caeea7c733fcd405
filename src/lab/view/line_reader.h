// Reads files of one JSON object per line. It keeps the first fault and ignores everything after
// it.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "lab/view/line_error.h"

namespace baton::view {

// A key in its quotes, for messages.
std::string quoted(std::string_view key);

class LineReader {
 public:
  explicit LineReader(std::istream& from) : from_(&from) {}

  bool failed() const { return error_.has_value(); }
  void fail(std::string what);
  void fail_at(std::size_t line, std::string what);
  const LineError& error() const { return *error_; }

  // From now on the reader skips half a line at the end of the file, without a fault.
  void may_be_cut_off() { may_be_cut_off_ = true; }
  bool is_cut_off() const { return is_cut_off_; }

  // The next line's object; no value at the end of the file or after a fault.
  std::optional<boost::json::object> next_object();
  // That line's text without its end, and its number.
  const std::string& line_text() const { return line_text_; }
  std::size_t line() const { return line_; }

  // The value under a key of an object. A fault if it is missing or of another type.
  void only_keys(const boost::json::object& object, std::initializer_list<std::string_view> known);
  std::uint64_t number(const boost::json::object& object, std::string_view key,
                       std::uint64_t largest = std::numeric_limits<std::uint64_t>::max());
  std::string text(const boost::json::object& object, std::string_view key, bool required);

  // The kind of file that a header declares under the key "baton"; "" if it declares none.
  static std::string_view kind_of_file(const boost::json::object& header);

 private:
  std::istream* from_;
  std::size_t line_ = 0;
  std::string line_text_;
  bool may_be_cut_off_ = false;
  bool is_cut_off_ = false;
  std::optional<LineError> error_;
};

}  // namespace baton::view
