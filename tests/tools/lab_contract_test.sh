#!/usr/bin/env bash
# Compiles algorithms that break the contract against the installed headers: the first error must say
# in words what is wrong, and little may follow it.
#   lab_contract_test.sh PREFIX SOURCE_FOLDER BOOST_INCLUDE COMPILER
set -euo pipefail
prefix=$1 source=$2 boost=$3 compiler=$4
most_lines=25
with_boost=()
[[ $boost == /usr/include ]] || with_boost=(-isystem "$boost")
failures=0

compile() {
  LC_ALL=C "$compiler" -std=c++20 -fsyntax-only -fno-diagnostics-color -I"$prefix/include" \
    "${with_boost[@]}" "$@" "$source/tests/consumer/broken_lock.cpp" 2>&1
}

while IFS='|' read -r mistake says; do
  if output=$(compile "-D$mistake"); then
    echo "$mistake: compiles"
    failures=$((failures + 1))
    continue
  fi
  first=$(grep --max-count=1 'error:' <<<"$output")
  lines=$(wc -l <<<"$output")
  if [[ $first != *"$says"* || $output != *"<BrokenLock"* || $lines -gt $most_lines ]]; then
    echo "$mistake: '$says' is not the first of at most $most_lines lines about BrokenLock:"
    head -40 <<<"$output"
    failures=$((failures + 1))
  fi
done <<'END'
NO_RELEASE|no release(Out&)
RELEASE_IS_PRIVATE|no release(Out&)
RELEASE_WITHOUT_OUT|release cannot be called as release(Out&)
RECEIVE_TAKES_OTHER_MESSAGE|receive cannot be called as receive(NodeId from, const Message&, Out&)
EXPIRE_WITHOUT_TIMER|expire cannot be called as expire(TimerId, Out&), and would never be called
NO_MESSAGE|no type Message
MESSAGE_IS_NO_VARIANT|Message is no std::variant
POINTER_IN_MESSAGE|Message has a field that cannot be sent
MAP_IN_MESSAGE|Message has a field that cannot be sent
NO_EVENT|no type Event
OTHER_EVENT|Event is neither baton::Entered
STATE_IS_NO_AGGREGATE|State is no aggregate
FLOATING_POINT_IN_STATE|State has a field that cannot be compared
STATE_NOT_CONST|no state()
NO_SETUP|no constructor that takes (NodeId self, const Setup& setup)
NO_INSIDE|no constructor that takes (NodeId self, const Setup& setup, NodeId inside)
NOT_COPYABLE|cannot be copied
NO_INFO|no info()
INFO_BY_VALUE|info() does not return a reference
END
output=$(compile) || { echo "the lock without a mistake does not compile: $output"; exit 1; }
exit $((failures > 0))
