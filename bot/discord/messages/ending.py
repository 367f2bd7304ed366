"""The end of a game as its thread tells it: why, where it turned, what captains did and threw, and the proof of it."""

from __future__ import annotations

from typing import Final

import msgspec

from bot.discord.ids import Ref
from bot.discord.messages import ladder
from bot.discord.messages.acts import act_text
from bot.discord.messages.board import Button
from bot.discord.messages.wording import short
from bot.doors.table import Table
from bot.life import ratings
from bot.life.playing import Playing
from bot.record.export import DIGEST_SHORT
from bot.store.records import Answered
from bot.words import speech
from bot.words.i18n import Words
from bot.words.style import Said
from bot.work import stored, turning
from bot.work.turning import Passed
from rules.registry import RULESETS
from rules.tally import Tally
from rules.view import Text

FIGURES_MOST: Final = 2000
"""Characters of what captains did; of more captains than have room, the first."""
_DECIDES: Final = 3
"""Weight of what only says that the game is over (`Event.weight`)."""


async def lines(table: Table, playing: Playing, words: Words, *, state: str, digest: str) -> list[str]:
    """What is told below the last picture; the hashes come last, in one line of small print."""
    rules = RULESETS[playing.game.system]
    result = rules.result(stored.read_state(rules, state))
    why = [why_over(words, result.reason)] if result else []
    async with table.store.read() as tx:
        rows = await tx.ratings.of(playing.game.id)
    told = [(row.seat, msgspec.json.decode(row.facts, type=Tally)) for row in rows]
    did = [said for seat, one in told if (said := _figures(words, seat, one))]
    proof = words.say("thread.proof", seed=short(playing.game.seed), digest=Said(digest[:DIGEST_SHORT]))
    return [
        *why,
        *await _turned(table, playing, words),
        *speech.paged(did, FIGURES_MOST)[:1],
        *await _ratings(table, playing, words),
        f"-# {proof}",
    ]


def proofs(words: Words, seed: str, digest: str) -> list[Said]:
    """The seed and the digest of a game that is over, whole, as its log tells them."""
    return [words.say("thread.seed", seed=seed), words.say("thread.digest", digest=digest)]


def why_over(words: Words, reason: Text) -> Said:
    """Why a game is over, below a headline that says who has won: `<key>.short`, or all of it if a game has none."""
    short_key = f"{reason.key}.short"
    return words.say(short_key, **reason.params) if words.catalogue.has(short_key) else words.text(reason)


def buttons(words: Words, game_id: int) -> list[Button]:
    """What may be pressed at the end, besides what hangs under every round."""
    return [
        Button(label=words.say("button.replay"), ref=Ref(verb="replay", game=game_id)),
        Button(label=words.say("button.rematch"), ref=Ref(verb="rematch", game=game_id)),
    ]


async def _turned(table: Table, playing: Playing, words: Words) -> list[Said]:
    """In which round the game turned, and by what; nothing if it did not, or measures no strength."""
    game = playing.game
    chapters = await table.chapters(game.id)
    async with table.store.read() as tx:
        rows = {row.no: row for row in await tx.steps.of(game.id)}
    steps = [
        Passed(chapter.round, isinstance(rows[no].cause, Answered), rows[no].state)
        for chapter in chapters
        for no in chapter.steps
    ]
    teams = game.setup.teams
    found = await table.workers.run(turning.turning_point, game.system, teams, steps)
    chapter = next((chapter for chapter in chapters if chapter.round == found), None)
    if chapter is None:
        return []
    fought = [rows[no].events for no in chapter.steps if isinstance(rows[no].cause, Answered)]
    events = stored.read_events(RULESETS[game.system], *fought)
    what = speech.story(words, [event for event in events if event.weight < _DECIDES], None).headline
    return [words.say("ending.turning", when=words.say("round", round=chapter.round), what=Said(what))]


def _figures(words: Words, seat: int, tally: Tally) -> str:
    """What a captain did, and in a second line what came off and his dice; empty if he did nothing."""
    did = [words.say(f"fact.{key}", n=n) for key, n in tally.counts.items() if n]
    came_off = [
        words.say(f"rate.{key}", hits=rate.hits, tries=rate.tries, part=rate.hits / rate.tries)
        for key, rate in tally.rates.items()
        if rate.hits
    ]
    came_off += ladder.verdicts(words, tally.luck)
    lines = [words.say("ending.figures", who=seat, figures=Said(" · ".join(did)))] if did else []
    lines += [words.say("ending.came_off", figures=Said(" · ".join(came_off)))] if came_off and did else []
    return "\n".join(lines)


async def _ratings(table: Table, playing: Playing, words: Words) -> list[Said]:
    """What a rated game has made of its captains' ratings, and why it counts for less than they may have thought."""
    changes = []
    async with table.store.read() as tx:
        why = [act_text(words, act) for act in await tx.acts.of(playing.game.id) if act.kind.startswith("unrated_")]
        if not playing.game.rated:
            return why
        rows = [row for row in await tx.ratings.of(playing.game.id) if row.counted]
        players = await tx.players.find([row.user_id for row in rows])
        for row in rows:
            last = await tx.ratings.last(row.system, [row.user_id], before=row.rated_at)
            was = ratings.skill_of(last.get(row.user_id)).shown
            now = ratings.skill_of(row).shown
            sits = playing.seats[row.seat].user_id == row.user_id
            who = row.seat if sits or row.user_id not in players else players[row.user_id].name
            changes.append(words.say("thread.rating", who=who, now=now, change=now - was))
    return [*why, words.say("thread.ratings", changes=changes)]
