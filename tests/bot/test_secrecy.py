"""Drafts and sealed answers reach nobody else, and no log, before their time."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from bot.record import export
from bot.store.models.records import Player
from rules.chance.fairness import SHOWN_HASH_DIGITS
from tests import wire
from tests.bot.rows import is_first_in_south, must_act
from tests.sea import AFAR, Sea, refs

DRAFTED = ("FLFRF", "F L F R F", "FLRLF", "F L R L F", "casualties fighting")


@pytest.mark.proves("F7")
async def test_nobody_learns_of_orders_before_the_round(sea: Sea, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="bot")
    await sea.begin_at(AFAR, sea.bela)
    await sea.write(sea.anna, "A1 FLRLF; casualties fighting")
    panel = sea.panel(sea.anna)
    shown = await sea.open_form(sea.anna, panel)
    await sea.send_form(sea.anna, panel, shown, "A1 FLFRF")
    await sea.press(sea.anna, sea.panel(sea.anna), "seal")
    await _pry(sea)
    (answer,) = sea.rows("answers")["answers"]
    assert answer["body"].startswith("A1 FLFRF; ")
    (seed,) = (row["seed"] for row in sea.rows("games")["games"])
    secrets = (*DRAFTED, answer["body"], answer["nonce"])
    others = [text for reader, text in wire.readers(sea) if reader != sea.anna.id]
    assert len(others) > 10
    for text in others:
        assert not [secret for secret in (*secrets, seed) if secret in text], text
    assert not [text for _, text in wire.readers(sea) if seed in text or answer["nonce"] in text]
    for record in caplog.records:
        assert not [secret for secret in (*secrets, seed) if secret in record.getMessage()]
    assert answer["commitment"][:SHOWN_HASH_DIGITS] in sea.told()
    # Then the bot tells it, with what opens the seal; the seed only at the end.
    await sea.seal(sea.bela, "B1 FFFFF")
    assert "A1 (anna): `FLFRF`" in sea.told()
    story = next(message for message in reversed(sea.thread.history()) if "log" in refs(message))
    await sea.press(sea.cili, story, "log")
    said = await sea.sealed_texts(sea.cili)
    assert answer["nonce"] in said
    assert answer["body"] in said
    assert not [text for _, text in wire.readers(sea) if seed in text]


async def test_sealed_places_are_seen_by_their_captain_alone(sea: Sea) -> None:
    await sea.begin(sea.bela, galleys="1", table="coffee", deployment="sealed")
    await sea.seal(sea.anna, "A1 4/4 @123.4,75" if is_first_in_south(sea) else "A1 4/4 @123.4,525")
    await _pry(sea)
    (answer,) = sea.rows("answers")["answers"]
    for reader, text in wire.readers(sea):
        if reader != sea.anna.id:
            assert "123.4" not in text
            assert answer["nonce"] not in text


async def _pry(sea: Sea) -> None:
    """Let the enemy and a spectator ask for all that there is to ask for."""
    for who in (sea.bela, sea.cili):
        for command in ("status", "table", "log", "games"):
            await sea.command(who, command, **({} if command == "games" else {"game": "1"}))
        await who.autocomplete(sea.channel, "galley orders", "game", "")
        for message in sea.thread.history():
            for key in {"why", "view", "log", "orders"} & set(refs(message)):
                await sea.press(who, message, key)
    await sea.write(sea.bela, "B1 F")
    await sea.write(sea.bela, "A1 FFF")


# A sealed doctrine and standing orders stay out of the log until they are used.
async def test_nobody_reads_the_enemys_doctrine_before_it_is_used(sea: Sea) -> None:
    await sea.begin(sea.bela, system="ramspeed", scenario="skerries", sides="first")
    await sea.seal(sea.anna, "all: stay\ndoctrine all: swipe=grapple slip=back\nstanding A1: fwd 1")
    await sea.seal(sea.bela, "all: stay")
    await sea.settle()
    assert (await sea.asked(sea.bela, 1)).row.body.round == 2
    said = await sea.command(sea.bela, "log", game="1") + await sea.sealed_texts(sea.bela)
    paper = (await sea.bot.services.records.write_record(1, sea.bela.id)).data.decode()
    for found in (said, paper):
        assert "slip=back" not in found
        assert "standing A1" not in found
    kept = await sea.bot.services.archive.published_hashes(1)
    for reader in (sea.anna, sea.bela, sea.cili):
        running = (await sea.bot.services.records.write_record(1, reader.id)).data
        assert export.check_export(running, stored_hashes=kept) is None
        assert ("slip=back" in running.decode()) == (reader == sea.anna), "his own he may read"
    await sea.concede(sea.bela)
    whole = (await sea.bot.services.records.write_record(1, sea.cili.id)).data
    assert "slip=back" in whole.decode(), "at the end all is opened"
    assert export.check_export(whole, stored_hashes=await sea.bot.services.archive.published_hashes(1)) is None


@pytest.mark.proves("F7")
async def test_orders_are_opened_when_their_turn_is_over_and_doctrines_when_the_game_is(sea: Sea) -> None:
    """Also where they came with the orders of one squadron, which are carried out at once."""
    await sea.begin(sea.bela, system="squadrons", order="squadron", sides="first")
    for who in (sea.anna, sea.bela):
        await _seals(sea, who, "pass")
    first = sea.anna if await sea.asked(sea.anna) else sea.bela
    await _seals(sea, first, "all: F\ndoctrine all: fire=off")
    enemy = sea.bela if first is sea.anna else sea.anna
    (nonce,) = [row["nonce"] for row in sea.rows("answers")["answers"] if "fire=off" in row["body"]]
    said = await sea.command(enemy, "log", game="1") + await sea.sealed_texts(enemy)
    assert "All: ahead 1" not in said
    assert "all: F" not in said, "while her enemy is still to act"
    while acting := [who for who in (sea.anna, sea.bela) if await must_act(sea, who)]:
        await _seals(sea, acting[0], "pass")
    assert "All: ahead 1" in await sea.command(enemy, "log", game="1")
    said = await sea.sealed_texts(enemy)
    assert "all: F" in said
    assert "fire=off" not in said
    assert nonce not in said, "with it a doctrine could be guessed"
    await sea.command(first, "log", game="1")
    assert "fire=off" in await sea.sealed_texts(first), "their own they may read"
    running = (await sea.bot.services.records.write_record(1, enemy.id)).data
    assert b"fire=off" not in running
    assert export.check_export(running, stored_hashes=await sea.bot.services.archive.published_hashes(1)) is None
    await sea.concede(enemy)
    whole = (await sea.bot.services.records.write_record(1, enemy.id)).data.decode()
    assert "fire=off" in whole
    assert nonce in whole
    assert export.check_export(whole.encode(), stored_hashes=await sea.bot.services.archive.published_hashes(1)) is None


async def _seals(sea: Sea, who: Any, text: str) -> None:
    await sea.seal(who, text)
    await sea.settle()


# Who takes over a seat does not learn which ship its captain last looked at.
async def test_what_a_captain_looked_at_goes_to_nobody_with_their_seat(sea: Sea) -> None:
    await sea.begin_at(f"{AFAR} ; A2:south 5-5+3/5 @700,80^0", sea.bela)
    await sea.write(sea.anna, "A2")  # she has ordered nothing, and only looks at her second galley
    (row,) = [one for one in sea.rows("requests")["requests"] if one["seat"] == 0]
    assert (row["draft"], row["focus"]) == ("", "A2")
    sea.change_rows("UPDATE seats SET offered_at = 1 WHERE game_id = 1 AND seat = 0")
    await sea.bot.services.absence.take_over_seat(Player(user_id=sea.cili.id, name="cili", locale="en"), 1, 0)
    await sea.settle()
    (row,) = [one for one in sea.rows("requests")["requests"] if one["seat"] == 0]
    assert row["focus"] == ""
