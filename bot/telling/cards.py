"""What invites somebody to a first game: its name, a line about it, and a picture."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Final

from msgspec import Struct

from bot.telling.values import Drawn
from bot.telling.wording import game_name
from bot.words.i18n import Catalogue
from bot.words.style import Said
from bot.words.whole import playable
from rules.registry import RULESETS

FILE: Final = "card.webp"
"""The picture, among a game's words."""


class Card(Struct, frozen=True, kw_only=True):
    """An invitation to a game."""

    system: str
    name: Said
    """Short."""
    about: Said
    """What it is about, in a few words; empty if the game doesn't say."""
    terms: Said
    """Of a first game: how many ships, how long it takes, how well the computer plays; empty if it doesn't say."""
    picture: Drawn | None
    plays: bool
    """Whether it proposes a first game."""

    @property
    def line(self) -> str:
        """Both, in a line of a list."""
        return " · ".join(filter(None, [self.terms, self.about]))


def cards(language: str) -> list[Card]:
    """An invitation to each game that can be played, in a language."""
    return [_card(language, system) for system in playable()]


@cache
def _card(language: str, system: str) -> Card:
    catalogue = Catalogue.load(language, system)
    about, terms = (catalogue.say(key) if catalogue.has(key) else Said("") for key in ("card", "card.terms"))
    picture = files(RULESETS[system].data) / FILE
    return Card(
        system=system,
        name=game_name(catalogue),
        about=about,
        terms=terms,
        picture=Drawn(data=picture.read_bytes(), format="webp", alt=f"{game_name(catalogue)}: {about}")
        if picture.is_file()
        else None,
        plays=RULESETS[system].first is not None,
    )
