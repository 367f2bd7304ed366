"""Captains who were put into a seat bound whose ratings may change, also when they have left it again."""

from __future__ import annotations

from typing import Any

import pytest

from bot.lifecycle.people.captains import captains_of
from bot.lifecycle.ratings.newcomers import GAMES_AS_NEWCOMER, is_newcomer
from bot.lifecycle.ratings.ratings import PlayerOutcome, player_endings
from bot.lifecycle.steps.playing import load_seated_game
from tests.attacks.test_abandoned_lobbies import begin_with_words
from tests.attacks.test_battles_of_a_season import anna_meets_bela, ring
from tests.attacks.test_giving_up import BESIDE
from tests.attacks.test_matches import concede
from tests.attacks.test_substitutes import give_back, rounds
from tests.attacks.test_ways_to_end import departs, thrown_away
from tests.bot.lifecycle.test_matches import begin_match
from tests.bot.lifecycle.test_rating_limits import FOUR, changes
from tests.bot.test_campaign import lying, pass_a_turn
from tests.sea import AFAR, Sea, refs


async def rises_and_falls(sea: Sea, *outcomes: PlayerOutcome) -> tuple[set[int], set[int]]:
    """Return the users whose ratings may rise, and those whose may fall, if the seats end so."""
    async with sea.bot.services.store.read() as tx:
        captains = await captains_of(tx, await load_seated_game(tx, 1))
        endings = player_endings(captains, dict(enumerate(outcomes)), rated=True)
    return (
        {ending.user_id for ending in endings if ending.may_rise and ending.outcome != "lost"},
        {ending.user_id for ending in endings if ending.may_fall},
    )


@pytest.mark.parametrize("way", ["lent", "emptied", "left the server", "lent and forgotten"])
async def test_who_leaves_a_seat_does_not_rise_by_what_a_friend_did_there(sea: Sea, way: str) -> None:
    await sea.begin_at(AFAR, sea.bela, missed="hold")
    await rounds(sea, sea.bela, 1)
    if way in ("lent", "lent and forgotten"):
        await sea.command(sea.anna, "host replace", game="1", whose="anna", substitute=sea.cili)
    elif way == "emptied":
        await sea.command(sea.anna, "host kick", game="1", whose="anna")
    else:
        await departs(sea, sea.anna)
    if way in ("emptied", "left the server"):
        await sea.command(sea.cili, "substitute", game="1")
    if way == "lent and forgotten":
        await sea.bot.services.privacy.forget_user(sea.anna.id)
    assert sea.rows("seats")["seats"][0]["user_id"] == sea.cili.id
    await sea.seal(sea.cili, "A1 RLRLR")
    await sea.seal(sea.bela, "B1 RLRLR")
    await departs(sea, sea.cili)
    await sea.command(sea.anna, "substitute", game="1")
    assert sea.rows("seats")["seats"][0]["user_id"] == sea.anna.id
    everybody = {sea.anna.id, sea.bela.id, sea.cili.id}
    assert await rises_and_falls(sea, "won", "lost") == (set(), {sea.bela.id})
    assert await rises_and_falls(sea, "lost", "won") == ({sea.bela.id}, {sea.anna.id, sea.cili.id})
    assert (await rises_and_falls(sea, "drawn", "drawn"))[1] == everybody


async def test_a_friend_in_the_own_seat_saves_nobody_from_a_draw(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela)
    await sea.command(sea.anna, "host replace", game="1", whose="anna", substitute=sea.cili)
    _, falling = await rises_and_falls(sea, "drawn", "drawn")
    assert falling == {sea.anna.id, sea.bela.id}


async def test_a_seat_lent_to_somebody_who_orders_nothing_changes_nothing(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela)
    await rounds(sea, sea.bela, 1)
    await sea.command(sea.anna, "host replace", game="1", whose="anna", substitute=sea.cili)
    await departs(sea, sea.cili)
    await sea.command(sea.anna, "substitute", game="1")
    assert await rises_and_falls(sea, "won", "lost") == ({sea.anna.id}, {sea.bela.id})


