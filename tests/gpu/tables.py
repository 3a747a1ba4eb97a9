#!/usr/bin/env python3
"""The tables of docs/cuda.md from what tests/gpu.sh has left: tables.py results.json [contest/results.json]."""

import json
import sys


def figures(file):
    """item -> its members, of items that have a figure."""
    with open(file) as f:
        document = json.load(f)
    return document, {i["item"]: i for i in document["items"] if "seconds" in i}


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def short(x):
    return f"{x:.3g}" if x < 1000 else f"{x:.0f}"


def headline(items):
    """Milliseconds of cuSOLVER and of trifac, and how many times as fast trifac is."""
    orders = sorted({i["n"] for i in items.values() if i["what"] in ("potrf", "getrf")})
    rows = []
    for kind in ("double", "float"):
        for what, hows, name in (("potrf", ["trifac"], "Cholesky"), ("getrf", ["partial", "tournament"], "LU")):
            theirs = {n: items.get(f"{what}-{kind}-{n}-cusolver") for n in orders}
            rows.append([f"{name}, {kind}: cuSOLVER",
                         *(short(t["seconds"] * 1e3) if t else "–" for t in theirs.values())])
            for how in hows:
                cells = []
                for n in orders:
                    ours = items.get(f"{what}-{kind}-{n}-{how}")
                    ratio = f" ({theirs[n]['seconds'] / ours['seconds']:.2f} ×)" if ours and theirs[n] else ""
                    cells.append(short(ours["seconds"] * 1e3) + ratio if ours else "–")
                rows.append([f"trifac{'' if how == 'trifac' else ', ' + how}", *cells])
    return table(["ms", *(f"n = {n}" for n in orders)], rows)


def products(items):
    """TFLOP/s of our kernels and cuBLAS by depth."""
    of = {k: i for k, i in items.items() if i["what"] in ("gemm", "syrk", "trsm")}
    depths = sorted({int(i["how"].split("-")[1]) for i in of.values()})
    rows = []
    for kind in ("double", "float"):
        for what in ("gemm", "syrk", "trsm"):
            cells = []
            for depth in depths:
                pair = [next((i["gflops"] * 1e-3 for i in of.values() if (i["what"], i["type"], i["how"]) ==
                              (what, kind, f"{who}-{depth}")), None) for who in ("own", "cublas")]
                cells.append(" / ".join("–" if x is None else short(x) for x in pair))
            rows.append([f"{what}, {kind}", *cells])
    n = next(iter(of.values()))["n"]
    return table([f"TFLOP/s, ours / cuBLAS, n = {n}", *(f"depth {d}" for d in depths)], rows)


def contest(file):
    """Microseconds of each shape."""
    document, items = figures(file)
    theirs = {(l["n"], l["how"].split("-")[1]): l["seconds"] for i in document["items"] for l in i.get("lines", [])
              if "seconds" in l}
    rows = []
    for item in items.values():
        kind, count = item["how"].split("-")
        if kind != "strided":
            continue
        n, other = item["n"], theirs.get((item["n"], count))
        interleaved = items.get(f"potrf-float-{n}-chunked-{count}")
        rows.append([f"{count} × {n}", short(item["seconds"] * 1e6),
                     short(interleaved["seconds"] * 1e6) if interleaved else "–",
                     short(other * 1e6) if other else "–",
                     f"{other / item['seconds']:.2f}" if other else "–"])
    return table(["µs", "trifac", "interleaved", "PyTorch", "PyTorch / trifac"], rows)


def main():
    document, items = figures(sys.argv[1])
    copy = next((i for i in items.values() if i["what"] == "copy"), None)
    print(f"{document['device']}, {document['driver']}, revision {document['commit']}.\n")
    print(headline(items) + "\n")
    print(products(items) + "\n")
    if copy:
        print(f"A copy within the device's memory moves {copy['gbytes_s'] * 1e-3:.2f} TB/s, read and written.\n")
    if len(sys.argv) > 2:
        print(contest(sys.argv[2]))


if __name__ == "__main__":
    main()
