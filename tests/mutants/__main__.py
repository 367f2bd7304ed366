"""Count the mutants of the resolver that the tests notice: `python -m tests.mutants [--modules …] [--tenths N]`.

Works on a copy of the tree in `build/mutants`, with mutmut in a directory of its own beside it. There
`PYTHONPATH=../lib python -m mutmut show NAME` shows what a mutant changed.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "build" / "mutants"
TREE, LIBRARY, LOG = BUILD / "tree", BUILD / "lib", BUILD / "log"
MUTMUT = "mutmut==3.8.1"
GOAL = 0.9
PATIENCE_SECONDS = 40  # of one test: some mutants never come to an end
SYSTEM = "rules/matchbox"
ENGINE = f"{SYSTEM}/engine"
MODULES = (
    "backing",
    "boarding",
    "contact",
    "damage",
    "deciding",
    "hull",
    "kept",
    "laying",
    "meeting",
    "movement",
    "orders",
    "path",
    "placing",
    "plane",
    "points",
    "round",
    "scenarios",
    "shore",
    "stages",
    "terrain",
    "volley",
)
"""Modules that resolve a round, choose and place vessels, and train crews. mutmut makes no mutants of `kinds`: it
changes neither constants nor decorated functions."""
PLANE = "rules/geometry/plane.py"  # the file of `plane`: the land on the table
UNTESTED = {"contact", "damage", "meeting", "path", "plane"}
"""Without quick tests of their own: cases judge contacts, damage, crews and maps, `test_movement` ways and meetings."""
TESTS = (
    "tests/cases/",
    "tests/rules/test_plane.py",
    *(f"tests/{SYSTEM}/test_{name}.py" for name in ("case", "vessels", *MODULES) if name not in UNTESTED),
)
SLOW = (
    f"tests/{SYSTEM}/test_case.py::test_any_text_is_a_position_or_refused",
    f"tests/{SYSTEM}/test_case.py::test_no_other_error_comes_of_any_value",
    f"tests/{SYSTEM}/test_orders.py::test_any_text_is_read_or_refused",
    f"tests/{SYSTEM}/test_boarding.py::test_captains_board_a_galley_that_can_hardly_resist",
    f"tests/{SYSTEM}/test_placing.py::test_there_is_always_a_place_left",
    f"tests/{SYSTEM}/test_scenarios.py::test_computer_captains_do_what_a_scenario_wants",
    f"tests/{SYSTEM}/test_scenarios.py::test_deckhands_play_a_scenario_to_its_end",
)  # texts by chance, and whole games: they look for other errors than mutants make
TENTHS = "1470369258"  # last digits of the numbers of mutants, in the order in which tenths of them all are taken
ENDS = {0: "survived", 5: "no test", 33: "no test", 1: "killed", 3: "killed"} | dict.fromkeys(
    (24, -24, 36, 152, 255), "timed out"
)  # by mutmut's code for each mutant; whatever else (a crash of the runner) is none of these


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--modules", nargs="+", default=MODULES, choices=MODULES)
    parser.add_argument("--tenths", type=int, default=10, choices=range(1, 11), help="how many tenths of all to try")
    options = parser.parse_args()
    copy(options.modules)
    sys.stdout.write(f"trying mutants of {', '.join(options.modules)}; how it goes stands in {LOG.relative_to(ROOT)}\n")
    sys.stdout.flush()
    some = [f"*[{TENTHS[: options.tenths]}]"] if options.tenths < 10 else []
    mutmut("run", "--max-children", str(os.cpu_count()), *some)
    return 0 if show(options.modules) >= GOAL else 1


def copy(modules: list[str]) -> None:
    """Copy what is tested and what tests it, and put mutmut beside it."""
    shutil.rmtree(TREE, ignore_errors=True)
    parts = ("rules", "tests", "data", "bot", "render")
    for part in parts:
        shutil.copytree(ROOT / part, TREE / part, ignore=shutil.ignore_patterns("__pycache__"))
    settings = {
        "source_paths": [path(module) for module in modules],
        "also_copy": [*parts, "pyproject.toml"],
        "pytest_add_cli_args_test_selection": TESTS,
        "pytest_add_cli_args": [
            *("-n0", "-p", "no:cacheprovider", "--hypothesis-seed=0", f"--timeout={PATIENCE_SECONDS}"),
            *(word for test in SLOW for word in ("--deselect", test)),
        ],
    }
    lines = [f"{key} = {json.dumps(value)}\n" for key, value in settings.items()]
    table = "\n[tool.mutmut]\n" + "".join(lines)
    (TREE / "pyproject.toml").write_text((ROOT / "pyproject.toml").read_text("utf-8") + table, "utf-8")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if not LIBRARY.exists():
        subprocess.run([*pip, "--target", LIBRARY, MUTMUT], check=True)


def path(module: str) -> str:
    return PLANE if module == "plane" else f"{ENGINE}/{module}.py"


def mutmut(*words: str) -> None:
    """Run mutmut on the copy. It first makes sure that the mutated modules are those which the tests import."""
    with LOG.open("wb") as log:
        subprocess.run(
            [sys.executable, "-m", "mutmut", *words],
            cwd=TREE,
            env=os.environ | {"PYTHONPATH": str(LIBRARY)},
            stdout=log,
            stderr=subprocess.STDOUT,
            check=True,
        )


def show(modules: list[str]) -> float:
    """Print the results of each module's mutants; return the part of all that was killed or timed out."""
    ends = {module: Counter(end for _, end in mutants(module)) for module in modules}
    total = sum(ends.values(), Counter())
    sys.stdout.write(f"{'':10}{'mutants':>9}{'killed':>9}{'timed out':>11}{'survived':>10}{'no test':>9}{'score':>8}\n")
    for name, row in (*ends.items(), ("all", total)):
        counts = [row[end] for end in ("killed", "timed out", "survived", "no test")]
        sys.stdout.write("{:10}{:>9}{:>9}{:>11}{:>10}{:>9}{:>8.1%}\n".format(name, row.total(), *counts, score(row)))
    left = [name for module in modules for name, end in mutants(module) if end not in {"killed", "timed out"}]
    (BUILD / "left").write_text("".join(f"{name}\n" for name in left), "utf-8")
    sys.stdout.write(f"The {len(left)} that are left stand in {(BUILD / 'left').relative_to(ROOT)}\n")
    return score(total)


def mutants(module: str) -> Iterator[tuple[str, str]]:
    """Return the result of each of a module's mutants by name; those that were not tried are left out."""
    known = json.loads((TREE / "mutants" / f"{path(module)}.meta").read_text("utf-8"))
    for name, code in known["exit_code_by_key"].items():
        if code is not None:
            yield name, ENDS.get(code, "crashed")


def score(ends: Counter[str]) -> float:
    return (ends["killed"] + ends["timed out"]) / max(1, ends.total())


if __name__ == "__main__":
    sys.exit(main())
