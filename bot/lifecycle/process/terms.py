"""End what counts against a limit and what nobody ends: lobbies, pauses, and games in which nobody acts.

`games.idle_since` says from when a game's term counts at the earliest. A press does not move it: only when the term
seems to be over, the last act of a person is looked up, and the term is put off if it came later. Time in which nobody
could act does not count.

`LIMITS` lists everything that counts against a limit, with what ends it. Add each new limit to it.
"""

from __future__ import annotations

import logging
from typing import Final, NamedTuple

from bot.errors import Refusal, is_game_gone
from bot.jobs.workers import Workers
from bot.lifecycle.outbox import enqueue
from bot.lifecycle.people import keepsakes
from bot.lifecycle.people.calling_off import GAME_LAPSED, LOBBY_LAPSED, call_off_game, call_off_lobby
from bot.lifecycle.steps import clock
from bot.lifecycle.steps.playing import SeatedGame, load_seated_game
from bot.lifecycle.steps.runner import StepRunner
from bot.store import Store
from bot.store.models.records import Game
from bot.store.queries.games import Terms
from bot.store.queries.transaction import Transaction
from bot.texts.whole import playable_systems

log = logging.getLogger(__name__)

DAY_S: Final = 86_400


class Limit(NamedTuple):
    """Something that counts against a limit, with what gives its place back."""

    counted: str
    limits: tuple[str, ...]  # codes of refusals, settings, and constants, by module
    term: str  # the setting or constant after which it ends by itself, or what ends it
    manager: str  # the command by which a manager ends it earlier, or why none needs to


_END: Final = "/galley-host end"
_SHORT: Final = "none: it ends by itself within minutes, and the process holds it alone"
_OWN_RATE: Final = "none: it limits how often somebody does something, and a manager who lifted it would undo that"
_NO_ONE_WAITS: Final = "none: nobody is refused; the oldest entry makes room"
_OPEN_GAMES: Final = ("too_many_games", "server_full", "most_games", "servers.most_games")
LIMITS: Final = (
    Limit("a lobby", _OPEN_GAMES, "lobby_days", _END),
    Limit("a running game", _OPEN_GAMES, "idle_days", _END),
    Limit("a game that stands still", _OPEN_GAMES, "pause_days", _END),
    Limit("an agreed pause", _OPEN_GAMES, "pause_days", "/galley-host resume, except with own crews: either side may"),
    Limit("a proposal", ("asked_already", "already_asked"), "its round, or the game", "/galley-host resolve"),
    Limit("a kept crew", ("keepsake_goes_on",), "its game", _END),
    Limit(
        "an opening of a game",
        ("too_many_opened", "too_many_opened_here", "most_openings", "most_server_openings"),
        "OPENING_WINDOW_S",
        _OWN_RATE,
    ),
    Limit("dice thrown away", ("abandoning",), "BARRED_S", _OWN_RATE),
    Limit("a post for others", ("posted_too_often",), "REFILL_S", _OWN_RATE),
    Limit("rated games of a pair", ("ratings.limits.MAX_GAMES_PER_PAIR",), "PAIR_WINDOW_S", _OWN_RATE),
    Limit("an announcement", ("services.host.MAX_ANNOUNCEMENTS_A_DAY",), "DAY_S", _OWN_RATE),
    Limit("an open form", (), "open_form, which stops it: nothing is kept", _SHORT),
    Limit(
        "a check of a record",
        ("verifying", "verifying_here", "verifying_another", "record.checks.MAX_WAITING"),
        "CHECK_TIMEOUT_S",
        _SHORT,
    ),
    Limit("a trial of a scenario", ("trying_scenario",), "TRIAL_TIMEOUT_S", _SHORT),
    Limit(
        "a picture, film or export",
        ("pictures_waiting", "filming", "jobs.turns.MAX_PICTURES_PER_USER"),
        "the time limit of its job",
        _SHORT,
    ),
    Limit("the deletion of one's messages", ("busy_with_you",), "DELETION_TIMEOUT_S", _SHORT),
    Limit(
        "one of the games or pictures that are worked on at once",
        (
            "steps.runner.MAX_CONCURRENT_GAMES",
            "steps.runner.MAX_CONCURRENT_GAMES_PER_HOST",
            "outbox.outbox.MAX_CONCURRENT_GAMES",
            "outbox.outbox.MAX_CONCURRENT_PLACES",
            "messages.pictures.MAX_CONCURRENT_PICTURES",
        ),
        "the time limit of its job, or of a request to Discord",
        _SHORT,
    ),
    Limit(
        "a place in a cache",
        (
            "jobs.kept.MAX_CACHED",
            "jobs.trials.MAX_CACHED",
            "record.checks.MAX_RESULTS",
            "presenters.charts.MAX_CHARTS",
            "services.orders.MAX_REMEMBERED",
            "interactions.writing.MAX_EDITS",
            "delivery.members.MAX_REMEMBERED",
            "delivery.edits.MAX_RECENT",
            "interactions.lobby.MAX_REMEMBERED_MESSAGES",
        ),
        "the next entry",
        _NO_ONE_WAITS,
    ),
)
DEFAULT_TERMS: Final = Terms(lobby_s=7 * DAY_S, idle_s=30 * DAY_S, pause_s=30 * DAY_S)
CHECK_INTERVAL_S: Final = DAY_S  # no term is shorter
RETRY_AFTER_S: Final = 3_600


