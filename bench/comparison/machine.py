"""What the measurements ran on: processor, compiler, load."""

import datetime
import os
import subprocess


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


def describe(compiler):
    """A dictionary for the result file."""
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "processor": processor(),
        "compiler": output_of(compiler, "--version").splitlines()[:1],
        "kernel": " ".join(os.uname()[i] for i in (0, 2, 4)),
        "load_before": os.getloadavg()[0],
    }
