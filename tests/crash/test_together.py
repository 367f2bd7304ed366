"""Games of several kinds on three bots and one PostgreSQL, disturbed: `make crash` plays forty."""

from __future__ import annotations

import asyncio
import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
from msgspec import structs

from bot.store import Store
from tests import pg
from tests.crash import evidence
from tests.crash.evidence import CLAIMS, Evidence
from tests.crash.together import crews, faults, fought, lapsed_lobby, paused, play, stop, together

SCRIPTS: Final = (fought("matchbox"), fought("ramspeed"), paused("matchbox"), crews("conceded"), lapsed_lobby)
pytestmark = [pytest.mark.timeout(600), pytest.mark.long]


@pytest.fixture(scope="module")
def played(server: pg.Server, tmp_path_factory: pytest.TempPathFactory) -> tuple[Evidence, dict[str, list[str]]]:
    return asyncio.run(_play(server, tmp_path_factory.mktemp("together")))


async def _play(server: pg.Server, folder: Path) -> tuple[Evidence, dict[str, list[str]]]:
    database = server.database(name="together")
    await (await Store.open(database)).close()
    async with together(folder, server, database, "1", over_http=True) as run:
        await play(run, SCRIPTS)
        await stop(run)
        found = await evidence.gather(database, run.discord)
        return found, faults(found, run)


def test_nothing_is_lost_and_nothing_is_twice(played: tuple[Evidence, dict[str, list[str]]]) -> None:
    found, wrong = played
    assert len(found.games) >= len(SCRIPTS)
    assert {claim: sentences for claim, sentences in wrong.items() if sentences} == {}


def _thread(found: Evidence) -> list[Any]:
    return found.discord.channels[next(game["thread_id"] for game in found.games.values() if game["thread_id"])]


def _row(found: Evidence, table: str, **values: Any) -> Any:
    return next(row for row in found.rows[table] if values.items() <= row.items())


def repeat_message(found: Evidence) -> None:
    _thread(found).append(_thread(found)[-1])


def swap_messages(found: Evidence) -> None:
    thread = _thread(found)
    thread[1], thread[2] = thread[2], thread[1]


def drop_line_of_chain(found: Evidence) -> None:
    row = _row(found, "outbox", kind="chain")
    place = found.discord.channels[row["channel_id"]]
    place[:] = [message for message in place if int(message["id"]) != row["message_id"]]


def change_state(found: Evidence) -> None:
    number = next(iter(found.finished))
    step = [row for row in found.rows["steps"] if row["game_id"] == number][-1]
    step["state"] = json.dumps({**json.loads(step["state"]), "changed": True})


def publish_another_digest(found: Evidence) -> None:
    number, rows = next(iter(found.hashes.items()))
    row = next(row for row in rows if row.what == "chain")
    found.hashes[number] = (*rows, structs.replace(row, hash="0" * 64))


def leave_unsent(found: Evidence) -> None:
    found.rows["outbox"][0]["wanted"] += 1


def end_twice(found: Evidence) -> None:
    entry = _row(found, "acts", kind="lobby_over")
    found.rows["acts"].append({**entry, "kind": "lobby_ended"})


def hold_crew(found: Evidence) -> None:
    found.rows["keepsakes"][0]["game_id"] = next(iter(found.finished))


def leave_running(found: Evidence) -> None:
    next(iter(found.games.values()))["phase"] = "running"


def post_often(found: Evidence) -> None:
    entry = _row(found, "acts", kind="paused")
    found.rows["acts"] += [{**entry, "user_id": 1} for _ in range(evidence.MAX_POSTS + 1)]


def miss_deadline(found: Evidence) -> None:
    found.rows["requests"][0] |= {"status": "open", "deadline": 1}


def rate_twice(found: Evidence) -> None:
    row = _row(found, "ratings", counted=True)
    row["mu"] += 1


@pytest.mark.parametrize(
    ("claim", "spoil"),
    [
        ("each game has ended", leave_running),
        ("stored states equal a replay", change_state),
        ("verify finds no flaw", publish_another_digest),
        ("threads show each message once, in order", repeat_message),
        ("threads show each message once, in order", swap_messages),
        ("each step and line of the chain is told once", drop_line_of_chain),
        ("nothing is unsent, lost or sent twice", repeat_message),
        ("nothing is unsent, lost or sent twice", leave_unsent),
        ("no game ended twice or by two causes", end_twice),
        ("what ended counts against no limit", hold_crew),
        ("nobody posted too often", post_often),
        ("no deadline passed unnoticed", miss_deadline),
        ("each rated game changed ratings once", rate_twice),
    ],
)
def test_each_claim_can_fail(
    played: tuple[Evidence, dict[str, list[str]]], claim: str, spoil: Callable[[Evidence], None]
) -> None:
    found, _ = played
    spoiled = Evidence(copy.deepcopy(found.rows), {**found.finished}, {**found.hashes}, copy.copy(found.discord))
    spoiled.discord.channels = copy.deepcopy(found.discord.channels)
    assert list(CLAIMS[claim](spoiled)) == []
    spoil(spoiled)
    assert list(CLAIMS[claim](spoiled))
