"""Nobody escapes from a match, or gains by it, through what was done in its first game."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest

from bot.lifecycle.people.pseudonyms import pseudonym
from bot.lifecycle.people.rounds import MIN_ROUNDS
from bot.lifecycle.ratings import limits
from bot.texts.i18n import Catalogue
from rules.core.errors import OrderError
from tests.bot.lifecycle.test_matches import begin_match, captains_of, games
from tests.bot.lifecycle.test_rating_limits import BRIEF, changes
from tests.sea import AFAR, Sea

EN, HU = Catalogue.load("en"), Catalogue.load("hu")


async def play_rounds(sea: Sea, game: int, rounds: int, *who: Any) -> None:
    """Let captains order for some rounds; the deadline passes if one of two is missing."""
    for _ in range(rounds):
        for captain in who:
            request = await sea.bot.services.reader.requests.pending_request(captain.id, game)
            letter = "AB"[captains_of(sea, game).index(captain.id)]
            for orders in ("RRXRR", "RRXR", "RRX", "RX", "R"):  # as many as the oars of a galley that was hit allow
                with contextlib.suppress(OrderError):
                    typed = await sea.bot.services.orders.type_text(request, f"{letter}1 {orders}")
                    break
            await sea.bot.services.orders.seal_draft(typed, typed.row.version)
        if len(who) == 1:
            await pass_deadline(sea, game)
        await sea.settle()


async def pass_deadline(sea: Sea, game: int) -> None:
    (deadline,) = [row["deadline"] for row in games(sea) if row["id"] == game]
    await sea.env.advance_time(deadline - sea.bot.services.now() + 5)


async def concede(sea: Sea, who: Any, game: int) -> None:
    await sea.bot.services.concede_game(who.id, game)
    await sea.settle()


def give_points(sea: Sea, annas: float, belas: float) -> None:
    """Give the points of the first game, as a scenario would."""
    sea.change_rows("UPDATE games SET points = ? WHERE id = 1", f"[{annas}, {belas}]")


async def leave_seat(sea: Sea, absent: Any, *, present: Any, game: int = 1) -> None:
    """Let a captain miss two deadlines, so that the seat is offered."""
    await play_rounds(sea, game, 2, present)
    assert absent.id in captains_of(sea, game)


async def begin_planted_match(sea: Sea) -> None:
    """Let the host, Anna, put her friend Cili into Bela's seat of the first game, and end that with 2 : 1 for Anna."""
    await begin_match(sea)
    await play_rounds(sea, 1, MIN_ROUNDS, sea.anna, sea.bela)
    await leave_seat(sea, sea.bela, present=sea.anna)
    await sea.command(sea.anna, "host replace", game="1", whose="bela", substitute=sea.cili)
    await play_rounds(sea, 1, MIN_ROUNDS, sea.anna, sea.cili)
    await concede(sea, sea.anna, 1)
    give_points(sea, 2, 1)
    assert captains_of(sea, 2) == [sea.cili.id, sea.anna.id]


async def test_who_loses_the_first_game_saves_no_rating_by_giving_up_the_second_at_once(sea: Sea) -> None:
    await begin_match(sea)
    await play_rounds(sea, 1, MIN_ROUNDS, sea.anna, sea.bela)
    await concede(sea, sea.bela, 1)
    await concede(sea, sea.bela, 2)
    assert BRIEF not in sea.told()
    assert changes(sea)[2][sea.bela.id] < 0 < changes(sea)[2][sea.anna.id]


async def test_a_match_of_two_games_given_up_at_once_makes_nobody_rise(sea: Sea) -> None:
    await begin_match(sea)
    await play_rounds(sea, 1, 1, sea.anna, sea.bela)
    await concede(sea, sea.bela, 1)
    await play_rounds(sea, 2, MIN_ROUNDS - 2, sea.anna, sea.bela)
    await concede(sea, sea.bela, 2)
    assert BRIEF in sea.told()
    assert changes(sea)[2].keys() == {sea.bela.id}


