"""A twin account makes nobody first: what must be played for a game to count, and how often by the same captains."""

from __future__ import annotations

from typing import Any

import pytest

from bot.lifecycle.people.rounds import MIN_ROUNDS
from bot.lifecycle.ratings import limits
from bot.lifecycle.ratings.limits import MAX_GAMES_PER_PAIR, PAIR_WINDOW_S
from bot.lifecycle.ratings.ratings import Skill
from bot.lifecycle.steps.undo import recently_conceded_seats
from bot.store.models.records import RequestsAnswered, StepCause
from bot.texts.i18n import Catalogue
from rules.core.protocol import Concede, TakeUp
from rules.core.replay import UndoAction
from tests.sea import AFAR, Sea

DOOMED = "900x600 ; A1:south 5-5+3/5 @450,150^0 ; B1:north 1-1+1/4 @450,300^90"
"""A galley with one oar a side, abeam of another's beak."""
EN = Catalogue.load("en")
BRIEF, OFTEN = EN.say("act.unrated_brief"), EN.say("act.unrated_often")


def changes(sea: Sea) -> dict[int, dict[int, int]]:
    found: dict[int, dict[int, int]] = {}
    for row in sea.rows("ratings")["ratings"]:
        if row["counted"]:
            found.setdefault(row["game_id"], {})[row["user_id"]] = (
                Skill(row["mu"], row["sigma"]).displayed_rating - 1000
            )
    return found


async def play(sea: Sea, game: int, rounds: int, *who: Any) -> None:
    for number in range(1, rounds + 1):
        for seat, captain in enumerate((sea.anna, sea.bela)):
            if captain in who:
                asked = await sea.bot.services.reader.requests.pending_request(captain.id, game)
                assert asked.row.body.round == number
                text = f"{'AB'[seat]}1 {'LR'[number % 2] * 5}"
                asked = await sea.bot.services.orders.type_text(asked, text)
                await sea.bot.services.orders.seal_draft(asked, asked.row.version)
        if len(who) == 1:
            await sea.env.advance_time(86_401)
        await sea.settle()


async def test_games_in_which_nothing_was_done_make_nobody_first(sea: Sea) -> None:
    for number in range(1, 4):
        await sea.command(sea.anna, "new", galleys="1")
        await sea.command(sea.bela, "join", game=f"{number}")
        await sea.command(sea.anna, "start", game=f"{number}")
        await sea.bot.services.concede_game(sea.bela.id, number)
        await sea.settle()
        assert BRIEF in sea.told()
    assert not changes(sea)
    assert "No rated game" in await sea.command(sea.anna, "ladder")


async def test_who_gives_up_early_gives_nothing_away_and_saves_nothing(sea: Sea) -> None:
    """One round too few, for both; then as many as it takes; then only for the one who wins by it."""
    for number, rounds in enumerate((MIN_ROUNDS - 1, MIN_ROUNDS), start=1):
        await sea.begin_at(AFAR, sea.bela)
        await play(sea, number, rounds, sea.anna, sea.bela)
        await sea.bot.services.concede_game(sea.bela.id, number)
        await sea.settle()
        assert (BRIEF in sea.told()) == (rounds < MIN_ROUNDS)
    found = changes(sea)
    assert [*found[1]] == [sea.bela.id]
    assert found[1][sea.bela.id] < 0
    assert found[2].keys() == {sea.anna.id, sea.bela.id}
    assert found[2][sea.anna.id] > 0
    assert BRIEF in await sea.command(sea.manager(), "host log", game="1")


async def test_a_game_that_the_rules_end_sooner_counts_for_all_who_have_played_it_out(sea: Sea) -> None:
    await sea.begin_at(DOOMED, sea.bela)
    for who, text in ((sea.anna, "A1 FFFFF"), (sea.bela, "B1 XF")):
        asked = await sea.bot.services.orders.type_text(
            await sea.bot.services.reader.requests.pending_request(who.id, 1), text
        )
        await sea.bot.services.orders.seal_draft(asked, asked.row.version)
    await sea.settle()
    (game,) = sea.rows("games")["games"]
    assert game["phase"] == "over"
    assert game["step_no"] < MIN_ROUNDS
    assert BRIEF not in sea.told()
    found = changes(sea)[1]
    assert found[sea.bela.id] < 0 < found[sea.anna.id]


@pytest.mark.begun
async def test_who_lets_the_first_mate_play_gives_nothing_away_and_loses_all_the_same(sea: Sea) -> None:
    """The first mate's orders are not the captain's doing; waiting for their result is."""
    await play(sea, 1, MIN_ROUNDS, sea.anna)
    await sea.bot.services.concede_game(sea.bela.id, 1)
    await sea.settle()
    found = changes(sea)[1]
    assert found.keys() == {sea.bela.id}
    assert found[sea.bela.id] < 0
    assert BRIEF in sea.told()


