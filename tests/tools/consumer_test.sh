#!/usr/bin/env bash
# Installs the library in a folder of its own and builds a project against it, with CMake and with
# pkg-config: consumer_test.sh BUILD_FOLDER SOURCE_FOLDER BOOST_INCLUDE COMPILER
set -euo pipefail
build=$1 source=$2 boost=$3 compiler=$4
work=$(mktemp --directory)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix

fail() {
  echo "$1" >&2
  exit 1
}

# Sanitizers go with the library into whatever is linked with it.
flags=$(sed -n 's/^CMAKE_CXX_FLAGS:STRING=//p' "$build/CMakeCache.txt" |
  grep --only-matching -- '-fsanitize=[^ ]*' | tr '\n' ' ' || true)

cmake --install "$build" --component library --prefix "$prefix" >"$work/log" ||
  fail "the installation failed: $(tail "$work/log")"

# What the compiler searches anyway must not be named.
with_boost=()
[[ $boost == /usr/include ]] || with_boost=(-isystem "$boost")

echo "public headers stand alone and show nothing of what is behind them"
for header in "$prefix"/include/baton/*.h; do
  name=baton/$(basename "$header")
  if [[ $name != baton/asio.h ]]; then
    grep --extended-regexp --line-number 'boost|google|protobuf|sqlite3_|\.pb\.h' "$header" &&
      fail "$name shows what is behind it"
  fi
  echo "#include <$name>" |
    "$compiler" -std=c++20 -fsyntax-only -Wall -Wextra -Werror -I"$prefix/include" \
      "${with_boost[@]}" -x c++ - || fail "$name does not compile alone"
done

echo "the laboratory, in a project of its own"
"$source/tests/tools/lab_library_test.sh" "$prefix" "$source" "$boost" "$compiler" "$flags"
"$source/tests/tools/lab_contract_test.sh" "$prefix" "$source" "$boost" "$compiler"
echo '#include <baton/asio.h>
#include <baton/client.h>
#include <baton/lab/lab.h>
#include <baton/peer.h>
#include <baton/server.h>' |
  "$compiler" -std=c++20 -fsyntax-only -Wall -Wextra -Werror -I"$prefix/include" "${with_boost[@]}" \
    -x c++ - || fail "the laboratory and the service do not go together"

echo "find_package"
cmake -S "$source/tests/consumer" -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_CXX_FLAGS="$flags" -DBOOST_INCLUDE="$boost" \
  >"$work/log" || fail "the consumer is not configured: $(cat "$work/log")"
cmake --build "$work/build" >"$work/log" 2>&1 || fail "the consumer is not built: $(cat "$work/log")"
for program in consumer coroutines peers; do
  mkdir "$work/$program"
  [[ $("$work/build/$program" "$work/$program") == works ]] || fail "$program does not work"
done

echo "shared libraries"
mkdir "$work/shared"
coproc serve { exec "$work/build/serve" "unix:$work/shared/socket"; }
read -r ready <&"${serve[0]}" && [[ $ready == ready ]] || fail "the server does not start"
for program in with_plugin with_shared_client; do
  [[ $("$work/build/$program" "unix:$work/shared/socket") == works ]] || fail "$program does not work"
done
library=$(find "$prefix" -name libbaton-client.so)
symbols=$(nm --dynamic --defined-only --format=posix "$library" | cut -d ' ' -f 1)
grep --quiet '^_ZN5baton2v16Client7connectE' <<<"$symbols" || fail "the client is not to be seen"
strange=$(grep --invert-match --extended-regexp '^_Z(T[ISV])?NK?5baton(2v1|[0-9]+(message|name)_of)' \
  <<<"$symbols" || true)
[[ -z $strange ]] || fail "more is to be seen than the client: $(head -5 <<<"$strange" | c++filt)"

echo "a build folder in PATH is not taken for an installation"
env -u CMAKE_PREFIX_PATH PATH="$build:$prefix/bin:$PATH" cmake -S "$source/tests/consumer" \
  -B "$work/by_path" -DCMAKE_CXX_COMPILER="$compiler" -DBOOST_INCLUDE="$boost" >"$work/log" 2>&1 ||
  fail "find_package does not get past the build folder: $(cat "$work/log")"

echo "pkg-config"
export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name baton-client.pc)")
read -ra package <<<"$(pkg-config --cflags --libs baton-server) $flags"
"$compiler" -std=c++20 "$source/tests/consumer/main.cpp" "${package[@]}" -o "$work/by_pkg_config" ||
  fail "the consumer is not built with pkg-config"
mkdir "$work/folder"
[[ $("$work/by_pkg_config" "$work/folder") == works ]] || fail "it does not work with pkg-config"
read -ra package <<<"$(pkg-config --cflags --libs baton-peer) $flags"
"$compiler" -std=c++20 "$source/tests/consumer/peers.cpp" "${package[@]}" -o "$work/peers_by_pkg_config" ||
  fail "peers are not built with pkg-config"
read -ra package <<<"$(pkg-config --cflags --libs baton-client-shared) $flags"
"$compiler" -std=c++20 "$source/tests/consumer/with_shared_client.cpp" "${package[@]}" \
  -o "$work/shared_by_pkg_config" || fail "the shared client is not to be had with pkg-config"
[[ $(LD_LIBRARY_PATH=$(dirname "$library") "$work/shared_by_pkg_config" \
  "unix:$work/shared/socket") == works ]] || fail "the shared client does not work with pkg-config"
