"""Replay a game from its published setup, seed, words and answers, and compare the result with its record.

A record's events and states follow from these four. `verify` names the first thing in a record that does not.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Annotated, Any, Final, Literal, NamedTuple

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType, structs

from rules.chance import fairness
from rules.chance.dice import Dice, derive_seed
from rules.core.errors import OrderError
from rules.core.protocol import Event, OutOfTurnAction, Report, Request, Setup, Step, completes_step
from rules.core.revealing import has_public_event, is_hidden_step, is_revealing
from rules.core.ruleset import Ruleset

MAX_TIME: Final = 2**40  # the latest valid time, in Unix seconds
MAX_CHECKS: Final = 2**31  # the highest valid number of checks in a search
MAX_STEPS: Final = 20_000  # the longest record that is read. A game in which every move is a step has some hundreds.


class Computation(Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """The circumstances in which the computer gave an answer, from which it can be recomputed."""

    program: Annotated[str, Meta(max_length=80)]  # the version of the program
    excused: bool = False  # whether a late captain had announced an absence or had less than the usual time
    stopped_after: Annotated[int, Meta(ge=0, le=MAX_CHECKS)] | None = None
    """Number of checks after which the time limit stopped the search; None: the search finished."""


class RecordedAnswer(Struct, frozen=True, kw_only=True):
    request: str  # id of the answered request
    body: str  # the answer in canonical notation
    nonce: str  # the secret (hex) that hides the answer behind its hash
    commitment: str  # the hash published when the answer was sealed (`fairness.hash_answer`)
    # who answered; `draft`: a late captain's complete draft, `deadline`: the default for a late captain, `stored`: a
    # default that consists of orders which the captain gave earlier in the game, `battle`: its end
    given_by: Literal["captain", "draft", "computer", "deadline", "stored", "battle"]
    at: Annotated[int, Meta(ge=0, le=MAX_TIME)] = 0  # when it was sealed, in Unix seconds. Nothing depends on it.
    computation: Computation | UnsetType = UNSET
    """Says how to recompute an answer by `computer`, `deadline` or `stored`.

    The record of a running game leaves it out, because its searches could reveal what the computer knows.
    """


class UndoAction(Struct, frozen=True, tag=True, omit_defaults=True):
    """The game went back to the state after step `to`. The steps in between stay in the record."""

    to: int  # number of the step to go back to
    shown_until: Annotated[int, Meta(ge=0, le=MAX_TIME)] | None = None
    """When the thread's newest message was posted that an older backup does not know (Unix seconds).

    None unless a backup was restored. Then `to` is the step before this one.
    """
    battle: Annotated[str, Meta(max_length=60)] | None = None
    """The request of a battle whose end the backup does not know. Only this battle is fought again, with other dice."""

    @property
    def is_restore(self) -> bool:
        return self.shown_until is not None


class RecordedStep(Struct, frozen=True, kw_only=True):
    """The input of one step and its events. The first step is the start and has no answers."""

    # an action that needs no request; None: the step carries out answers
    act: OutOfTurnAction | UndoAction | None = None
    answers: tuple[RecordedAnswer, ...] = ()  # the answers that the step carried out
    events: tuple[dict[str, Any], ...]  # JSON objects, each tagged with its `type`
    at: Annotated[int, Meta(ge=0, le=MAX_TIME)] = 0  # when it was carried out, in Unix seconds. Nothing depends on it.


class Record(Struct, frozen=True, kw_only=True):
    setup: Setup  # how the game began
    seed: str  # the secret seed (hex), revealed after the game
    seed_commitment: str  # the hash published when the lobby was opened (`fairness.hash_seed`)
    # all steps in order, beginning with the start
    steps: Annotated[tuple[RecordedStep, ...], Meta(max_length=MAX_STEPS)]
    unused: tuple[RecordedAnswer, ...] = ()
    """Answers that were sealed but never carried out because the game ended first. Their hashes were published too."""
    scheme: fairness.HashScheme  # how hashes are computed
    words: tuple[str | None, ...]  # the word that each seat's captain added to the dice; None: no word

    @property
    def dice_seed(self) -> str:
        return fairness.derive_dice_seed(self.seed, self.words)


class Flaw(Struct, frozen=True, kw_only=True):
    step: int  # number of the step with the flaw, from 0
    what: Literal[
        "seed",
        "words",
        "commitment",
        "answer",
        "requests",
        "events",
        "end",
        "computed",
        "digest",
        "published",
        "told_seed",
        "told_words",
        "told_seal",
        "chain",
        "told_chain",
        "withdrawn",
    ]
    """Values from `digest` on concern the file: its own digest, and published hashes of digest, seed, words or a seal.
    `withdrawn` is no contradiction: a name was removed from the file, so its digest can no longer be compared."""
    piece: str
    """The request of an answer or hash, the round of a line of the chain, an event and its field such as
    `3 Type.field`, or the rules' error about an answer."""


