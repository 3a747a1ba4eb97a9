#!/bin/sh
# The main job: compiles and runs README.md's first program, then builds the program `trifac` and
# lets it factor each matrix in examples/data and one of order 2000, by Cholesky where it is
# symmetric and by LU, and solve, on every backend there is. The tables are in double; at the first
# call the program gets the other types only after them, so that nobody waits for these. On a bare
# Debian or Ubuntu machine it first installs what is missing. Ends with one line of verdict and the
# exit code that goes with it. With the folder of a build that is configured it takes the program of
# that one.
set -eu
cd "$(dirname "$0")/.."
. cmake/setup.sh

if [ $# -eq 0 ]; then say "about 2 minutes on 2 cores to the first table, 4 in all, nearly all of it compiling"; fi
install_missing g++ cmake ninja-build liblapacke-dev libopenblas-dev

build=${1:-build/run}
mkdir -p "$build"
begin "compiling the first program of README.md"
sed -n '/^```cpp$/,/^```$/p' README.md | sed '1d; /^```$/,$d' > "$build/first.cpp"
start=$(date +%s)
"${CXX:-g++}" -std=c++20 -O2 -I include "$build/first.cpp" -o "$build/first"
say "compiled in $(($(date +%s) - start)) s"
"$build/first"

cuda="" tuner=""  # of a build that is configured here
if [ $# -eq 0 ]; then
  # A machine without an NVIDIA GPU compiles nothing of CUDA's, even if it has the CUDA Toolkit,
  # and no tuner of batches, which has little to choose on a CPU.
  cuda=AUTO tuner=ON
  if ! nvidia-smi -L > /dev/null 2>&1 && ! [ -e /dev/nvidiactl ]; then
    say "No NVIDIA GPU: cuda, cusolver and trifac tune are left out"
    cuda=OFF tuner=OFF
  fi
fi
trifac=$build/examples/trifac

all_types="double;float;std::complex<double>;std::complex<float>"

# build_trifac <types>: TRIFAC_KERNEL_TYPES of a build that is configured here
build_trifac() {
  if [ -n "$cuda" ]; then
    begin "configuring"
    cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DTRIFAC_KERNEL_TYPES="$1" \
      -DTRIFAC_BUILD_TESTS=OFF -DTRIFAC_BUILD_BENCHMARKS=OFF \
      -DTRIFAC_WITH_CUDA=$cuda -DTRIFAC_WITH_CUSOLVER=$cuda -DTRIFAC_BUILD_TUNER=$tuner
  fi
  begin "building the program trifac"
  cmake --build "$build" --target trifac
}

types=double
if [ -e "$trifac" ]; then types=$all_types; fi  # of an earlier call
build_trifac "$types"
"$trifac" info
matrices=0
for file in examples/data/*.mtx; do
  begin "factoring $file"
  "$trifac" factor "$file"
  "$trifac" factor "$file" --algorithm lu
  matrices=$((matrices + 1))
done
begin "factoring random matrices of order 2000"
"$trifac" factor --random spd 2000
"$trifac" factor --random general 2000
if [ -n "$cuda" ] && [ "$types" = double ]; then
  say "all is right; now the other types of the program: float, complex-float, complex-double"
  build_trifac "$all_types"
fi
verdict="$matrices matrices and two random ones factored and solved; the program is $trifac"
