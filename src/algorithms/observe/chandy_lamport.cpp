#include "algorithms/observe/chandy_lamport.h"

namespace baton {

const Info& ChandyLamport::info() {
  static const Info info{
      .name = "chandy-lamport",
      .title = "Chandy–Lamport snapshot of a bank",
      .publication = "Chandy and Lamport, ACM TOCS 3(1), 1985",
      .idea =
          "record, then send a marker on every channel; what comes before a channel's marker "
          "was under way",
      .kind = Kind::observation,
      .assumes = reliable_fifo_channels,
      .promises = {Promise::consistency},
      .problem = "channels that are not FIFO",
      .costs = {{Scenario::alone, Metric::messages, "N(N-1) markers + N-1 pieces",
                 [](const Case& c) {
                   const double size = c.setup.size;
                   return Expected::exactly(size * (size - 1) + size - 1);
                 }}},
      .parameters = {&Bank::transfers, &Bank::largest_transfer},
      .traps = {{.options = "--reorder",
                 .what = "over channels that are not FIFO, money is counted twice or not at all"}},
  };
  return info;
}

void WrongChandyLamportNoChannels::receive(NodeId from, const Message& message, Out& out) {
  if (const auto* transfer = std::get_if<Bank::Transfer>(&message)) {
    let_observed(out, [&](Bank& bank, auto& box) { bank.receive(from, *transfer, box); });
  } else {
    ChandyLamport::receive(from, message, out);
  }
}

const Info& WrongChandyLamportNoChannels::info() {
  static const Info info = [] {
    Info wrong = variant_of(ChandyLamport::info());
    wrong.name = "wrong-chandy-lamport-no-channels";
    wrong.title = "Chandy–Lamport without the channels";
    wrong.idea = "record, then send a marker on every channel; the states make the whole";
    wrong.flaws = {{Promise::consistency,
                    {},
                    "what was under way when the states were recorded is missing from the whole"}};
    return wrong;
  }();
  return info;
}

}  // namespace baton
