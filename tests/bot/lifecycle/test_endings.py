"""Giving up, agreeing a draw, and what is left of a game that is over."""

from __future__ import annotations

import json
import re
from itertools import pairwise

import pytest

from bot.record.export import FinishedGame
from bot.services import options
from bot.texts.i18n import Catalogue
from rules.chance.fairness import SHOWN_HASH_DIGITS
from rules.core.registry import RULESETS
from tests.bot.records import assert_holds
from tests.sea import ABEAM, AFAR, Sea, refs, text_of

EN = Catalogue.load("en")


@pytest.mark.begun
async def test_giving_up_asks_once_more_and_ends_a_duel(sea: Sea) -> None:
    before = sea.rows()
    assert "really" in await sea.command(sea.bela, "concede")
    (sure,) = sea.answers
    assert sure.flags.ephemeral
    assert sea.rows() == before
    await sea.press(sea.bela, sure, "concede")
    (game,) = sea.rows("games")["games"]
    assert game["phase"] == "over"
    assert f"`{game['seed'][:8]}…`" in sea.told()
    assert "bela" in text_of(sea.thread.last_message)
    await assert_holds(sea)
    # Nothing is left to press but to look back.
    left = {key for message in sea.thread.history() for key in refs(message)}
    assert not left & {"orders", "draw", "seal", "unseal", "type"}
    assert {verb for message in sea.dms(sea.anna) for verb in refs(message)} == {"why_last", "replay", "rematch"}
    assert not refs(sea.again(sea.bela, sure))
    assert "over" in await sea.command(sea.anna, "draw", game="1")


def lost(sea: Sea, galley: str) -> int:
    events = [event for step in sea.rows("steps")["steps"] for event in json.loads(step["events"])]
    blows = [event for event in events if event["type"] == "Lost" and event["galley"] == galley]
    return sum(blow[part] for blow in blows for part in ("port", "starboard", "masts"))


@pytest.mark.proves("F3")
async def test_the_end_says_why_and_what_was_done_and_offers_a_rematch(sea: Sea) -> None:
    await sea.begin_at(ABEAM, sea.bela, phase="2h", missed="hold")
    await sea.both_seal("A1 XFXFF; aim steady", "B1 FFFFX; aim steady")
    asked = await sea.command(sea.bela, "concede", game="1")
    assert "#1 War Galley" in asked
    await sea.press(sea.bela, sea.answers[0], "concede")
    end = next(message for message in reversed(sea.thread.history()) if "rematch" in refs(message))
    told = text_of(end)
    first, *_ = (line for line in told.splitlines() if line.startswith("### "))
    assert "anna" in first
    (costs,) = re.findall(r"you'd lose (\d+) rating points", asked)
    assert f"bela {1000 - int(costs)} (-{costs})" in told, "what giving up costs is said before"
    assert told.splitlines()[told.splitlines().index(first) + 1] == "bela conceded."
    (mine,) = (line for line in told.splitlines() if line.startswith("**anna**:"))
    assert "fired " in mine
    (came_off,) = (after for line, after in pairwise(told.splitlines()) if line == mine)
    assert came_off.startswith("↳ ")
    assert "hits with matches: " not in came_off  # a word of luck takes more throws
    assert "σ" not in came_off
    assert "Victory for" not in told
    # It says in one line where the game turned, and by what: giving up turns nothing.
    turned = [line for line in told.splitlines() if line.startswith("**Turning point** · Round 1: ")]
    assert bool(turned) == (lost(sea, "B1") > lost(sea, "A1")), "it turned towards who won"
    assert not any("given up" in line for line in turned)
    assert any(line.startswith("**bela**") for line in told.splitlines())
    assert told.count(" won") == 1
    # The proof is one small line; the log has it in full, also for onlookers.
    seed, digest = sea.rows("games")["games"][0]["seed"], (await archived(sea)).digest
    (proof,) = (line for line in told.splitlines() if line.startswith("-# ") and "`" in line)
    assert f"`{seed[:8]}…`" in proof
    assert f"`{digest[:SHOWN_HASH_DIGITS]}…`" in proof
    assert not any(whole in told for whole in (seed, digest))
    await sea.press(sea.cili, end, "log")
    log = "\n".join(text_of(message) for message in sea.answers)
    assert f"`{seed}`" in log
    assert f"`{digest}`" in log
    await sea.press(sea.cili, end, "replay")
    (film,) = sea.answers
    assert sea.again(sea.cili, film).attachments
    # A rematch is for those who played, is one however many press, and has the other sides.
    assert "aren't a captain" in await sea.press(sea.cili, end, "rematch")
    assert len(sea.rows("games")["games"]) == 1
    for _ in range(2):
        assert "Game #2 starts as soon as" in await sea.press(sea.bela, end, "rematch")
    assert "kept for" in text_of(sea.channel.last_message)
    # Who is asked says yes or no where they are; it begins at once.
    asked = sea.dms(sea.anna)[-1]
    assert {*refs(asked)} == {"rematch", "decline_rematch"}
    assert EN.say("say.started") in await sea.press(sea.anna, asked, "rematch")
    assert not refs(sea.again(sea.anna, asked))
    games = sea.rows("games")["games"]
    for column in ("pace", "extensions", "early", "private", "rated", "system", "channel_id"):
        assert games[0][column] == games[1][column], column
    assert '"missed":"hold"' in games[1]["setup"]
    seated = [(row["game_id"], row["team"], row["user_id"]) for row in sea.rows("seats")["seats"]]
    assert seated == [(1, 0, sea.anna.id), (1, 1, sea.bela.id), (2, 0, sea.bela.id), (2, 1, sea.anna.id)]
    assert sea.rows("games")["games"][1]["phase"] == "running"
    assert "begun" in await sea.press(sea.anna, end, "rematch")


