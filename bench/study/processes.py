"""The processes that factor: one for each backend, device and number of threads; the libraries of
bench/compare besides ours."""

import json
import os
import subprocess
import types

from comparison import machine, measure, peers

from .plan import FACTORS, OF_GROUPS, TYPES

OURS = ("serial", "openmp", "lapack", "opencl", "starpu", "cuda", "cusolver")
REQUEST = ("algorithm", "variant", "type", "n", "block", "cutoff", "leaves", "arity", "group",
           "columns", "blocks", "arithmetic", "cutoff_loop", "layout", "vectors", "detail", "batch", "operation",
           "place", "tile", "looking", "chunk", "outer", "kernel", *OF_GROUPS)


class Worker:
    """trifac-study-worker on one backend."""

    def __init__(self, program, backend, threads, device):
        environment = {**os.environ, **machine.openblas_kernels(), "MKL_DYNAMIC": "FALSE"}
        for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
            environment[variable] = str(threads)
        if threads > 1 and backend in ("openmp", "lapack"):  # as for the libraries: measure.Process
            environment["OMP_PROC_BIND"] = "true"
        # A device, and a CPU that serves as one, may use every core.
        self.cores = (sorted(os.sched_getaffinity(0)) if backend in ("opencl", "cuda") or device != "any"
                      else sorted(measure.cores_for(threads, None)))
        # In a session of its own: an interrupt at the keyboard is the driver's.
        self.process = subprocess.Popen(
            [str(program), backend, str(threads), device], env=environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            start_new_session=True, preexec_fn=lambda: os.sched_setaffinity(0, self.cores))
        self.properties = self.read()

    def read(self):
        line = self.process.stdout.readline()
        return json.loads(line) if line else {"error": "its process has ended"}

    def ask(self, setting, seed):
        # "cores" is a level of leaves: as many groups of rows as there are cores, as in Martins,
        # Tomás, Chaves.
        words = [f"{key}={len(os.sched_getaffinity(0)) if setting[key] == 'cores' else setting[key]}"
                 for key in REQUEST]
        try:
            self.process.stdin.write(" ".join([*words, f"seed={seed}"]) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            return {"error": "its process has ended"}
        return self.read()

    def close(self):
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        self.process.wait()
        self.process.stdout.close()

    def stop(self):
        self.process.kill()


def is_batched(name):
    """Whether a library of bench/compare is one of its --batched."""
    return name.endswith(("-loop", "-compact", "-fixed"))


def pause_after(setting):
    """Seconds before the next run, which is another process's: a team waits busily for its next task,
    MKL's for 0.2 s."""
    return 0 if setting["threads"] == 1 else 0.25 if setting["backend"].startswith("mkl") else 0.03


class Peer:
    """A library of bench/compare: one uncounted batch and one that counts make a run."""

    def __init__(self, peer, threads):
        # One on a device may use every core.
        self.cores = sorted(os.sched_getaffinity(0) if peer.family == "viennacl" else measure.cores_for(threads, None))
        self.process = measure.Process(peer, threads, set(self.cores))
        self.properties = self.process.properties

    def ask(self, setting, seed):
        if setting["variant"] != "best":
            return {"error": "a library has the variant best only"}
        for factor in ("block", "cutoff", "leaves", "arity", "layout"):
            if setting.get(factor, FACTORS[factor]) != FACTORS[factor]:
                return {"error": f"a library has no {factor} to choose"}
        if bool(setting["batch"]) != is_batched(setting["backend"]):
            return {"error": f"{setting['backend']} is " + ("one matrix at a time" if setting["batch"] else
                                                            "for batches")}
        case = {"algorithm": setting["algorithm"], "part": "lower", "n": setting["n"],
                "ld": setting["batch"] or setting["n"], "type": TYPES[setting["type"]]}
        if setting["batch"]:
            case["operation"] = setting["operation"]
        found = self.process.ask(case, 0)
        if "error" in found:
            return found
        status = "success" if found["failures"] == 0 else "the library reports a failure"
        return {"seconds": found["wall"], "batch": found["batches"], "ratio": found["ratio"],
                "status": status}

    def close(self):
        self.process.close()

    def stop(self):
        self.process.process.kill()


class Pool:
    """The processes of a study, started when first asked for. `absent` names the backends that are not
    there, with the reason."""

    def __init__(self, worker, work, compiler, offline):
        self.worker, self.work = worker, work
        self.options = types.SimpleNamespace(output=str(work / "compare"), compiler=compiler,
                                             isa=None, offline=offline, only=None, peers=[], eigen=[])
        self.processes, self.absent = {}, {}

    def get(self, setting):
        """The process for a setting, or None where its backend is absent."""
        key = (setting["backend"], setting["threads"], setting["device"])
        if key not in self.processes:
            self.processes[key] = self.start(*key)
        return self.processes[key]

    def start(self, backend, threads, device):
        name = backend if device == "any" else f"{backend} ({device})"
        if backend in OURS:
            process = Worker(self.worker, backend, threads, device)
        else:
            found = self.peer(backend, threads)
            if isinstance(found, str):
                self.absent[name] = found
                return None
            process = Peer(found, threads)
        if "error" in process.properties:
            self.absent[name] = process.properties["error"]
            process.close()
            return None
        return process

    def peer(self, name, threads):
        """A peer of bench/compare, or the reason why there is none."""
        self.options.only, self.options.batched = name, is_batched(name)
        collector = peers.Collector(self.options)
        collector.add_debian_openblas(threads)
        collector.add_pypi(threads)
        collector.add_eigen(threads)
        if name == "viennacl":
            collector.add_viennacl()
        for peer in collector.peers:
            if peer.name == name:
                return peer
        library = name.rpartition("-")[0] if is_batched(name) else name
        for known in (name, library, f"batched-{library}", "batched-library" if is_batched(name) else "library"):
            if known in collector.missing:
                return collector.missing[known]
        return "no library of this name (bench/compare knows them)"

    def living(self):
        """Process numbers."""
        return [p.process.pid if isinstance(p, Worker) else p.process.process.pid
                for p in self.processes.values() if p is not None]

    def ask(self, setting, seed):
        process = self.get(setting)
        if process is None:
            return {"error": "its backend is absent"}
        answer = process.ask(setting, seed)
        if answer.get("error") == "its process has ended":
            self.processes.pop(
                (setting["backend"], setting["threads"], setting["device"])).close()
        return answer

    def close(self):
        for process in self.processes.values():
            if process is not None:
                process.close()
        self.processes = {}

    def stop(self):
        """Ends runs that are under way: an interruption does not wait for them."""
        for process in self.processes.values():
            if process is not None:
                process.stop()
