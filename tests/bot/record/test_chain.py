"""The chain of digests: posted when a round's orders are opened, never edited, and computed again from the record."""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from bot.cli.shell import prove_record
from bot.jobs.workers import Workers
from bot.record.export import check_export, decode_export, encode_export, with_digest
from rules.chance.fairness import SHOWN_HASH_DIGITS
from tests.bot.captains import by_typing, play
from tests.bot.papers import a_game, exported
from tests.bot.test_twins import CASES
from tests.sea import AFAR, Sea, refs, text_of

SHOWN = re.compile(r"(chain of fingerprints|a lenyomatok lánca): `([0-9a-f]{40})`")


def lines(sea: Sea) -> list[Any]:
    """Return the thread's messages with a line of the chain, oldest first."""
    return [message for message in sea.thread.history() if SHOWN.search(text_of(message))]


def shown(sea: Sea) -> list[str]:
    return [match[2] for message in lines(sea) if (match := SHOWN.search(text_of(message)))]


def computed(data: bytes) -> list[str]:
    """Compute the digests as docs/fairness.md says, with nothing but JSON and SHA-256."""
    paper = json.loads(data)
    record = paper.get("record", paper)

    def hashed(*parts: Any) -> str:
        compact = json.dumps(parts, separators=(",", ":"), ensure_ascii=False)
        return hashlib.sha256(compact.encode()).hexdigest()

    digest = hashed("war-galley chain 2", record["seed_commitment"], record["words"])
    digests = []
    for line in paper["chain"]:
        digest = hashed("war-galley chain 2", digest, line)
        digests.append(digest)
    return digests


def resealed(paper: dict[str, Any], **changed: Any) -> bytes:
    """Return a changed file with the digest that then belongs to it, as a careful forger would write it."""
    return encode_export(with_digest(decode_export(json.dumps({**paper, **changed}).encode())))


def changed(paper: dict[str, Any], *path: Any, to: Any) -> dict[str, Any]:
    copy = json.loads(json.dumps(paper))
    inner = copy
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = to
    return copy


@pytest.mark.proves("F17")
async def test_whoever_has_the_record_computes_the_lines_of_the_thread(sea: Sea) -> None:
    await a_game(sea)
    data = await exported(sea, sea.cili)
    digests = computed(data)
    assert shown(sea) == [digest[:SHOWN_HASH_DIGITS] for digest in digests]
    paper = json.loads(data)
    assert [line["round"] for line in paper["chain"]] == [1, 2, 3]
    # An answer in the middle of a round, and one that was sealed but never carried out, are in the line that follows.
    carried_out = [answer["commitment"] for step in paper["record"]["steps"] for answer in step["answers"]]
    unused = [answer["commitment"] for answer in paper["record"]["unused"]]
    assert [order["hash"] for line in paper["chain"] for order in line["orders"]] == [*carried_out, *unused]
    assert [[entry["kind"] for entry in line["log"]] for line in paper["chain"]] == [[], ["paused", "resumed"], []]
    # The bot noted each with its message, and names all of them.
    notes = [note for note in paper["notes"] if note["what"] == "chain"]
    assert [note["hash"] for note in notes] == digests
    assert [note["link"].rpartition("/")[2] for note in notes] == [str(message.id) for message in lines(sea)]
    said = await sea.command(sea.cili, "verify", game="1")
    holds, shell = prove_record(data)
    assert holds
    for text in (said, "\n".join(shell)):
        for note in paper["notes"]:
            assert note["hash"] in text
            assert note["link"] in text or note["what"] == "seed"  # the lobby's message stands for the thread's
        assert "claims who gave each order" in text
        assert "belong to players" not in text
    # Without the notes, it still says which digests the thread must show.
    _, alone = prove_record(resealed(paper, notes=[]))
    assert all(digest in "\n".join(alone) for digest in digests)


async def test_a_line_stands_above_the_story_that_opens_the_orders(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela)
    await sea.both_seal()
    texts = [text_of(message) for message in sea.thread.history()]
    (number,) = [number for number, text in enumerate(texts) if SHOWN.search(text)]
    assert texts[number].startswith("-# Round 1 · ")
    assert "A1 (anna): `FFFFF`" in texts[number + 1]
    assert not any("A1 (anna): `FFFFF`" in text for text in texts[:number])


@pytest.mark.begun
async def test_a_line_in_hungarian(sea: Sea) -> None:
    sea.change_rows("UPDATE games SET locale = 'hu'")
    await sea.both_seal()
    (line,) = lines(sea)
    assert text_of(line).replace("\\", "").startswith("-# 1. kör · a lenyomatok lánca: `")
    await sea.concede(sea.bela)
    data = await exported(sea, sea.cili)
    _, said = prove_record(data, language="hu")
    assert any(text.startswith("a lenyomatok lánca, 1. kör: ") and computed(data)[0] in text for text in said)