async def test_a_second_account_in_a_losers_seat_of_the_first_game_saves_nothing(sea: Sea) -> None:
    await begin_match(sea)
    await play_rounds(sea, 1, MIN_ROUNDS, sea.anna, sea.bela)
    await leave_seat(sea, sea.anna, present=sea.bela)
    await sea.command(sea.cili, "substitute", game="1")
    await play_rounds(sea, 1, MIN_ROUNDS, sea.cili, sea.bela)
    await concede(sea, sea.cili, 1)
    await concede(sea, sea.cili, 2)
    change = changes(sea)[2]
    assert change[sea.anna.id] < 0
    assert change[sea.cili.id] < 0 < change[sea.bela.id]


async def test_who_leaves_the_own_seat_of_the_first_game_to_the_computer_can_only_fall(sea: Sea) -> None:
    await begin_match(sea)
    await play_rounds(sea, 1, MIN_ROUNDS, sea.anna, sea.bela)
    await sea.command(sea.anna, "host kick", game="1", whose="anna", to_computer=True)
    await concede(sea, sea.bela, 1)
    give_points(sea, 0, 2)
    await sea.settle()
    assert games(sea)[1]["rated"]
    assert captains_of(sea, 2) == [sea.bela.id, None]
    # People play this match, so a manager can't end it as one against the computer.
    assert EN.say("refuse.not_idle")[:30] in await sea.command(sea.manager(), "host end", game="2")
    await concede(sea, sea.bela, 2)
    assert changes(sea)[2][sea.anna.id] < 0 < changes(sea)[2][sea.bela.id]


async def test_nobody_falls_who_loses_to_the_computer_that_an_enemy_chose_in_the_first_game(sea: Sea) -> None:
    await begin_match(sea)
    await play_rounds(sea, 1, MIN_ROUNDS, sea.anna, sea.bela)
    await sea.command(sea.anna, "host kick", game="1", whose="anna", to_computer=True)
    await concede(sea, sea.bela, 1)
    await concede(sea, sea.bela, 2)
    assert not changes(sea)


async def test_a_friend_whom_the_enemy_seated_in_the_first_game_never_speaks_in_the_second(sea: Sea) -> None:
    await begin_planted_match(sea)
    await play_rounds(sea, 2, MIN_ROUNDS, sea.anna, sea.cili)
    for sea.languages[sea.cili.id], texts in (("hu", HU), ("en-US", EN)):
        assert texts.say("say.give_back_sure") in await sea.command(sea.cili, "concede", game="2")
        assert texts.say("refuse.no_say") in await sea.command(sea.cili, "draw", game="2")
    await concede(sea, sea.anna, 2)  # Anna wins the match by 2 : 1
    assert sea.anna.id not in changes(sea).get(2, {}), "a captain who seated a friend doesn't rise"


async def test_a_substitutes_rounds_in_the_first_game_count_towards_a_voice_in_the_second(sea: Sea) -> None:
    await begin_match(sea)
    await play_rounds(sea, 1, MIN_ROUNDS, sea.anna, sea.bela)
    await leave_seat(sea, sea.bela, present=sea.anna)
    await sea.command(sea.cili, "substitute", game="1")
    await play_rounds(sea, 1, MIN_ROUNDS - 1, sea.anna, sea.cili)
    await concede(sea, sea.anna, 1)
    no_say_yet = EN.say("refuse.no_say_yet", rounds=MIN_ROUNDS)
    assert no_say_yet in await sea.command(sea.cili, "draw", game="2")
    await play_rounds(sea, 2, 1, sea.anna, sea.cili)
    assert no_say_yet not in await sea.command(sea.cili, "draw", game="2")


async def end_first_game(sea: Sea, loser: Any, forgotten: Any, moment: str) -> None:
    """Let somebody give up the first game, while or after which a former captain of it is forgotten."""
    if moment == "first":
        await sea.bot.services.privacy.forget_user(forgotten.id)
    await concede(sea, loser, 1)
    if moment == "second":
        await sea.bot.services.privacy.forget_user(forgotten.id)
    await sea.settle()


MOMENTS = ["never", "first", "second"]  # games of the match in which a former captain is forgotten


@pytest.mark.parametrize("moment", MOMENTS)
async def test_a_manager_who_played_the_first_game_is_no_referee_of_the_second(sea: Sea, moment: str) -> None:
    dora = sea.manager()
    await sea.command(dora, "new", phase="2h")
    await sea.bot.services.lobbies.choose_match(dora.id, 1, is_match=True)
    await sea.command(sea.bela, "join")
    await sea.command(dora, "start")
    await sea.command(dora, "host replace", game="1", whose="dora", substitute=sea.cili)
    await end_first_game(sea, sea.bela, dora, moment)
    absent = EN.say("refuse.not_absent", name="bela")
    assert absent in await sea.command(dora, "host kick", game="2", whose="bela")
    assert sea.bela.id in captains_of(sea, 2)


