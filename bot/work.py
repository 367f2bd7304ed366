"""The jobs of the workers: pure functions from stored text to stored text, pictures and choices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct

import render
from bot import speech
from bot.i18n import Catalogue, Words
from rules.dice import Dice, subseed
from rules.errors import IllegalOrder, OrderError
from rules.protocol import STANDING, Act, Choices, Event, Request, Result, Ruleset, Seat, Setup, Step
from rules.registry import FIRST, RULESETS
from rules.replay import restored
from rules.tally import Tally
from rules.view import Text, View

PLAN_WIDTH: Final = 1280
"""Pixels: a plan is drawn anew with every press, and this is still more than a phone shows."""


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
    tallies: dict[Seat, Tally] = {}
    """What each seat did and threw, once the game is over."""


class Drawn(Struct, frozen=True, kw_only=True):
    """A picture, ready to be attached."""

    data: bytes
    format: str
    alt: str
    reduced: bool = False
    """A film with fewer frames, or smaller, than it was meant to be."""


class Clip(Struct, frozen=True, kw_only=True):
    """One round of a whole game's film."""

    picture: render.Picture | None
    """None if nothing of the round can be seen."""
    headline: str


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


def read_events(rules: Ruleset[Any, Any], *bodies: str) -> tuple[Event, ...]:
    """Read the stored events of one or more steps."""
    kind = tuple[rules.event_type, ...]  # type: ignore[name-defined]
    return tuple(event for body in bodies for event in msgspec.json.decode(body, type=kind))


def warm_up() -> None:
    """Load and make what any first picture needs, before somebody waits for it."""
    rules = RULESETS[FIRST]
    state = rules.start(Setup(system=FIRST, teams=(0, 1)), Dice(seed="00")).state
    render.draw(rules.view(state, 0), kind="plan", width=PLAN_WIDTH)


def begin(setup: Setup, seed: str, computers: Sequence[int]) -> Advanced:
    """Start a game."""
    rules = RULESETS[setup.system]
    return _advanced(rules, rules.start(setup, Dice(seed=seed)), {}, computers)


def advance(system: str, body: str, due: Mapping[str, str | None], *, computers: Sequence[int]) -> Advanced:
    """Carry out answers by request; None is whoever is missing and gets his default."""
    rules = RULESETS[system]
    state = read_state(rules, body)
    joined = {}
    for request in rules.pending(state):
        if request.id in due:
            text = due[request.id]
            joined[request.id] = rules.default(state, request) if text is None else rules.parse(state, request, text)
    step = rules.resolve(state, joined)
    return _advanced(rules, step, {key: rules.format(answer) for key, answer in joined.items()}, computers)


def act(system: str, body: str, done: Act, computers: Sequence[int]) -> Advanced:
    """Carry out what a captain did unasked."""
    rules = RULESETS[system]
    return _advanced(rules, rules.act(read_state(rules, body), done), {}, computers)


def go_back(system: str, body: str, *, seed: str, number: int, revealed: bool, computers: Sequence[int]) -> Advanced:
    """Go on from an earlier state, in the step of this number, whether or not answers were revealed since."""
    rules = RULESETS[system]
    state = restored(read_state(rules, body), seed, number, revealed=revealed)
    return _advanced(rules, Step(state, ()), {}, computers)


def tally(system: str, body: str, happened: Sequence[str]) -> dict[Seat, Tally]:
    """Count what each seat did and threw in a game, by the state that it led to."""
    rules = RULESETS[system]
    return dict(rules.tally(read_state(rules, body), read_events(rules, *happened)))


def computed(system: str, body: str, computers: Sequence[int]) -> dict[str, str]:
    """What computer captains answer to what is asked in a state, by request."""
    rules = RULESETS[system]
    return _computed(rules, read_state(rules, body), computers)


def _advanced(rules: Ruleset[Any, Any], step: Step, answers: dict[str, str], computers: Sequence[int]) -> Advanced:
    state = step.state
    return Advanced(
        state=encode(state),
        events=encode(step.events),
        answers=answers,
        pending=rules.pending(state),
        computed=_computed(rules, state, computers),
        result=rules.result(state),
    )


