"""The figures of a newcomer's walk as a table: `python -m tests.e2e.figures` writes it into `docs/measurements.md`.

`make walk` leaves them in `build/walk/<game>/figures.json`; those of a phone are shown.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from bot.texts.i18n import Catalogue
from tests import measurements
from tests.games import tested

WALKS: Final = Path(__file__).parents[2] / "build" / "walk"
TITLE: Final = "What a first game costs a newcomer"


class Figure(NamedTuple):
    says: str
    keys: tuple[str, ...]  # of what `make walk` measures; of several the largest counts
    digits: int = 0  # after the point
    where: str = ""  # end of the name of the folder in which it was left; empty: on a phone, in English


_BUTTONS_END: Final = tuple(
    f"panel, {when}: buttons_end{end}" for when in ("first", "ordered", "next", "taken") for end in ("", " at most")
)

FIGURES: Final = (
    Figure("taps to the first order, without Seal", ("taps to the first order",)),
    Figure("in Hungarian: taps to the first order", ("taps to the first order",), 0, "-hu"),
    Figure("presses a round, by hints", ("presses a round",), 1),
    Figure("seconds a press", ("seconds a press",), 1),
    Figure("pixels of the first panel", ("panel, first: height",)),
    Figure(
        "pixels of a later panel, at most",
        tuple(f"panel, {when}: height{end}" for when in ("next", "taken") for end in ("", " at most")),
    ),
    Figure("pixels to the end of its buttons, at most", _BUTTONS_END),
    Figure("in Hungarian: pixels to the end of its buttons, at most", _BUTTONS_END, 0, "-hu"),
    Figure("lines a round, at most", ("lines a round at most",)),
)


def cell(figure: Figure, measured: Mapping[str, float]) -> str:
    values = [measured[key] for key in figure.keys if key in measured]
    return f"{max(values):,.{figure.digits}f}" if values else "–"


def table(walks: Path = WALKS) -> str:
    """Return the figures of all games that were walked; a dash for what was not measured."""
    walked = [game for game in tested if _measured(walks, game)]
    names = [str(Catalogue.load("en", game).say("game.short")) for game in walked]
    rows = [
        [figure.says, *(cell(figure, _measured(walks, f"{game}{figure.where}")) for game in walked)]
        for figure in FIGURES
    ]
    return "\n".join(map(" | ".join, [["", *names], *rows]))


def _measured(walks: Path, name: str) -> dict[str, float]:
    path = walks / name / "figures.json"
    return json.loads(path.read_text()) if path.is_file() else {}


def main() -> None:
    text = measurements.SOURCE.read_text("utf-8")
    begin = text.index('rows = """\n', text.index(TITLE)) + len('rows = """\n')
    text = text[:begin] + table() + text[text.index('\n"""', begin) :]
    measurements.SOURCE.write_text(text, "utf-8")
    measurements.PAGE.write_text(measurements.format_page(text), "utf-8")


if __name__ == "__main__":
    main()
