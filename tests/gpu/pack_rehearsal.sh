#!/bin/sh
# Rehearses tests/gpu.sh --pack where nothing is compiled for it: pack_rehearsal.sh <folder of the
# tests on the double> <libtrifac-kernels.so> <folder>. A pack of these programs, which tells its
# size, one that has to leave a suite out, and a run of that one from another folder. Exits with 77
# outside of a git repository.
set -eu
programs=$1 kernels=$2 where=$3 root=$(cd "$(dirname "$0")/../.." && pwd)
fail() {
  echo "FAILED: $1"
  exit 1
}
if ! git -C "$root" rev-parse HEAD > /dev/null 2>&1; then
  echo "skipped: this is no git repository"
  exit 77
fi
rm -rf "$where"
mkdir -p "$where/all" "$where/few" "$where/tools"

# The programs of a pack link the library, and have four types; these have the kernels in them, and
# one. trifac-gpu-bench is about as large as a suite.
. "$root/tests/gpu/programs.sh"
for program in cuda_test cusolver_test $suites; do cp "$programs/$program" "$where/all/"; done
cp "$programs/cuda_test" "$where/all/trifac-gpu-bench"
cp "$kernels" "$where/all/"
"$root/tests/gpu.sh" --pack "$where/pack" --bin "$where/all" > "$where/log" 2>&1 || fail "$(cat "$where/log")"
cat "$where/log"
if grep -q without "$where/log"; then fail "not all suites fit"; fi
for program in trifac-gpu-bench cuda_test cusolver_test cuda_batch_test; do
  [ -f "$where/pack/carried/full/$program.gz" ] || fail "there is no $program"
done
rm -r "$where/pack"

# Stand-ins, one of which is too large.
cat > "$where/few/trifac-gpu-bench" << 'END'
#!/bin/sh
if [ "$1" = --device ]; then echo '"device": "a stand-in"'; else echo '{"seconds": 1}'; fi
END
for suite in cuda_test cusolver_test cuda_batch_test cuda_solve_test; do
  printf '#!/bin/sh\necho passed\n' > "$where/few/$suite"
done
head -c 50000000 /dev/urandom > "$where/few/cuda_lu_test"
printf '#!/bin/sh\nexit 0\n' > "$where/tools/compute-sanitizer"
chmod +x "$where"/few/* "$where"/tools/*
"$root/tests/gpu.sh" --pack "$where/pack" --bin "$where/few" > "$where/log" 2>&1 || fail "$(cat "$where/log")"
grep -q ', without cuda_lu_test; there' "$where/log" || fail "$(cat "$where/log")"
mv "$where/pack" "$where/elsewhere"
(cd / && PATH=$where/tools:$PATH "$where/elsewhere/tests/gpu.sh" --orders 20 --depths 8 "$where/results") \
  > "$where/log" 2>&1 || fail "$(cat "$where/log")"
tail -n 1 "$where/log" | grep -q '^gpu: OK' || fail "$(tail -n 1 "$where/log")"
for item in cuda_test cusolver_test cuda_batch_test cuda_solve_test potrf-double-20-trifac; do
  grep -q "\"$item\".*\"ok\"" "$where/results/results.json" || fail "$item has not run"
done
grep -q '"binaries": "carried"' "$where/results/results.json" || fail "the programs are not those of the pack"
echo "rehearsed"
