// Two cash machines and one account: what is paid in at one of them is lost, or what is paid out is
// still there, because both have read the balance before either has written it.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <utility>

#include "cli/common/arguments.h"
#include "cli/common/terminal.h"
#include "cli/common/text.h"
#include "cli/network/cash_machine.h"
#include "cli/network/demos.h"
#include "cli/network/together.h"
#include "cli/service/demo.h"
#include "peers/net/group_file.h"

namespace baton::cli {

namespace {

constexpr std::int64_t opening_balance = 1000;

struct BankOptions {
  std::uint32_t processes = 2;
  std::uint64_t transactions = 1000;
  std::string algorithm{net::default_algorithm};
};

std::string money(std::int64_t amount) {
  return (amount < 0 ? "-" : "") + grouped(static_cast<std::uint64_t>(std::abs(amount)));
}

// A day of business, as the machines remember it.
struct Books {
  std::vector<Transaction> transactions;  // in the order in which balances were read
  std::int64_t balance = 0;               // of the account in the end
  double seconds = 0;

  std::int64_t paid_in() const { return sum_of(true); }
  std::int64_t paid_out() const { return -sum_of(false); }
  std::int64_t should_be() const { return opening_balance + paid_in() - paid_out(); }
  // Made from nothing; below 0: lost.
  std::int64_t surplus() const { return balance - should_be(); }

 private:
  std::int64_t sum_of(bool paid_in) const {
    std::int64_t sum = 0;
    for (const Transaction& one : transactions) sum += (one.amount > 0) == paid_in ? one.amount : 0;
    return sum;
  }
};

// Two that read the same balance, and whose second writer undid the first: the first such case of
// which the clock leaves no doubt.
struct Mishap {
  Transaction undone;
  Transaction last;
};

bool is_undone_by(const Transaction& first, const Transaction& last) {
  return first.found == last.found && last.read_ns < first.writing_ns &&
         first.written_ns < last.writing_ns;
}

std::optional<Mishap> first_mishap(const Books& books) {
  const auto& all = books.transactions;
  for (auto one = all.begin(); one != all.end(); ++one) {
    for (auto other = one + 1; other != all.end() && other->read_ns < one->writing_ns; ++other) {
      if (is_undone_by(*one, *other)) return Mishap{*one, *other};
      if (is_undone_by(*other, *one)) return Mishap{*other, *one};
    }
  }
  return std::nullopt;
}

class BankDemo {
 public:
  explicit BankDemo(const BankOptions& options) : options_(options) {}

  int run() {
    ProcessGroup group({.size = options_.processes, .algorithm = options_.algorithm});
    const DemoFolder folder;
    std::cout << explained(fmt::format(
                     "{} cash machines share an account with a balance of {}. {} times in all, a "
                     "machine reads the balance, counts notes, and writes the new balance.",
                     options_.processes, money(opening_balance), grouped(options_.transactions)))
              << "\n";

    const Books without = business(group, folder.file("without"), "-");
    std::cout << "Without a lock:\n\n";
    if (const auto mishap = first_mishap(without)) tell(*mishap, without);
    close(without);

    const Books with = business(group, folder.file("with"), "account");
    std::cout << fmt::format("\nWith {} between them, and no server:\n\n", options_.algorithm);
    close(with);
    return with.surplus() == 0 ? exit_ok : exit_violation;
  }

 private:
  Books business(ProcessGroup& group, const std::string& account, const std::string& lock) const {
    SharedNumber::create(account, opening_balance);
    Books books;
    const auto note = [&](NodeId machine, const std::string& word, const std::string& rest) {
      if (word == "did") books.transactions.push_back(parse_transaction(machine, rest));
    };
    books.seconds =
        work_together(
            group, {.verb = "bank", .path = account, .lock = lock, .times = options_.transactions},
            note)
            .seconds;
    books.balance = SharedNumber(account).read();
    std::sort(books.transactions.begin(), books.transactions.end(),
              [](const Transaction& a, const Transaction& b) { return a.read_ns < b.read_ns; });
    return books;
  }

  static void tell(const Mishap& mishap, const Books& books) {
    const std::int64_t opening = books.transactions.front().read_ns;
    const auto line = [&](std::int64_t at_ns, const Transaction& one, const std::string& what) {
      std::cout << fmt::format("{:8.3f} ms  machine {} {}\n",
                               static_cast<double>(at_ns - opening) / 1e6, one.machine.value + 1,
                               what);
    };
    const auto [early, late] = std::minmax(
        mishap.undone, mishap.last,
        [](const Transaction& a, const Transaction& b) { return a.read_ns < b.read_ns; });
    for (const Transaction& one : {early, late}) {
      line(one.read_ns, one, "reads " + money(one.found));
    }
    for (const Transaction& one : {mishap.undone, mishap.last}) {
      line(one.written_ns, one,
           fmt::format("{} {}, and writes {}", one.amount > 0 ? "takes in" : "pays out",
                       money(std::abs(one.amount)), money(one.left())));
    }
    const std::int64_t amount = mishap.undone.amount;
    const std::string what =
        amount > 0 ? fmt::format("the {} that were paid in are gone", money(amount))
                   : fmt::format("the {} that were paid out are still there", money(-amount));
    const std::string indent(13, ' ');
    std::cout << indent
              << filled(fmt::format("{}: machine {} knew nothing of it", what,
                                    mishap.last.machine.value + 1),
                        table_width(), indent.size())
              << "\n\n";
  }

  static void close(const Books& books) {
    std::cout << fmt::format("  {} paid in, {} paid out: the account should have {}, and has {}\n",
                             money(books.paid_in()), money(books.paid_out()),
                             money(books.should_be()), money(books.balance));
    const std::int64_t surplus = books.surplus();
    std::cout << (surplus == 0  ? "  The books balance.\n"
                  : surplus < 0 ? fmt::format("  {} are lost.\n", money(-surplus))
                                : fmt::format("  {} are made from nothing.\n", money(surplus)))
              << std::flush;
  }

  BankOptions options_;
};

}  // namespace

void add_demo_bank(Command& demo, Action& action) {
  Command& command = add_story(
      demo, "bank",
      "Cash machines share an account: without a lock, money is lost or made\n\n"
      "The machines are real processes, without a server. The demo shows how the money was lost in "
      "this run.");
  command.example("baton demo bank")
      .example("baton demo bank --processes 4 --algorithm token-ring");
  const auto options = std::make_shared<BankOptions>();
  command.add_option("--processes", options->processes, "Number of machines")
      .whole_number(2, net::most_members)
      .type_name("N")
      .show_default();
  command
      .add_option("--transactions", options->transactions, "Transactions of all machines together")
      .whole_number(2, 1'000'000)
      .type_name("N")
      .show_default();
  command.add_option("--algorithm", options->algorithm, "Algorithm that lets them in one at a time")
      .type_name("NAME")
      .show_default();
  command.footer("Exit code 1: money was lost or made although there was a lock.");
  command.callback([options, &action] {
    action = group_action([options] { return BankDemo(*options).run(); });
  });
}

}  // namespace baton::cli
