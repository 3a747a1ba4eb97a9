#!/bin/sh
# Measures trifac on a machine with many cores beside OpenBLAS and MKL, in one command without
# network, in at most nine minutes:
#
#   tests/cores.sh [--seconds N] [--threads "T..."] [--most N] [--carried FOLDER] [--dry-run expected|worst] [FOLDER]
#   tests/cores.sh --pack FOLDER
#
# FOLDER (build/cores/results) receives results.json, written anew after each item, tables.md and
# logs.tar.gz. What fails is an "error" in results.json, and the rest goes on.
#
#   --threads "T..." 1 2 4 8 16, as far as there are so many processors
#   --most N         the largest order: 16384
#   --seconds N      ends by then: 540
#   --carried FOLDER programs and libraries of a pack; otherwise those beside this script
#   --dry-run HOW    runs nothing: which item comes when, if each takes what is expected, or all it
#                    may
#   --pack FOLDER    one folder, at most 45 MB, that runs elsewhere with tests/cores.sh in it
#
# What runs: bandwidth, peak and steps of a team by the number of threads (trifac-cores); Cholesky,
# LU, solves with 1024 right-hand sides and batches (bench/compare); StarPU's tasks (trifac-tasks).
# tests/cores/tables.py makes the tables of docs/cores.md from results.json.
set -u
cd "$(dirname "$0")/.." || exit 1

seconds=540 threads="1 2 4 8 16" most_order=16384 rehearsal="" results=build/cores/results pack="" carried=carried
while [ $# -gt 0 ]; do
  case $1 in
    --seconds | --threads | --most | --dry-run | --pack | --carried)
      if [ $# -lt 2 ]; then echo "$1 needs a value" >&2; exit 2; fi
      case $1 in
        --seconds) seconds=$2 ;;
        --threads) threads=$2 ;;
        --most) most_order=$2 ;;
        --dry-run) rehearsal=$2 ;;
        --pack) pack=$2 ;;
        --carried) carried=$2 ;;
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
write_table() { :; }
if [ -n "$pack" ]; then
  . tests/gpu/pack.sh
  . tests/cores/pack.sh
  make_pack "$pack"
  exit
fi

mkdir -p "$results/logs"
results=$(cd "$results" && pwd)
: > "$results/items"
commit=$(cat tests/cores/commit 2> /dev/null || git rev-parse --short HEAD 2> /dev/null || echo unknown)
toolkit="" binaries=carried about="\"processors\": $(nproc)" failed=""
trap 'pack_logs' EXIT
trap 'exit 1' INT TERM

if [ -z "$rehearsal" ]; then
  if [ ! -d "$carried/bin" ]; then
    echo "cores: there are no programs: tests/cores.sh --pack FOLDER makes them" >&2
    exit 1
  fi
  rm -rf "$results/carried"
  mkdir -p "$results/carried"
  cp -r "$carried"/* "$results/carried/" && gzip -d "$results"/carried/*/*.gz || exit 1
  chmod -R u+rwx "$results/carried"
  processors=$(nproc)
  threads=$(for t in $threads; do if [ "$t" -le "$processors" ]; then echo "$t"; fi; done)
  if [ -z "$threads" ]; then echo "cores: there are only $processors processors" >&2; exit 2; fi
fi
bin=$results/carried/bin
# (libgomp and libstdc++ are the machine's: they are not carried.)
LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$bin/../lib
export LD_LIBRARY_PATH

