"""Forms: a squadron's course in five lists, and how all, a squadron or a ship act unasked (SQ 9.4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rules.core.protocol import Form, FormField, FormLine
from rules.core.view import Text
from rules.interface.panels import MAX_OPTIONS
from rules.squadrons.engine.notation import order_words
from rules.squadrons.engine.notation.orders import DOCTRINE_VALUES, DoctrineLine, Doctrines
from rules.squadrons.interface.drafts.sheets import OrderContext, OrderDraft

_MAX_HEXES_AHEAD: Final = 8
"""Hexes ahead that a list offers."""
DEFENCE_KEYS: Final = ("avoid", "fire", "board", "retract", "order")
"""What most captains want to say of all their ships: as many lists as a form may have."""
_OTHER_KEYS: Final = ("avoidDir", "unfoul", "transfer", "speed", "rram")
"""The rest; the last one only where ships may ram in reaction."""
_UNIT_KEYS: Final = ("avoid", "avoidDir", "fire", "retract", "unfoul")
"""What a squadron or a ship may do otherwise."""


def sheet_forms(context: OrderContext, draft: OrderDraft) -> Iterator[Form]:
    """Those that are offered, and those that were open when something else was taken in hand."""
    everyone = draft.focus in ("all", "rest")
    habits = _OTHER_KEYS if context.position.options.reaction_ram else _OTHER_KEYS[:-1]
    yield _doctrine_form(context, draft, context.side, DEFENCE_KEYS, "doctrine", offered=everyone)
    yield _doctrine_form(context, draft, context.side, habits, "habits", offered=everyone)
    own = [one.display_name for one in context.squadrons_formed_by(draft.sheet.forms) if one.number]
    for name in (*own, *context.own_ship_ids()):
        unit = f"{context.side}{name[1:]}" if name.startswith("SQ") else name
        yield _doctrine_form(context, draft, unit, _UNIT_KEYS, f"doctrine.{name}", offered=name == draft.focus)
    yield _course_form(context, draft, offered=draft.focus not in context.position.ships_by_id)


# --- doctrine ----------------------------------------------------------------------------------------------------


def _doctrine_form(
    context: OrderContext, draft: OrderDraft, unit: str, keys: Sequence[str], token: str, *, offered: bool
) -> Form:
    lines = (*context.doctrines, *draft.sheet.doctrines)
    of_one = Text("form.doctrine.of", {"who": (order_words.target_text(unit),)})
    return Form(
        token=token,
        label=Text(f"form.{token}") if unit == context.side else of_one,
        fields=tuple(_doctrine_field(lines, context, unit, key) for key in keys),
        separator="\n",
        focus=draft.focus,
        is_offered=offered,
    )


def _doctrine_field(lines: Sequence[DoctrineLine], context: OrderContext, unit: str, key: str) -> FormField:
    """What one key may be; what stands already is chosen, and changes nothing."""
    stand = Doctrines(tuple(lines))
    now = stand.find_value(key, unit, context.side) or DOCTRINE_VALUES[key][0]
    # a doctrine of all with exceptions can be said of all again
    varies = unit == context.side and any(line.who != unit and key in line.values for line in lines)
    called = "all" if unit == context.side else unit.replace(f"{context.side}Q", "SQ")
    texts = {
        value: "" if value == now and not varies else f"doctrine {called}: {key}={value}"
        for value in DOCTRINE_VALUES[key]
    }
    entries = (
        FormLine(f"{key}.{number}", order_words.value_text(key, value), text, is_chosen=value == now)
        for number, (value, text) in enumerate(texts.items())
    )
    return FormField(order_words.key_text(key), tuple(entries))


# --- a course ----------------------------------------------------------------------------------------------------


def _course_form(context: OrderContext, draft: OrderDraft, *, offered: bool) -> Form:
    """One squadron's order in five lists: who, how fast, a turn, how far, a turn at the end."""
    formed = [one for one in context.squadrons_formed_by(draft.sheet.forms) if one.number]
    names = ["all", *(one.display_name for one in formed if context.members_of(one.display_name, draft.sheet.forms))]
    now = draft.focus if draft.focus in names else "all"
    who = tuple(
        FormLine(name, order_words.target_text(name), f"{name}:", is_chosen=name == now) for name in names[:MAX_OPTIONS]
    )
    speeds = [("", "as_is"), *([] if context.fixed_squadrons else [("C", "cruise"), ("M", "max")])]
    ahead = [(f"F{n}", Text("course.ahead", {"n": n})) for n in range(1, _MAX_HEXES_AHEAD + 1)]
    fields = (
        FormField(Text("form.who"), who),
        _make_field("speed", [(text, Text(f"form.speed.{key}")) for text, key in speeds]),
        _make_field("turn", _turn_entries()),
        _make_field("far", [("", Text("form.far.none")), *ahead]),
        _make_field("then", _turn_entries()),
    )
    return Form(
        token="squadron",  # noqa: S106 - names a form
        label=Text("form.squadron"),
        fields=fields,
        separator=" ",
        focus=draft.focus,
        is_offered=offered,
    )


def _turn_entries() -> list[tuple[str, Text]]:
    turns = ("P", "S", "P2", "S2")
    return [("", Text("form.turn.none")), *((turn, Text(f"form.turn.{turn}")) for turn in turns)]


def _make_field(name: str, entries: Sequence[tuple[str, Text]]) -> FormField:
    found = (FormLine(f"{name}.{at}", label, text, is_chosen=at == 0) for at, (text, label) in enumerate(entries))
    return FormField(Text(f"form.{name}"), tuple(found))
