"""Layout of options as rows of buttons and lists. The caller supplies the custom ids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Final

from discord import ButtonStyle
from msgspec import Struct

from bot.discord.ids import CustomId
from bot.discord.limits import MAX_ROW_BUTTONS, MAX_SELECT_OPTIONS, MAX_SELECT_TEXT_CHARS
from bot.discord.messages.board import Button, LayoutBlock, MenuOption, SelectMenu, small_print
from bot.texts.i18n import Localizer
from bot.texts.labels import MAX_LABEL_CHARS
from bot.texts.style import PLAIN_STYLE
from rules.core.protocol import Form, Option, OptionGroup
from rules.core.view import Text

MAX_NAMED_GREY_BUTTONS: Final = 2
"""Disabled buttons that are named with their common reason; more are obvious."""


class CustomIdFactory(Struct, frozen=True):
    """Functions that return the custom ids of a panel's buttons and lists."""

    for_option: Callable[[Option], CustomId]  # of an option's button
    for_select: Callable[[str], CustomId]  # returns the id of a list, by the list's name


def label_localizer(localizer: Localizer) -> Localizer:
    return replace(localizer, style=PLAIN_STYLE)


def option_blocks(
    localizer: Localizer, groups: Iterable[OptionGroup], custom_ids: CustomIdFactory
) -> list[LayoutBlock]:
    """Return groups of options, in order, as rows of buttons and lists.

    Disabled buttons appear only if a rule says why or if they always stay. A group that is too long for one list fills
    several. Buttons whose labels are too long for a phone become a list.
    """
    blocks: list[LayoutBlock] = []
    list_counts: Counter[str] = Counter()
    for group in groups:
        visible = [
            option for option in group.options if option.fault is None or option.fault.rule or option.stays_visible
        ]
        buttons = [_option_button(localizer, option, custom_ids.for_option(option)) for option in visible]
        if group.style == "buttons" and all(len(button.label) <= MAX_LABEL_CHARS for button in buttons):
            blocks.append(buttons)
            continue
        for start in range(0, len(group.options), MAX_SELECT_OPTIONS):
            list_counts[group.key] += 1
            name = group.key if list_counts[group.key] == 1 else f"{group.key}.{list_counts[group.key]}"
            blocks.append(_select_menu(localizer, group, start, custom_ids.for_select(name)))
    return blocks


def form_buttons(
    localizer: Localizer, forms: Iterable[Form], make_custom_id: Callable[[str], CustomId]
) -> list[Button]:
    localizer = label_localizer(localizer)
    return [
        Button(label=f"{localizer.say_text(form.label)} …", custom_id=make_custom_id(form.token))
        for form in forms
        if form.is_offered
    ]


def merge_button_rows(blocks: Iterable[LayoutBlock]) -> list[LayoutBlock]:
    """Return blocks with consecutive button rows merged where they fit into one. The first block stays alone."""
    rows: list[LayoutBlock] = []
    for block in blocks:
        last_row = rows[-1] if len(rows) > 1 else None
        if isinstance(block, list) and isinstance(last_row, list) and len(last_row) + len(block) <= MAX_ROW_BUTTONS:
            rows[-1] = [*last_row, *block]
        else:
            rows.append(block)
    return rows


def disabled_reasons(localizer: Localizer, blocks: Iterable[LayoutBlock]) -> str:
    """Return one line on why buttons are disabled; empty if none is disabled by a rule.

    It names up to `MAX_NAMED_GREY_BUTTONS` buttons for each reason.
    """
    labels_by_reason: dict[str, list[str]] = {}
    buttons = [button for block in blocks if isinstance(block, list) for button in block]
    for button in buttons:
        if button.disabled_reason:
            labels_by_reason.setdefault(button.disabled_reason, []).append(button.label)
    reasons = [
        localizer.say("panel.grey_which", buttons=labels, why=localizer.to_markup(why))
        if len(labels) <= MAX_NAMED_GREY_BUTTONS
        else why
        for why, labels in labels_by_reason.items()
    ]
    if not reasons:
        return ""
    return localizer.style.small(localizer.say("panel.grey", why=localizer.to_markup(" ".join(reasons))))


def _select_menu(localizer: Localizer, group: OptionGroup, start: int, ref: CustomId) -> SelectMenu:
    """Return a list of the options from index `start`, as many as a list may have."""
    part = group.options[start : start + MAX_SELECT_OPTIONS]
    hint = label_localizer(localizer).say(f"group.{group.key}")
    if len(part) < len(group.options):
        first_no, last_no = start + 1, start + len(part)
        hint = label_localizer(localizer).say(
            "panel.part", what=hint, first=first_no, last=last_no, all=len(group.options)
        )
    return SelectMenu(hint=hint, custom_id=ref, options=tuple(_menu_option(localizer, option) for option in part))


def _option_button(localizer: Localizer, option: Option, ref: CustomId) -> Button:
    style = ButtonStyle.primary if option.is_chosen else ButtonStyle.secondary
    label = label_localizer(localizer).button_text(option.label)
    why = localizer.short_fault_text(option.fault) if option.fault and option.fault.rule else ""
    return Button(
        label=label,
        custom_id=ref,
        style=style,
        is_disabled=option.fault is not None,
        disabled_reason=why,
        is_joined=option.is_joined,
    )


def _menu_option(localizer: Localizer, option: Option) -> MenuOption:
    localizer = label_localizer(localizer)
    label, description = localizer.say_text(option.label), _small_print(localizer, option.label)
    if option.fault:
        why = localizer.short_fault_text(option.fault)
        combined = f"{why.removesuffix('.')} · {description}"
        description = combined if description and len(small_print(label, combined)) <= MAX_SELECT_TEXT_CHARS else why
    return MenuOption(label=label, value=option.token, description=description, is_chosen=option.is_chosen)


def _small_print(localizer: Localizer, label: Text) -> str:
    """Return the text `<key>.note` for a list's option; empty if the game has none."""
    key = f"{label.key}.note"
    return localizer.say(key, **label.params) if localizer.catalogue.has(key) else ""
