"""Ratings: what the tables of docs/ratings.md promise against second accounts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from bot.lifecycle.ratings import limits
from bot.lifecycle.ratings.limits import PAIR_WINDOW_S
from tests.bot.lifecycle.test_rating_limits import FOUR, changes, play
from tests.sea import ABEAM, AFAR, Sea


@pytest.fixture(autouse=True)
def short_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let one round be enough for a game to count, and only one game a week between the same two."""
    monkeypatch.setattr(limits, "MIN_ROUNDS", 1)
    monkeypatch.setattr(limits, "MAX_GAMES_PER_PAIR", 1)


async def begun(sea: Sea) -> int:
    """Play the first round of a duel of Anna against Béla, the twin, who hosts it; return the game's number."""
    await sea.begin_at(AFAR, sea.bela)
    number = int(sea.rows("games")["games"][-1]["id"])
    sea.change_rows("UPDATE games SET host_id = ? WHERE id = ?", sea.bela.id, number)
    await play(sea, number, 1, sea.anna, sea.bela)
    return number


async def lost_by(sea: Sea, who: Any, number: int) -> dict[int, int]:
    await sea.bot.services.concede_game(who.id, number)
    await sea.settle()
    assert sea.rows("games")["games"][-1]["phase"] == "over"
    return changes(sea).get(number, {})


async def enough_of_a_week(sea: Sea) -> None:
    assert len(await lost_by(sea, sea.bela, await begun(sea))) == 2


async def test_a_twin_who_hands_the_seat_on_at_the_last_moment_lifts_nobody_more_often(sea: Sea) -> None:
    await enough_of_a_week(sea)
    eve, number = sea.member("eve"), await begun(sea)
    await sea.command(sea.bela, "host replace", game=f"{number}", whose="bela", substitute=eve)
    found = await lost_by(sea, eve, number)
    assert not {sea.anna.id, sea.bela.id} & set(found)


async def test_who_puts_a_twin_into_an_absent_captains_seat_is_not_saved_from_defeat(sea: Sea) -> None:
    await enough_of_a_week(sea)
    await sea.begin_at(AFAR, sea.cili)
    number = int(sea.rows("games")["games"][-1]["id"])
    for who, order in ((sea.anna, "A1 LLLLL"), (sea.cili, "B1 LLLLL")):
        await sea.seal(who, order)
    await sea.bot.services.absence.offer_seats_of_departed(sea.cili.id, sea.guild.id)
    await sea.command(sea.anna, "host replace", game=f"{number}", whose="cili", substitute=sea.bela)
    before = changes(sea)[1][sea.anna.id]
    found = await lost_by(sea, sea.anna, number)
    assert found.pop(sea.anna.id) < before
    assert not found


async def test_who_sees_that_they_lose_is_not_saved_by_duels_against_a_twin_on_another_side(sea: Sea) -> None:
    """The limit on games between two would hold for Anna, who could choose it after the fact. In a duel it holds for
    both, no matter who loses."""
    ally = sea.member("ally")
    await sea.begin_at(FOUR, sea.bela, ally, sea.cili, captains="2", galleys="1")
    for seat, row in enumerate(sea.rows("seats")["seats"]):
        asked = await sea.bot.services.reader.requests.pending_request(row["user_id"], 1)
        asked = await sea.bot.services.orders.type_text(asked, f"{'ABCD'[seat]}1 RRRRR")
        await sea.bot.services.orders.seal_draft(asked, asked.row.version)
    await sea.settle()
    duels = [await begun(sea), await begun(sea)]
    assert (await lost_by(sea, sea.bela, duels[1])).keys() == {sea.anna.id, sea.bela.id}
    assert not await lost_by(sea, sea.anna, duels[0])
    await lost_by(sea, ally, 1)
    found = await lost_by(sea, sea.anna, 1)
    # The twin, who has met Anna too often to rise, is the only one whose rating stays.
    assert found.keys() == {sea.anna.id, ally.id, sea.cili.id}
    assert found[sea.anna.id] < changes(sea)[duels[1]][sea.anna.id]


