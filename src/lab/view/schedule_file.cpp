#include "lab/view/schedule_file.h"

#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <sstream>
#include <utility>

#include "core/fnv.h"
#include "core/text.h"
#include "lab/view/line_reader.h"

namespace baton::view {

namespace {

namespace json = boost::json;
using Kind = ScheduledStep::Kind;

constexpr std::uint64_t known_version = 1;
constexpr std::uint64_t largest_number = std::numeric_limits<std::uint32_t>::max();

// The fields of a kind of step, besides its choices.
struct Fields {
  bool node = true;
  bool peer = false;
  bool message = false;
  bool timer = false;
};

Fields fields_of(Kind kind) {
  switch (kind) {
    case Kind::deliver:
    case Kind::lose:
    case Kind::duplicate:
    case Kind::delay:
      return {.peer = true, .message = true};
    case Kind::suspect:
    case Kind::trust:
      return {.peer = true};
    case Kind::expire:
      return {.timer = true};
    case Kind::pass:
      return {.node = false};
    case Kind::request:
    case Kind::release:
    case Kind::crash:
    case Kind::quit:
    case Kind::recover:
    case Kind::pause:
    case Kind::resume:
      break;
  }
  return {};
}

class Checksum {
 public:
  void add_line(std::string_view line) { value_ = fnv1a("\n", fnv1a(line, value_)); }

  std::string text() const {
    std::string digits(16, '0');
    for (std::size_t i = 0; i < digits.size(); ++i) {
      digits[i] = "0123456789abcdef"[(value_ >> (60 - 4 * i)) & 0xF];
    }
    return digits;
  }

 private:
  std::uint64_t value_ = fnv1a("");
};

std::string line_of(const ScheduledStep& step, std::size_t number) {
  const Fields fields = fields_of(step.kind);
  std::string line = "{\"step\":" + std::to_string(number) + ",\"do\":\"";
  line += name_of(step.kind);
  line += '"';
  if (fields.node) line += ",\"node\":" + std::to_string(step.node.value);
  if (fields.peer) line += ",\"peer\":" + std::to_string(step.peer.value);
  if (fields.message) line += ",\"message\":" + text::json_quoted(step.message);
  if (fields.timer) line += ",\"timer\":" + std::to_string(step.timer);
  if (!step.choices.empty()) {
    line += ",\"choices\":";
    char separator = '[';
    for (const std::uint32_t choice : step.choices) {
      line += separator + std::to_string(choice);
      separator = ',';
    }
    line += ']';
  }
  return line + '}';
}

class ScheduleReader : private LineReader {
 public:
  using LineReader::LineReader;

  std::variant<Schedule, LineError> read() {
    if (const auto header = next_object()) {
      read_header(*header);
    } else {
      fail("the file is empty; a schedule begins with a header");
    }
    while (const auto object = next_object()) {
      if (schedule_.steps.size() == announced_) {
        fail("the header announces " + std::to_string(announced_) + " steps, and there are more");
        break;
      }
      checksum_.add_line(line_text());
      read_step(*object);
    }
    check_whole();
    if (failed()) return error();
    return std::move(schedule_);
  }

 private:
  void read_header(const json::object& header) {
    const std::string_view kind = kind_of_file(header);
    if (kind == "trace") return fail("this is a trace, not a schedule");
    if (kind != "schedule") {
      return fail("not a Baton schedule: it has to begin with {\"baton\":\"schedule\",...}");
    }
    const std::uint64_t version = number(header, "version");
    if (!failed() && version != known_version) {
      return fail("version " + std::to_string(version) + "; this program reads version " +
                  std::to_string(known_version));
    }
    only_keys(header, {"baton", "version", "algorithm", "arguments", "verdict", "steps", "loop",
                       "checksum"});
    schedule_.algorithm = text(header, "algorithm", true);
    read_arguments(header);
    schedule_.verdict = text(header, "verdict", true);
    announced_ = number(header, "steps");
    if (header.contains("loop")) {
      const std::uint64_t loop = number(header, "loop");
      if (loop == 0 || loop > announced_) {
        fail("\"loop\" is " + std::to_string(loop) + ", which is none of the " +
             std::to_string(announced_) + " steps");
      }
      schedule_.loop = loop - 1;
    }
    expected_checksum_ = text(header, "checksum", true);
  }

