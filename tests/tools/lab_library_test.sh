#!/usr/bin/env bash
# Builds and runs examples/my_lock against an installed library, as a user's project:
#   lab_library_test.sh PREFIX SOURCE_FOLDER BOOST_INCLUDE COMPILER [FLAGS]
set -euo pipefail
prefix=$1 source=$2 boost=$3 compiler=$4 flags=${5:-}
work=$(mktemp --directory)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "$1" >&2
  exit 1
}

cmake -S "$source/examples/my_lock" -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_CXX_FLAGS="-Wall -Wextra -Werror $flags" \
  -DBATON_BOOST_INCLUDE="$boost" >"$work/log" || fail "my_lock is not configured: $(cat "$work/log")"
cmake --build "$work/build" >"$work/log" 2>&1 || fail "my_lock is not built: $(cat "$work/log")"
my_lock=$work/build/my_lock
lines=$(cat "$source"/examples/my_lock/* | wc -l)
((lines < 150)) || fail "examples/my_lock has $lines lines"

# expect CODE TEXT ARGUMENTS…: my_lock exits with CODE and says TEXT.
expect() {
  local code=$1 text=$2 output found=0
  shift 2
  output=$("$my_lock" "$@" 2>&1) || found=$?
  [[ $found == "$code" && $output == *"$text"* ]] ||
    fail "my_lock $*: exit code $found, not $code, or '$text' is missing in: $output"
}

expect 0 'my_lock measure' help
expect 0 'every promise was kept' run
expect 0 'entries               200' run -n 7 --entries 200 --seed 3
expect 0 'every promise was kept' run --home 2 --reliable
expect 0 'every measured value agrees with theory' measure -n 9
# The home asks for itself: two messages in place of three.
expect 0 '2       2' measure -n 5 --home 4
expect 0 'mutual exclusion' check
expect 0 'liveness: ' check --home=1
expect 0 '0 enters' draw
expect 0 '' draw --svg "$work/run.svg" --json "$work/run.jsonl"
grep --quiet '<svg' "$work/run.svg" || fail "the picture is none"
[[ $(head -1 "$work/run.jsonl") == *'"my-lock"'* ]] || fail "the trace is none"

# What cannot be done is refused with the algorithm's own list, and the nearest name.
expect 2 'my-lock has no parameter --hme; did you mean --home? It has --home' run --hme 1
expect 2 'my-lock has no parameter --votes. It has --home' run --votes 1
expect 2 "--home is 0 to 1000000, not 'x'" run --home x
expect 2 '--home is a process, 0 to 4' run -n 5 --home 5
expect 2 'did you mean --seed?' run --sed 1
expect 2 "did you mean 'check'?" chek
expect 2 '-n is a whole number above 0' run -n 0
expect 2 'at least 2 processes' run -n 1
expect 2 'at most 6 processes can be checked, not 7' check -n 7

echo "no field of what users write lacks a default"
with_boost=()
[[ $boost == /usr/include ]] || with_boost=(-isystem "$boost")
"$compiler" -std=c++20 -fsyntax-only -Wall -Wextra -Werror -I"$prefix/include" "${with_boost[@]}" \
  "$source/tests/consumer/lab_aggregates.cpp" || fail "an aggregate is not to be had with warnings"

echo "every object of the archive finds what it needs, without any algorithm"
archive=$(find "$prefix" -name libbaton-lab.a)
echo 'int main() {}' >"$work/empty.cpp"
read -ra words <<<"$flags"
"$compiler" "${words[@]}" "$work/empty.cpp" -Wl,--whole-archive "$archive" -Wl,--no-whole-archive \
  -pthread -o "$work/empty" || fail "the archive needs more than itself"
! nm --demangle --defined-only "$archive" 2>/dev/null | grep 'T baton::RicartAgrawala' ||
  fail "the archive has algorithms"

echo "pkg-config"
export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name baton-lab.pc)")
read -ra package <<<"$(pkg-config --cflags --libs baton-lab) $flags"
"$compiler" -std=c++20 "$source/examples/my_lock/main.cpp" "${with_boost[@]}" "${package[@]}" \
  -o "$work/by_pkg_config" || fail "my_lock is not built with pkg-config"
"$work/by_pkg_config" measure >"$work/log" || fail "it does not work with pkg-config: $(cat "$work/log")"
