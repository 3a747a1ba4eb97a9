#!/bin/sh
# A header-only program of which one file compiles the calls, without CMake: declared.sh <compiler>
# <folder for programs> <flag>... No object file but that one has a kernel.
# Exits with 77 where the compiler is not there.
set -eu
# shellcheck source=tests/consume/common.sh
. "$(dirname "$0")/common.sh"
here=$(cd "$(dirname "$0")" && pwd)/declared
compiler=$1 work=$2
shift 2
if ! command -v "$compiler" > /dev/null; then
  echo "skipped: there is no $compiler"
  exit 77
fi
begin_in "$work"
for file in main other calls; do
  "$compiler" -std=c++20 -Wall -Wextra -Wpedantic -Werror -DTRIFAC_DECLARE -pthread "$@" -c "$here/$file.cpp" -o $file.o
done
"$compiler" -pthread main.o other.o calls.o -o program
./program
for file in main other; do
  if nm -C $file.o | grep -E " [TtWw] .*(simd::(baseline|avx2|avx512|neon)::|calls<double)"; then
    echo "$file.cpp compiles kernels in spite of TRIFAC_DECLARE"
    exit 1
  fi
done
