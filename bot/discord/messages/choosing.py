"""What may be chosen next, as rows of buttons and selects; the caller says what a press means."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Final

from discord import ButtonStyle
from msgspec import Struct

from bot.discord.ids import CustomId
from bot.discord.messages.board import (
    MAX_ROW_BUTTONS,
    MAX_SELECT_OPTIONS,
    MAX_SELECT_TEXT_CHARS,
    Button,
    LayoutBlock,
    MenuOption,
    SelectMenu,
    small_print,
)
from bot.texts.i18n import Localizer
from bot.texts.labels import MAX_LABEL_CHARS
from bot.texts.style import PLAIN_STYLE
from rules.core.protocol import Form, Option, OptionGroup
from rules.core.view import Text

MAX_NAMED_GREY_BUTTONS: Final = 2
"""Buttons that are named if they are grey for one reason; of more it is plain which."""


class CustomIdFactory(Struct, frozen=True):
    """What the buttons and lines of a panel mean."""

    for_option: Callable[[Option], CustomId]
    for_select: Callable[[str], CustomId]
    """Of a select, by a name that no other of the panel has."""


def label_localizer(words: Localizer) -> Localizer:
    """Words for what shows no markup: labels, hints and lists."""
    return replace(words, style=PLAIN_STYLE)


def option_blocks(words: Localizer, groups: Iterable[OptionGroup], meaning: CustomIdFactory) -> list[LayoutBlock]:
    """Draw groups of options, in order, as rows of buttons and selects.

    Of buttons that cannot be pressed only those are shown of which a rule says why, or that stay. A select takes so
    many lines and no more: the rest of a group follows in further ones. Buttons whose labels a phone would cut are
    shown as a select.
    """
    found: list[LayoutBlock] = []
    named: Counter[str] = Counter()
    for group in groups:
        shown = [
            option for option in group.options if option.fault is None or option.fault.rule or option.stays_visible
        ]
        buttons = [_option_button(words, option, meaning.for_option(option)) for option in shown]
        if group.style == "buttons" and all(len(button.label) <= MAX_LABEL_CHARS for button in buttons):
            found.append(buttons)
            continue
        for start in range(0, len(group.options), MAX_SELECT_OPTIONS):
            named[group.key] += 1
            name = group.key if named[group.key] == 1 else f"{group.key}.{named[group.key]}"
            found.append(_select_menu(words, group, start, meaning.for_select(name)))
    return found


def form_buttons(words: Localizer, forms: Iterable[Form], ref: Callable[[str], CustomId]) -> list[Button]:
    """A button for each form that is offered; `ref` says by the form's token what it means."""
    words = label_localizer(words)
    return [
        Button(label=f"{words.say_text(form.label)} …", custom_id=ref(form.token)) for form in forms if form.is_offered
    ]


def merge_button_rows(found: Iterable[LayoutBlock]) -> list[LayoutBlock]:
    """The same with buttons that follow one another in as few rows as may be; those of the first stand alone."""
    rows: list[LayoutBlock] = []
    for block in found:
        last = rows[-1] if len(rows) > 1 else None
        if isinstance(block, list) and isinstance(last, list) and len(last) + len(block) <= MAX_ROW_BUTTONS:
            rows[-1] = [*last, *block]
        else:
            rows.append(block)
    return rows


def disabled_reasons(words: Localizer, offered: Iterable[LayoutBlock]) -> str:
    """Why some of the buttons can't be pressed just now, in one line; empty if all can, or none because of a rule.

    It names those that are grey for a reason of their own, or of one other beside them.
    """
    found: dict[str, list[str]] = {}
    for button in (button for block in offered if isinstance(block, list) for button in block):
        if button.disabled_reason:
            found.setdefault(button.disabled_reason, []).append(button.label)
    said = [
        words.say("panel.grey_which", buttons=labels, why=words.to_markup(why))
        if len(labels) <= MAX_NAMED_GREY_BUTTONS
        else why
        for why, labels in found.items()
    ]
    return words.style.small(words.say("panel.grey", why=words.to_markup(" ".join(said)))) if said else ""


def _select_menu(words: Localizer, group: OptionGroup, start: int, ref: CustomId) -> SelectMenu:
    """A part of a group."""
    part = group.options[start : start + MAX_SELECT_OPTIONS]
    hint = label_localizer(words).say(f"group.{group.key}")
    if len(part) < len(group.options):
        first, last = start + 1, start + len(part)
        hint = label_localizer(words).say("panel.part", what=hint, first=first, last=last, all=len(group.options))
    return SelectMenu(hint=hint, custom_id=ref, options=tuple(_menu_option(words, option) for option in part))


def _option_button(words: Localizer, option: Option, ref: CustomId) -> Button:
    style = ButtonStyle.primary if option.is_chosen else ButtonStyle.secondary
    label = label_localizer(words).button_text(option.label)
    why = words.short_fault_text(option.fault) if option.fault and option.fault.rule else ""
    return Button(
        label=label,
        custom_id=ref,
        style=style,
        is_disabled=option.fault is not None,
        disabled_reason=why,
        is_joined=option.is_joined,
    )


def _menu_option(words: Localizer, option: Option) -> MenuOption:
    words = label_localizer(words)
    label, description = words.say_text(option.label), _small_print(words, option.label)
    if option.fault:
        why = words.short_fault_text(option.fault)
        both = f"{why.removesuffix('.')} · {description}"
        description = both if description and len(small_print(label, both)) <= MAX_SELECT_TEXT_CHARS else why
    return MenuOption(label=label, value=option.token, description=description, is_chosen=option.is_chosen)


def _small_print(words: Localizer, label: Text) -> str:
    """What is said in small print below a label: the sentence `<key>.note`, if the game has it."""
    key = f"{label.key}.note"
    return words.say(key, **label.params) if words.catalogue.has(key) else ""
