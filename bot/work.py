"""The jobs of the workers: pure functions from stored text to stored text, pictures and choices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec
from msgspec import Struct

import render
from bot import speech
from bot.i18n import Catalogue, Words
from rules.dice import Dice, subseed
from rules.errors import IllegalOrder, OrderError
from rules.protocol import Act, Choices, Event, Request, Result, Ruleset, Setup, Step
from rules.registry import RULESETS
from rules.view import Text


class Advanced(Struct, frozen=True, kw_only=True):
    """What a step has led to."""

    state: str
    events: str
    answers: dict[str, str]
    """The answers carried out, by request, defaults among them."""
    pending: tuple[Request, ...]
    computed: dict[str, str]
    """Answers that computer captains give to what is pending now."""
    result: Result | None


class Drawn(Struct, frozen=True, kw_only=True):
    """A picture, ready to be attached."""

    data: bytes
    format: str
    alt: str


class Panel(Struct, frozen=True, kw_only=True):
    """What a captain's panel shows."""

    choices: Choices
    picture: Drawn


class Look(Struct, frozen=True, kw_only=True):
    """How a viewer is spoken to."""

    language: str
    names: dict[int, str]
    """Display names by seat."""
    caption: Text | None = None
    """Written below the picture in place of what the view says of its phase."""


def encode(value: object) -> str:
    """Write a state, an event list or an answer as JSON."""
    return msgspec.json.encode(value).decode()


def read_state(rules: Ruleset[Any, Any], body: str) -> Any:  # noqa: ANN401 - each game has its own state
    """Read a stored state."""
    return msgspec.json.decode(body, type=rules.state_type)


def read_events(rules: Ruleset[Any, Any], body: str) -> tuple[Event, ...]:
    """Read stored events."""
    events: tuple[Event, ...] = msgspec.json.decode(body, type=tuple[rules.event_type, ...])  # type: ignore[name-defined]
    return events


def begin(setup: Setup, seed: str, computers: Sequence[int]) -> Advanced:
    """Start a game."""
    rules = RULESETS[setup.system]
    return _advanced(rules, rules.start(setup, Dice(seed=seed)), {}, seed, computers)


def advance(system: str, body: str, answers: Mapping[str, str], seed: str, computers: Sequence[int]) -> Advanced:
    """Carry out sealed answers; whoever is missing gets his default."""
    rules = RULESETS[system]
    state = read_state(rules, body)
    joined = {}
    for request in rules.pending(state):
        text = answers.get(request.id)
        joined[request.id] = rules.default(state, request) if text is None else rules.parse(state, request, text)
    step = rules.resolve(state, joined)
    return _advanced(rules, step, {key: rules.format(answer) for key, answer in joined.items()}, seed, computers)


def act(system: str, body: str, done: Act, seed: str, computers: Sequence[int]) -> Advanced:
    """Carry out what a captain did unasked."""
    rules = RULESETS[system]
    return _advanced(rules, rules.act(read_state(rules, body), done), {}, seed, computers)


def _advanced(
    rules: Ruleset[Any, Any], step: Step, answers: dict[str, str], seed: str, computers: Sequence[int]
) -> Advanced:
    state = step.state
    pending = rules.pending(state)
    computed = {}
    for request in pending:
        if request.seat in computers:
            whims = subseed(seed, f"captain {request.id}")
            answer = rules.captain(rules.view(state, request.seat), request, whims)
            computed[request.id] = rules.format(answer)
    return Advanced(
        state=encode(state),
        events=encode(step.events),
        answers=answers,
        pending=pending,
        computed=computed,
        result=rules.result(state),
    )


def press(system: str, body: str, request: Request, draft: str, token: str) -> tuple[str, bool]:
    """Press an option: the draft after it, and whether that seals it. Raises `OrderError`."""
    rules = RULESETS[system]
    state = read_state(rules, body)
    options = [o for group in rules.choices(state, request, draft).groups for o in group.options if o.token == token]
    if not options:
        raise IllegalOrder("no_such_option", "", piece=token)
    (option, *_) = options
    if option.fault:
        raise OrderError(option.fault)
    return option.draft, option.seals


def amend(system: str, body: str, request: Request, draft: str, text: str) -> str:
    """Put typed text into a draft. Raises `OrderError`."""
    rules = RULESETS[system]
    return rules.amend(read_state(rules, body), request, draft, text)


def missing(system: str, body: str, request: Request, draft: str) -> tuple[Text, ...]:
    """What a draft still lacks."""
    rules = RULESETS[system]
    return rules.choices(read_state(rules, body), request, draft).missing


def complete(system: str, body: str, request: Request, draft: str) -> str:
    """Read a finished draft and write the answer in canonical notation. Raises `OrderError`."""
    rules = RULESETS[system]
    return rules.format(rules.parse(read_state(rules, body), request, draft))


def panel(system: str, body: str, request: Request, draft: str, look: Look) -> Panel:
    """Show a captain his choices, and his draft laid on the table."""
    rules = RULESETS[system]
    choices = rules.choices(read_state(rules, body), request, draft)
    return Panel(choices=choices, picture=draw(system, body, "[]", look, seat=request.seat, draft=draft, kind="plan"))


def draw(
    system: str,
    body: str,
    happened: str,
    look: Look,
    *,
    seat: int | None = None,
    draft: str = "",
    kind: Literal["table", "plan"] = "table",
) -> Drawn:
    """Draw a state as one seat, or a spectator, sees it, with what has just happened."""
    rules = RULESETS[system]
    view = rules.view(read_state(rules, body), seat, draft)
    events = tuple(e for e in read_events(rules, happened) if e.seen_by is None or seat in e.seen_by)
    plain = Words(Catalogue.load(look.language), look.names, plain=True)
    if look.caption:
        view = msgspec.structs.replace(view, phase=look.caption)
    # Cut to what is afloat, for phones; before the first round the whole table is of interest.
    afloat = tuple(piece.id for piece in view.pieces if piece.afloat)
    picture = render.draw(
        view,
        events,
        kind=kind,
        caption=plain.text(view.phase),
        names=look.names,
        crop="action" if view.round else "whole",
        focus=afloat,
    )
    return Drawn(data=picture.data, format=picture.format, alt=speech.alt(plain, view, events))


def status(system: str, body: str, seat: int | None, look: Look, *, draft: str = "") -> str:
    """Describe a state in words, as one seat sees it, with his draft."""
    rules = RULESETS[system]
    view = rules.view(read_state(rules, body), seat, draft)
    return speech.table_text(Words(Catalogue.load(look.language), look.names), view)
