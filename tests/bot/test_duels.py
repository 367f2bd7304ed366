"""Whole duels through Discord: by buttons alone, by typing alone, and against the computer."""

from __future__ import annotations

import re

from bot.sandbox import private
from rules import fairness
from tests.bot.captains import by_buttons, by_typing, play
from tests.bot.records import assert_holds
from tests.sea import Sea, refs, text_of

_SEAL = re.compile(r"✅ (\w+): sealed `([0-9a-f]{40})`")


async def assert_told_and_sealed(sea: Sea) -> None:
    """The thread told every step with a picture that can be heard, and all seals are those of the stored answers."""
    rows, told = sea.rows(), sea.told()
    stories = [message for message in sea.thread.history() if message.attachments]
    assert len(stories) == len(rows["steps"])
    for message in stories:
        (picture,) = message.attachments
        assert private.blobs(sea.env.backend)[picture.url].startswith(b"\x89PNG")
        assert picture.description
        assert {"log", "view"} <= set(refs(message))
    sealed = {answer["commitment"]: answer for answer in rows["answers"] if answer["given_by"] == "captain"}
    names = {seat["seat"]: name for seat in rows["seats"] for name in _names(rows, seat["user_id"])}
    published = _SEAL.findall(told)
    assert {(names[answer["seat"]], seal[:40]) for seal, answer in sealed.items()} == set(published)
    for answer in rows["answers"]:
        opened = (answer["request_id"], answer["body"], answer["nonce"])
        assert answer["commitment"] == fairness.seal_hash(fairness.seed_hash(rows["games"][0]["seed"]), *opened)
    (game,) = rows["games"]
    assert game["phase"] == "over"
    record = await assert_holds(sea)
    (ending,) = (event for event in record.steps[-1].events if event["type"] in ("GameWon", "GameDrawn"))
    if ending["type"] == "GameWon":
        winners = [names[seat] for seat in ending["seats"]]
        assert all(winner in text_of(stories[-1]) for winner in winners)
    assert not any(row["status"] != "closed" for row in rows["requests"])


def _names(rows: dict[str, list[dict[str, object]]], user_id: object) -> list[object]:
    return [player["name"] for player in rows["players"] if player["user_id"] == user_id]


async def test_a_duel_by_buttons_alone(sea: Sea) -> None:
    await sea.begin(sea.bela, galleys="1", table="coffee")
    await play(sea, (sea.anna, sea.bela), by_buttons)
    await assert_told_and_sealed(sea)
    assert {verb for who in (sea.anna, sea.bela) for message in sea.dms(who) for verb in refs(message)} == {
        "replay",
        "rematch",
    }


async def test_a_duel_by_typing_alone(sea: Sea) -> None:
    await sea.begin(sea.bela, galleys="1", table="coffee")
    await play(sea, (sea.anna, sea.bela), by_typing)
    await assert_told_and_sealed(sea)


async def test_a_duel_against_the_computer(sea: Sea) -> None:
    await sea.begin(galleys="1", table="coffee")
    await play(sea, (sea.anna,), by_typing)
    assert "(computer): sealed" in sea.told()
    await assert_told_and_sealed(sea)
