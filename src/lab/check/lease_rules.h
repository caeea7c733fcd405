// What shows what each rule of the lease protocol is for.
#pragma once

#include "lab/check/catalog.h"
#include "service/lease/lease.h"

namespace baton::check {

// The one of lease() and lease_takeover() in which this rule matters.
const Checkable& lease_without(service::LeaseRule rule);
// ... and its instance in which that shows soon.
Bounds lease_bounds_without(service::LeaseRule rule, const Setup& setup);

}  // namespace baton::check
