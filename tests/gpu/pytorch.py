#!/usr/bin/env python3
"""PyTorch's batched Cholesky (cuSOLVER or MAGMA, by its own choice) in float: pytorch.py COUNTxN...

A line of JSON for each shape, seconds as trifac-gpu-bench measures them: the median of the runs after
one that does not count, each with a copy of the input before it that is not timed."""

import json
import statistics
import sys
import time

import torch


def seconds(count, n):
    torch.manual_seed(1)
    A = torch.rand(count, n, n, device="cuda") - 0.5
    A = torch.tril(A) + torch.tril(A, -1).mT + n * torch.eye(n, device="cuda")
    times = []
    for _ in range(6 if n < 8192 else 4):
        L = A.clone()
        torch.cuda.synchronize()
        start = time.perf_counter()
        factor, info = torch.linalg.cholesky_ex(L)
        info.amax().item()  # waits, as trifac's status does
        times.append(time.perf_counter() - start)
    residual = torch.linalg.norm(factor[-1] @ factor[-1].mT - A[-1]) / torch.linalg.norm(A[-1])
    return statistics.median(times[1:]), residual.item()


for shape in sys.argv[1:]:
    count, n = map(int, shape.split("x"))
    try:
        taken, residual = seconds(count, n)
        print(json.dumps({"what": "potrf", "type": "float", "n": n, "how": f"pytorch-{count}", "seconds": taken,
                          "gflops": count * n**3 / 3 / taken * 1e-9, "residual": residual}), flush=True)
    except RuntimeError as error:
        print(json.dumps({"n": n, "how": f"pytorch-{count}", "error": str(error)[:200]}), flush=True)
    torch.cuda.empty_cache()
