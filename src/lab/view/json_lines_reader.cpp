#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <istream>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "lab/view/json_lines.h"
#include "lab/view/line_reader.h"

namespace baton::view {

namespace {

namespace json = boost::json;

class TraceReader : private LineReader {
 public:
  TraceReader(std::istream& from, bool is_part) : LineReader(from), is_part_(is_part) {}

  std::variant<Trace, TraceError> read() {
    if (const auto header = next_object()) {
      read_header(*header);
    } else {
      fail("the file is empty; a trace begins with a header");
    }
    while (!failed()) {
      const auto object = next_object();
      if (!object || failed()) break;
      if (!trace_.verdict.empty()) {
        fail("nothing may follow the verdict");
      } else if (object->contains("verdict")) {
        read_verdict(*object);
      } else {
        read_event(*object);
      }
    }
    if (!failed() && announced_ && *announced_ != trace_.events.size()) {
      fail_at(line() + 1, "the file is truncated: its header announces " +
                              std::to_string(*announced_) + " events and it has " +
                              std::to_string(trace_.events.size()));
    }
    if (failed()) return error();
    return std::move(trace_);
  }

  using LineReader::is_cut_off;

 private:
  struct Progress {
    Clock lamport;
    std::uint64_t vector = 0;
  };

  NodeId process(const json::object& object, std::string_view key) {
    const std::uint64_t id = number(object, key);
    if (failed()) return nobody;
    if (id >= trace_.size) {
      fail(quoted(key) + " names process " + std::to_string(id) + " of a group of " +
           std::to_string(trace_.size) + ", which are counted from 0");
      return nobody;
    }
    return {static_cast<std::uint32_t>(id)};
  }

  void read_header(const json::object& header) {
    if (kind_of_file(header) != "trace") {
      return fail("not a Baton trace: it has to begin with {\"baton\":\"trace\",...}");
    }
    const std::uint64_t version = number(header, "version");
    if (!failed() && version != trace_version) {
      return fail("version " + std::to_string(version) + " of the format; only " +
                  std::to_string(trace_version) + " is known here");
    }
    only_keys(header,
              {"baton", "version", "algorithm", "n", "seed", "names", "message_time", "events"});
    trace_.algorithm = text(header, "algorithm", true);
    trace_.size = static_cast<std::uint32_t>(number(header, "n", nobody.value));
    if (!failed() && trace_.size == 0) fail("a group of no processes");
    trace_.seed = number(header, "seed");
    const auto unit = number(header, "message_time");
    if (!failed() && unit != static_cast<std::uint64_t>(message_time.value)) {
      fail("\"message_time\" is " + std::to_string(unit) + ", not " +
           std::to_string(message_time.value));
    }
    if (header.contains("events")) announced_ = number(header, "events");
    // A header without that number was written while its process ran.
    if (is_part_ && !announced_) may_be_cut_off();
    if (const json::value* names = header.if_contains("names")) read_names(*names);
  }

  void read_names(const json::value& names) {
    if (!names.is_array() || names.get_array().size() != trace_.size) {
      return fail("\"names\" is not a list of one name per process");
    }
    for (const json::value& name : names.get_array()) {
      if (!name.is_string()) return fail("a name is not a string");
      trace_.names.emplace_back(name.get_string());
    }
  }

  void read_verdict(const json::object& object) {
    only_keys(object, {"verdict"});
    trace_.verdict = text(object, "verdict", true);
    if (!failed() && trace_.verdict.empty()) fail("an empty verdict");
  }

  static std::optional<TraceKind> kind_named(std::string_view name) {
    for (std::size_t i = 0; i < trace_kinds; ++i) {
      const auto kind = static_cast<TraceKind>(i);
      if (name_of(kind) == name) return kind;
    }
    return std::nullopt;
  }

  static bool may_have_body(TraceKind kind) {
    return kind == TraceKind::enter || kind == TraceKind::elect || kind == TraceKind::recover;
  }

