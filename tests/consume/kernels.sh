#!/bin/sh
# The compiled kernels of an installed trifac with other compilers and flags than their own, static
# and shared: kernels.sh <prefix> <folder for programs> <compiler> <flag>...
# The compiler and flags are those that compiled the kernels: with them and without the kernels a
# program has the bits that all others must have. Exits with 77 where there is no pkg-config.
set -eu
# shellcheck source=tests/consume/common.sh
. "$(dirname "$0")/common.sh"
here=$(cd "$(dirname "$0")" && pwd)
prefix=$1 work=$2
shift 2
find_trifac "$prefix"
begin_in "$work"

"$@" -DONLY_DOUBLE -std=c++20 -I "$prefix/include" "$here/kernels/main.cpp" -o headers
./headers > expected
cat expected

# Linking with -ffast-math would have all of the program round subnormal numbers to zero.
without_fast_math() {
  printf '%s ' "$@" | sed 's/-ffast-math//; s/-Ofast/-O3/'
}

libdir=$(pkg-config --variable=libdir trifac-kernels)
cflags=$(pkg-config --cflags trifac-kernels)
count=0
# program <compiler> <flag>...: linked statically and dynamically it prints what is expected.
program() {
  command -v "$1" > /dev/null || return 0
  echo "$*"
  # shellcheck disable=SC2086 # several words are wanted
  "$@" -std=c++20 -Wall -Wextra -Werror $cflags -c "$here/kernels/main.cpp" -o main.o
  link=$(without_fast_math "$@")
  # shellcheck disable=SC2086
  $link main.o "$libdir/libtrifac-kernels.a" -o static
  # shellcheck disable=SC2086
  $link main.o -L "$libdir" -ltrifac-kernels -Wl,-rpath,"$libdir" -o shared
  for kind in static shared; do
    ./$kind > found || { cat found; exit 1; }
    head -n 1 found | cmp expected - || { echo "$kind: other bits than without kernels"; exit 1; }
    [ -f all ] || cp found all
    cmp all found || { echo "$kind: other bits"; cat found; exit 1; }
  done
  count=$((count + 1))
}

program g++ -O0 -g
program g++ -O2 -fno-exceptions
program g++ -O2
program g++ -O3
program g++ -Ofast -march=native -fno-finite-math-only
program g++ -O2 -fopenmp
program clang++ -O2 -march=native
program g++ -O0 -fvisibility=hidden -DWITH_NESTS
[ $count -ge 3 ] || { echo "only $count programs"; exit 1; }

# NaN and infinity, where the flags might take them away. not_finite <compiler> <flag>...: with
# $kernels, or where that is empty with the headers alone.
not_finite() {
  command -v "$1" > /dev/null || return 0
  echo "not finite: $*"
  # shellcheck disable=SC2086
  if [ -n "$kernels" ]; then set -- "$@" $cflags; fi
  "$@" -std=c++20 -Wall -Wextra -Werror -I "$prefix/include" -c "$here/kernels/not_finite.cpp" -o not_finite.o
  # shellcheck disable=SC2046,SC2086
  $(without_fast_math "$@") not_finite.o $kernels -o not_finite
  ./not_finite
}
kernels=$libdir/libtrifac-kernels.a
for compiler in g++ clang++; do
  not_finite $compiler -O2 -ffast-math -fno-finite-math-only
done
not_finite g++ -Ofast -march=native -fno-finite-math-only
kernels=""
not_finite g++ -O2 -DONLY_DOUBLE -ffast-math -fno-finite-math-only

# A program of the common calls reads no kernel and no nest. (Constant expressions run the loops of
# blas/. simd/core/small_kernels.hpp is the table of the kernels' names.)
printf '#include "trifac/trifac.hpp"\n#include "trifac/batch.hpp"\n' > common.cpp
# shellcheck disable=SC2086
"$1" -std=c++20 $cflags -M common.cpp > read
if grep -v small_kernels read | grep -E "trifac/engine/(simd/core|simd/cholesky|simd/batch/kernels|simd/isa/each|simd/lu/(kernels|small)|panel/p|(cholesky|lu|solve|inverse|modify|refine|variants|batch/pieces)/(blocked|calls)|batch/pieces/(lanes_of|factor|solve|contiguous))|immintrin"; then
  echo "kernels are compiled in spite of TRIFAC_USE_KERNELS"
  exit 1
fi

# The shared library has a versioned name and shows nothing but its calls, those of C included.
so=$(readlink -f "$libdir/libtrifac-kernels.so")
readelf -d "$so" | grep "SONAME.*libtrifac-kernels\.so\.[0-9]"
nm -D --defined-only -C "$so" > exported
grep -q "trifac::v[0-9_]*::calls<double, .*>::cholesky" exported
if grep -v "trifac::v[0-9_]*::\(calls\|batch_calls\|task_calls\|variant_calls\)<\|trifac::workspace_cache_memory::\| T trifac_[a-z_]*$" exported; then
  echo "exported besides"
  exit 1
fi
