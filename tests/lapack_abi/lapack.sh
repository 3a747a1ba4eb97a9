#!/usr/bin/env bash
# LAPACK's own test programs of linear equations (TESTING/LIN: factorizations, solves, inverses,
# condition numbers, refinement, drivers and error exits, in all four types, and the mixed-precision
# drivers) with libtrifac_lapack.so before the reference library:
#
#   tests/lapack_abi/lapack.sh LIBRARY [SOURCES]
#
# LIBRARY: libtrifac_lapack.so. SOURCES: an unpacked LAPACK 3.11 or newer; without it Debian's source
# package, by apt-get source, which needs its deb-src line. Needs gfortran, make and liblapack-dev.
# Fails where a program says that a test or an error exit failed. Skipped, with exit code 77, without
# a compiler or sources.
set -eu

library=$(realpath "$1")
sources=${2-}
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT

skip() {
  echo "skipped: $1"
  exit 77
}
command -v gfortran > /dev/null || skip "gfortran is missing"
if [ -z "$sources" ]; then
  (cd "$build" && apt-get source --download-only lapack > apt.log 2>&1) || skip "apt-get source lapack: no sources"
  tar -xf "$build"/lapack_*.orig.tar.* -C "$build"
  sources=$(echo "$build"/lapack-*/)
fi
cp -r "$sources" "$build/lapack"
cd "$build/lapack"
cp make.inc.example make.inc

# A library for the linker: ours first, the rest from the machine's.
echo "INPUT($library -llapack -lblas)" > liblapack_with_trifac.a
link=(LAPACKLIB="$PWD/liblapack_with_trifac.a" BLASLIB=-lblas XBLASLIB= VARLIB=)
export LD_LIBRARY_PATH=$(dirname "$library")

make -s -j"$(nproc)" -C INSTALL ilaver.o slamch.o dlamch.o > /dev/null 2>&1 || true
make -s -j"$(nproc)" -C TESTING/MATGEN > make.log 2>&1 || { tail -20 make.log; exit 1; }

status=0
run() {  # run <program> <input>
  # BLASLIB is a flag, no file to wait for.
  make -s -j"$(nproc)" -C TESTING/LIN "$1" "${link[@]}" BLASLIB= >> make.log 2>&1 || { tail -20 make.log; exit 1; }
  if ! ldd "TESTING/LIN/$1" | grep -q trifac; then
    echo "$1 does not use $library"
    exit 1
  fi
  "TESTING/LIN/$1" < "TESTING/$2" > "$1.log" 2>&1 || { echo "$1 ended with $?"; status=1; }
  # "All tests for DGE routines passed", "DPO drivers: 3 out of …", "*** Error exits failed".
  local paths='[SDCZ](GE|PO|PS|TR)|DSGESV|DSPOSV|ZCGESV|ZCPOSV'
  grep -E "($paths).*(passed|failed|out of)" "$1.log" || { echo "$1 tested none of them"; status=1; }
  # Not counted, as they fail whatever solves the systems: LAPACK 3.11's own SLATRS3, which is not
  # replaced; and residuals of order 2 in ?CGESV, of which the bound 1 is below the rounding errors of
  # the BLAS product that measures them.
  local failed known
  failed=$(grep -E "^ ($paths)[^:]*: +[0-9]+ out of" "$1.log" | sed -E 's/.*: +([0-9]+) out of.*/\1/' | awk '{n += $1} END {print n + 0}')
  known=$(grep -cE 'LATRS3\(|N = +2, NRHS= *[0-9]+, type +[0-9]+, test\( 1\) = +1\.[0-9]+ *$' "$1.log" || true)
  if [ "$failed" -gt "$known" ] || grep -E "($paths).*failed the tests|\*\*\* .* error exits" "$1.log"; then
    status=1
  elif [ "$failed" -gt 0 ]; then
    echo "  these $failed are known (see $0)"
  fi
}
run xlintsts stest.in
run xlintstd dtest.in
run xlintstc ctest.in
run xlintstz ztest.in
run xlintstds dstest.in
run xlintstzc zctest.in
[ $status = 0 ] && echo "OK: LAPACK's tests of GE, PO, PS and TR pass in all four types"
exit $status