@pytest.mark.proves("F17")
async def test_no_line_is_edited_in_a_whole_game_whatever_else_is_posted_again(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela)
    await play(sea, [sea.anna, sea.bela], by_typing, rounds=2)
    posted = len(lines(sea))
    assert posted == 2
    # Every message of the game is requested again, a line's message among them.
    async with sea.bot.services.store.write() as tx:
        await tx.messages.renew_shown([1], now=sea.bot.services.now())
    await sea.env.advance_time(60)
    await sea.settle()
    await sea.command(sea.anna, "host repost", game="1")
    await sea.command(sea.manager(), "host kick", game="1", whose="anna", to_computer=True)
    await play(sea, [sea.bela], by_typing)
    assert sea.rows("games")["games"][0]["phase"] == "over"
    await sea.bot.services.privacy.forget_user(sea.bela.id)
    await sea.settle()
    ids = [message.id for message in lines(sea)]
    assert len(ids) > posted
    assert [message.edited_at for message in lines(sea)] == [None] * len(ids)
    edits = [call.path for call in sea.env.http_requests if call.method == "PATCH"]
    assert edits
    assert not [path for path in edits if any(str(number) in path for number in ids)]
    assert not [row for row in sea.rows("outbox")["outbox"] if row["kind"] == "chain" and row["edited_at"]]


@pytest.mark.begun
async def test_a_line_that_arrived_unnoticed_is_neither_edited_nor_posted_twice(sea: Sea) -> None:
    await sea.both_seal()
    (line,) = lines(sea)
    # The bot was killed after Discord had taken the message and before that was written down.
    sea.change_rows(
        "UPDATE outbox SET message_id = NULL, sent = 0, attempts = 1, shown = NULL, due_at = 0 WHERE kind = 'chain'"
    )
    sea.change_rows("DELETE FROM published WHERE what = 'chain'")
    await sea.restart()
    await sea.settle()
    (same,) = lines(sea)
    assert (same.id, same.edited_at) == (line.id, None)
    (row,) = [row for row in sea.rows("outbox")["outbox"] if row["kind"] == "chain"]
    assert (row["message_id"], row["sent"], row["edited_at"]) == (line.id, row["wanted"], None)
    assert [row["what"] for row in sea.rows("published")["published"]].count("chain") == 1


async def test_what_is_changed_in_a_record_changes_every_digest_from_that_round_on(sea: Sea) -> None:
    await a_game(sea)
    paper = json.loads(await exported(sea, sea.cili))
    digests = computed(json.dumps(paper).encode())
    other_hash = "0a" * 32
    first, second = paper["chain"][1]["log"]
    for number, line in (
        (0, changed(paper["chain"][0], "orders", 0, "hash", to=other_hash)),
        (0, changed(paper["chain"][0], "orders", 1, "given_by", to="computer")),
        (1, changed(paper["chain"][1], "orders", 0, "given_by", to="deadline")),
        (1, changed(paper["chain"][1], "log", to=[second, first])),
        (1, changed(paper["chain"][1], "log", to=[second])),
        (1, changed(paper["chain"][1], "log", 0, "at", to=7)),
        (2, changed(paper["chain"][2], "round", to=4)),
    ):
        forged = changed(paper, "chain", number, to=line)
        others = computed(json.dumps(forged).encode())
        assert others[:number] == digests[:number]
        assert not {*others[number:]} & {*digests[number:]}
        flaw = check_export(resealed(forged))
        assert flaw is not None
        assert (flaw.what, flaw.piece) == ("told_chain", str(number + 1)), line
        # Without the notes, the thread is left to compare with; and the rest of the record contradicts most of them.
        alone = check_export(resealed(forged, notes=[]))
        assert alone is None if number == 2 else (alone and (alone.what, alone.piece) == ("chain", str(number + 1)))


