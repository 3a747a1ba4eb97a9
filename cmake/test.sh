#!/bin/sh
# Builds the tests as users build the library and runs them: the quick tier (every suite in one or
# two element types), or all with --full (in four, and the benchmarks and the study with theirs).
# On a bare Debian or Ubuntu machine it first installs what is missing. Ends with one line of
# verdict and the exit code that goes with it.
set -eu
cd "$(dirname "$0")/.."
. cmake/setup.sh

case ${1-} in
  "") tier="the quick tier" select="-L quick" full=OFF targets=all ;;
  --full) tier="all tests" select="" full=ON targets="all benchmarks" ;;
  *) step="reading the arguments; usage: $0 [--full]" && exit 2 ;;
esac

install_missing g++ gdb cmake ninja-build pkg-config python3 python3-scipy git \
  liblapacke-dev libopenblas-dev libgtest-dev libbenchmark-dev libeigen3-dev libboost-dev \
  pocl-opencl-icd ocl-icd-opencl-dev opencl-headers oclgrind libstarpu-dev \
  libopenmpi-dev openmpi-bin libscalapack-openmpi-dev

# The CUDA backend is compiled with NVIDIA's headers and tested on a double, which needs no GPU. The
# toolkit is too large to fetch unasked: where it is missing we do without. (cmake/cuda_from_pypi.sh
# fetches what we need of it, CUDAToolkit_ROOT says where it lies.)
cuda_root=${CUDAToolkit_ROOT-/usr/local/cuda}
cuda=OFF
if [ -e "$cuda_root/include/cuda_runtime_api.h" ]; then cuda=ON; fi
if [ "$cuda" = OFF ]; then say "no CUDA Toolkit in $cuda_root: the CUDA backend is not built"; fi

# ON: a backend that cannot be built is an error here, not a silent gap.
begin "configuring"
cmake --preset release \
  -DTRIFAC_WITH_OPENMP=ON -DTRIFAC_WITH_LAPACK=ON -DTRIFAC_WITH_OPENCL=ON \
  -DTRIFAC_WITH_STARPU=ON -DTRIFAC_WITH_DISTRIBUTED=ON \
  -DTRIFAC_BUILD_LAPACK_ABI=ON \
  -DTRIFAC_WITH_CUDA=$cuda -DCUDAToolkit_ROOT="$cuda_root" -DTRIFAC_TEST_FULL=$full
begin "building the library, examples and tests"
# shellcheck disable=SC2086 # one word, or two
cmake --build --preset release --target $targets
begin "running $tier"
results=build/release/results.xml
code=0
# shellcheck disable=SC2086 # no word, or two
ctest --preset release --progress --output-junit results.xml $select || code=$?

# The counts of the first <testsuite …> tag.
count() { sed -n "s/.*[[:space:]]$1=\"\([0-9]*\)\".*/\1/p" "$results" | head -n 1; }
if [ -f "$results" ]; then
  failed=$(count failures) skipped=$(count skipped)
  passed=$(($(count tests) - failed - skipped))
  verdict="$passed passed, $failed failed, $skipped skipped"
  step="$step: $verdict"
fi
exit "$code"