def restore_state(state: Any, seed: str, number: int, *, revealed: bool) -> Any:  # noqa: ANN401 - any game's state
    """Return an earlier state with the dice for going on from it.

    If a later step `revealed` something (`rules.core.revealing`), new dice follow from the game's seed and `number`,
    the count of earlier steps on which dice depend (`_moves_dice`).
    """
    return structs.replace(state, dice=Dice(seed=derive_seed(seed, f"undo {number}"))) if revealed else state


def seed_after_restores(seed: str, acts: Iterable[object]) -> str:
    """Return the seed (hex) for going back and for battles after steps with these acts.

    Each restored backup changes it, even one that is restored again: the thread's newest message then is another.
    """
    times = [act.shown_until for act in acts if isinstance(act, UndoAction) and act.is_restore]
    return derive_seed(seed, f"restored {times[-1]}") if times else seed


def battle_seed(seed: str, request: str, number: int) -> str:
    """Return the seed (hex) of the battle that answers a request.

    `number` is counted as in `restore_state`, before the step that asked the request. The seed follows from the parent
    game's dice seed, so nobody can choose it, and it reveals nothing of that seed. A request that is asked again after
    going back has another number, and so gets other dice.
    """
    return derive_seed(seed, f"battle {request} {number}")


def verify(rules: Ruleset[Any], record: Record) -> Flaw | None:
    """Replay a record and return its first flaw, or None if everything holds."""
    return next(_find_flaws(rules, record), None)


def replay_steps(rules: Ruleset[Any], record: Record) -> Iterator[tuple[int | UndoAction | None, Step]]:
    """Yield every step of a record with the round of its requests, or None for an action without a request.

    A step that went back comes with its `UndoAction` instead. Raises `OrderError` for an invalid answer, and
    `ValueError` for an answer to a request that was not pending.
    """
    for replayed in _replay(rules, record):
        recorded, step = replayed.recorded, replayed.step
        answered_ids = {answer.request for answer in recorded.answers}
        rounds = (request.round for request in replayed.pending_before if request.id in answered_ids)
        if isinstance(recorded.act, UndoAction):
            yield recorded.act, step
        else:
            yield max(rounds, default=None), step


class _ReplayedStep(NamedTuple):
    recorded: RecordedStep
    step: Step
    pending_before: tuple[Request, ...]
    seed: str  # for going back and for battles, from this step on
    moves: int  # earlier steps on which these dice depend


def _replay(rules: Ruleset[Any], record: Record) -> Iterator[_ReplayedStep]:
    """Yield every step. Raises `OrderError` and `ValueError` as `replay_steps` does."""
    states: list[Any] = []
    pending_before: tuple[Request, ...] = ()
    last_revealing = 0  # number of the last revealing step
    moves = 0
    seed = record.dice_seed
    for number, recorded in enumerate(record.steps):
        seed = _seed_from(record, recorded.act, seed)
        step = _repeat_step(rules, record, states, number, seed=seed, last_revealing=last_revealing, moves=moves)
        if step is None:
            raise ValueError(f"step {number} answers what was not asked")
        yield _ReplayedStep(recorded, step, pending_before, seed, moves)
        pending = rules.pending_requests(step.state)
        reveals = _reveals_something(recorded, states, step, pending_before, pending)
        moves += _moves_dice(recorded, pending_before, step, reveals=reveals, last_revealing=last_revealing)
        if reveals:
            last_revealing = number
        states.append(step.state)
        pending_before = pending


class RecordedBattle(Struct, frozen=True):
    """A battle whose result is part of a record."""

    request: str  # id of the request that the battle answered
    setup: Setup  # how the battle began
    seed: str  # the seed of its dice, which is secret until the battle is over
    report: Report  # the battle's result


