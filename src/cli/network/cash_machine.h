// A cash machine: reads the balance of the one account, pays in or out, and writes the new balance.
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "cli/network/shared_number.h"
#include "core/ids.h"

namespace baton::cli {

// What a machine did, and when, by the clock that all processes of the host have in common.
struct Transaction {
  NodeId machine;
  std::int64_t found = 0;   // the balance
  std::int64_t amount = 0;  // paid in; below 0: paid out
  // Had read, was about to write, had written: what lies in between is certain.
  std::int64_t read_ns = 0;
  std::int64_t writing_ns = 0;
  std::int64_t written_ns = 0;

  std::int64_t left() const { return found + amount; }
};

// As members tell it to their controller.
std::string to_line(const Transaction& transaction);
Transaction parse_transaction(NodeId machine, const std::string& line);

class CashMachine {
 public:
  CashMachine(NodeId self, const std::string& account);

  void look_up();
  Transaction settle();

 private:
  SharedNumber account_;
  std::minstd_rand customers_;
  Transaction now_;
};

}  // namespace baton::cli
