"""Forms: a squadron's course in five lists, and doctrines for all, a squadron or a ship (SQ 9.4)."""

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
DEFENCE_KEYS: Final = ("avoid", "fire", "board", "retract", "order")
_OTHER_KEYS: Final = ("avoidDir", "unfoul", "transfer", "speed", "rram")
_UNIT_KEYS: Final = ("avoid", "avoidDir", "fire", "retract", "unfoul")


def sheet_forms(context: OrderContext, draft: OrderDraft) -> Iterator[Form]:
    """Yield the offered forms, and forms that may still be open from an earlier selection."""
    is_everyone = draft.focus in ("all", "rest")
    habits = _OTHER_KEYS if context.position.options.reaction_ram else _OTHER_KEYS[:-1]
    yield _doctrine_form(context, draft, context.side, DEFENCE_KEYS, "doctrine", offered=is_everyone)
    yield _doctrine_form(context, draft, context.side, habits, "habits", offered=is_everyone)
    own = [squadron.display_name for squadron in context.squadrons_formed_by(draft.sheet.forms) if squadron.number]
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
    doctrines = Doctrines(tuple(lines))
    current = doctrines.find_value(key, unit, context.side) or DOCTRINE_VALUES[key][0]
    # a doctrine of all with exceptions can be given to all again
    varies = unit == context.side and any(line.who != unit and key in line.values for line in lines)
    target = "all" if unit == context.side else unit.replace(f"{context.side}Q", "SQ")
    texts = {
        value: "" if value == current and not varies else f"doctrine {target}: {key}={value}"
        for value in DOCTRINE_VALUES[key]
    }
    entries = (
        FormLine(f"{key}.{number}", order_words.value_text(key, value), text, is_chosen=value == current)
        for number, (value, text) in enumerate(texts.items())
    )
    return FormField(order_words.key_text(key), tuple(entries))


# --- a course ----------------------------------------------------------------------------------------------------


def _course_form(context: OrderContext, draft: OrderDraft, *, offered: bool) -> Form:
    squadrons = [squadron for squadron in context.squadrons_formed_by(draft.sheet.forms) if squadron.number]
    names = [
        "all",
        *(
            squadron.display_name
            for squadron in squadrons
            if context.members_of(squadron.display_name, draft.sheet.forms)
        ),
    ]
    selected = draft.focus if draft.focus in names else "all"
    who = tuple(
        FormLine(name, order_words.target_text(name), f"{name}:", is_chosen=name == selected)
        for name in names[:MAX_OPTIONS]
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
    lines = (FormLine(f"{name}.{at}", label, text, is_chosen=at == 0) for at, (text, label) in enumerate(entries))
    return FormField(Text(f"form.{name}"), tuple(lines))
