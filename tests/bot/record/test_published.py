"""Published records stay as they were; one that was changed later, or lacks a name, is reported as that."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import structs

from bot.cli.shell import prove_record
from bot.record.export import FinishedGame, RunningGame, check_export, decode_export, encode_export, with_digest
from bot.texts.i18n import Catalogue, Localizer
from bot.texts.style import PLAIN_STYLE
from rules.chance import fairness
from rules.chance.fairness import SHOWN_HASH_DIGITS
from tests.bot.papers import a_game, exported
from tests.bot.services.test_import import shelled
from tests.sea import AFAR, Sea, refs, text_of


async def verdict(sea: Sea, tmp_path: Path, game: int = 1) -> str:
    file = tmp_path / "now.json"
    done = await shelled("export", game, "-o", file, "--database", sea.database_url)
    assert done.exit_code == 0, done.output
    return str((await shelled("verify", file)).output)


def link(sea: Sea, message: Any) -> str:
    return f"https://discord.com/channels/{sea.guild.id}/{message.channel.id}/{message.id}"


@pytest.mark.proves("F6")
async def test_each_hash_is_kept_with_its_message(sea: Sea, tmp_path: Path) -> None:
    await sea.command(sea.anna, "new", galleys="1")
    lobby = sea.channel.last_message
    await sea.command(sea.bela, "join")
    lobby = sea.again(sea.bela, lobby)
    shown = await sea.click_only(sea.bela, lobby, refs(lobby)["word"])
    await sea.send_form(sea.bela, lobby, shown, "tide")
    sea.change_rows("UPDATE games SET setup = json_set(setup, '$.position', ?) WHERE phase = 'lobby'", AFAR)
    await sea.command(sea.anna, "start")
    await sea.seal(sea.anna, "A1 FFFFF")
    (broken,) = (row["commitment"] for row in sea.rows("answers")["answers"])
    assert broken[:SHOWN_HASH_DIGITS] in sea.told()
    await sea.press(sea.anna, sea.panel(sea.anna), "unseal")
    assert broken[:SHOWN_HASH_DIGITS] not in sea.told()
    running = decode_export(await exported(sea, sea.cili))
    assert isinstance(running, RunningGame)
    assert "so far" in await sea.command(sea.cili, "verify", game="1")
    await sea.both_seal("A1 FFFFL", "B1 FFFFF")
    await sea.seal(sea.anna, "A1 LXFXF")  # never carried out
    await sea.concede(sea.bela)

    data = await exported(sea, sea.cili)
    paper = decode_export(data)
    assert isinstance(paper, FinishedGame)
    assert isinstance(paper.notes, tuple)
    hashes = {row["request_id"]: row["commitment"] for row in sea.rows("answers")["answers"]}
    begin = next(message for message in sea.thread.history() if "`tide`" in text_of(message))
    end = next(message for message in sea.thread.history() if paper.digest[:SHOWN_HASH_DIGITS] in text_of(message))
    told = [(one.what, one.hash, one.link) for one in paper.notes]
    seed = paper.record.seed_commitment
    assert told[:2] == [("seed", seed, link(sea, lobby)), ("seed", seed, link(sea, begin))]
    assert told[2] == ("words", fairness.hash_words((None, "tide")), link(sea, begin))
    assert told[-1] == ("digest", paper.digest, link(sea, end))
    seals = [(one.request, one.hash) for one in paper.notes if one.what == "seal"]
    assert seals[0] == ("r1.orders.0", broken)
    assert sorted(seals[1:]) == sorted(hashes.items())
    assert [one.hash for one in paper.notes if one.what == "broken"] == [broken]
    whole = {text_of(message) for message in sea.thread.history()}
    for request, hashed in hashes.items():
        (where,) = (one.link for one in paper.notes if one.hash == hashed)
        message = next(one for one in sea.thread.history() if link(sea, one) == where)
        assert f"`{hashed[:8]}…`" in text_of(message), (request, whole)

    # Each is named, with the message that it must be held against; and no more is claimed than was checked.
    await verdict(sea, tmp_path)
    chat = await sea.command(sea.cili, "verify", game="1")
    file = tmp_path / "now.json"
    shell = (await shelled("verify", file)).output
    # What one wants to know comes first, and of the game that has just ended, though it isn't named.
    assert "Every roll of #1" in chat.splitlines()[0]
    assert "Every roll of #1" in (await sea.command(sea.anna, "verify")).splitlines()[0]
    for said in (chat, shell):
        assert "fits its hash" in said
        assert "Only the thread can prove" in said
        assert "Everything" not in said
        for piece in (seed, paper.digest, link(sea, lobby), link(sea, end), "tide"):
            assert piece in said
    for one in paper.notes:
        if one.what in ("seal", "broken"):
            assert one.hash in shell

    # All of it goes along into another database.
    other, out = f"sqlite+aiosqlite:///{tmp_path / 'other.sqlite'}", tmp_path / "out.json"
    assert (await shelled("import", file, "--database", other)).exit_code == 0
    assert (await shelled("export", 1, "-o", out, "--database", other)).exit_code == 0
    assert out.read_bytes() == data
    # A file that contradicts what was published of it is found, also one that is consistent.
    forged = msgspec.json.decode(data)
    forged["name"] = "another war"
    assert check_export(encode_export(with_digest(decode_export(msgspec.json.encode(forged))))).what == "published"  # type: ignore[union-attr]


@pytest.mark.proves("F15")
async def test_one_who_changes_the_database_is_found_out(sea: Sea, tmp_path: Path) -> None:
    """The audit's attacks: behind the bot's back, and as consistently as may be."""
    await a_game(sea)
    paper = decode_export(await exported(sea, sea.cili))
    assert isinstance(paper, FinishedGame)
    game, answer = paper.record.seed_commitment, paper.record.steps[1].answers[0]
    (last,) = paper.record.unused
    nonce = "0a" * 32
    other = fairness.hash_answer(game, answer.request, answer.body, nonce)
    order = last.body.replace("FXLXF", "FXRXF")
    assert "fits its hash" in await verdict(sea, tmp_path)
    fit, seal, record = "doesn't fit its hash", "whose hash was published", "record whose fingerprint was published"
    for table, key, change, said in (
        ("answers", answer.request, {"nonce": nonce}, fit),
        ("answers", answer.request, {"nonce": ""}, fit),
        ("answers", answer.request, {"commitment": other}, fit),
        ("answers", answer.request, {"nonce": nonce, "commitment": other}, seal),
        ("answers", last.request, _forged(game, last.request, order, nonce), seal),
        ("answers", answer.request, {"given_by": "deadline"}, record),
        ("answers", answer.request, {"sealed_at": 7}, record),
        ("steps", 1, {"resolved_at": 7}, record),
        ("seats", 0, {"name": "nobody"}, record),
        ("games", 1, {"name": "another war"}, record),
        ("games", 1, {"created_at": 7}, record),
    ):
        column = {"answers": "request_id", "steps": "no", "seats": "seat", "games": "id"}[table]
        (was,) = (row for row in sea.rows(table)[table] if row[column] == key)
        _set(sea, table, column, key, change)
        assert said in await verdict(sea, tmp_path), (table, change)
        if change == {"given_by": "deadline"} or len(change) == 2:
            assert said in await sea.command(sea.cili, "verify", game="1")
        _set(sea, table, column, key, {name: was[name] for name in change})
    assert "fits its hash" in await verdict(sea, tmp_path)


def _forged(game: str, request: str, body: str, nonce: str) -> dict[str, str]:
    """Return another answer, sealed as the bot would have done."""
    return {"body": body, "nonce": nonce, "commitment": fairness.hash_answer(game, request, body, nonce)}


def _set(sea: Sea, table: str, column: str, key: Any, change: dict[str, Any]) -> None:
    settings = ", ".join(f"{name} = ?" for name in change)
    sea.change_rows(f"UPDATE {table} SET {settings} WHERE {column} = ?", *change.values(), key)


@pytest.mark.begun
async def test_another_seed_is_found_out_though_all_follows_from_it(sea: Sea, tmp_path: Path) -> None:
    sea.change_rows("UPDATE games SET seed = ?", "5e" * 32)
    assert "whose fingerprint was published" in await sea.command(sea.cili, "verify", game="1")
    await sea.concede(sea.bela)
    for said in (await verdict(sea, tmp_path), await sea.command(sea.cili, "verify", game="1")):
        assert "its dice aren't those whose fingerprint was published" in said
    # The file by itself holds: it is what was published that it contradicts.
    paper = decode_export((tmp_path / "now.json").read_bytes())
    alone = encode_export(with_digest(msgspec.structs.replace(paper, notes=())))
    assert check_export(alone) is None


@pytest.mark.begun
async def test_what_was_taken_back_or_asked_again_was_published_all_the_same(sea: Sea, tmp_path: Path) -> None:
    for who, text in ((sea.anna, "A1 FXLXF"), (sea.bela, "B1 RXFXF"), (sea.anna, "A1 FXLXF")):
        await sea.seal(who, text)  # the last seal is broken by going back
    await sea.command(sea.anna, "host undo", game="1", to_round=1)
    (asked,) = [row["id"] for row in sea.rows("acts")["acts"] if row["kind"] == "undo_asked"]
    message = next(found for found in sea.thread.history() if f"agree_act {asked}" in refs(found))
    await sea.press(sea.bela, message, f"agree_act {asked}")
    await sea.both_seal("A1 XLFFF", "B1 XRFFF")
    assert "so far" in await sea.command(sea.cili, "verify", game="1")
    await sea.concede(sea.bela)
    shell = await verdict(sea, tmp_path)
    assert "by going back: 1" in shell
    assert "fits its hash" in shell
    paper = decode_export((tmp_path / "now.json").read_bytes())
    assert isinstance(paper, FinishedGame)
    assert isinstance(paper.notes, tuple)
    assert sum(one.what == "seal" and one.request == "r1.orders.0" for one in paper.notes) == 2
    # The answers of both times cannot change places.
    rows = [row for row in sea.rows("answers")["answers"] if row["request_id"].startswith("r1.orders.0")]
    for row, with_ in (rows, rows[::-1]):
        change = {name: with_[name] for name in ("body", "nonce", "commitment")}
        _set(sea, "answers", "request_id", row["request_id"], change)
    assert "is wrong" in await verdict(sea, tmp_path)


async def files(sea: Sea) -> tuple[bytes, bytes]:
    """Return a game's file before and after one of its captains was forgotten."""
    await a_game(sea)
    before = await exported(sea, sea.cili)
    await sea.bot.services.privacy.forget_user(sea.bela.id)
    await sea.settle()
    return before, await exported(sea, sea.cili)


