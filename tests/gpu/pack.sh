# shellcheck shell=sh disable=SC2034,SC2154 # variables are shared with gpu.sh
# Read by gpu.sh: one folder for a machine without network.

# make_pack <folder>: the sources of this commit, GoogleTest's, and in carried/
#   full.tar.gz, plain.tar.gz  stripped programs, with cuBLAS and cuSOLVER and without
#   cache        the kernels, compiled for sm_90
#   lib, stub    libcudart, and an NVRTC that compiles nothing, where the machine has none
# With --bin the programs are those of that folder, and no kernels are compiled.
make_pack() {
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

  mkdir -p "$carried/lib" "$carried/stub" "$carried/full" "$carried/plain"
  if [ -n "$bin" ]; then
    cp "$bin"/* "$carried/full/"
    echo "$parts" > "$carried/full/parts"
  else
    LD_LIBRARY_PATH=$tree/lib64
    export LD_LIBRARY_PATH
    build_into build/gpu-pack/full "$tree" "$parts" || return
    # Of the plain ones the first suite and the figures; the rest would be the same again.
    (suites="" && build_into build/gpu-pack/plain "$tree" cuda) || return
    cp build/gpu-pack/full/bin/* "$carried/full/"
    for program in trifac-gpu-bench cuda_test parts; do
      cp "build/gpu-pack/plain/bin/$program" "$carried/plain/"
    done
    cmake --build build/gpu-pack/full --target cuda_fill_cache || return
    TRIFAC_CACHE_DIR=$carried/cache build/gpu-pack/full/tests/cuda_double/cuda_fill_cache || return
  fi
  cp -L "$tree"/lib64/libcudart.so.[0-9]* "$carried/lib/"
  version=$(sed -n 's/#define CUDART_VERSION *\([0-9]*\).*/\1/p' "$tree/include/cuda_runtime_api.h")
  soname=libnvrtc.so.$((version / 1000))
  # NVIDIA's symbols have the library's name as their version, and the loader insists on it.
  echo "$soname { nvrtc*; };" > "$carried/versions"
  ${CC-cc} -shared -fPIC -DMAJOR=$((version / 1000)) -DMINOR=$((version % 1000 / 10)) \
    -Wl,-soname,"$soname",--version-script="$carried/versions" tests/gpu/nvrtc_stub.c \
    -o "$carried/stub/$soname" || return
  rm "$carried/versions"
  if [ -z "$bin" ] && ! LD_LIBRARY_PATH=$carried/lib:$carried/stub "$carried/plain/cuda_test" \
    --gtest_list_tests > /dev/null; then
    echo "programs do not start with the stand-in for NVRTC" >&2
    return 1
  fi

  strip "$carried"/full/* "$carried"/plain/* 2> /dev/null
  for programs in full plain; do  # a suite has 9 MB, here 4
    tar -czf "$carried/$programs.tar.gz" -C "$carried" "$programs" && rm -r "${carried:?}/$programs" ||
      return
  done
  size=$(du -sm "$folder" | cut -f 1)
  echo "$size MB in $folder; there: tests/gpu.sh"
  if [ "$size" -gt 60 ]; then echo "that is more than 60 MB" >&2; return 1; fi
}
