// Checks a group that runs one protocol.
#pragma once

#include "check/bounds.h"
#include "check/protocol_class.h"
#include "check/report.h"

namespace baton::check {

Report check_group(const ProtocolClass& of, const Bounds& bounds, const CheckOptions& options);

}  // namespace baton::check
