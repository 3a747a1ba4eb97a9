"""Plans: TOML files of experiments, each a full factorial of factors and their levels."""

import dataclasses
import hashlib
import itertools
import json
import pathlib
import re

try:
    import tomllib
except ModuleNotFoundError:  # before Python 3.11; the command's environment has tomli then
    import tomli as tomllib

PLANS = pathlib.Path(__file__).resolve().parent / "plans"

# What an experiment may vary, and the level where it does not say.
FACTORS = {
    "backend": "serial", "device": "any", "algorithm": "cholesky", "variant": "best",
    "type": "double", "n": None, "threads": 1, "block": 0, "cutoff": 0, "leaves": 0, "arity": 0,
    "group": 0, "columns": "multiple", "blocks": "packed", "arithmetic": "ieee",
    "cutoff_loop": "scalar", "layout": "column_major", "vectors": "wide",
    # Of batches; 0 is one matrix.
    "batch": 0, "operation": "factor", "place": "chunked", "tile": 0, "looking": "automatic", "chunk": 0,
    "outer": "automatic", "kernel": "automatic", "panel": 0, "block_height": 0, "block_width": 0, "systems": 0,
}
OF_GROUPS = ("panel", "block_height", "block_width", "systems")
OF_DEVICE_BATCHES = ("tile", "looking", "outer", "kernel", *OF_GROUPS)
OF_BATCHES = ("operation", "place", "chunk", *OF_DEVICE_BATCHES)
OF_DEVICES = ("group", "columns", "blocks", "arithmetic", "cutoff_loop", "vectors")
NUMBERS = ("n", "threads", "block", "cutoff", "leaves", "arity", "group", "batch", "tile", "chunk", *OF_GROUPS)
# Types and their letters in LAPACK.
TYPES = {"float": "s", "double": "d", "complex_float": "c", "complex_double": "z"}
DETAILS = ("none", "operations", "deviation", "error")
FIGURE_KEYS = {"id", "title", "kind", "x", "y", "line", "where", "each", "ideal", "xscale",
               "yscale", "note", "parts", "base"}
TABLE_KEYS = ("id", "title", "row", "column", "value")


# Levels of numbers in words: as many groups of rows as the machine has cores; every shape of a group of work-items.
IN_WORDS = {"leaves": "cores", "panel": "all", "block_height": "all", "block_width": "all"}
MOST_ITEMS = 1024  # of a group, on CUDA devices
SHAPE = "shape"    # levels "COUNTxORDER", in the place of batch and n: batches that are no full factorial of them


def blocks_of(n):
    """Powers of two up to the first that is n or more, and n."""
    return sorted({n, *(2 ** k for k in range((n - 1).bit_length() + 1))})


