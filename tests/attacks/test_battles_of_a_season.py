"""A season and its battles: nobody ends a turn alone, plays for the enemy, or begins a battle that is over already."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bot.cli.shell import prove_record
from bot.discord.ids import CustomId
from bot.errors import Refusal
from bot.lifecycle.steps.playing import load_seated_game
from bot.record.export import encode_export
from bot.services.repair import Caller
from bot.store.models.records import Player
from rules.core.replay import battle_seed
from tests.bot.test_campaign import DAY, MEETING, gulf, lying, pass_a_turn, position
from tests.fuzz.forger import Forger
from tests.sea import Sea, refs, text_of


async def test_nobody_ends_a_turn_alone_whose_captains_have_all_sealed_and_wait_for_a_battle(sea: Sea) -> None:
    """They may learn from it and order otherwise until the hour comes."""
    await sea.begin_at(gulf(3, *MEETING), sea.bela, system="campaign", map="gulf", early=True)
    await sea.seal(sea.anna, "A1 A2 A3: EGU attack")
    await sea.seal(sea.bela, "repair all")
    await sea.seal(sea.anna, "repair all")
    await sea.seal(sea.bela, "repair all")
    assert position(sea)["turn"] == 4
    await sea.command(sea.anna, "host resolve", game="1")
    assert position(sea)["turn"] == 4
    assert [act["kind"] for act in sea.rows("acts")["acts"]][-1] == "resolve_asked"


async def test_nobody_ends_a_turn_alone_while_all_that_another_captain_has_is_in_a_battle(sea: Sea) -> None:
    """A captain without a free galley, a port or talents is asked like any other; nobody else ends their turn."""
    fleets = [*lying("WGU", "A1", "A2", "A3"), *lying("PIR", "A4"), *lying("EGU", "B1", "B2")]
    ports, talents = {"A": "PIR SAL EPI"}, {"A": 2, "B": 0}
    poor = {"map": "gulf", "captains": "AB", "turn": 3, "ports": ports, "talents": talents, "galleys": fleets}
    await sea.begin_at(json.dumps(poor), sea.bela, system="campaign", map="gulf")
    await sea.seal(sea.anna, "A1 A2 A3: EGU attack")
    await sea.seal(sea.bela, "B1 B2: hold")
    await pass_a_turn(sea)
    assert [game["system"] for game in sea.rows("games")["games"]] == ["campaign", "matchbox"]
    assert [row["status"] for row in sea.rows("requests")["requests"] if row["id"] == "t4.orders.B"] == ["open"]
    await sea.command(sea.anna, "host resolve", game="1")
    assert position(sea)["turn"] == 4
    above = next(one for one in sea.channel.threads if one.name.startswith("#1 "))
    (asked,) = (one for one in above.history() if "agree_act" in str([*refs(one)]))
    await sea.press(sea.bela, asked, next(key for key in refs(asked) if "agree_act" in key))
    assert position(sea)["turn"] == 5


def ring(turn: int, *galleys: Any) -> str:
    ports = {"A": "PAR V1", "B": "IOS V2", "C": "MEL V3"}
    return json.dumps({"map": "ring", "captains": "ABC", "turn": turn, "ports": ports, "galleys": galleys})


async def anna_meets_bela(sea: Sea) -> None:
    """Begin a battle of Anna and Béla; Cili is the enemy of both."""
    fleets = (*lying("N1", "A1", "A2", "A3"), *lying("W2", "B1", "B2"), *lying("MEL", "C1"))
    await sea.begin_at(ring(3, *fleets), sea.bela, sea.cili, system="campaign", map="ring", players="3")
    await sea.seal(sea.anna, "A1 A2 A3: W2 attack")
    await sea.seal(sea.bela, "repair all")
    await sea.seal(sea.cili, "repair all")
    await pass_a_turn(sea)
    assert [game["system"] for game in sea.rows("games")["games"]] == ["campaign", "matchbox"], sea.told()


async def test_the_enemy_of_both_takes_no_seat_in_their_battle(sea: Sea) -> None:
    """As a substitute they could throw it, or play both fleets against each other."""
    await anna_meets_bela(sea)
    # Béla's seat there is another captain's, so that it can be offered.
    sea.change_rows("UPDATE seats SET offered_at = 1, user_id = 7 WHERE game_id = 2 AND user_id = ?", sea.bela.id)
    assert "a captain of another side" in await sea.command(sea.cili, "substitute", game="2")
    assert sea.cili.id not in [seat["user_id"] for seat in sea.rows("seats")["seats"] if seat["game_id"] == 2]


async def test_a_forgotten_captain_of_a_battle_that_is_over_is_recognized_while_the_season_runs(
    sea: Sea,
) -> None:
    await anna_meets_bela(sea)
    eve, dora = sea.member("eve"), sea.manager()
    await sea.command(dora, "host replace", game="2", whose="bela", substitute=eve)
    await sea.concede(sea.anna, 2)
    battle = sea.rows("games")["games"][1]
    assert battle["phase"] == "over"
    await sea.bot.services.privacy.forget_user(eve.id)
    await sea.settle()
    assert min(row["user_id"] for row in sea.rows("captains")["captains"]) < 0
    sea.change_rows("UPDATE seats SET offered_at = 1 WHERE game_id = 1 AND user_id = ?", sea.anna.id)
    assert "a captain of another side" in await sea.command(eve, "substitute", game="1")
    for who in (sea.anna, sea.bela):
        await sea.concede(who, 1)
    assert sea.rows("games")["games"][0]["phase"] == "over"
    assert min(row["user_id"] for row in sea.rows("captains")["captains"]) >= 0


async def test_a_day_away_costs_nobody_their_fleet_in_a_battle(sea: Sea) -> None:
    """Its rounds take half a day: a captain who looks in once a day lost the fleet to a friend of the enemy."""
    await anna_meets_bela(sea)
    for _ in range(3):
        await pass_a_turn(sea, DAY // 2)
    seats = [row for row in sea.rows("seats")["seats"] if row["game_id"] == 2]
    assert max(row["missed"] for row in seats) >= 2
    assert not any(row["offered_at"] for row in seats)
    # An earlier version has offered it, or a referee takes it away: a stranger gets no fleet of the season by either.
    sea.change_rows("UPDATE seats SET offered_at = 1 WHERE game_id = 2 AND user_id = ?", sea.bela.id)
    eve = sea.member("eve")
    assert "isn't free" in await sea.command(eve, "substitute", game="2")
    assert "of game #1" in await sea.command(sea.manager(), "host kick", game="2", whose="bela")
    holders = [row["user_id"] for row in sea.rows("seats")["seats"] if row["game_id"] == 2]
    assert holders == [sea.anna.id, sea.bela.id]


async def test_the_enemy_of_both_puts_nobody_in_a_seat_of_their_battle(sea: Sea) -> None:
    """As host they may give an absent captain's seat away: a friend of theirs could throw the battle for either."""
    await anna_meets_bela(sea)
    eve, by = sea.member("eve"), Caller(user_id=sea.cili.id)
    sea.change_rows("UPDATE games SET host_id = ?", sea.cili.id)
    sea.change_rows("UPDATE seats SET offered_at = 1 WHERE game_id = 2 AND user_id = ?", sea.bela.id)
    seat = next(row["seat"] for row in sea.rows("seats")["seats"] if row["game_id"] == 2 and row["offered_at"])
    friend = Player(user_id=eve.id, name="eve", locale="en")
    with pytest.raises(Refusal, match="beside_battle"):
        await sea.bot.services.repair.replace_captain(by, 2, seat, friend)
    with pytest.raises(Refusal, match="beside_battle"):
        await sea.bot.services.repair.kick_captain(by, 2, seat, computer=True)
    await sea.bot.services.repair.replace_captain(
        Caller(user_id=sea.manager().id, managed_guild_id=sea.guild.id), 2, seat, friend
    )
    assert eve.id in [row["user_id"] for row in sea.rows("seats")["seats"] if row["game_id"] == 2]


