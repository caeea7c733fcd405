#include "cli/lab/trace.h"

#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "cli/common/arguments.h"
#include "cli/common/terminal.h"
#include "cli/common/text.h"
#include "cli/lab/trace_output.h"
#include "lab/view/json_lines.h"
#include "lab/view/merge.h"

namespace baton::cli {

namespace {

struct Options {
  std::string verb;
  std::vector<std::string> files;
  SimOptions drawing;
  view::MergeOptions merging;
};

template <class Read>
Trace read(const std::string& path, Read read_from) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw UsageError("cannot read '" + path + "': " + std::strerror(errno));
  auto found = read_from(file);
  if (const auto* error = std::get_if<view::TraceError>(&found)) {
    throw UsageError(path + ", " + error->message());
  }
  return std::get<Trace>(std::move(found));
}

view::MergedTrace merged(const Options& options) {
  std::vector<view::TracePart> parts;
  for (const std::string& path : options.files) {
    view::TracePart part{.source = path};
    part.trace =
        read(path, [&](std::istream& file) { return view::read_part(file, &part.is_cut_off); });
    parts.push_back(std::move(part));
  }
  auto found = view::merge(std::move(parts), options.merging);
  if (const auto* why_not = std::get_if<std::string>(&found)) throw UsageError(*why_not);
  return std::get<view::MergedTrace>(std::move(found));
}

void remark_on(const view::MergedTrace& merged) {
  for (const std::string& what : merged.missing) {
    tell("baton trace: " + what);
  }
  if (merged.messages == 0) return;
  tell("baton trace: a message time is " + number(merged.message_time_us) + " us, the median of " +
       grouped(merged.messages) + " messages");
}

int trace(Options& options) {
  const std::vector<std::string> verbs{"merge", "draw"};
  if (options.verb.empty()) throw UsageError("say what to do: merge or draw");
  const bool merges = options.verb == "merge";
  if (!merges && options.verb != "draw") {
    throw UsageError("say merge or draw, not '" + options.verb + "'" +
                     did_you_mean(options.verb, verbs));
  }
  if (options.files.empty()) throw UsageError("say which files");
  if (!merges && options.files.size() > 1) {
    throw UsageError("draw takes one file; 'baton trace merge' makes one file of several");
  }
  SimOptions& drawing = options.drawing;
  if (drawing.trace.empty() && (merges || !drawing.was_given("--svg"))) {
    drawing.trace = merges ? "json" : "diagram";
  }
  view::MergedTrace found;
  if (merges) {
    found = merged(options);
  } else {
    found.trace = read(options.files.front(), view::read_json_lines);
  }
  if (!drawing.names.empty()) {
    if (drawing.names.size() != found.trace.size) {
      throw UsageError("--names gives " + std::to_string(drawing.names.size()) + " names for " +
                       std::to_string(found.trace.size) + " processes");
    }
    found.trace.names = drawing.names;
  }
  TraceOutput output(drawing, found.trace.size);
  remark_on(found);
  output.write(found.trace);
  return exit_ok;
}

}  // namespace

void add_trace(Command& app, Action& action) {
  Command& command =
      app.add_command("trace",
                      "Merge, draw and export traces in files\n\n"
                      "  merge FILE…   make one trace of those that 'baton peer --trace' wrote\n"
                      "  draw FILE     draw a trace, or export it for other programs");
  auto options = std::make_shared<Options>();
  command.add_option("VERB", options->verb, "merge or draw").in_usage("VERB");
  command.add_option("FILES", options->files, "Files with traces").in_usage("FILES…");
  command
      .add_flag("--keep-pauses", options->merging.keeps_pauses,
                "merge: keep long pauses in which nothing happens")
      .no_value();
  options->drawing.add_drawing_to(command);
  command.example("baton trace merge 1.jsonl 2.jsonl 3.jsonl -o all.jsonl")
      .example("baton trace draw all.jsonl")
      .example("baton trace draw all.jsonl --svg all.svg");
  command.callback([&action, &command, options] {
    options->drawing.note_given(command);
    action = [options] { return trace(*options); };
  });
}

}  // namespace baton::cli
