"""The dice: the stream is what it says, and matches dropped by it fall as matches do."""

import hashlib
import hmac
import math
from collections import Counter
from itertools import product

import numpy as np
import pytest

from rules.chance.dice import Dice, derive_seed, to_normal
from rules.matchbox.engine.state import MATCH_MM
from rules.matchbox.engine.volley import SCATTER_MM, drop_matches

DROPS = 200_000
BAND = 1.628
"""Kolmogorov's: a true sample exceeds it in one case of a hundred. The seeds are fixed, so that it never flakes."""


def stream(seed, count):
    """Return the first numbers of a stream, four from a block."""
    numbers, dice = [], Dice(seed=seed)
    while len(numbers) < count:
        four, dice = dice.draw_block()
        numbers += four
    return np.array(numbers[:count])


def kolmogorov_smirnov(sample, distribution):
    """Return the largest distance between two distributions, times the root of the sample's size."""
    expected = distribution(np.sort(sample))
    size = len(sample)
    steps = np.arange(size + 1) / size
    return math.sqrt(size) * max((steps[1:] - expected).max(), (expected - steps[:-1]).max())


def bell(deviation):
    return lambda places: np.array([0.5 * math.erfc(-place / (deviation * math.sqrt(2))) for place in places])


@pytest.mark.parametrize("seed", ["", "5eed", "5eed" * 32, "5eed" * 32 + "00"])
def test_a_block_is_four_words_of_the_hmac_of_its_number(seed):
    digest = hmac.new(bytes.fromhex(seed), b"war-galley dice 7", hashlib.sha256).digest()
    words = [int.from_bytes(digest[at : at + 8], "big") for at in (0, 8, 16, 24)]
    numbers, after = Dice(seed=seed, blocks_drawn=7).draw_block()
    assert numbers == tuple(((word >> 11) + 0.5) / 2**53 for word in words)
    assert after == Dice(seed=seed, blocks_drawn=8)


def test_the_stream_of_a_seed_never_changes():
    first, _ = Dice(seed="00").draw_block()
    assert first == pytest.approx(
        (0.33525024394750197, 0.7108693300665005, 0.6924425115068331, 0.9763390883031859), abs=1e-15
    )


@pytest.mark.slow
def test_the_stream_is_uniform_and_forgets():
    numbers = stream("0dd5", 400_000)
    assert 0 < numbers.min() < numbers.max() < 1
    assert kolmogorov_smirnov(numbers, lambda places: places) < BAND
    for lag in (1, 2, 3, 4, 8):
        correlation = np.corrcoef(numbers[:-lag], numbers[lag:])[0, 1]
        assert abs(correlation) < 3 / math.sqrt(len(numbers))


@pytest.mark.parametrize("sides", [2, 6, 7])
def test_a_die_is_fair(sides):
    faces, dice = Counter(), Dice(seed=f"{sides:04x}")
    throws = 6000 * sides
    for _ in range(throws):
        face, dice = dice.throw_die(sides)
        faces[face] += 1
    assert set(faces) == set(range(1, sides + 1))
    assert dice.blocks_drawn == throws
    assert all(abs(count - 6000) < 4 * math.sqrt(6000) for count in faces.values())


def test_secrets_are_derived():
    derived = {derive_seed(seed, purpose) for seed, purpose in product(("00", "01"), ("mate", "lots"))}
    assert len(derived) == 4
    assert derive_seed("00", "mate") == hmac.new(b"\0", b"war-galley mate", hashlib.sha256).hexdigest()


def crossing(y_mm, bearing_deg):
    """Return for each match if it crosses one of the lines that run east, one match apart."""
    reach = MATCH_MM / 2 * np.abs(np.cos(np.radians(bearing_deg)))
    return np.floor((y_mm + reach) / MATCH_MM) > np.floor((y_mm - reach) / MATCH_MM)


def assert_buffon(crossed):
    chance = 2 / math.pi
    error = math.sqrt(chance * (1 - chance) / len(crossed))
    assert abs(crossed.mean() - chance) < 3 * error


def dropped(seed, count):
    """Return matches of volleys whose aims are spread evenly over the width of a match."""
    landed, dice = [], Dice(seed=seed)
    each = 100
    for volley in range(count // each):
        aim = MATCH_MM * volley / (count // each)
        matches, dice = drop_matches(dice, (0.0, aim), each)
        landed += [(x, y - aim, y, bearing) for x, y, bearing in matches]
    return np.array(landed).T


@pytest.mark.slow
def test_volleys_scatter_as_the_rules_say():
    east, north, y, bearing = dropped("d40b", DROPS)
    assert_buffon(crossing(y, bearing))
    for scatter in (east, north):
        assert kolmogorov_smirnov(scatter, bell(SCATTER_MM)) < BAND
    assert kolmogorov_smirnov(bearing, lambda places: places / 360) < BAND
    for a, b in ((east, north), (east, bearing), (north, bearing)):
        assert abs(np.corrcoef(a, b)[0, 1]) < 3 / math.sqrt(DROPS)


def test_the_yardstick_tells_a_bell_from_another():
    scatter = SCATTER_MM * np.array([to_normal(place, deviation=1.0) for place in (np.arange(DROPS) + 0.5) / DROPS])
    assert kolmogorov_smirnov(scatter, bell(SCATTER_MM)) < 0.01
    assert kolmogorov_smirnov(scatter, bell(SCATTER_MM * 1.03)) > BAND
    assert kolmogorov_smirnov(scatter + 0.01 * SCATTER_MM, bell(SCATTER_MM)) > BAND
