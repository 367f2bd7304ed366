"""Replays a game from its published facts: setup, seed and answers are the truth, all else follows from them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct, structs

from rules.chance import fairness
from rules.chance.dice import Dice, derive_seed
from rules.core.errors import OrderError
from rules.core.protocol import OutOfTurnAction, Report, Request, Setup, Step, completes_step
from rules.core.revealing import has_public_event, is_hidden_step, is_revealing
from rules.core.ruleset import Ruleset

MAX_TIME: Final = 2**40
"""No time is later, in Unix seconds."""
MAX_STEPS: Final = 20_000
"""Steps of a record that is read. A game of open turns, whose every move is a step, has some hundreds."""


class RecordedAnswer(Struct, frozen=True, kw_only=True):
    """An answer as it was revealed."""

    request: str
    body: str
    nonce: str
    commitment: str
    """`fairness.hash_answer`, as published when it was sealed."""
    given_by: Literal["captain", "computer", "deadline", "stored", "battle"]
    at: Annotated[int, Meta(ge=0, le=MAX_TIME)] = 0
    """When it was sealed, in Unix seconds: a remark, from which nothing follows."""


class UndoAction(Struct, frozen=True, tag="Undone"):
    """The game went back; all that came in between stays in the record."""

    to: int
    """The number of the step after which it goes on."""


class RecordedStep(Struct, frozen=True, kw_only=True):
    """What was put in at once, and what came of it."""

    act: OutOfTurnAction | UndoAction | None = None
    answers: tuple[RecordedAnswer, ...] = ()
    events: tuple[dict[str, Any], ...]
    """As JSON objects, each tagged with its `type`."""
    at: Annotated[int, Meta(ge=0, le=MAX_TIME)] = 0
    """When it was carried out, in Unix seconds: a remark, as above."""


class Record(Struct, frozen=True, kw_only=True):
    """A whole finished game."""

    setup: Setup
    seed: str
    seed_commitment: str
    """`fairness.hash_seed`, as published when the lobby was opened."""
    steps: Annotated[tuple[RecordedStep, ...], Meta(max_length=MAX_STEPS)]
    """The first is the start, with no answers."""
    unused: tuple[RecordedAnswer, ...] = ()
    """Sealed, but never carried out, because the game was over before; their hashes were published all the same."""
    scheme: fairness.HashScheme
    """How hashes and dice are made."""
    words: tuple[str | None, ...]
    """What each seat's captain added to the dice."""

    @property
    def dice_seed(self) -> str:
        """The seed from which its dice are thrown."""
        return fairness.derive_dice_seed(self.seed, self.words)


class Flaw(Struct, frozen=True, kw_only=True):
    """The first thing in a record that does not hold."""

    step: int
    what: Literal[
        "seed",
        "words",
        "commitment",
        "answer",
        "requests",
        "events",
        "end",
        "digest",
        "published",
        "told_seed",
        "told_words",
        "told_seal",
        "withdrawn",
    ]
    """From `digest` on they are of the file that the record came in: its own digest, and what was published of it: that
    digest, the hashes of the seed and the words, and a seal. `withdrawn` is no contradiction: the file says that a name
    was taken out since, so that nobody can tell whether it is the record with the published digest."""
    piece: str
    """An answer's or hash's request; the event, and what of it, as `3 Type.field`; what the rules said of an answer."""


def restore_state(state: Any, seed: str, number: int, *, revealed: bool) -> Any:  # noqa: ANN401 - any game's state
    """An earlier state, as the game goes on from it after a step that went back to it, before which `number` were told.

    If a step since has `revealed` something (`rules.core.revealing`), other dice fall now, which the game's seed and
    that number determine. Since scheme 3 steps that only one captain knows of don't count: else who knows the seed
    could store plans until the dice suit them.
    """
    return structs.replace(state, dice=Dice(seed=derive_seed(seed, f"undo {number}"))) if revealed else state


def battle_seed(seed: str, request: str, number: int) -> str:
    """The seed (hex) of the battle that answers a request, which a step asked before which `number` were told.

    It follows from the seed of that game's dice, so that nobody chooses it, and reveals nothing of it. What is asked
    again after going back is asked in another step, and so has other dice.
    """
    return derive_seed(seed, f"battle {request} {number}")


def verify(rules: Ruleset[Any], record: Record) -> Flaw | None:
    """Replay a record and compare; the first flaw, or None if everything holds."""
    return next(_find_flaws(rules, record), None)


def replay_steps(rules: Ruleset[Any], record: Record) -> Iterator[tuple[int | UndoAction | None, Step]]:
    """Every step of a record, with the round in which it was asked for; None for what was done unasked.

    Raises OrderError for an answer that is none, ValueError if what was answered was not asked.
    """
    states: list[Any] = []
    asked: tuple[Request, ...] = ()
    revealed = known = 0
    for number, recorded in enumerate(record.steps):
        given = {answer.request for answer in recorded.answers}
        done = _repeat_step(rules, record, states, number, revealed=revealed, known=known)
        if done is None:
            raise ValueError(f"step {number} answers what was not asked")
        asked_in = max((request.round for request in asked if request.id in given), default=None)
        yield recorded.act if isinstance(recorded.act, UndoAction) else asked_in, done
        pending = rules.pending_requests(done.state)
        known += _counts_for_dice(record, recorded, asked, done)
        revealed = number if _reveals_something(recorded, states, done, asked, pending) else revealed
        states.append(done.state)
        asked = pending