async def test_who_played_the_computer_waits_for_nobody_in_a_rematch(sea: Sea) -> None:
    await sea.begin_at(AFAR, computer=1)
    (usual,) = sea.rows("games")["games"]
    wanted = options.default_options(RULESETS[usual["system"]])
    assert wanted
    # It began before there were any options, and went on without.
    sea.change_rows("UPDATE games SET setup = json_remove(setup, '$.options')")
    await sea.concede(sea.anna)
    end = next(message for message in reversed(sea.thread.history()) if "rematch" in refs(message))
    for language, invited in (("en-US", "invited"), ("hu", "meghívás")):
        sea.languages[sea.anna.id] = language
        said = await sea.press(sea.anna, end, "rematch")
        assert f"<#{sea.channel.id}>" in said
        assert invited not in said
        assert json.loads(sea.rows("games")["games"][-1]["setup"])["options"] == wanted
        sea.change_rows("UPDATE games SET phase = 'cancelled' WHERE phase = 'lobby'")


async def archived(sea: Sea) -> FinishedGame:
    return await sea.bot.services.archive.export_finished(1)


@pytest.mark.begun
async def test_a_draw_needs_both_and_lapses_with_the_round(sea: Sea) -> None:
    assert "offered" in await sea.command(sea.anna, "draw")
    offer = sea.thread.last_message
    assert "anna offers a draw" in text_of(offer)
    assert EN.say("say.draw_unrated") in text_of(offer)  # before anybody agrees
    await sea.both_seal("A1 FFFFF", "B1 RLRLF")
    assert not refs(sea.again(sea.anna, offer))
    assert "offered" in await sea.command(sea.bela, "draw", game="1")
    assert sea.rows("games")["games"][0]["phase"] == "running"
    offer = sea.thread.last_message
    assert "bela offers a draw" in text_of(offer)
    assert "anna offers" not in text_of(offer)
    assert "aren't a captain" in await sea.press(sea.cili, offer, "draw")
    assert EN.say("say.draw_agreed") in await sea.press(sea.anna, offer, "draw")
    assert sea.rows("games")["games"][0]["phase"] == "over"
    assert "draw" in text_of(sea.thread.last_message)
    assert not refs(sea.again(sea.anna, offer))
    await assert_holds(sea)
    # What was agreed changes no rating, but a rematch is rated as this game was when it began.
    assert not [row for row in sea.rows("ratings")["ratings"] if row["counted"]]
    end = next(message for message in reversed(sea.thread.history()) if "rematch" in refs(message))
    await sea.press(sea.anna, end, "rematch")
    assert EN.say("lobby.unrated") not in text_of(sea.channel.last_message)
    await sea.press(sea.bela, sea.dms(sea.bela)[-1], "decline_rematch")
    assert sea.rows("games")["games"][1]["phase"] == "cancelled"
    assert "doesn't want a rematch" in text_of(sea.dms(sea.anna)[-1])
    assert EN.say("rematch.off") in text_of(sea.dms(sea.bela)[-1])
    # Who was asked once is not rung again, however often the other opens another and calls it off.
    before = len(sea.dms(sea.bela))
    await sea.press(sea.anna, end, "rematch")
    assert sea.rows("games")["games"][2]["phase"] == "lobby"
    assert len(sea.dms(sea.bela)) == before
    lobby = next(
        message for message in reversed(sea.channel.history()) if "join 0" in refs(message) or "join 1" in refs(message)
    )
    joins = next(ref for ref in refs(lobby).values() if ref.verb == "join")
    await sea.click(sea.bela, lobby, joins)  # as good as Accept
    assert sea.rows("games")["games"][2]["phase"] == "running"


