#include <fmt/format.h>

#include <boost/json.hpp>
#include <iostream>
#include <memory>

#include "cli/common/arguments.h"
#include "cli/common/text.h"
#include "cli/service/bench_load.h"
#include "cli/service/commands.h"
#include "cli/service/connection.h"
#include "io/json_text.h"

namespace baton::cli {

namespace {

struct BenchOptions {
  std::size_t clients = 32;
  double seconds = 5;
  bool same_name = false;
  bool fast = false;
  bool json = false;
  std::string url;
};

double micros(std::chrono::nanoseconds time) { return static_cast<double>(time.count()) / 1e3; }

int bench(const BenchOptions& options) {
  if (!(options.seconds > 0) || options.seconds > 3600) {
    throw UsageError("--seconds must be more than 0 and at most 3600");
  }
  const Reach reach(options.url);
  // In a cluster the load goes to the server that leads.
  const std::string leader_url = value_of(reach.connect().status()).leader_url;
  Client client = reach.connect();  // starts the local server if need be
  LoadResult result;
  try {
    result = run_load(
        {.url = leader_url.empty() ? reach.url() : leader_url,
         .clients = options.clients,
         .length = std::chrono::microseconds(static_cast<std::int64_t>(options.seconds * 1e6)),
         .same_name = options.same_name,
         .fast = options.fast});
  } catch (const std::runtime_error& error) {
    throw Refused(error.what(), process::exit_code::unavailable, {Error::unavailable});
  }
  const auto pair = [&](double percent) { return micros(percentile(result.pairs, percent)); };
  const auto acquire = [&](double percent) { return micros(percentile(result.acquires, percent)); };
  if (options.json) {
    std::cout << io::json_text(boost::json::object{{"clients", options.clients},
                                                   {"took_s", result.length.count()},
                                                   {"same_name", options.same_name},
                                                   {"fast", options.fast},
                                                   {"pairs", result.pairs.size()},
                                                   {"pairs_per_s", result.pairs_per_s()},
                                                   {"p50_us", pair(50)},
                                                   {"p99_us", pair(99)},
                                                   {"acquire_p50_us", acquire(50)},
                                                   {"acquire_p99_us", acquire(99)}})
              << "\n";
    return exit_ok;
  }
  std::cout << fmt::format("{} pairs of acquire and release per second ({} clients on {}, {})\n\n",
                           grouped(static_cast<std::uint64_t>(result.pairs_per_s())),
                           options.clients, options.same_name ? "one name" : "names of their own",
                           options.fast ? "fast" : "durable");
  using Align = Table::Align;
  Table times({"time of", "median", "99 %"}, {Align::left, Align::right, Align::right});
  const auto us = [](double time) { return fmt::format("{:.0f} µs", time); };
  times.add({"a pair", us(pair(50)), us(pair(99))});
  times.add({"its acquire", us(acquire(50)), us(acquire(99))});
  std::cout << times.str();
  return exit_ok;
}

}  // namespace

void add_bench(Command& app, Action& action) {
  Command& command =
      app.add_command("bench",
                      "Measure how fast a server grants locks\n\n"
                      "Clients take and release locks in a loop, each in a session of its own.");
  command.example("baton bench --clients 8 --seconds 1")
      .example("baton bench --clients 4 --seconds 1 --same-name --fast --json");
  const auto options = std::make_shared<BenchOptions>();
  command.add_option("--clients", options->clients, "Number of clients")
      .whole_number(1, 10'000)
      .type_name("N")
      .show_default();
  command.add_option("--seconds", options->seconds, "Duration")
      .finite_number()
      .type_name("S")
      .show_default();
  command.add_flag("--same-name", options->same_name, "All clients take the same lock");
  command.add_flag("--fast", options->fast, "The server grants before it is on disk");
  command.add_flag("--json", options->json, "Print the figures as JSON");
  add_url(command, options->url);
  command.callback([options, &action] {
    action = service_action(
        "bench", [options] { return bench(*options); }, options->json);
  });
}

}  // namespace baton::cli
