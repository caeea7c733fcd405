// A protocol's class as the checker knows it, whatever its type: what it says of itself, how to
// make its steps, and which kind of application runs on it.
#pragma once

#include <memory>

#include "lab/check/bounds.h"
#include "lab/check/steps.h"
#include "lab/check/steps_of.h"

namespace baton::check {

class Application;
using MakeApplication = std::unique_ptr<Application>(const Info&, const Traits&, const Bounds&);
MakeApplication lock_application;
MakeApplication election_application;
MakeApplication observation_application;
MakeApplication membership_application;

struct ProtocolClass {
  const Info& (*info)(const Setup& setup);
  // The bounds must outlive what is made.
  std::unique_ptr<Steps> (*steps)(const Bounds& bounds);
  MakeApplication* application;
};

template <class P>
constexpr ProtocolClass class_of() {
  return {&info_of<P>,
          [](const Bounds& bounds) -> std::unique_ptr<Steps> {
            return std::make_unique<StepsOf<P>>(bounds);
          },
          ElectionProtocol<P>      ? &election_application
          : ObservationProtocol<P> ? &observation_application
                                   : &lock_application};
}

}  // namespace baton::check
