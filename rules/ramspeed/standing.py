"""Changes of what stands, asked for by themselves: doctrines, and the sheet for a missing one (RS part 8.1, 8.3)."""

from __future__ import annotations

from typing import Final

from msgspec import structs

from rules.errors import IllegalOrder, OrderError
from rules.protocol import Choices, Draft
from rules.ramspeed import panel, sheets
from rules.ramspeed.answers import Standing
from rules.ramspeed.entry import RULE
from rules.ramspeed.sheets import Desk, Paper
from rules.view import Text

KEEP: Final = "keep"
"""Nothing is to change."""
_NOTHING: Final = Paper()


def finish(desk: Desk, text: str) -> Standing:
    """Read changes. Raises `OrderError` for anything else, orders for a turn among it."""
    paper = _read(desk, text)
    return Standing(paper.doctrines, paper.standing)


def canonical(answer: Standing) -> str:
    """Write changes: `finish` gives them back."""
    return _written(Paper(doctrines=answer.doctrines, standing=answer.standing))


def amend(desk: Desk, draft: Draft, text: str) -> Draft:
    """Put typed lines into the draft. Raises `OrderError`."""
    return Draft(_written(_read(desk, text, _lenient(desk, draft.text))))


def choices(desk: Desk, draft: Draft) -> Choices:
    """Every key and value for all ships; those of a single ship are typed."""
    paper = _lenient(desk, draft.text)
    group = panel.doctrines(desk, paper)
    options = tuple(
        structs.replace(option, draft=_written(_lenient(desk, option.draft)), focus="") for option in group.options
    )
    return Choices(
        groups=(structs.replace(group, options=options),),
        lines=tuple(panel.changes(paper.doctrines, paper.standing)) or (Text("line.as_before"),),
        missing=() if draft.text and _readable(desk, draft.text) else (Text("missing.doctrine"),),
    )


def _written(paper: Paper) -> str:
    return sheets.written(structs.replace(paper, lines=(), stay=False)) or KEEP


def _read(desk: Desk, text: str, before: Paper = _NOTHING) -> Paper:
    bare = "\n".join(line for line in text.splitlines() if line.strip().casefold() != KEEP)
    paper = sheets.amend(desk, structs.replace(before, focus=""), bare)
    if paper.lines or paper.stay or (not bare.strip() and not text.strip()):
        raise IllegalOrder("no_doctrine", RULE, piece=sheets.excerpt(text))
    return paper


def _lenient(desk: Desk, text: str) -> Paper:
    try:
        return _read(desk, text)
    except OrderError:
        return Paper()


def _readable(desk: Desk, text: str) -> bool:
    try:
        _read(desk, text)
    except OrderError:
        return False
    return True
