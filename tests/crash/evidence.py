"""Compare what a database holds with what Discord shows after bots were killed: nothing is lost, and nothing is twice.

Each function returns sentences about what is wrong; none if its claim holds.
"""

from __future__ import annotations

import itertools
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from typing import Any, Final

import psycopg
from psycopg.rows import dict_row

from bot.jobs.stored import encode, read_state
from bot.lifecycle.people.posting import MAX_AT_ONCE, REFILL_S
from bot.lifecycle.ratings.ratings import PlayerOutcome, Skill, rate_game, stored_skill
from bot.record.checking import check_file
from bot.record.export import FinishedGame, encode_export
from bot.services.archive import ArchiveService
from bot.store import Store
from bot.store.models.records import SeatRow
from bot.store.queries.messages import MIN_MARK
from bot.store.queries.publications import PublishedHash
from rules.chance.fairness import SHOWN_HASH_DIGITS
from rules.core.registry import RULESETS
from rules.core.replay import replay_steps
from rules.core.ruleset import Ruleset
from tests import pg
from tests.loopback.rest import Discord

MAX_POSTS: Final = MAX_AT_ONCE
TABLES: Final = (
    *("games", "seats", "steps", "requests", "answers", "outbox", "removals", "acts", "ratings", "keepsakes"),
)
ENDS: Final = ("lobby_over", "lobby_ended", "lapsed", "ended")
"""Kinds of log entries that say why a game was called off."""
POSTS: Final = ("paused", "resumed", "pause_asked", "resume_asked", "extended", "extended_alone", "reposted")
RECOMPUTING_S: Final = 1.0
Row = dict[str, Any]


class Evidence:
    """All rows of a database, the finished games as they are exported, and the messages of a Discord."""

    def __init__(
        self,
        rows: dict[str, list[Row]],
        finished: dict[int, FinishedGame],
        hashes: dict[int, tuple[PublishedHash, ...]],
        discord: Discord,
    ) -> None:
        self.rows, self.finished, self.hashes, self.discord = rows, finished, hashes, discord
        self.games = {row["id"]: row for row in rows["games"]}

    def of(self, table: str, game: int) -> list[Row]:
        return [row for row in self.rows[table] if row["game_id"] == game]

    def shown(self, place: int) -> list[Row]:
        return self.discord.channels.get(place, [])


async def gather(database: str, discord: Discord) -> Evidence:
    with psycopg.connect(pg.plain(database), row_factory=dict_row) as connection:
        rows = {table: connection.execute(f"SELECT * FROM {table}").fetchall() for table in TABLES}
    for table in ("games", "outbox", "acts"):
        rows[table].sort(key=lambda row: row["id"])
    rows["steps"].sort(key=lambda row: (row["game_id"], row["no"]))
    store = await Store.open(database)
    archive = ArchiveService(store)
    over = [row["id"] for row in rows["games"] if row["phase"] == "over"]
    finished = {number: await archive.export_finished(number) for number in over}
    hashes = {number: await archive.published_hashes(number) for number in over}
    await store.close()
    return Evidence(rows, finished, hashes, discord)


def games_left(evidence: Evidence) -> Iterator[str]:
    for number, game in evidence.games.items():
        if game["phase"] not in ("over", "cancelled"):
            yield f"#{number} is {game['phase']}"


def replays(evidence: Evidence) -> Iterator[str]:
    """Compare the stored states of finished games with a replay."""
    for number, finished in evidence.finished.items():
        rules = RULESETS[finished.record.setup.system]
        replayed = [encode(step.state) for _, step in replay_steps(rules, finished.record)]
        stored = [row["state"] for row in evidence.of("steps", number)]
        if replayed != stored:
            first = next(no for no, (one, other) in enumerate(itertools.zip_longest(replayed, stored)) if one != other)
            yield f"#{number}: state {first} of {len(stored)} differs from its replay"


def records(evidence: Evidence) -> Iterator[str]:
    """Check finished games as `/galley verify` does, with the hashes that were published."""
    for number, finished in evidence.finished.items():
        hashes = evidence.hashes[number]
        result = check_file(encode_export(finished), finished.digest, hashes, recomputing_s=RECOMPUTING_S)
        if result.flaw:
            yield f"#{number}: {result.flaw}"


def threads(evidence: Evidence) -> Iterator[str]:
    """Compare the messages in each thread with the outbox: each is there once, in order, and not elsewhere."""
    for number, game in evidence.games.items():
        if game["thread_id"] is None:
            continue
        rows = [row for row in evidence.of("outbox", number) if row["channel_id"] == game["thread_id"]]
        expected = [(row["mark"], row["message_id"]) for row in rows if row["message_id"]]
        shown = [(_mark(message), int(message["id"])) for message in evidence.shown(game["thread_id"])]
        if expected != shown:
            keys = {row["mark"]: row["key"] for row in rows}
            yield f"#{number}: its thread shows {[keys.get(mark, mark) for mark, _ in shown]}, not {[*keys.values()]}"


