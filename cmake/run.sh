#!/bin/sh
# The main job: builds the program `trifac` and lets it factor each matrix in examples/data, by
# Cholesky where it is symmetric and by LU, and solve, on every backend there is. On a bare Debian
# or Ubuntu machine it first installs what is missing. Ends with one line of verdict and the exit
# code that goes with it. With the folder of a build that is configured it takes the program of that
# one.
set -eu
cd "$(dirname "$0")/.."
. cmake/setup.sh

install_missing g++ cmake ninja-build liblapacke-dev libopenblas-dev

build=${1:-build/run}
if [ $# -eq 0 ]; then
  begin "configuring"
  cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DTRIFAC_BUILD_TESTS=OFF -DTRIFAC_BUILD_BENCHMARKS=OFF
fi
begin "building the program"
cmake --build "$build" --target trifac

trifac=$build/examples/trifac
"$trifac" info
matrices=0
for file in examples/data/*.mtx; do
  begin "factoring $file"
  "$trifac" factor "$file"
  "$trifac" factor "$file" --algorithm lu
  matrices=$((matrices + 1))
done
verdict="$matrices matrices factored and solved; the program is $trifac"
