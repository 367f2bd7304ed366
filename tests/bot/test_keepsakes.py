"""Crews that captains keep from game to game: they go to sea, learn, are lost, and come home once."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec import UNSET

from bot.errors import Refusal
from bot.jobs.play import StepResult
from bot.lifecycle.ratings.rematching import rematch_setup
from bot.lifecycle.steps.playing import SeatedGame
from bot.lifecycle.steps.undo import UndoTarget
from bot.record.export import check_export, encode_export
from bot.store.queries.keepsakes import KeepsakeQueries
from rules.core.protocol import CallOff
from tests.sea import Sea, refs, text_of

OPTIONS = (("points", "36"), ("crews", "kept"))


async def opened(sea: Sea, *others: Any) -> None:
    await sea.command(sea.anna, "new", galleys="1", table="coffee", deployment="ready")
    for key, value in OPTIONS:
        await sea.choose(sea.anna, key, value)
    for other in others:
        await sea.command(other, "join")
    await sea.command(sea.anna, "start")


async def gives_up(sea: Sea, who: Any, game: int = 1) -> None:
    await sea.command(who, "concede", game=str(game))
    teaches = len([seat for seat in sea.rows("seats")["seats"] if seat["game_id"] == game and seat["user_id"]]) > 1
    assert ("own crews" in text_of(sea.answers[0])) == teaches
    await sea.press(who, sea.answers[0], "concede")


def given(sea: Sea, who: Any, number: int, name: str, **body: Any) -> None:
    """Store a crew that somebody has brought home from an earlier game."""
    columns = "user_id, system, number, name, body"
    text = json.dumps({"build": "5", **body})
    sea.change_rows(f"INSERT INTO keepsakes ({columns}) VALUES (?, 'matchbox', ?, ?, ?)", who.id, number, name, text)


def kept(sea: Sea, who: Any) -> dict[int, dict[str, Any]]:
    rows = sea.rows("keepsakes")["keepsakes"]
    return {row["number"]: {**row, "body": json.loads(row["body"])} for row in rows if row["user_id"] == who.id}


async def nothing_is_held(_: KeepsakeQueries) -> None:
    raise AssertionError("no crew changes hands: nobody need wait")


async def test_a_crew_learns_in_one_game_and_is_promoted_in_the_next(sea: Sea, monkeypatch: pytest.MonkeyPatch) -> None:
    given(sea, sea.anna, 1, "Ar*go*", xp=3)
    await opened(sea, sea.bela)
    assert r"Ar\*go\*" not in text_of(sea.panel(sea.bela))
    await sea.pick(sea.anna, sea.panel(sea.anna), "own", "own.1")
    assert r"Ar\*go\*" in text_of(sea.panel(sea.anna))
    assert "**24 of 36 points left**" in text_of(sea.panel(sea.anna))
    await sea.seal(sea.anna, "+5")
    assert "Ar" not in sea.told()
    await sea.seal(sea.bela, "6")
    assert r"Ar\*go\* is the crew of A1." in sea.told()
    assert kept(sea, sea.anna)[1]["game_id"] == 1
    with monkeypatch.context() as patched:
        patched.setattr(KeepsakeQueries, "lock_all", nothing_is_held)
        for _ in range(3):
            await sea.seal(sea.anna, "all RRRRR")
            await sea.seal(sea.bela, "B1 RRRRR")
    await gives_up(sea, sea.bela)
    assert r"Ar\*go\* (A1): +2 XP, now 5 and may choose 1 promotion" in sea.told()
    assert r"Ar\*go\* (A1): +2 XP" in text_of(sea.reply(sea.anna))
    assert "anna has a new crew, from A2: 2 XP" in sea.told()
    assert "anna's new crews are called Thetis. " in sea.told()
    assert "Ar" not in text_of(sea.reply(sea.bela))
    crew = kept(sea, sea.anna)[1]
    assert (crew["body"], crew["game_id"]) == ({"build": "5", "xp": 5}, None)
    assert kept(sea, sea.bela)[0]["body"] == {"fleet": "6"}
    assert check_export(encode_export(await sea.bot.services.archive.export_finished(1))) is None
    # In the next game she has a promotion; and the fleet of this one is at hand.
    await opened(sea, sea.bela)
    await sea.pick(sea.anna, sea.panel(sea.anna), "stock", "stock.last")
    assert "5/3 with rammers" in text_of(sea.panel(sea.anna))
    assert "permanent promotion for one point: **rammers**" in text_of(sea.panel(sea.anna))
    await sea.pick(sea.anna, sea.panel(sea.anna), "promote", "promote.b")
    assert "permanent promotion for one point: **boarders**" in text_of(sea.panel(sea.anna))
    await sea.press(sea.anna, sea.panel(sea.anna), "seal")
    await sea.seal(sea.bela, "6")
    assert kept(sea, sea.anna)[1]["game_id"] == 2
    # Meanwhile she can't go to sea in another game.
    await opened(sea, sea.bela)
    assert "one game at a time" in await sea.write(sea.anna, "#3 c1")
    await sea.seal(sea.anna, "#3 5")
    await gives_up(sea, sea.anna, 3)
    paper = encode_export(await sea.bot.services.archive.export_finished(3))
    assert b'"body"' in paper
    assert b'"elsewhere"' not in paper, "nobody learns which of them had another game's crew just then"
    assert check_export(paper) is None
    assert kept(sea, sea.anna)[1]["game_id"] == 2
    # It can't go on: all comes home as it was, and what was chosen in it is forgotten.
    await sea.bot.services.step_runner.apply_out_of_turn(await sea.bot.services.reader.games.seated_game(2), CallOff())
    await sea.settle()
    assert (kept(sea, sea.anna)[1]["body"], kept(sea, sea.anna)[1]["game_id"]) == (crew["body"], None)


@pytest.mark.parametrize(
    ("against_computer", "body", "said"),
    [
        (False, {"build": "5", "xp": 4, "promotions": "rm"}, "no crew has learnt anything"),
        (True, {"build": "5", "xp": 9, "promotions": "rm", "battered": True}, "come home as they set out"),
    ],
)
async def test_nobody_trains_crews_against_the_computer_or_by_games_that_are_not_played(
    sea: Sea, against_computer: bool, body: dict[str, Any], said: str
) -> None:
    """In a game between people, losses count although nobody learns."""
    given(sea, sea.anna, 1, "Argo", xp=9, promotions="rm", battered=True)
    given(sea, sea.bela, 1, "Thetis", xp=3)
    await opened(sea, *([] if against_computer else [sea.bela]))
    await sea.seal(sea.anna, "c1")
    if not against_computer:
        await sea.seal(sea.bela, "c1")
    await gives_up(sea, sea.anna)
    assert said in sea.told()
    assert (kept(sea, sea.anna)[1]["body"], kept(sea, sea.anna)[1]["game_id"]) == (body, None)
    assert kept(sea, sea.bela)[1]["body"] == {"build": "5", "xp": 3}
    # What one has is given out, and goes with them; the record holds without its name.
    assert b'"name": "Argo"' in await sea.bot.services.privacy.export_data(sea.anna.id)
    await sea.bot.services.privacy.forget_user(sea.anna.id)
    assert not kept(sea, sea.anna)
    paper = encode_export(await sea.bot.services.archive.export_finished(1))
    assert b"Argo" not in paper
    assert check_export(paper) is None


async def test_a_running_games_export_tells_nobody_what_others_have_brought(
    sea: Sea, monkeypatch: pytest.MonkeyPatch
) -> None:
    given(sea, sea.anna, 1, "Argo", xp=3)
    begun = sea.bot.services.lobbies._first_step

    async def renamed_meanwhile(playing: SeatedGame) -> StepResult:
        done = await begun(playing)
        await sea.bot.services.keepsakes.rename_keepsake(sea.anna.id, "matchbox", 1, "Thetis")
        return done

    monkeypatch.setattr(sea.bot.services.lobbies, "_first_step", renamed_meanwhile)
    await opened(sea, sea.bela)
    own, enemys = [
        json.loads((await sea.bot.services.records.write_record(1, who.id)).data) for who in (sea.anna, sea.bela)
    ]
    assert [[one["name"] for one in those] for those in own["setup"]["keepsakes"]] == [["Thetis"], []]
    assert [len(those) for those in enemys["setup"]["keepsakes"]] == [0, 0]
    game = (await sea.bot.services.reader.games.seated_game(1)).game
    async with sea.bot.services.store.read() as tx:
        assert (await rematch_setup(tx, game)).keepsakes is UNSET, "a rematch brings its own"


async def pressed(sea: Sea, who: Any, message: Any, key: str) -> Any:
    await sea.press(who, message, key)
    return sea.answers[-1] if sea.answers else sea.again(who, message)


async def test_one_looks_after_ones_crews_and_nobody_elses(sea: Sea) -> None:
    given(sea, sea.anna, 1, "Argo", xp=9)
    given(sea, sea.anna, 2, "Thetis", xp=1)
    given(sea, sea.bela, 3, "Hydra")
    await sea.command(sea.cili, "me")
    assert "keepsakes" not in refs(sea.answers[0])
    await sea.command(sea.anna, "me")
    listed = await pressed(sea, sea.anna, sea.answers[0], "keepsakes")
    assert "**Argo**: 5/3, 9 XP; may choose 2 promotions" in text_of(listed)
    with sea.speaking(sea.anna):
        await sea.anna.select(listed, ["matchbox.1"], custom_id=refs(listed)["keepsake"].pack())
    one = sea.again(sea.anna, listed)
    form = await sea.click_only(sea.anna, one, refs(one)["keepsake_name matchbox.1"])
    await sea.send_form(sea.anna, one, form, " @everyone\u202e **Argó** ")
    assert kept(sea, sea.anna)[1]["name"] == "@everyone **Argó**"
    assert r"\*\*Argó" in text_of(sea.again(sea.anna, one))
    for row in (("matchbox", 3), ("matchbox", 0), ("forts", 1)):
        with pytest.raises(Refusal, match="keepsake_gone"):
            await sea.bot.services.keepsakes.delete_keepsake(sea.anna.id, *row)
    await sea.bot.services.keepsakes.rename_keepsake(sea.anna.id, "matchbox", 2, "x" * 99)
    assert kept(sea, sea.anna)[2]["name"] == "x" * 24
    with pytest.raises(Refusal, match="keepsake_nameless"):
        await sea.bot.services.keepsakes.rename_keepsake(sea.anna.id, "matchbox", 1, "\u200b \u3164")
    sure = await pressed(sea, sea.anna, sea.again(sea.anna, one), "keepsake_drop matchbox.1")
    await pressed(sea, sea.anna, sure, "keepsake_dropped matchbox.1")
    assert kept(sea, sea.anna).keys() == {2}
    assert kept(sea, sea.bela).keys() == {3}


async def test_a_game_that_goes_back_to_before_its_fleets_has_what_is_chosen_then(sea: Sea) -> None:
    for number, name in ((1, "Argo"), (2, "Thetis"), (3, "Hydra")):
        given(sea, sea.anna, number, name, xp=2)
    given(sea, sea.bela, 1, "Kraken")
    await opened(sea, sea.bela)

    def at_sea() -> dict[int, int | None]:
        return {number: row["game_id"] for number, row in kept(sea, sea.anna).items()}

    assert at_sea() == {1: 1, 2: 1, 3: 1}, "any of them may be chosen"
    await sea.seal(sea.anna, "c1")
    await sea.env.advance_time(86_401)  # for Béla fresh vessels are chosen
    await sea.settle()
    assert at_sea() == {1: 1, 2: None, 3: None}
    lost = '{"build":"5","xp":1}'
    sea.change_rows("UPDATE keepsakes SET body = ? WHERE number = 3", lost)
    playing = await sea.bot.services.reader.games.seated_game(1)
    goal = UndoTarget(step_no=0, is_revealing=True, dice_moves=2, is_idle=False)
    await sea.bot.services.step_runner.go_back_to(playing, goal, "undone", user_id=sea.anna.id, round=0)
    await sea.settle()
    assert at_sea() == {1: 1, 2: 1, 3: None}, "what another game has made of a crew stays"
    await sea.seal(sea.anna, "c2 c3")
    await sea.seal(sea.bela, "c1")
    assert at_sea() == {1: None, 2: 1, 3: None}
    await gives_up(sea, sea.anna)
    assert {number: row["body"]["xp"] for number, row in kept(sea, sea.anna).items() if number} == {1: 2, 2: 1, 3: 1}
    assert "since this one returned to an earlier round, so it has learnt and lost nothing here" in sea.told()
    assert "Thetis (A1): " in sea.told()
    assert "Hydra (" not in sea.told(), "of what isn't stored nothing is told"
    assert check_export(encode_export(await sea.bot.services.archive.export_finished(1))) is None, (
        "what he chose after going back is in it"
    )
