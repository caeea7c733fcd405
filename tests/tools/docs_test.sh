#!/usr/bin/env bash
# The pages about the algorithms are what tools/docs writes today.
#   docs_test.sh BATON DOCS
set -euo pipefail
baton=$(realpath "$1")
docs=$(realpath "$2")
generator=$(dirname "$docs")/tools/docs
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0
complain() {
  echo "$1"
  failed=$((failed + 1))
}
costs() { sed -n '/^<!-- This table is written/,/^<!-- The table ends/p' "$1"; }

# What is left of an algorithm that is no more goes away; so does what the README said of costs.
mkdir -p "$scratch/docs/algorithms/images"
sed '/^| `/d' "$(dirname "$docs")/README.md" >"$scratch/README.md"
touch "$scratch/docs/algorithms/gone.md" "$scratch/docs/algorithms/images/gone.svg"
"$generator" "$baton" "$scratch/docs"

diff -r "$docs/algorithms" "$scratch/docs/algorithms" || complain "docs/algorithms is out of date: make docs"
diff <(costs "$(dirname "$docs")/README.md") <(costs "$scratch/README.md") ||
  complain "the table in the README is out of date: make docs"
for picture in "$scratch"/docs/images/*; do
  cmp "$picture" "$docs/images/$(basename "$picture")" || complain "a picture is out of date: make docs"
done
pages=$(ls "$scratch"/docs/algorithms/*.md | wc -l)
[ "$pages" -ge 10 ] || complain "only $pages pages"

# Every link from page to page, and to a picture or source, leads somewhere.
cd "$docs/algorithms"
while IFS=: read -r page link; do
  target=${link#*](}
  target=${target%)}
  [ -e "${target%%#*}" ] || complain "$page: there is no $target"
  if [[ $target == *#* ]]; then
    grep -qx "### ${target##*#}" "${target%%#*}" || complain "$page: nothing is headed ${target##*#}"
  fi
done < <(grep -oE '\]\([^)]+\)' ./*.md)

# A kind of algorithm that the generator knows nothing of, without costs or picture, has its page
# all the same.
cat >"$scratch/baton" <<'PRETENDED'
#!/usr/bin/env bash
case $1 in
  list) echo '[{"name":"gossip","title":"Gossip","publication":"nobody","idea":"tell | all",
    "kind":"rumour","assumes":[],"promises":["safety"],"messages":"","wrong":false,"example":"-n 3"}]' ;;
  compare) echo '[]' ;;
  sim) if [[ " $* " == *" gossip "*" --svg "* || " $* " == *" --trace "* ]]; then exit 2; fi; echo '{}' ;;
esac
PRETENDED
chmod +x "$scratch/baton"
"$generator" "$scratch/baton" "$scratch/other/docs" 2>"$scratch/said"
grep -q 'no picture of gossip' "$scratch/said" || complain "nothing is said of a missing picture"
grep -q 'Promises safety\.$' "$scratch/other/docs/algorithms/gossip.md" || complain "no promise of gossip"
grep -q '^Tell \\| all\.$' "$scratch/other/docs/algorithms/gossip.md" || complain "no idea of gossip"
grep -q '^## Rumour$' "$scratch/other/docs/algorithms/README.md" || complain "no rumour in the index"

# A run that no longer shows what it should is said.
sed -i "s/echo '{}'/exit 1/" "$scratch/baton"
if "$generator" "$scratch/baton" "$scratch/other/docs" 2>"$scratch/said"; then
  complain "a broken promise on a page passes"
fi
grep -q 'gossip should keep its promises' "$scratch/said" || complain "a broken promise is not said"

echo "$pages pages, $failed failures"
[ "$failed" -eq 0 ]
