"""The names that `trifac names` prints are those of the table in docs/variants.md, and the plans of
the study use no others: names.py PROGRAM ROOT."""

import pathlib
import re
import subprocess
import sys
import tomllib

# Of bench/study/worker alone: the library has none of it.
OF_THE_STUDY = {"columns": ["first_rounds"]}

TABLE = re.compile(r"<!-- names -->\n(.*?)<!-- end -->", re.DOTALL)


def printed_names(text):
    """{choice: [name, ...]} of what the program prints."""
    lines = (line.split(":") for line in text.splitlines())
    return {what: names.split() for what, names in lines}


def tabled_names(page):
    """The same of the table between the page's marks."""
    found = {}
    for line in TABLE.search(page).group(1).splitlines():
        cells = line.split("|")
        words = [re.findall(r"`([a-z0-9_+]+)`", cell) for cell in cells]
        if len(cells) >= 4 and words[1]:
            found[words[1][0]] = words[2]
    return found


def differences(program, page):
    for what in sorted({*program, *page}):
        for name in sorted({*program.get(what, []), *page.get(what, [])}):
            if name not in page.get(what, []):
                yield f"docs/variants.md lacks {name} of {what}"
            if name not in program.get(what, []):
                yield f"docs/variants.md has {name} of {what}, the program does not"


def unknown_levels(program, plan):
    """Levels of a plan's experiments that the program has no name for."""
    for experiment in plan["experiment"]:
        algorithm = experiment.get("algorithm", "cholesky")
        for factor, levels in experiment.items():
            what = algorithm if factor == "variant" else factor
            if factor == "device" and experiment.get("backend") == "starpu":
                what = "workers"
            for level in levels if isinstance(levels, list) else [levels]:
                known = [*program.get(what, []), *OF_THE_STUDY.get(what, [])]
                if what in program and factor != "algorithm" and level not in known:
                    yield f"{experiment['name']}: {factor} = {level}"
                if factor == "backend" and "(" in level and level.split("(")[1].rstrip(")") not in program["device"]:
                    yield f"{experiment['name']}: {factor} = {level}"


def own_test():
    """Mistakes are found."""
    program = {"lu": ["best", "none"], "device": ["cpu"]}
    assert not list(differences(program, {"lu": ["none", "best"], "device": ["cpu"]}))
    assert len(list(differences(program, {"lu": ["best"]}))) == 2
    assert len(list(differences(program, {**program, "blocks": ["rows"]}))) == 1
    plan = {"experiment": [{"name": "a", "algorithm": "lu", "variant": ["best", "crout"], "n": 5}]}
    assert list(unknown_levels(program, plan)) == ["a: variant = crout"]
    plan = {"experiment": [{"name": "a", "backend": ["opencl (cpu)", "opencl (gpx)", "cuda"]}]}
    assert list(unknown_levels(program, plan)) == ["a: backend = opencl (gpx)"]
    tasks = {"name": "b", "backend": "starpu", "device": "cpu+opencl"}
    assert not list(unknown_levels({**program, "workers": ["cpu+opencl"]}, {"experiment": [tasks]}))
    assert list(unknown_levels({**program, "workers": ["cpu"]}, {"experiment": [tasks]}))


def main(program, root):
    own_test()
    text = subprocess.run([program, "names"], check=True, capture_output=True, text=True).stdout
    names = printed_names(text)
    root = pathlib.Path(root)
    wrong = list(differences(names, tabled_names((root / "docs/variants.md").read_text())))
    for path in sorted((root / "bench/study/plans").glob("*.toml")):
        plan = tomllib.loads(path.read_text())
        wrong += [f"{path.name}, {what}" for what in unknown_levels(names, plan)]
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