# measured <name> <expected> <limit> <command>...: an item whose lines are its result.
measured() {
  item "$@"
  lines=""
  if [ "$outcome" = ok ] && [ -z "$rehearsal" ]; then
    lines=$(python3 -c 'import json, sys
print(json.dumps([json.loads(l) if l[0] == "{" else l.rstrip() for l in open(sys.argv[1]) if l.strip()]))' \
      "$results/logs/$name.log")
  fi
  record "${lines:+\"lines\": $lines}"
  if [ "$outcome" = failed ]; then failed="$failed $name"; fi
}
# compared <name> <expected> <limit> <option>...: an item of bench/compare with its result.json.
compared() {
  name=$1 expected=$2 limit=$3
  shift 3
  case " $* " in *" --n  "*) return ;; esac  # no order is so small
  item "$name" "$expected" "$limit" python3 -B bench/compare --built --offline --only openblas,mkl \
    --peer openblas="$bin/../lib/libscipy_openblas.so:scipy_" --peer mkl="$bin/../lib/libmkl_few.so" \
    --output "$bin" --clock wall "$@"
  lines=""
  if [ "$outcome" = ok ] && [ -z "$rehearsal" ]; then
    mv "$bin/result.json" "$results/logs/$name.json"
    lines=$(python3 -c 'import json, sys; print(json.dumps(json.load(open(sys.argv[1]))))' "$results/logs/$name.json")
  fi
  record "${lines:+\"compare\": $lines}"
  if [ "$outcome" = failed ]; then failed="$failed $name"; fi
}
# up_to <order>...: those that are not above --most, with commas.
up_to() {
  for n in "$@"; do if [ "$n" -le "$most_order" ]; then echo "$n"; fi; done | paste -sd, -
}

measured environment 2 20 sh -c 'lscpu; free -g; uname -r; cat /proc/loadavg'
OMP_PROC_BIND=close OMP_PLACES=threads
export OMP_PROC_BIND OMP_PLACES
# shellcheck disable=SC2086 # a list of numbers
measured cores 8 60 "$bin/trifac-cores" $threads
unset OMP_PROC_BIND OMP_PLACES

# The widest first: where time is short, the narrow ones are left out.
widest=$(echo "$threads" | tr ' ' '\n' | sort -n | tail -n 1)
for t in $(echo "$threads" | tr ' ' '\n' | sort -rn); do
  large=$(if [ "$t" -ge 4 ]; then up_to 8192; fi)
  # Half a second for each library in turn: the threads of the one before spin on for a while.
  compared "factor-$t" $((30 + 20 / t)) 70 --threads "$t" --n "$(up_to 512 1024 2048 4096)" --rounds 2 --seconds 0.5
  if [ -n "$large" ]; then
    compared "factor-$t-$large" $((35 + 100 / t)) 80 --threads "$t" --n "$large" --rounds 1 --seconds 0.5
  fi
  compared "solve-$t" $((10 + 18 / t)) 40 --threads "$t" --n "$(up_to 512 2048 4096)" --sides 1024 --rounds 1 --seconds 0.5
  if [ "$t" = 1 ] || [ "$t" -ge 4 ]; then
    compared "batches-$t" 4 20 --batched --threads "$t" --n 8,32,64 --operations both --from-memory no \
      --rounds 1 --seconds 0.05
  fi
  tasks=$(up_to 4096 8192 | tr ',' ' ')
  if [ -n "$tasks" ] && [ "$t" -ge 4 ] && [ "$t" != 8 ]; then
    # shellcheck disable=SC2086 # a list of numbers
    STARPU_NCPU=$t STARPU_HOME=$results STARPU_SILENT=1 measured "tasks-$t" 30 40 "$bin/trifac-tasks" \
      --seconds 2 $tasks
  fi
done
huge=$(up_to 16384)
if [ -n "$huge" ] && [ "$widest" -ge 16 ]; then
  compared "factor-$widest-$huge" 120 180 --threads "$widest" --n "$huge" --rounds 1 --seconds 0.05
fi

if [ -n "$rehearsal" ]; then
  echo "cores: rehearsed, $(now) of $seconds s"
  if [ "$(now)" -gt "$seconds" ]; then exit 1; fi
  exit 0
fi
python3 -B bench/compare --from "$results"/logs/*.json --output "$results/tables" > "$results/tables.md" ||
  failed="$failed tables"
rm -rf "$results/tables"
if [ -z "$failed" ]; then
  echo "cores: OK after $(now) s, results in $results"
else
  echo "cores: FAILED:$failed"
  exit 1
fi
