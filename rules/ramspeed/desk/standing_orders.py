"""Changes of what stands, asked for by themselves: doctrines, and the sheet for a missing one (RS part 8.1, 8.3)."""

from __future__ import annotations

from typing import Final

from msgspec import structs

from rules.errors import IllegalOrder, OrderError
from rules.protocol import Choices, Draft, Group, Option
from rules.ramspeed.desk import forms, order_drafts, panel
from rules.ramspeed.desk.answers import Standing
from rules.ramspeed.desk.order_drafts import Desk, Paper
from rules.ramspeed.table.notation.entry import RULE
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
    return Draft(_written(_read(desk, text, _lenient(desk, draft.text))), draft.focus)


def choices(desk: Desk, draft: Draft) -> Choices:
    """A form of all five keys, for all ships or for the one that is looked at."""
    paper = _lenient(desk, draft.text)
    looked = structs.replace(paper, focus=draft.focus if any(ship.id == draft.focus for ship in desk.ships) else "")
    return Choices(
        groups=(_ships(desk, draft, looked.focus),),
        forms=forms.of_doctrine(desk, looked),
        lines=tuple(panel.changes(paper.doctrines, paper.standing)) or (Text("line.as_before"),),
        missing=() if draft.text and _readable(desk, draft.text) else (Text("missing.doctrine"),),
    )


def _ships(desk: Desk, draft: Draft, focus: str) -> Group:
    """Whose doctrine is looked at."""
    everyone = Option(
        token="ships.all",  # noqa: S106 - no secret
        label=Text("choice.fleet"),
        draft=draft.text,
        chosen=not focus,
    )
    each = (
        Option(
            token=f"ship.{ship.id}",
            label=Text("field.ship", {"ship": ship.id, "kind": ship.code}),
            draft=draft.text,
            focus=ship.id,
            chosen=ship.id == focus,
        )
        for ship in desk.ships
    )
    return Group(key="ship", style="select", options=(everyone, *each))


def _written(paper: Paper) -> str:
    return order_drafts.written(structs.replace(paper, lines=(), stay=False)) or KEEP


def _read(desk: Desk, text: str, before: Paper = _NOTHING) -> Paper:
    bare = "\n".join(line for line in text.splitlines() if line.strip().casefold() != KEEP)
    paper = order_drafts.amend(desk, structs.replace(before, focus=""), bare)
    if paper.lines or paper.stay or (not bare.strip() and not text.strip()):
        raise IllegalOrder("no_doctrine", RULE, piece=order_drafts.excerpt(text))
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
