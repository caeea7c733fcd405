#include "algorithms/shared/dijkstra_machine.h"

namespace baton {

DijkstraMachine::DijkstraMachine(std::uint32_t processes, Options options) {
  state_.processes.resize(processes);
  state_.b.resize(processes, true);
  state_.c.resize(processes, true);
  state_.k = options.k;
}

Section DijkstraMachine::section(NodeId process) const {
  switch (at(process).at) {
    case Step::noncritical:
      return Section::outside;
    case Step::critical:
      return Section::inside;
    case Step::finish:
      return Section::leaving;
    default:
      return Section::waiting;
  }
}

void DijkstraMachine::step(NodeId process, std::uint32_t) {
  const Process p = at(process);
  const std::uint32_t i = process.value;
  switch (p.at) {
    case Step::noncritical:
      state_.b[i] = false;
      go_to(process, Step::read_turn);
      break;
    case Step::read_turn:
      go_to(process, state_.k == process ? Step::claim : Step::withdraw);
      break;
    case Step::withdraw:
      state_.c[i] = true;
      go_to(process, Step::ask_who);
      break;
    case Step::ask_who:
      go_to(process, Step::ask_whether, state_.k);
      break;
    case Step::ask_whether:
      go_to(process, state_.b[p.other.value] ? Step::take_turn : Step::read_turn);
      break;
    case Step::take_turn:
      state_.k = process;
      go_to(process, Step::read_turn);
      break;
    case Step::claim:
      state_.c[i] = false;
      check_from(process, 0);
      break;
    case Step::check:
      if (state_.c[p.other.value]) {
        check_from(process, p.other.value + 1);
      } else {
        go_to(process, Step::read_turn);
      }
      break;
    case Step::critical:
      state_.c[i] = true;
      go_to(process, Step::finish);
      break;
    case Step::finish:
      state_.b[i] = true;
      go_to(process, Step::noncritical);
      break;
  }
}

void DijkstraMachine::go_to(NodeId process, Step step, NodeId other) {
  at(process) = {step, other};
}

void DijkstraMachine::check_from(NodeId process, std::uint32_t from) {
  if (from == process.value) ++from;
  if (from < size()) {
    go_to(process, Step::check, NodeId{from});
  } else {
    go_to(process, Step::critical);
  }
}

std::string DijkstraMachine::next_step(NodeId process) const {
  const Process& p = at(process);
  const auto of = [](const char* name, NodeId owner) {
    return name + ('[' + std::to_string(owner.value) + ']');
  };
  switch (p.at) {
    case Step::noncritical:
      return of("b", process) + " := false";
    case Step::read_turn:
    case Step::ask_who:
      return "reads k";
    case Step::withdraw:
    case Step::critical:
      return of("c", process) + " := true";
    case Step::ask_whether:
      return "reads " + of("b", p.other);
    case Step::take_turn:
      return "k := " + std::to_string(process.value);
    case Step::claim:
      return of("c", process) + " := false";
    case Step::check:
      return "reads " + of("c", p.other);
    case Step::finish:
      break;
  }
  return of("b", process) + " := true";
}

const Info& DijkstraMachine::info() {
  static const Info info{
      .name = "dijkstra",
      .title = "Dijkstra 1965",
      .publication = "Dijkstra, CACM 8(9), 1965",
      .idea =
          "take the turn from whoever wants nothing, claim the critical section, and enter if "
          "no other claims it",
      .kind = Kind::shared_memory,
      .assumes = {},
      .promises = {Promise::safety, Promise::deadlock_freedom},
      .problem = "starvation",
      .example = "-n 2 --entries 2",
      .checked = {{.what = "3 processes"}, {.options = "-n 2", .what = "2 processes"}},
  };
  return info;
}

}  // namespace baton
