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

MAX_PICTURES: Final = 4


def play_button(words: Localizer, system: str) -> Button:
    ref = CustomId(verb="play", game=0, token=system)
    return Button(label=words.say("button.play_now"), custom_id=ref, style=ButtonStyle.success)


def help_page(language: str, example_answers: Sequence[str] = ()) -> RenderedMessage:
    """Return the help page: `example_answers` to open requests, how to play, ways in, and a list of games."""
    words = Localizer(Catalogue.load(language))
    quickest = [Markup(Catalogue.load(language, system).say("game")) for system in first.games_with_first_game()[:1]]
    text = f"### {words.say('help.title')}\n{words.say('help.body', games=quickest)}"
    more = Button(label=words.say("button.more"), custom_id=CustomId(verb="help", game=0, request="commands"))
    return lay_out_message(
        [
            *example_answers,
            text,
            [*welcome_buttons(words), _my_games_button(words), more],
            *_game_selects(words, language),
        ]
    )


def commands_page(language: str) -> RenderedMessage:
    words = Localizer(Catalogue.load(language))
    back = Button(label=words.say("button.fewer"), custom_id=CustomId(verb="help", game=0))
    return lay_out_message([words.say("help.commands"), [back]])


def greeting(locale: str) -> RenderedMessage:
    """Return the greeting of a server that the bot joins: a picture of each game and a button that starts it."""
    language = language_for_locale(locale)
    words = Localizer(Catalogue.load(language))
    invited = [card for card in game_cards(language) if card.has_first_game][:MAX_ROW_BUTTONS]
    pictures = tuple(card.picture for card in invited if card.picture)[:MAX_PICTURES]
    lines = "\n".join(" · ".join(filter(None, [f"**{card.name}**", card.terms])) for card in invited)
    plays = [_begin_button(words, card) for card in invited]
    # A row has as many buttons as there are pictures; the lesson's button joins the rest.
    rows = [plays[:MAX_PICTURES], [*plays[MAX_PICTURES:], *_lessons_button(words)]]
    return lay_out_message([words.say("greeting"), PictureGallery(pictures), lines, *rows, words.say("greeting.more")])


def game_choice_page(words: Localizer, carried: str) -> RenderedMessage:
    """Return a message with a picture, a line and a button for each game, to open a lobby.

    `carried` is the request of the buttons' ids.
    """
    cards = game_cards(words.catalogue.language)
    pictures = tuple(card.picture for card in cards if card.picture)[:MAX_PICTURES]
    lines = "\n".join(" · ".join(filter(None, [f"**{card.name}**", card.menu_line])) for card in cards)
    buttons = [
        Button(label=card.name, custom_id=CustomId(verb="new", game=0, request=carried, token=card.system))
        for card in cards
    ]
    rows = [buttons[start : start + MAX_ROW_BUTTONS] for start in range(0, len(buttons), MAX_ROW_BUTTONS)]
    return lay_out_message([words.say("new.which"), *([PictureGallery(pictures)] if pictures else []), lines, *rows])


def first_game_blocks(words: Localizer, game_name: Markup, number: int, system: str) -> list[LayoutBlock]:
    another = CustomId(verb="play", game=number, request="new", token=system)
    return [
        words.say("say.going", game=game_name),
        [
            Button(
                label=words.say("button.go_on"),
                custom_id=CustomId(verb="orders", game=number),
                style=ButtonStyle.primary,
            ),
            Button(label=words.say("button.new_one"), custom_id=another),
        ],
    ]


def _begin_button(words: Localizer, card: GameCard) -> Button:
    ref = CustomId(verb="play", game=0, token=card.system)
    return Button(label=words.say("button.play_game", game=card.name), custom_id=ref, style=ButtonStyle.success)


def denied_notice(language: str) -> RenderedMessage:
    return lay_out_message([Localizer(Catalogue.load(language_for_locale(language))).say("say.server_denied")])


def welcome_buttons(words: Localizer) -> list[Button]:
    plays = [play_button(words, system) for system in first.games_with_first_game()[:1]]
    return [*plays, *_lessons_button(words)]


def _lessons_button(words: Localizer) -> list[Button]:
    return [lesson_button(words, system) for system in systems_with_lessons()[:1]]


def lesson_button(words: Localizer, system: str) -> Button:
    return Button(label=words.say("button.lesson_1"), custom_id=CustomId(verb="learn", game=0, token=system))


def _my_games_button(words: Localizer) -> Button:
    return Button(label=words.say("button.my_games"), custom_id=CustomId(verb="my_games", game=0))


def _game_selects(words: Localizer, language: str) -> list[SelectMenu]:
    picks = game_menu_options(game_cards(language))
    return [
        SelectMenu(
            hint=words.say("help.games"),
            custom_id=CustomId(verb="about", game=0, page=start // MAX_SELECT_OPTIONS),
            options=tuple(picks[start : start + MAX_SELECT_OPTIONS]),
        )
        for start in range(0, len(picks), MAX_SELECT_OPTIONS)
    ]


def game_menu_options(cards: Sequence[GameCard]) -> list[MenuOption]:
    return [MenuOption(label=card.name, value=card.system, description=card.menu_line) for card in cards]
