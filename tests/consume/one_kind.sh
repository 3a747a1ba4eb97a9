#!/bin/sh
# An installed trifac of which a package has left out one of the two libraries of kernels: programs get the
# other, whichever they ask for: one_kind.sh <folder> <prefix> <generator> <compiler>
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$1 prefix=$2 generator=$3 compiler=$4
rm -rf "$work"
mkdir -p "$work"
for kind in a so; do
  cp -R "$prefix" "$work/$kind"
  for other in a so; do
    [ $other = $kind ] || find "$work/$kind" -name "libtrifac-kernels.$other*" -exec rm {} +
  done
  for shared in OFF ON; do
    cmake -S "$here/kernels" -B "$work/build" --fresh -G "$generator" -DCMAKE_CXX_COMPILER="$compiler" \
      -DCMAKE_PREFIX_PATH="$work/$kind" -DBUILD_SHARED_LIBS=$shared
    cmake --build "$work/build"
    "$work/build/consumer"
    if readelf -d "$work/build/consumer" | grep "NEEDED.*libtrifac-kernels"; then found=so; else found=a; fi
    [ $found = $kind ] || { echo "only the .$kind is there, and the program has the .$found"; exit 1; }
  done
done
