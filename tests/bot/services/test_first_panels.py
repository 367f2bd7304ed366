"""The first panel of a first game says how the game is won, before anything else is pressed."""

from __future__ import annotations

import pytest

from rules.core.registry import RULESETS
from tests.sea import Sea, text_of

WORDS_OF_WINNING = {"en": ("win", "you lose"), "hu": ("győz", "vesztettél")}


@pytest.mark.parametrize("language", ["en", "hu"])
@pytest.mark.parametrize("system", [pytest.param(name, marks=pytest.mark.game(name)) for name in RULESETS])
async def test_the_first_page_says_how_the_game_is_won(sea: Sea, system: str, language: str) -> None:
    sea.languages[sea.anna.id] = language
    await sea.command(sea.anna, "new", system=system, computer=1, as_newcomers=True)
    await sea.command(sea.anna, "start", game="1")
    panel = sea.panel(sea.anna)
    assert any(word in text_of(panel).lower() for word in WORDS_OF_WINNING[language]), text_of(panel)
