"""Whole games as text: what was put in stands in `<game>.toml`, all that came of it in `<game>.txt`."""

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import UNSET, Struct, structs

from rules.chance.dice import Dice
from rules.core.errors import OrderError
from rules.core.protocol import AgreeDraw, Concede, Event, OutOfTurnAction, Request, Setup
from rules.core.registry import RULESETS
from rules.core.ruleset import Ruleset
from rules.core.view import View

FOLDER = Path(__file__).parent
MOST_STEPS = 200


class Script(Struct, frozen=True):
    """The input of a game."""

    about: str
    setup: Setup
    seed: str
    answers: dict[str, str]
    """As captains wrote them, by request. What nobody answers, or the rules no longer allow, the deadline answers;
    what nobody waits for, nobody."""
    acts: dict[str, str] = {}
    """`draw`, or `concede` and a seat, as soon as a request is open."""


def scripts() -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))


def read(name: str) -> Script:
    facts = tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
    setup = facts["setup"]
    return Script(
        about=facts["about"],
        setup=Setup(**{**setup, "teams": tuple(setup["teams"])}),
        seed=facts["seed"],
        answers=facts.get("answers", {}),
        acts=facts.get("acts", {}),
    )


def golden(name: str) -> Path:
    return FOLDER / f"{name}.txt"


def tell(script: Script) -> str:
    return "\n".join([*_lines(script), ""])


def _lines(script: Script) -> Iterator[str]:
    rules, left = RULESETS[script.setup.system], dict(script.acts)
    yield script.about
    yield _fields("setup", script.setup)
    yield f"seed {script.seed}"
    step = rules.start(script.setup, Dice(seed=script.seed))
    yield from map(_event, step.events)
    for number in range(1, MOST_STEPS):
        requests = rules.pending_requests(step.state)
        yield ""
        yield f"=== {number}"
        yield from _views(rules, step.state, len(script.setup.teams))
        if not requests:
            break
        yield from (_request(request) for request in requests)
        acting = next((request.id for request in requests if request.id in left), None)
        if acting:
            act = _act(left.pop(acting))
            yield _fields("act", act)
            step = rules.apply_out_of_turn(step.state, act)
        else:
            answers = {}
            for request in requests:
                if request.optional and request.id not in script.answers:
                    continue
                answers[request.id], how = _answer(rules, step.state, request, script.answers)
                yield f"sealed {request.id}{how}: {rules.format_answer(request, answers[request.id])}"
            step = rules.resolve(step.state, answers)
        yield from map(_event, step.events)
    result = rules.result(step.state)
    yield _fields("result", result) if result else "it goes on"


def _answer(rules: Ruleset[Any], state: Any, request: Request, bodies: Mapping[str, str]) -> tuple[Any, str]:
    if request.id not in bodies:
        return rules.default_answer(state, request), " by the deadline"
    try:
        return rules.parse_answer(state, request, bodies[request.id]), ""
    except OrderError as refused:
        return rules.default_answer(
            state, request
        ), f" by the deadline, as {bodies[request.id]!r} is refused, {refused}"


def _act(text: str) -> OutOfTurnAction:
    word, *seat = text.split()
    return Concede(int(seat[0])) if word == "concede" else AgreeDraw()


def _request(request: Request) -> str:
    marks = " live" * request.live + " open" * (not request.sealed) + " optional" * request.optional
    return f"asked {request.id} of {request.seat}{marks}: {request.kind} {plain(request.params)}"


def _event(event: Event) -> str:
    return _fields(f"{getattr(event, 'step', 0) or '-'} {type(event).__name__}", event, "step")


def _views(rules: Ruleset[Any], state: Any, seats: int) -> Iterator[str]:
    """Yield a spectator's view, and of each seat's view what is different."""
    public = rules.view(state, None)
    yield from _view("all see", public, None)
    for seat in range(seats):
        yield from _view(f"{seat} sees", rules.view(state, seat), public)


def _view(heading: str, view: View, but: View | None) -> Iterator[str]:
    seen = {name: getattr(view, name) for name in view.__struct_fields__ if name != "seat"}
    differing = {name: value for name, value in seen.items() if but is None or value != getattr(but, name)}
    yield f"{heading}{':' if differing else ' no more'}"
    for name, value in differing.items():
        if isinstance(value, tuple) and value and isinstance(value[0], Struct):
            yield f"  {name}:"
            yield from (f"    {plain(item)}" for item in value)
        elif value not in ((), "", UNSET):
            yield f"  {name}: {plain(value)}"


def _fields(heading: str, value: Struct, *but: str) -> str:
    """Return a value on one line, field by field; empty fields are left out."""
    fields = ((name, getattr(value, name)) for name in value.__struct_fields__ if name not in but)
    return " ".join(
        [heading, *(f"{name}={plain(field)}" for name, field in fields if field not in (None, UNSET, "", (), {}))]
    )


def plain(value: Any) -> str:
    match value:
        case bool() | None:
            return str(value).lower()
        case float():
            return f"{value:.3f}".rstrip("0").rstrip(".")
        case Struct():
            # What a record leaves out, as it is as it was when no rule knew of it, is left out here, too.
            writes_defaults = not value.__struct_config__.omit_defaults
            fields = [
                field
                for field in structs.fields(value)
                if writes_defaults or getattr(value, field.name) != field.default
            ]
            texts = [plain(content) for field in fields if (content := getattr(value, field.name)) is not UNSET]
            return f"{type(value).__name__}({', '.join(texts)})"
        case dict():
            return "{" + ", ".join(f"{key}: {plain(item)}" for key, item in value.items()) + "}"
        case tuple() | list():
            return "[" + ", ".join(map(plain, value)) + "]"
    return str(value)
