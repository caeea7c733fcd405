// Reductions change how many states there are, and nothing else: with each of them and without, the
// verdicts on every algorithm and every wrong variant are the same.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/mutex/carvalho_roucairol.h"
#include "algorithms/mutex/lamport.h"
#include "algorithms/mutex/maekawa_sanders.h"
#include "algorithms/mutex/permission_ring.h"
#include "algorithms/mutex/ricart_agrawala.h"
#include "algorithms/mutex/suzuki_kasami.h"
#include "lab/check/catalog.h"
#include "lab/check/defaults.h"
#include "lab/check/explore.h"
#include "lab/check/group_worker.h"
#include "lab/check/number_set.h"
#include "lab/check/printed.h"
#include "lab/check/protocol_class.h"
#include "support/checked_instance.h"

namespace baton::check {
namespace {

std::vector<const Entry*> all_entries() {
  std::vector<const Entry*> all;
  for (const Entry& entry : catalog()) {
    if (!entry.info().checked.empty()) all.push_back(&entry);
  }
  return all;
}

std::vector<std::string> verdicts(const Report& report) {
  std::vector<std::string> all;
  for (const Finding& finding : report.findings) {
    all.push_back(finding.property + " " + std::to_string(static_cast<int>(finding.verdict)));
  }
  return all;
}

class Reductions : public testing::TestWithParam<const Entry*> {};

TEST_P(Reductions, DoNotChangeTheVerdict) {
  const Checkable& subject = GetParam()->plain;
  // As small as shows what is wrong with the wrong ones: over FIFO channels some need three
  // processes that need but two otherwise, and some need more.
  const CheckedInstance& caught = subject.info().checked.front();
  const std::uint32_t wrong_size = std::max(3U, test::number_after("-n", caught).value_or(3));
  Bounds bounds = subject.bounds(small_setup(subject.info().is_wrong() ? wrong_size : 2));
  const bool is_lock = subject.info().kind == Kind::mutual_exclusion;
  // Without the canonical form nothing but a bound on requests makes it end.
  if (is_lock && !subject.info().is_wrong()) bounds.requests = 2;
  if (subject.info().is_wrong()) {
    bounds.requests = test::number_after("--requests", caught).value_or(bounds.requests);
  }
  bounds.fifo = true;  // what partial orders need
  if (!subject.info().flaws.empty() &&
      subject.info().flaws.front().needs_broken.has(Assumption::fifo)) {
    bounds.fifo = false;
  }
  CheckOptions options;
  options.explore.memory = std::uint64_t{1} << 30;
  options.explore.most_states = 300'000;
  options.demands = default_demands(subject.info());
  const Report full = subject.check(bounds, options);
  for (int which = 0; which < 8; ++which) {
    bounds.reductions = {(which & 1) != 0, (which & 2) != 0, (which & 4) != 0};
    const Report report = subject.check(bounds, options);
    // Without the canonical form some have no end; what only breaks in the long run is out of
    // reach.
    if (report.broken() == nullptr && !report.is_exhausted()) continue;
    if (!subject.info().is_wrong()) {
      EXPECT_EQ(verdicts(report), verdicts(full)) << which;
      continue;
    }
    ASSERT_NE(report.broken(), nullptr) << which;
    ASSERT_NE(full.broken(), nullptr);
    EXPECT_EQ(report.broken()->property, full.broken()->property) << which;
  }
}
INSTANTIATE_TEST_SUITE_P(Registry, Reductions, testing::ValuesIn(all_entries()), test::as_printed);

// Everything that can be seen of the runs of so many steps from a state: who does what, with which
// kind of message, and who enters.
class Future {
 public:
  using M = GroupModel;

  explicit Future(const M& model) : worker_(model) {}

