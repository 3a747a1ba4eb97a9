#!/bin/sh
# Builds and runs the consumer without CMake: by_hand.sh <compiler> <program> <flag>...
# Exits with 77 where the compiler is not there.
set -eu
here=$(dirname "$0")
compiler=$1 program=$2
shift 2
if ! command -v "$compiler" > /dev/null; then
  echo "skipped: there is no $compiler"
  exit 77
fi
mkdir -p "$(dirname "$program")"
set -x
"$compiler" -std=c++20 -Wall -Wextra -Wpedantic -Werror "$@" "$here/main.cpp" -o "$program"
"$program"
