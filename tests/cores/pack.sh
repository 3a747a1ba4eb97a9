# shellcheck shell=sh disable=SC2034,SC2154 # variables are shared with cores.sh
# Read by cores.sh after gpu/pack.sh, whose most, size and carry it takes: one folder for a machine
# without network.

# make_pack <folder>: bench/ and tests/ of this commit, and in carried/
#   bin  compressed programs: trifac-cores, trifac-tasks, the runners of bench/compare
#   lib  the libraries that a bare machine lacks: StarPU's, OpenBLAS and of MKL what runners call
make_pack() {
  mkdir -p "$1" build/cores-pack
  rm -rf "${1:?}/carried" # of a pack before
  folder=$(cd "$1" && pwd) build=$PWD/build/cores-pack
  carried=$folder/carried
  git archive HEAD LICENSE bench tests/cores tests/cores.sh tests/gpu | tar -xf - -C "$folder" || return
  git rev-parse --short HEAD > "$folder/tests/cores/commit"
  cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DTRIFAC_WITH_CUDA=OFF -DTRIFAC_WITH_OPENCL=OFF \
    -DTRIFAC_WITH_LAPACK=OFF -DTRIFAC_WITH_DISTRIBUTED=OFF -DTRIFAC_BUILD_EXAMPLES=OFF \
    -DBUILD_TESTING=OFF -DTRIFAC_BUILD_BENCHMARKS=ON || return
  cmake --build "$build" -j "$(nproc)" --target trifac_cores trifac_tasks || return
  python3 -B bench/compare --build --output "$build/compare" || return
  libraries_into "$build/lib" || return

  for program in "$build"/bench/trifac-cores "$build"/bench/trifac-tasks "$build"/compare/trifac \
    "$build"/compare/library "$build"/compare/batched-trifac "$build"/compare/batched-library; do
    if [ ! -f "$program" ]; then echo "there is no $program" >&2; return 1; fi
    carry bin "$program" || return
  done
  for library in "$build"/lib/*.so*; do carry lib "$library" || return; done
  if ! fits; then echo "$(size) MB are more than $most" >&2; return 1; fi
  echo "$(size) MB in $folder; there: tests/cores.sh"
}

# libraries_into <folder>: what trifac-tasks loads but the C and C++ libraries, and from PyPI OpenBLAS
# and MKL, whose archives are linked to one library of the routines that bench/compare calls.
libraries_into() {
  mkdir -p "$1"
  ldd "$build/bench/trifac-tasks" | awk '$3 ~ /^\// { print $3 }' |
    grep -Ev '/(libc|libm|libgcc_s|libstdc\+\+|libgomp|libpthread|libdl|ld-linux.*)\.so' |
    while read -r library; do cp -L "$library" "$1/"; done
  if [ ! -f "$1/libscipy_openblas.so" ]; then
    fetch scipy-openblas32 '*/libscipy_openblas.so' || return
    mv "$build"/fetched/scipy_openblas32/lib/libscipy_openblas.so "$1/" || return
  fi
  if [ -f "$1/libmkl_few.so" ]; then return; fi
  fetch mkl-static '*/libmkl_intel_lp64.a' '*/libmkl_gnu_thread.a' '*/libmkl_core.a' || return
  from=$(dirname "$(find "$build/fetched" -name libmkl_core.a)")
  wanted=$(for t in s d c z; do for f in potrf getrf potrs getrs; do echo "-Wl,-u,$t${f}_"; done; done
    for t in s d; do
      for f in potrf getrfnp trsm gepack geunpack getrinp; do echo "-Wl,-u,mkl_$t${f}_compact"; done
    done
    for f in MKL_Set_Num_Threads mkl_get_version_string MKL_Get_Version_String; do echo "-Wl,-u,$f"; done)
  # shellcheck disable=SC2086 # a list of words
  ${CC-cc} -shared -o "$1/libmkl_few.so" $wanted -Wl,--start-group "$from"/libmkl_intel_lp64.a \
    "$from"/libmkl_gnu_thread.a "$from"/libmkl_core.a -Wl,--end-group -lgomp -lpthread -lm -ldl &&
    rm -r "$build/fetched"
}
# fetch <package> <pattern>...: files of a wheel, below build/cores-pack/fetched.
fetch() {
  package=$1
  shift
  python3 -m pip download --quiet --disable-pip-version-check --no-deps -d "$build/wheels" "$package" &&
    python3 -c 'import fnmatch, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as wheel:
    for name in wheel.namelist():
        if any(fnmatch.fnmatch(name, p) for p in sys.argv[3:]): wheel.extract(name, sys.argv[2])' \
      "$(find "$build/wheels" -name "$(echo "$package" | tr - _)*.whl" | head -n 1)" "$build/fetched" "$@"
}
