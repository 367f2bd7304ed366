"""Prove that recorded games and texts differ from an earlier revision by the map of names alone.

usage: python -m tests.renames.goldens REVISION   (in the root of a checkout)

Each word that differs must be a name of the map, and its new name must stand in its place. Records and cases may not
differ at all.
"""

from __future__ import annotations

import difflib
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
RECORDED = ("tests/playthroughs/*.txt", "data/*.po")
UNCHANGED = ("tests/cases/*.json", "tests/cases/*.toml", "tests/pictures/*.png", "data/*.toml")


def git(*command: str) -> str:
    return subprocess.run(["git", *command], capture_output=True, text=True, check=True, cwd=HERE.parents[1]).stdout


def renamed() -> set[tuple[str, str]]:
    names = tomllib.loads((HERE / "names.toml").read_text("utf-8"))
    tables = (names[table] for table in ("classes", "constants", "functions", "methods", "fields"))
    pairs = ((key.rpartition(":")[2].rpartition(".")[2], new) for table in tables for key, new in table.items())
    return set(pairs)


def differences(old: str, new: str) -> Iterator[tuple[str, str]]:
    """Yield the words that stand in place of each other in two texts."""
    before, after = (re.findall(r"\w+|[^\w\s]", text) for text in (old, new))
    if len(before) == len(after):
        yield from ((a, b) for a, b in zip(before, after, strict=True) if a != b)
        return
    for kind, a, b, c, d in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind != "equal":
            yield " ".join(before[a:b]), " ".join(after[c:d])


def main(revision: str) -> int:
    faults = [f"{path} differs" for path in git("diff", "--name-only", revision, "--", *UNCHANGED).split()]
    known, compared = renamed(), 0
    for path in git("ls-files", *RECORDED).split():
        compared += 1
        pairs = set(differences(git("show", f"{revision}:{path}"), Path(HERE.parents[1], path).read_text("utf-8")))
        faults += [f"{path}: {old!r} has become {new!r}" for old, new in sorted(pairs - known)]
    print(*faults, f"{compared} files compared, {len(faults)} differences beside the map", sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