def recorded_battles(rules: Ruleset[Any], record: Record) -> list[RecordedBattle]:
    """Return the battles that answered requests of a valid record, each once.

    A battle that is over is reported again if an unrelated step was taken back.
    """
    battles: list[RecordedBattle] = []
    # Each pending request by id, with the seed and the number of the battle that may answer it.
    asked_requests: dict[str, tuple[str, int, Request]] = {}
    after: list[tuple[Dice, dict[str, tuple[str, int, Request]]]] = []  # dice and `asked_requests` after each step
    for recorded, step, _, game_seed, moves in _replay(rules, record):
        for answer in recorded.answers:
            seed_then, number, request = asked_requests[answer.request]
            if request.battle:
                report = msgspec.json.decode(answer.body, type=Report)
                seed = battle_seed(seed_then, request.id, number)
                battle = RecordedBattle(request.id, request.battle.setup, seed, report)
                if battle not in battles:
                    battles.append(battle)
        if isinstance(recorded.act, UndoAction):
            asked_requests = _still_asked(recorded.act, *after[recorded.act.to], step.state.dice)
        still_asked = asked_requests
        asked_requests = {}
        for request in rules.pending_requests(step.state):
            seed_then, number, _ = still_asked.get(request.id, (game_seed, moves, request))
            asked_requests[request.id] = (seed_then, number, request)
        after.append((step.state.dice, asked_requests))
    return battles


def _still_asked(
    act: UndoAction, dice: Dice, pending: Mapping[str, tuple[str, int, Request]], new_dice: Dice
) -> dict[str, tuple[str, int, Request]]:
    """Return the requests after the step to which a game went back whose battles keep their seeds.

    After a restored backup battles go on, unless their own threads show more. If going back otherwise changed the dice,
    all requests are asked again.
    """
    if act.is_restore:
        return {name: asked for name, asked in pending.items() if asked[2].battle and name != act.battle}
    return {**pending} if new_dice == dice else {}


def battle_report(rules: Ruleset[Any], record: Record, digest: str) -> Report:
    """Return the result of a finished, valid battle as its parent game's answer."""
    state = [step.state for _, step in replay_steps(rules, record)][-1]
    return rules.battle_report(state, digest)


def first_mismatched_answer(answers: Iterable[RecordedAnswer], game: str) -> RecordedAnswer | None:
    """Return the first answer whose hash does not match its text and nonce, or None.

    `game` is the hash of the game's seed.
    """
    return next((answer for answer in answers if not _matches_commitment(answer, game)), None)


def _matches_commitment(answer: RecordedAnswer, game: str) -> bool:
    hashed = fairness.hash_answer(game, answer.request, answer.body, answer.nonce)
    return fairness.is_secret(answer.nonce) and hashed == answer.commitment


def _find_flaws(rules: Ruleset[Any], record: Record) -> Iterator[Flaw]:
    """Carry out every step of a record again, and yield where the record differs from the rules or its own hashes."""
    seed_commitment = record.seed_commitment
    if not fairness.is_secret(record.seed) or fairness.hash_seed(record.seed) != seed_commitment:
        yield Flaw(step=0, what="seed", piece=seed_commitment)
        return
    if not _has_valid_words(record):
        yield Flaw(step=0, what="words", piece="")
        return
    states: list[Any] = []
    pending: tuple[Request, ...] = ()
    last_revealing = 0  # number of the last revealing step
    moves = 0  # steps on which the seeds of battles and of going back depend
    seed = record.dice_seed
    asked_requests = _AskedRequests()
    # For each request id, the steps after which it was open.
    open_in: dict[str, list[tuple[int, Request]]] = defaultdict(list)
    for number, step in enumerate(record.steps):
        if mismatched := first_mismatched_answer(step.answers, seed_commitment):
            yield Flaw(step=number, what="commitment", piece=mismatched.request)
        try:
            seed = _seed_from(record, step.act, seed)
            result = _repeat_step(rules, record, states, number, seed=seed, last_revealing=last_revealing, moves=moves)
        except (OrderError, ValueError) as error:
            yield Flaw(step=number, what="answer", piece=str(error))
            return
        if result is None:
            yield Flaw(step=number, what="requests", piece=", ".join(answer.request for answer in step.answers))
            return
        yield from _event_flaws(number, step.events, result.events)
        pending_before, pending = pending, rules.pending_requests(result.state)
        reveals = _reveals_something(step, states, result, pending_before, pending)
        moves += _moves_dice(step, pending_before, result, reveals=reveals, last_revealing=last_revealing)
        if reveals:
            last_revealing = number
        states.append(result.state)
        asked_requests.add_step(number, step, [request.id for request in pending])
        for request in pending:
            open_in[request.id].append((number, request))
    if not states or rules.result(states[-1]) is None:
        yield Flaw(step=len(record.steps), what="end", piece="cut short")
    yield from _unused_answer_flaws(rules, record, states, open_in)
    if unexpected := asked_requests.unexpected_seals([answer.request for answer in record.unused]):
        yield Flaw(step=len(record.steps), what="requests", piece=", ".join(unexpected))


