#!/bin/sh
# Who chooses neither a build type nor flags gets libraries that are optimized:
# no_build_type.sh <source folder> <folder> <compiler>.
set -eu
# shellcheck source=tests/consume/common.sh
. "$(dirname "$0")/common.sh"
source=$1 work=$2 compiler=$3
begin_in "$work"
unset CXXFLAGS
cmake -S "$source" -B . -G Ninja -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_EXPORT_COMPILE_COMMANDS=ON \
  -DTRIFAC_BUILD_LAPACK_ABI=ON -DTRIFAC_BUILD_TESTS=OFF -DTRIFAC_BUILD_BENCHMARKS=OFF \
  -DTRIFAC_BUILD_EXAMPLES=OFF > configure.log
grep '"command"' compile_commands.json > commands
[ "$(grep -c "lapack_abi" commands)" -ge 5 ] && [ "$(grep -c "kernels/" commands)" -ge 4 ]
# Instances for devices are for the programs of this build, of which there are none here.
if grep -v -- '_instances.dir' commands | grep -v -- ' -O[12] '; then
  echo "these are not optimized"
  exit 1
fi
