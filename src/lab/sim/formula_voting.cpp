#include <algorithm>
#include <array>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/mutex/majority_voting.h"
#include "lab/sim/formulas.h"
#include "lab/sim/random.h"
#include "lab/sim/sample.h"

namespace baton::sim {

namespace {

constexpr std::uint64_t votes = 40'000;

// The lectures have a coordinator beside each process, which may crash while the process goes on.
// Here coordinators and processes are instances of the algorithm's own class: coordinators get the
// messages to coordinators, and the two asking processes get the rest.
class Election : private Chooser {
 public:
  // The second process asks `second_asks` of the n.
  Election(std::uint32_t n, std::uint32_t m, std::uint32_t first_asks, std::uint32_t second_asks)
      : first_setup_(default_setup(n)), second_setup_(default_setup(n)) {
    first_setup_.choose(MajorityVoting::votes, m);
    second_setup_.choose(MajorityVoting::votes, m);
    first_setup_.choose(MajorityVoting::ask, first_asks);
    second_setup_.choose(MajorityVoting::ask, second_asks);
  }

  // True if both processes entered.
  bool is_violated(double p, Random& random) {
    const std::uint32_t n = first_setup_.size;
    const NodeId first{static_cast<std::uint32_t>(random.below(n))};
    const NodeId second{static_cast<std::uint32_t>((first.value + 1 + random.below(n - 1)) % n)};
    coordinators_.clear();
    for (std::uint32_t i = 0; i < n; ++i) coordinators_.emplace_back(NodeId{i}, first_setup_);
    const bool first_inside = ask(first, first_setup_);
    for (std::uint32_t i = 0; i < n; ++i) {
      // The coordinator forgets its vote.
      if (random.chance(p)) coordinators_[i] = MajorityVoting({i}, first_setup_);
    }
    return ask(second, second_setup_) && first_inside;
  }

 private:
  std::uint32_t choose(std::uint32_t) override { return 0; }

  // One attempt: requests, answers, and votes given back if they were not enough.
  bool ask(NodeId self, const Setup& setup) {
    MajorityVoting process(self, setup);
    OutboxOf<MajorityVoting> asking(*this);
    OutboxOf<MajorityVoting> answering(*this);
    process.request(asking);
    bool inside = false;
    while (!asking.sends().empty()) {
      for (const auto& send : asking.sends()) {
        coordinators_[send.to.value].receive(self, asking.message(send), answering);
        // Only this place knows who sent an answer, so each answer is taken at once.
        for (const auto& answer : answering.sends()) {
          answers_.emplace_back(send.to, answering.message(answer));
        }
        answering.clear();
      }
      asking.clear();
      for (; !answers_.empty(); answers_.pop_front()) {
        process.receive(answers_.front().first, answers_.front().second, asking);
      }
      inside = inside || !asking.events().empty();
    }
    return inside;
  }

  Setup first_setup_;
  Setup second_setup_;
  std::vector<MajorityVoting> coordinators_;
  std::deque<std::pair<NodeId, MajorityVoting::Message>> answers_;
};

FormulaCheck check_votes(std::string situation, std::string formula, double expected,
                         Election election, double p, std::uint64_t seed) {
  Random random(seed, 7);
  std::uint64_t violated = 0;
  for (std::uint64_t i = 0; i < votes; ++i) violated += election.is_violated(p, random) ? 1 : 0;
  return {std::move(situation), std::move(formula), expected,
          static_cast<double>(violated) / static_cast<double>(votes),
          Sample::half_width_of_proportion(expected, static_cast<double>(votes))};
}

}  // namespace

FormulaTopic check_majority_voting(std::uint64_t seed) {
  FormulaTopic topic{"majority-voting",
                     "Majority voting (Canonical Problems): the chance that a second process gets "
                     "in because each of the coordinators resets with probability p",
                     {}};
  struct Votes {
    std::uint32_t n;
    std::uint32_t m;
    double p;
  };
  for (const Votes& c :
       {Votes{5, 3, 0.1}, Votes{8, 5, 0.1}, Votes{8, 6, 0.3}, Votes{15, 10, 0.4}}) {
    const std::string of = "n = " + std::to_string(c.n) + ", m = " + std::to_string(c.m) +
                           ", p = " + std::to_string(c.p).substr(0, 3);
    topic.checks.push_back(check_votes(
        of + "; the first has m votes, the second asks all", "Σ C(m,k)p^k(1-p)^(m-k), k ≥ 2m-n",
        violation_asking_all(c.n, c.m, c.p), Election(c.n, c.m, c.m, c.n), c.p, seed));
    topic.checks.push_back(check_votes(of + "; both ask only m", "mean of p^(voters in common)",
                                       violation_asking_as_few(c.n, c.m, c.p),
                                       Election(c.n, c.m, c.m, c.m), c.p, seed));
    topic.checks.push_back(check_votes(of + "; both ask all", "Σ C(n,k)p^k(1-p)^(n-k), k ≥ m",
                                       at_least_reset(c.n, c.m, c.p), Election(c.n, c.m, c.n, c.n),
                                       c.p, seed));
  }
  return topic;
}

}  // namespace baton::sim
