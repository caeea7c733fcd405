#include "cli/network/network_measurement.h"

#include <algorithm>
#include <sstream>
#include <thread>

#include "cli/network/echo.h"
#include "cli/network/process_group.h"

namespace baton::cli {

namespace {

// Length, kind, confirmation, and the message's length: docs/formats/peers.md.
constexpr std::uint64_t frame_overhead = 8;

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

class Controller {
 public:
  explicit Controller(const NetworkMeasurementPlan& plan)
      : plan_(plan),
        group_({.size = plan.size, .algorithm = plan.algorithm}),
        before_(before_of(plan.size)),
        requester_(requester_of(plan.size)) {}

  NetworkMeasurement measure_network() {
    for (int round = 0; round < plan_.rounds; ++round) {
      alone(round);
      if (!plan_.is_perpetual) again(round);
      handover(round);
    }
    if (plan_.is_determined) {
      for (int round = 0; round < 3; ++round) everyone(round);
    }
    in_a_loop();
    saturated();
    found_.client_delay_us = median(client_delays_us_);
    found_.sync_delay_us = median(sync_delays_us_);
    return std::move(found_);
  }

 private:
  struct Grant {
    NodeId whom;
    double waited_us = 0;
    double at_us = 0;
  };

  // An algorithm keeps what it knows of a name, so that each round has a name of its own; but the
  // token of one that never falls silent would travel for every name.
  std::string name(const std::string& scenario, int round) const {
    return plan_.is_perpetual ? "ring" : scenario + std::to_string(round);
  }

  void settle() {
    if (plan_.is_perpetual || !plan_.is_determined) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    if (!plan_.is_perpetual && (plan_.is_determined || !is_contended_)) group_.wait_until_quiet();
  }

  static Grant parse(NodeId whom, const std::string& line) {
    std::istringstream words(line);
    std::string name;
    double waited = 0;
    double at = 0;
    words >> name >> waited >> at;
    return {whom, waited / 1e3, at / 1e3};
  }

  // Returns when that was.
  double leave(NodeId whom, const std::string& name) {
    group_.tell(whom, "leave " + name);
    std::istringstream words(group_.hear(whom, "left"));
    std::string left;
    double at = 0;
    words >> left >> at;
    return at / 1e3;
  }

  Grant hear_grant(NodeId whom) { return parse(whom, group_.hear(whom, "granted")); }

  // Of whoever it is.
  Grant hear_next_grant() {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    NodeId whom;
    std::string line;
    while (std::chrono::steady_clock::now() < end) {
      if (!group_.hear_any(whom, line, std::chrono::seconds(1))) continue;
      if (line.starts_with("problem ")) throw ProcessGroupError(line.substr(8));
      if (line.starts_with("granted ")) return parse(whom, line.substr(8));
    }
    throw ProcessGroupError("nobody is let in");
  }

  void request(NodeId whom, const std::string& name) { group_.tell(whom, "request " + name); }
  void release(NodeId whom, const std::string& name) { group_.tell(whom, "release " + name); }

  // Enters and leaves, and all is quiet again.
  Grant turn(NodeId whom, const std::string& name) {
    request(whom, name);
    const Grant grant = hear_grant(whom);
    release(whom, name);
    settle();
    return grant;
  }

  void mark() { marked_ = group_.counters(); }
  void count(std::vector<WireCount>& into) {
    if (plan_.is_perpetual) return;
    const MessageCounters now = group_.counters();
    into.push_back({now.enter - marked_.enter, now.exit - marked_.exit});
  }

  void alone(int round) {
    const std::string lock = name("alone", round);
    turn(before_, lock);
    mark();
    client_delays_us_.push_back(turn(requester_, lock).waited_us);
    count(found_.alone);
  }

  void again(int round) {
    const std::string lock = name("again", round);
    turn(requester_, lock);
    mark();
    turn(requester_, lock);
    count(found_.again);
  }

  void handover(int round) {
    const std::string lock = name("handover", round);
    mark();
    request(before_, lock);
    hear_grant(before_);
    settle();
    is_contended_ = true;
    request(requester_, lock);
    settle();
    const double left_us = leave(before_, lock);
    sync_delays_us_.push_back(hear_grant(requester_).at_us - left_us);
    is_contended_ = false;
    release(requester_, lock);
    settle();
    if (plan_.is_determined) count(found_.handover);
  }

  void everyone(int round) {
    const std::string lock = name("everyone", round);
    mark();
    for (std::uint32_t i = 0; i < plan_.size; ++i) {
      request({i}, lock);
      settle();
    }
    for (std::uint32_t i = 0; i < plan_.size; ++i) {
      const NodeId whom = hear_next_grant().whom;
      release(whom, lock);
      settle();
    }
    count(found_.everyone);
  }

  void in_a_loop() {
    group_.tell(requester_, "enter " + name("loop", 0) + " " + std::to_string(plan_.seconds));
    found_.acquire_us = parse_work(group_.hear(requester_, "counted")).median_wait_us;
  }

  void saturated() {
    const MessageCounters before = group_.counters();
    const auto began = std::chrono::steady_clock::now();
    group_.tell_all("enter " + name("saturated", 0) + " " + std::to_string(plan_.seconds));
    double longest = 0;
    std::uint64_t in_a_row = 0;
    for (std::uint32_t i = 0; i < plan_.size; ++i) {
      const WorkResult work = parse_work(group_.hear({i}, "counted"));
      found_.entries += work.done;
      in_a_row += work.in_a_row;
      longest = std::max(longest, work.seconds);
    }
    const MessageCounters after = group_.counters();
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - began;
    const auto entries = static_cast<double>(std::max<std::uint64_t>(found_.entries, 1));
    const std::uint64_t messages = after.of_algorithm() - before.of_algorithm();
    found_.entries_per_s = entries / longest;
    found_.hand_offs_per_s = (entries - static_cast<double>(in_a_row)) / longest;
    found_.messages_per_entry = static_cast<double>(messages) / entries;
    found_.upkeep_per_s = static_cast<double>(after.upkeep - before.upkeep) / passed.count();
    found_.frame_bytes = after.bytes / std::max<std::uint64_t>(after.sent, 1) + frame_overhead;
  }

  const NetworkMeasurementPlan& plan_;
  ProcessGroup group_;
  NodeId before_;
  NodeId requester_;
  bool is_contended_ = false;
  MessageCounters marked_;
  std::vector<double> client_delays_us_;
  std::vector<double> sync_delays_us_;
  NetworkMeasurement found_;
};

}  // namespace

NetworkMeasurement measure_network(const NetworkMeasurementPlan& plan) {
  // The group is gone before the echo is measured.
  NetworkMeasurement found = Controller(plan).measure_network();
  found.echo_us = echo_us(found.frame_bytes, std::chrono::milliseconds(200));
  return found;
}

}  // namespace baton::cli