def stories(evidence: Evidence) -> Iterator[str]:
    """Look whether each public step is reported, and each line of the chain shown, in exactly one message."""
    for number, game in evidence.games.items():
        texts = [_text(message) for message in evidence.shown(game["thread_id"] or 0)]
        rows = [row for row in evidence.of("outbox", number) if row["kind"] == "chain"]
        for row in rows:
            digest = json.loads(row["ref"])["digest"][:SHOWN_HASH_DIGITS]
            if (count := sum(digest in text for text in texts)) != 1:
                yield f"#{number}: {count} messages show the line {row['key']} of its chain"
        if number in evidence.finished and len(rows) != len(evidence.finished[number].chain):
            yield f"#{number}: {len(rows)} lines of the chain are sent, {len(evidence.finished[number].chain)} exported"
        stepped = {row["no"] for row in evidence.of("steps", number)}
        reported = [json.loads(row["ref"]) for row in evidence.of("outbox", number) if row["kind"] == "step"]
        counts = Counter(no for ref in reported for no in range(ref["first"], ref["last"] + 1))
        if twice := [no for no, count in counts.items() if count > 1 or no not in stepped]:
            yield f"#{number}: steps {twice} are reported twice, or did not happen"


def messages(evidence: Evidence) -> Iterator[str]:
    """Look for messages that were not sent, sent twice, or sent and not noted."""
    for row in evidence.rows["outbox"]:
        is_later = row["kind"] == "remind" or row["due_at"] >= 4_000_000_000
        if row["wanted"] > row["sent"] and not is_later:
            yield f"#{row['game_id']}: {row['key']} is not sent"
        if row["problem"]:
            yield f"#{row['game_id']}: {row['key']} was given up: {row['problem']}"
    # Messages without a mark answer presses directly: here each press is so old that its answer may come by itself.
    everything = [
        message for place in evidence.discord.channels.values() for message in place if _mark(message) >= MIN_MARK
    ]
    texts = {_mark(message): _text(message) for message in everything}
    shown = Counter(map(_mark, everything))
    noted = {row["mark"]: row for row in evidence.rows["outbox"] if row["message_id"] is not None}
    for mark, count in shown.items():
        if count > 1 or mark not in noted:
            yield f"message {mark} ({noted.get(mark, {}).get('key')}) stands there {count} times: {texts[mark][:300]}"
    for mark in noted.keys() - shown.keys():
        yield f"#{noted[mark]['game_id']}: {noted[mark]['key']} was noted as sent, and is nowhere"
    if due := [row for row in evidence.rows["removals"] if row["due_at"] is not None]:
        yield f"{len(due)} messages are not deleted"


def endings(evidence: Evidence) -> Iterator[str]:
    """Look whether each game has ended once, and for one reason."""
    for number, game in evidence.games.items():
        kinds = [row["kind"] for row in evidence.of("acts", number) if row["kind"] in ENDS]
        causes = [json.loads(row["cause"]) for row in evidence.of("steps", number)]
        called_off = [cause for cause in causes if cause.get("type") == "CallOff"]
        if len(kinds) > 1:
            yield f"#{number} was called off {len(kinds)} times: {kinds}"
        if game["phase"] == "over" and bool(kinds) != bool(called_off):
            yield f"#{number}: the log says {kinds}, the steps {called_off}"
        if called_off and (len(called_off) > 1 or causes[-1] != called_off[0]):
            yield f"#{number} went on after it was called off"
        if game["phase"] == "cancelled" and causes and game["parent_id"] is None:
            yield f"#{number} had begun, and was cancelled as a lobby"
        if number in evidence.finished:
            rules, states = RULESETS[game["system"]], evidence.of("steps", number)
            over = [row["no"] for row in states if _is_over(rules, row["state"])]
            if over != [states[-1]["no"]]:
                yield f"#{number} was over after steps {over} of {len(states)}"
        told = [row for row in evidence.of("acts", number) if row["kind"] == "resumed" or row["kind"] == "pause_over"]
        paused = [row for row in evidence.of("acts", number) if row["kind"] == "paused"]
        if len(told) > len(paused):
            yield f"#{number} was paused {len(paused)} times and resumed {len(told)} times"


def limits(evidence: Evidence) -> Iterator[str]:
    """Look for what still counts against a limit although its game has ended."""
    over = {number for number, game in evidence.games.items() if game["phase"] in ("over", "cancelled")}
    for row in evidence.rows["keepsakes"]:
        if row["game_id"] in over:
            yield f"crew {row['number']} of {row['user_id']} is held by #{row['game_id']}, which has ended"
    for row in evidence.rows["requests"]:
        if row["game_id"] in over and row["status"] != "closed":
            yield f"#{row['game_id']} has ended, and asks {row['id']}"
    for number in sorted(over):
        game = evidence.games[number]
        if game["deadline"] is not None or game["ended_at"] is None:
            yield f"#{number} has ended, with deadline {game['deadline']}, at {game['ended_at']}"