def _event_flaws(number: int, recorded_events: Iterable[Any], replayed_events: Sequence[Event]) -> Iterator[Flaw]:
    # JSON has no tuples: compare lists with lists.
    events = msgspec.json.decode(msgspec.json.encode(replayed_events))
    for index, (recorded, replayed) in enumerate(zip_longest(recorded_events, events)):
        if recorded != replayed:
            event = replayed if recorded is None else recorded
            piece = f"{index + 1} {event.get('type', '')}{_first_difference(recorded, replayed)}"
            yield Flaw(step=number, what="events", piece=piece)


def _unused_answer_flaws(
    rules: Ruleset[Any], record: Record, states: Sequence[Any], open_in: Mapping[str, Sequence[tuple[int, Request]]]
) -> Iterator[Flaw]:
    """Yield flaws of answers that were never carried out.

    `open_in` gives the steps after which each request was open.
    """
    if mismatched := first_mismatched_answer(record.unused, record.seed_commitment):
        yield Flaw(step=len(record.steps), what="commitment", piece=mismatched.request)
    for answer in record.unused:
        open_steps = open_in.get(answer.request, ())
        was_legal = any(_is_canonical(rules, states[number], request, answer.body) for number, request in open_steps)
        if open_steps and not was_legal:
            yield Flaw(step=len(record.steps), what="answer", piece=answer.request)


class _AskedRequests:
    """Requests that were asked and answered so far. Going back forgets those that it takes back."""

    def __init__(self) -> None:
        self._asked: dict[str, int] = {}  # number of the step that asked each request, by its id
        self._answered: set[str] = set()  # ids of answered requests

    def add_step(self, number: int, step: RecordedStep, pending: Sequence[str]) -> None:
        """Note what a step answered and which requests are `pending` after it."""
        if isinstance(step.act, UndoAction):
            # Entries are in the order of steps, so the last ones were asked by steps that are taken back.
            while self._asked and next(reversed(self._asked.values())) >= step.act.to:
                request, _ = self._asked.popitem()
                self._answered.discard(request)
            for request in pending:
                self._asked.pop(request, None)
                self._answered.discard(request)
        self._answered.update(answer.request for answer in step.answers)
        for request in pending:
            self._asked.setdefault(request, number)

    def unexpected_seals(self, sealed: Sequence[str]) -> list[str]:
        """Return the requests that cannot have another sealed answer: never asked, already answered, or named twice."""
        times = Counter(sealed)
        return [
            request
            for request in times
            if request not in self._asked or request in self._answered or times[request] > 1
        ]


def _has_valid_words(record: Record) -> bool:
    matches_seats = len(record.words) == len(record.setup.teams)
    return matches_seats and all(word is None or fairness.clean_word(word) == word for word in record.words)


def _first_difference(recorded: Any, replayed: Any) -> str:  # noqa: ANN401 - any JSON
    """Return the path `.field.index` of the first difference of two JSON values, empty if it is at the top."""
    match recorded, replayed:
        case dict(), dict():
            pairs = {key: (recorded.get(key), replayed.get(key)) for key in sorted({*recorded, *replayed})}
        case list(), list():
            pairs = {str(index): pair for index, pair in enumerate(zip_longest(recorded, replayed))}
        case _:
            return ""
    for key, (old, new) in pairs.items():
        if old != new:
            return f".{key}{_first_difference(old, new)}"
    return ""


