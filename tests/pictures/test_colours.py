"""The two sides can be told apart by people who see few colours, from each other and from the table."""

import numpy as np
import pytest

from data import file
from render.drawing.style import SOOT, load_font
from render.matchbox.liveries import NORTH_LIVERY, SOUTH_LIVERY
from render.seas import table_top

# Machado, Oliveira and Fernandes 2009, full severity, for linear light.
SIGHT = {
    "all": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def linear(colour, sight: str) -> np.ndarray:
    part = np.asarray(colour, dtype=float) / 255
    light = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
    return np.clip(SIGHT[sight] @ light, 0, 1)


def contrast(first, second, sight: str) -> float:
    """WCAG contrast, 1 to 21."""
    a, b = sorted((float((TO_XYZ @ linear(colour, sight))[1]) for colour in (first, second)), reverse=True)
    return (a + 0.05) / (b + 0.05)


def difference(first, second, sight: str) -> float:
    """CIE 1976 colour difference: about 2 can just be seen, 100 is black and white."""

    def lab(colour) -> np.ndarray:
        xyz = TO_XYZ @ linear(colour, sight) / np.array([0.9505, 1.0, 1.089])
        f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
        return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])

    return float(np.linalg.norm(lab(first) - lab(second)))


@pytest.fixture(scope="module")
def wood():
    table = table_top.draw_table((800, 533), (-13.0, -13.0, 1213.0, 813.0), (1200.0, 800.0))
    return np.asarray(table.crop((30, 30, 770, 500))).reshape(-1, 3).mean(axis=0)


@pytest.mark.parametrize("sight", SIGHT)
def test_the_sides_are_told_apart(sight):
    assert contrast(SOUTH_LIVERY.base, NORTH_LIVERY.base, sight) > 4
    assert difference(SOUTH_LIVERY.base, NORTH_LIVERY.base, sight) > 50
    assert difference(SOUTH_LIVERY.mark, NORTH_LIVERY.mark, sight) > 50
    assert difference(SOUTH_LIVERY.match_head, NORTH_LIVERY.match_head, sight) > 25


@pytest.mark.parametrize("sight", SIGHT)
@pytest.mark.parametrize("livery", [SOUTH_LIVERY, NORTH_LIVERY], ids=["south", "north"])
def test_hulls_stand_out_from_the_table(sight, livery, wood):
    assert difference(livery.base, wood, sight) > 30
    assert contrast(livery.mark, livery.base, sight) > 4
    assert contrast(livery.on_base, livery.base, sight) > 4.5


@pytest.mark.parametrize("sight", SIGHT)
@pytest.mark.parametrize("livery", [SOUTH_LIVERY, NORTH_LIVERY], ids=["south", "north"])
def test_names_can_be_read(sight, livery, wood):
    assert contrast(livery.letter, wood, sight) > 4.5
    assert contrast(livery.letter, SOOT, sight) > 7


def test_the_sides_differ_in_pattern_too():
    assert SOUTH_LIVERY.pattern != NORTH_LIVERY.pattern


@pytest.mark.parametrize("heavy", [True, False])
def test_the_letters_hold_every_hungarian_one(heavy):
    face = load_font(40, heavy=heavy)
    missing = bytes(face.getmask("\uffff"))
    for letter in "aábcdeéfghiíjklmnoóöőpqrstuúüűvwxyzAÁBCDEÉFGHIÍJKLMNOÓÖŐPQRSTUÚÜŰVWXYZ0123456789–—…„”·−×":
        assert bytes(face.getmask(letter)) != missing, letter


def test_the_letters_come_with_their_licence():
    assert "SIL Open Font License" in file("fonts", "OFL.txt").read_text()
