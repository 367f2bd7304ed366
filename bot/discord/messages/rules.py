"""Layout of a rule of the rulebook, of lists of rules, and of the buttons that open one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from discord import ButtonStyle
from msgspec import structs

from bot.discord.ids import CustomId
from bot.discord.limits import MAX_ROW_BUTTONS, MAX_SELECT_OPTIONS
from bot.discord.messages.board import Button, LayoutBlock, MenuOption, RenderedMessage, SelectMenu, lay_out_message
from bot.discord.messages.choosing import label_localizer
from bot.presenters.rules import RulePage, find_rule
from bot.texts import speech
from bot.texts.i18n import Catalogue, Localizer
from bot.texts.rule_text import RuleDescription, monospace_lines, row_lines
from bot.texts.rulebooks import BookRule

_IN_PLACE: Final = 1
"""Version of a custom id whose rule replaces the message, because that shows a rule or a list of them already."""
_MAX_TABLE_ROWS: Final = 25
"""Rows of a table that stand in one block; a longer one is divided, so that no page must cut it."""


def replaces_message(ref: CustomId) -> bool:
    """Return whether the rule takes the place of the pressed message, if only the presser sees that."""
    return ref.version == _IN_PLACE


def rule_button(localizer: Localizer, number: str, game_id: int = 0) -> Button:
    """Return a button that opens a rule privately. `game_id` is the game whose options it is read with; 0: none."""
    label = label_localizer(localizer).say("button.rule", rule=number)
    return Button(label=label, custom_id=CustomId(verb="rule", game=game_id, token=number))


def with_rule_buttons(
    localizer: Localizer, blocks: Sequence[LayoutBlock], numbers: Sequence[str], game_id: int = 0
) -> list[LayoutBlock]:
    """Return a message's blocks with a button for each rule, in its last row of buttons if that has room."""
    buttons = [rule_button(localizer, number, game_id) for number in numbers]
    *earlier, last = blocks or [""]
    if buttons and isinstance(last, list) and len(last) + len(buttons) <= MAX_ROW_BUTTONS:
        return [*earlier, [*last, *buttons]]
    return [*blocks, buttons] if buttons else [*blocks]


def rule_menu(
    language: str, rules: Iterable[BookRule], game_id: int = 0, *, hint_key: str = "rule.related", in_place: bool = True
) -> list[SelectMenu]:
    """Return a list that opens one of these rules, in place of its message or in another one; no list without rules."""
    options = tuple(
        MenuOption(
            label=rule.number, value=rule.number, description=rule.texts.title.replace("**", "").replace("`", "")
        )
        for rule in rules
    )[:MAX_SELECT_OPTIONS]
    hint = label_localizer(Localizer(Catalogue.load(language))).say(hint_key)
    ref = CustomId(verb="rule", game=game_id, version=_IN_PLACE if in_place else 0)
    return [SelectMenu(hint=hint, custom_id=ref, options=options)] if options else []


def cited_rule_menu(localizer: Localizer, numbers: Iterable[str], game_id: int) -> list[SelectMenu]:
    """Return a list that opens one of the rules that a message cites, in another message."""
    language = localizer.catalogue.language
    entries = (find_rule(language, number) for number in numbers)
    cited = [rule for entry in entries if entry for rule in entry[1:]]
    return rule_menu(language, cited, game_id, hint_key="rule.cited", in_place=False)


def lay_out_rule(language: str, page: RulePage, game_id: int = 0, page_no: int = 0) -> RenderedMessage:
    """Return the message that shows a rule, or one page of it if it is long."""
    localizer = Localizer(Catalogue.load(language))
    pages = [text.strip() for text in speech.split_pages(rule_texts(localizer, page))]
    page_no = min(page_no, len(pages) - 1)
    ref = CustomId(verb="rule", game=game_id, version=_IN_PLACE, token=page.description.number)
    labels = label_localizer(localizer)
    turns = [
        Button(label=labels.say(key), custom_id=structs.replace(ref, page=to_page), style=ButtonStyle.secondary)
        for key, to_page in (("button.fewer", page_no - 1), ("button.more", page_no + 1))
        if 0 <= to_page < len(pages)
    ]
    menu = rule_menu(language, page.related, game_id)
    return lay_out_message([pages[page_no], *([turns] if turns else []), *menu])


def rule_texts(localizer: Localizer, page: RulePage) -> list[str]:
    """Return all that is said of a rule as lines, in the order in which they are read, with empty lines between."""
    rule = page.description
    head = f"### {rule.number} · {rule.title}\n{localizer.style.small(f'{page.heading} · {rule.chapter}')}"
    first, *others = rule.paragraphs
    notes = (f"\n{text}" for text in (*rule.changes, *rule.terms, *rule.source))
    return [head, first, *(f"\n{paragraph}" for paragraph in others), *_table_lines(localizer, rule), *notes]


def _table_lines(localizer: Localizer, rule: RuleDescription) -> list[str]:
    if not rule.table:
        return []
    lines = monospace_lines(rule.table)
    if lines is None:
        first, *others = row_lines(localizer, rule.table)
        return [f"\n{first}", *others]
    headings, *rows = lines
    parts = [rows[start : start + _MAX_TABLE_ROWS] for start in range(0, len(rows), _MAX_TABLE_ROWS)]
    return ["```\n" + "\n".join([headings, *part]).replace("`", "ˋ") + "\n```" for part in parts]
