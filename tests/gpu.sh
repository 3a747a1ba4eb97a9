#!/bin/sh
# Tests and measures trifac on a machine with a GPU, in one command without network, in at most nine
# minutes:
#
#   tests/gpu.sh [--seconds N] [--orders "N..."] [--depths "K..."] [--bin FOLDER] [--dry-run expected|worst] [FOLDER]
#   tests/gpu.sh --contest [FOLDER]
#   tests/gpu.sh --pack FOLDER
#
# FOLDER (build/gpu/results) receives results.json and table.txt, which are written anew after each
# item, and logs.tar.gz. A figure that fails is an "error" in results.json, and the rest goes on.
#
#   --bin FOLDER     programs to run; otherwise those of a pack beside this script, and where
#                    these do not start what is built now
#   --orders "N..."  of the headline: 1024 4096 16384
#   --depths "K..."  of products and triangular solves: 64 128 256 512
#   --seconds N      ends by then: 540
#   --dry-run HOW    runs nothing: which item comes when, if each takes what is expected, or all it
#                    may
#   --contest        instead, in two minutes: Cholesky in float of the 15 shapes of GPU MODE's public
#                    contest (gpu-mode/reference-kernels, problems/linalg/cholesky_py), from 4096
#                    matrices of order 32 to one of 32768, and PyTorch's where it is installed
#   --pack FOLDER    one folder, at most 45 MB, that runs elsewhere with tests/gpu.sh in it:
#                    programs, the kernels compiled for sm_90, and the sources, should the programs not start;
#                    the last line names the suites for which there is no room
#
# Building needs a C++20 compiler, CMake, CUDA 12.8 or later (tests/gpu/toolkit.sh finds it) and
# GoogleTest. What lacks cuBLAS or cuSOLVER is left out.
set -u
cd "$(dirname "$0")/.." || exit 1

seconds=540 orders="1024 4096 16384" depths="64 128 256 512" bin="" rehearsal="" results=build/gpu/results pack=""
contest=""
while [ $# -gt 0 ]; do
  case $1 in
    --contest) contest=yes; shift ;;
    --seconds | --orders | --depths | --bin | --dry-run | --pack)
      if [ $# -lt 2 ]; then echo "$1 needs a value" >&2; exit 2; fi
      case $1 in
        --seconds) seconds=$2 ;;
        --orders) orders=$2 ;;
        --depths) depths=$2 ;;
        --bin) bin=$2 ;;
        --dry-run) rehearsal=$2 ;;
        --pack) pack=$2 ;;
      esac
      shift 2
      ;;
    -*) echo "$1 is unknown; see the head of $0" >&2; exit 2 ;;
    *) results=$1; shift ;;
  esac
done
case $rehearsal in "" | expected | worst) ;; *) echo "--dry-run expected or worst" >&2; exit 2 ;; esac

. tests/gpu/clock.sh
. tests/gpu/results.sh
. tests/gpu/toolkit.sh
. tests/gpu/programs.sh
if [ -n "$pack" ]; then
  . tests/gpu/pack.sh
  make_pack "$pack"
  exit
fi

mkdir -p "$results/logs"
results=$(cd "$results" && pwd)
: > "$results/items"
commit=$(cat tests/gpu/commit 2> /dev/null || git rev-parse --short HEAD 2> /dev/null || echo unknown)
toolkit="" binaries="" about="" failed=""
trap 'pack_logs' EXIT
trap 'exit 1' INT TERM

# What has failed, and the end.
finish() {
  if [ -n "$rehearsal" ]; then
    echo "gpu: rehearsed, $(now) of $seconds s"
    if [ "$(now)" -gt "$seconds" ]; then exit 1; fi
  elif [ -z "$failed" ]; then
    echo "gpu: OK after $(now) s, results in $results"
  else
    echo "gpu: FAILED:$failed"
    exit 1
  fi
  exit
}

# check <name> <expected> <limit> <command>...: an item that must be ok.
check() {
  item "$@"
  # A filter that fits no case.
  if grep -q ' 0 tests from ' "$results/logs/$name.log" 2> /dev/null; then outcome=failed; fi
  record
  if [ "$outcome" = failed ]; then failed="$failed $name"; fi
}
# figure <expected> <limit> <what> <type> <order> <how> [<option>...]
figure() {
  expected=$1 limit=$2
  shift 2
  item "$1-$2-$3-$4" "$expected" "$limit" "$bin/trifac-gpu-bench" "$@"
  line=$(sed -n 's/^{\(.*\)}$/\1/p' "$results/logs/$name.log" 2> /dev/null | tail -n 1)
  record "$line"
  if [ "$outcome" = failed ]; then failed="$failed $name"; fi
}

