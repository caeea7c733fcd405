#include <algorithm>
#include <charconv>
#include <fstream>
#include <iostream>
#include <iterator>
#include <span>
#include <string_view>

#include "core/nearest.h"
#include "lab/algorithm.h"
#include "lab/text.h"

namespace baton::lab {

namespace {

constexpr int exit_ok = 0;
constexpr int exit_broken = 1;
constexpr int exit_usage = 2;
constexpr int exit_undecided = 3;

// The options besides -n and the algorithm's parameters.
constexpr std::string_view own_options[] = {"seed",      "entries", "reliable",
                                            "resilient", "svg",     "json"};
bool is_own(std::string_view name) {
  return std::find(std::begin(own_options), std::end(own_options), name) != std::end(own_options);
}

struct Options {
  std::string command;
  std::uint32_t size = 0;  // 0: each command has its own default
  std::uint64_t seed = 1;
  std::uint64_t entries = 0;  // 0: each process enters once
  bool reliable = false;
  bool resilient = false;
  std::string svg;
  std::string json;
  Parameters parameters;

  std::uint32_t size_or(std::uint32_t usual) const { return size == 0 ? usual : size; }
  Layers layers() const {
    if (resilient) return reliable ? Layers::both : Layers::resilient;
    return reliable ? Layers::reliable : Layers::none;
  }
};

template <class Number>
Number number_in(const std::string& option, const std::string& text) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number == 0) {
    throw Refused(option + " is a whole number above 0, not '" + text + "'");
  }
  return number;
}

class Reading {
 public:
  Reading(const Info& info, std::span<const char* const> words)
      : info_(&info), words_(words.begin(), words.end()) {}

  Options options() {
    Options read;
    read.command = words_.empty() ? "help" : words_.front();
    const std::vector<std::string> commands{"run", "measure", "check", "draw", "help"};
    if (read.command == "--help" || read.command == "-h") read.command = "help";
    if (std::find(commands.begin(), commands.end(), read.command) == commands.end()) {
      const std::string near = nearest(read.command, commands);
      throw Refused("there is no command '" + read.command + "'" +
                    (near.empty() ? "." : "; did you mean '" + near + "'?") +
                    " There are run, measure, check, draw and help");
    }
    for (next_ = 1; next_ < words_.size();) take(read);
    return read;
  }

 private:
  void take(Options& read) {
    std::string option = words_[next_++];
    const auto equals = option.find('=');
    has_value_ = equals != option.npos;
    if (has_value_) {
      value_ = option.substr(equals + 1);
      option.erase(equals);
    }
    if (option == "-n") {
      read.size = number_in<std::uint32_t>(option, value(option));
    } else if (option == "--seed") {
      read.seed = number_in<std::uint64_t>(option, value(option));
    } else if (option == "--entries") {
      read.entries = number_in<std::uint64_t>(option, value(option));
    } else if (option == "--reliable") {
      read.reliable = flag(option);
    } else if (option == "--resilient") {
      read.resilient = flag(option);
    } else if (option == "--svg") {
      read.svg = value(option);
    } else if (option == "--json") {
      read.json = value(option);
    } else {
      take_parameter(option, read);
    }
  }

  void take_parameter(const std::string& option, Options& read) {
    const bool is_long = option.starts_with("--");
    const std::string name = option.substr(is_long ? 2 : 0);
    const Parameter* parameter = is_long ? find_parameter(*info_, name) : nullptr;
    if (parameter == nullptr) refuse(option, name);
    read.parameters.emplace_back(name, parameter->is_flag && !has_value_ ? "true" : value(option));
  }

  [[noreturn]] void refuse(const std::string& option, const std::string& name) const {
    std::vector<std::string> all(std::begin(own_options), std::end(own_options));
    for (const Parameter* parameter : info_->parameters) all.emplace_back(parameter->name);
    const std::string near = nearest(name, all);
    if (is_own(near))
      throw Refused("there is no option " + option + "; did you mean --" + near + "?");
    Setup none;
    throw Refused(choose_parameter(none, *info_, name, ""));
  }

  std::string value(const std::string& option) {
    if (has_value_) return value_;
    if (next_ == words_.size()) throw Refused(option + " needs a value");
    return words_[next_++];
  }
  bool flag(const std::string& option) const {
    if (has_value_) throw Refused(option + " has no value");
    return true;
  }

  const Info* info_;
  std::vector<std::string> words_;
  std::size_t next_ = 0;
  bool has_value_ = false;
  std::string value_;
};

void write_file(const std::string& name, const std::string& content) {
  std::ofstream file(name, std::ios::binary);
  file << content;
  file.close();
  if (!file) throw Refused("cannot write " + name);
}

