"""What the measurements ran on: processor, compiler, load."""

import ctypes.util
import datetime
import functools
import os
import subprocess
import sys


def output_of(*command):
    """Standard output of a command, or "" where it fails or is not there."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return ""


def processor():
    """lscpu's model name, family, model and caches, as lscpu gives them."""
    wanted = ("Model name", "CPU family", "Model", "Stepping", "CPU(s)", "L1d cache", "L2 cache",
              "L3 cache", "Hypervisor vendor")
    found = {}
    for line in output_of("lscpu").splitlines():
        key, _, value = line.partition(":")
        if key.strip() in wanted:
            found.setdefault(key.strip(), value.strip())
    return found


def has_avx512():
    """Whether the processor has what kernels for SkylakeX need."""
    return " avx512dq " in output_of("cat", "/proc/cpuinfo")


@functools.cache
def openblas_kernels():
    """Environment for the machine's OpenBLAS: a release older than the processor takes the kernels of
    SSE for one it does not know (0.3.21 on Emerald Rapids: 14 GFLOP/s instead of 45)."""
    library = ctypes.util.find_library("openblas")
    if not library or "OPENBLAS_CORETYPE" in os.environ:
        return {}
    chosen = output_of(sys.executable, "-c", "import ctypes, sys; name = ctypes.CDLL(sys.argv[1])"
                       ".openblas_get_corename; name.restype = ctypes.c_char_p; print(name().decode())",
                       library).strip()
    return {"OPENBLAS_CORETYPE": "SkylakeX"} if has_avx512() and chosen in ("Prescott", "Nehalem") else {}


def describe(compiler):
    """A dictionary for the result file."""
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "processor": processor(),
        "compiler": output_of(compiler, "--version").splitlines()[:1],
        "kernel": " ".join(os.uname()[i] for i in (0, 2, 4)),
        "load_before": os.getloadavg()[0],
    }
