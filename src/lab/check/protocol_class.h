// A protocol's class in the checker, independent of its type: its description, a factory of its
// steps, and the kind of application that runs on it.
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
  // The caller keeps the bounds alive as long as the result.
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
