"""The pictures of README and docs are small, and made by `make showcase`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PIL import Image

from rules.core.registry import RULESETS
from tests.showcase.__main__ import DRAWN, FOLDER, MOST_BYTES, PAGES, PANELS, PHOTOGRAPHED, card

FIRST_SCREEN = 30  # lines of README


@pytest.mark.parametrize("name", [*DRAWN, *PHOTOGRAPHED])
def test_each_picture_is_there_and_small(name: str) -> None:
    path = FOLDER / f"{name}.webp"
    assert 5_000 < path.stat().st_size <= (MOST_BYTES if name == "film" else MOST_BYTES // 4)
    with Image.open(path) as image:
        assert image.width >= 400
        assert (getattr(image, "n_frames", 1) > 20) == (name == "film")


def test_readme_begins_with_the_film_and_a_panel() -> None:
    head = "\n".join(Path("README.md").read_text("utf-8").splitlines()[:FIRST_SCREEN])
    pictures = re.findall(r'<img src="docs/pictures/([^"]+)\.webp"', head)
    assert pictures[0] == "film"
    assert pictures[1] in PANELS
    assert {*pictures} >= {*PAGES.values()}


@pytest.mark.parametrize("game", RULESETS)
def test_each_game_has_a_page_with_its_picture_and_its_first_panel(game: str) -> None:
    page = Path(f"docs/games/{PAGES[game]}.md").read_text("utf-8")
    assert f"../pictures/{PAGES[game]}.webp" in page
    assert f"../pictures/{PAGES[game]}-panel.webp" in page
    picture = Path(f"docs/pictures/{PAGES[game]}.webp").read_bytes()
    assert Path(f"data/{game}/card.webp").read_bytes() == card(game, picture)