async def test_of_a_weeks_games_against_one_captain_only_some_count(sea: Sea, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MIN_ROUNDS", 1)

    async def one_more() -> dict[int, int]:
        await sea.begin_at(AFAR, sea.bela)
        number = int(sea.rows("games")["games"][-1]["id"])
        await play(sea, number, 1, sea.anna, sea.bela)
        await sea.bot.services.concede_game(sea.bela.id, number)
        await sea.settle()
        return changes(sea).get(number, {})

    for _ in range(MAX_GAMES_PER_PAIR):
        assert len(await one_more()) == 2
        assert OFTEN not in sea.told()
    assert not await one_more()
    assert OFTEN in sea.told()
    # A week later they count again.
    sea.change_rows("UPDATE ratings SET rated_at = rated_at - ?", PAIR_WINDOW_S + 1)
    assert len(await one_more()) == 2


FOUR = (
    "1800x600 ; A1:south 5-5+3/5 @300,80^0 ; B1:north 5-5+3/5 @300,520^180 ; "
    "C1:south 5-5+3/5 @1500,80^0 ; D1:north 5-5+3/5 @1500,520^180"
)


# Nobody rises by beating the same twins again and again, each time with another ally.
async def test_of_a_weeks_games_against_the_same_twins_only_some_count(
    sea: Sea, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MIN_ROUNDS", 1)
    lifted = 0
    for number in range(1, MAX_GAMES_PER_PAIR + 2):
        ally = sea.member(f"helper{number}")
        await sea.begin_at(FOUR, sea.bela, ally, sea.cili, captains="2", galleys="1")
        seats = [row["user_id"] for row in sea.rows("seats")["seats"] if row["game_id"] == number]
        for seat, user_id in enumerate(seats):
            asked = await sea.bot.services.reader.requests.pending_request(user_id, number)
            asked = await sea.bot.services.orders.type_text(asked, f"{'ABCD'[seat]}1 RRRRR")
            await sea.bot.services.orders.seal_draft(asked, asked.row.version)
        await sea.settle()
        for seat in (1, 3):
            await sea.bot.services.concede_game(seats[seat], number)
            await sea.settle()
        changed = changes(sea)[number]
        lifted += changed.get(sea.anna.id, 0) > 0
        assert changed[ally.id] > 0, "who has not met them before rises"
    assert lifted == MAX_GAMES_PER_PAIR


def test_who_gave_up_in_an_earlier_round_left_it_to_their_ally_how_it_ends():
    """In seat 1 somebody gives up; then the ally plays on, or the round in hand is played to its end."""
    rounds = {"place": 0, "r1": 1, "r1.aim": 1, "r1.part": 1, "r2": 2, "r2~5": 2}

    def late(*causes: str | int | StepCause) -> set[int]:
        given = [
            RequestsAnswered(requests=(one,))
            if isinstance(one, str)
            else Concede(seat=one)
            if isinstance(one, int)
            else one
            for one in causes
        ]
        return recently_conceded_seats([*enumerate(given)], rounds)

    assert late("place", "r1", 1, "r1.aim", "r1.part") == {1}
    assert late("place", "r1", 1, "r1.aim", "r2") == set()
    assert late("place", 1, "r1") == set()
    assert late("r1", 1, "r2", 3) == {3}
    assert late("r1", 1, TakeUp(seat=1), "r1.aim") == set()
    # Going back takes back giving up, and the round that came after it.
    assert late("r1", 1, UndoAction(to=0), "r1.aim") == set()
    assert late("r1", 1, "r2~5", UndoAction(to=1), "r1.aim") == {1}


RIGGED = """
id = "rigged"
table = [60, 40]
turn_limit = 1
edge = "wall"
[[sides]]
name = "West"
nation = "greek"
ships = ["W1 Q 14 20 90", "W2 Q 26 20 270", "W3 Q 14 16 60", "W4 Q 26 16 300", "W5 Q 14 24 120", "W6 Q 26 24 240"]
[[sides]]
name = "East"
nation = "persian"
ships = ["E1 B 20 20 0"]
"""


# A host's own scenario of one turn, which they cannot lose, is not rated.
async def test_a_game_of_ones_own_making_lifts_nobody(sea: Sea) -> None:
    await sea.command(sea.anna, "new", system="ramspeed")
    await sea.bot.services.lobbies.set_scenario(sea.anna.id, 1, RIGGED)
    await sea.settle()
    await sea.choose(sea.anna, "sides", "first")
    await sea.command(sea.bela, "join")
    await sea.command(sea.anna, "start")
    for who, text in ((sea.anna, "\n".join(f"W{n}: ram E1" for n in range(1, 7))), (sea.bela, "all: stay")):
        asked = await sea.bot.services.reader.requests.pending_request(who.id, 1)
        asked = await sea.bot.services.orders.type_text(asked, text)
        await sea.bot.services.orders.seal_draft(asked, asked.row.version)
    await sea.settle()
    game = sea.rows("games")["games"][0]
    assert game["phase"] == "over"
    found = changes(sea).get(1, {})
    assert found.get(sea.anna.id, 0) <= 0, found


TYPED = {"fleet": "stock", "place": "line", "orders": "pass"}


# Building and placing a fleet does not count as a round of play.
async def test_setting_up_is_no_round_of_fighting(sea: Sea) -> None:
    await sea.begin(sea.bela, system="squadrons", battle="60", sides="first", fleet="points", deploy="placed")
    met = set()
    while True:
        rows = [row for row in sea.rows("requests")["requests"] if row["status"] == "open"]
        asked = [
            await sea.bot.services.reader.requests.pending_request((sea.anna, sea.bela)[row["seat"]].id, 1, row["id"])
            for row in rows
        ]
        if asked[0].row.body.round == MIN_ROUNDS:
            break
        for one in asked:
            met.add(one.row.body.kind)
            typed = await sea.bot.services.orders.type_text(one, TYPED[one.row.body.kind])
            if typed.row.status == "open":
                await sea.bot.services.orders.seal_draft(typed, typed.row.version)
        await sea.settle()
    assert met == set(TYPED)
    await sea.bot.services.concede_game(sea.bela.id, 1)
    await sea.settle()
    assert BRIEF in sea.told(), "a game of two turns has lifted somebody"