async def last_act_at(tx: Transaction, game: Game, *, public: bool = False) -> int:
    """Return when a person last acted in a game or its battles, or it began or was resumed (Unix seconds).

    If `public`, answers that others must not learn of do not count.
    """
    battles = await tx.games.battles_of(game.id)
    game_ids = [game.id, *(battle.id for battle in battles)]
    return await tx.games.last_act_at(game_ids, clock.ENDINGS, public=public)


async def _end_of_phase(tx: Transaction, game: Game, at: int) -> int:
    """Return when the phase of a moment ended or will end (Unix seconds), or that moment if its clock stands."""
    if game.deadline is None:
        return at
    asked_at = await tx.requests.first_asked_after(game.id, at)
    return max(at, game.deadline) if asked_at is None else asked_at


async def is_idle(tx: Transaction, game: Game, now: int) -> bool:
    """Return whether nobody has acted in a game for a day and two whole phases, as far as all may know.

    The phases are those after the one of the last act: who has sealed can't act until its deadline, however often it
    was extended. Gaps, and days that don't count, are no idle time.
    """
    last_at = await last_act_at(tx, game, public=True)
    phase_s = game.pace.phase_length_s
    end_of_phase = await _end_of_phase(tx, game, last_at)
    two_phases_later = game.pace.add_counted_s(game.pace.add_counted_s(end_of_phase, phase_s), phase_s)
    gaps_s = clock.gap_seconds(await tx.audit_log.of_game(game.id), last_at)
    return now >= max(two_phases_later, last_at + DAY_S) + gaps_s


