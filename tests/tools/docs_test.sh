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

# What is left of an algorithm that is no more goes away.
mkdir -p "$scratch/algorithms/images"
touch "$scratch/algorithms/gone.md" "$scratch/algorithms/images/gone.svg"
"$generator" "$baton" "$scratch"

diff -r "$docs/algorithms" "$scratch/algorithms" || complain "docs/algorithms is out of date: make docs"
for picture in "$scratch"/images/*; do
  cmp "$picture" "$docs/images/$(basename "$picture")" || complain "a picture is out of date: make docs"
done
pages=$(ls "$scratch"/algorithms/*.md | wc -l)
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
    "kind":"rumour","assumes":[],"promises":["safety"],"messages":"","wrong":false}]' ;;
  compare) echo '[]' ;;
  sim) if [[ " $* " == *" gossip "*" --svg "* || " $* " == *" --trace "* ]]; then exit 2; fi; echo '{}' ;;
esac
PRETENDED
chmod +x "$scratch/baton"
"$generator" "$scratch/baton" "$scratch/other" 2>"$scratch/said"
grep -q 'no picture of gossip' "$scratch/said" || complain "nothing is said of a missing picture"
grep -q 'Promises safety\.$' "$scratch/other/algorithms/gossip.md" || complain "no promise of gossip"
grep -q '^Tell \\| all\.$' "$scratch/other/algorithms/gossip.md" || complain "no idea of gossip"
grep -q '^## Rumour$' "$scratch/other/algorithms/README.md" || complain "no rumour in the index"

# A run that no longer shows what it should is said.
sed -i "s/echo '{}'/exit 1/" "$scratch/baton"
if "$generator" "$scratch/baton" "$scratch/other" 2>"$scratch/said"; then
  complain "a broken promise on a page passes"
fi
grep -q 'gossip should keep its promises' "$scratch/said" || complain "a broken promise is not said"

echo "$pages pages, $failed failures"
[ "$failed" -eq 0 ]