async def test_a_season_that_waits_for_a_battle_that_stands_still_says_so_and_does_not_look_all_the_time(
    sea: Sea,
) -> None:
    await anna_meets_bela(sea)
    await sea.bot.services.step_runner.stop_stuck_game(2)
    await sea.settle()
    above = next(one for one in sea.channel.threads if one.name.startswith("#1 "))
    assert "Battle #2 can't continue" in "\n".join(map(text_of, above.history()))
    sea.faults.clear()
    for _ in range(4):
        await pass_a_turn(sea)
    (season, battle) = sea.rows("games")["games"]
    assert (season["phase"], battle["paused_at"] is not None) == ("running", True)
    assert season["deadline"] < sea.bot.services.now(), "it waits for the battle"
    look = await sea.bot.services.step_runner.find_due_work()
    assert not look.is_due
    assert look.agenda.next_deadline is None
    await sea.command(sea.manager(), "host end", game="2")
    await sea.settle()
    (season, battle) = sea.rows("games")["games"]
    assert battle["phase"] == "over"
    assert season["deadline"] > sea.bot.services.now(), "it goes on"


async def test_a_battle_has_no_rematch(sea: Sea) -> None:
    await anna_meets_bela(sea)
    await sea.concede(sea.bela, 2)
    shown = [
        ref
        for who in (sea.anna, sea.bela)
        for message in sea.dms(who)
        for ref in refs(message).values()
        if (ref.verb, ref.game) == ("rematch", 2)
    ]
    assert not shown
    await Forger(sea, sea.anna).press(CustomId(verb="rematch", game=2).pack())
    assert len(sea.rows("games")["games"]) == 2