class TermKeeper:
    def __init__(self, store: Store, workers: Workers, step_runner: StepRunner, terms: Terms = DEFAULT_TERMS) -> None:
        self._store = store
        self._workers = workers
        self._step_runner = step_runner
        self._terms = terms
        self._due_games: list[int] = []
        self.next_check_at = 0  # Unix seconds

    async def find_due(self, tx: Transaction) -> None:
        """Look once a day, and when a term ends, which games' terms may be over."""
        now = self._step_runner.now()
        if now < self.next_check_at <= now + CHECK_INTERVAL_S:  # a later one was noted before the clock was set back
            return
        self._due_games = await tx.games.past_term(now, self._terms)
        next_term = await tx.games.next_term(now, self._terms)
        times = (now + CHECK_INTERVAL_S, next_term, now + RETRY_AFTER_S if self._due_games else None)
        self.next_check_at = min(time for time in times if time is not None)

    def start_due(self) -> None:
        """Start a task for each game that `find_due` has found."""
        for game_id in self._due_games:
            self._step_runner.start_task(game_id, self._end_safely(game_id))
        self._due_games = []

    async def _end_safely(self, game_id: int) -> None:
        try:
            if seated_game := await self._end_or_postpone(game_id):
                days = await self._idle_days(seated_game.game)
                await call_off_game(self._store, self._workers, self._step_runner, seated_game, GAME_LAPSED, days=days)
        except Refusal:
            pass  # somebody acts in it, or it has been deleted
        except Exception as fault:
            if is_game_gone(fault):
                return
            log.exception("game could not be called off", extra={"game": game_id})
        self._step_runner.start_advancing(game_id)

    async def _end_or_postpone(self, game_id: int) -> SeatedGame | None:
        """End a lobby or a pause whose term is over, or put the term off. Return a game that must be called off."""
        now = self._step_runner.now()
        async with self._store.write() as tx:
            seated_game = await load_seated_game(tx, game_id)
            game = seated_game.game
            if game.phase not in ("lobby", "running"):
                return None
            due_at = await self._due_at(tx, game)
            if due_at is None or due_at > now:
                idle_since = None if due_at is None else due_at - self._term_s(game)
                await tx.games.change(game_id, idle_since=idle_since)
            elif game.phase == "lobby":
                days = self._terms.lobby_s // DAY_S
                await call_off_lobby(tx, seated_game, by=game.host_id, now=now, kind=LOBBY_LAPSED, days=days)
            elif await _is_pause_ended_by_resuming(tx, game):
                await clock.resume_clock(tx, game, "pause_over", now=now)
                await enqueue.tell_host(tx, game, (await tx.audit_log.of_game(game_id))[-1].id, now=now)
            elif game.system not in playable_systems():
                # It counts against no limit and waits for its texts, but captains need what they brought.
                await keepsakes.send_home(tx, game, {}, now=now)
                await tx.games.change(game_id, idle_since=now)
            else:
                return seated_game
        return None

    async def _due_at(self, tx: Transaction, game: Game) -> int | None:
        """Return when a game's term is over (Unix seconds); None: it has none, or another game's term ends it."""
        terms = self._terms
        if game.idle_since is None:
            return None
        if game.phase == "lobby":
            return game.idle_since + terms.lobby_s
        if await _is_pause_ended_by_resuming(tx, game):
            return game.idle_since + terms.pause_s
        if game.parent_id is not None:
            return None
        last_at = await last_act_at(tx, game)
        gaps_s = clock.gap_seconds(await tx.audit_log.of_game(game.id), last_at)
        # Captains who have sealed can't act before the deadline, and may then take a whole phase.
        phase_s = game.pace.phase_length_s
        end_of_phase = await _end_of_phase(tx, game, last_at)
        due_at = max(last_at + max(terms.idle_s, 2 * phase_s), end_of_phase + phase_s) + gaps_s
        for battle in await tx.games.battles_of(game.id):
            if battle.paused_at is not None and battle.phase == "running":
                due_at = max(due_at, battle.paused_at + terms.pause_s + terms.idle_s)
        return max(due_at, game.idle_since + self._term_s(game))

    def _term_s(self, game: Game) -> int:
        if game.phase == "lobby":
            return self._terms.lobby_s
        return self._terms.idle_s if game.paused_at is None else self._terms.pause_s

    async def _idle_days(self, game: Game) -> int:
        async with self._store.read() as tx:
            return (self._step_runner.now() - await last_act_at(tx, game)) // DAY_S


async def _is_pause_ended_by_resuming(tx: Transaction, game: Game) -> bool:
    """Return whether people paused the game. Other pauses wait for something that may never come."""
    if game.pace.since is not None or await clock.stopping_act_kind(tx, game.id) != clock.PAUSED:
        return False
    return not await enqueue.is_channel_deleted(tx, game)