item environment 2 20 sh -c 'nvidia-smi; nproc; free -g; uname -a; ls -d /usr/local/cuda*; c++ --version; cmake --version'
outcome=ok  # whatever is missing
find_toolkit "$results/toolkit"
record "\"found\": \"$toolkit\", \"parts\": \"$parts\""
PATH=$PATH:$toolkit/bin:/usr/local/cuda/bin  # compute-sanitizer may be there
find_programs
if [ -z "$bin" ]; then
  echo "gpu: FAILED: there is no program to run: $(tail -n 1 "$results/logs/start.log" 2> /dev/null)"
  exit 1
fi
about=$("$bin/trifac-gpu-bench" --device 2> /dev/null)
write_results

# The contest: so many matrices of order n, one after another in memory as there, and interleaved.
shapes="4096x32 1024x64 256x128 64x256 16x512 640x512 4x1024 60x1024 2x2048 8x2048 1x4096 2x4096 1x8192 1x16384
  1x32768"
if [ -n "$contest" ]; then
  for shape in $shapes; do
    count=${shape%x*} n=${shape#*x}
    case $n in 32768) usual=20 most=60 ;; *) usual=3 most=20 ;; esac
    figure "$usual" "$most" potrf float "$n" "strided-$count"
    if [ "$n" -le 256 ]; then figure 3 20 potrf float "$n" "chunked-$count"; fi
  done
  # shellcheck disable=SC2086 # a list of words
  item pytorch 30 90 python3 -B tests/gpu/pytorch.py $shapes
  record "\"lines\": [$(grep '^{' "$results/logs/pytorch.log" 2> /dev/null | paste -sd, -)]"
  finish
fi

# The first suite compiles what the cache lacks; the others find it there.
leave_out='--gtest_filter=-*Full*:*AnyNumberOfThreads*:*DependOnTheThreads*'
check cuda_test 30 120 "$bin/cuda_test" --gtest_brief=1
if has cusolver_test; then check cusolver_test 8 40 "$bin/cusolver_test" --gtest_brief=1; fi

# cuSOLVER first: the others tell their ratio to it.
for n in $orders; do
  if [ "$n" -gt 8192 ]; then most=30 usual=8; else most=15 usual=2; fi
  for type in double float; do
    for what in potrf getrf; do
      seconds_of_reference=""
      if has_part cusolver; then
        figure "$usual" "$most" "$what" "$type" "$n" cusolver
        seconds_of_reference=$(echo "$line" | sed -n 's/.*"seconds": \([^,]*\),.*/\1/p')
      fi
      case $what in potrf) hows=trifac ;; getrf) hows="partial tournament" ;; esac
      for how in $hows; do
        # shellcheck disable=SC2086 # two words or none
        figure "$usual" "$most" "$what" "$type" "$n" "$how" \
          ${seconds_of_reference:+--reference $seconds_of_reference}
      done
    done
  done
done

last=$(echo "$orders" | awk '{ print $NF / 2 }')
for type in double float; do
  for depth in $depths; do
    for what in gemm syrk trsm; do
      for who in own cublas; do
        if [ "$who" = own ] || has_part cublas; then
          figure 2 10 "$what" "$type" "$last" "$who-$depth"
        fi
      done
    done
  done
done
figure 2 10 copy double "$last" device

# Accesses out of bounds and races, at small sizes. A tool that is too slow has found nothing.
if [ -n "$rehearsal" ] || command -v compute-sanitizer > /dev/null; then
  few='--gtest_filter=CudaOf/double.Resident*:CudaOf/double.NarrowPanels*:CudaCluster/double.HasItsPivots*'
  for tool in memcheck racecheck synccheck initcheck; do
    # Not counted: the query that ends the list of a kernel's parameters, which fails on purpose, and
    # the barriers of cuBLAS's kernels.
    check "$tool" 20 45 compute-sanitizer --tool "$tool" --report-api-errors no --kernel-name-exclude \
      kernel_substring=trsm --error-exitcode 9 "$bin/cuda_test" \
      --gtest_brief=1 "$few"
  done
fi
for suite in $suites; do
  if has "$suite"; then check "$suite" 12 60 "$bin/$suite" --gtest_brief=1 "$leave_out"; fi
done

finish