  void read_arguments(const json::object& header) {
    const json::value* arguments = header.if_contains("arguments");
    if (arguments == nullptr) return fail("\"arguments\" is missing");
    if (!arguments->is_array()) return fail("\"arguments\" is not a list");
    for (const json::value& argument : arguments->get_array()) {
      if (!argument.is_string()) return fail("an argument is not a string");
      schedule_.arguments.emplace_back(argument.get_string());
    }
  }

  static std::optional<Kind> kind_named(std::string_view name) {
    for (std::size_t i = 0; i < scheduled_kinds; ++i) {
      const auto kind = static_cast<Kind>(i);
      if (name_of(kind) == name) return kind;
    }
    return std::nullopt;
  }

  void read_step(const json::object& object) {
    ScheduledStep step;
    const std::uint64_t which = number(object, "step");
    const std::uint64_t expected = schedule_.steps.size() + 1;
    if (!failed() && which != expected) {
      fail("step " + std::to_string(which) + " where step " + std::to_string(expected) +
           " should be");
    }
    const std::string name = text(object, "do", true);
    if (failed()) return;
    const auto kind = kind_named(name);
    if (!kind) return fail("unknown kind of step " + quoted(name));
    step.kind = *kind;
    const Fields fields = fields_of(step.kind);
    const auto key = [](bool is_there, std::string_view one) { return is_there ? one : "step"; };
    only_keys(object, {"step", "do", "choices", key(fields.node, "node"), key(fields.peer, "peer"),
                       key(fields.message, "message"), key(fields.timer, "timer")});
    if (fields.node) step.node = process(object, "node");
    if (fields.peer) step.peer = process(object, "peer");
    if (fields.message) step.message = text(object, "message", true);
    if (fields.timer) {
      step.timer = static_cast<std::uint32_t>(number(object, "timer", largest_number));
    }
    if (const json::value* choices = object.if_contains("choices")) read_choices(*choices, step);
    schedule_.steps.push_back(std::move(step));
  }

  NodeId process(const json::object& object, std::string_view key) {
    return {static_cast<std::uint32_t>(number(object, key, nobody.value - 1))};
  }

  void read_choices(const json::value& choices, ScheduledStep& step) {
    if (!choices.is_array()) return fail("\"choices\" is not a list");
    for (const json::value& choice : choices.get_array()) {
      json::error_code error;
      const auto value = choice.is_double() ? 0 : choice.to_number<std::uint32_t>(error);
      if (choice.is_double() || error) return fail("a choice is not a whole number");
      step.choices.push_back(value);
    }
  }

  void check_whole() {
    if (!failed() && schedule_.steps.size() < announced_) {
      fail_at(line() + 1, "the file is truncated: its header announces " +
                              std::to_string(announced_) + " steps and it has " +
                              std::to_string(schedule_.steps.size()));
    }
    if (!failed() && checksum_.text() != expected_checksum_) {
      fail_at(1, "the checksum is not that of the steps, which is " + checksum_.text() +
                     ": they were changed after they were written");
    }
  }

  std::uint64_t announced_ = 0;
  std::string expected_checksum_;
  Checksum checksum_;
  Schedule schedule_;
};

}  // namespace

std::string write_schedule(const Schedule& schedule) {
  Checksum checksum;
  std::string steps;
  for (std::size_t i = 0; i < schedule.steps.size(); ++i) {
    const std::string line = line_of(schedule.steps[i], i + 1);
    checksum.add_line(line);
    steps += line + '\n';
  }
  std::string header = "{\"baton\":\"schedule\",\"version\":" + std::to_string(known_version) +
                       ",\"algorithm\":" + text::json_quoted(schedule.algorithm) +
                       ",\"arguments\":[";
  const char* separator = "";
  for (const std::string& argument : schedule.arguments) {
    header += separator + text::json_quoted(argument);
    separator = ",";
  }
  header += "],\"verdict\":" + text::json_quoted(schedule.verdict) +
            ",\"steps\":" + std::to_string(schedule.steps.size());
  if (schedule.loop) header += ",\"loop\":" + std::to_string(*schedule.loop + 1);
  return header + ",\"checksum\":\"" + checksum.text() + "\"}\n" + steps;
}

std::variant<Schedule, LineError> read_schedule(std::string_view text) {
  std::istringstream in{std::string(text)};
  return ScheduleReader(in).read();
}

}  // namespace baton::view
