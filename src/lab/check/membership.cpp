// The membership of Resilient<> alone, in the checker.
#include "lab/check/checkable.h"
#include "lab/check/membership_application.h"

namespace baton::check {

namespace {

class MembershipSteps final : public StepsOf<ClaimingMembership> {
 public:
  using StepsOf::StepsOf;

 protected:
  void look(const ClaimingMembership& protocol, StepHost& host) const override {
    const Standing standing{protocol.view(), protocol.membership().is_active(),
                            protocol.membership().has_lease(), protocol.may_request(),
                            protocol.held()};
    host.tell(&standing);
  }
};

constexpr ProtocolClass membership_class{&info_of<ClaimingMembership>,
                                         [](const Bounds& bounds) -> std::unique_ptr<Steps> {
                                           return std::make_unique<MembershipSteps>(bounds);
                                         },
                                         &membership_application};

}  // namespace

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
      [](const Bounds& bounds, const CheckOptions& options) {
        return check_group(membership_class, bounds, options);
      }};
  return membership;
}

}  // namespace baton::check
