"""README's first screen shows what the bot is, in pictures that are small and described."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PIL import Image

from tests.showcase.__main__ import FOLDER, MOST_BYTES, SHOWN

README = Path("README.md").read_text("utf-8")
FIRST_SCREEN = 30
"""Lines."""


@pytest.mark.parametrize("name", SHOWN)
def test_each_picture_is_there_small_and_described_on_the_first_screen(name):
    path = FOLDER / name
    assert 5_000 < path.stat().st_size <= (MOST_BYTES if name == "film.webp" else MOST_BYTES // 4)
    head = "\n".join(README.splitlines()[:FIRST_SCREEN])
    (alt,) = re.findall(rf'<img src="{path.as_posix()}"[^>]* alt="([^"]+)"', head)
    assert len(alt) > 60
    with Image.open(path) as image:
        assert image.width >= 400
        assert (getattr(image, "n_frames", 1) > 20) == (name == "film.webp")


def test_every_picture_that_readme_shows_is_there_and_described():
    shown = re.findall(r'<img src="([^"]+)"', README) + re.findall(r"!\[[^\]]+\]\(([^)]+)\)", README)
    assert len(shown) == README.count("<img ") + README.count("![")
    assert {Path(path).name for path in shown} >= set(SHOWN)
    assert all(Path(path).exists() for path in shown)