@pytest.mark.parametrize("comes_back", ["the friend", "the enemy", "a stranger"])
async def test_nobody_rises_by_what_a_friend_did_in_the_enemys_seat(sea: Sea, comes_back: str) -> None:
    dan = sea.member("dan")
    await sea.begin_at(AFAR, sea.bela, missed="hold")
    await rounds(sea, sea.bela, 1)
    await departs(sea, sea.bela)
    await sea.command(sea.anna, "host replace", game="1", whose="bela", substitute=sea.cili)
    await rounds(sea, sea.cili, 1)
    await give_back(sea, sea.cili)
    who: Any = {"the friend": sea.cili, "the enemy": sea.bela, "a stranger": dan}[comes_back]
    await sea.command(who, "substitute", game="1")
    assert sea.rows("seats")["seats"][1]["user_id"] == who.id
    rising, falling = await rises_and_falls(sea, "won", "lost")
    assert rising == set()
    assert falling == {sea.bela.id, sea.cili.id, who.id}, "the friend falls like any captain of a beaten side"


async def test_a_host_who_puts_an_absent_captain_back_loses_nothing_by_it(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela, missed="hold")
    await rounds(sea, sea.bela, 1)
    await departs(sea, sea.bela)
    await sea.command(sea.anna, "host kick", game="1", whose="bela")
    await sea.command(sea.anna, "host replace", game="1", whose="#2", substitute=sea.bela)
    assert sea.rows("seats")["seats"][1]["user_id"] == sea.bela.id
    assert await rises_and_falls(sea, "won", "lost") == ({sea.anna.id}, {sea.bela.id})


@pytest.mark.parametrize("filled", ["own seat", "enemy's seat"])
async def test_a_seat_given_away_costs_no_partner_and_spares_nobody(sea: Sea, filled: str) -> None:
    """A second account could otherwise save a main account on any side, and cost its own partner the victory."""
    dan = sea.member("dan")
    await sea.begin_at(FOUR, sea.bela, sea.cili, dan, captains="2")
    teams = {row["user_id"]: row["team"] for row in sea.rows("seats")["seats"]}
    (partner,) = (user_id for user_id, team in teams.items() if team == teams[sea.anna.id] and user_id != sea.anna.id)
    outcomes: list[PlayerOutcome] = [
        "won" if row["team"] == teams[sea.anna.id] else "lost" for row in sea.rows("seats")["seats"]
    ]
    if filled == "enemy's seat":
        assert teams[sea.bela.id] != teams[sea.anna.id]
        await departs(sea, sea.bela)
    whose = "anna" if filled == "own seat" else "bela"
    await sea.command(sea.anna, "host kick", game="1", whose=whose, to_computer=True)
    assert await rises_and_falls(sea, *outcomes) == ({partner}, {*teams} - {partner, sea.anna.id})


@pytest.mark.parametrize("winner", [0, 1])
async def test_an_absent_captain_of_a_season_falls_although_the_host_filled_the_seat(sea: Sea, winner: int) -> None:
    await sea.begin_at(ring(20, *BESIDE), sea.bela, sea.cili, system="campaign", map="ring", players="3", early=True)
    await departs(sea, sea.cili)
    await sea.command(sea.anna, "host kick", game="1", whose="cili", to_computer=True)
    outcomes: list[PlayerOutcome] = ["won" if seat == winner else "lost" for seat in range(3)]
    rising, falling = await rises_and_falls(sea, *outcomes)
    assert rising == ({sea.bela.id} if winner else set())
    assert falling == {sea.cili.id, sea.anna.id if winner else sea.bela.id}


async def test_nobody_falls_by_losing_to_a_side_that_left_its_seat_to_the_computer(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela)
    await sea.command(sea.anna, "host kick", game="1", whose="anna", to_computer=True)
    assert await rises_and_falls(sea, "won", "lost") == (set(), set())
    assert await rises_and_falls(sea, "lost", "won") == ({sea.bela.id}, {sea.anna.id})


async def test_a_host_who_does_not_play_saves_no_absent_captain(sea: Sea) -> None:
    host, dan = sea.member("hedda"), sea.member("dan")
    await sea.begin_at(AFAR, sea.bela)
    sea.change_rows("UPDATE games SET host_id = ?", host.id)
    await departs(sea, sea.bela)
    await sea.command(host, "host replace", game="1", whose="bela", substitute=dan)
    await rounds(sea, dan, 1)
    assert await rises_and_falls(sea, "won", "lost") == (set(), {sea.bela.id, dan.id})


