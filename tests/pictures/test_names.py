"""Captains' names in any letters: no picture shows an empty box, and its description names the same captain."""

import msgspec
import pytest
from PIL import ImageDraw

import render
from bot.jobs.showing import PictureSubject, draw_state
from bot.jobs.values import PictureStyle, StillSettings
from render.drawing.legible import has_glyph, legible_text
from tests import games
from tests.laws.play import tape

NAMES = {
    "Greek": "Ἀθηνᾶ Παλλάς",
    "Cyrillic": "Ольга Їжак",
    "Arabic": "محمد علي",
    "Hebrew": "דוד",
    "Han": "王小明",
    "Kana": "さくらカナ",
    "Hangul": "김민수",
    "Thai": "สมชาย",
    "Devanagari": "अमित",
    "emoji": "🚢⚓ Ann 👩‍👩‍👧",
    "fancy": "𝓐𝓷𝓷𝓪",
    "combined": "Anna\u0336\u0308",
    "Latin": "Őszi Ürge",
}


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_each_letter_of_a_shown_name_has_a_glyph(name):
    shown = legible_text(name)
    assert shown.strip()
    assert all(map(has_glyph, shown))
    assert legible_text(shown) == shown


def test_letters_that_the_fonts_have_stay_and_others_are_written_in_latin():
    assert legible_text("Őszi Ürge") == "Őszi Ürge"
    assert legible_text("王小明") == "WangXiaoMing"
    assert legible_text("\U000f0000") == "–"
    assert not has_glyph("王")


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
@pytest.mark.parametrize("system", games.tested)
def test_a_picture_and_its_description_show_the_same_name_without_empty_boxes(system, name, monkeypatch):
    written: list[str] = []
    draw_text = ImageDraw.ImageDraw.text

    def note_text(self, xy, text, *args, **kwargs):
        written.append(text)
        return draw_text(self, xy, text, *args, **kwargs)

    monkeypatch.setattr(ImageDraw.ImageDraw, "text", note_text)
    render.marks.legend._draw_name_bar.cache_clear()
    render.drawing.canvas._letter_masks.cache_clear()
    game = tape(system, 0)
    style = PictureStyle(system=system, language="en", names={0: name, 1: "Béla"}, stills=StillSettings(width_px=400))
    state = msgspec.json.encode(game.states[0]).decode()
    picture = draw_state.__wrapped__(system, state, (), style, PictureSubject())
    assert all(has_glyph(letter) for text in written for letter in text)
    shown = legible_text(name)
    assert any(shown[:4] in text for text in written)
    if name in picture.alt_text or "Béla" in picture.alt_text:
        assert shown in picture.alt_text
