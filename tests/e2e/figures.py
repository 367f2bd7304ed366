"""The figures of a newcomer's walk as a table: `python -m tests.e2e.figures` writes it into `docs/measurements.md`.

`make walk` leaves them in `build/walk/<game>/figures.json`; those of a phone are shown. What it was like before is
written down here: a newcomer measured it by hand at commit 8a56c47.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

from bot.texts.i18n import Catalogue
from tests import measurements
from tests.games import tested

ROOT: Final = Path(__file__).parents[2]
WALKS: Final = ROOT / "build" / "walk"
TITLE: Final = "What a first game costs a newcomer"


class Figure(NamedTuple):
    """A row for each game."""

    says: str
    keys: tuple[str, ...]  # of what `make walk` measures; of several the largest counts
    digits: int = 0  # after the point
    before: Mapping[str, str] = MappingProxyType({})  # by game


FIGURES: Final = (
    Figure(
        "taps to the first order, without Seal",
        ("taps to the first order",),
        before={"matchbox": "5", "forts": "8", "ramspeed": "6", "squadrons": "6"},
    ),
    Figure(
        "presses a round, by hints",
        ("presses a round",),
        digits=1,
        before={"matchbox": "3", "forts": "10", "ramspeed": "3", "squadrons": "3"},
    ),
    Figure(
        "seconds a press",
        ("seconds a press",),
        digits=1,
        before={"matchbox": "0.4", "forts": "0.4", "ramspeed": "0.4", "squadrons": "0.4"},
    ),
    Figure(
        "pixels of the first panel",
        ("panel, first: height",),
        before={"matchbox": "965", "forts": "656", "ramspeed": "646", "squadrons": "844"},
    ),
    Figure(
        "pixels of a later panel, at most",
        ("panel, next: height at most", "panel, taken: height at most", "panel, next: height", "panel, taken: height"),
        before={"matchbox": "1,119", "forts": "983", "ramspeed": "778", "squadrons": "1,042"},
    ),
    Figure(
        "pixels to the end of its buttons, at most",
        tuple(
            f"panel, {when}: buttons_end{end}"
            for when in ("first", "ordered", "next", "taken")
            for end in ("", " at most")
        ),
    ),
    Figure("lines a round, at most", ("lines a round at most",)),
)


def now(figure: Figure, measured: Mapping[str, float]) -> str:
    found = [measured[key] for key in figure.keys if key in measured]
    return f"{max(found):,.{figure.digits}f}" if found else "–"


def table(walks: Path = WALKS) -> str:
    paths = {game: walks / game / "figures.json" for game in tested}
    games = {game: json.loads(path.read_text()) for game, path in paths.items() if path.is_file()}
    names = [str(Catalogue.load("en", game).say("game.short")) for game in games]
    lines = [f" | {' | '.join(names)}"]
    for figure in FIGURES:
        cells = [" → ".join(filter(None, (figure.before.get(game), now(figure, games[game])))) for game in games]
        lines.append(f"{figure.says} | {' | '.join(cells)}")
    return "\n".join(lines)


def main() -> None:
    text = measurements.SOURCE.read_text("utf-8")
    begin = text.index('rows = """\n', text.index(TITLE)) + len('rows = """\n')
    end = text.index('\n"""', begin)
    text = text[:begin] + table() + text[end:]
    measurements.SOURCE.write_text(text, "utf-8")
    measurements.PAGE.write_text(measurements.format_page(text), "utf-8")
    sys.stdout.write(table() + "\n")


if __name__ == "__main__":
    main()