@pytest.mark.parametrize("way", ["put back by the enemy's host", "put back by the partner"])
async def test_a_loser_who_is_put_back_into_the_own_seat_still_falls(sea: Sea, way: str) -> None:
    dan = sea.member("dan")
    await sea.begin_at(FOUR, sea.bela, sea.cili, dan, captains="2")
    rows = sea.rows("seats")["seats"]
    is_enemy = way == "put back by the enemy's host"
    annas_team = next(row["team"] for row in rows if row["user_id"] == sea.anna.id)
    loser = next(
        row for row in rows if (row["team"] != annas_team) == is_enemy and row["user_id"] not in (None, sea.anna.id)
    )
    sea.change_rows("UPDATE captains SET acted = 1 WHERE user_id = ?", loser["user_id"])
    (who,) = (who for who in (sea.bela, sea.cili, dan) if who.id == loser["user_id"])
    await departs(sea, who)
    await sea.command(sea.anna, "host kick", game="1", whose=who.name)
    await sea.command(sea.anna, "host replace", game="1", whose=f"#{loser['seat'] + 1}", substitute=who)
    assert sea.rows("seats")["seats"][loser["seat"]]["user_id"] == who.id
    outcomes: list[PlayerOutcome] = ["lost" if row["team"] == loser["team"] else "won" for row in rows]
    assert who.id in (await rises_and_falls(sea, *outcomes))[1]


async def test_somebody_put_into_a_seat_unasked_has_played_nothing(sea: Sea) -> None:
    """Two accounts could otherwise make any two captains frequent opponents, whose games change no ratings."""
    dan = sea.member("dan")
    for number in range(1, GAMES_AS_NEWCOMER + 1):
        await sea.begin_at(AFAR, dan, missed="hold")
        for _ in range(3):
            await sea.seal(sea.anna, f"#{number} A1 RLRLR")
            await sea.seal(dan, f"#{number} B1 RLRLR")
        await departs(sea, dan)
        await sea.command(sea.anna, "host replace", game=str(number), whose="dan", substitute=sea.bela)
        await sea.command(sea.anna, "host replace", game=str(number), whose="anna", substitute=sea.cili)
        await sea.concede(sea.cili, number)
    async with sea.bot.services.store.read() as tx:
        assert [await is_newcomer(tx, who.id, "matchbox") for who in (sea.bela, sea.cili)] == [True, True]
    number = GAMES_AS_NEWCOMER + 1
    await sea.begin_at(AFAR, sea.bela)
    for _ in range(3):
        await sea.seal(sea.anna, f"#{number} A1 RLRLR")
        await sea.seal(sea.bela, f"#{number} B1 RLRLR")
    await sea.command(sea.anna, "host replace", game=str(number), whose="anna", substitute=sea.cili)
    await sea.concede(sea.cili, number)
    assert changes(sea)[number][sea.bela.id] > 0, "Cili, whom they put there, is no opponent he has met often"


async def test_orders_sealed_before_leaving_the_server_take_no_count_back(sea: Sea) -> None:
    await begin_with_words(sea, missed="hold", rated=False)
    await sea.seal(sea.bela, "B1 RLRLR")
    await departs(sea, sea.bela)
    counted = {key: times for key, times in thrown_away(sea).items() if key[0] == "bela"}
    await sea.seal(sea.anna, "A1 RLRLR")
    assert sea.rows("games")["games"][-1]["step_no"] > 0
    assert counted
    assert {key: times for key, times in thrown_away(sea).items() if key[0] == "bela"} == counted