  void read_event(const json::object& object) {
    TraceEvent event;
    const std::string kind_name = text(object, "e", true);
    if (failed()) return;
    const auto kind = kind_named(kind_name);
    if (!kind) return fail("unknown kind of event " + quoted(kind_name));
    event.kind = *kind;
    event.at = {static_cast<std::int64_t>(number(object, "t", std::uint64_t(forever.value)))};
    event.node = process(object, "p");
    event.name = text(object, "m", false);
    event.body = text(object, "body", false);
    event.lamport = {number(object, "lamport")};
    if (const json::value* vector = object.if_contains("vector")) read_vector(*vector, event);
    switch (event.kind) {
      case TraceKind::send:
        only_keys(object, {"t", "p", "e", "to", "id", "m", "body", "lamport", "vector"});
        event.peer = process(object, "to");
        event.message = number(object, "id");
        check_send(event);
        break;
      case TraceKind::receive:
      case TraceKind::drop:
        only_keys(object, {"t", "p", "e", "from", "id", "m", "body", "lamport", "vector"});
        event.peer = process(object, "from");
        event.message = number(object, "id");
        check_arrival(event);
        break;
      default:
        only_keys(object, {"t", "p", "e", "whom", "m", "body", "lamport", "vector"});
        if (!event.body.empty() && !may_have_body(event.kind)) {
          fail("a " + quoted(name_of(event.kind)) + " has no \"body\"");
        }
        if (object.contains("whom")) event.peer = process(object, "whom");
    }
    check_order(event);
    if (!failed()) trace_.events.push_back(std::move(event));
  }

  void read_vector(const json::value& value, TraceEvent& event) {
    if (!value.is_array() || value.get_array().size() != trace_.size) {
      return fail("\"vector\" is not a list of one number per process");
    }
    std::vector<std::uint64_t> entries;
    for (const json::value& entry : value.get_array()) {
      json::error_code error;
      entries.push_back(entry.is_double() ? 0 : entry.to_number<std::uint64_t>(error));
      if (entry.is_double() || error) return fail("\"vector\" has an entry that is no number");
    }
    event.vector = VectorClock(std::move(entries));
  }

  void check_send(const TraceEvent& event) {
    if (failed()) return;
    if (event.message == 0) return fail("message numbers begin with 1");
    if (event.name.empty()) return fail("\"m\", the message's type, is missing");
    if (!sent_.emplace(event.message, trace_.events.size()).second) {
      fail("message " + std::to_string(event.message) + " has already been sent");
    }
  }

  void check_arrival(const TraceEvent& event) {
    if (failed() || is_part_) return;
    const std::string which = "message " + std::to_string(event.message);
    const auto sent = sent_.find(event.message);
    if (sent == sent_.end()) return fail(which + " arrives here but was never sent");
    const TraceEvent& send = trace_.events[sent->second];
    if (send.node != event.peer || send.peer != event.node) {
      fail(which + " went from " + std::to_string(send.node.value) + " to " +
           std::to_string(send.peer.value));
    } else if (send.name != event.name || send.body != event.body) {
      fail(which + " was " + send.name + send.body + " when it was sent");
    } else if (event.kind == TraceKind::receive && event.lamport <= send.lamport) {
      fail("the Lamport time of the receipt is not after that of the sending");
    } else if (event.kind == TraceKind::drop &&
               (event.lamport != send.lamport || event.vector != send.vector)) {
      fail("a drop repeats the times of its sending");
    }
  }

  void check_order(const TraceEvent& event) {
    if (failed()) return;
    if (!trace_.events.empty()) {
      if (event.at < trace_.events.back().at) fail("\"t\" goes back");
      const bool timed = !trace_.events.front().vector.entries().empty();
      if (timed == event.vector.entries().empty()) {
        fail("either all events have a \"vector\" or none");
      }
    }
    // A drop is no process's event: it carries the times of its sending.
    if (failed() || event.kind == TraceKind::drop) return;
    Progress& progress = progress_[event.node.value];
    if (event.lamport <= progress.lamport) fail("the process's Lamport time does not grow");
    progress.lamport = event.lamport;
    if (event.vector.entries().empty()) return;
    if (event.vector[event.node] != ++progress.vector) {
      fail("this is event " + std::to_string(progress.vector) +
           " of its process, but \"vector\" says " + std::to_string(event.vector[event.node]));
    }
  }

  bool is_part_;
  std::optional<std::uint64_t> announced_;
  Trace trace_;
  std::unordered_map<std::uint64_t, std::size_t> sent_;
  // Grows with the processes that appear. The header's group size is not used, because it may be
  // false.
  std::unordered_map<std::uint32_t, Progress> progress_;
};

}  // namespace

std::variant<Trace, TraceError> read_json_lines(std::istream& from) {
  return TraceReader(from, false).read();
}

std::variant<Trace, TraceError> read_part(std::istream& from, bool* is_cut_off) {
  TraceReader reader(from, true);
  auto read = reader.read();
  if (is_cut_off != nullptr) *is_cut_off = reader.is_cut_off();
  return read;
}

}  // namespace baton::view