def _computed(rules: Ruleset[Any, Any], state: Any, computers: Sequence[int]) -> dict[str, str]:  # noqa: ANN401
    found = {}
    for request in rules.pending(state):
        if request.seat in computers and not request.optional:
            # A game that went back has other dice, and so has its computer other whims.
            whims = subseed(state.dice.seed, f"captain {request.id}")
            found[request.id] = rules.format(rules.captain(rules.view(state, request.seat), request, whims))
    return found


def hidden(answered: Sequence[Request], events: str) -> bool:
    """Whether nobody but who answered may know of a step: nobody waited for it, and nobody else may see any of it."""
    seen = any(event["seen_by"] is None for event in msgspec.json.decode(events))
    return all(request.optional for request in answered) and not seen


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


def with_standing(system: str, body: str, request: Request, text: str) -> str:
    """A draft with nothing but standing orders; empty if this request takes none. Raises `OrderError`."""
    rules = RULESETS[system]
    state = read_state(rules, body)
    takes = any(group.key == STANDING for group in rules.choices(state, request, "").groups)
    return rules.amend(state, request, "", text) if takes else ""


def choices(system: str, body: str, request: Request, draft: str) -> Choices:
    """What a draft may become, and what it still lacks."""
    rules = RULESETS[system]
    return rules.choices(read_state(rules, body), request, draft)


def missing(system: str, body: str, request: Request, draft: str) -> tuple[Text, ...]:
    """What a draft still lacks."""
    rules = RULESETS[system]
    return rules.choices(read_state(rules, body), request, draft).missing


def suggest(system: str, body: str, request: Request, typed: str, look: Look, *, most: int) -> list[tuple[str, str]]:
    """How what somebody is typing may go on: what may be pressed after it, and after that, as words and as orders."""
    rules = RULESETS[system]
    state, plain = read_state(rules, body), _plain(look)
    found: dict[str, str] = {}
    waiting = [(typed, ""), ("", "")]
    for draft, before in waiting:
        for option in (o for group in rules.choices(state, request, draft).groups for o in group.options):
            words = plain.text(option.label)
            label = f"{before} · {words}" if before else str(words)
            # "BB" leads on to "BB>G4", and "bb>g" is the beginning of that.
            if option.fault or option.draft in found:
                continue
            if option.draft.casefold().startswith(typed.casefold().strip()):
                found[option.draft] = label
            if not (before or option.seals) and draft == "":
                waiting.append((option.draft, label))
    return [(label, draft) for draft, label in found.items() if draft and draft != typed][:most]


class Hint(Struct, frozen=True, kw_only=True):
    """What the computer captain would answer in somebody's place."""

    answer: str
    lines: tuple[Text, ...]
    """The same in words."""
    reason: Text


def hint(system: str, body: str, request: Request, whims: str) -> Hint:
    """Ask the computer captain for advice: he sees what the seat sees, and has whims (hex)."""
    rules = RULESETS[system]
    state = read_state(rules, body)
    view = rules.view(state, request.seat)
    answer = rules.captain(view, request, whims)
    text = rules.format(answer)
    return Hint(answer=text, lines=rules.choices(state, request, text).lines, reason=rules.reason(view, answer))


def acts(system: str, body: str, request: Request, draft: str) -> bool:
    """Whether a draft is whole, in a request whose options are carried out as they are pressed."""
    rules = RULESETS[system]
    choices = rules.choices(read_state(rules, body), request, draft)
    return not choices.missing and any(option.seals for group in choices.groups for option in group.options)


def complete(system: str, body: str, request: Request, draft: str) -> str:
    """Read a finished draft and write the answer in canonical notation. Raises `OrderError`."""
    rules = RULESETS[system]
    return rules.format(rules.parse(read_state(rules, body), request, draft))


def panel(system: str, body: str, request: Request, draft: str, look: Look) -> Panel:
    """Show a captain his choices, and his draft laid on the table."""
    rules = RULESETS[system]
    choices = rules.choices(read_state(rules, body), request, draft)
    picture = draw(system, body, (), look, seat=request.seat, draft=draft, kind="plan", width=PLAN_WIDTH)
    return Panel(choices=choices, picture=picture)


