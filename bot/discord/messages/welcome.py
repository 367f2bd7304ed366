"""The way in: how to play, and the greeting of a server that the bot joins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from discord import ButtonStyle

from bot.discord.ids import Ref
from bot.discord.messages.board import OPTIONS_MOST, ROW_MOST, Block, Button, Gallery, Pick, Select, Shown, lay_out
from bot.doors import first
from bot.telling.cards import Card, cards
from bot.telling.lessons import systems
from bot.words.i18n import Catalogue, Words, best
from bot.words.style import Said

PICTURES_MOST: Final = 4
"""As many as a phone shows at once."""


def play_button(words: Words, system: str) -> Button:
    """Begins a first game."""
    ref = Ref(verb="play", game=0, token=system)
    return Button(label=words.say("button.play_now"), ref=ref, style=ButtonStyle.success)


def help_page(language: str, asked: Sequence[str] = ()) -> Shown:
    """How to write what somebody is `asked`; how to play, in what a newcomer needs; ways in, and a list of games."""
    words = Words(Catalogue.load(language))
    quickest = [Said(Catalogue.load(language, system).say("game")) for system in first.offered()[:1]]
    text = f"### {words.say('help.title')}\n{words.say('help.body', games=quickest)}"
    more = Button(label=words.say("button.more"), ref=Ref(verb="help", game=0, request="commands"))
    return lay_out([*asked, text, [*ways(words), _mine(words), more], *_games(words, language)])


def commands_page(language: str) -> Shown:
    """All commands, in groups that fit a phone's screen each, and the way back."""
    words = Words(Catalogue.load(language))
    back = Button(label=words.say("button.fewer"), ref=Ref(verb="help", game=0))
    return lay_out([words.say("help.commands"), [back]])


def greeting(locale: str) -> Shown:
    """Return the greeting of a server that the bot joins: a picture of each game, and a button that begins it."""
    language = best(locale)
    words = Words(Catalogue.load(language))
    invited = [card for card in cards(language) if card.plays][:ROW_MOST]
    pictures = tuple(card.picture for card in invited if card.picture)[:PICTURES_MOST]
    lines = "\n".join(" · ".join(filter(None, [f"**{card.name}**", card.terms])) for card in invited)
    plays = [_begins(words, card) for card in invited]
    # As many in a row as pictures, so that it's soon read to its end; the lesson stands beside what is left.
    rows = [plays[:PICTURES_MOST], [*plays[PICTURES_MOST:], *_lessons(words)]]
    return lay_out([words.say("greeting"), Gallery(pictures), lines, *rows, words.say("greeting.more")])


def which_to_open(words: Words, carried: str) -> Shown:
    """For somebody who opens a lobby without saying of which game: a picture, a line and a button for each."""
    found = cards(words.catalogue.language)
    pictures = tuple(card.picture for card in found if card.picture)[:PICTURES_MOST]
    lines = "\n".join(" · ".join(filter(None, [f"**{card.name}**", card.line])) for card in found)
    buttons = [
        Button(label=card.name, ref=Ref(verb="new", game=0, request=carried, token=card.system)) for card in found
    ]
    rows = [buttons[start : start + ROW_MOST] for start in range(0, len(buttons), ROW_MOST)]
    return lay_out([words.say("new.which"), *([Gallery(pictures)] if pictures else []), lines, *rows])


def offer_first(words: Words, going: Said, number: int, system: str) -> list[Block]:
    """For somebody who asks for a first game and has one that isn't over: go on with it, or begin another."""
    again = Ref(verb="play", game=number, request="new", token=system)
    return [
        words.say("say.going", game=going),
        [
            Button(label=words.say("button.go_on"), ref=Ref(verb="orders", game=number), style=ButtonStyle.primary),
            Button(label=words.say("button.new_one"), ref=again),
        ],
    ]


def _begins(words: Words, card: Card) -> Button:
    ref = Ref(verb="play", game=0, token=card.system)
    return Button(label=words.say("button.play_game", game=card.name), ref=ref, style=ButtonStyle.success)


def denied(language: str) -> Shown:
    """Return why the bot leaves a server that its host has shut out."""
    return lay_out([Words(Catalogue.load(best(language))).say("say.server_denied")])


def ways(words: Words) -> list[Button]:
    """The ways into a first game and a first lesson."""
    plays = [play_button(words, system) for system in first.offered()[:1]]
    return [*plays, *_lessons(words)]


def _lessons(words: Words) -> list[Button]:
    return [lesson_button(words, system) for system in systems()[:1]]


def lesson_button(words: Words, system: str) -> Button:
    """Opens the first lesson of a game."""
    return Button(label=words.say("button.lesson_1"), ref=Ref(verb="learn", game=0, token=system))


def _mine(words: Words) -> Button:
    return Button(label=words.say("button.my_games"), ref=Ref(verb="my_games", game=0))


def _games(words: Words, language: str) -> list[Select]:
    """All games, in lists of as many lines as Discord takes."""
    picks = picks_of(cards(language))
    return [
        Select(
            hint=words.say("help.games"),
            ref=Ref(verb="about", game=0, page=start // OPTIONS_MOST),
            picks=tuple(picks[start : start + OPTIONS_MOST]),
        )
        for start in range(0, len(picks), OPTIONS_MOST)
    ]


def picks_of(found: Sequence[Card]) -> list[Pick]:
    """Lines of a list of games: what each is about stands below its name."""
    return [Pick(label=card.name, value=card.system, description=card.line) for card in found]