def shapes_of(setting):
    """The settings that "all" panels, heights and widths of a group stand for, as in Proc. IEEE 2018:
    panels of n, ⌈n/2⌉, ⌈n/3⌉ to 1 columns; blocks of another number of items than a multiple of 32 are
    left out. Levels that are named stay."""
    n = setting["n"]
    if "all" not in (setting["panel"], setting["block_height"], setting["block_width"]):
        return [setting]
    levels = {"panel": lambda s: sorted({-(-n // parts) for parts in range(1, n + 1)}),
              "block_height": lambda s: blocks_of(n), "block_width": lambda s: blocks_of(s["panel"])}
    made = [setting]
    for key, all_of in levels.items():
        made = [{**s, key: level} for s in made for level in (all_of(s) if s[key] == "all" else [s[key]])]
    items = [(s, s["block_height"] * s["block_width"]) for s in made]
    return [s for s, count in items if count % 32 == 0 and count <= MOST_ITEMS]


class PlanError(Exception):
    """A plan that cannot be used; the text says where and why."""


@dataclasses.dataclass
class Experiment:
    name: str
    title: str
    detail: str
    levels: dict  # factor -> list of levels


@dataclasses.dataclass
class Plan:
    name: str
    title: str
    about: str
    seed: int
    replications: int
    order: str      # "full": all runs shuffled; "blocks": replication after replication, each shuffled
    seconds: float  # after so long only the first four replications go on; 0: no limit
    average: str    # "median", or "mean" as in the thesis: what speed-ups, figures and ranks go by
    base: dict      # the setting that speed-ups refer to; empty: the fastest serial one
    experiments: list
    figures: list
    tables: list  # of two factors, as the sources print them

    def settings(self):
        """All settings in the order of the file: dictionaries with every factor, and the experiment."""
        made = []
        for e in self.experiments:
            names = list(e.levels)
            for combination in itertools.product(*e.levels.values()):
                made += shapes_of({"experiment": e.name, "detail": e.detail, **FACTORS,
                                   **placed(dict(zip(names, combination)))})
        return made

    def fingerprint(self):
        """Tells whether results belong to this plan."""
        text = json.dumps([self.name, self.seed, self.replications, self.order, self.settings()])
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def listed(value):
    return value if isinstance(value, list) else [value]


def order_of(shape):
    return int(shape.partition("x")[2])


def placed(levels):
    """A backend "opencl (gpu)" is two levels: opencl, and its device; a shape "16x512" is a batch and its order."""
    if SHAPE in levels:
        levels = {**levels, "batch": int(levels[SHAPE].partition("x")[0]), "n": order_of(levels[SHAPE])}
        del levels[SHAPE]
    backend, _, device = levels.get("backend", "").partition(" (")
    return {**levels, "backend": backend, "device": device.removesuffix(")")} if device else levels


def experiment_of(table, place):
    levels = {}
    table = dict(table)
    name = table.pop("name", None)
    if not isinstance(name, str):
        raise PlanError(f"{place}: an experiment has no name")
    title, detail = table.pop("title", name), table.pop("detail", "none")
    if detail not in DETAILS:
        raise PlanError(f"{place}, experiment {name}: detail is one of {', '.join(DETAILS)}")
    for key, value in table.items():
        if key not in (*FACTORS, SHAPE):
            raise PlanError(f"{place}, experiment {name}: {key} is not a factor")
        levels[key] = listed(value)
        kind = int if key in NUMBERS else str
        for level in levels[key]:
            if level == IN_WORDS.get(key):
                continue
            if type(level) is not kind or (kind is int and level < (key in ("n", "threads"))):
                raise PlanError(f"{place}, experiment {name}: {key} cannot be {level!r}")
            if key == "type" and level not in TYPES:
                raise PlanError(f"{place}, experiment {name}: type is one of {', '.join(TYPES)}")
            if key == SHAPE and not re.fullmatch(r"[1-9]\d*x[1-9]\d*", level):
                raise PlanError(f"{place}, experiment {name}: a shape is COUNTxORDER, not {level!r}")
    if ("n" in levels or "batch" in levels) and SHAPE in levels:
        raise PlanError(f"{place}, experiment {name}: shapes have a batch and an n")
    if "n" not in levels and SHAPE not in levels:
        raise PlanError(f"{place}, experiment {name}: no n")
    if any(b.partition(" (")[0] in ("serial", "opencl") for b in levels.get("backend", ["serial"])) and any(
            t > 1 for t in levels.get("threads", [1])):
        raise PlanError(f"{place}, experiment {name}: this backend has no threads to choose")
    of_hosts = {placed({"backend": b})["backend"] for b in levels.get("backend", ["serial"])} - {"opencl", "cuda"}
    if SHAPE not in levels and 0 in levels.get("batch", [0]) and (wrong := [k for k in OF_BATCHES if k in levels]):
        raise PlanError(f"{place}, experiment {name}: {wrong[0]} is of batches, and batch is 0")
    for key in (*OF_DEVICES, *OF_DEVICE_BATCHES):
        if of_hosts and set(levels.get(key, [])) - {FACTORS[key]}:
            raise PlanError(f"{place}, experiment {name}: {sorted(of_hosts)[0]} has no {key} to choose")
    if "all" in levels.get("block_width", []) and 0 in levels.get("panel", [0]):
        raise PlanError(f"{place}, experiment {name}: block_width = \"all\" needs panels, whose columns it divides")
    return Experiment(name, title, detail, levels)


def figure_of(table, place):
    wrong = set(table) - FIGURE_KEYS
    if wrong:
        raise PlanError(f"{place}, figure {table.get('id')}: {', '.join(sorted(wrong))} not known")
    for key in ("id", "title", "x", "y"):
        if key not in table:
            raise PlanError(f"{place}, figure {table.get('id')}: no {key}")
    check_where(table, f"{place}, figure {table['id']}")
    return {"kind": "lines", "line": "experiment", "where": {}, **table}


def check_where(table, place):
    """`where` is a table of factors and their levels, or a list of such tables, one of which must match."""
    for one in listed(table.get("where", {})):
        if not isinstance(one, dict) or set(one) - {"experiment", SHAPE, *FACTORS}:
            raise PlanError(f"{place}: where cannot be {one!r}")


def table_of(table, place):
    wrong = set(table) - {*TABLE_KEYS, "where", "note"}
    if wrong:
        raise PlanError(f"{place}, table {table.get('id')}: {', '.join(sorted(wrong))} not known")
    for key in TABLE_KEYS:
        if key not in table:
            raise PlanError(f"{place}, table {table.get('id')}: no {key}")
    for key in ("row", "column"):
        if table[key] not in (*FACTORS, SHAPE, "where"):
            raise PlanError(f"{place}, table {table['id']}: {table[key]} is not a factor")
    check_where(table, f"{place}, table {table['id']}")
    return {"where": {}, **table}


def parse(text, place):
    """The plan in a text; `place` is its name in messages. Throws PlanError."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PlanError(f"{place}: {error}") from None
    known = {"title": str, "about": str, "seed": int, "replications": int, "order": str,
             "seconds": (int, float), "average": str, "base": dict, "experiment": list, "figure": list, "table": list}
    for key, value in document.items():
        if key not in known:
            raise PlanError(f"{place}: {key} is not known")
        if not isinstance(value, known[key]):
            raise PlanError(f"{place}: {key} cannot be {value!r}")
    if not document.get("experiment"):
        raise PlanError(f"{place}: there is no [[experiment]]")
    plan = Plan(
        name=pathlib.Path(place).stem, title=document.get("title", pathlib.Path(place).stem),
        about=document.get("about", ""), seed=document.get("seed", 1),
        replications=document.get("replications", 5), order=document.get("order", "full"),
        seconds=document.get("seconds", 0), average=document.get("average", "median"), base=document.get("base", {}),
        experiments=[experiment_of(t, place) for t in document["experiment"]],
        figures=[figure_of(t, place) for t in document.get("figure", [])],
        tables=[table_of(t, place) for t in document.get("table", [])])
    if plan.order not in ("full", "blocks"):
        raise PlanError(f"{place}: order is \"full\" or \"blocks\"")
    if plan.average not in ("mean", "median"):
        raise PlanError(f"{place}: average is \"mean\" or \"median\"")
    if plan.replications < 1:
        raise PlanError(f"{place}: replications must be at least 1")
    if set(plan.base) - set(FACTORS):
        raise PlanError(f"{place}: base has an unknown factor")
    return plan


def shipped():
    """Names of the plans that come with trifac."""
    return sorted(p.stem for p in PLANS.glob("*.toml"))


def load(name):
    """A shipped plan by name, or a file. Throws PlanError."""
    path = PLANS / f"{name}.toml"
    if not path.is_file():
        path = pathlib.Path(name)
    if not path.is_file():
        raise PlanError(f"{name} is neither a file nor one of the plans {', '.join(shipped())}")
    return parse(path.read_text(), str(path.name))


def thinned(key, levels, most_n):
    """A few of a list of numbers: of orders up to most_n three, of batches the last, else the ends. Names stay."""
    if key in OF_GROUPS and levels == ["all"]:
        return [0]  # the library's choice
    if key == SHAPE:
        return [s for s in levels if order_of(s) in thinned("n", sorted({order_of(s) for s in levels}), most_n)]
    if not all(isinstance(level, (int, float)) for level in levels):
        return levels
    if key == "n":
        levels = [n for n in levels if n <= most_n] or levels[:1]
        few = [levels[0], levels[len(levels) // 2], levels[-1]]
    else:
        few = levels[-1:] if key == "batch" else [levels[0], levels[-1]]
    return [level for i, level in enumerate(few) if level not in few[:i]]


def limited(plan, most_n=None, threads=None, replications=None, quick=False):
    """The plan with fewer levels or replications; `quick`: so few that it takes minutes."""
    if quick:
        for e in plan.experiments:
            most = 32 if "batch" in e.levels else 512
            e.levels = {key: thinned(key, levels, most) for key, levels in e.levels.items()}
        replications = replications or 1
    for e in plan.experiments:
        if most_n and SHAPE in e.levels:
            e.levels[SHAPE] = [s for s in e.levels[SHAPE] if order_of(s) <= most_n]
        elif most_n:
            e.levels["n"] = [n for n in e.levels["n"] if n <= most_n]
        if threads and "threads" in e.levels:
            e.levels["threads"] = [t for t in e.levels["threads"] if t in threads]
    plan.experiments = [e for e in plan.experiments if all(e.levels.values())]
    if not plan.experiments:
        raise PlanError(f"{plan.name}: these limits leave nothing to run")
    if replications:
        plan.replications = replications
    return plan
