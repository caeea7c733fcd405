#include "cli/network/cash_machine.h"

#include <chrono>
#include <sstream>

namespace baton::cli {

namespace {

std::int64_t now_ns() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

}  // namespace

std::string to_line(const Transaction& transaction) {
  std::ostringstream words;
  words << transaction.found << " " << transaction.amount << " " << transaction.read_ns << " "
        << transaction.writing_ns << " " << transaction.written_ns;
  return words.str();
}

Transaction parse_transaction(NodeId machine, const std::string& line) {
  Transaction transaction{.machine = machine};
  std::istringstream words(line);
  words >> transaction.found >> transaction.amount >> transaction.read_ns >>
      transaction.writing_ns >> transaction.written_ns;
  return transaction;
}

CashMachine::CashMachine(NodeId self, const std::string& account)
    : account_(account), customers_(self.value + 1), now_{.machine = self} {}

// The first customers pay in, as in the Chubby Slides. So does who wants more than there is.
void CashMachine::look_up() {
  now_.found = account_.read();
  now_.read_ns = now_ns();
  const bool is_first = now_.writing_ns == 0;
  const auto notes = static_cast<std::int64_t>(customers_() % 499) + 1;
  const bool pays_in = is_first || customers_() % 2 == 0 || notes > now_.found;
  now_.amount = pays_in ? notes : -notes;
}

Transaction CashMachine::settle() {
  now_.writing_ns = now_ns();
  account_.write(now_.left());
  now_.written_ns = now_ns();
  return now_;
}

}  // namespace baton::cli
