#!/usr/bin/env bash
# The programs of examples/ do what they say: examples_test.sh FOLDER_OF_PROGRAMS SOURCES BATON
set -euo pipefail
programs=$1 sources=$2 baton=$3
work=$(mktemp --directory)
mkdir "$work/bin"
ln -s "$baton" "$work/bin/baton"
export PATH="$work/bin:$PATH" BATON_URL="unix:$work/socket"
url=$BATON_URL
baton serve --listen "$url" --journal memory: --log-level warning &
server=$!
trap 'kill $server; wait; rm -rf "$work"' EXIT

fail() {
  echo "$1" >&2
  exit 1
}
# Waits until a command succeeds.
await() {
  for _ in $(seq 600); do
    if "$@" >"$work/awaited" 2>&1; then return; fi
    sleep 0.1
  done
  fail "in vain: $* $(cat "$work/awaited")"
}
await baton status

echo "once_per_cluster"
for machine in 1 2 3 4; do
  "$programs/example_once_per_cluster" "$url" "$work/reports.db" monday >"$work/machine$machine" &
  pids[machine]=$!
done
for machine in 1 2 3 4; do wait "${pids[machine]}" || fail "machine $machine failed"; done
[[ $(cat "$work"/machine? | grep --count 'wrote the report') == 1 ]] || fail "not once"
[[ $(cat "$work"/machine? | grep --count 'there already') == 3 ]] || fail "not by one of four"
"$programs/example_once_per_cluster" "$url" "$work/reports.db" tuesday | grep --quiet 'wrote' ||
  fail "not on the next day"
# As if a later holder had been there in the meantime.
python3 - "$work/reports.db.fence" <<'END'
import sqlite3, sys
with sqlite3.connect(sys.argv[1]) as database:
    database.execute("UPDATE baton_fence SET token = token + 1000000000000")
END
status=0
"$programs/example_once_per_cluster" "$url" "$work/reports.db" friday 2>"$work/err" || status=$?
[[ $status == 1 ]] || fail "an old token was let in"
grep --quiet 'out of date' "$work/err" || fail "it does not say why: $(cat "$work/err")"

echo "leader"
"$programs/example_leader" "$url" anna 1000000 >"$work/anna" &
anna=$!
await grep 'anna leads' "$work/anna"
"$programs/example_leader" "$url" ben 3 >"$work/ben" &
ben=$!
await sh -c "baton sessions --json | grep '\"waits\":1'"
[[ $(baton leader scheduler) == anna ]] || fail "somebody else leads"
baton break --election scheduler
status=0
wait $anna || status=$?
[[ $status == 3 ]] || fail "anna did not notice: $status"
grep --quiet 'lost the lead.*broken' "$work/anna" || fail "anna does not say why"
wait $ben || fail "ben failed"
[[ $(tail -1 "$work/ben") == "ben has resigned" ]] || fail "ben has not resigned"
[[ $(grep --count round "$work/ben") == 3 ]] || fail "ben has not worked"

echo "coroutines"
[[ $("$programs/example_coroutines") == "20 tasks, count 20" ]] || fail "coroutines"

echo "deploy.sh"
token=$(baton acquire deploy)
"$sources/deploy.sh" 1.2 >"$work/deployed" &
deploy=$!
baton release "$token"
wait $deploy || fail "deploy.sh failed"
[[ $(wc --lines <"$work/deployed") == 3 ]] || fail "not three steps"
baton get deploy/now >"$work/now" 2>&1 && fail "the file has outlived the lock"
baton lock deploy --try -- true || fail "deploy.sh has not released"
