// Runs, measures, checks and draws an algorithm of your own in the laboratory.
//
//   int main(int argc, char** argv) {
//     return baton::lab::algorithm<MyLock>().command_line(argc, argv);
//   }
//
// algorithm<P>() is the only template. Its result no longer depends on the class, and the library
// compiles the rest once.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/any_protocol.h"
#include "core/trace.h"
#include "lab/check/checkable.h"
#include "lab/check/layered.h"
#include "lab/contract.h"
#include "lab/sim/layered.h"
#include "lab/sim/run.h"

namespace baton::lab {

// Thrown if the laboratory cannot do what the caller asks. The message says why: the algorithm has
// no such parameter, a value is out of range, or a plan breaks an assumption of the algorithm.
class Refused : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

// Parameters of the algorithm by name, with their values as a user types them.
using Parameters = std::vector<std::pair<std::string, std::string>>;

// A cost with its measured value. info() may state a formula for it.
struct Measured {
  std::string situation = {};  // "alone", "everyone"; of an election as its cost names it
  // "messages", "delay"; of an election the type of message that is counted
  std::string metric = {};
  std::string formula = {};  // empty: info() states nothing
  std::optional<Expected> expected = {};
  double value = 0;
  double half_width = 0;  // of the 99.9 % confidence interval, for a mean
  bool agrees = true;
};

class Algorithm {
 public:
  // See algorithm<P>(). Throws std::logic_error where info() contradicts itself.
  Algorithm(Kind kind, sim::Entry simulated, check::Entry checked);

  const Info& info(Layers layers = Layers::none) const { return checked_.with(layers).info(); }

  // A group of default_setup() with these parameters. Throws Refused.
  Setup setup(std::uint32_t size, const Parameters& parameters = {}) const;

  // One simulated run; the same plan gives the same run. Throws Refused if the plan cannot be run.
  sim::Report run(const sim::Plan& plan, Trace* trace = nullptr,
                  Layers layers = Layers::none) const;

  // Puts the algorithm in each situation for which theory states costs. Throws Refused.
  std::vector<Measured> measure(const Setup& setup, std::uint64_t seed = 1) const;

  // The group that is checked by default: the world is as weak as the algorithm says that it can
  // take. Throws Refused.
  check::Bounds bounds(std::uint32_t size, const Parameters& parameters = {},
                       Layers layers = Layers::none) const;
  // Explores every state that such a group can reach. Throws Refused.
  check::Report check(const check::Bounds& bounds, const check::CheckOptions& options = {},
                      Layers layers = Layers::none) const;
  // The run that breaks a property.
  Trace trace_of(const check::Finding& broken, const check::Bounds& bounds,
                 Layers layers = Layers::none) const;

  // A whole program: run, measure, check, draw (docs/lab-library.md). Returns the exit code: 0 all
  // is well; 1 a promise is broken or a measurement differs; 2 wrong usage; 3 the check ended
  // before it had explored all states.
  int command_line(int argc, const char* const* argv) const;

 private:
  sim::Entry simulated_;
  check::Entry checked_;
};

namespace detail {

template <class P>
const AnyClass& any_class() {
  static constexpr AnyClassOf<P> made;
  return made;
}

}  // namespace detail

// The algorithm of class P, a lock or an election. Where P breaks the contract of core/protocol.h,
// the compiler says in a sentence what is missing (lab/contract.h).
template <class P>
Algorithm algorithm() {
  if constexpr (contract_of<P>::holds) {
    constexpr auto any = &detail::any_class<P>;
    constexpr Kind kind = ElectionProtocol<P> ? Kind::election : Kind::mutual_exclusion;
    sim::Runnable plain = sim::on<Layers::none, any>();
    plain.run = &sim::run<P>;
    const check::Checkable checkable = check::checkable<P>();
    return Algorithm(
        kind,
        sim::Entry{plain.info,
                   plain.run,
                   {plain, sim::on<Layers::reliable, any>(), sim::on<Layers::resilient, any>(),
                    sim::on<Layers::both, any>()}},
        check::Entry{checkable,
                     {checkable, check::on<Layers::reliable, any>(),
                      check::on<Layers::resilient, any>(), check::on<Layers::both, any>()}});
  } else {
    throw std::logic_error("the class breaks the contract");
  }
}

}  // namespace baton::lab
