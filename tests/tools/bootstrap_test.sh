#!/usr/bin/env bash
# tools/bootstrap against a pretended Debian: stand-ins for dpkg-query, apt-get, dpkg-deb, sudo and
# id come first in PATH, do nothing, and note how they were called.
set -euo pipefail
repository=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp --directory)
trap 'rm -rf "$scratch"' EXIT

everything="ccache clang-format cmake curl g++ git libboost1.81-dev libcli11-dev libfmt-dev libgtest-dev
  etcd-client faketime libgrpc++-dev openssl protobuf-compiler-grpc
  make ninja-build pkg-config protobuf-compiler libprotobuf-dev libspdlog-dev libsqlite3-dev
  libssl-dev python3 libbenchmark-dev libns3-dev python3-simpy3 spin etcd-server golang-etcd-server-dev
  golang-go default-jre-headless libzookeeper-java libhiredis-dev redis-server
  clang clang-tidy"

# Only these programs exist on the pretended machine.
bin=$scratch/bin
mkdir "$bin"
for program in bash cat dirname env grep mkdir mktemp mv rm tail touch; do
  ln -s "$(command -v "$program")" "$bin/$program"
done
stand_in() {
  printf '#!/usr/bin/env bash\n%s\n' "$2" >"$bin/$1"
  chmod +x "$bin/$1"
}
stand_in id 'echo "$PRETENDED_USER"'
stand_in sudo 'echo "sudo $*" >>"$CALLS"; exec "$@"'
stand_in dpkg-query '
echo dpkg-query >>"$CALLS"
status=0
for package in "$@"; do
  case $package in
    -* | *{*) ;;
    *) if [[ " $INSTALLED " == *" $package "* ]]; then echo "installed $package"
       elif [[ $package == cmake ]]; then echo "config-files $package"
       else status=1; fi ;;
  esac
done
exit $status'
stand_in apt-get '
echo "apt-get $*" >>"$CALLS"
if [[ -n ${APT_FAILS:-} ]]; then
  for i in {1..40}; do echo "Err:$i http://a.mirror bookworm InRelease"; done
  [[ $* == *--simulate* ]] && { echo "E: Unable to locate package libboost1.81-dev"; exit 100; }
  echo "E: Temporary failure resolving"
  exit 100
fi
[[ $* == *--simulate* && -n ${BOOST_IN_THE_WAY:-} ]] && exit 100
[[ $* == *download* ]] && touch libboost1.81-dev_1.81.0_amd64.deb
exit 0'
stand_in systemctl '
echo "systemctl $*" >>"$CALLS"
[[ $1 != is-active || -z ${NOT_ACTIVE:-} ]]'
stand_in dpkg-deb '
echo "dpkg-deb $*" >>"$CALLS"
mkdir -p "$3/usr/include/boost" && touch "$3/usr/include/boost/pfr.hpp"'

export CALLS=$scratch/calls INSTALLED PRETENDED_USER BOOST_IN_THE_WAY APT_FAILS NOT_ACTIVE
export BATON_OS_RELEASE
BATON_OS_RELEASE=$scratch/os-release

begin() {
  story=$1
  rm -rf "$scratch/clone" "$CALLS"
  mkdir -p "$scratch/clone/tools"
  cp "$repository/tools/bootstrap" "$scratch/clone/tools/"
  : >"$CALLS"
  INSTALLED=$(echo $everything)
  PRETENDED_USER=0 BOOST_IN_THE_WAY='' APT_FAILS='' NOT_ACTIVE=''
  printf 'ID=debian\nVERSION_ID="12"\n' >"$BATON_OS_RELEASE"
}
without() {
  local package
  for package in "$@"; do INSTALLED=$(echo " $INSTALLED " | sed "s/ $package / /"); done
}
bootstrap() {
  status=0
  said=$(PATH=$bin "$scratch/clone/tools/bootstrap" "$@" 2>&1) || status=$?
}

failures=0
wrong() {
  echo "FAILED: $story: $1"
  echo "  status $status, said: $said"
  sed 's/^/  called: /' "$CALLS"
  failures=$((failures + 1))
}
expect_status() { ((status == $1)) || wrong "status should be $1"; }
expect_said() { [[ $said == *"$1"* ]] || wrong "should say '$1'"; }
expect_called() { grep --quiet --fixed-strings -- "$1" "$CALLS" || wrong "should call '$1'"; }
expect_not_called() { ! grep --quiet --fixed-strings -- "$1" "$CALLS" || wrong "calls '$1'"; }

