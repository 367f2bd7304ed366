"""Saying no: a proposal that somebody declines lapses, and the thread says so."""

from __future__ import annotations

from typing import Any

import pytest

from bot.errors import Refusal
from tests.sea import AFAR, Sea, refs, text_of

DAY_S = 86_400


def offered(sea: Sea, verb: str) -> Any:
    return next(message for message in reversed(sea.thread.history()) if _key(message, verb))


def _key(message: Any, verb: str) -> str:
    return next((key for key in refs(message) if key.split()[0] == verb), "")


async def declined(sea: Sea, who: Any, verb: str) -> tuple[str, Any]:
    message = offered(sea, verb)
    said = await sea.press(who, message, _key(message, verb))
    return said, sea.again(who, message)


@pytest.mark.begun
async def test_one_who_declines_ends_a_proposal(sea: Sea) -> None:
    for verb, ask, sentence in (
        ("decline", {"name": "extend", "pause": True}, "declined the pause"),
        ("decline", {"name": "extend", "by": "5d"}, "declined to give more time"),
        ("decline_draw", {"name": "draw"}, "declined the draw"),
    ):
        name = str(ask.pop("name"))
        await sea.command(sea.anna, name, **ask)
        message = offered(sea, verb)
        assert sea.bela.id in [user.id for user in message.mentions], verb
        # One's own wish is the other side's to decline, and nobody else's.
        assert "another side" in (await declined(sea, sea.anna, verb))[0]
        assert "captain" in (await declined(sea, sea.cili, verb))[0]
        said, left = await declined(sea, sea.bela, verb)
        assert "declined" in said, verb
        assert f"<@{sea.bela.id}> {sentence}" in sea.told()
        assert not refs(left), verb
    (game,) = sea.rows("games")["games"]
    assert game["paused_at"] is None
    assert game["phase"] == "running"
    # Nobody can agree afterwards to a declined offer: an offer of one's own starts over.
    assert "offered" in await sea.command(sea.bela, "draw", game="1")
    assert sea.rows("games")["games"][0]["phase"] == "running"


async def test_one_who_declines_to_go_back_ends_it_for_all(sea: Sea) -> None:
    sea.languages[sea.bela.id] = "hu"
    await sea.begin_at(AFAR, sea.bela)
    await sea.both_seal()
    await sea.command(sea.anna, "host undo", game="1", to_round=1)
    first = offered(sea, "decline_act")
    said, left = await declined(sea, sea.bela, "decline_act")
    assert "Elutas" in said
    assert "declined to go back to the beginning of round 1" in sea.told()
    assert not refs(left)
    agree = next(ref for ref in refs(first).values() if ref.verb == "agree_act")
    with pytest.raises(Refusal, match="lapsed"):
        await sea.bot.services.repair.agree_to(sea.bela.id, 1, agree.token_as_number or 0)
    # It may be proposed again, and then needs all voices again.
    await sea.command(sea.anna, "host undo", game="1", to_round=1)
    message = offered(sea, "agree_act")
    await sea.press(sea.bela, message, _key(message, "agree_act"))
    assert sea.rows("steps")["steps"][-1]["cause"].count("UndoAction") == 1


@pytest.mark.begun
async def test_whose_seat_is_offered_is_named_once(sea: Sea) -> None:
    for number in (1, 2):
        await sea.seal(sea.anna, "A1 FFFFF")
        await sea.env.advance_time(DAY_S + 1)
        assert len(sea.rows("steps")["steps"]) == 1 + number
    text = text_of(offered(sea, "take_over"))
    assert f"<@{sea.bela.id}> has missed two deadlines in a row." in text
    assert "bela" not in text
    assert text.count(f"<@{sea.bela.id}>") == 1
