"""Which libraries are compared, and where they come from.

A peer is a command that speaks the runners' protocol (runner/protocol.hpp). One that cannot be had
is named with the reason; none is left out in silence.
"""

import ctypes.util
import dataclasses
import pathlib
import re
import subprocess
import sys

from . import build
from .machine import has_avx512, openblas_kernels, output_of

PACKAGES = {"openblas-pypi": "scipy-openblas32", "mkl": "mkl"}
# Environment that holds an OpenBLAS to an instruction set of --isa.
OPENBLAS_HELD = {"avx2": {"OPENBLAS_CORETYPE": "Haswell"}, "baseline": {"OPENBLAS_CORETYPE": "Nehalem"}}
# name -> source and flags of those that another machine can run
RUNNERS = {"trifac": ("trifac_runner.cpp", ["-fopenmp"]), "library": ("library_runner.cpp", ["-ldl"]),
           "batched-trifac": ("batched_trifac_runner.cpp", ["-fopenmp"]),
           "batched-library": ("batched_library_runner.cpp", ["-ldl"])}
EIGEN_PLACES = ["/usr/include/eigen3", "/usr/local/include/eigen3"]
VIENNACL = "viennacl/linalg/lu.hpp"
BATCH_LAYOUTS = {"trifac": "chunked", "trifac-canonical": "canonical"}


@dataclasses.dataclass
class Peer:
    name: str
    command: list
    environment: dict = dataclasses.field(default_factory=dict)
    family: str = "other"  # trifac, before (another form of it), openblas, mkl, eigen, viennacl, other
    paired: str = ""  # of "before": ours that takes turns with it


