"""Crews that captains keep: nobody saves, heals or leaves behind what they should not."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from typing import Any

import pytest

from bot.errors import Refusal
from bot.jobs.workers import Workers
from bot.lifecycle.ratings.limits import MAX_GAMES_PER_PAIR
from bot.record.export import check_export, encode_export
from tests.bot.test_keepsakes import OPTIONS, given, gives_up, kept, opened, pressed
from tests.sea import Sea, refs, text_of


async def test_who_is_forgotten_in_a_game_that_goes_on_leaves_neither_crews_nor_their_names(sea: Sea) -> None:
    dan = sea.member("dan")
    given(sea, sea.anna, 1, "Argo", xp=18, promotions="rmb")
    given(sea, sea.cili, 1, "Hydra", xp=3)
    await sea.command(sea.anna, "new", captains="2", table="dining", deployment="ready", points="12", crews="kept")
    for who in (sea.bela, sea.cili, dan):
        await sea.command(who, "join")
    await sea.command(sea.anna, "start")
    for who in (sea.anna, sea.bela, sea.cili, dan):
        await sea.seal(who, "5")
    await gives_up(sea, sea.anna)
    await sea.bot.services.privacy.forget_user(sea.anna.id)
    await sea.settle()
    setup = json.loads(sea.rows("games")["games"][0]["setup"])
    assert "Argo" not in json.dumps(setup)
    assert "Hydra" in json.dumps(setup)
    seats = {row["user_id"]: row["team"] for row in sea.rows("seats")["seats"]}
    for who in [who for who in (sea.bela, sea.cili, dan) if seats[who.id] == seats[sea.cili.id]]:
        await gives_up(sea, who)
    assert sea.rows("games")["games"][0]["phase"] == "over"
    assert {row["user_id"] for row in sea.rows("keepsakes")["keepsakes"]} == {sea.bela.id, sea.cili.id, dan.id}


async def test_who_gives_up_before_fleets_are_shown_does_not_see_what_others_could_have_brought(sea: Sea) -> None:
    """Nor has that kept her from bringing it to another game, which begins only when this one lets go of it."""
    given(sea, sea.anna, 1, "Argo", xp=3)
    await opened(sea, sea.bela)
    await sea.command(sea.cili, "new", galleys="1", table="coffee", deployment="ready", points="36", crews="kept")
    await sea.command(sea.anna, "join", game="2")
    assert "anna's crews are in another game" in await sea.command(sea.cili, "start", game="2")
    await gives_up(sea, sea.bela)
    paper = encode_export(await sea.bot.services.archive.export_finished(1))
    assert b"Argo" not in paper
    assert check_export(paper) is None
    await sea.command(sea.cili, "start", game="2")
    await sea.write(sea.anna, "#2 c1")
    assert "Argo" in text_of(sea.panel(sea.anna))
    # Nor is it kept waiting where somebody has taken her seat away.
    await sea.bot.services.absence.offer_seats_of_departed(sea.anna.id, sea.guild.id)
    await sea.command(sea.manager(), "host kick", game="2", whose="anna")
    assert kept(sea, sea.anna)[1]["game_id"] is None
    await sea.bot.services.concede_game(sea.cili.id, 2)


def doom(sea: Sea) -> None:
    """Sink Anna's first galley, and place her second before Béla's ram with one oar a side."""
    last = sea.rows("steps")["steps"][-1]
    state = json.loads(last["state"])
    galleys = {one["id"]: one for one in state["galleys"]}
    state["lost"] = [galleys.pop("B1")]
    galleys["B2"] |= {"port": 1, "starboard": 1, "masts": 1, "pose": {"x_mm": 330, "y_mm": 300, "heading_deg": 90}}
    galleys["A1"] |= {"pose": {"x_mm": 300, "y_mm": 277, "heading_deg": 0}}
    state["galleys"] = list(galleys.values())
    sea.change_rows("UPDATE steps SET state = ? WHERE no = ?", json.dumps(state), last["no"])


@pytest.mark.parametrize("leaves", [False, True])
async def test_who_is_losing_gains_nothing_by_leaving(sea: Sea, leaves: bool) -> None:
    """Nor can a stranger throw away an absent captain's crews: nobody but the computer takes their seat."""
    chief, eve = sea.manager(), sea.member("eve")
    for number, name in ((1, "Argo"), (2, "Thetis")):
        given(sea, sea.anna, number, name, xp=9, promotions="rm")
    await sea.command(sea.bela, "new", galleys="1", table="coffee", deployment="ready", points="36", crews="kept")
    await sea.command(sea.anna, "join")
    await sea.command(sea.bela, "start")
    assert "Nobody can take over" in await sea.command(chief, "host replace", game="1", whose="anna", substitute=eve)
    await sea.seal(sea.anna, "c1 c2")
    await sea.seal(sea.bela, "5")
    doom(sea)
    for does in ("pause", "extend", "resolve"):
        assert "only they can decide about its time" in await sea.command(chief, f"host {does}", game="1")
    for who in (chief, sea.bela):
        assert "nobody can take a captain's seat" in await sea.command(who, "host kick", game="1", whose="anna")
    if leaves:
        await sea.bot.services.absence.offer_seats_of_departed(sea.anna.id, sea.guild.id)
        await sea.settle()
        offer = sea.thread.history()[-1]
        assert "Nobody can take over here" in text_of(offer)
        assert not refs(offer)
        assert "Nobody can take over" in await sea.command(eve, "substitute", game="1")
        assert "No game" in await sea.command(eve, "substitute")
        assert "nobody there to agree" in await sea.command(chief, "host undo", game="1", to_round=0)
        await sea.command(chief, "host kick", game="1", whose="anna")
        assert "to the computer" in sea.told()
        assert "nobody else can decide it" in await sea.command(sea.bela, "extend", game="1", pause=True)
    else:
        await sea.seal(sea.anna, "B2 FX")
    await sea.seal(sea.bela, "A1 FFXXX")
    assert sea.rows("games")["games"][0]["phase"] == "over"
    lost = ({"build": "5", "xp": 4, "promotions": "rm"}, None)
    home = {number: (row["body"], row["game_id"]) for number, row in kept(sea, sea.anna).items()}
    assert home == {**({} if leaves else {0: ({"fleet": "c1 c2"}, None)}), 1: lost, 2: lost}


