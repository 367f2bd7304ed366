"""Games that were played once are not played again: a long run may be broken off, and goes on where it was."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import TypeVar

import msgspec

P = TypeVar("P", bound=Hashable)
G = TypeVar("G")


def read(keep: Path, row: type[tuple[P, G]]) -> list[tuple[P, G]]:
    return [msgspec.json.decode(line, type=row) for line in keep.read_bytes().splitlines()]


def played(
    play: Callable[[P], G], pairings: Sequence[P], row: type[tuple[P, G]], keep: Path | None, pool: Executor
) -> list[tuple[P, G]]:
    """Play what was not played before, and write each game down as it ends; `row` is how a line of the file is read."""
    known = dict(read(keep, row)) if keep is not None and keep.exists() else {}
    left = [pairing for pairing in pairings if pairing not in known]
    for pairing, game in zip(left, pool.map(play, left), strict=True):
        known[pairing] = game
        if keep is not None:
            with keep.open("ab") as file:
                file.write(msgspec.json.encode((pairing, game)) + b"\n")
    return [(pairing, known[pairing]) for pairing in pairings]
