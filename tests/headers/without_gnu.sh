#!/usr/bin/env bash
# without_gnu.sh <include folder> <compiler> <header>...: the headers compile without kernels, and
# as a compiler that is not GCC or Clang sees them: nothing of theirs is left after preprocessing.
set -eu
include=$1 compiler=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
here=$(dirname "$(readlink -f "$0")")

# The standard library is read first, as this compiler's own needs what is undefined behind it.
grep -rhoE '^ *# *include <[a-z_]+>' "$include/trifac" | grep -oE '<.*>' | sort -u | while read -r name; do
  printf '#if __has_include(%s)\n#include %s\n#endif\n' "$name" "$name"
done > "$work/standard.hpp"
printf '#include "%s"\n' "$@" > "$work/ours.hpp"
printf '#include "%s"\n' standard.hpp "$here/msvc_macros.hpp" ours.hpp > "$work/msvc.cpp"

run=("$compiler" -std=c++20 -w -I "$include" -I "$here")
"${run[@]}" -DTRIFAC_NO_SIMD -fsyntax-only -x c++ "$work/ours.hpp"
"${run[@]}" -fsyntax-only "$work/msvc.cpp"

# What our files become, without those of the compiler and without device code.
"${run[@]}" -E "$work/msvc.cpp" |
  awk -v from="^# [0-9]+ \"($include|$here)/" '/^# [0-9]+ "/ { ours = $0 ~ from && $0 !~ "/trifac/engine/kernel/"; next } ours' > "$work/left.txt"
[ -s "$work/left.txt" ] || { echo "nothing is left of the headers"; exit 1; }
if grep -nE '__builtin_|__attribute__|__asm|__int128|_Pragma|#pragma (GCC|clang)' "$work/left.txt"; then
  echo "extensions of GCC and Clang in what other compilers see"
  exit 1
fi