def posts(evidence: Evidence) -> Iterator[str]:
    """Look whether one person has made the bot post more often than may be."""
    times: dict[tuple[int, int], list[int]] = defaultdict(list)
    for row in evidence.rows["acts"]:
        if row["kind"] in POSTS and row["user_id"]:
            times[row["game_id"], row["user_id"]].append(row["at"])
    for (game, user), at in times.items():
        allowed = MAX_POSTS + (max(at) - min(at)) // REFILL_S
        if len(at) > allowed:
            yield f"#{game}: {user} has posted {len(at)} times, not {allowed}"


def openings(evidence: Evidence, most: int) -> Iterator[str]:
    opened = Counter(game["host_id"] for game in evidence.games.values() if game["parent_id"] is None)
    for host, count in opened.items():
        if count > most:
            yield f"{host} has opened {count} games, not {most}"


def deadlines(evidence: Evidence) -> Iterator[str]:
    """Look for questions whose deadline passed without an answer or a step."""
    for row in evidence.rows["requests"]:
        game = evidence.games[row["game_id"]]
        if row["status"] == "open" and row["deadline"] and game["paused_at"] is None:
            yield f"#{row['game_id']}: {row['id']} was due at {row['deadline']}"


def ratings(evidence: Evidence) -> Iterator[str]:
    """Compute all ratings again from the outcomes, in order, and look which games changed none."""
    skills: dict[tuple[str, int], Skill] = {}
    by_game: dict[int, list[Row]] = defaultdict(list)
    for row in evidence.rows["ratings"]:
        by_game[row["game_id"]].append(row)
    for number, rows in sorted(by_game.items(), key=lambda item: item[1][0]["rated_at"]):
        game, seats = evidence.games[number], [_seat(row) for row in evidence.of("seats", number)]
        outcomes: dict[int, PlayerOutcome] = {row["seat"]: row["outcome"] for row in rows}
        before = {row["seat"]: skills.get((row["system"], row["user_id"]), stored_skill(None)) for row in rows}
        after = rate_game(seats, outcomes, before) if len(before) == len(seats) else before
        for row in rows:
            expected = after[row["seat"]] if row["counted"] else before[row["seat"]]
            if max(abs(row["mu"] - expected.mu), abs(row["sigma"] - expected.sigma)) > 1e-9:
                yield f"#{number}: {row['user_id']} is rated {row['mu']:.3f}, not {expected.mu:.3f}"
            skills[row["system"], row["user_id"]] = Skill(row["mu"], row["sigma"])
            if row["counted"] and not game["rated"]:
                yield f"#{number} is unrated, and has changed the rating of {row['user_id']}"
    for number in evidence.finished:
        game = evidence.games[number]
        people = {row["user_id"] for row in evidence.of("seats", number) if row["user_id"]}
        if {row["user_id"] for row in by_game[number]} != people:
            yield f"#{number}: results of {[row['user_id'] for row in by_game[number]]} are stored, not of {people}"
        brief = [row["kind"] for row in evidence.of("acts", number) if row["kind"].startswith("unrated_")]
        drawn = any(json.loads(row["cause"]).get("type") == "AgreeDraw" for row in evidence.of("steps", number))
        if game["rated"] and game["parent_id"] is None and len(people) > 1 and not (brief or drawn):
            uncounted = [row["user_id"] for row in by_game[number] if not row["counted"]]
            if uncounted:
                yield f"#{number} is rated, and has not changed the ratings of {uncounted}"


CLAIMS: Final[dict[str, Callable[[Evidence], Iterator[str]]]] = {
    "each game has ended": games_left,
    "stored states equal a replay": replays,
    "verify finds no flaw": records,
    "threads show each message once, in order": threads,
    "each step and line of the chain is told once": stories,
    "nothing is unsent, lost or sent twice": messages,
    "no game ended twice or by two causes": endings,
    "what ended counts against no limit": limits,
    "nobody posted too often": posts,
    "no deadline passed unnoticed": deadlines,
    "each rated game changed ratings once": ratings,
}


def faults(evidence: Evidence) -> dict[str, list[str]]:
    """Return what is wrong, by claim."""
    return {claim: list(holds(evidence)) for claim, holds in CLAIMS.items()}


def _mark(message: Row) -> int:
    mark: int = message["components"][0]["id"]
    return mark


def _text(message: Row) -> str:
    return json.dumps(message["components"], ensure_ascii=False)


def _is_over(rules: Ruleset[Any], state: str) -> bool:
    return rules.result(read_state(rules, state)) is not None


def _seat(row: Row) -> SeatRow:
    return SeatRow(**{name: row[name] for name in SeatRow.__struct_fields__ if name in row})
