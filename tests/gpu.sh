#!/bin/sh
# Builds the CUDA tests and benchmarks on a machine with a GPU, runs them, and writes figures: one
# script, no network, meant for 8 minutes; by its limits at most 18.
#
#   tests/gpu.sh [<folder for results>]        default: build/gpu/results
#   tests/gpu.sh --pack <file.tar.gz>          what to take along: this commit and GoogleTest's sources
#
# Needs a C++20 compiler, CMake, Ninja or Make, the CUDA Toolkit 12.8 or later (CUDAToolkit_ROOT says
# where) and GoogleTest: installed, or its sources in GTEST_SOURCE, tests/googletest or
# /usr/src/googletest. Ends with one line of verdict.
set -u
cd "$(dirname "$0")/.." || exit 1

if [ "${1-}" = --pack ]; then
  pack=${2:?usage: $0 --pack <file.tar.gz>}
  git archive --format=tar HEAD > "$pack.tar" &&
    tar -rf "$pack.tar" -h -C /usr/src --transform 's,^googletest,tests/googletest,' googletest &&
    gzip -c "$pack.tar" > "$pack" && rm "$pack.tar"
  exit
fi
results=${1:-build/gpu/results}
mkdir -p "$results"
failed=""
jobs=$(nproc 2> /dev/null || echo 4)

# step <name> <seconds> <command>...: runs it for at most so long, keeps what it says.
step() {
  name=$1 limit=$2
  shift 2
  printf '=== %s\n' "$name"
  if timeout "$limit" "$@" > "$results/$name.log" 2>&1; then
    tail -n 3 "$results/$name.log"
  else
    printf 'FAILED (exit code %s); the end of %s:\n' "$?" "$results/$name.log"
    tail -n 30 "$results/$name.log"
    failed="$failed $name"
    return 1
  fi
}
finish() {
  if [ -z "$failed" ]; then echo "gpu: OK, results in $results"; exit 0; fi
  echo "gpu: FAILED:$failed"
  exit 1
}

nvidia-smi > "$results/machine.log" 2>&1 && head -n 15 "$results/machine.log"

set -- -S . -B build/gpu -DCMAKE_BUILD_TYPE=Release -DTRIFAC_WITH_CUSOLVER=ON -DTRIFAC_TEST_CUDA=device \
  -DTRIFAC_BUILD_EXAMPLES=OFF -DTRIFAC_WITH_OPENCL=OFF -DTRIFAC_WITH_LAPACK=OFF
if command -v ninja > /dev/null; then set -- "$@" -G Ninja; fi
for source in "${GTEST_SOURCE-}" "$PWD/tests/googletest" /usr/src/googletest; do
  if [ -f "$source/CMakeLists.txt" ]; then set -- "$@" -DGTEST_SOURCE="$source" && break; fi
done
step configure 60 cmake "$@" || finish
suites="cuda_cholesky_test cuda_lu_test cuda_tournament_test cuda_solve_test cuda_contract_test"
# shellcheck disable=SC2086 # a list of words
step build 240 cmake --build build/gpu -j "$jobs" --target trifac_gpu_bench cuda_link_test \
  cuda_test cusolver_test $suites || finish

tests=build/gpu/tests/cuda_double
step link 30 build/gpu/tests/cuda_link_test --gtest_brief=1
# The first one compiles most kernels; the others find them on disk.
step cuda_test 120 "$tests/cuda_test" --gtest_brief=1
for suite in cusolver_test $suites; do
  step "$suite" 60 "$tests/$suite" --gtest_brief=1 '--gtest_filter=-*Full*:*AnyNumberOfThreads*'
done

# Accesses out of bounds and races in shared memory, at small sizes.
if command -v compute-sanitizer > /dev/null; then
  for tool in memcheck racecheck; do
    step "$tool" 60 compute-sanitizer --tool "$tool" --error-exitcode 9 "$tests/cuda_test" \
      --gtest_brief=1 '--gtest_filter=CudaOf/double.Resident*:CudaOf/double.Blocks*:CudaOf/double.NarrowPanels*'
  done
else
  echo "compute-sanitizer was not found: no memcheck, no racecheck"
fi

step benchmark 150 build/gpu/bench/trifac-gpu-bench --seconds 110 --json "$results/figures.json" &&
  cp "$results/benchmark.log" "$results/table.txt" && cat "$results/table.txt"
finish
