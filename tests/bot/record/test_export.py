"""`/galley history export` and `verify`: a game on paper, in which nothing can be changed unseen."""

from __future__ import annotations

import copy
import hashlib
import json
import random
from collections import Counter
from collections.abc import Iterator
from string import Formatter
from typing import Any

import msgspec
import pytest
from typer.testing import CliRunner

from bot.cli.main import app
from bot.record.export import (
    LOG_ENTRY_PARAMS,
    MAX_FILE_BYTES,
    FinishedGame,
    RunningGame,
    check_export,
    decode_export,
    encode_export,
    with_digest,
)
from bot.texts.i18n import COMMAND_MARK, Catalogue
from rules.chance.fairness import SHOWN_HASH_DIGITS
from rules.core.errors import OrderError
from tests.bot.papers import a_game, a_round, exported
from tests.bot.records import assert_holds
from tests.laws.length import LONG, times
from tests.sea import AFAR, Sea, refs, text_of

REMARKS = ("name", "locale", "opened", "ended", "captains", "at", "computation")
"""Fields that only the digest protects: nothing else determines them. A computation is tried by `test_recomputing`."""

CHAINED = ("log", "given_by", "chain")
"""Fields that lines of the chain cover, except steps, rounds and what no line names: see test_chain."""

UNREADABLE = ("no_export", "unknown_system")


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(item, (*path, key))
    else:
        yield path


