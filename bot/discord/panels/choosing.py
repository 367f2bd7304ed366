"""What may be chosen next, as rows of buttons and selects; whoever lays it out says what a press means."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from discord import ButtonStyle
from msgspec import Struct

from bot.discord.ids import Ref
from bot.discord.panels.board import OPTIONS_MOST, Block, Button, Pick, Select
from bot.words.i18n import Said, Words
from rules.protocol import Group, Option


class Meaning(Struct, frozen=True):
    """What the buttons and lines of a panel mean."""

    press: Callable[[Option], Ref]
    pick: Callable[[Group], Ref]
    value: Callable[[Option], str]
    """Of a line in a select."""


def labels(words: Words) -> Words:
    """Words for what shows no markup: labels, hints and lists."""
    return replace(words, plain=True)


def blocks(words: Words, group: Group, meaning: Meaning) -> list[Block]:
    """Draw a group of options as rows of buttons or a select."""
    if group.style == "buttons":
        return [[_button(words, option, meaning.press(option)) for option in group.options]]
    picks = tuple(_pick(words, option, meaning.value(option)) for option in group.options[:OPTIONS_MOST])
    hint = labels(words).say(f"group.{group.key}")
    found: list[Block] = [Select(hint=hint, ref=meaning.pick(group), picks=picks)]
    if more := len(group.options) - len(picks):
        found.append(f"-# {words.say('panel.more_by_typing', n=more)}")
    return found


def _button(words: Words, option: Option, ref: Ref) -> Button:
    label = labels(words).text(option.label)
    if option.fault and option.fault.rule:
        label = Said(f"{label} · {option.fault.rule}")
    style = ButtonStyle.primary if option.chosen else ButtonStyle.secondary
    return Button(label=label, ref=ref, style=style, disabled=option.fault is not None)


def _pick(words: Words, option: Option, value: str) -> Pick:
    words = labels(words)
    description = words.fault(option.fault) if option.fault else ""
    return Pick(label=words.text(option.label), value=value, description=description, chosen=option.chosen)