class Collector:
    """Gathers peers for one number of threads; `missing` says what could not be had and why."""

    def __init__(self, options):
        self.options = options
        self.work = pathlib.Path(options.output)
        self.peers = []
        self.missing = {}
        self.runners = {}
        self.batched = getattr(options, "batched", False)

    def collect(self, threads):
        self.peers = []
        if self.batched:
            self.add_batched_trifac(threads)
        else:
            self.add_trifac(threads)
        if self.options.against or self.options.without:
            self.add_other(threads)
            if not self.options.only:
                return self.peers
        if self.batched and self.options.opencl:
            self.add_opencl(threads)
        self.add_debian_openblas(threads)
        self.add_pypi(threads)
        self.add_eigen(threads)
        for name, file, prefix in self.options.peers:
            self.add_library(name, file, prefix, threads, "other")
        return self.peers

    def add_batched_trifac(self, threads):
        """Ours in both layouts; the others are loops over canonical matrices."""
        program = self.runner("batched-trifac", *RUNNERS["batched-trifac"])
        for name, layout in BATCH_LAYOUTS.items():
            if program:
                self.peers.append(Peer(name, [program, str(threads), layout], self.environment(), "trifac"))
        if not program:
            self.missing["trifac"] = self.missing["batched-trifac"]

    def add_opencl(self, threads):
        """PoCL takes as many cores as its variables say, any driver those that the process is pinned to."""
        program = self.runner("batched-opencl", "batched_opencl_runner.cpp", ["-lOpenCL"])
        environment = {"POCL_MAX_PTHREAD_COUNT": str(threads), "POCL_AFFINITY": "1"}
        if program:
            self.peers.append(Peer("trifac-opencl", [program, "chunked"], environment, "trifac"))

    def wanted(self, *names):
        """Whether --only, where it was given, names one of these; of a batched loop without its ending."""
        only = self.options.only
        if only and self.batched:
            only = re.sub(r"-(loop|compact|fixed)\b", "", only)
        return not only or any(name in only.split(",") for name in names)

    def runner(self, name, source, extra, headers=lambda: build.HEADERS):
        """Path of a runner, built at the first call; None where it does not build."""
        if getattr(self.options, "built", False):  # on another machine, by --build
            program = self.work / name
            if not program.exists():
                self.missing[name] = f"its runner is not in {self.work}"
            return program if program.exists() else None
        if name not in self.runners:
            try:
                self.runners[name] = build.build(
                    self.options.compiler, self.work, name, source, extra, headers())
            except build.BuildError as error:
                self.runners[name] = None
                self.missing[name] = f"its runner does not build: {error}"
        return self.runners[name]

    def environment(self):
        return {"TRIFAC_ISA": self.options.isa} if self.options.isa else {}

    def add_trifac(self, threads):
        program = self.runner("trifac", *RUNNERS["trifac"])
        if program:
            self.peers.append(Peer("trifac", [program, str(threads)], self.environment(), "trifac"))

    def add_other(self, threads):
        """The same runner with the headers of another revision, or without a special path."""
        revision, path = self.options.against, self.options.without
        name = revision or f"without {path}"
        ours = "batched-trifac" if self.batched else "trifac"
        program = self.runner(f"{ours}-before" if revision else f"{ours}-without-{path}", *RUNNERS[ours],
                              lambda: build.headers_of(revision, self.work) if revision
                              else build.headers_without(path, self.work))
        if not program:
            return
        for paired, layout in BATCH_LAYOUTS.items() if self.batched else (("trifac", ""),):
            command = [program, str(threads)] + [layout] * self.batched
            self.peers.append(Peer(name + paired.removeprefix("trifac"), command, self.environment(), "before",
                                   paired))

    def add_library(self, name, file, prefix, threads, family, environment=None):
        if not self.wanted(name):
            return
        if self.batched:
            program = self.runner("batched-library", *RUNNERS["batched-library"])
            for how in ("loop", "compact") if family == "mkl" else ("loop",):
                if program:
                    self.peers.append(Peer(f"{name}-{how}", [program, file, prefix, str(threads), how],
                                           environment or {}, family))
            return
        program = self.runner("library", *RUNNERS["library"])
        if program:
            self.peers.append(Peer(name, [program, file, prefix, str(threads)],
                                   environment or {}, family))

    def add_openblas(self, name, file, prefix, threads):
        """As it comes, and with its AVX-512 kernels where it may not choose them by itself."""
        if self.options.isa:
            self.add_library(name, file, prefix, threads, "openblas", OPENBLAS_HELD[self.options.isa])
            return
        self.add_library(name, file, prefix, threads, "openblas")
        if has_avx512():
            self.add_library(name + "-skylakex", file, prefix, threads, "openblas",
                             {"OPENBLAS_CORETYPE": "SkylakeX"})

    def add_debian_openblas(self, threads):
        file = ctypes.util.find_library("openblas")
        if file:
            environment = OPENBLAS_HELD[self.options.isa] if self.options.isa else openblas_kernels()
            self.add_library("openblas-system", file, "", threads, "openblas", environment)
        else:
            self.missing["openblas-system"] = "no libopenblas (Debian: libopenblas0)"

    def add_pypi(self, threads):
        if not self.wanted("openblas-pypi", "openblas-pypi-skylakex", "mkl"):
            return
        environment = self.pypi_environment()
        if environment is None:
            return
        openblas = sorted(environment.glob("lib*/python*/site-packages/scipy_openblas32/lib/"
                                           "libscipy_openblas*.so*"))
        mkl = sorted(environment.glob("lib/libmkl_rt.so*"))
        if openblas:
            self.add_openblas("openblas-pypi", str(openblas[0]), "scipy_", threads)
        else:
            self.missing["openblas-pypi"] = "scipy-openblas32 has no shared library here"
        if mkl:
            limit = {"avx2": "AVX2", "baseline": "SSE4_2"}.get(self.options.isa)
            self.add_library("mkl", str(mkl[0]), "", threads, "mkl",
                             {"MKL_ENABLE_INSTRUCTIONS": limit} if limit else {})
        else:
            self.missing["mkl"] = "the package mkl has no libmkl_rt here"

    def pypi_environment(self):
        """The private Python environment with the packages, made at the first call."""
        place = self.work / "python"
        done = place / "complete"
        if done.exists():
            return place
        if self.options.offline:
            for name, package in PACKAGES.items():
                self.missing[name] = f"{package} would come from PyPI, but --offline"
            return None
        print(f"installing {', '.join(PACKAGES.values())} into {place}", file=sys.stderr)
        commands = [[sys.executable, "-m", "venv", str(place)],
                    [str(place / "bin" / "pip"), "install", "--quiet",
                     "--disable-pip-version-check", *PACKAGES.values()]]
        for command in commands:
            result = subprocess.run(command, capture_output=True, text=True)
            if result.returncode != 0:
                lines = (result.stderr or result.stdout).strip().splitlines()
                for name in PACKAGES:
                    self.missing[name] = lines[-1] if lines else f"{command[0]} failed"
                return None
        done.touch()
        return place

    def add_eigen(self, threads):
        """Debian's as "eigen", those of --eigen by their names, all without and with -march=native."""
        place = next((p for p in EIGEN_PLACES if pathlib.Path(p, "Eigen/Dense").exists()), None)
        if place is None:
            self.missing["eigen"] = "no Eigen/Dense (Debian: libeigen3-dev)"
        else:
            self.add_eigen_of("eigen", place)
        for name, place in self.options.eigen:
            self.add_eigen_of(name, place)

    def add_eigen_of(self, eigen, place):
        """The one in `place`, and the same with -march=native."""
        native = {"avx2": ["-mavx2", "-mfma"], "baseline": []}.get(self.options.isa,
                                                                   ["-march=native"])
        extra = ["-isystem", place, "-DNDEBUG", "-fopenmp"]
        for name, flags in ((eigen, []), (f"{eigen}-native", native)):
            if not self.wanted(name):
                continue
            if self.batched:
                program = self.runner(f"batched-{name}", "batched_eigen_runner.cpp", [*extra, *flags])
                for how, ending in (("dynamic", "loop"), ("fixed", "fixed")):
                    if program:
                        self.peers.append(Peer(f"{name}-{ending}", [program, how], {}, "eigen"))
                continue
            program = self.runner(name, "eigen_runner.cpp", [*extra, *flags])
            if program:
                self.peers.append(Peer(name, [program], {}, "eigen"))

    def add_viennacl(self):
        """LU without pivoting on an OpenCL device: of studies that name it."""
        if not any(pathlib.Path(p, VIENNACL).exists() for p in ("/usr/include", "/usr/local/include")):
            self.missing["viennacl"] = f"no {VIENNACL} (Debian: libviennacl-dev)"
            return
        program = self.runner("viennacl", "viennacl_runner.cpp",
                              ["-DNDEBUG", "-DCL_TARGET_OPENCL_VERSION=120", "-w", "-lOpenCL"])
        if program:
            self.peers.append(Peer("viennacl", [program], {}, "viennacl"))


def build_all(options):
    """Builds the runners of RUNNERS; what does not build, and why."""
    collector = Collector(options)
    for name, (source, extra) in RUNNERS.items():
        collector.runner(name, source, extra)
    return collector.missing
