#include "check/membership_application.h"

#include "check/checkable.h"

namespace baton::check {

const Checkable& membership() {
  static const Checkable membership{
      &Membership::info,
      [](const Setup& setup) {
        Bounds bounds;
        bounds.setup = setup;
        bounds.fifo = false;
        bounds.time = {.counts = true, .unit = Membership::tick_time, .limit = 3, .prompt = true};
        bounds.budgets = {.crash = 1, .recover = 1, .suspect = 1};
        return bounds;
      },
      &check<ClaimingMembership, MembershipApplication>};
  return membership;
}

}  // namespace baton::check
