#!/bin/sh
# trifac.h of an installed trifac with what pkg-config says: c.sh <folder> <prefix>. A program in C
# needs a C compiler alone. Exits with 77 where there is no pkg-config.
set -eu
# shellcheck source=tests/consume/common.sh
. "$(dirname "$0")/common.sh"
main=$(cd "$(dirname "$0")" && pwd)/c/main.c
work=$1 prefix=$2
find_trifac "$prefix"
begin_in "$work"
libdir=$(pkg-config --variable=libdir trifac-kernels)
for compiler in cc gcc clang; do
  command -v $compiler > /dev/null || continue
  # shellcheck disable=SC2046 # several words are wanted
  $compiler -std=c99 -pedantic -Wall -Wextra -Werror "$main" \
    $(pkg-config --cflags --libs trifac-kernels) -Wl,-rpath,"$libdir" -o shared
  ./shared
done
# The header in C++ is that of C.
c++ -std=c++98 -Wall -Wextra -Werror -I "$prefix/include" -x c++ "$main" -x none \
  "$libdir/libtrifac-kernels.a" -pthread -o static
./static