async def test_who_leaves_a_season_does_not_rise_by_the_battles_of_a_friend(sea: Sea) -> None:
    dan = sea.member("dan")
    await anna_meets_bela(sea)
    await sea.command(sea.anna, "host replace", game="1", whose="anna", substitute=dan)
    sea.change_rows("UPDATE captains SET acted = 1 WHERE game_id = 2 AND user_id = ?", dan.id)
    await departs(sea, dan)
    await sea.command(sea.anna, "substitute", game="1")
    assert sea.rows("seats")["seats"][0]["user_id"] == sea.anna.id
    rising, falling = await rises_and_falls(sea, "won", "lost", "lost")
    assert (rising, falling) == (set(), {sea.bela.id, sea.cili.id})
    assert (await rises_and_falls(sea, "lost", "won", "lost"))[1] == {sea.anna.id, sea.cili.id, dan.id}


@pytest.mark.parametrize("way", ["lent", "to the computer", "taken up after absence"])
async def test_nobody_rises_by_what_a_friend_did_in_the_seat_of_a_battle(sea: Sea, way: str) -> None:
    dan = sea.member("dan")
    await anna_meets_bela(sea)
    if way == "lent":
        await sea.command(sea.anna, "host replace", game="2", whose="anna", substitute=dan)
    elif way == "to the computer":
        await sea.command(sea.anna, "host kick", game="2", whose="anna", to_computer=True)
    else:
        sea.change_rows('UPDATE captains SET "left" = 1, to_step = 0 WHERE game_id = 2 AND user_id = ?', sea.anna.id)
        sea.change_rows(
            'INSERT INTO captains (game_id, seat, user_id, from_step, acted, "left") VALUES (2, 0, ?, 0, 1, 0)', dan.id
        )
        sea.change_rows("UPDATE seats SET user_id = ? WHERE game_id = 2 AND user_id = ?", dan.id, sea.anna.id)
    fighters = [row["user_id"] for row in sea.rows("seats")["seats"] if row["game_id"] == 2]
    assert sea.anna.id not in fighters
    assert sea.rows("seats")["seats"][0]["user_id"] == sea.anna.id
    assert await rises_and_falls(sea, "won", "lost", "lost") == (set(), {sea.bela.id, sea.cili.id})
    assert await rises_and_falls(sea, "lost", "won", "lost") == ({sea.bela.id}, {sea.anna.id, sea.cili.id})


@pytest.mark.parametrize("game", ["a battle", "the second of a match"])
async def test_a_captain_who_was_put_back_speaks_for_the_side_in_later_games_too(sea: Sea, game: str) -> None:
    fleets = (*lying("N1", "A1", "A2", "A3"), *lying("W2", "B1", "B2"), *lying("MEL", "C1"))
    if game == "a battle":
        await sea.begin_at(ring(3, *fleets), sea.bela, sea.cili, system="campaign", map="ring", players="3")
    else:
        await begin_match(sea)
    await departs(sea, sea.bela)
    await sea.command(sea.anna, "host kick", game="1", whose="bela")
    await sea.command(sea.anna, "host replace", game="1", whose="#2", substitute=sea.bela)
    assert sea.rows("seats")["seats"][1]["user_id"] == sea.bela.id
    if game == "a battle":
        await sea.seal(sea.anna, "A1 A2 A3: W2 attack")
        await sea.seal(sea.bela, "repair all")
        await sea.seal(sea.cili, "repair all")
        await pass_a_turn(sea)
    else:
        await concede(sea, sea.anna, 1)
    assert sea.rows("games")["games"][-1]["id"] == 2
    await sea.command(sea.bela, "concede", game="2")
    assert "concede" in refs(sea.answers[0])


async def test_somebody_put_into_an_enemys_seat_who_orders_nothing_stands_for_the_computer(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela, missed="mate")
    await rounds(sea, sea.bela, 1)
    await departs(sea, sea.bela)
    await sea.command(sea.anna, "host replace", game="1", whose="bela", substitute=sea.cili)
    assert await rises_and_falls(sea, "won", "lost") == (set(), {sea.bela.id})


