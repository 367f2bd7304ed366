"""One squadron at a time, ordered when its go comes: which one, and what it does (SQ 9.2, D-7, D-9)."""

from __future__ import annotations

from msgspec import structs

from rules.protocol import Choices, Draft, Group, Option, Seat
from rules.squadrons.desk.drafts import activations, sheets
from rules.squadrons.desk.drafts.activations import ActivationContext, lenient, offered
from rules.squadrons.desk.drafts.answers import Activation, Sheet
from rules.squadrons.desk.drafts.sheets import OrderDraft
from rules.squadrons.desk.drafts.squadron_orders import named
from rules.squadrons.desk.panels import sheet_panel
from rules.squadrons.table.notation.order_words import who
from rules.squadrons.table.notation.typed_words import plain
from rules.squadrons.table.sea.state import State
from rules.view import Text


def finish(state: State, seat: Seat, text: str) -> Activation:
    """Read a squadron and its orders. Raises `OrderError`."""
    acting = activations.activation_context(state, seat, text)
    draft = sheets.amend(acting.orders, OrderDraft(), acting.draft.text)
    return Activation(squadron=acting.squadron.flagship, sheet=draft.sheet)


def canonical(answer: Activation) -> str:
    """Write an answer: `finish` gives it back. A squadron is named by a ship."""
    text = sheets.canonical(answer.sheet)
    return "\n".join(filter(None, (f"act {answer.squadron}", "" if text == sheets.PASS else text)))


def amend(state: State, seat: Seat, draft: Draft, text: str) -> Draft:
    """Put typed lines into the draft. Raises `OrderError`."""
    if activations.ACT.match(plain(text).strip()):
        acting = activations.activation_context(state, seat, text)
        return activations.written(acting, sheets.amend(acting.orders, OrderDraft(focus="all"), acting.draft.text))
    before = lenient(state, seat, draft)
    joined = "\n".join((f"act {named(before.squadron)}", before.draft.text, text))
    # the text may name a second squadron that acts too: then its ships belong to the context
    wider = activations.activation_context(state, seat, joined)
    after = activations.written(wider, sheets.amend(wider.orders, sheets.read(wider.orders, before.draft), text))
    return Draft("", after.focus) if after.text == f"act {named(wider.squadron)}" else after


def choices(state: State, seat: Seat, draft: Draft) -> Choices:
    """Which squadron acts; then what it does, as in a sheet."""
    acting = lenient(state, seat, draft)
    shown = sheet_panel.choices(acting.orders, sheets.read(acting.orders, acting.draft), partners=acting.partners)
    groups = tuple(_renamed(acting, group) for group in shown.groups)
    every = offered(state, seat)
    if len(every) > 1:
        options = tuple(
            Option(
                token=f"act.{named(one)}",
                label=Text("act.squadron", {"squadron": (who(named(one)),), "ships": len(one.ships)}),
                draft="",
                focus=named(one),
                chosen=one == acting.squadron,
            )
            for one in every
        )
        groups = (Group(key="act", style="select", options=options), *groups)
    line = Text("line.acts", {"squadron": (who(named(acting.squadron)),)})
    return structs.replace(
        shown, groups=groups, lines=(line, *shown.lines), missing=() if draft.text else (Text("missing.orders"),)
    )


def _renamed(acting: ActivationContext, group: Group) -> Group:
    """The same options, their drafts with the squadron's name; while there is nothing to write, it is looked at."""
    name = named(acting.squadron)
    options = tuple(
        structs.replace(one, draft=f"act {name}\n{one.draft}")
        if one.draft
        else structs.replace(one, focus=name if one.focus in ("all", "rest") else one.focus)
        for one in group.options
    )
    return structs.replace(group, options=options)


def warnings(state: State, seat: Seat, draft: Draft) -> tuple[Text, ...]:
    """Every line that would stop as things stand."""
    acting = lenient(state, seat, draft)
    return sheet_panel.warnings(acting.orders, sheets.read(acting.orders, acting.draft))


def still(state: State, seat: Seat) -> Activation:
    """The next squadron does nothing."""
    return Activation(squadron=offered(state, seat)[0].flagship, sheet=Sheet(absent=True))
