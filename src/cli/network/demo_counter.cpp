// The lost update: processes that add to one number, each by reading it and writing one more.
#include <fmt/format.h>

#include <boost/json.hpp>
#include <iostream>
#include <memory>
#include <optional>

#include "cli/common/arguments.h"
#include "cli/common/terminal.h"
#include "cli/common/text.h"
#include "cli/common/theory.h"
#include "cli/network/demos.h"
#include "cli/network/raw_sockets.h"
#include "cli/network/shared_number.h"
#include "cli/network/together.h"
#include "cli/service/demo.h"
#include "io/json_text.h"
#include "peers/net/catalog.h"
#include "peers/net/group_file.h"

namespace baton::cli {

namespace {

struct CounterOptions {
  std::uint32_t processes = 10;
  std::uint64_t increments = 20'000;
  std::string algorithm{net::default_algorithm};
  bool json = false;
};

// What theory says of the messages of an entry while everybody wants one.
struct Theory {
  Scenario scenario{};
  std::string_view formula;
  Expected messages;
};

std::optional<Theory> theory_of(const Info& info, std::uint32_t processes) {
  const Setup setup = default_setup(processes);
  const Case the_case{setup, processes > 2 ? NodeId{1} : NodeId{0}, {processes - 1}};
  for (const Scenario scenario : {Scenario::saturated, Scenario::everyone}) {
    for (const Cost& cost : info.costs) {
      if (cost.scenario != scenario || cost.metric != Metric::messages) continue;
      return Theory{scenario, cost.formula, cost.value(the_case)};
    }
  }
  return std::nullopt;
}

struct Counted {
  TogetherWork work;
  std::int64_t value = 0;  // of the file in the end
  std::uint64_t messages = 0;

  std::int64_t lost() const { return static_cast<std::int64_t>(work.done()) - value; }
};

class CounterDemo {
 public:
  explicit CounterDemo(const CounterOptions& options) : options_(options) {}

  int run() {
    // Before and after: while there is a group, it wants the processors too.
    const RawTimes before = raw_times(options_.processes);
    count_twice();
    const RawTimes after = raw_times(options_.processes);
    raw_ = {(before.least_us + after.least_us) / 2, (before.most_us + after.most_us) / 2};
    if (options_.json) {
      print_json();
    } else {
      print_summary();
    }
    return with_.lost() == 0 ? exit_ok : exit_violation;
  }

 private:
  void count_twice() {
    ProcessGroup group({.size = options_.processes, .algorithm = options_.algorithm});
    const DemoFolder folder;
    say(fmt::format("{} processes add to one number in a file, {} times in all.",
                    options_.processes, grouped(options_.increments)));
    say("");
    without_ = count(group, folder.file("without"), "-");
    say(fmt::format("without a lock        {}", verdict(without_)));
    with_ = count(group, folder.file("with"), "counter");
    say(fmt::format("with {:<16} {}", options_.algorithm, verdict(with_)));
    say("");
  }

  void say(const std::string& text) const {
    if (!options_.json) std::cout << filled(text, table_width(), 2) << "\n" << std::flush;
  }

  Counted count(ProcessGroup& group, const std::string& path, const std::string& lock) const {
    SharedNumber::create(path, 0);
    const std::uint64_t before = group.counters().of_algorithm();
    Counted counted{
        .work = work_together(
            group, {.verb = "count", .path = path, .lock = lock, .times = options_.increments})};
    counted.messages = group.counters().of_algorithm() - before;
    counted.value = SharedNumber(path).read();
    return counted;
  }

  static std::string verdict(const Counted& counted) {
    const std::int64_t lost = counted.lost();
    const std::string number =
        lost == 0 ? "no" : grouped(static_cast<std::uint64_t>(std::abs(lost)));
    return fmt::format("{} updates were lost: the file says {}, after {:.2f} s", number,
                       grouped(static_cast<std::uint64_t>(counted.value)), counted.work.seconds);
  }

  double entries() const { return static_cast<double>(with_.work.done()); }
  double messages() const { return static_cast<double>(with_.messages); }
  double at_least_s() const { return messages() * raw_.least_us / 1e6; }
  double at_most_s() const { return messages() * raw_.most_us / 1e6; }
  std::optional<Theory> theory() const {
    return theory_of(net::find(options_.algorithm)->info(), options_.processes);
  }

