#!/bin/sh
# What a shared library with trifac inside shows, built with what pkg-config says of an installed
# trifac: shared_library.sh <folder> <prefix> <compiler>. Exits with 77 where pkg-config is missing.
set -eu
# shellcheck source=tests/consume/common.sh
. "$(dirname "$0")/common.sh"
here=$(cd "$(dirname "$0")" && pwd)
work=$1 prefix=$2 compiler=$3
find_trifac "$prefix"
begin_in "$work"
libdir=$(pkg-config --variable=libdir trifac-kernels)

# build <name> <word>...: lib<name>.so, a program that calls it, and the file <name> of what it
# shows of trifac but the memory that a thread keeps between calls, of which a program has one.
build() {
  name=$1
  shift
  "$compiler" -std=c++20 -O1 -pthread -fPIC -shared "$here/exported/regression.cpp" "$@" -o "lib$name.so"
  "$compiler" -std=c++20 -I "$here/exported" "$here/exported/user/main.cpp" \
    -L . "-l$name" -Wl,-rpath,"$work" -o "user_of_$name"
  "./user_of_$name"
  nm -DC --defined-only "lib$name.so" > symbols
  grep -q "regression" symbols
  grep "trifac::" symbols | grep -v "workspace_cache_memory" > "$name" || true
}
hidden="-fvisibility=hidden -fvisibility-inlines-hidden"
# shellcheck disable=SC2046,SC2086 # several words are wanted
{
  build headers $(pkg-config --cflags trifac) $hidden
  build linked $(pkg-config --cflags trifac-kernels) $hidden \
    "$libdir/libtrifac-kernels.a" -Wl,--exclude-libs,libtrifac-kernels.a
  # These flags are needed.
  build shown $(pkg-config --cflags trifac)
  build included $(pkg-config --cflags trifac-kernels) $hidden "$libdir/libtrifac-kernels.a"
}
for name in headers linked; do
  if [ -s $name ]; then
    cat $name
    echo "lib$name.so shows symbols of trifac"
    exit 1
  fi
done
[ -s shown ] && [ -s included ]