def chosen(paths: Iterator[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Choose, of leaves that differ only by their places in lists, the first, the last and one between; `LAWS=long`:
    all."""
    alike: dict[tuple[Any, ...], list[tuple[Any, ...]]] = {}
    for path in paths:
        alike.setdefault(tuple(key if isinstance(key, str) else 0 for key in path), []).append(path)
    return [path for some in alike.values() for path in (some if LONG else {some[0], some[len(some) // 2], some[-1]})]


def at(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


def verdict(data: bytes, published: str = "") -> str:
    try:
        flaw = check_export(data, published)
    except OrderError as refused:
        return refused.fault.code
    return flaw.what if flaw else ""


def other(value: Any) -> Any:
    """Change a leaf, to another value of its kind where there is one."""
    match value:
        case bool():
            return not value
        case int() | float():
            return value + 1
        case str():
            return f"{value[:-1]}{'1' if value[-1:] != '1' else '2'}"
    return 0


@pytest.mark.proves("F3", "F6")
async def test_a_finished_game_is_handed_out_and_holds(sea: Sea) -> None:
    await a_game(sea)
    data = await exported(sea, sea.cili)
    paper = decode_export(data)
    assert isinstance(paper, FinishedGame)
    assert data == encode_export(paper)
    assert check_export(data) is None
    assert paper.captains == ("anna", "bela")
    assert sea.told().count(paper.digest[:SHOWN_HASH_DIGITS]) == 1
    bare = {**json.loads(data), "digest": "", "notes": []}
    assert paper.digest == hashlib.sha256(msgspec.json.encode(bare)).hexdigest()
    assert [answer.body[:8] for answer in paper.record.unused] == ["A1 FXLXF"]
    given = {answer.given_by for step in paper.record.steps for answer in step.answers}
    assert given == {"captain", "deadline"}
    # It names nobody by their number on Discord.
    for who in (sea.anna, sea.bela, sea.cili):
        assert str(who.id) not in data.decode()
    await assert_holds(sea)


@pytest.mark.proves("F11", "F13")
async def test_any_leaf_and_any_bit_that_is_changed_is_found(sea: Sea) -> None:
    await a_game(sea)
    data = await exported(sea, sea.anna)
    paper = msgspec.json.decode(data)
    found: Counter[str] = Counter()
    for path in chosen(leaves(paper)):
        if path[0] == "notes":
            continue  # published hashes are compared with the record and the thread: see test_published
        false = copy.deepcopy(paper)
        at(false, path[:-1])[path[-1]] = other(at(paper, path))
        flipped = msgspec.json.encode(false)
        assert flipped != data
        found[flaw := verdict(flipped)] += 1
        if flaw in UNREADABLE or (len(path) == 1 and path[0] in ("digest", "kind", "format")):
            continue
        # If a forger changes the digest too, the rules find it out, unless it is a remark …
        forged = encode_export(with_digest(msgspec.structs.replace(decode_export(flipped), notes=())))
        if any(key in CHAINED for key in path):
            assert verdict(forged) in ("", "chain"), path
        elif any(key in REMARKS for key in path):
            assert not verdict(forged), path
        elif path[:2] == ("record", "unused") and path[-1] == "request":
            pass  # nothing was carried out of it: which of the questions asked it was meant for follows from nothing
        elif path[:2] != ("record", "setup"):  # a choice that made no difference in this game follows from nothing
            assert verdict(forged), path
        # … and, always, by the digest in the thread.
        assert verdict(forged, paper["digest"]), path
    assert not found[""]
    assert {"seed", "commitment", "events", "digest"} <= found.keys()

    whims = random.Random(11)
    end = 8 * data.index(b',"notes":[')
    for place in [*range(0, end, 8 * times(397, 97)), *(whims.randrange(end) for _ in range(times(50, 200)))]:
        bits = bytearray(data)
        bits[place // 8] ^= 1 << place % 8
        assert verdict(bytes(bits)), place


async def test_what_was_done_beside_the_rules_is_on_paper_by_seat(sea: Sea) -> None:
    chief = sea.manager()
    await sea.begin_at(AFAR, sea.bela)
    await sea.command(chief, "host extend", game="1", by="6h")
    await sea.command(sea.bela, "extend", game="1", pause=True)
    await sea.command(sea.bela, "extend", game="1")
    await sea.both_seal()
    await sea.command(sea.anna, "host undo", game="1", to_round=1)
    (asked,) = [row["id"] for row in sea.rows("acts")["acts"] if row["kind"] == "undo_asked"]
    message = next(found for found in sea.thread.history() if f"agree_act {asked}" in refs(found))
    await sea.press(sea.bela, message, f"agree_act {asked}")
    await sea.command(chief, "host replace", game="1", whose="bela", substitute=sea.cili)
    await sea.bot.services.absence.offer_seats_of_departed(sea.cili.id, sea.guild.id)
    await sea.settle()
    await sea.command(chief, "host kick", game="1", whose="cili", to_computer=True)
    await sea.concede(sea.anna)
    data = await exported(sea, sea.bela)
    paper = decode_export(data)
    assert isinstance(paper, FinishedGame)
    assert [(entry.kind, entry.by, entry.seat) for entry in paper.log] == [
        ("extended_alone", "manager", None),
        ("pause_asked", 1, 1),
        ("extended", 1, 1),
        ("undo_asked", 0, 0),
        ("undo_agreed", 1, 1),
        ("undone", 1, None),
        ("replaced", "manager", 1),
        ("left", None, 1),
        ("computer", "manager", 1),
        ("unrated_brief", None, None),
    ]
    assert paper.log[6].params == {"captain": "bela", "to": "cili"}
    assert [entry.step for entry in paper.log[:7]] == [0, 0, 0, 1, 1, 1, 2]
    acts = sea.rows("acts")["acts"]
    assert [(entry.at, entry.step) for entry in paper.log] == [(row["at"], row["step_no"]) for row in acts]
    for who in (sea.anna, sea.bela, sea.cili, chief):
        assert str(who.id) not in data.decode()
    assert paper.digest[:SHOWN_HASH_DIGITS] in sea.told()
    assert check_export(data, paper.digest) is None
    # A change of who, what, when, which seat or how much is found; and what cannot have happened is no export at all.
    truth = msgspec.json.decode(data)
    for number, entry in enumerate(truth["log"]):
        for path in leaves(entry):
            false = copy.deepcopy(truth)
            at(false["log"][number], path[:-1])[path[-1]] = other(at(entry, path))
            assert verdict(msgspec.json.encode(false)) in ("digest", "no_export"), (number, path)
    for change in (
        {"kind": "sunk"},
        {"by": 2},
        {"by": "host"},
        {"seat": 9},
        {"step": 99},
        {"params": {}},
        {"params": {"until": "soon"}},
        {"params": {"until": 1, "was": 7}},
        {"kind": "engaged", "params": {"crew": 7}},
    ):
        false = copy.deepcopy(truth)
        false["log"][0] |= change
        assert verdict(msgspec.json.encode(false)) == "no_export", change
    del truth["log"][3]
    assert verdict(msgspec.json.encode(truth)) == "digest"


def test_what_is_told_of_an_act_is_what_its_sentence_names() -> None:
    texts = Catalogue.load("en").messages
    told = {key.partition(".")[2]: text for key, text in texts.items() if key.startswith(("act.", "proposal."))}
    named = {kind: {name for _, name, _, _ in Formatter().parse(text) if name} for kind, text in told.items()}
    values = {kind: {name for name in names if not name.startswith(COMMAND_MARK)} for kind, names in named.items()}
    assert "length" in values["gap"], "it is counted from when the gap began until it ended"
    values["gap"] = {"since", "until"}
    assert {kind: names - {"who", "seat"} for kind, names in values.items()} == {
        kind: set(names) for kind, names in LOG_ENTRY_PARAMS.items()
    }


async def test_what_is_written_otherwise_is_another_file(sea: Sea) -> None:
    await a_game(sea)
    data = await exported(sea, sea.anna)
    for same in (msgspec.json.format(data), data + b"\n", data.replace(b'"format":2,', b'"format":2,"more":2,', 1)):
        assert verdict(same) == "digest"


async def test_verifying_says_what_holds_and_what_does_not(sea: Sea) -> None:
    sea.languages[sea.anna.id] = "hu"
    await a_game(sea)
    data = await exported(sea, sea.anna)
    digest = decode_export(data).digest
    said = await sea.command(sea.anna, "verify", game="1")
    assert "önmagában rendben" in said
    assert digest in said
    assert digest in await sea.command(sea.anna, "verify", file=("game.json", data))
    paper = msgspec.json.decode(data)
    paper["record"]["steps"][1]["answers"][0]["nonce"] = "0" * 64
    said = await sea.command(sea.anna, "verify", file=("game.json", msgspec.json.encode(paper)))
    assert "1. bejegyzése hibás" in said
    # A forged file that is consistent is not the game that it says it is.
    paper = msgspec.json.decode(data)
    paper["name"] = "another war"
    forged = encode_export(with_digest(decode_export(msgspec.json.encode(paper))))
    assert "önmagában rendben" in await sea.command(sea.anna, "verify", file=("game.json", forged))
    said = await sea.command(sea.anna, "verify", game="1", file=("game.json", forged))
    assert "nem az a jegyzőkönyv" in said


async def test_what_is_no_export_is_refused(sea: Sea) -> None:
    for data in (b"[" * 200_000, b'{"kind":"finished"}'):
        assert "isn't an exported game" in await sea.command(sea.cili, "verify", file=("x.json", data))
    for data in (b"", b"{}", b"\xff\xfe", b"null", b'{"kind":"other"}', b"1e999"):
        with pytest.raises(OrderError) as refused:
            decode_export(data)
        assert refused.value.fault.code == "no_export"


async def test_what_is_too_long_for_a_game_is_not_even_fetched(sea: Sea) -> None:
    assert "8 MiB" in await sea.command(sea.cili, "verify", file=("x.json", b" " * (MAX_FILE_BYTES + 1)))
    with pytest.raises(OrderError):
        decode_export(b" " * (MAX_FILE_BYTES + 1))


async def test_times_that_never_come_are_no_games(sea: Sea) -> None:
    await a_game(sea)
    paper = json.loads(await exported(sea, sea.cili))
    for place, key in ((paper, "opened"), (paper["record"]["steps"][1], "at"), (paper["log"][1]["params"], "until")):
        was = place[key]
        for place[key] in (-1, 2**63, 10**400):
            assert verdict(json.dumps(paper, separators=(",", ":")).encode()) == "no_export"
        place[key] = was


async def test_a_game_that_has_not_begun_or_is_unknown_has_no_record(sea: Sea) -> None:
    assert "number" in await sea.command(sea.anna, "export")
    await sea.command(sea.anna, "new", galleys="1")
    assert "hasn't begun" in await sea.command(sea.anna, "export", game="1")
    assert "hasn't begun" in await sea.command(sea.anna, "verify", game="1")
    assert "no game" in (await sea.command(sea.anna, "export", game="77")).lower()


async def test_a_game_that_goes_on_is_told_as_its_reader_may_know_it(sea: Sea) -> None:
    await a_round(sea)
    await sea.seal(sea.anna, "A1 FXLXF")
    await sea.write(sea.bela, "B1 RXFXF")
    game = sea.rows("games")["games"][0]
    hidden = {row["request_id"]: row for row in sea.rows("answers")["answers"]}["r2.orders.0"]
    papers = {}
    for who in (sea.anna, sea.bela, sea.cili):
        data = await exported(sea, who)
        assert "fits its hash" in await sea.command(who, "verify", file=("x.json", data))
        assert "so far" in await sea.command(who, "verify", game="1")
        paper = papers[who.id] = decode_export(data)
        assert isinstance(paper, RunningGame)
        assert game["seed"] not in data.decode()
        assert ("A1 FXLXF" in data.decode()) == (hidden["nonce"] in data.decode()) == (who is sea.anna)
        assert ("RXFXF" in data.decode()) == (who is sea.bela)
        assert {seal.request: seal.commitment for seal in paper.seals} == {
            "r2.orders.0": hidden["commitment"],
            "r2.orders.1": None,
        }
        revealed = {answer.request for step in paper.steps for answer in step.answers}
        assert {"r1.orders.0", "r1.orders.1"} <= revealed
    assert papers[sea.anna.id].own[0].body.startswith("A1 FXLXF")
    assert list(papers[sea.bela.id].drafts) == ["r2.orders.1"]


async def test_a_bit_of_a_running_game_is_found_too(sea: Sea) -> None:
    await a_round(sea)
    await sea.seal(sea.anna, "A1 FXLXF")
    data = await exported(sea, sea.anna)
    paper = msgspec.json.decode(data)
    for path in chosen(leaves(paper)):
        if path[0] == "notes":
            continue  # as above
        false = copy.deepcopy(paper)
        at(false, path[:-1])[path[-1]] = other(at(paper, path))
        assert verdict(msgspec.json.encode(false)), path
    paper["own"][0]["body"] = "A1 FXXXF"
    forged = check_export(encode_export(with_digest(decode_export(msgspec.json.encode(paper)))))
    assert forged is not None
    assert (forged.what, forged.piece) == ("commitment", "r2.orders.0")


async def test_the_names_are_those_of_the_end(sea: Sea) -> None:
    await a_game(sea)
    data = await exported(sea, sea.cili)
    sea.change_rows("UPDATE players SET name = 'somebody else'")
    assert await exported(sea, sea.cili) == data
    assert "somebody else" not in text_of(sea.thread.last_message)


async def test_the_shell_checks_files_too(sea: Sea, tmp_path: Any) -> None:
    await a_game(sea)
    file = tmp_path / "game.json"
    file.write_bytes(data := await exported(sea, sea.cili))
    digest = decode_export(data).digest
    runner = CliRunner()
    assert runner.invoke(app, ["verify", str(file)]).exit_code == 0
    assert runner.invoke(app, ["verify", str(file), "--digest", digest]).exit_code == 0
    wrong = runner.invoke(app, ["verify", str(file), "--digest", "0" * 64])
    assert (wrong.exit_code, "fingerprint was published" in wrong.output) == (1, True)
    file.write_bytes(data.replace(b'"bela"', b'"BELA"'))
    wrong = runner.invoke(app, ["verify", str(file)])
    assert (wrong.exit_code, "a name or a time" in wrong.output) == (1, True)
    file.write_bytes(data[:-1])
    wrong = runner.invoke(app, ["verify", str(file)])
    assert (wrong.exit_code, wrong.output.count("\n")) == (2, 1)


SHORT = (
    "squadrons 1 A 20x16 - vp=30 limit=4 bonus=0/0 lost=-/- ; B1 5@1011N C ; B2 3@1311N C ; "
    "R1 3@1108NE C ; R2 4@0705S C ; lead BL1 Steady@B1 ; lead RL1 Bold@R2"
)


# While a turn waits for an answer, neither export nor log shows the enemy's sealed sheet of that turn.
async def test_nobody_reads_the_enemys_sheet_while_its_turn_goes_on(sea: Sea) -> None:
    await sea.begin_at(SHORT, sea.bela, system="squadrons")
    await sea.seal(sea.anna, "B2: F | else jettison\nB1: M F2 ram R1 | else F1\ndoctrine B2: fire=off")
    await sea.seal(sea.bela, "all: stay\ndoctrine all: avoid=ask")
    await sea.settle()
    asked = await sea.asked(sea.bela, 1)
    assert asked.row.body.kind != "orders", asked.row.body
    said = await sea.command(sea.bela, "log", game="1")
    assert "jettison" not in said
    assert "**anna**" not in said
    assert "jettison" not in sea.told()
    for who in (sea.bela, sea.cili):
        paper = (await sea.bot.services.records.write_record(1, who.id)).data.decode()
        assert "else jettison" not in paper, "what B2 would do is not carried out yet"
        assert "fire=off" not in paper, "a doctrine is its owner's"