@pytest.mark.parametrize("settings", [{"picture_width": 320, "idle_days": 365, "pause_days": 365}])
async def test_a_game_that_stands_still_keeps_no_crews_for_ever(sea: Sea) -> None:
    """But what had sunk by then is lost, and nobody plays on with theirs at no risk while others' are at stake."""
    chief = sea.manager()
    given(sea, sea.bela, 1, "Hydra", xp=9, promotions="rm")
    for number, name in ((1, "Argo"), (2, "Thetis")):
        given(sea, sea.anna, number, name, xp=9, promotions="rm")
    await sea.command(sea.bela, "new", galleys="1", table="coffee", deployment="ready", points="36", crews="kept")
    await sea.command(sea.anna, "join")
    await sea.command(sea.bela, "start")
    await sea.seal(sea.anna, "c1 c2")
    await sea.seal(sea.bela, "c1")
    doom(sea)
    await sea.command(sea.anna, "extend", game="1", pause=True)
    asked = sea.thread.history()[-1]
    await sea.press(sea.bela, asked, next(key for key in refs(asked) if key.startswith("agree")))
    assert sea.rows("games")["games"][0]["paused_at"]
    assert "only they can decide about its time" in await sea.command(chief, "host resume", game="1")
    # Who is losing could ask for a holiday of five weeks; but each side can end it.
    await sea.env.advance_time(86_400 * 35)
    with pytest.raises(Refusal, match="keepsake_goes_on"):
        await sea.bot.services.keepsakes.fetch_home(sea.anna.id, "matchbox", 2)
    await sea.bot.services.timekeeping.resume_game(sea.anna.id, 1)
    with pytest.raises(Refusal, match="keepsake_goes_on"):
        await sea.bot.services.keepsakes.fetch_home(sea.anna.id, "matchbox", 2)
    await sea.bot.services.channels.note_lost_server(sea.guild.id)
    await sea.env.advance_time(86_400 * 33)
    await sea.command(sea.anna, "me")
    listed = await pressed(sea, sea.anna, sea.answers[0], "keepsakes")
    with sea.speaking(sea.anna):
        await sea.anna.select(listed, ["matchbox.2"], custom_id=refs(listed)["keepsake"].pack())
    await pressed(sea, sea.anna, sea.again(sea.anna, listed), "keepsake_fetch matchbox.2")
    assert "has sent all crews home" in sea.told()
    home = {
        1: ({"build": "5", "xp": 4, "promotions": "rm"}, None),
        2: ({"build": "5", "xp": 9, "promotions": "rm", "battered": True}, None),
    }
    assert {number: (row["body"], row["game_id"]) for number, row in kept(sea, sea.anna).items()} == home
    hydra = ({"build": "5", "xp": 9, "promotions": "rm"}, None)
    assert [(row["body"], row["game_id"]) for row in kept(sea, sea.bela).values()] == [hydra]
    await sea.bot.services.channels.note_joined_server(sea.guild.id)
    await sea.settle()
    await sea.seal(sea.anna, "B2 FX")
    await sea.seal(sea.bela, "A1 FFXXX")
    assert sea.rows("games")["games"][0]["phase"] == "over"
    assert {number: (row["body"], row["game_id"]) for number, row in kept(sea, sea.anna).items()} == home
    assert [(row["body"], row["game_id"]) for row in kept(sea, sea.bela).values()] == [hydra]
    assert "Thetis (B2)" not in sea.told()


