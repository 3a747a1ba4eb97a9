#!/usr/bin/env -S python3 -S -E
"""Stands for trifac-study-worker: answers at once with times that are a function of the request, so that
the study's own parts can be tested without measuring anything."""

import json
import sys

backend, threads, device = sys.argv[1], int(sys.argv[2]), sys.argv[3]
if backend == "cuda" or device == "gpu":
    print(json.dumps({"error": "there is none"}))
    sys.exit()
print(json.dumps({"trifac": "0", "compiler": "none", "isa": "none", "peak_double": "1e11",
                  "peak_float": "2e11"}), flush=True)
calls = 0
for line in sys.stdin:
    r = dict(word.split("=") for word in line.split())
    calls += 1
    n = int(r["n"])
    answer = {"seconds": (1e-9 + 1e-11 * (calls % 3)) * n ** 3 / threads + (threads - 1) * 1e-2,
              "batch": 1, "ratio": 0.01, "status": "success"}
    answer.update(threads=threads, reference=2.5e-5)
    if r["variant"].startswith("tournament"):
        answer["groups"] = max(1, n // 512)
    if r["variant"] == "recursive":
        answer["ratio"] = None  # what JSON has for NaN
    if r["variant"] == "unknown":
        answer = {"error": "has no such variant"}
    if int(r["panel"]) > 8:
        answer = {"error": "panel has no room"}
    if r["variant"] == "dies":
        sys.exit(1)
    if r["detail"] == "operations":
        answer.update(operation_local_lu=1e-3, operation_factor_block_lu=2e-3, operation_solve_lower=3e-3,
                      operation_update=4e-3)
    if r["detail"] == "deviation":
        answer["deviation"] = 1e-6 * n
    if r["detail"] == "error":
        answer["relative_error"] = 1e-7
    print(json.dumps(answer), flush=True)
