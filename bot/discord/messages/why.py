"""Layout of the answer to **Why?**: the explanation of a round in pages, and a list to choose another ship."""

from __future__ import annotations

from bot.discord.ids import CustomId
from bot.discord.limits import MAX_SELECT_OPTIONS
from bot.discord.messages.board import Button, LayoutBlock, MenuOption, RenderedMessage, SelectMenu, lay_out_message
from bot.discord.messages.choosing import label_localizer
from bot.discord.messages.rules import cited_rule_menu
from bot.presenters.panel import panel_title
from bot.presenters.why import ALL_SHIPS, Explanation, RoundReasons
from bot.texts import speech
from bot.texts.i18n import Localizer


def lay_out_reasons(
    localizer: Localizer, reasons: RoundReasons, explanation: Explanation, page: int = 0
) -> RenderedMessage:
    """Return a page, from 0, of an explanation; pages beyond the last are the last."""
    pages = speech.split_pages(explanation.lines or (localizer.say("why.nothing"),))
    page = min(page, len(pages) - 1)
    neighbours = [number for number in (page - 1, page + 1) if 0 <= number < len(pages)]
    round_lines = [f"-# {localizer.say('round', round=reasons.round)}"] if reasons.round else []
    heading = f"### {localizer.say('button.why')}"
    blocks: list[LayoutBlock] = [
        "\n".join([f"-# {panel_title(localizer, reasons.log.seated_game)}", *round_lines, heading, pages[page]]),
        [_page_button(localizer, reasons, explanation, number, is_back=number < page) for number in neighbours],
    ]
    blocks += cited_rule_menu(localizer, explanation.cited_rules, reasons.log.seated_game.game.id)
    if explanation.ships:
        blocks.append(_ship_menu(localizer, reasons, explanation))
    return lay_out_message(blocks)


def _page_button(
    localizer: Localizer, reasons: RoundReasons, explanation: Explanation, page: int, *, is_back: bool
) -> Button:
    label = label_localizer(localizer).say("button.fewer" if is_back else "button.more")
    return Button(label=label, custom_id=_custom_id(reasons, page=page, ship=explanation.ship))


def _ship_menu(localizer: Localizer, reasons: RoundReasons, explanation: Explanation) -> SelectMenu:
    ships = [ALL_SHIPS, *explanation.ships][:MAX_SELECT_OPTIONS]
    labels = {ship: localizer.ship_name(ship) for ship in ships}
    labels[ALL_SHIPS] = label_localizer(localizer).say("why.all_ships")
    options = [MenuOption(label=labels[ship], value=ship, is_chosen=ship == explanation.ship) for ship in ships]
    return SelectMenu(
        hint=label_localizer(localizer).say("why.another_ship"), custom_id=_custom_id(reasons), options=tuple(options)
    )


def _custom_id(reasons: RoundReasons, *, page: int = 0, ship: str = "") -> CustomId:
    return CustomId(verb="why_ship", game=reasons.log.seated_game.game.id, version=reasons.round, page=page, token=ship)