async def agreed(sea: Sea) -> None:
    """Anna and Bela have kept crews, and both have added words to the dice."""
    given(sea, sea.anna, 1, "Argo", xp=9, promotions="rm")
    given(sea, sea.bela, 1, "Hydra", xp=3)
    await sea.command(sea.anna, "new", galleys="1", table="coffee", deployment="ready", points="36", crews="kept")
    await sea.command(sea.bela, "join")
    for who, word in ((sea.anna, "reef"), (sea.bela, "tide"), (sea.anna, "reef")):
        await sea.bot.services.lobbies.add_word(who.id, 1, word)
    await sea.settle()


@pytest.mark.parametrize("change", ["dismissed", "learnt"])
async def test_crews_that_are_dismissed_or_changed_after_the_words_ask_for_agreement_again(
    sea: Sea, change: str
) -> None:
    """Anna knows the seed: the dice would mean something else if she brought other crews."""
    await agreed(sea)
    lobby = sea.channel.last_message
    seen = refs(lobby)["start"].request
    if change == "dismissed":
        await sea.bot.services.keepsakes.delete_keepsake(sea.anna.id, "matchbox", 1)
    else:
        sea.change_rows("UPDATE keepsakes SET body = ? WHERE user_id = ?", '{"build":"5","xp":10}', sea.anna.id)
    said = await sea.press(sea.anna, lobby, "start")
    assert "Something changed after anna, bela added a word" in said
    assert sea.rows("games")["games"][0]["phase"] == "lobby"
    lobby = sea.channel.last_message
    assert refs(lobby)["start"].request != seen, "an old Start would accept it unseen"
    assert "bela added a word" in text_of(lobby)
    assert "Something changed after bela added a word" in await sea.press(sea.anna, lobby, "start")
    await sea.bot.services.lobbies.add_word(sea.bela.id, 1, "ebb", seen=refs(lobby)["word"].request)
    await sea.settle()
    await sea.press(sea.anna, sea.channel.last_message, "start")
    assert sea.rows("games")["games"][0]["phase"] == "running"


