#!/usr/bin/env bash
# tools/check-layers on a small tree: what it must let pass, and what it must find.
set -euo pipefail
repository=$(cd "$(dirname "$0")/../.." && pwd)
tree=$(mktemp --directory)
trap 'rm -rf "$tree"' EXIT

mkdir -p "$tree"/{core,algorithms/mutex,lab/sim,cli/lab}
printf '#pragma once\n#include <vector>\n#include <boost/pfr.hpp>\n' >"$tree/core/ids.h"
printf '#include "core/ids.h"\n#include "algorithms/mutex/b.h"\n' >"$tree/algorithms/mutex/a.cpp"
printf '#include "@HEADER@.h"\n#include "lab/sim/run.h"\n' >"$tree/lab/sim/instance.cpp.in"
printf '#include <CLI/CLI.hpp>\n#include "lab/sim/run.h"\n#include "core/ids.h"\n' >"$tree/cli/lab/sim.cpp"

failures=0
passes() {
  "$repository/tools/check-layers" "$tree" >/dev/null || { echo "FAILED: $1"; failures=1; }
}
finds() {
  local said
  said=$("$repository/tools/check-layers" "$tree") && { echo "FAILED: not found: $1"; failures=1; }
  [[ $said == *"$1"* ]] || { echo "FAILED: should say '$1', said: $said"; failures=1; }
}

passes "a tree in order is accepted"

printf '#include <map>\n#include "algorithms/mutex/a.h"\n' >"$tree/core/bad.h"
finds 'core/bad.h:2: core may not include algorithms/mutex: "algorithms/mutex/a.h"'
rm "$tree/core/bad.h"

printf '#include <fmt/core.h>\n' >"$tree/lab/sim/bad.cpp"
finds 'lab/sim/bad.cpp:1: lab/sim is limited to the standard library and Boost: <fmt/core.h>'
printf '#include <unistd.h>\n' >"$tree/lab/sim/bad.cpp"
finds '<unistd.h>'
printf '#include "run.h"\n' >"$tree/lab/sim/bad.cpp"
finds 'should be named from src/'
rm "$tree/lab/sim/bad.cpp"

mkdir "$tree/extra"
touch "$tree/extra/some.h"
finds 'extra: unknown folder'
rm -r "$tree/extra"

passes "the tree is in order again"
((failures == 0)) && echo "tools/check-layers: all stories hold"
exit "$failures"
