#!/bin/sh
# Flags of -ffast-math: fast_math.sh <include folder>. What takes NaN and infinity away is refused,
# with trifac::kernels as without, and the flag that the message names suffices. What is compiled
# with the other flags has names of its own.
set -eu
include=$1
fail() {
  echo "FAILED: $1"
  exit 1
}
# preprocess <compiler> <flag>...
preprocess() {
  printf '#include "trifac/trifac.hpp"\nTRIFAC_ABI\n' | "$@" -std=c++20 -I "$include" -E -P -x c++ -
}

for compiler in g++ clang++; do
  command -v $compiler > /dev/null || continue
  for kernels in 0 1; do
    for flags in -ffast-math -Ofast -ffinite-math-only "-Ofast -fno-finite-math-only -ffast-math"; do
      # shellcheck disable=SC2086 # several words are wanted
      set -- $compiler -DTRIFAC_USE_KERNELS=$kernels $flags
      message=$(preprocess "$@" 2>&1 > /dev/null) && fail "$* is accepted"
      remedy=$(echo "$message" | sed -n 's/.*error.* add \(-f[a-z-]*\) .*/\1/p' | head -n 1)
      [ -n "$remedy" ] || fail "$* has no remedy: $message"
      preprocess "$@" "$remedy" > /dev/null || fail "$* $remedy is refused"
      preprocess "$@" -DTRIFAC_ALLOW_FAST_MATH > /dev/null || fail "$*: nobody can insist"
    done
  done
done

# Clang does not tell these flags.
if ! g++ -ffast-math -dM -E -x c++ /dev/null | grep -q __ASSOCIATIVE_MATH__; then
  echo "skipped: there is no GCC from version 12 on"
  exit 77
fi
names=$(for flags in "" -freciprocal-math -fno-signed-zeros "-freciprocal-math -fno-signed-zeros" \
  "-fassociative-math -fno-signed-zeros -fno-trapping-math" "-ffast-math -fno-finite-math-only" \
  "-ffast-math -DTRIFAC_ALLOW_FAST_MATH"; do
  # shellcheck disable=SC2086
  preprocess g++ $flags | tail -n 1
done)
echo "$names"
[ "$(echo "$names" | sort -u | wc -l)" = 7 ] || fail "two have one name"
