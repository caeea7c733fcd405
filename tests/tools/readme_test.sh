#!/usr/bin/env bash
# Every `baton` command of the README does what the README says of it, in an empty directory.
#   readme_test.sh BATON README
set -euo pipefail
baton=$(realpath "$1")
readme=$(realpath "$2")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# The local server that the first command starts lives in here, and ends soon after the test.
export XDG_STATE_HOME=$scratch/state BATON_RUN_DIRECTORY=$scratch BATON_IDLE_STOP=2
unset BATON_URL
mkdir "$scratch/bin" "$scratch/empty"
ln -s "$baton" "$scratch/bin/baton"
export PATH="$scratch/bin:$PATH"
cd "$scratch/empty"

count=0
failed=0
# Lines of the README's shell blocks that start with "baton"; "# exits N" states the exit code.
while IFS= read -r line; do
  expected=0
  if [[ $line =~ exits\ ([0-9]+) ]]; then expected=${BASH_REMATCH[1]}; fi
  status=0
  bash -c "${line%%#*}" >out 2>err || status=$?
  count=$((count + 1))
  if [ "$status" -ne "$expected" ]; then
    echo "exit code $status instead of $expected: $line"
    tail -5 out err
    failed=$((failed + 1))
  fi
done < <(sed -n '/^```sh$/,/^```$/p' "$readme" | grep '^baton ')

# The diagram in the README is what the command above it draws.
baton sim ricart-agrawala -n 3 --trace >drawn
sed -n '/^\$ baton sim ricart-agrawala -n 3 --trace$/,/^```$/p' "$readme" | sed '1d;$d' >shown
if ! grep -qF "$(head -1 shown)" drawn || ! diff <(sed -n '/^ time/,/^○ asks/p' drawn) shown; then
  echo "the diagram in the README is not what baton draws"
  failed=$((failed + 1))
fi

# The picture in the README is what baton draws today.
baton sim ricart-agrawala -n 3 --svg drawn.svg >/dev/null
if ! cmp drawn.svg "$(dirname "$readme")/docs/images/ricart-agrawala.svg"; then
  echo "docs/images/ricart-agrawala.svg is out of date: baton sim ricart-agrawala -n 3 --svg it"
  failed=$((failed + 1))
fi

# The commands for make are targets of the Makefile.
for target in demo test cluster bench-cluster; do
  grep -q "^make $target" "$readme" || { echo "the README lacks make $target"; failed=$((failed + 1)); }
  grep -q "^$target:" "$(dirname "$readme")/Makefile" || { echo "no target $target"; failed=$((failed + 1)); }
done

if [ "$count" -lt 8 ]; then
  echo "only $count commands found in the README"
  exit 1
fi
echo "$count commands, $failed failures"
[ "$failed" -eq 0 ]
