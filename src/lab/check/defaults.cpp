#include "lab/check/defaults.h"

#include "algorithms/layer/membership.h"

namespace baton::check {

namespace {

// The world in which a wrong variant breaks.
void break_what_is_needed(const Assumptions& broken, Bounds& bounds) {
  if (broken.has(Assumption::no_loss)) bounds.budgets.lose = 1;
  if (broken.has(Assumption::no_duplication)) bounds.budgets.duplicate = 1;
  if (broken.has(Assumption::no_crash)) bounds.budgets.crash = 1;
  if (broken.has(Assumption::no_suspicion)) bounds.budgets.suspect = 1;
  if (broken.has(Assumption::fifo)) bounds.fifo = false;
  if (broken.has(Assumption::synchronous)) bounds.time.counts = false;
}

// Time matters to layers: they resend after a timeout, and suspect a process after a silence.
void put_on_layers(Layers layers, Bounds& bounds) {
  bounds.requests = 1;
  bounds.order = false;
  bounds.time = {.counts = true, .unit = Membership::tick_time};
  if (layers == Layers::reliable) {
    bounds.time.unit = {message_time.value / 2};
    bounds.budgets = {.lose = 1, .duplicate = 1};
    bounds.fifo = false;
    return;
  }
  bounds.time.prompt = true;
  bounds.time.limit = 8;
  bounds.fifo = true;
  bounds.budgets = {.crash = 1};
}

}  // namespace

Setup small_setup(std::uint32_t size) {
  Setup setup = default_setup(size);
  setup.lease = 2;
  setup.patience = 2;
  return setup;
}

Bounds default_bounds(const Info& info, const Traits& traits, Layers layers, const Setup& setup) {
  Bounds bounds;
  bounds.setup = setup;
  make_small(bounds.setup, info);
  bounds.fifo = info.assumes.has(Assumption::fifo);
  bounds.gap = traits.gap;
  switch (traits.kind) {
    case Kind::election:
      bounds.requests = 1;
      if (!info.assumes.has(Assumption::no_crash)) bounds.budgets.crash = 1;
      if (info.assumes.has(Assumption::synchronous)) {
        bounds.time = {.counts = true, .unit = setup.delay_bound, .delay = 1};
      } else if (info.perpetual) {
        bounds.time = {.counts = true, .unit = setup.delay_bound, .prompt = true};
      }
      break;
    case Kind::observation:
      bounds.requests = 1;
      bounds.requesters = 1;
      break;
    default:
      bounds.requests = traits.rewritable ? 0 : 1;
      bounds.order = info.promises.has(Promise::order) &&
                     (!info.is_wrong() || info.flaws.front().breaks == Promise::order);
      if (traits.piles_up) {
        bounds.fifo = true;
        bounds.under_way = 2;
      }
  }
  if (!info.flaws.empty()) break_what_is_needed(info.flaws.front().needs_broken, bounds);
  if (layers != Layers::none) put_on_layers(layers, bounds);
  return bounds;
}

Promises default_demands(const Info& info) {
  Promises demands;
  for (const Flaw& flaw : info.flaws) demands.add(flaw.breaks);
  return demands;
}

}  // namespace baton::check
