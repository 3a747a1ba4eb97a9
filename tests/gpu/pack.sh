# shellcheck shell=sh disable=SC2034,SC2154 # variables are shared with gpu.sh
# Read by gpu.sh: one folder for a machine without network.

# make_pack <folder>: the sources of this commit, GoogleTest's, and in carried/
#   full, plain  stripped and compressed programs, with cuBLAS and cuSOLVER and without
#   lib          their libraries, compressed
#   stub         an NVRTC that compiles nothing, where the machine has none
#   cache        the kernels, compiled for sm_90
# Of the suites, those come along for which there is room, in the order in which they run; the others
# are named. With --bin the programs are those of that folder, and no kernels are compiled.
most=45  # MB
make_pack() {
  plain=""
  mkdir -p "$1" build/gpu-pack
  rm -rf "${1:?}/carried" "$1/tests/googletest"  # of a pack before
  folder=$(cd "$1" && pwd)
  find_toolkit "$PWD/build/gpu-pack/toolkit"
  tree=$PWD/build/gpu-pack/toolkit carried=$folder/carried
  if ! has_word cuda "$parts"; then echo "there is no CUDA Toolkit" >&2; return 1; fi
  git archive HEAD CMakeLists.txt LICENSE bench cmake include tests | tar -xf - -C "$folder" || return
  git rev-parse --short HEAD > "$folder/tests/gpu/commit"
  if [ -d /usr/src/googletest ]; then
    cp -rL /usr/src/googletest "$folder/tests/googletest"
    rm -rf "$folder"/tests/googletest/*/test "$folder"/tests/googletest/*/samples
  fi

  mkdir -p "$carried/stub"
  if [ -z "$bin" ]; then
    LD_LIBRARY_PATH=$tree/lib64
    export LD_LIBRARY_PATH
    bin=build/gpu-pack/full/bin plain=build/gpu-pack/plain/bin
    build_into build/gpu-pack/full "$tree" "$parts" || return
    # Of the plain ones the first suite and the figures; the rest would be the same again.
    (suites="" && build_into build/gpu-pack/plain "$tree" cuda) || return
    cmake --build build/gpu-pack/full --target cuda_fill_cache || return
    TRIFAC_CACHE_DIR=$carried/cache LD_LIBRARY_PATH=$tree/lib64:$bin \
      build/gpu-pack/full/tests/cuda_double/cuda_fill_cache || return
  fi
  make_stub || return
  if [ -n "$plain" ] && ! LD_LIBRARY_PATH=$carried/stub:$tree/lib64 "$plain/cuda_test" \
    --gtest_list_tests > /dev/null; then
    echo "programs do not start with the stand-in for NVRTC" >&2
    return 1
  fi

  for library in "$bin"/lib*.so.* "$tree"/lib64/libcudart.so.[0-9]*; do carry lib "$library"; done
  for program in trifac-gpu-bench cuda_test cusolver_test; do carry full "$bin/$program"; done
  for program in trifac-gpu-bench cuda_test; do carry plain "$plain/$program"; done
  echo "$parts" > "$carried/full/parts"
  if [ -n "$plain" ]; then echo cuda > "$carried/plain/parts"; fi
  if ! fits; then echo "more than $most MB without any other suite: $(size)" >&2; return 1; fi
  left_out=""
  for suite in $suites; do
    carry full "$bin/$suite"
    if ! fits; then
      rm "$carried/full/$suite.gz"
      left_out="$left_out $suite"
    fi
  done
  echo "$(size) MB in $folder${left_out:+, without}$left_out; there: tests/gpu.sh"
}
size() {
  du -sm "$folder" | cut -f 1
}
fits() {
  [ "$(size)" -le "$most" ]
}

# carry <folder in carried> <file>: nothing where it has not been built.
carry() {
  if [ ! -f "$2" ]; then return; fi
  mkdir -p "$carried/$1"
  cp -L "$2" "$carried/$1/" || return
  strip "$carried/$1/${2##*/}" 2> /dev/null
  gzip -9 "$carried/$1/${2##*/}"
}

make_stub() {
  version=$(sed -n 's/#define CUDART_VERSION *\([0-9]*\).*/\1/p' "$tree/include/cuda_runtime_api.h")
  soname=libnvrtc.so.$((version / 1000))
  # NVIDIA's symbols have the library's name as their version, and the loader insists on it.
  echo "$soname { nvrtc*; };" > "$carried/versions"
  ${CC-cc} -shared -fPIC -DMAJOR=$((version / 1000)) -DMINOR=$((version % 1000 / 10)) \
    -Wl,-soname,"$soname",--version-script="$carried/versions" tests/gpu/nvrtc_stub.c \
    -o "$carried/stub/$soname" || return
  rm "$carried/versions"
}