async def test_a_battle_is_not_fought_again_when_a_giving_up_beside_it_is_taken_back(sea: Sea) -> None:
    await anna_meets_bela(sea)
    await sea.concede(sea.cili, 1)
    await sea.concede(sea.bela, 2)
    await sea.command(sea.manager(), "host undo", game="1")
    await sea.settle()
    _, *fought = sea.rows("games")["games"]
    assert [(game["id"], game["phase"], game["parent_request"]) for game in fought] == [(2, "over", "battle.B1")]
    for loser in (sea.bela, sea.cili):
        await sea.concede(loser, 1)
    season, battle = [encode_export(await sea.bot.services.archive.export_finished(number)) for number in (1, 2)]
    assert prove_record(season, battles=[battle])[0]


@pytest.mark.proves("F2")
@pytest.mark.parametrize("is_taken_up", [False, True])
async def test_nobody_chooses_the_dice_of_a_battle_by_conceding(sea: Sea, is_taken_up: bool) -> None:
    """Anna knew the seed, and had eleven battles to choose from: each concession gave the next one other dice."""
    fleets = (*lying("N1", "A1", "A2", "A3"), *lying("W2", "B1", "B2"), *lying("MEL", "C1"))
    await sea.begin_at(ring(3, *fleets), sea.bela, sea.cili, words=True, system="campaign", map="ring", players="3")
    async with sea.bot.services.store.read() as tx:
        seed = (await load_seated_game(tx, 1)).dice_seed
    for _ in range(3):
        await sea.concede(sea.anna, 1)
        await sea.command(sea.anna, "host undo", game="1")
        await sea.settle()
    assert not any(seat["conceded"] for seat in sea.rows("seats")["seats"])
    await sea.seal(sea.anna, "A1 A2 A3: W2 attack")
    await sea.seal(sea.bela, "repair all")
    third = sea.cili
    if is_taken_up:  # a second account, and a friend that a manager seats
        await sea.concede(sea.cili, 1)
        third = sea.member("dan")
        await sea.command(sea.manager(), "host replace", game="1", whose="cili", substitute=third)
    await sea.seal(third, "repair all")
    await pass_a_turn(sea)
    (battle,) = [game for game in sea.rows("games")["games"] if game["parent_id"] == 1]
    assert battle["seed"] == battle_seed(seed, battle["parent_request"], 0), "no turn was over before"