class RecordedBattle(Struct, frozen=True):
    """A battle of which a record says how it ended."""

    request: str
    """What it answered."""
    setup: Setup
    """How it was to begin."""
    seed: str
    """From which its dice must fall: a secret as long as it goes on."""
    report: Report


def recorded_battles(rules: Ruleset[Any], record: Record) -> list[RecordedBattle]:
    """The games of their own that answered questions of a game whose record holds, as its answers tell, each once.

    What was said in secret of one that is over is said again after an act beside it was taken back.
    """
    found: list[RecordedBattle] = []
    asked: dict[str, tuple[int, Request]] = {}
    """What is asked, and how many steps were told before it was."""
    known = 0
    after: list[tuple[Dice, dict[str, tuple[int, Request]]]] = []
    """The dice and what was asked after each step."""
    for recorded, (_, step) in zip(record.steps, replay_steps(rules, record), strict=True):
        before = [request for _, request in asked.values()]
        for answer in recorded.answers:
            asked_in, request = asked[answer.request]
            if request.battle:
                report = msgspec.json.decode(answer.body, type=Report)
                seed = battle_seed(record.dice_seed, request.id, asked_in)
                fought = RecordedBattle(request.id, request.battle.setup, seed, report)
                found += [fought] if fought not in found else []
        if isinstance(recorded.act, UndoAction):
            dice, then = after[recorded.act.to]
            asked = then if step.state.dice == dice else {}  # with other dice everything is asked again
        asked = {one.id: (asked.get(one.id, (known, one))[0], one) for one in rules.pending_requests(step.state)}
        after.append((step.state.dice, asked))
        known += _counts_for_dice(record, recorded, before, step)
    return found


def battle_report(rules: Ruleset[Any], record: Record, digest: str) -> Report:
    """How a finished game whose record holds has ended, as it is reported to the game whose battle it was."""
    state = [step.state for _, step in replay_steps(rules, record)][-1]
    return rules.battle_report(state, digest)


def first_mismatched_answer(answers: Iterable[RecordedAnswer], game: str) -> RecordedAnswer | None:
    """The first answer whose hash is not that of its text and nonce in the `game` of this seed's hash, or None."""
    return next((one for one in answers if not _matches_commitment(one, game)), None)


def _matches_commitment(one: RecordedAnswer, game: str) -> bool:
    hashed = fairness.hash_answer(game, one.request, one.body, one.nonce)
    return fairness.is_secret(one.nonce) and hashed == one.commitment


def _find_flaws(rules: Ruleset[Any], record: Record) -> Iterator[Flaw]:
    game = record.seed_commitment
    if not fairness.is_secret(record.seed) or fairness.hash_seed(record.seed) != game:
        yield Flaw(step=0, what="seed", piece=game)
        return
    if not _has_valid_words(record):
        yield Flaw(step=0, what="words", piece="")
        return
    states: list[Any] = []
    pending: tuple[Request, ...] = ()
    revealed = known = 0
    questions = _AskedRequests()
    open_in: dict[str, list[tuple[int, Request]]] = defaultdict(list)
    """The steps after which each request was open."""
    for number, step in enumerate(record.steps):
        if broken := first_mismatched_answer(step.answers, game):
            yield Flaw(step=number, what="commitment", piece=broken.request)
        try:
            done = _repeat_step(rules, record, states, number, revealed=revealed, known=known)
        except (OrderError, ValueError) as refused:
            yield Flaw(step=number, what="answer", piece=str(refused))
            return
        if done is None:
            yield Flaw(step=number, what="requests", piece=", ".join(answer.request for answer in step.answers))
            return
        happened = msgspec.json.decode(msgspec.json.encode(done.events))  # as told: JSON knows no tuples
        for index, (told, real) in enumerate(zip_longest(step.events, happened)):
            if told != real:
                named = str((real if told is None else told).get("type", ""))
                yield Flaw(step=number, what="events", piece=f"{index + 1} {named}{_first_difference(told, real)}")
        asked, pending = pending, rules.pending_requests(done.state)
        known += _counts_for_dice(record, step, asked, done)
        revealed = number if _reveals_something(step, states, done, asked, pending) else revealed
        states.append(done.state)
        questions.add_step(number, step, [request.id for request in pending])
        for request in pending:
            open_in[request.id].append((number, request))
    if not states or rules.result(states[-1]) is None:
        yield Flaw(step=len(record.steps), what="end", piece="cut short")
    yield from _unused_answer_flaws(rules, record, states, open_in)
    if strange := questions.unexpected_seals([answer.request for answer in record.unused]):
        yield Flaw(step=len(record.steps), what="requests", piece=", ".join(strange))