def draw(
    system: str,
    body: str,
    happened: Sequence[str],
    look: Look,
    *,
    seat: int | None = None,
    draft: str = "",
    kind: render.Kind = "table",
    crop: Literal["afloat", "whole", "action", "fleet"] = "afloat",
    width: int = render.STILL_WIDTH,
) -> Drawn:
    """Draw a state as one seat, or a spectator, sees it, with what has just happened.

    It is cut to all that is afloat (but before the first round, when the whole table is of interest), not at all, to
    the action, or to the seat's own pieces.
    """
    rules = RULESETS[system]
    view, events = _seen(rules, body, happened, look, seat=seat, draft=draft)
    plain = _plain(look)
    afloat = [piece for piece in view.pieces if piece.afloat]
    focus = {
        "afloat": tuple(piece.id for piece in afloat),
        "fleet": tuple(piece.id for piece in afloat if piece.seat == seat),
    }
    picture = render.draw(
        view,
        events,
        kind=kind,
        caption=plain.text(view.phase),
        names=look.names,
        width=width,
        crop="whole" if crop == "whole" or (crop == "afloat" and not view.round) else "action",
        focus=focus.get(crop, ()),
    )
    return Drawn(data=picture.data, format=picture.format, alt=speech.alt(plain, view, events))


def shows(system: str, body: str, happened: Sequence[str], kind: render.Kind) -> bool:
    """Whether there is anything to be seen of what a kind of picture is about."""
    rules = RULESETS[system]
    return render.shows(rules.view(read_state(rules, body), None), read_events(rules, *happened), kind)


def film(system: str, body: str, happened: Sequence[str], look: Look, form: render.Format) -> Drawn | None:
    """Film a round as everybody may see it; None if nothing of it can be seen."""
    rules = RULESETS[system]
    view, events = _seen(rules, body, happened, look)
    plain = _plain(look)
    picture = render.film(view, events, caption=_title(rules, body, view, plain), names=look.names, form=form)
    if picture is None:
        return None
    alt = speech.alt(plain, view, events)
    return Drawn(data=picture.data, format=picture.format, alt=alt, reduced=picture.reduced)


def clip(system: str, body: str, happened: Sequence[str], look: Look, wanted: render.Wanted) -> Clip:
    """Film a round as a part of the whole game's film, and say what it was about."""
    rules = RULESETS[system]
    view, events = _seen(rules, body, happened, look)
    plain = _plain(look)
    caption = _title(rules, body, view, plain)
    picture = render.clip(render.Scene(view=view, events=events, caption=caption), wanted, look.names)
    headline = plain.say("alt.round", round=plain.text(view.phase), headline=speech.story(plain, events, None).headline)
    return Clip(picture=picture, headline=headline)


def replay(
    system: str, body: str, look: Look, clips: tuple[render.Picture, ...], headlines: Sequence[str]
) -> Drawn | None:
    """Join the rounds of a game to one film; None if nothing of any could be seen."""
    picture = render.join(clips)
    if picture is None:
        return None
    rules = RULESETS[system]
    alt = speech.alt(_plain(look), rules.view(read_state(rules, body), None), (), headlines)
    return Drawn(data=picture.data, format=picture.format, alt=alt, reduced=picture.reduced)


def status(system: str, body: str, seat: int | None, look: Look, *, draft: str = "") -> list[str]:
    """Describe a state in words, as one seat sees it, with his draft, in pages."""
    rules = RULESETS[system]
    view = rules.view(read_state(rules, body), seat, draft)
    return speech.table_text(Words(Catalogue.load(look.language), look.names), view)


def _plain(look: Look) -> Words:
    return Words(Catalogue.load(look.language), look.names, plain=True)


def _title(rules: Ruleset[Any, Any], body: str, view: View, plain: Words) -> str:
    """The caption of a film: which round, and how the game has ended if it has."""
    result = rules.result(read_state(rules, body))
    return " · ".join(plain.text(text) for text in (view.phase, *([result.reason] if result else [])))


def _seen(
    rules: Ruleset[Any, Any],
    body: str,
    happened: Sequence[str],
    look: Look,
    *,
    seat: int | None = None,
    draft: str = "",
) -> tuple[View, tuple[Event, ...]]:
    """What a seat, or everybody, may see of a state and of what happened."""
    view = rules.view(read_state(rules, body), seat, draft)
    if look.caption:
        view = msgspec.structs.replace(view, phase=look.caption)
    return view, tuple(e for e in read_events(rules, *happened) if e.seen_by is None or seat in e.seen_by)
