#!/usr/bin/env bash
# Every `baton` command of the README, and of other pages, does what the page says of it, in an empty
# directory for each page. What the README draws is what baton draws.
#   readme_test.sh BATON README [PAGE…]
set -euo pipefail
baton=$(realpath "$1")
readme=$(realpath "$2")
shift
pages=()
for page in "$@"; do pages+=("$(realpath "$page")"); done
repository=$(dirname "$readme")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# The local server that the first command starts lives in here, and ends soon after the test.
export XDG_STATE_HOME=$scratch/state BATON_RUN_DIRECTORY=$scratch BATON_IDLE_STOP=2
unset BATON_URL
mkdir "$scratch/bin"
ln -s "$baton" "$scratch/bin/baton"
export PATH="$scratch/bin:$PATH"

failed=0
complain() {
  echo "$1"
  failed=$((failed + 1))
}

# Lines of a page's shell blocks that start with "baton"; a line that ends in \ goes on in the next.
commands_of() {
  sed -n '/^```sh$/,/^```$/p' "$1" | sed -e ':more' -e '/\\$/{N;s/\\\n *//;b more' -e '}' | grep '^baton ' || true
}

# "# exits N" states the exit code.
all=0
for page in "${pages[@]}"; do
  mkdir "$scratch/empty"
  cd "$scratch/empty"
  count=0
  while IFS= read -r line; do
    expected=0
    if [[ $line =~ exits\ ([0-9]+) ]]; then expected=${BASH_REMATCH[1]}; fi
    status=0
    bash -c "${line%%# *}" >out 2>err || status=$?
    count=$((count + 1))
    if [ "$status" -ne "$expected" ]; then
      complain "${page#"$repository"/}: exit code $status instead of $expected: $line"
      tail -5 out err
    fi
  done < <(commands_of "$page")
  [ "$count" -gt 0 ] || complain "no commands found in $page"
  all=$((all + count))
  cd "$scratch"
  rm -r "$scratch/empty"
done

# The diagram in the README is what the command above it draws.
drawing=$(sed -n 's/^\$ \(baton sim .*\)$/\1/p' "$readme")
if bash -c "$drawing" >drawn; then
  sed -n '/^\$ baton sim /,/^```$/p' "$readme" | sed '1d;$d' >shown
  diff <(sed -n '/^ time/,/^○ asks/p' drawn) shown || complain "the diagram in the README is not what baton draws"
  grep -q '^ time' shown || complain "there is no diagram in the README"
else
  complain "the README's diagram has no command above it that works: '$drawing'"
fi

# The picture in the README is what baton draws today.
baton sim ricart-agrawala -n 3 --svg drawn.svg >/dev/null
cmp drawn.svg "$repository/docs/images/ricart-agrawala.svg" ||
  complain "docs/images/ricart-agrawala.svg is out of date: baton sim ricart-agrawala -n 3 --svg it"

# The commands for make are targets of the Makefile.
for page in "${pages[@]}"; do
  while IFS= read -r target; do
    grep -q "^$target:" "$repository/Makefile" || complain "$page: no target $target"
  done < <(grep -oE '(^|`)make [a-z][a-z-]*' "$page" | sed 's/.*make //' | sort -u)
done
for target in demo test cluster bench-cluster; do
  grep -qE "(^|\`)make $target\b" "$readme" || complain "the README lacks make $target"
done

[ "$all" -ge 8 ] || complain "only $all commands found"
echo "$all commands, $failed failures"
[ "$failed" -eq 0 ]
