"""The measured parts of the pages: how each is measured and made into text."""

import dataclasses
from typing import Callable

import studies
import tables
from comparison import special_paths
from machine import ROOT
import tools
from tools import Command, bench, compare, study

BENCHMARKS, OPENCL, STUDY, README = "docs/benchmarks.md", "docs/opencl.md", "docs/study.md", "README.md"
APPLICATIONS, BATCHED = "docs/applications.md", "docs/batched.md"
STARPU, SCALE = "docs/starpu.md", "docs/scale.md"
LAPACK, PYTHON, EIGEN = "docs/lapack.md", "docs/python.md", "docs/eigen.md"
START = "docs/start.md"


@dataclasses.dataclass
class Part:
    name: str
    page: str
    about: str
    minutes: float         # on two cores of 2023, without building and installing
    commands: Callable     # (setup) -> list of Command
    text: Callable         # (folder) -> (Markdown, {figure under docs/: SVG})
    programs: tuple = ()   # CMake targets that it runs
    of: str = ""           # the part whose commands and results these are


def sizes(setup, full):
    return "--sizes=" + setup.choose(full, "16,64")


def one_thread(setup, orders):
    """Flags of bench/compare for the orders that a table has."""
    return ["--n", setup.choose(orders, "16,32"), "--rounds", "3"]


def compare_part(name, about, minutes, flags, only="", orders="16,32,64,128,256,512,1024,2048", **text):
    return Part(name, BENCHMARKS, about, minutes,
                lambda s: [compare(s, "compare", *one_thread(s, orders), *flags, only=s.choose(only, "eigen"))],
                lambda folder: tables.comparison(folder, **text))


def paths_part(name, about, minutes, quick):
    """What special paths gain; `quick`: the one that --quick measures."""
    def commands(setup):
        names = [key for key, path in special_paths.PATHS.items() if path.part == name]
        return [compare(setup, key, "--without", key, *setup.choose([], ["--n", "8"]))
                for key in setup.choose(names, [quick])]
    return Part(name, BENCHMARKS, about, minutes, commands, lambda folder: tables.special_paths(folder, name))


def bench_part(name, about, minutes, orders, *flags, text, environment=None):
    return Part(name, BENCHMARKS, about, minutes,
                lambda s: [bench(s, name, sizes(s, orders), "--types=double", *flags,
                                 environment=environment)],
                text, ("trifac_bench",))


def beside_a_busy_core(setup):
    words = [setup.program("trifac_busy_core"), *setup.choose([], ["--seconds", "0.05", "64"])]
    return [Command([*words, "--idle"], output="idle.md"), Command(words, output="busy.md")]


def after_factor(setup):
    words = [setup.program("trifac_after_factor"), *setup.choose([], ["--seconds", "0.01", "--most", "50"])]
    return [Command(words, output="table.md", environment=tools.one_blas_thread())]


def varied(setup):
    words = [setup.program("trifac_varied"), *setup.choose([], ["--seconds", "0.01", "--batch", "100"])]
    return [Command(words, output="table.md", environment=tools.one_blas_thread())]


def one_small(setup):
    words = [setup.program("trifac_one_small"), *setup.choose([], ["--seconds", "0.01", "--order", "4"])]
    return [Command(words, output="table.md")]


def eigens_classes(setup):
    words = [setup.program("trifac_eigen"), *setup.choose([], ["--seconds", "0.01", "--order", "4"])]
    return [Command(words, output="table.md")]


def messages(setup):
    """Counts, which other programs on the machine do not change."""
    words = [ROOT / "bench/messages", setup.program("trifac_processes"), *setup.choose(["1024", "2048"], ["256"])]
    return [Command(words, output="table.md")]


def two_processes(setup, *words):
    """trifac-processes on two cores, one thread in each process."""
    return ["mpirun", "-np", "2", setup.program("trifac_processes"), *words]


def processes(setup):
    words = two_processes(setup, *setup.choose(["--seconds", "12", "2048", "4096", "8192"],
                                               ["--seconds", "0.1", "256"]))
    return [Command(words, output="table.md", environment=tools.one_blas_thread())]


def nodes(setup):
    """The model of docs/scale.md with this machine's rates."""
    return [Command(two_processes(setup, "--rates", setup.choose("4096", "512")), output="rates.md"),
            Command([ROOT / "bench/scale", "--measured", setup.folder / "rates.md"], output="table.md")]