async def test_other_crews_before_a_new_word_ask_those_who_agreed_before(sea: Sea) -> None:
    await agreed(sea)
    await sea.bot.services.keepsakes.delete_keepsake(sea.bela.id, "matchbox", 1)
    await sea.bot.services.lobbies.add_word(sea.bela.id, 1, "tide")
    assert [row["word_agreed"] for row in sea.rows("seats")["seats"]] == [False, True]


async def test_a_crews_new_name_asks_nobody_again(sea: Sea) -> None:
    await agreed(sea)
    await sea.bot.services.keepsakes.rename_keepsake(sea.anna.id, "matchbox", 1, "Thetis")
    await sea.press(sea.anna, sea.channel.last_message, "start")
    assert sea.rows("games")["games"][0]["phase"] == "running"


async def test_a_host_whose_guest_brings_crews_starts_with_one_press(sea: Sea) -> None:
    given(sea, sea.bela, 1, "Hydra", xp=3)
    await sea.command(sea.anna, "new", galleys="1", table="coffee", deployment="ready", points="36", crews="kept")
    await sea.bot.services.lobbies.add_word(sea.anna.id, 1, "reef")
    await sea.command(sea.bela, "join")
    await sea.press(sea.anna, sea.channel.last_message, "start")
    assert sea.rows("games")["games"][0]["phase"] == "running"


async def test_crews_cannot_be_guessed_from_the_token_in_the_buttons(
    new_database: Callable[[], str], workers: Workers, settings: dict[str, Any]
) -> None:
    """Of lobbies that differ in a crew all that others see is alike but for the token, which a secret salt hides."""
    tokens = []
    for xp, first in ((3, 1), (4, 1), (3, 1000)):
        sea = Sea(new_database(), workers, itertools.count(first), **settings)
        async with sea.open():
            given(sea, sea.anna, 1, "Argo", xp=xp)
            await sea.command(sea.anna, "new", galleys="1", table="coffee", deployment="ready", points="36")
            await sea.choose(sea.anna, "crews", "kept")
            sea.change_rows("UPDATE games SET seed = ?", "5e" * 32)
            await sea.command(sea.bela, "join")
            await sea.bot.services.lobbies.add_word(sea.bela.id, 1, "tide")
            await sea.settle()
            shown = refs(sea.channel.last_message)["start"].request
            salted = sea.rows("games")["games"][0]["keepsakes_hash"]
            assert len(salted) == 128
            assert salted not in text_of(sea.channel.last_message)
            tokens.append((shown, salted[:64]))
    assert tokens[0][1] == tokens[1][1] != tokens[2][1]
    assert tokens[0][0] != tokens[2][0], "the same crews: only the salt differs"


async def test_crews_learn_from_a_second_account_in_three_games_a_week(sea: Sea) -> None:
    """Cili is Anna's second account: three rounds of rowing in circles, then she gives up; again and again."""
    learnt = 0  # by Anna's crews, so far
    for game in range(1, MAX_GAMES_PER_PAIR + 2):
        await sea.command(sea.anna, "new", galleys="1", table="coffee", deployment="ready", rated=False)
        for key, value in OPTIONS:
            await sea.bot.services.lobbies.choose_option(sea.anna.id, game, key, value)
        await sea.command(sea.cili, "join", game=str(game))
        await sea.command(sea.anna, "start", game=str(game))
        await sea.seal(sea.anna, f"#{game} {'c1 5' if kept(sea, sea.anna) else '5 5'}")
        await sea.seal(sea.cili, f"#{game} 6")
        for _ in range(3):
            await sea.seal(sea.anna, f"#{game} all RRRRR")
            await sea.seal(sea.cili, f"#{game} B1 RRRRR")
        await sea.concede(sea.cili, game)
        taught_nothing = {act["game_id"] for act in sea.rows("acts")["acts"] if act["kind"] == "kept_often"}
        experience = sum(crew["body"].get("xp", 0) for number, crew in kept(sea, sea.anna).items() if number)
        assert (game in taught_nothing) == (experience == learnt) == (game > MAX_GAMES_PER_PAIR), game
        learnt = experience
    assert "met in three such games" in sea.told()