def _reveals_something(
    recorded: RecordedStep,
    states: Sequence[Any],
    result: Step,
    pending_before: Sequence[Request],
    pending: Sequence[Request],
) -> bool:
    if not states:
        return False
    if isinstance(recorded.act, UndoAction):
        return recorded.act.is_restore
    answered_ids = [answer.request for answer in recorded.answers]
    return is_revealing(states[-1], result, pending_before=pending_before, pending=pending, answered_ids=answered_ids)


def is_public_step(recorded: RecordedStep, pending_before: Iterable[Request], step: Step) -> bool:
    """Return whether everyone may know of a step. `pending_before` are the requests open before it."""
    answered_ids = {answer.request for answer in recorded.answers}
    return not is_hidden_step(
        [request for request in pending_before if request.id in answered_ids], public=has_public_event(step.events)
    )


def _moves_dice(
    recorded: RecordedStep, pending_before: Iterable[Request], step: Step, *, reveals: bool, last_revealing: int
) -> bool:
    """Return whether the dice of later battles, and those after going back, depend on a step.

    They depend on public answers that reveal something, and on going back past a step that does. Somebody who knows
    the seed could otherwise choose these dice by storing plans, by conceding, or by taking a seat up.
    """
    if isinstance(recorded.act, UndoAction):
        return recorded.act.is_restore or last_revealing > recorded.act.to
    return recorded.act is None and reveals and is_public_step(recorded, pending_before, step)


def _repeat_step(
    rules: Ruleset[Any],
    record: Record,
    states: Sequence[Any],
    number: int,
    *,
    seed: str,
    last_revealing: int,
    moves: int,
) -> Step | None:
    """Carry out a recorded step again; None if its answers do not fit the pending requests.

    `seed` is that of the dice after going back, `last_revealing` the number of the last step that revealed something,
    and `moves` the count of earlier steps on which these dice depend.
    """
    step = record.steps[number]
    has_answers, has_act = bool(step.answers), step.act is not None
    is_start = number == 0
    is_impossible = (has_answers or has_act) if is_start else (has_answers and has_act)
    if is_impossible:
        return None
    if is_start:
        rules.check_edition(record.setup)
        return rules.start(record.setup, Dice(seed=record.dice_seed))
    state = states[-1]
    if isinstance(step.act, UndoAction):
        return _go_back(rules, seed, states, step.act, last_revealing=last_revealing, moves=moves)
    if step.act is not None:
        return rules.apply_out_of_turn(state, step.act)
    pending = rules.pending_requests(state)
    bodies = {answer.request: answer.body for answer in step.answers}
    has_repeated_answer = len(bodies) != len(step.answers)
    if has_repeated_answer or not completes_step(pending, bodies):
        return None
    requests = [request for request in pending if request.id in bodies]
    return rules.resolve(
        state, {request.id: _parse_canonical(rules, state, request, bodies[request.id]) for request in requests}
    )


def _parse_canonical(rules: Ruleset[Any], state: Any, request: Request, body: str) -> Any:  # noqa: ANN401
    """Return the answer in a text. Raises `OrderError`, or `ValueError` if the text is not in canonical notation."""
    answer = rules.parse_answer(state, request, body)
    if rules.format_answer(request, answer) != body:
        raise ValueError(f"{request.id} is not written as it was sealed")
    return answer


def _is_canonical(rules: Ruleset[Any], state: Any, request: Request, body: str) -> bool:  # noqa: ANN401
    try:
        _parse_canonical(rules, state, request, body)
    except (OrderError, ValueError):
        return False
    return True


def _seed_from(record: Record, act: OutOfTurnAction | UndoAction | None, seed: str) -> str:
    """Return the seed for going back from a step with this `act` on; `seed` is the one before."""
    is_restore = isinstance(act, UndoAction) and act.is_restore
    return seed_after_restores(record.dice_seed, [act]) if is_restore else seed


def _go_back(
    rules: Ruleset[Any], seed: str, states: Sequence[Any], act: UndoAction, *, last_revealing: int, moves: int
) -> Step | None:
    last_no = len(states) - 1
    if not 0 <= act.to <= last_no or (act.is_restore and act.to != last_no):
        return None
    if act.battle is not None:
        running_battles = [request.id for request in rules.pending_requests(states[-1]) if request.battle]
        return Step(states[-1], ()) if act.is_restore and act.battle in running_battles else None
    revealed = act.is_restore or last_revealing > act.to
    return Step(restore_state(states[act.to], seed, moves, revealed=revealed), ())
