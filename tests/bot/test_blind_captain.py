"""A captain who sees no picture plays a whole duel by what is read out loud: descriptions, messages and buttons."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from math import cos, hypot, inf, radians, sin
from string import Formatter
from typing import Any, NamedTuple

import pytest

from bot.texts.i18n import Catalogue
from tests.sea import Sea, parts, refs, text_of

MOST_ROUNDS = 40
MATCH_MM = 45
RANGE_MM = 135


class Heard(NamedTuple):
    name: str
    x: float
    y: float
    heading: float
    oars: int  # on her weaker side
    masts: int


class Ear:
    """Understands the sentences of one language, by their shapes in its catalogue."""

    def __init__(self, language: str) -> None:
        self._catalogue = Catalogue.load(language, "matchbox")

    def hears(self, key: str, text: str) -> bool:
        return self.find(key, text) is not None

    def find(self, key: str, text: str) -> dict[str, str] | None:
        match = re.search(self._shape(key), text, re.MULTILINE)
        return match.groupdict() if match else None

    def lines(self, key: str, text: str) -> Iterator[dict[str, str]]:
        for line in text.split("\n"):
            if match := re.fullmatch(self._shape(key), line):
                yield match.groupdict()

    def galleys(self, text: str) -> dict[str, Heard]:
        heard = {}
        for line in self.lines("alt.piece", text):
            place = self.find("place.afloat", line["place"])
            assert place, line
            left = dict.fromkeys(("port", "starboard", "masts"), 0)
            for gauge in left:
                name = re.escape(self._catalogue.say(f"gauge.{gauge}"))
                left[gauge] = int(re.search(rf"(?:^|, ){name} (\d+)/\d+", line["gauges"])[1])
            weaker = min(left["port"], left["starboard"])
            x, y = (float(place[key].split("\u00a0")[0].replace(",", ".")) for key in ("x_mm", "y_mm"))
            heading = float(place["heading"].replace(",", "."))
            heard[line["id"]] = Heard(line["id"], x, y, heading, weaker, left["masts"])
        return heard

    def _shape(self, key: str) -> str:
        shape, seen = "", set()
        for literal, name, _, _ in Formatter().parse(self._catalogue.template(key)):
            shape += re.escape(literal)
            if name is not None:
                word = name.replace(".", "_")
                shape += f"(?P={word})" if word in seen else f"(?P<{word}>.+?)"
                seen.add(word)
        return f"{shape}(?=$|;|\\n)" if key.startswith("place.") else shape


def read_out(message: Any) -> str:
    """Return a message as a screen reader has it: its texts and its pictures' descriptions, never their pixels."""
    return "\n".join([text_of(message), *(attached.description or "" for attached in message.attachments)])


def buttons(message: Any) -> dict[str, str]:
    labels = {getattr(part, "custom_id", ""): getattr(part, "label", "") for part in parts(message)}
    return {key: labels.get(ref.pack()) or "" for key, ref in refs(message).items()}


def orders_for(own: Heard, enemy: Heard) -> list[str]:
    """Orders that bring her bow or her fire to bear on the enemy, best first; by the rules, as anybody reads them."""
    most = min(5, own.oars + own.masts)
    scored = []
    for letters in itertools.product("FLRX", repeat=most):
        if letters.count("X") > own.masts or most - letters.count("X") > own.oars:
            continue
        x, y, heading, worth = own.x, own.y, own.heading, 0.0
        for step, letter in enumerate(letters):
            if letter == "X":
                # The sooner the better: she may lose her masts.
                worth += 40 - step if hypot(enemy.x - x, enemy.y - y) < RANGE_MM else -20
                continue
            heading += {"F": 0, "L": -60, "R": 60}[letter]
            x += MATCH_MM * sin(radians(heading))
            y += MATCH_MM * cos(radians(heading))
            if not (0 < x < 900 and 0 < y < 600):
                worth -= 60
        # She aims at the enemy's middle, which lies half a hull behind the prow.
        back = radians(enemy.heading + 180)
        far = hypot(enemy.x + 30 * sin(back) - x, enemy.y + 30 * cos(back) - y)
        scored.append((far - worth, "".join(letters)))
    return [orders for _, orders in sorted(scored)]


async def give(sea: Sea, ear: Ear, orders: list[str], name: str) -> None:
    """Type orders until some are accepted, and seal them; standing orders let the captain say where to drop."""
    for order in orders:
        answered = await sea.write(sea.anna, f"{name} {order}; aim ask")
        if ear.hears("panel.ready", answered):
            await sea.press(sea.anna, sea.panel(sea.anna), "seal")
            return
    raise AssertionError(f"no orders were taken: {answered}")


async def decide(sea: Sea, ear: Ear) -> None:
    panel, best, chosen = sea.panel(sea.anna), -inf, ""
    for key, label in buttons(panel).items():
        for choice in ("choice.aim.steady", "choice.aim.safe"):
            if match := ear.find(choice, label):
                hits = float(match["hits"].replace(",", ".")) * (1 - int(match["misfire"]) / 100)
                best, chosen = max((best, chosen), (hits, key))
    assert chosen, buttons(panel)
    await sea.press(sea.anna, panel, chosen)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("language", ["hu", pytest.param("en", marks=pytest.mark.long)])
async def test_a_duel_is_played_by_what_is_read_out_alone(sea: Sea, language: str) -> None:
    ear = Ear(language)
    sea.languages[sea.anna.id] = language
    await sea.begin(galleys="1", table="coffee", captain="deckhand")
    decided = rounds = 0
    for _ in range(3 * MOST_ROUNDS):
        asking = [message for message in reversed(sea.dms(sea.anna)) if {"type", "unseal"} & refs(message).keys()]
        if not asking:
            break
        heard = read_out(asking[0])
        if ear.hears("request.aim", heard):
            decided += 1
            await decide(sea, ear)
        elif ear.hears("request.orders", heard) or ear.hears("request.orders.again", heard):
            rounds += 1
            ships = ear.galleys(heard)
            (own,), (enemy,) = ([ship for ship in ships.values() if ship.name[0] == letter] for letter in "AB")
            assert ear.find("ground.table", heard)["width_mm"].startswith("900")
            await give(sea, ear, orders_for(own, enemy), own.name)
        else:
            assert ear.hears("request.place", heard)
            await sea.press(sea.anna, asking[0], "seal")
    thread = Ear("en")
    last = read_out(sea.thread.history()[-1])
    assert thread.hears("ending.won", last) or thread.hears("ending.drawn", last), last
    assert rounds > 1
    assert decided > 0
