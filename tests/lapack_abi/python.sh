#!/usr/bin/env bash
# NumPy's and SciPy's own tests of linear algebra with libtrifac_lapack.so preloaded, and without:
#
#   tests/lapack_abi/python.sh LIBRARY [PYTHON]
#
# PYTHON: an interpreter with numpy, scipy and pytest; default python3. Fails where a test fails with
# the library that passes without it. Skipped, with exit code 77, where a module is missing.
set -eu

library=$(realpath "$1")
python=${2-python3}
# The tests run elsewhere. Not realpath: an environment's python is a link.
case $python in */*) python=$(cd "$(dirname "$python")" && pwd)/${python##*/} ;; esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$python" -c "import numpy, scipy, pytest, hypothesis" 2> /dev/null || {
  echo "skipped: $python has no numpy, scipy, pytest and hypothesis"
  exit 77
}
suites=(numpy.linalg scipy.linalg.tests.test_basic scipy.linalg.tests.test_decomp
        scipy.linalg.tests.test_decomp_cholesky scipy.linalg.tests.test_decomp_lu
        scipy.linalg.tests.test_lapack scipy.linalg.tests.test_batch)
run() {  # run <name> [environment]: the failed tests, sorted
  (cd "$work" && env "${@:2}" "$python" -m pytest -q -p no:cacheprovider -x --maxfail=200 \
    -W ignore --pyargs "${suites[@]}" > "$1.log" 2>&1) || true
  tail -1 "$work/$1.log"
  grep -E '^(FAILED|ERROR)' "$work/$1.log" | sed 's/ - .*//' | sort > "$work/$1.failed" || true
}
run with LD_PRELOAD="$library" > "$work/with.line" &  # both at once: each leaves cores idle
echo "without: $(run without)"
wait
echo "with:    $(cat "$work/with.line")"
for log in without with; do
  grep -q ' passed' "$work/$log.log" || { tail -20 "$work/$log.log"; echo "the tests did not run"; exit 1; }
done
if comm -13 "$work/without.failed" "$work/with.failed" | tee "$work/new" | grep -q .; then
  cat "$work/new"
  echo "these fail with $library only"
  exit 1
fi
echo "OK: nothing fails with the library that passes without it"