begin "nothing is missing"
bootstrap bench lint
expect_status 0
[[ -z $said ]] || wrong "should be silent"
[[ $(cat "$CALLS") == dpkg-query ]] || wrong "should ask dpkg once and do nothing else"

begin "two packages are missing"
without ccache ninja-build
bootstrap
expect_status 0
expect_said "installing ccache ninja-build"
expect_called "update"
expect_called "install --yes --no-remove --no-install-recommends ccache ninja-build"
expect_not_called "sudo"

begin "a removed package whose configuration is left counts as missing"
without cmake
bootstrap
expect_called "--no-install-recommends cmake"

begin "what only the benchmark needs is left out unless asked for"
without libns3-dev clang-tidy
bootstrap
expect_not_called "apt-get"
bootstrap bench
expect_called "--no-install-recommends libns3-dev"
expect_not_called "clang-tidy"

begin "a server that comes with a benchmark does not stay; one that was there does"
without redis-server
PRETENDED_USER=1000
bootstrap bench
expect_status 0
expect_said "stopping redis-server, which came with redis-server"
expect_called "systemctl disable --now redis-server"
expect_not_called "--now etcd"

begin "a server that installation did not start is left alone"
without redis-server etcd-server
NOT_ACTIVE=yes
bootstrap bench
expect_status 0
expect_not_called "disable"

begin "Boost is missing and nothing is in its way"
without libboost1.81-dev
bootstrap
expect_called "--yes --no-remove --no-install-recommends libboost1.81-dev"
expect_not_called "download"

begin "another Boost is in the way"
without libboost1.81-dev ccache
BOOST_IN_THE_WAY=yes
bootstrap
expect_status 0
expect_said "unpacking its headers in build/boost"
expect_called "download libboost1.81-dev"
expect_called "--no-install-recommends ccache"
expect_not_called "--no-install-recommends ccache libboost1.81-dev"
[[ -e $scratch/clone/build/boost/usr/include/boost/pfr.hpp ]] || wrong "should unpack the headers"
[[ $(echo "$scratch"/clone/build/*) == "$scratch/clone/build/boost" ]] || wrong "should tidy up"
INSTALLED+=" ccache"
: >"$CALLS"
bootstrap
[[ -z $said && $(cat "$CALLS") == dpkg-query ]] || wrong "a second run should find nothing to do"

begin "an ordinary user with sudo"
without ccache
PRETENDED_USER=1000
bootstrap
expect_called "sudo env DEBIAN_FRONTEND=noninteractive apt-get"

begin "an ordinary user without sudo"
without ccache
PRETENDED_USER=1000
mv "$bin/sudo" "$scratch/sudo"
bootstrap
mv "$scratch/sudo" "$bin/sudo"
expect_status 1
expect_said "neither root nor sudo"
expect_said "apt-get install --no-remove ccache"

begin "no network"
without ccache
APT_FAILS=yes
bootstrap
expect_status 1
expect_said "Temporary failure resolving"
expect_said "Is there a network"

begin "no network and nothing there: what is missing and how to get it, on one screen"
without $everything
APT_FAILS=yes
bootstrap
expect_status 1
expect_said "These packages are missing"
expect_said "apt-get update && apt-get install --no-remove ccache clang-format cmake"
expect_said "BOOTSTRAP=true"
expect_not_called "download"
(($(wc -l <<<"$said") <= 20)) || wrong "should fit on one screen"

begin "another distribution"
without ccache
printf 'ID=ubuntu\nVERSION_ID="22.04"\n' >"$BATON_OS_RELEASE"
bootstrap
expect_status 1
expect_said "this is 'ubuntu 22.04'"
expect_not_called "apt-get"

begin "no dpkg at all"
mv "$bin/dpkg-query" "$scratch/dpkg-query"
bootstrap
mv "$scratch/dpkg-query" "$bin/dpkg-query"
expect_status 1
expect_said "this is not Debian"

begin "an unknown group"
bootstrap benchmarks
expect_status 2
expect_said "unknown group 'benchmarks'"

begin "never is anything removed"
without $everything
bootstrap bench lint
if grep 'apt-get.*install' "$CALLS" | grep --quiet --invert-match -- --no-remove; then
  wrong "every install should be with --no-remove"
fi

((failures == 0)) && echo "tools/bootstrap: all stories hold"
exit $((failures > 0))
