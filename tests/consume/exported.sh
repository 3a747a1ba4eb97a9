#!/bin/sh
# A project that has trifac inside, exports its own libraries and is found by another project; and what
# its shared library shows: exported.sh <folder> <trifac's folder> <generator> <compiler> <option>...
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$1 trifac=$2 generator=$3 compiler=$4
shift 4
rm -rf "$work"
cmake -S "$here/exported" -B "$work/build" -G "$generator" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_CXX_COMPILER="$compiler" -DTRIFAC_SOURCE_DIR="$trifac" -DCMAKE_INSTALL_LIBDIR=lib "$@"
cmake --build "$work/build"
cmake --install "$work/build" --prefix "$work/prefix"
cmake -S "$here/exported/user" -B "$work/user" -G "$generator" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$work/prefix"
cmake --build "$work/user"
"$work/user/user_of_regression"
"$work/user/user_of_filter"
nm -DC --defined-only "$work/prefix/lib/libfilter.so" > "$work/shown"
grep "regression" "$work/shown"
# (The memory that a thread keeps between calls is one for the whole program.)
if grep "trifac::" "$work/shown" | grep -v "workspace_cache_memory"; then
  echo "the shared library shows symbols of trifac"
  exit 1
fi
