// `baton check` without an algorithm: all of them.
#pragma once

#include "cli/lab/check_options.h"

namespace baton::cli {

// Exits 0 only if every right algorithm keeps what it promises and every wrong variant is caught.
int check_registry(const CheckCommandOptions& options);

}  // namespace baton::cli
