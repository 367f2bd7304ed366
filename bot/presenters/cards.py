"""Invitations to a first game: its name, a short description, and a picture."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Final

from msgspec import Struct

from bot.jobs.values import DescribedPicture
from bot.texts.i18n import Catalogue
from bot.texts.style import Markup
from bot.texts.whole import playable_systems
from rules.core.registry import RULESETS

CARD_FILE: Final = "card.webp"
"""The picture in a game's data package."""


class GameCard(Struct, frozen=True, kw_only=True):
    system: str  # a key of `RULESETS`
    name: Markup  # of the game, short if it has a short one
    description: Markup  # empty if the game has none
    terms: Markup
    """Ships, duration and the computer's strength in a first game; empty if the game has none."""
    picture: DescribedPicture | None  # None if the game has none
    has_first_game: bool  # whether newcomers can start it against the computer

    @property
    def menu_line(self) -> str:
        return " · ".join(filter(None, [self.terms, self.description]))


def game_cards(language: str) -> list[GameCard]:
    return [_game_card(language, system) for system in playable_systems()]


@cache
def _game_card(language: str, system: str) -> GameCard:
    catalogue = Catalogue.load(language, system)
    description, terms = (catalogue.say(key) if catalogue.has(key) else Markup("") for key in ("card", "card.terms"))
    picture = files(RULESETS[system].data_package) / CARD_FILE
    return GameCard(
        system=system,
        name=catalogue.say_game(),
        description=description,
        terms=terms,
        picture=DescribedPicture(
            data=picture.read_bytes(), format="webp", alt_text=f"{catalogue.say_game()}: {description}"
        )
        if picture.is_file()
        else None,
        has_first_game=RULESETS[system].first_game_options is not None,
    )
