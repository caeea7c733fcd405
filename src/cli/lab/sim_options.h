// The options of `baton sim`, and the plan that they describe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/lab/group_options.h"
#include "cli/lab/resource_options.h"
#include "core/info.h"
#include "lab/sim/catalog.h"
#include "lab/sim/plan.h"

namespace baton::cli {

class Command;

struct SimOptions {
  std::vector<std::string> given;  // the options that were typed, by their long names
  // They come from a file, which may name parameters of other algorithms.
  bool is_of_a_file = false;

  std::string algorithm;
  std::string replay;  // the file of a schedule
  std::string processes = "5";
  GroupOptions group;
  ResourceOptions several;
  std::uint64_t seed = 1;
  std::uint64_t seeds = 1;

  std::string workload;
  std::uint64_t entries = 0;
  std::uint32_t requesters = 0;
  std::string first;
  double at = 0;
  double think = 10;
  double rate = 0.1;
  double critical_section = 1;
  double send_cost = 0;

  bool reliable = false;
  bool resilient = false;
  std::string omission;
  std::uint32_t servers = 1;

  std::string delay = "constant";
  bool reorder = false;
  double loss = 0;
  double duplicate = 0;
  std::vector<std::string> crashes;
  std::vector<std::string> quits;
  std::vector<std::string> recoveries;
  std::vector<std::string> partitions;
  std::vector<std::string> heals;
  std::vector<std::string> suspicions;
  std::vector<std::string> trusts;
  std::vector<std::string> pauses;
  std::vector<std::string> resumptions;
  std::vector<std::string> joins;
  std::vector<std::string> cuts;
  std::vector<std::string> mendings;
  std::vector<std::string> slow;
  double detection = in_message_times(sim::usual_detection);
  double timeout = 0;
  std::vector<std::string> allowed;
  std::vector<std::string> demanded;
  double until = 0;
  double progress_bound = 0;
  std::uint64_t starvation_bound = 0;

  std::string trace;  // "", diagram, json, shiviz, chrome
  std::string output;
  std::string svg;
  std::vector<std::string> names;
  bool ascii = false;
  bool json = false;

  void add_to(Command& command);
  // Of these, those that say what is drawn, and where it is written.
  void add_drawing_to(Command& command);
  // To be called when the command line has been read.
  void note_given(const Command& command);

  bool was_given(std::string_view option) const;

  sim::Layers layers() const;
  // What is judged whether promised or not, or UsageError.
  Promises demands() const;
  // Throws UsageError for a plan that cannot be, or that the algorithm cannot take.
  sim::Plan plan(const Info& info) const;

 private:
  void add_workload_to(Command& command);
  void add_layers_to(Command& command);
  void add_network_to(Command& command);
  void add_faults_to(Command& command);
  void add_judgement_to(Command& command);

  sim::Workload workload_for(const Info& info, std::uint32_t size) const;
  void plan_faults(sim::Plan& plan, const Info& info) const;
  void plan_judgement(sim::Plan& plan) const;
  void check_names(std::uint32_t size) const;
};

// The rule of the resilient layer of that name, or UsageError.
Omission omission_named(const std::string& typed);
std::vector<std::string> omission_names();
// The promise of that name, or UsageError.
Promise promise_named(const std::string& typed);
std::vector<std::string> promise_names();
// What --allow takes: "loss", "crash".
std::vector<std::string> breakable_assumption_names();

}  // namespace baton::cli