def tasks(setup):
    program, few = setup.program("trifac_tasks"), ["--seconds", "0.1", "512"]
    pocl = {"STARPU_OPENCL_ON_CPUS": "1", "STARPU_NOPENCL": "1", "STARPU_NCPU": "1", "POCL_DEVICES": "basic",
            "STARPU_HOSTNAME": "trifac-one-device"}
    return [Command([program, *setup.choose(["1024", "2048", "4096"], few)], output="cores.md"),
            Command([program, "--devices", *setup.choose(["--seconds", "12", "2048", "4096"], few)], output="device.md",
                    environment=pocl)]


def compile_times(setup):
    words = [ROOT / "bench/compile_time", *setup.choose([], ["--runs", "1", "--compilers",
                                                             setup.compiler, "--only", "matrix"])]
    return [Command(words, output="table.md", answers=(0, 3))]  # 3: over the limit


def eigen_compile_times(setup):
    words = [ROOT / "bench/compile_time", "--eigen", "--limit", "60",
             *setup.choose([], ["--runs", "1", "--compilers", setup.compiler, "--only", "no trifac"])]
    return [Command(words, output="table.md")]


def start_compile_times(setup):
    words = [ROOT / "bench/compile_time", "--start",
             *setup.choose([], ["--runs", "1", "--compilers", setup.compiler, "--only", "kernels"])]
    return [Command(words, output="table.md")]


def opencl_speeds(setup):
    flags = [sizes(setup, "1024,2048,4096"), "--types=float,double", "--threads=2",
             "--benchmark_filter=^(cholesky|lu)/(openmp|opencl)/best/",
             "--benchmark_repetitions=" + setup.choose("7", "1"),
             "--benchmark_enable_random_interleaving=true"]
    return [Command([setup.program("trifac"), "info"], output="info.txt"), bench(setup, "speed", *flags)]


def first_calls(setup):
    return [Command([ROOT / "docs/measure/first_call.py", setup.program("trifac"), setup.folder,
                     setup.choose("300", "32"), setup.choose("5", "1")])]


def applications(setup):
    return [Command([ROOT / "docs/measure/applications.py", setup.folder, setup.choose("11", "1"),
                     *map(setup.program, tools.APPLICATIONS)])]


def lapack_calls(setup):
    words = [ROOT / "bench/lapack_calls", setup.program("trifac_lapack"), "--work", setup.work / "lapack-calls",
             *setup.choose([], ["--rounds", "1", "--seconds", "0.01", "--orders", "4"])]
    return [Command(words, output="table.md")]


def stacks(setup):
    work = setup.work / "python"
    words = [ROOT / "bench/stacks", "--work", work, "--compiler", setup.compiler,
             *setup.choose([], ["--rounds", "1", "--seconds", "0.01", "--orders", "4"])]
    return [Command(words, output="table.md", keep={work / "stacks-solve.svg": "solve.svg"})]


def study_part(name, about, minutes, smallest, *flags, page=STUDY, plan=None, few=()):
    """`smallest`: an order that every experiment of the plan has, for --quick; `few`: what it needs besides."""
    small = ["--most-n", str(smallest), "--threads", "1,2", "--replications", "2", *few]
    return Part(name, page, about, minutes, lambda s: [study(s, plan or name, *s.choose(flags, small))],
                lambda folder: studies.text(folder / "study"), ("trifac_study_worker",))


