#!/bin/sh
# Rehearses tests/cores.sh: rehearsal.sh <folder>. The clock, and a run of programs of which scripts
# stand in, one of which fails.
set -eu
where=$1 root=$(cd "$(dirname "$0")/../.." && pwd)
rm -rf "$where"
mkdir -p "$where/carried/bin" "$where/carried/lib"
fail() {
  echo "FAILED: $1"
  exit 1
}

for how in expected worst; do
  "$root/tests/cores.sh" --dry-run "$how" "$where/dry" > "$where/log" || fail "dry run: $(tail -n 1 "$where/log")"
  tail -n 1 "$where/log" | grep -q 'cores: rehearsed, .* of 540 s' || fail "dry run: $(tail -n 1 "$where/log")"
done
skipped=$("$root/tests/cores.sh" --dry-run expected "$where/dry" | grep -c skipped || true)
[ "$skipped" -le 1 ] || fail "time is short"
"$root/tests/cores.sh" --dry-run sometimes "$where/dry" 2> /dev/null && fail "an unknown option was taken"
"$root/tests/cores.sh" --carried "$where/none" "$where/dry" 2> /dev/null && fail "there were no programs"
"$root/tests/cores.sh" --threads 100000 "$where/dry" 2> /dev/null && fail "there are not so many processors"

cat > "$where/carried/bin/trifac" << 'END'
#!/bin/sh
echo '{"core": "a", "config": "b", "peak_double": "1e9", "peak_float": "1e9"}'
while read -r line; do
  echo '{"wall": 0.1, "wall_median": 0.1, "cpu": 0.1, "batches": 1, "ratio": 1, "failures": 0}'
done
END
for runner in library batched-trifac batched-library; do
  cp "$where/carried/bin/trifac" "$where/carried/bin/$runner"
done
printf '#!/bin/sh\necho "{\\"threads\\": 1, \\"copy_gbytes_s\\": 9, \\"peak_gflops\\": 8, \\"step_us\\": 0}"\n' \
  > "$where/carried/bin/trifac-cores"
printf '#!/bin/sh\nexit 3\n' > "$where/carried/bin/trifac-tasks"
: > "$where/carried/lib/libscipy_openblas.so"
: > "$where/carried/lib/libmkl_few.so"
gzip "$where"/carried/*/*
"$root/tests/cores.sh" --carried "$where/carried" --threads 1 --most 600 "$where/results" > "$where/log" ||
  fail "$(tail -n 1 "$where/log")"
[ "$(ls "$where/results" | tr '\n' ' ')" = "logs.tar.gz results.json tables.md " ] || fail "other files"
python3 -B "$root/tests/cores/tables.py" "$where/results/results.json" | grep -q '^| 512 | 0.895 (1.00) |$' ||
  fail "no table of LU"
echo "rehearsed"
