"""A seat that is taken and given back again and again costs the bot little, and makes few messages."""

from __future__ import annotations

import sys
from types import FrameType, SimpleNamespace
from typing import Any

import pytest

from bot.lifecycle.people.captains import Captains
from bot.lifecycle.people.posting import MAX_AT_ONCE
from bot.lifecycle.ratings.ratings import rated_users
from bot.store.models.records import Captaincy
from tests.attacks.test_substitutes import give_back, taken_over
from tests.sea import Sea

HOST, GUEST, TAKER, FRIEND = 1, 2, 9, 10


def captaincy(
    number: int, seat: int, user_id: int | None, put_by: int | None = None, *, held: bool = True
) -> Captaincy:
    to_step = None if held else 1
    return Captaincy(
        id=number,
        game_id=1,
        seat=seat,
        user_id=user_id,
        from_step=1,
        to_step=to_step,
        put_by=put_by,
        acted=False,
        left=not held,
    )


def after_takings(number: int, *, planted: bool) -> Captains:
    """Return a duel whose second seat was taken and given back `number` times, by two who may put each other there."""
    seats: Any = [SimpleNamespace(seat=0, team=0, user_id=HOST, conceded=False)]
    seats.append(SimpleNamespace(seat=1, team=1, user_id=TAKER, conceded=False))
    captaincies = [captaincy(1, 0, HOST), captaincy(2, 1, GUEST, held=False)]
    for taking in range(number):
        users = (TAKER, FRIEND) if taking % 2 else (FRIEND, TAKER)
        put_by = users[1] if planted else None
        captaincies.append(captaincy(3 + 2 * taking, 1, users[0], put_by, held=False))
        captaincies.append(captaincy(4 + 2 * taking, 1, None, held=False))
    captaincies.append(captaincy(3 + 2 * number, 1, TAKER))
    game: Any = SimpleNamespace(seed="00" * 32, parent_id=None, first_game_id=None, host_id=HOST, id=1)
    return Captains(SimpleNamespace(game=game, seats=seats), captaincies)  # type: ignore[arg-type] # what it reads


def calls_to_judge(captains: Captains, limit: int) -> int:
    """Return how many calls of Python functions all questions about a game's captains take, up to `limit`."""
    calls = 0

    def count(_frame: FrameType, event: str, _arg: object) -> None:
        nonlocal calls
        calls += event == "call"
        if calls > limit:
            raise OverflowError

    sys.setprofile(count)
    try:
        for seat in captains.seated_game.seats:
            captains.may_speak(seat)
            captains.is_planted(captains.current_captaincy(seat))
        for user_id in (HOST, GUEST, TAKER, FRIEND):
            captains.teams_spoken_for(user_id)
            captains.unplanted_teams(user_id)
        rated_users(captains)
    except OverflowError:
        pass
    finally:
        sys.setprofile(None)
    return calls


@pytest.mark.parametrize("planted", [False, True])
def test_each_captain_of_a_seat_is_judged_once(*, planted: bool) -> None:
    """Each seat taken and given back doubled the calls: at the 30th the bot stood still for hours."""
    limit = 200_000
    few, many = (calls_to_judge(after_takings(number, planted=planted), limit) for number in (50, 400))
    assert many < min(limit, 10 * few)


async def test_a_seat_is_taken_and_given_back_only_so_often(sea: Sea) -> None:
    """Each taking and each giving back is a message to all."""
    await taken_over(sea)
    for taking in range(1, MAX_AT_ONCE // 2):
        await give_back(sea, sea.cili)
        await sea.command(sea.cili, "substitute", game="1")
        assert sea.rows("seats")["seats"][1]["user_id"] == sea.cili.id, taking
    await give_back(sea, sea.cili)
    before = sea.rows("captains", "acts", "seats")
    assert "many times" in await sea.command(sea.cili, "substitute", game="1")
    assert sea.rows("captains", "acts", "seats") == before