async def test_held_against_the_published_fingerprint_it_is_said_to_lack_a_name(sea: Sea) -> None:
    language = "hu"
    before, after = await files(sea)
    digest = decode_export(before).digest
    assert decode_export(after).digest != digest
    words = Localizer(Catalogue.load(language), style=PLAIN_STYLE)
    for told in (digest, digest[:SHOWN_HASH_DIGITS]):
        holds, lines = await asyncio.to_thread(prove_record, after, told, language)
        assert (holds, *map(str, lines)) == (False, words.say("flaw.withdrawn", piece=digest))
    # By itself it holds, and so does the file from before.
    holds, lines = await asyncio.to_thread(prove_record, after, "", language)
    assert holds
    assert words.say("proof.withdrawn") in lines
    holds, lines = await asyncio.to_thread(prove_record, before, digest, language)
    assert holds
    assert words.say("proof.withdrawn") not in lines


async def test_another_game_does_not_become_the_published_one_by_saying_so(sea: Sea) -> None:
    before, after = await files(sea)
    real, paper = decode_export(before), decode_export(after)
    changed = with_digest(structs.replace(paper, captains=("somebody", "else")))
    for forged in (changed, with_digest(structs.replace(changed, published=fairness.hash_seed("ab" * 32)))):
        flaw = check_export(encode_export(forged), real.digest)
        assert flaw is not None
        assert flaw.what in ("withdrawn", "published")
    assert check_export(encode_export(structs.replace(changed, captains=real.captains)), real.digest) is not None


async def test_who_kept_the_file_from_before_holds_it_against_the_game(sea: Sea) -> None:
    before, after = await files(sea)
    holds = Catalogue.load("en").say("proof.digest", digest=decode_export(before).digest)
    for data in (before, after):
        said = await sea.command(sea.cili, "verify", game="1", file=("game.json", data))
        assert "fits its hash" in said, said
        assert (holds in said) == (data == before)
