"""Pages, texts, docstrings and comments are plain English: see CONTRIBUTING."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rules.core.registry import RULESETS
from tests.catalogues import own
from tests.english import PAGES, ROOT, STIFF, docstrings, modules, stiff, stiff_texts

CLEAN = ("bot", "data", "render", "rules", "tests")
"""Folders whose docstrings and comments are plain, with all that is in them."""


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_pages_are_plain_english(path: Path) -> None:
    assert stiff(path) == []


@pytest.mark.parametrize("system", ["", *RULESETS], ids=lambda system: system or "shared")
def test_players_read_plain_english(system: str) -> None:
    assert stiff_texts(own("en", system)) == []


def test_a_stiff_word_is_noticed_in_a_text() -> None:
    assert stiff_texts({"hail": "Whom do you hail?", "foe": "{n} foes"}) == ["hail: Whom"]
    assert stiff_texts({"die": "She burns (die {die}).", "ram": "Her ram hits."}) == ["die: (die {"]


@pytest.mark.parametrize("folder", CLEAN)
def test_docstrings_and_comments_are_plain_english(folder: str) -> None:
    stiff_words = {str(path.relative_to(ROOT)): words for path in modules(folder) if (words := stiff(path))}
    assert stiff_words == {}


@pytest.mark.parametrize("folder", CLEAN)
def test_docstrings_begin_with_a_verb_or_a_thing(folder: str) -> None:
    relative = re.compile(r"(?:How|The same|What|Which|Who|Whom|Whose)\b")
    places = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in modules(folder)
        for line, text in docstrings(path)
        if relative.match(text)
    ]
    assert places == []


@pytest.mark.parametrize("word", ["Whom", "lest", "upon", "anew", "whoever", "what it comes to", "she is told", "his"])
def test_a_stiff_word_is_noticed(word: str) -> None:
    assert STIFF.search(word)


@pytest.mark.parametrize("word", ["the", "This", "chest", "coupon", "history"])
def test_a_plain_word_is_let_be(word: str) -> None:
    assert not STIFF.search(word)