@pytest.mark.parametrize("way", ["lent", "emptied", "left the server"])
async def test_a_second_account_that_fills_the_enemys_seat_and_leaves_its_own_wins_for_nobody(
    sea: Sea, way: str
) -> None:
    await sea.begin_at(AFAR, sea.bela, missed="mate")
    await rounds(sea, sea.bela, 1)
    if way == "lent":
        await sea.command(sea.anna, "host replace", game="1", whose="anna", substitute=sea.cili)
    elif way == "emptied":
        await sea.command(sea.anna, "host kick", game="1", whose="anna")
    else:
        await departs(sea, sea.anna)
    if way != "lent":
        await sea.command(sea.cili, "substitute", game="1")
    assert sea.rows("seats")["seats"][0]["user_id"] == sea.cili.id
    await departs(sea, sea.bela)
    await sea.command(sea.anna, "host kick", game="1", whose="bela", to_computer=True)
    await sea.seal(sea.cili, "A1 RLRLR")
    assert await rises_and_falls(sea, "won", "lost") == (set(), {sea.bela.id})
    assert (await rises_and_falls(sea, "lost", "won"))[1] == {sea.anna.id, sea.cili.id}


@pytest.mark.parametrize("filled", ["by somebody without orders", "by the computer"])
@pytest.mark.parametrize("game", ["the same", "the second of a match"])
async def test_who_was_away_gets_the_seat_back_that_the_enemys_host_filled(sea: Sea, filled: str, game: str) -> None:
    is_match = game == "the second of a match"
    await (begin_match(sea) if is_match else sea.begin_at(AFAR, sea.bela, missed="mate"))
    await departs(sea, sea.bela)
    if filled == "by the computer":
        await sea.command(sea.anna, "host kick", game="1", whose="bela", to_computer=True)
    else:
        await sea.command(sea.anna, "host replace", game="1", whose="bela", substitute=sea.cili)
    number = 2 if is_match else 1
    if is_match:
        await concede(sea, sea.anna, 1)
    seats = [row for row in sea.rows("seats")["seats"] if row["game_id"] == number]
    assert sea.bela.id not in [row["user_id"] for row in seats]
    await sea.command(sea.bela, "substitute", game=str(number))
    seats = [row for row in sea.rows("seats")["seats"] if row["game_id"] == number]
    assert sorted(row["user_id"] for row in seats) == sorted([sea.anna.id, sea.bela.id])
    assert not any(row["computer"] for row in seats)


@pytest.mark.parametrize("orders", [False, True])
@pytest.mark.parametrize("private", [False, True])
async def test_who_was_away_gets_the_seat_back_from_a_planted_captain_without_orders(
    sea: Sea, private: bool, orders: bool
) -> None:
    await sea.begin_at(AFAR, sea.bela, missed="mate")
    sea.change_rows("UPDATE games SET private = ?", private)
    await rounds(sea, sea.bela, 1)
    await departs(sea, sea.bela)
    await sea.command(sea.anna, "host replace", game="1", whose="bela", substitute=sea.cili)
    if orders:
        await rounds(sea, sea.cili, 1)
    await sea.command(sea.member("dan"), "substitute", game="1")
    assert sea.rows("seats")["seats"][1]["user_id"] == sea.cili.id
    await sea.command(sea.bela, "substitute", game="1")
    assert sea.rows("seats")["seats"][1]["user_id"] == (sea.cili.id if orders else sea.bela.id)


async def test_a_captain_whom_the_enemys_host_puts_back_still_speaks_for_the_side(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela, missed="hold")
    await departs(sea, sea.bela)
    await sea.command(sea.anna, "host kick", game="1", whose="bela")
    await sea.command(sea.anna, "host replace", game="1", whose="#2", substitute=sea.bela)
    await sea.command(sea.bela, "concede", game="1")
    assert "concede" in refs(sea.answers[0])


async def test_orders_from_before_leaving_take_no_count_back_when_the_captain_is_put_back(sea: Sea) -> None:
    await begin_with_words(sea, missed="hold", rated=False)
    await sea.seal(sea.bela, "B1 RLRLR")
    await departs(sea, sea.bela)
    await sea.command(sea.anna, "host kick", game="1", whose="bela")
    await sea.command(sea.anna, "host replace", game="1", whose="#2", substitute=sea.bela)
    counted = {key: times for key, times in thrown_away(sea).items() if key[0] == "bela"}
    await sea.seal(sea.anna, "A1 RLRLR")
    assert sea.rows("games")["games"][-1]["step_no"] > 0
    assert {key: times for key, times in thrown_away(sea).items() if key[0] == "bela"} == counted != {}