void print_help(const Info& info, const std::string& program) {
  std::cout << info.name << ": " << info.idea << "\n\n"
            << "  " << program << " run       one simulated run (-n 5)\n"
            << "  " << program << " measure   its costs beside those that it states (-n 5)\n"
            << "  " << program << " check     every state that a small group can come to (-n 3)\n"
            << "  " << program << " draw      one run as a diagram (-n 3)\n\n"
            << "  -n N            processes\n"
            << "  --seed S        of run, measure, draw\n"
            << "  --entries E     of run, draw: so many, instead of one per process\n"
            << "  --reliable      of run, check, draw: on the layer that repeats lost messages\n"
            << "  --resilient     ... on the layer that survives crashes\n"
            << "  --svg FILE      of draw: a picture\n"
            << "  --json FILE     of draw: the trace\n";
  for (const Parameter* parameter : info.parameters) {
    std::string name = "--" + std::string(parameter->name);
    name.resize(std::max<std::size_t>(name.size(), 15), ' ');
    std::cout << "  " << name << " " << parameter->help << ": " << parameter->range() << "\n";
  }
}

class Command {
 public:
  Command(const Algorithm& algorithm, Options options)
      : algorithm_(&algorithm), options_(std::move(options)) {}

  int run() const {
    const sim::Plan plan = this->plan(5);
    const sim::Report report = algorithm_->run(plan, nullptr, options_.layers());
    const Info& info = algorithm_->info(options_.layers());
    std::cout << text_of(info, plan, report);
    return report.broken(info.promises) == nullptr ? exit_ok : exit_broken;
  }

  int measure() const {
    const Setup setup = algorithm_->setup(options_.size_or(5), options_.parameters);
    const std::vector<Measured> all = algorithm_->measure(setup, options_.seed);
    std::cout << algorithm_->info().name << ", " << setup.size << " processes\n" << text_of(all);
    const bool agrees =
        std::all_of(all.begin(), all.end(), [](const Measured& one) { return one.agrees; });
    std::cout << (agrees ? "every measured value agrees with theory\n"
                         : "measured values differ from theory\n");
    return agrees ? exit_ok : exit_broken;
  }

  int check() const {
    const Layers layers = options_.layers();
    const check::Bounds bounds =
        algorithm_->bounds(options_.size_or(3), options_.parameters, layers);
    const check::Report report = algorithm_->check(bounds, {}, layers);
    std::cout << text_of(algorithm_->info(layers), bounds, report);
    if (const check::Finding* broken = report.broken()) {
      const Trace trace = algorithm_->trace_of(*broken, bounds, layers);
      std::cout << "\nHow it came about:\n\n" << diagram(trace);
      write_pictures(trace);
      return exit_broken;
    }
    return report.is_exhausted() ? exit_ok : exit_undecided;
  }

  int draw() const {
    Trace trace;
    const sim::Report report = algorithm_->run(plan(3), &trace, options_.layers());
    write_pictures(trace);
    if (options_.svg.empty() && options_.json.empty()) std::cout << diagram(trace);
    const Promises promises = algorithm_->info(options_.layers()).promises;
    return report.broken(promises) == nullptr ? exit_ok : exit_broken;
  }

 private:
  sim::Plan plan(std::uint32_t size) const {
    sim::Plan plan;
    plan.setup = algorithm_->setup(options_.size_or(size), options_.parameters);
    plan.seed = options_.seed;
    if (options_.entries > 0) {
      plan.workload.kind = sim::Workload::Kind::closed;
      plan.workload.entries = options_.entries;
    }
    return plan;
  }

  void write_pictures(const Trace& trace) const {
    if (!options_.svg.empty()) write_file(options_.svg, svg(trace));
    if (!options_.json.empty()) write_file(options_.json, json_lines(trace));
  }

  const Algorithm* algorithm_;
  Options options_;
};

}  // namespace

int Algorithm::command_line(int argc, const char* const* argv) const {
  for (const Parameter* parameter : info().parameters) {
    if (!is_own(parameter->name)) continue;
    throw std::logic_error(std::string(info().name) + ": the command line has an option --" +
                           std::string(parameter->name) + "; give the parameter another name");
  }
  const std::string program = argc > 0 ? argv[0] : std::string(info().name);
  try {
    const std::span words(argv, static_cast<std::size_t>(std::max(argc, 1)));
    Options options = Reading(info(), words.subspan(1)).options();
    const std::string command = options.command;
    const Command chosen(*this, std::move(options));
    if (command == "run") return chosen.run();
    if (command == "measure") return chosen.measure();
    if (command == "check") return chosen.check();
    if (command == "draw") return chosen.draw();
    print_help(info(), program);
    return exit_ok;
  } catch (const Refused& refused) {
    std::cerr << program << ": " << refused.what() << "\n";
    return exit_usage;
  }
}

}  // namespace baton::lab
