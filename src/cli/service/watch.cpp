#include <atomic>
#include <boost/json.hpp>
#include <iostream>
#include <memory>

#include "cli/common/arguments.h"
#include "cli/common/text.h"
#include "cli/service/commands.h"
#include "cli/service/connection.h"
#include "cli/service/interrupt.h"
#include "io/json_text.h"
#include "service/http/info_json.h"

namespace baton::cli {

namespace {

using namespace std::chrono_literals;

struct WatchCommandOptions {
  std::string prefix;
  std::optional<std::uint64_t> after;
  std::uint64_t count = 0;
  bool json = false;
  std::string url;
};

void print(const FileChange& change, bool as_json) {
  if (as_json) {
    std::cout << io::json_text(http::json_of(change)) << std::endl;
  } else {
    std::cout << change.revision << "  " << (change.removed ? "removed" : "put") << "  "
              << printable(change.key + (change.removed ? "" : "  " + change.value)) << std::endl;
  }
}

int watch(const WatchCommandOptions& options) {
  take_interrupts();
  Client client = Reach(options.url).connect();
  std::atomic<std::uint64_t> seen = 0;
  std::atomic<bool> has_ended = false;
  Failure why;
  const auto take = [&](const FileChange& change) {
    if (options.count != 0 && seen >= options.count) return;
    print(change, options.json);
    ++seen;
  };
  const Watch watch = value_of(client.watch(
      options.prefix, take, {.after = options.after, .on_end = [&](const Failure& failure) {
                               why = failure;
                               has_ended = true;
                             }}));
  while (!interrupted_within(50ms)) {
    if (options.count != 0 && seen >= options.count) break;
    if (has_ended) throw Refused(why);
    if (!std::cout) return exit_usage;
  }
  return exit_ok;
}

}  // namespace

void add_watch(Command& app, Action& action) {
  Command& command = app.add_command("watch", "Print changes of small files, until Ctrl-C");
  command.example("baton put jobs/a 1 && baton watch jobs/ --after 0 --count 1");
  const auto options = std::make_shared<WatchCommandOptions>();
  command.add_option("PREFIX", options->prefix, "Only names that begin so");
  command.add_option("--after", options->after, "Begin after this revision (see 'baton ls --json')")
      .whole_number()
      .type_name("REVISION");
  command.add_option("--count", options->count, "Exit after so many changes")
      .whole_number(1)
      .type_name("N");
  command.add_flag("--json", options->json, "Print each change as a line of JSON");
  add_url(command, options->url);
  command.callback([options, &action] {
    action = service_action(
        "watch", [options] { return watch(*options); }, options->json);
  });
}

}  // namespace baton::cli
