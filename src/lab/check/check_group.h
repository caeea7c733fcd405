// Checks a group that runs one protocol.
#pragma once

#include "lab/check/bounds.h"
#include "lab/check/protocol_class.h"
#include "lab/check/report.h"

namespace baton::check {

Report check_group(const ProtocolClass& of, const Bounds& bounds, const CheckOptions& options);

}  // namespace baton::check
