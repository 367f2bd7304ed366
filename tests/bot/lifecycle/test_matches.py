"""Matches: two games of the same captains, who exchange sides; the points of both are added."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bot.errors import Refusal
from bot.lifecycle.steps import matches
from bot.texts.i18n import Catalogue
from rules.chance import fairness
from rules.core.protocol import CallOff
from rules.matchbox.engine.scenarios import side_points
from tests.bot.papers import exported
from tests.sea import AFAR, Sea, refs, text_of

EN, HU = Catalogue.load("en"), Catalogue.load("hu")


async def begin_match(sea: Sea, **options: Any) -> None:
    await sea.command(sea.anna, "new", phase="2h", **options)
    await press_match(sea)
    await sea.command(sea.bela, "join")
    sea.change_rows("UPDATE games SET setup = json_set(setup, '$.position', ?) WHERE phase = 'lobby'", AFAR)
    await sea.command(sea.anna, "start")


async def press_match(sea: Sea) -> None:
    page = await sea.turned(sea.anna, lobby_of(sea), "match", "options")
    await sea.click(sea.anna, page, refs(page)["match"])


def lobby_of(sea: Sea) -> Any:
    return next(message for message in reversed(sea.channel.history()) if "start" in refs(message))


def games(sea: Sea) -> list[dict[str, Any]]:
    return sea.rows("games")["games"]


def captains_of(sea: Sea, game: int) -> list[int]:
    return [row["user_id"] for row in sea.rows("seats")["seats"] if row["game_id"] == game]


async def test_the_second_game_begins_by_itself_with_sides_exchanged(sea: Sea) -> None:
    await begin_match(sea)
    assert [row["is_match"] for row in games(sea)] == [1]
    await sea.concede(sea.bela)
    first, second = games(sea)
    assert (first["phase"], json.loads(first["points"])) == ("over", [1.0, 0.0])
    assert (second["phase"], second["first_game_id"], second["is_match"]) == ("running", 1, 0)
    assert captains_of(sea, 2) == captains_of(sea, 1)[::-1]
    assert first["seed"] != second["seed"]
    assert "second game of a match" in sea.told()


@pytest.mark.parametrize(("loser_of_second", "ending"), [("anna", "It is a draw."), ("bela", "anna won it.")])
async def test_the_points_of_both_games_decide(sea: Sea, loser_of_second: str, ending: str) -> None:
    await begin_match(sea)
    await sea.concede(sea.bela)
    assert "The second game, #2, begins" in everything(sea)
    assert "rematch" not in {key for message in sea.thread.history() for key in refs(message)}
    await sea.concede(getattr(sea, loser_of_second), game=2)
    assert ending in everything(sea)


def everything(sea: Sea) -> str:
    threads = sea.channel.threads
    return "\n".join(text_of(message) for thread in threads for message in thread.history())


@pytest.mark.usefixtures("every_game_counts")
async def test_only_the_match_changes_ratings(sea: Sea) -> None:
    await begin_match(sea)
    await sea.concede(sea.bela)
    assert {row["counted"] for row in sea.rows("ratings")["ratings"]} == {0}
    await sea.concede(sea.anna, game=2)  # one point each
    rows = [row for row in sea.rows("ratings")["ratings"] if row["game_id"] == 2]
    assert {row["outcome"] for row in rows} == {"drawn"}


@pytest.mark.usefixtures("every_game_counts")
async def test_an_agreed_draw_of_the_second_game_lets_the_points_of_both_decide(sea: Sea) -> None:
    await begin_match(sea)
    await sea.concede(sea.bela)
    await agree_on_draw(sea, 2)
    assert [json.loads(row["points"]) for row in games(sea)] == [[1.0, 0.0], [0.5, 0.5]]
    assert "anna won it." in everything(sea)
    rows = {row["user_id"]: row for row in sea.rows("ratings")["ratings"] if row["game_id"] == 2}
    assert {row["counted"] for row in rows.values()} == {1}
    assert rows[sea.bela.id]["mu"] < 25 < rows[sea.anna.id]["mu"]


@pytest.mark.usefixtures("every_game_counts")
async def test_a_match_that_is_even_after_an_agreed_draw_is_not_rated(sea: Sea) -> None:
    await begin_match(sea)
    await agree_on_draw(sea, 1)
    await agree_on_draw(sea, 2)
    assert "It is a draw." in everything(sea)
    assert {row["counted"] for row in sea.rows("ratings")["ratings"]} == {0}


@pytest.mark.parametrize(("language", "texts"), [("en-US", EN), ("hu", HU)])
async def test_who_offers_a_draw_or_concedes_reads_what_that_means_in_a_match(
    sea: Sea, language: str, texts: Catalogue
) -> None:
    sea.languages[sea.anna.id] = language
    await begin_match(sea)
    sea.change_rows("UPDATE games SET locale = ?", language)  # that of the thread
    await sea.command(sea.anna, "draw", game="1")
    assert texts.say("say.draw_match") in everything(sea)
    assert texts.say("say.draw_match_rated") not in everything(sea), "the second game decides"
    confirmation = await sea.command(sea.anna, "concede", game="1")
    assert texts.say("say.concede_match") in confirmation
    assert texts.say("say.concede_match_points") in confirmation
    await sea.concede(sea.bela)
    points = texts.say("match.first_over", points=[], number=2).partition(":")[0]
    assert points in "\n".join(map(text_of, sea.dms(sea.anna))), "her panel of the first game says its points"
    await sea.command(sea.anna, "draw", game="2")
    assert texts.say("say.draw_match_rated") in everything(sea)
    assert texts.say("say.draw_unrated") not in everything(sea)
    assert texts.say("say.concede_match") in await sea.command(sea.anna, "concede", game="2")


async def agree_on_draw(sea: Sea, game: int) -> None:
    for captain in (sea.anna, sea.bela):
        await sea.command(captain, "draw", game=f"{game}")
    await sea.settle()


async def test_a_second_game_that_a_crash_kept_from_beginning_begins_after_the_start(sea: Sea) -> None:
    await begin_match(sea)
    await sea.concede(sea.bela)
    sea.change_rows("DELETE FROM steps WHERE game_id = 2")
    sea.change_rows("DELETE FROM requests WHERE game_id = 2")
    sea.change_rows("DELETE FROM captains WHERE game_id = 2")
    sea.change_rows("UPDATE games SET phase = 'lobby', step_no = -1, deadline = NULL WHERE id = 2")
    await sea.restart()
    await sea.settle()
    assert games(sea)[1]["phase"] == "running"


@pytest.mark.proves("F2")
async def test_the_first_fingerprint_fixes_both_seeds_and_words_count_twice(sea: Sea) -> None:
    await sea.command(sea.anna, "new", phase="2h")
    fingerprint = games(sea)[0]["seed"]
    await press_match(sea)
    await sea.command(sea.bela, "join", word="tide")
    await sea.command(sea.anna, "start")
    await sea.concede(sea.bela)
    first, second = games(sea)
    assert first["seed"] == fingerprint == fairness.first_game_seed(second["seed"])
    words = {row["user_id"]: row["word"] for row in sea.rows("seats")["seats"] if row["game_id"] == second["id"]}
    assert words == {sea.anna.id: None, sea.bela.id: "tide"}
    await sea.concede(sea.anna, game=2)
    shown = fairness.hash_seed(first["seed"])[: fairness.SHOWN_HASH_DIGITS]
    assert shown in await sea.command(sea.cili, "verify", game="2")
    assert shown in everything(sea)


async def test_no_view_of_a_running_first_game_holds_the_second_seed(sea: Sea) -> None:
    await begin_match(sea)
    second_seed = games(sea)[0]["second_seed"]
    assert second_seed
    assert second_seed.encode() not in await exported(sea, sea.anna)
    await sea.concede(sea.bela)
    assert second_seed not in everything(sea)


async def test_captains_exchange_sides_that_were_drawn_by_lot(sea: Sea) -> None:
    for _ in range(3):
        await sea.command(sea.anna, "new", phase="2h", deployment="ready", galleys="1", table="coffee")
        await press_match(sea)
        await sea.command(sea.bela, "join", game=str(len(games(sea))))
        await sea.command(sea.anna, "start", game=str(len(games(sea))))
        number = len(games(sea))
        await sea.concede(sea.bela, game=number)
        south = [southern_captain(sea, game) for game in (number, number + 1)]
        assert {*south} == {sea.anna.id, sea.bela.id}
        await sea.concede(sea.anna, game=number + 1)


def southern_captain(sea: Sea, game: int) -> int:
    steps = [row for row in sea.rows("steps")["steps"] if (row["game_id"], row["no"]) == (game, 0)]
    (drawn,) = [event for event in json.loads(steps[0]["events"]) if event["type"] == "SidesDrawn"]
    return captains_of(sea, game)[drawn["south"][0]]


async def test_a_match_of_which_a_game_is_called_off_has_no_second(sea: Sea) -> None:
    await begin_match(sea)
    seated_game = await sea.bot.services.reader.games.seated_game(1)
    await sea.bot.services.step_runner.apply_out_of_turn(seated_game, CallOff())
    await sea.settle()
    (only_game,) = games(sea)
    assert (only_game["phase"], only_game["points"]) == ("over", None)


@pytest.mark.parametrize(
    ("system", "key", "uneven", "even"),
    [("matchbox", "scenario", "escort", "harbour"), ("squadrons", "battle", "marines", "60")],
)
async def test_an_uneven_scenario_is_a_match_unless_its_host_wants_one_game(
    sea: Sea, system: str, key: str, uneven: str, even: str
) -> None:
    await sea.command(sea.anna, "new", system=system)
    await sea.command(sea.bela, "join")
    await sea.choose(sea.anna, key, uneven)
    assert EN.say("lobby.match") in text_of(lobby_of(sea))
    await press_match(sea)
    assert EN.say("lobby.match") not in text_of(lobby_of(sea))
    await press_match(sea)
    await sea.choose(sea.anna, key, even)
    assert EN.say("lobby.match") not in text_of(lobby_of(sea))


async def test_against_the_computer_one_game_is_played(sea: Sea) -> None:
    await sea.command(sea.anna, "new", computer=1)
    await press_match(sea)
    await sea.command(sea.anna, "start")
    assert games(sea)[0]["is_match"] == 0


async def test_only_the_host_chooses_and_only_two_equal_sides_can_exchange(sea: Sea) -> None:
    await sea.command(sea.anna, "new")
    choose = sea.bot.services.lobbies.choose_match
    with pytest.raises(Refusal, match="not_host"):
        await choose(sea.bela.id, 1, is_match=True)
    sea.change_rows("UPDATE games SET setup = json_set(setup, '$.teams', json('[0, 1, 1]'))")
    with pytest.raises(Refusal, match="no_match"):
        await choose(sea.anna.id, 1, is_match=True)
    assert not matches.can_exchange_sides((0, 1, 2))
    assert matches.can_exchange_sides((0, 1, 0, 1))


def test_a_scenario_gives_points_for_what_was_scored() -> None:
    assert side_points("escort", {"left": 1}, "north") == {"south": 1, "north": 0}
    assert side_points("escort", {"left": 1}, "south") == {"south": 2, "north": 0}
    assert side_points("harbour", {"south": 3, "north": 1}, None) == {"south": 3, "north": 1}
    assert side_points("raid", {"houses": 5}, "south") == {"south": 4, "north": 0}