async def test_a_twin_who_gives_up_in_the_middle_of_the_only_round_lifts_nobody(
    sea: Sea, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MIN_ROUNDS", 2)
    await sea.begin_at(ABEAM, sea.bela)
    for who, order in ((sea.anna, "A1 XFFFF; aim ask"), (sea.bela, "B1 XFFFF; aim ask")):
        await sea.seal(who, order)
    await sea.bot.services.concede_game(sea.bela.id, 1)
    await sea.settle()
    assert sea.rows("games")["games"][0]["phase"] == "running"
    asked = await sea.bot.services.orders.type_text(
        await sea.bot.services.reader.requests.pending_request(sea.anna.id, 1), "steady"
    )
    if asked.row.status == "open":
        await sea.bot.services.orders.seal_draft(asked, asked.row.version)
    await sea.settle()
    assert sea.rows("games")["games"][0]["phase"] == "over"
    assert changes(sea)[1].keys() == {sea.bela.id}


def remembered_keys(sea: Sea) -> Iterator[str]:
    return (row["key"] for row in sea.rows("kept_facts")["kept_facts"] if row["key"].startswith("forgotten."))


async def test_a_twin_who_is_forgotten_lifts_nobody_more_often(sea: Sea) -> None:
    await enough_of_a_week(sea)
    for _ in range(2):  # and once more, as somebody who has come back
        await sea.bot.services.privacy.forget_user(sea.bela.id)
        assert sea.anna.id not in await lost_by(sea, sea.bela, await begun(sea))
    # The same if the twin is forgotten in the middle of a game whose seat was handed on.
    eve, number = sea.member("eve"), await begun(sea)
    await sea.command(sea.bela, "host replace", game=f"{number}", whose="bela", substitute=eve)
    await sea.bot.services.privacy.forget_user(sea.bela.id)
    assert sea.anna.id not in await lost_by(sea, eve, number)
    assert str(sea.bela.id) not in json.dumps(sea.rows("kept_facts", "captains", "ratings"))
    # Others are met as ever, and after a week nothing is kept.
    assert len([*remembered_keys(sea)]) == 2
    await sea.env.advance_time(PAIR_WINDOW_S + 1)
    assert [*remembered_keys(sea)], "who only waits erases nothing"
    number = await begun(sea)
    assert (await sea.bot.services.reader.games.concession_terms(number, sea.bela.id)).points_lost > 0
    assert not [*remembered_keys(sea)]
    assert len(await lost_by(sea, sea.bela, number)) == 2


@pytest.mark.parametrize("drafts", [False, True])
async def test_who_was_put_in_a_seat_is_rated_only_if_they_give_orders(sea: Sea, drafts: bool) -> None:
    eve = sea.member("eve")
    await sea.begin_at(AFAR, sea.bela)
    await play(sea, 1, 1, sea.anna, sea.bela)
    await sea.bot.services.absence.offer_seats_of_departed(sea.bela.id, sea.guild.id)
    await sea.command(sea.manager(), "host replace", game="1", whose="bela", substitute=eve)
    await sea.command(eve, "extend", game="1")
    if drafts:
        await sea.write(eve, "B1 RRRRR")
        await sea.env.advance_time(3 * 86_400)
    assert (eve.id in await lost_by(sea, sea.anna, 1)) == drafts


@pytest.mark.parametrize(("system", "rated", "early"), [("matchbox", False, True), ("campaign", True, False)])
async def test_a_rematch_is_rated_and_goes_on_early_as_its_game_was_opened_even_against_computers(
    sea: Sea, system: str, rated: bool, early: bool
) -> None:
    await sea.command(sea.anna, "new", system=system, computer=1, rated=rated)
    await sea.command(sea.anna, "start")
    await lost_by(sea, sea.anna, 1)
    await sea.press(sea.anna, sea.dms(sea.anna)[-1], "rematch")
    games = sea.rows("games")["games"]
    assert [bool(row["rated"]) for row in games] == [False, rated]
    assert [bool(row["early"]) for row in games] == [True, early]
