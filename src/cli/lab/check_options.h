// The options of `baton check`, and the instance and search that they describe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/lab/sim_options.h"
#include "core/schedule.h"
#include "lab/check/bounds.h"
#include "lab/check/catalog.h"
#include "lab/check/report.h"

namespace baton::cli {

class Command;

// Of the lease protocol: those that --omit takes.
std::vector<std::string> lease_rule_names();

struct CheckCommandOptions {
  std::string algorithm;
  std::string processes = "3";
  GroupOptions group;

  std::string requests;  // a number, or "any"
  std::uint32_t requesters = 0;
  bool fifo = false;
  bool reorder = false;
  std::uint32_t losses = 0;
  std::uint32_t duplicates = 0;
  std::uint32_t crashes = 0;
  std::uint32_t quits = 0;
  std::uint32_t recoveries = 0;
  std::uint32_t suspicions = 0;
  std::uint32_t delays = 0;
  std::uint32_t pauses = 0;
  std::uint32_t cuts = 0;
  std::uint32_t drifts = 0;
  std::uint32_t faults = 0;
  std::uint32_t servers = 0;
  std::uint32_t under_way = 0;
  std::uint32_t time = 0;
  bool atomic = false;
  std::uint32_t tickets = 0;

  bool reliable = false;
  bool resilient = false;
  std::string omission;

  std::vector<std::string> demanded;
  bool no_liveness = false;
  bool all = false;

  bool no_canonical = false;
  bool no_symmetry = false;
  bool no_partial_order = false;
  unsigned threads = 0;
  std::string memory;
  std::uint64_t states = 0;
  std::uint32_t depth = 0;
  bool compact = false;

  std::string save;
  SimOptions drawing;  // of these, what is drawn, and where it is written
  bool json = false;

  CheckCommandOptions();
  void add_to(Command& command);
  // To be called when the command line has been read.
  void note_given(const Command& command);
  bool was_given(const std::string& option) const;
  // The same with the options of an instance that an algorithm names, which also say on which
  // layers it is.
  CheckCommandOptions with(const CheckedInstance& instance) const;

  Layers layers() const;
  // The instance of this algorithm, with as many processes as were asked for. Throws UsageError
  // where there is none.
  check::Bounds bounds(const check::Checkable& subject) const;
  check::Bounds bounds(const check::Checkable& subject, std::int64_t size) const;
  // The rule of the lease protocol that is to be left out.
  service::LeaseRule lease_rule() const;
  check::CheckOptions search(const Info& info) const;
  // What a schedule says of the group, for `baton sim --replay`.
  std::vector<std::string> arguments(const Info& info) const;

 private:
  void add_instance_to(Command& command);
  void add_faults_to(Command& command);
  void add_layers_to(Command& command);
  void add_properties_to(Command& command);
  void add_search_to(Command& command);

  Setup setup_for(const Info& info, std::int64_t size) const;
  void bound_requests(check::Bounds& bounds, bool is_lease) const;
  void refuse_what_does_not_go_with(bool is_lease) const;
  check::Bounds lease_bounds(const check::Checkable& subject) const;

  std::vector<std::string> given_;
  std::vector<std::string> of_group_;  // what was typed about the group
};

}  // namespace baton::cli
