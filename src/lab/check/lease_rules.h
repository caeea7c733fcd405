// The instances that show what each rule of the lease protocol is for.
#pragma once

#include "lab/check/catalog.h"
#include "service/lease/lease.h"

namespace baton::check {

// The world in which this rule matters: lease() or lease_takeover().
const Checkable& lease_without(service::LeaseRule rule);
// A small instance of it in which leaving out the rule shows soon.
Bounds lease_bounds_without(service::LeaseRule rule, const Setup& setup);

}  // namespace baton::check
