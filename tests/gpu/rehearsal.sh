#!/bin/sh
# Rehearses tests/gpu.sh on a machine without a GPU: rehearsal.sh <trifac-gpu-bench on the double>
# <folder>. The clock in both dry runs, a run with a suite and a figure that fail and a sanitizer
# that is too slow, and the search for the toolkit.
set -eu
bench=$1 where=$2 root=$(cd "$(dirname "$0")/../.." && pwd)
rm -rf "$where"
mkdir -p "$where/bin" "$where/tools"
fail() {
  echo "FAILED: $1"
  exit 1
}

# The clock.
for how in expected worst "expected --contest"; do
  # shellcheck disable=SC2086 # an option, too
  "$root/tests/gpu.sh" --dry-run $how "$where/dry" > "$where/log" || fail "dry run: $(tail -n 1 "$where/log")"
  tail -n 1 "$where/log" | grep -q 'gpu: rehearsed, .* of 540 s' || fail "dry run: $(tail -n 1 "$where/log")"
done
"$root/tests/gpu.sh" --dry-run expected "$where/dry" | grep -q skipped && fail "time is short"
"$root/tests/gpu.sh" --dry-run sometimes "$where/dry" 2> /dev/null && fail "an unknown option was taken"

# A run. Programs of another build are stood in for by scripts.
cat > "$where/bin/trifac-gpu-bench" << END
#!/bin/sh
case "\$*" in "getrf float 20 tournament"*) echo "the \\"device\\" is lost" >&2; exit 1 ;; esac
exec "$bench" "\$@"
END
printf '#!/bin/sh\necho passed\n' > "$where/bin/cuda_test"
printf '#!/bin/sh\necho no such library >&2\nexit 3\n' > "$where/bin/cusolver_test"
printf '#!/bin/sh\nif [ "$2" = racecheck ]; then exit 124; fi\n' > "$where/tools/compute-sanitizer"
chmod +x "$where"/bin/* "$where"/tools/*
PATH=$where/tools:$PATH "$root/tests/gpu.sh" --bin "$where/bin" --orders 20 --depths 8 "$where/results" \
  > "$where/log" 2>&1 && fail "failures were not told"
tail -n 1 "$where/log" | grep -q '^gpu: FAILED: cusolver_test getrf-float-20-tournament$' ||
  fail "$(tail -n 1 "$where/log")"
[ "$(ls "$where/results" | tr '\n' ' ')" = "logs.tar.gz results.json table.txt " ] || fail "other files"
python3 - "$where/results" << 'END'
import json, sys
with open(sys.argv[1] + "/results.json") as f:
    results = json.load(f)
items = {i["item"]: i for i in results["items"]}
for key in ("commit", "toolkit", "device", "driver"):
    assert results[key], key
outcomes = {name: i["outcome"] for name, i in items.items() if i["outcome"] != "ok"}
assert outcomes == {"cusolver_test": "failed", "getrf-float-20-tournament": "failed",
                    "racecheck": "timeout"}, outcomes
assert items["cusolver_test"]["error"] == "no such library"
assert items["getrf-float-20-tournament"]["error"] == 'the "device" is lost'
for what, hows in (("potrf", ["trifac"]), ("getrf", ["partial", "tournament"])):
    for kind in ("double", "float"):
        for how in ["cusolver"] + hows:
            figure = items[f"{what}-{kind}-20-{how}"]
            if "error" in figure:
                continue
            assert figure["seconds"] > 0 and figure["gflops"] > 0, figure
            assert 0 <= figure["backward_error"] < 1e-5, figure
            assert how == "cusolver" or figure["ratio"] > 0, figure
for name in ("gemm-double-10-own-8", "syrk-float-10-cublas-8", "trsm-double-10-cublas-8",
             "copy-double-10-device"):
    assert items[name]["seconds"] > 0
with open(sys.argv[1] + "/table.txt") as f:
    table = f.read()
assert all(name in table for name in items)
END
for wrong in "--no-such-option 1" "potrf double 0 trifac" "potrf int 8 trifac" "potrf double"; do
  code=0
  # shellcheck disable=SC2086 # words
  "$bench" $wrong > /dev/null 2>&1 || code=$?
  [ "$code" = 2 ] || fail "trifac-gpu-bench $wrong ended with $code"
done

# The toolkit: Python's packages are many folders; what is not whole is not taken.
. "$root/tests/gpu/toolkit.sh"
parts_in="$where/nvidia"
for file in cuda_runtime/include/cuda_runtime_api.h cuda_runtime/lib/libcudart.so.13 \
  cuda_nvrtc/include/nvrtc.h cuda_nvrtc/lib/libnvrtc.so.13 cublas/include/cublas_v2.h \
  cublas/lib/libcublas.so.13 cusolver/lib/libcusolver.so.12 cuda_cccl/include/cccl/nv/target; do
  mkdir -p "$parts_in/$(dirname "$file")"
  : > "$parts_in/$file"
done
echo '#define CUDART_VERSION  13000' > "$parts_in/cuda_runtime/include/cuda_runtime_api.h"
cp -r "$parts_in" "$where/old"  # all parts, but of 12.6
mkdir "$where/old/cusolver/include" && : > "$where/old/cusolver/include/cusolverDn.h"
echo '#define CUDART_VERSION  12060' > "$where/old/cuda_runtime/include/cuda_runtime_api.h"
toolkit_candidates() {
  for root in none old nvidia/cuda_runtime nvidia; do echo "$where/$root"; done
}
find_toolkit "$where/toolkit"
[ "$toolkit" = "$parts_in" ] || fail "the toolkit is $toolkit"
[ "$parts" = "cublas cuda " ] || fail "the parts are $parts"
[ -e "$where/toolkit/lib64/libcublas.so" ] || fail "there is no plain name"
rm -r "$parts_in/cuda_cccl"
find_toolkit "$where/toolkit"
[ "$parts" = "cuda " ] || fail "cuBLAS would not compile, and the parts are $parts"
echo "rehearsed"
