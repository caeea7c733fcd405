#include <string>
#include <utility>

#include "algorithms/layer/stop_and_wait.h"
#include "lab/sim/formulas.h"
#include "lab/sim/sample.h"
#include "lab/sim/world.h"

namespace baton::sim {

namespace {

constexpr std::uint64_t transfers = 40'000;

// Process 0 sends one message after the other to process 1.
class Transfer : public World<Transfer, StopAndWait> {
 public:
  Transfer(const Plan& plan, Sample& extra) : World(plan, nullptr), extra_(&extra) {}

 private:
  friend World;

  void begin() { queue_.push(now_, EventKind::request, {0}); }
  StopAndWait make(NodeId id) const { return {id, plan_.setup}; }
  void handle(const Event&) {
    step({0}, [](StopAndWait& protocol, auto& out) { protocol.send(out); });
  }
  // No copy of the message or of its acknowledgement is under way any more: the timer is longer
  // than both take.
  void told(NodeId, const StopAndWait::Acknowledged&) {
    const std::uint64_t transmissions = sent_of(0) + sent_of(1);
    extra_->add(static_cast<double>(transmissions - transmissions_before_) - 2);
    transmissions_before_ = transmissions;
    if (extra_->count() < transfers) queue_.push(now_, EventKind::request, {0});
  }

  void sent(NodeId, std::uint32_t) {}
  void received(NodeId, std::uint32_t) {}
  void crashed(NodeId) {}
  void recovered(NodeId) {}
  void paused(NodeId) {}
  void struck() {}
  bool go_on() { return true; }
  bool go_on_when_quiet() { return false; }
  void finish() {}

  Sample* extra_;
  std::uint64_t transmissions_before_ = 0;
};

}  // namespace

FormulaTopic check_arq(std::uint64_t seed) {
  FormulaTopic topic{"arq",
                     "Stop-and-wait with loss p each way (the Article): extra transmissions per "
                     "delivered message",
                     {}};
  for (const double loss : {0.01, 0.05, 0.1, 0.2, 0.3, 0.5}) {
    Plan plan;
    plan.setup = default_setup(2);
    plan.seed = seed;
    plan.faults.loss = loss;
    Sample extra;
    Transfer(plan, extra).run();
    std::string situation = "p = " + std::to_string(loss).substr(0, 4);
    FormulaCheck exact{situation, "p(3-2p)/(1-p)²", arq_extra(loss), extra.mean(),
                       extra.half_width()};
    FormulaCheck shape{situation,
                       "p/(1-p)² (the Article)",
                       arq_extra_of_the_article(loss),
                       extra.mean(),
                       extra.half_width(),
                       FormulaCheck::Relation::shown,
                       "the shape only: between a third and all of the exact value"};
    topic.checks.push_back(std::move(exact));
    topic.checks.push_back(std::move(shape));
  }
  return topic;
}

}  // namespace baton::sim