  std::string theory_in_words() const {
    const std::optional<Theory> theory = this->theory();
    if (!theory) return "not stated for when all ask";
    const bool is_lasting = theory->scenario == Scenario::saturated;
    return fmt::format("{} {}: {}", text_of(theory->messages),
                       is_lasting ? "while all ask" : "when all ask once", theory->formula);
  }

  void print_summary() const {
    Table table({"with the lock", "measured", "in theory"},
                {Table::Align::left, Table::Align::right, Table::Align::left});
    const TogetherWork& work = with_.work;
    const auto us = [](double time) { return fmt::format("{:.0f} µs", time); };
    table.add(
        {"entries per second", grouped(static_cast<std::uint64_t>(entries() / work.seconds)), ""});
    table.add({"messages per entry", number(messages() / entries()), theory_in_words()});
    table.add({"waiting for an entry: median", us(work.median_wait_us()), ""});
    table.add({"... mean", us(work.mean_wait_us()), ""});
    table.add({"... longest", us(work.longest_wait_us()), ""});
    table.add({"time", fmt::format("{:.2f} s", work.seconds),
               fmt::format("{:.2f}..{:.2f} s: {} messages, {:.1f}..{:.1f} µs each by raw sockets",
                           at_least_s(), at_most_s(), grouped(with_.messages), raw_.least_us,
                           raw_.most_us)});
    std::cout << table.str(table_width());
  }

  static boost::json::object json_of(const Counted& counted) {
    return {{"value", counted.value}, {"lost", counted.lost()}, {"took_s", counted.work.seconds}};
  }

  void print_json() const {
    const std::optional<Theory> theory = this->theory();
    boost::json::object with = json_of(with_);
    with["entries_per_s"] = entries() / with_.work.seconds;
    with["messages"] = with_.messages;
    with["messages_per_entry"] = messages() / entries();
    with["expected_messages_per_entry"] =
        theory ? cli::json_of(theory->messages) : boost::json::value(nullptr);
    with["median_wait_us"] = with_.work.median_wait_us();
    with["mean_wait_us"] = with_.work.mean_wait_us();
    with["longest_wait_us"] = with_.work.longest_wait_us();
    with["raw_message_us"] = {{"low", raw_.least_us}, {"high", raw_.most_us}};
    with["expected_s"] = {{"low", at_least_s()}, {"high", at_most_s()}};
    std::cout << io::json_text(boost::json::object{{"algorithm", options_.algorithm},
                                                   {"processes", options_.processes},
                                                   {"increments", options_.increments},
                                                   {"without_lock", json_of(without_)},
                                                   {"with_lock", std::move(with)}})
              << "\n";
  }

  CounterOptions options_;
  RawTimes raw_;
  Counted without_;
  Counted with_;
};

}  // namespace

void add_demo_counter(Command& demo, Action& action) {
  Command& command = add_story(
      demo, "counter",
      "Processes add to one number: without a lock, updates are lost\n\n"
      "Real processes, without a server. Now and then one of them pauses between reading and "
      "writing, as the operating system may do to any process. Without a lock they lose updates; "
      "with a lock none may be lost.");
  command.example("baton demo counter")
      .example("baton demo counter --algorithm suzuki-kasami --processes 5");
  const auto options = std::make_shared<CounterOptions>();
  command.add_option("--processes", options->processes, "Number of processes")
      .whole_number(2, net::most_members)
      .type_name("N")
      .show_default();
  command.add_option("--increments", options->increments, "Increments of all processes together")
      .whole_number(1, 1'000'000'000)
      .type_name("N")
      .show_default();
  command.add_option("--algorithm", options->algorithm, "Algorithm that lets them in one at a time")
      .type_name("NAME")
      .show_default();
  command.add_flag("--json", options->json, "Print the figures as JSON");
  command.footer("Exit code 1: an update was lost although there was a lock.");
  command.callback([options, &action] {
    action = group_action([options] { return CounterDemo(*options).run(); });
  });
}

}  // namespace baton::cli