def _unused_answer_flaws(
    rules: Ruleset[Any],
    record: Record,
    states: Sequence[Any],
    open_in: Mapping[str, Sequence[tuple[int, Request]]],
) -> Iterator[Flaw]:
    """What is wrong with answers that were never carried out; `open_in` names the states that asked for each."""
    if broken := first_mismatched_answer(record.unused, record.seed_commitment):
        yield Flaw(step=len(record.steps), what="commitment", piece=broken.request)
    for one in record.unused:
        asked = open_in.get(one.request, ())
        if asked and not any(_is_canonical(rules, states[number], request, one.body) for number, request in asked):
            yield Flaw(step=len(record.steps), what="answer", piece=one.request)


class _AskedRequests:
    """What was asked in a game, and what of it was answered. What was taken back is forgotten, as if never asked."""

    def __init__(self) -> None:
        self._asked: dict[str, int] = {}
        """The step after which each request was asked, in this order."""
        self._answered: set[str] = set()

    def add_step(self, number: int, step: RecordedStep, pending: Sequence[str]) -> None:
        """One more step, after which these requests are pending."""
        if isinstance(step.act, UndoAction):
            while self._asked and next(reversed(self._asked.values())) >= step.act.to:
                self._answered.discard(self._asked.popitem()[0])
            for request in pending:
                self._asked.pop(request, None)
                self._answered.discard(request)
        self._answered.update(answer.request for answer in step.answers)
        for request in pending:
            self._asked.setdefault(request, number)

    def unexpected_seals(self, sealed: Sequence[str]) -> list[str]:
        """Which of these requests nobody can have sealed besides: never asked, answered, or named more than once."""
        times = Counter(sealed)
        return [one for one in times if one not in self._asked or one in self._answered or times[one] > 1]


def _has_valid_words(record: Record) -> bool:
    """Whether there is a word, as it may be, or none for each seat."""
    whole = len(record.words) == len(record.setup.teams)
    return whole and all(word is None or fairness.clean_word(word) == word for word in record.words)


def _first_difference(told: Any, real: Any) -> str:  # noqa: ANN401 - any JSON
    """Where two pieces of JSON first differ, as `.field.index`; empty if they have nothing in common."""
    match told, real:
        case dict(), dict():
            pairs = {key: (told.get(key), real.get(key)) for key in sorted({*told, *real})}
        case list(), list():
            pairs = {str(index): pair for index, pair in enumerate(zip_longest(told, real))}
        case _:
            return ""
    return next((f".{key}{_first_difference(*pair)}" for key, pair in pairs.items() if pair[0] != pair[1]), "")


def _reveals_something(
    recorded: RecordedStep, states: Sequence[Any], done: Step, asked: Sequence[Request], pending: Sequence[Request]
) -> bool:
    """Whether a step revealed something; beginning and going back reveal nothing."""
    if not states or isinstance(recorded.act, UndoAction):
        return False
    given = [answer.request for answer in recorded.answers]
    return is_revealing(states[-1], done, asked=asked, pending=pending, given=given)


def is_public_step(recorded: RecordedStep, asked: Iterable[Request], done: Step) -> bool:
    """Whether everybody may know of a step, before which this was `asked`."""
    given = {answer.request for answer in recorded.answers}
    return not is_hidden_step([one for one in asked if one.id in given], public=has_public_event(done.events))


def _counts_for_dice(record: Record, recorded: RecordedStep, asked: Iterable[Request], done: Step) -> bool:
    """Whether later dice depend on there having been this step."""
    return fairness.counts_hidden_steps(record.scheme) or is_public_step(recorded, asked, done)


def _repeat_step(
    rules: Ruleset[Any], record: Record, states: Sequence[Any], number: int, *, revealed: int, known: int
) -> Step | None:
    """Carry out a step, before which `revealed` was the last that revealed anything, and so many were told.

    None if it does not fit.
    """
    step = record.steps[number]
    if (step.answers and step.act is not None) or (number == 0 and (step.answers or step.act is not None)):
        return None
    if number == 0:
        return rules.start(record.setup, Dice(seed=record.dice_seed))
    if isinstance(step.act, UndoAction):
        return _go_back(record.dice_seed, states, step.act.to, revealed=revealed, known=known)
    state = states[-1]
    if step.act is not None:
        return rules.apply_out_of_turn(state, step.act)
    pending = rules.pending_requests(state)
    given = {answer.request: answer.body for answer in step.answers}
    if len(given) != len(step.answers) or not completes_step(pending, given):
        return None
    asked = [request for request in pending if request.id in given]
    return rules.resolve(state, {one.id: _parse_canonical(rules, state, one, given[one.id]) for one in asked})


def _parse_canonical(rules: Ruleset[Any], state: Any, request: Request, body: str) -> Any:  # noqa: ANN401
    """The answer that a text is. Raises OrderError, and ValueError if the same can be written otherwise."""
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


def _go_back(seed: str, states: Sequence[Any], to: int, *, revealed: int, known: int) -> Step | None:
    if not 0 <= to < len(states):
        return None
    return Step(restore_state(states[to], seed, known, revealed=revealed > to), ())
