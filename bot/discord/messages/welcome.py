"""The way in: how to play, and the greeting of a server that the bot joins."""

from __future__ import annotations

from discord import ButtonStyle

from bot.discord.ids import Ref
from bot.discord.messages.board import OPTIONS_MOST, Button, Pick, Select, Shown, lay_out
from bot.doors import first
from bot.telling.lessons import systems
from bot.words.i18n import Catalogue, Words, best
from bot.words.style import Said
from bot.words.whole import playable


def play_button(words: Words, system: str) -> Button:
    """Begins a first game."""
    ref = Ref(verb="play", game=0, token=system)
    return Button(label=words.say("button.play_now"), ref=ref, style=ButtonStyle.success)


def help_page(language: str) -> Shown:
    """How to play, on a phone's screen: a row of ways in, and a list of games, each of which has its own."""
    words = Words(Catalogue.load(language))
    quickest = [Said(Catalogue.load(language, system).say("game")) for system in first.offered()[:1]]
    text = f"### {words.say('help.title')}\n{words.say('help.body', games=quickest)}"
    return lay_out([text, [*ways(words), _mine(words)], *_games(words, language)])


def greeting(locale: str) -> Shown:
    """Return the greeting of a server that the bot joins."""
    words = Words(Catalogue.load(best(locale)))
    return lay_out([words.say("greeting"), ways(words)])


def ways(words: Words) -> list[Button]:
    """The ways into a first game and a first lesson."""
    plays = [play_button(words, system) for system in first.offered()[:1]]
    learns = [lesson_button(words, system) for system in systems()[:1]]
    return [*plays, *learns]


def lesson_button(words: Words, system: str) -> Button:
    """Opens the first lesson of a game."""
    return Button(label=words.say("button.lesson_1"), ref=Ref(verb="learn", game=0, token=system))


def _mine(words: Words) -> Button:
    return Button(label=words.say("button.my_games"), ref=Ref(verb="my_games", game=0))


def _games(words: Words, language: str) -> list[Select]:
    """All games, in lists of as many lines as Discord takes."""
    picks = [Pick(label=Catalogue.load(language, system).say("game"), value=system) for system in playable()]
    return [
        Select(
            hint=words.say("help.games"),
            ref=Ref(verb="about", game=0, page=start // OPTIONS_MOST),
            picks=tuple(picks[start : start + OPTIONS_MOST]),
        )
        for start in range(0, len(picks), OPTIONS_MOST)
    ]