PARTS = [
    Part("factor", README, "a matrix from a file, with every backend", 0.2,
         lambda s: [Command([s.program("trifac"), "factor", "examples/data/plate.mtx"],  # as README names it
                            output="said.txt")],
         tables.factor, ("trifac",)),

    Part("start", START, "what the programs of the page take to compile", 5, start_compile_times, tables.plain),

    compare_part("compare", "OpenBLAS, MKL, Eigen; double, one thread", 12, [],
                 orders="16,32,64,128,256,512,1024,2048,4096", figures=True, machine=True),
    compare_part("compare-upper", "the upper triangle", 2,
                 ["--algorithms", "cholesky", "--parts", "upper"], "openblas-pypi,mkl"),
    compare_part("compare-float", "float", 3, ["--types", "s"], "openblas-pypi,mkl"),
    compare_part("compare-avx2", "every library held to AVX2", 3, ["--isa", "avx2"],
                 "openblas-pypi,mkl"),
    compare_part("compare-threads", "one thread and two, by the clock on the wall", 5,
                 ["--threads", "1,2", "--clock", "wall", "--seconds", "0.5"], "openblas-pypi",
                 "128,256,384,448,512,1024,2048,4096"),
    Part("busy-core", BENCHMARKS, "two threads while a program keeps a core busy", 2,
         beside_a_busy_core, tables.busy_core, ("trifac_busy_core",)),
    bench_part("large", "order 20000", 8, "20000", "--benchmark_filter=^(cholesky|lu)/serial/best/",
               text=tables.large),
    bench_part("solves", "one right-hand side", 1, "16,32,128,512,1024,2048",
               "--benchmark_filter=solve/(serial|lapack)/1/", text=tables.solves,
               environment=tools.one_blas_thread()),
    paths_part("special-paths", "what each special path gains", 30, "two-blocks"),
    paths_part(special_paths.BY_ORDER, "what choices by order gain", 26, "solve-scalars"),
    Part("small", BENCHMARKS, "one small matrix, with Eigen", 0.2, one_small, tables.plain, ("trifac_one_small",)),
    Part("after-factor", BENCHMARKS, "triangles, inverses, updates, mixed precision", 1, after_factor,
         tables.plain, ("trifac_after_factor",)),
    bench_part("variants", "every variant, one thread", 1, "64,512", "--benchmark_filter=^(cholesky|lu)/serial/",
               text=tables.variants),
    Part("compile-time", BENCHMARKS, "what including a header costs", 8, compile_times,
         tables.plain),

    Part("batches", BATCHED, "batches, in cache and from memory, and other libraries' loops", 8,
         lambda s: [compare(s, "compare", "--batched", "--rounds", "3",
                            *s.choose([], ["--n", "4", "--operations", "factor"]),
                            only=s.choose("", "eigen"))],
         tables.batches),
    Part("varied", BATCHED, "batches of different sizes, beside loops", 0.5, varied, tables.plain, ("trifac_varied",)),

    Part("lapack-calls", LAPACK, "calls of NumPy and SciPy with libtrifac_lapack.so preloaded", 2, lapack_calls,
         tables.plain, ("trifac_lapack",)),
    Part("stacks", PYTHON, "stacks in Python, beside NumPy, SciPy, JAX and C++", 4, stacks, tables.stacks),

    Part("applications", APPLICATIONS, "programs with trifac and with Eigen", 0.5, applications,
         tables.applications, tuple(name + also for name in tools.APPLICATIONS for also in ("", "_in_eigen"))),

    Part("eigen", EIGEN, "Eigen's classes with the plug-in and without", 0.5, eigens_classes,
         tables.plain, ("trifac_eigen",)),
    Part("eigen-compile-time", EIGEN, "what the plug-in adds to a file", 3, eigen_compile_times, tables.plain),

    Part("messages", SCALE, "messages and bytes of distributed calls and of ScaLAPACK's", 0.5, messages,
         tables.plain, ("trifac_processes",)),
    Part("processes", SCALE, "distributed calls and ScaLAPACK's, two processes", 4, processes,
         tables.plain, ("trifac_processes",)),
    Part("nodes", SCALE, "rates of a core, and the model of many nodes", 1, nodes,
         tables.scale, ("trifac_processes",)),
    Part("tasks", STARPU, "StarPU's tasks beside threads, and with an OpenCL device", 4, tasks,
         tables.tasks, ("trifac_tasks",)),

    Part("opencl-speed", OPENCL, "OpenCL and OpenMP on the same cores", 6, opencl_speeds,
         tables.opencl_speed, ("trifac", "trifac_bench")),
    study_part("opencl-systems", "the sources' kernels on an OpenCL device", 4, 1000, page=OPENCL,
               plan=str(ROOT / "docs/measure/opencl-systems.toml")),
    Part("opencl-first-call", OPENCL, "a new process, cold and warm", 2, first_calls,
         tables.first_call, ("trifac",)),

    study_part("quick", "which variant and backend", 2, 64),
    study_part("table-4.1", "the thesis' sequential versions", 8, 2500),
    study_part("thesis", "the thesis' experiments up to n = 2500", 25, 250, "--most-n", "2500",
               "--threads", "1,2", "--replications", "5"),
    study_part("sycl-note", "rounds of pivot and pivot row", 5, 32),
    study_part("martins", "pivoting before the factorization", 20, 1024, "--threads", "1,2",
               "--replications", "3"),
    study_part("batched", "many small matrices", 30, 8, "--replications", "1", few=["--quick"]),
    study_part("ece496", "LU without pivoting", 15, 2000, "--most-n", "2000", "--threads", "1,2",
               "--replications", "3"),
    study_part("contest", "the shapes of a public contest, up to order 4096", 4, 32, "--most-n", "4096",
               "--threads", "1,2", "--replications", "5"),
    study_part("peers", "OpenBLAS, MKL and Eigen by wall time", 20, 1024, "--most-n", "2048",
               "--replications", "5"),
]


COMPARE = next(part for part in PARTS if part.name == "compare")
PARTS.append(dataclasses.replace(COMPARE, name="figure", page=README, about="the figure: Cholesky over n",
                                 of="compare", text=tables.figure))


def by_name():
    return {part.name: part for part in PARTS}
