#include "cli/lab/trace.h"

#include <cmath>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "cli/common/arguments.h"
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
  if (!file) throw UsageError("'" + path + "' cannot be read");
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
    std::fprintf(stderr, "baton trace: %s\n", what.c_str());
  }
  if (merged.messages == 0) return;
  std::fprintf(stderr, "baton trace: a message time is %s us, the median of %s messages\n",
               number(merged.message_time_us).c_str(), grouped(merged.messages).c_str());
}

int trace(Options& options) {
  const std::vector<std::string> verbs{"merge", "draw"};
  if (options.verb.empty()) throw UsageError("say what to do: merge or draw");
  const bool merges = options.verb == "merge";
  if (!merges && options.verb != "draw") {
    throw UsageError("there is no '" + options.verb + "': merge or draw" +
                     did_you_mean(options.verb, verbs));
  }
  if (options.files.empty()) throw UsageError("say which files");
  if (!merges && options.files.size() > 1) {
    throw UsageError("draw takes one file; 'baton trace merge' makes one of several");
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
      throw UsageError("--names needs one for each process");
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
  Command& command = app.add_command(
      "trace",
      "Traces in files: joins those of a group's members, draws, exports.\n\n"
      "  merge FILE...   one trace of those that the members of a group wrote, one file per start\n"
      "  draw FILE       a trace as a diagram, or for other programs");
  auto options = std::make_shared<Options>();
  command.add_option("VERB", options->verb, "merge or draw");
  command.add_option("FILES", options->files, "Traces");
  command
      .add_flag("--keep-pauses", options->merging.keeps_pauses,
                "merge: leave pauses in which nothing happens as long as they were")
      .no_value();
  options->drawing.add_drawing_to(command);
  command.footer(
      "Examples:\n  baton trace merge 1.jsonl 2.jsonl 3.jsonl -o all.jsonl\n"
      "  baton trace draw all.jsonl\n"
      "  baton trace draw all.jsonl --svg all.svg");
  command.callback([&action, &command, options] {
    options->drawing.note_given(command);
    action = [options] { return trace(*options); };
  });
}

}  // namespace baton::cli
