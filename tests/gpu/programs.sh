# shellcheck shell=sh disable=SC2034,SC2154 # variables are shared with gpu.sh
# Read by gpu.sh: the programs to run, carried or built.

# In the order in which they run and are packed.
suites="cuda_batch_test cuda_cholesky_test cuda_lu_test cuda_tournament_test cuda_solve_test
  cuda_solves_test cuda_contract_test"

# has <program>: whether there is one.
has() {
  [ -n "$rehearsal" ] || [ -x "$bin/$1" ]
}
# has_part <part>: whether the programs were built with it, of cublas cusolver.
has_part() {
  [ -n "$rehearsal" ] || [ ! -e "$bin/parts" ] || grep -qw "$1" "$bin/parts"
}
# starts <folder>: whether its programs start here and find a device; logs/start.log tells why not.
starts() {
  [ -x "$1/trifac-gpu-bench" ] && [ -x "$1/cuda_test" ] &&
    timeout 30 "$1/trifac-gpu-bench" --device > /dev/null 2>> "$results/logs/start.log"
}

# Sets `bin` and `binaries`: what the user names, what was carried, what is built, and last what was
# carried for machines without cuBLAS.
find_programs() {
  LD_LIBRARY_PATH=$results/toolkit/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  export LD_LIBRARY_PATH
  if [ -d carried/cache ]; then  # a folder of ours, which the programs trust
    TRIFAC_CACHE_DIR=$results/cache
    export TRIFAC_CACHE_DIR
    mkdir -p "$results/cache" && cp carried/cache/* "$results/cache/" && chmod 700 "$results/cache"
    chmod 600 "$results"/cache/*
  fi
  if [ -n "$bin" ]; then binaries=given; return; fi
  carried=$results/carried
  if [ -d carried/full ]; then
    mkdir -p "$carried"
    cp -r carried/full carried/plain carried/lib "$carried/" 2> /dev/null
    gzip -d "$carried"/*/*.gz && chmod -R u+rwx "$carried"
  fi
  if [ -n "$rehearsal" ]; then
    item build 100 180 true
    bin=. binaries=none
    return
  fi
  # The carried libcudart comes after the machine's own, and trifac::kernels with it.
  LD_LIBRARY_PATH=$LD_LIBRARY_PATH:$carried/lib
  if starts "$carried/full"; then bin=$carried/full binaries=carried; return; fi
  if has_word cuda "$parts"; then
    # shellcheck disable=SC2016 # for the other shell
    item build 60 180 sh -c '. tests/gpu/programs.sh; build_into build/gpu "$1" "$2"' sh \
      "$results/toolkit" "$parts"
    record
    if starts build/gpu/bin; then bin=build/gpu/bin binaries=built; return; fi
  fi
  # NVRTC may be missing: all kernels are in the cache.
  if [ ! -e "$results/toolkit/lib64/libnvrtc.so" ]; then LD_LIBRARY_PATH=$LD_LIBRARY_PATH:$PWD/carried/stub; fi
  if starts "$carried/plain"; then bin=$carried/plain binaries="carried, without cuBLAS"; fi
}
has_word() {
  case " $2 " in *" $1 "*) return 0 ;; *) return 1 ;; esac
}

# build_into <folder> <toolkit> <parts>: all programs, with every core; trifac::kernels is shared, as
# it would make up most of each.
build_into() {
  with="-DTRIFAC_WITH_CUSOLVER=OFF"
  if has_word cusolver "$3" && has_word cublas "$3"; then with="-DTRIFAC_WITH_CUSOLVER=ON"; fi
  if ! has_word cublas "$3"; then with="$with -DTRIFAC_WITH_CUBLAS=OFF"; fi
  for source in "${GTEST_SOURCE-}" "$PWD/tests/googletest" /usr/src/googletest; do
    if [ -f "$source/CMakeLists.txt" ]; then with="$with -DGTEST_SOURCE=$source" && break; fi
  done
  if command -v ninja > /dev/null; then with="$with -G Ninja"; fi
  # shellcheck disable=SC2086 # lists of words
  cmake -S . -B "$1" -DCMAKE_BUILD_TYPE=Release -DTRIFAC_TEST_CUDA=device $with \
    -DBUILD_SHARED_LIBS=ON -DCMAKE_BUILD_WITH_INSTALL_RPATH=ON "-DCMAKE_INSTALL_RPATH=\$ORIGIN" \
    -DCUDAToolkit_ROOT="$2" -DTRIFAC_BUILD_EXAMPLES=OFF -DTRIFAC_WITH_OPENCL=OFF \
    -DTRIFAC_WITH_LAPACK=OFF -DTRIFAC_WITH_STARPU=OFF -DTRIFAC_WITH_DISTRIBUTED=OFF &&
    cmake --build "$1" -j "$(nproc)" --target trifac_gpu_bench cuda_test &&
    gather "$1" "$3" || return
  if has_word cusolver "$3"; then cmake --build "$1" -j "$(nproc)" --target cusolver_test; fi
  # shellcheck disable=SC2086 # a list of words
  if [ -n "$suites" ]; then cmake --build "$1" -j "$(nproc)" --target $suites; fi
  gather "$1" "$3"
}
# gather <folder> <parts>: what has been built, in <folder>/bin.
gather() {
  mkdir -p "$1/bin"
  for program in "$1"/bench/trifac-gpu-bench "$1"/tests/cuda_double/cu*_test; do
    if [ -f "$program" ]; then cp "$program" "$1/bin/"; fi
  done
  for library in "$1"/lib*.so.* "$1"/lib/lib*.so.*; do  # by the name that programs ask for
    if [ -f "$library" ] && readelf -d "$library" | grep SONAME | grep -qF "[${library##*/}]"; then
      cp -L "$library" "$1/bin/"
    fi
  done
  echo "$2" > "$1/bin/parts"
}
