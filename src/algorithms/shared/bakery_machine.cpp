#include "algorithms/shared/bakery_machine.h"

#include <algorithm>
#include <utility>

namespace baton {

BakeryMachine::BakeryMachine(std::uint32_t processes, Options options) : options_(options) {
  state_.processes.resize(processes);
  state_.choosing.resize(processes);
  state_.num.resize(processes);
}

Section BakeryMachine::section(NodeId process) const {
  switch (at(process).at) {
    case Step::noncritical:
      return Section::outside;
    case Step::raising:
    case Step::look:
    case Step::draw:
    case Step::drawing:
    case Step::lower:
    case Step::lowering:
      return Section::doorway;
    case Step::await_choosing:
    case Step::await_number:
      return Section::waiting;
    case Step::critical:
      return Section::inside;
    case Step::discarding:
      break;
  }
  return Section::leaving;
}

bool BakeryMachine::enabled(NodeId process) const {
  return at(process).at != Step::noncritical || !bakery_is_closed();
}

std::uint32_t BakeryMachine::choices(NodeId process) const {
  const Process& p = at(process);
  const bool reads_num = p.at == Step::look || p.at == Step::await_number;
  if (reads_num && is_written_num(p.other)) return options_.last_ticket.value + 1;
  if (p.at == Step::await_choosing && is_written_choosing(p.other)) return 2;
  return 1;
}

void BakeryMachine::step(NodeId process, std::uint32_t choice) {
  begin_or_end(process, choice);
  // An atomic write ends in the step in which it begins.
  const bool writing = is_written_choosing(process) || is_written_num(process);
  if (writing && options_.registers == Registers::atomic) begin_or_end(process, 0);
}

void BakeryMachine::begin_or_end(NodeId process, std::uint32_t choice) {
  Process& p = at(process);
  const std::uint32_t i = process.value;
  switch (p.at) {
    case Step::noncritical:
      state_.choosing[i] = true;
      p.at = Step::raising;
      break;
    case Step::raising:
      begin_looking(process);
      break;
    case Step::look:
      p.maximum = std::max(p.maximum, read_num(p.other, choice));
      look_at(process, p.other.value + 1);
      break;
    case Step::draw:
      if (turns_back(process)) {
        state_.choosing[i] = false;
        p.at = Step::lowering;
      } else {
        state_.num[i] = {p.maximum.value + 1};
        p.at = Step::drawing;
      }
      p.maximum = {};
      break;
    case Step::drawing:
      p.at = Step::lower;
      break;
    case Step::lower:
      state_.choosing[i] = false;
      p.at = Step::lowering;
      break;
    case Step::lowering:
      leave_doorway(process);
      break;
    case Step::await_choosing:
      if (!read_choosing(p.other, choice)) p.at = Step::await_number;
      break;
    case Step::await_number: {
      const Ticket theirs = read_num(p.other, choice);
      const bool they_go_first =
          theirs != Ticket{} && std::pair(theirs, p.other) < std::pair(state_.num[i], process);
      if (!they_go_first) wait_for(process, p.other.value + 1);
      break;
    }
    case Step::critical:
      state_.num[i] = {};
      p.at = Step::discarding;
      break;
    case Step::discarding:
      p.at = Step::noncritical;
      break;
  }
}

void BakeryMachine::begin_looking(NodeId process) { look_at(process, 0); }

void BakeryMachine::leave_doorway(NodeId process) {
  if (state_.num[process.value] == Ticket{}) {
    at(process).at = Step::noncritical;
  } else {
    wait_for(process, 0);
  }
}

void BakeryMachine::look_at(NodeId process, std::uint32_t from) {
  const NodeId other = next_other(process, from);
  Process& p = at(process);
  p.at = other == nobody ? Step::draw : Step::look;
  p.other = other == nobody ? NodeId{0} : other;
}

void BakeryMachine::wait_for(NodeId process, std::uint32_t from) {
  const NodeId other = next_other(process, from);
  Process& p = at(process);
  p.at = other == nobody ? Step::critical : Step::await_choosing;
  p.other = other == nobody ? NodeId{0} : other;
}

NodeId BakeryMachine::next_other(NodeId process, std::uint32_t from) const {
  if (from == process.value) ++from;
  return from < size() ? NodeId{from} : nobody;
}

bool BakeryMachine::is_written_choosing(NodeId owner) const {
  return at(owner).at == Step::raising || at(owner).at == Step::lowering;
}

bool BakeryMachine::is_written_num(NodeId owner) const {
  return at(owner).at == Step::drawing || at(owner).at == Step::discarding;
}

bool BakeryMachine::read_choosing(NodeId owner, std::uint32_t choice) const {
  return is_written_choosing(owner) ? choice == 1 : state_.choosing[owner.value];
}

Ticket BakeryMachine::read_num(NodeId owner, std::uint32_t choice) const {
  return is_written_num(owner) ? Ticket{choice} : state_.num[owner.value];
}

bool BakeryMachine::bakery_is_closed() const {
  return std::find(state_.num.begin(), state_.num.end(), options_.last_ticket) != state_.num.end();
}

bool BakeryMachine::turns_back(NodeId process) const {
  return at(process).maximum >= options_.last_ticket;
}

std::string BakeryMachine::next_step(NodeId process) const {
  const Process& p = at(process);
  const auto of = [](const char* name, NodeId owner) {
    return name + ('[' + std::to_string(owner.value) + ']');
  };
  const bool atomic = options_.registers == Registers::atomic;
  const auto begins = [&](const std::string& write) { return atomic ? write : write + " begins"; };
  const std::string choosing = of("choosing", process);
  const std::string num = of("num", process);
  const std::string mine = std::to_string(state_.num[process.value].value);
  switch (p.at) {
    case Step::noncritical:
      return begins(choosing + " := true");
    case Step::raising:
      return choosing + " := true ends";
    case Step::look:
    case Step::await_number:
      return "reads " + of("num", p.other);
    case Step::draw:
      if (turns_back(process)) return "turns back";
      return begins(num + " := " + std::to_string(p.maximum.value + 1));
    case Step::drawing:
      return num + " := " + mine + " ends";
    case Step::lower:
      return begins(choosing + " := false");
    case Step::lowering:
      return choosing + " := false ends";
    case Step::await_choosing:
      return "reads " + of("choosing", p.other);
    case Step::critical:
      return begins(num + " := 0");
    case Step::discarding:
      break;
  }
  return num + " := 0 ends";
}

const Info& BakeryMachine::info() {
  static const Info info{
      .name = "bakery",
      .title = "Lamport's bakery",
      .publication = "Lamport, CACM 17(8), 1974",
      .idea =
          "take a ticket larger than all you see, and wait for the smaller ones: first come, "
          "first served from the doorway, even over registers that are not atomic",
      .kind = Kind::shared_memory,
      .assumes = {},
      .promises = {Promise::safety, Promise::deadlock_freedom, Promise::starvation_freedom,
                   Promise::order},
      .problem = "tickets grow while somebody is in the bakery",
      .example = "-n 2 --entries 2",
      .checked = {{.what = "3 processes"},
                  {.options = "-n 2", .what = "2 processes"},
                  {.options = "--atomic", .what = "3 processes, atomic"}},
  };
  return info;
}

}  // namespace baton