@pytest.mark.parametrize("moment", MOMENTS)
async def test_a_captain_of_the_first_game_takes_no_seat_of_the_enemy_in_the_second(sea: Sea, moment: str) -> None:
    await begin_match(sea)
    sea.change_rows("UPDATE seats SET offered_at = 1 WHERE user_id = ?", sea.bela.id)
    await sea.command(sea.cili, "substitute", game="1")
    await end_first_game(sea, sea.anna, sea.bela, moment)
    sea.change_rows("UPDATE seats SET offered_at = 1 WHERE game_id = 2 AND user_id = ?", sea.anna.id)
    assert EN.say("refuse.turncoat") in await sea.command(sea.bela, "substitute", game="2")


@pytest.mark.parametrize("moment", ["first", "second"])
async def test_a_forgotten_captain_has_one_number_in_both_games_until_the_match_is_over(sea: Sea, moment: str) -> None:
    await begin_match(sea)
    await sea.command(sea.anna, "host replace", game="1", whose="anna", substitute=sea.cili)
    await end_first_game(sea, sea.bela, sea.anna, moment)
    numbers = [(row["user_id"], row["put_by"]) for row in sea.rows("captains")["captains"]]
    forgotten = numbers[0][0]
    assert forgotten < 0
    assert (sea.cili.id, forgotten) in numbers
    assert sea.anna.id not in {number for pair in numbers for number in pair}
    seed = sea.rows("games")["games"][0]["seed"]  # which anybody may read by now
    assert forgotten != pseudonym(seed, sea.anna.id)
    await concede(sea, sea.bela, 2)
    for table in ("captains", "acts"):
        assert all((row["user_id"] or 0) >= 0 for row in sea.rows(table)[table])


@pytest.mark.postgres
async def test_who_was_met_only_in_the_first_game_of_a_match_was_met(sea: Sea, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_GAMES_PER_PAIR", 1)
    await begin_match(sea)
    await play_rounds(sea, 1, MIN_ROUNDS, sea.anna, sea.bela)
    await leave_seat(sea, sea.bela, present=sea.anna)
    await sea.command(sea.cili, "substitute", game="1")
    await play_rounds(sea, 1, MIN_ROUNDS, sea.anna, sea.cili)
    await concede(sea, sea.cili, 1)
    await concede(sea, sea.cili, 2)
    assert changes(sea)[2].keys() == {sea.anna.id, sea.bela.id, sea.cili.id}
    await sea.begin_at(AFAR, sea.bela)
    await play_rounds(sea, 3, MIN_ROUNDS, sea.anna, sea.bela)
    await concede(sea, sea.bela, 3)
    assert 3 not in changes(sea)


async def test_a_twin_who_takes_the_enemys_seat_in_the_first_game_saves_no_loser(
    sea: Sea, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MAX_GAMES_PER_PAIR", 1)
    await sea.begin_at(AFAR, sea.cili)
    await play_rounds(sea, 1, MIN_ROUNDS, sea.anna, sea.cili)
    await concede(sea, sea.cili, 1)
    assert len(changes(sea)[1]) == 2
    await sea.command(sea.anna, "new", phase="2h")
    await sea.bot.services.lobbies.choose_match(sea.anna.id, 2, is_match=True)
    await sea.command(sea.bela, "join", game="2")
    sea.change_rows("UPDATE games SET setup = json_set(setup, '$.position', ?) WHERE id = 2", AFAR)
    await sea.command(sea.anna, "start", game="2")
    await play_rounds(sea, 2, MIN_ROUNDS, sea.anna, sea.bela)
    await leave_seat(sea, sea.bela, present=sea.anna, game=2)
    await sea.command(sea.cili, "substitute", game="2")
    await play_rounds(sea, 2, MIN_ROUNDS, sea.anna, sea.cili)
    await concede(sea, sea.anna, 2)
    await concede(sea, sea.anna, 3)
    assert changes(sea)[3][sea.anna.id] < changes(sea)[1][sea.anna.id]