async def test_a_rematch_with_the_computer_begins_where_it_is_offered(sea: Sea) -> None:
    await sea.begin_at(AFAR, computer=1)
    await sea.bot.services.concede_game(sea.anna.id, 1)
    await sea.settle()
    await sea.press(sea.anna, sea.dms(sea.anna)[-1], "rematch")
    await sea.press(sea.anna, sea.answers[-1], "start")
    assert [game["phase"] for game in sea.rows("games")["games"]] == ["over", "running"]


async def test_the_computer_agrees_to_no_draw(sea: Sea) -> None:
    await sea.begin_at(AFAR)
    assert "fights on" in await sea.command(sea.anna, "draw")
    assert sea.rows("seats")["seats"][0]["draw_at"] is None
    assert sea.rows("games")["games"][0]["phase"] == "running"


# A captain who gives up in mid-turn leaves no question that nobody can answer.
async def test_nobody_is_asked_under_a_question_of_somebody_elses(sea: Sea) -> None:
    everybody = (sea.anna, sea.bela, sea.cili, sea.member("dora"))
    await sea.begin(*everybody[1:], system="squadrons", battle="150", sides="first", order="squadron", captains="2")
    for who in everybody:
        asked = await sea.bot.services.reader.requests.pending_request(who.id, 1)
        asked = await sea.bot.services.orders.type_text(asked, "pass")
        await sea.bot.services.orders.seal_draft(asked, asked.row.version)
    await sea.settle()
    seats = sea.rows("seats")["seats"]
    users = {row["seat"]: row["user_id"] for row in seats}

    def opened() -> list[tuple[str, int]]:
        return [(row["id"], row["seat"]) for row in sea.rows("requests")["requests"] if row["status"] == "open"]

    def ally(seat: int) -> int:
        team = {row["seat"]: row["team"] for row in seats}
        return next(one for one in users if one != seat and team[one] == team[seat])

    ((request, seat),) = opened()
    assert ".act." in request
    # As if the game's rules asked another seat under the same id: the next step asks the right seat again.
    row = (await sea.bot.services.reader.requests.pending_request(users[seat], 1)).row
    async with sea.bot.services.store.write() as tx:
        await tx.requests.change(row, seat=ally(seat))
    enemy = next(one for one in users if one not in (seat, ally(seat)))
    await sea.bot.services.concede_game(users[enemy], 1)
    await sea.settle()
    assert opened() == [(request, seat)]
    assert (await sea.bot.services.reader.requests.pending_request(users[seat], 1)).row.seat == seat

    await sea.bot.services.concede_game(users[seat], 1)
    await sea.settle()
    ((name, now),) = opened()
    assert (name != request, now) == (True, ally(seat))
    assert (await sea.bot.services.reader.requests.pending_request(users[now], 1)).row.seat == now


async def test_the_end_says_what_the_computer_did_too(sea: Sea) -> None:
    await sea.begin_at(ABEAM, computer=1)
    await sea.seal(sea.anna, "A1 XFXFF; aim steady")
    await sea.command(sea.anna, "concede", game="1")
    await sea.press(sea.anna, sea.answers[0], "concede")
    end = next(message for message in reversed(sea.thread.history()) if "rematch" in refs(message))
    captains = re.findall(r"^\*\*(.+)\*\*: .*\d", text_of(end), re.MULTILINE)
    assert [captain.endswith("(computer)") for captain in captains] == [False, True]