  std::uint64_t of(const M::State& state, int steps) {
    if (steps == 0) return worker_.judge(state);
    std::vector<std::uint8_t> bytes(M::most_bytes);
    bytes.resize(worker_.encode(state, bytes.data()));
    bytes.push_back(static_cast<std::uint8_t>(steps));
    if (const auto known = known_.find(bytes); known != known_.end()) return known->second;
    std::vector<std::pair<M::Step, M::State>> next;
    worker_.each_step(state, [&](const M::Step& step, const M::State& after) {
      next.push_back({step, after});
    });
    std::vector<std::uint64_t> seen;
    for (const auto& [step, after] : next) {
      std::string text(name_of(step.kind));
      const ScheduledStep told = worker_.told(step);
      text += told.message.substr(0, told.message.find('('));
      text += std::to_string(step.node) + "," + std::to_string(step.peer) + "," +
              std::to_string(step.enters) + "," + std::to_string(of(after, steps - 1));
      seen.push_back(hash_of(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
    }
    std::sort(seen.begin(), seen.end());
    seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
    const auto* all = reinterpret_cast<const std::uint8_t*>(seen.data());
    const std::uint64_t hash =
        hash_of(all, seen.size() * sizeof(seen[0])) ^ worker_.judge(state) * 0x9E37'79B9;
    known_.emplace(std::move(bytes), hash);
    return hash;
  }
  M::Worker& worker() { return worker_; }

 private:
  M::Worker worker_;
  std::map<std::vector<std::uint8_t>, std::uint64_t> known_;
};

// A state and the one that stands for it have the same future. Tried on states as they come from
// every fifth that the search keeps. Returns how many have not.
std::uint64_t different_futures(const ProtocolClass& of, unsigned gap, int steps) {
  Bounds bounds;
  bounds.setup = default_setup(3);
  bounds.gap = gap;
  bounds.reductions = {true, false, false};
  if (of.steps(bounds)->traits().piles_up) bounds.under_way = 1;
  using M = GroupModel;
  const M model(of, bounds);
  Explorer<M> explorer(model, {.threads = 1, .most_states = 60'000});
  explorer.run();
  Future future(model);
  std::uint64_t compared = 0;
  std::uint64_t different = 0;
  for (const auto& range : explorer.store().all()) {
    for (auto number = range.first; number < range.last; number += 5) {
      M::State state;
      const auto bytes = explorer.store().bytes_of(number);
      future.worker().decode(bytes.data(), bytes.size(), state);
      std::vector<M::State> raw;
      future.worker().each_step(state,
                                [&](const auto&, const M::State& next) { raw.push_back(next); });
      for (const M::State& next : raw) {
        M::State form = next;
        future.worker().normalize(form);
        if (form.part == next.part) continue;
        ++compared;
        if (future.of(next, steps) != future.of(form, steps)) ++different;
      }
    }
  }
  EXPECT_GT(compared, 30U);
  return different;
}

TEST(CanonicalForm, HasTheFutureOfWhatItStandsFor) {
  EXPECT_EQ(different_futures(class_of<RicartAgrawala>(), 2, 7), 0U);
  EXPECT_EQ(different_futures(class_of<MaekawaSanders>(), 2, 7), 0U);
  EXPECT_EQ(different_futures(class_of<Lamport>(), 2, 6), 0U);
  EXPECT_EQ(different_futures(class_of<CarvalhoRoucairol>(), CarvalhoRoucairol::number_gap, 7), 0U);
  EXPECT_EQ(different_futures(class_of<PermissionRing>(), 2, 7), 0U);
  EXPECT_EQ(different_futures(class_of<SuzukiKasami>(), 2, 6), 0U);
}

TEST(CanonicalForm, ThatClosesTooManyGapsHasNot) {
  EXPECT_GT(different_futures(class_of<MaekawaSanders>(), 1, 7), 0U);
  EXPECT_GT(different_futures(class_of<CarvalhoRoucairol>(), 2, 7), 0U);
}

TEST(NumberSets, CloseUpToWhatMatters) {
  EXPECT_FALSE(has_gaps(0b1111, 1));
  EXPECT_FALSE(has_gaps(0b10101, 2));
  EXPECT_TRUE(has_gaps(0b1001, 2));
  EXPECT_TRUE(has_gaps(0b1000, 2)) << "zero counts even where nobody has it";
  EXPECT_EQ(closed_up(0b100100001, 2), 0b10101U);
  EXPECT_EQ(closed_up(0b1000, 2), 0b100U);
  EXPECT_EQ(moved(8, 0b100100001, 0b10101), 4U);
  EXPECT_EQ(moved(5, 0b100100001, 0b10101), 2U);
  EXPECT_EQ(moved(0, 0b100100001, 0b10101), 0U);
}

}  // namespace
}  // namespace baton::check