@pytest.mark.proves("F18")
async def test_a_record_that_differs_from_its_own_chain_is_wrong(sea: Sea) -> None:
    await a_game(sea)
    paper = json.loads(await exported(sea, sea.cili))
    log = paper["log"]
    answers = ("record", "steps", 1, "answers")
    for forged in (
        changed(paper, "log", to=log[1:]),
        changed(paper, "log", to=[log[1], log[0], *log[2:]]),
        changed(paper, "log", 0, "kind", to="stuck"),
        changed(paper, "log", 1, "params", "until", to=7),
        changed(paper, *answers, 0, "given_by", to="deadline"),
        changed(paper, "record", "unused", 0, "given_by", to="computer"),
    ):
        flaw = check_export(resealed(forged, notes=[note for note in paper["notes"] if note["what"] != "digest"]))
        assert flaw is not None
        assert flaw.what == "chain"
    # A file is no export if its chain is none.
    for bad in ({"round": -1}, {"round": "one"}, {"orders": [{"hash": "ab", "given_by": "captain"}]}, {"log": None}):
        holds, said = await _proved(changed(paper, "chain", 0, to={**paper["chain"][0], **bad}))
        assert not holds, said


async def _proved(paper: dict[str, Any]) -> tuple[bool, str]:
    try:
        return check_export(json.dumps(paper).encode()) is None, ""
    except Exception as error:  # noqa: BLE001 - its text is asserted on
        return False, str(error)


async def test_one_who_removes_an_act_from_the_database_is_found_out(sea: Sea) -> None:
    await a_game(sea)
    sea.change_rows("DELETE FROM acts WHERE kind = 'paused'")
    sea.change_rows("DELETE FROM published WHERE what = 'digest'")
    said = await sea.command(sea.cili, "verify", game="1")
    assert "chain of fingerprints, from round 2 on, doesn't fit" in said


@pytest.mark.begun
async def test_a_running_games_chain_is_checked_too(sea: Sea) -> None:
    await sea.both_seal()
    data = await exported(sea, sea.cili)
    assert [digest[:SHOWN_HASH_DIGITS] for digest in computed(data)] == shown(sea)
    said = await sea.command(sea.cili, "verify", game="1")
    assert computed(data)[0] in said
    subject = json.loads(next(row["ref"] for row in sea.rows("outbox")["outbox"] if row["kind"] == "chain"))
    subject["line"]["orders"][0]["given_by"] = "computer"
    sea.change_rows("UPDATE outbox SET ref = ? WHERE kind = 'chain'", json.dumps(subject))
    assert "isn't the one that was published. From round 1 on" in await sea.command(sea.cili, "verify", game="1")


@pytest.mark.begun
async def test_a_round_that_is_played_again_has_a_line_of_its_own(sea: Sea) -> None:
    await sea.both_seal()
    await sea.command(sea.anna, "host undo", game="1", to_round=1)
    (asked,) = [row["id"] for row in sea.rows("acts")["acts"] if row["kind"] == "undo_asked"]
    message = next(found for found in sea.thread.history() if f"agree_act {asked}" in refs(found))
    await sea.press(sea.bela, message, f"agree_act {asked}")
    await sea.both_seal("A1 XLFFF", "B1 XRFFF")
    assert len(shown(sea)) == 2
    await sea.concede(sea.bela)
    data = await exported(sea, sea.cili)
    assert [digest[:SHOWN_HASH_DIGITS] for digest in computed(data)][:2] == shown(sea)[:2]
    assert check_export(data) is None
    undone = json.loads(data)["chain"][1]
    assert (undone["round"], [entry["kind"] for entry in undone["log"]]) == (1, ["undo_asked", "undo_agreed", "undone"])


def _public(sea: Sea) -> list[Any]:
    """Return the lines without what is hashed with a random number."""
    subjects = [json.loads(row["ref"])["line"] for row in sea.rows("outbox")["outbox"] if row["kind"] == "chain"]
    return [{**line, "orders": [order["given_by"] for order in line["orders"]]} for line in subjects]


@pytest.mark.parametrize("name", ["plans", "acts with doctrines", "orders of a season"])
async def test_games_that_differ_in_secrets_differ_in_hashes_alone(
    name: str, new_database: Callable[[], str], workers: Workers, settings: dict[str, Any]
) -> None:
    """A plan is a step that others must not know of; a season's turn hides who does what where."""
    lines_of_twins = []
    for twin in CASES[name].twins:
        sea = Sea(new_database(), workers, itertools.count(1), **settings)
        async with sea.open():
            who = await CASES[name].begin(sea)
            await twin(sea, who)
            await CASES[name].after(sea, who)
            texts = [text_of(message) for message in lines(sea)]
            assert texts
            lines_of_twins.append((_public(sea), [SHOWN.sub("", text) for text in texts]))
            stored = [row["ref"] for row in sea.rows("outbox")["outbox"] if row["kind"] == "chain"]
            for answer in sea.rows("answers")["answers"]:
                assert answer["nonce"] not in "".join([*stored, *texts])
    assert lines_of_twins[0] == lines_of_twins[1]
