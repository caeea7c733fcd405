#!/bin/sh
# A script that cannot run under 'baton lock', as it takes and releases in different places:
#
#   deploy.sh VERSION
#
# It renews its lease between the steps, so that --ttl need only be as long as the longest of them,
# and tells with a file that goes with the lock what is being deployed. BATON_URL selects a server.
set -eu
version=$1

# BATON_TOKEN and BATON_FENCE.
eval "$(baton acquire deploy --ttl 30s --wait 1m --label "deploy $version" --env)"
trap 'baton release "$BATON_TOKEN"' EXIT
baton put deploy/now "$version" --tied-to "$BATON_TOKEN"

for step in fetch install restart; do
  # Exit code 123: the lock was lost, and somebody else may be deploying.
  baton renew "$BATON_TOKEN"
  echo "$step $version under fence $BATON_FENCE"
done
