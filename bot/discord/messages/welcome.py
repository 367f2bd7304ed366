"""Help pages and the greeting of a server that the bot joins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from discord import ButtonStyle

from bot.discord.ids import CustomId
from bot.discord.limits import MAX_ROW_BUTTONS, MAX_SELECT_OPTIONS
from bot.discord.messages.board import (
    Button,
    LayoutBlock,
    MenuOption,
    PictureGallery,
    RenderedMessage,
    SelectMenu,
    lay_out_message,
)
from bot.presenters.cards import GameCard, game_cards
from bot.presenters.lessons import systems_with_lessons
from bot.services import first
from bot.texts.i18n import Catalogue, Localizer, language_for_locale
from bot.texts.style import Markup

MAX_PICTURES: Final = 5
_FIRST_ROW_BUTTONS: Final = 4


def play_button(localizer: Localizer, system: str) -> Button:
    ref = CustomId(verb="play", game=0, token=system)
    return Button(label=localizer.say("button.play_now"), custom_id=ref, style=ButtonStyle.success)


def help_page(language: str, example_answers: Sequence[str] = ()) -> RenderedMessage:
    """Return the help page: `example_answers` to open requests, how to play, ways in, and a list of games."""
    localizer = Localizer(Catalogue.load(language))
    quickest = [Markup(Catalogue.load(language, system).say("game")) for system in first.games_with_first_game()[:1]]
    text = f"### {localizer.say('help.title')}\n{localizer.say('help.body', games=quickest)}"
    more = Button(label=localizer.say("button.more"), custom_id=CustomId(verb="help", game=0, request="commands"))
    return lay_out_message(
        [
            *example_answers,
            text,
            [*welcome_buttons(localizer), _my_games_button(localizer), more],
            *_game_selects(localizer, language),
        ]
    )


def commands_page(language: str) -> RenderedMessage:
    localizer = Localizer(Catalogue.load(language))
    back = Button(label=localizer.say("button.fewer"), custom_id=CustomId(verb="help", game=0))
    return lay_out_message([localizer.say("help.commands"), [back]])


def greeting(locale: str) -> RenderedMessage:
    """Return the greeting of a server that the bot joins: a picture of each game and a button that starts it."""
    language = language_for_locale(locale)
    localizer = Localizer(Catalogue.load(language))
    cards = [card for card in game_cards(language) if card.has_first_game][:MAX_ROW_BUTTONS]
    pictures = tuple(card.picture for card in cards if card.picture)[:MAX_PICTURES]
    lines = "\n".join(" · ".join(filter(None, [f"**{card.name}**", card.terms])) for card in cards)
    buttons = [_begin_button(localizer, card) for card in cards]
    # On a phone, the lesson's button stands beside the fifth.
    rows = [buttons[:_FIRST_ROW_BUTTONS], [*buttons[_FIRST_ROW_BUTTONS:], *_lessons_button(localizer)]]
    return lay_out_message(
        [localizer.say("greeting"), PictureGallery(pictures), lines, *rows, localizer.say("greeting.more")]
    )


def game_choice_page(localizer: Localizer, packed_options: str) -> RenderedMessage:
    """Return a message with a picture, a line and a button for each game, to open a lobby.

    The buttons' ids hold `packed_options`, the other options of the command.
    """
    cards = game_cards(localizer.catalogue.language)
    pictures = tuple(card.picture for card in cards if card.picture)[:MAX_PICTURES]
    lines = "\n".join(" · ".join(filter(None, [f"**{card.name}**", card.menu_line])) for card in cards)
    buttons = [
        Button(label=card.name, custom_id=CustomId(verb="new", game=0, request=packed_options, token=card.system))
        for card in cards
    ]
    rows = [buttons[start : start + MAX_ROW_BUTTONS] for start in range(0, len(buttons), MAX_ROW_BUTTONS)]
    return lay_out_message(
        [localizer.say("new.which"), *([PictureGallery(pictures)] if pictures else []), lines, *rows]
    )


def first_game_blocks(localizer: Localizer, game_name: Markup, game_id: int, system: str) -> list[LayoutBlock]:
    another = CustomId(verb="play", game=game_id, request="new", token=system)
    return [
        localizer.say("say.going", game=game_name),
        [
            Button(
                label=localizer.say("button.go_on"),
                custom_id=CustomId(verb="orders", game=game_id),
                style=ButtonStyle.primary,
            ),
            Button(label=localizer.say("button.new_one"), custom_id=another),
        ],
    ]


def _begin_button(localizer: Localizer, card: GameCard) -> Button:
    ref = CustomId(verb="play", game=0, token=card.system)
    return Button(label=localizer.say("button.play_game", game=card.name), custom_id=ref, style=ButtonStyle.success)


def denied_notice(language: str) -> RenderedMessage:
    return lay_out_message([Localizer(Catalogue.load(language_for_locale(language))).say("say.server_denied")])


def welcome_buttons(localizer: Localizer) -> list[Button]:
    plays = [play_button(localizer, system) for system in first.games_with_first_game()[:1]]
    return [*plays, *_lessons_button(localizer)]


def _lessons_button(localizer: Localizer) -> list[Button]:
    return [lesson_button(localizer, system) for system in systems_with_lessons()[:1]]


def lesson_button(localizer: Localizer, system: str) -> Button:
    return Button(label=localizer.say("button.lesson_1"), custom_id=CustomId(verb="learn", game=0, token=system))


def _my_games_button(localizer: Localizer) -> Button:
    return Button(label=localizer.say("button.my_games"), custom_id=CustomId(verb="my_games", game=0))


def _game_selects(localizer: Localizer, language: str) -> list[SelectMenu]:
    options = game_menu_options(game_cards(language))
    return [
        SelectMenu(
            hint=localizer.say("help.games"),
            custom_id=CustomId(verb="about", game=0, page=start // MAX_SELECT_OPTIONS),
            options=tuple(options[start : start + MAX_SELECT_OPTIONS]),
        )
        for start in range(0, len(options), MAX_SELECT_OPTIONS)
    ]


def game_menu_options(cards: Sequence[GameCard]) -> list[MenuOption]:
    return [MenuOption(label=card.name, value=card.system, description=card.menu_line) for card in cards]
