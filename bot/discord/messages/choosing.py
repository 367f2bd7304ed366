"""What may be chosen next, as rows of buttons and selects; the caller says what a press means."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Final

from discord import ButtonStyle
from msgspec import Struct

from bot.discord.ids import Ref
from bot.discord.messages.board import OPTIONS_MOST, ROW_MOST, SELECT_TEXT_MOST, Block, Button, Pick, Select, below
from bot.words.i18n import Words
from bot.words.labels import LABEL_MOST
from bot.words.style import PLAIN
from rules.protocol import Form, Group, Option
from rules.view import Text

GREY_NAMED: Final = 2
"""Buttons that are named if they are grey for one reason; of more it is plain which."""


class Meaning(Struct, frozen=True):
    """What the buttons and lines of a panel mean."""

    press: Callable[[Option], Ref]
    pick: Callable[[str], Ref]
    """Of a select, by a name that no other of the panel has."""


def labels(words: Words) -> Words:
    """Words for what shows no markup: labels, hints and lists."""
    return replace(words, style=PLAIN)


def blocks(words: Words, groups: Iterable[Group], meaning: Meaning) -> list[Block]:
    """Draw groups of options, in order, as rows of buttons and selects.

    Of buttons that cannot be pressed only those are shown of which a rule says why, or that stay. A select takes so
    many lines and no more: the rest of a group follows in further ones. Buttons whose labels a phone would cut are
    shown as a select.
    """
    found: list[Block] = []
    named: Counter[str] = Counter()
    for group in groups:
        shown = [option for option in group.options if option.fault is None or option.fault.rule or option.stays]
        buttons = [_button(words, option, meaning.press(option)) for option in shown]
        if group.style == "buttons" and all(len(button.label) <= LABEL_MOST for button in buttons):
            found.append(buttons)
            continue
        for start in range(0, len(group.options), OPTIONS_MOST):
            named[group.key] += 1
            name = group.key if named[group.key] == 1 else f"{group.key}.{named[group.key]}"
            found.append(_select(words, group, start, meaning.pick(name)))
    return found


def form_buttons(words: Words, forms: Iterable[Form], ref: Callable[[str], Ref]) -> list[Button]:
    """A button for each form that is offered; `ref` says by the form's token what it means."""
    words = labels(words)
    return [Button(label=f"{words.text(form.label)} …", ref=ref(form.token)) for form in forms if form.offered]


def packed(found: Iterable[Block]) -> list[Block]:
    """The same with buttons that follow one another in as few rows as may be; those of the first stand alone."""
    rows: list[Block] = []
    for block in found:
        last = rows[-1] if len(rows) > 1 else None
        if isinstance(block, list) and isinstance(last, list) and len(last) + len(block) <= ROW_MOST:
            rows[-1] = [*last, *block]
        else:
            rows.append(block)
    return rows


def why_grey(words: Words, offered: Iterable[Block]) -> str:
    """Why some of the buttons can't be pressed just now, in one line; empty if all can, or none because of a rule.

    It names those that are grey for a reason of their own, or of one other beside them.
    """
    found: dict[str, list[str]] = {}
    for button in (button for block in offered if isinstance(block, list) for button in block):
        if button.why:
            found.setdefault(button.why, []).append(button.label)
    said = [
        words.say("panel.grey_which", buttons=labels, why=words.said(why)) if len(labels) <= GREY_NAMED else why
        for why, labels in found.items()
    ]
    return words.style.small(words.say("panel.grey", why=words.said(" ".join(said)))) if said else ""


def _select(words: Words, group: Group, start: int, ref: Ref) -> Select:
    """A part of a group."""
    part = group.options[start : start + OPTIONS_MOST]
    hint = labels(words).say(f"group.{group.key}")
    if len(part) < len(group.options):
        first, last = start + 1, start + len(part)
        hint = labels(words).say("panel.part", what=hint, first=first, last=last, all=len(group.options))
    return Select(hint=hint, ref=ref, picks=tuple(_pick(words, option) for option in part))


def _button(words: Words, option: Option, ref: Ref) -> Button:
    style = ButtonStyle.primary if option.chosen else ButtonStyle.secondary
    label = labels(words).button(option.label)
    why = words.why(option.fault) if option.fault and option.fault.rule else ""
    return Button(label=label, ref=ref, style=style, disabled=option.fault is not None, why=why, joined=option.joined)


def _pick(words: Words, option: Option) -> Pick:
    words = labels(words)
    label, description = words.text(option.label), _note(words, option.label)
    if option.fault:
        why = words.why(option.fault)
        both = f"{why.removesuffix('.')} · {description}"
        description = both if description and len(below(label, both)) <= SELECT_TEXT_MOST else why
    return Pick(label=label, value=option.token, description=description, chosen=option.chosen)


def _note(words: Words, label: Text) -> str:
    """What is said in small print below a label: the sentence `<key>.note`, if the game has it."""
    key = f"{label.key}.note"
    return words.say(key, **label.params) if words.catalogue.has(key) else ""
