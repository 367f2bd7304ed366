"""What invites somebody to a first game: its name, a line about it, and a picture."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Final

from msgspec import Struct

from bot.telling.values import DescribedPicture
from bot.telling.wording import game_name
from bot.words.i18n import Catalogue
from bot.words.style import Markup
from bot.words.whole import playable_systems
from rules.registry import RULESETS

CARD_FILE: Final = "card.webp"
"""The picture, among a game's words."""


class GameCard(Struct, frozen=True, kw_only=True):
    """An invitation to a game."""

    system: str
    name: Markup
    """Short."""
    about: Markup
    """What it is about, in a few words; empty if the game doesn't say."""
    terms: Markup
    """Of a first game: how many ships, how long it takes, how well the computer plays; empty if it doesn't say."""
    picture: DescribedPicture | None
    plays: bool
    """Whether it proposes a first game."""

    @property
    def line(self) -> str:
        """Both, in a line of a list."""
        return " · ".join(filter(None, [self.terms, self.about]))


def game_cards(language: str) -> list[GameCard]:
    """An invitation to each game that can be played, in a language."""
    return [_game_card(language, system) for system in playable_systems()]


@cache
def _game_card(language: str, system: str) -> GameCard:
    catalogue = Catalogue.load(language, system)
    about, terms = (catalogue.say(key) if catalogue.has(key) else Markup("") for key in ("card", "card.terms"))
    picture = files(RULESETS[system].data) / CARD_FILE
    return GameCard(
        system=system,
        name=game_name(catalogue),
        about=about,
        terms=terms,
        picture=DescribedPicture(data=picture.read_bytes(), format="webp", alt=f"{game_name(catalogue)}: {about}")
        if picture.is_file()
        else None,
        plays=RULESETS[system].first is not None,
    )
