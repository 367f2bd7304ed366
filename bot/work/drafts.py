"""Jobs about what a captain is asked: his choices, his draft, typed text, a hint."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from msgspec import Struct, structs

from bot.work import showing
from bot.work.refused import of_game
from bot.work.showing import Look, Offer
from bot.work.stored import read_state
from rules.errors import IllegalOrder, OrderError, Scalar
from rules.protocol import EMPTY, STANDING, Choices, Draft, Form, Option, Request
from rules.registry import RULESETS
from rules.ruleset import Ruleset
from rules.view import Text

S = TypeVar("S")


class Worked(Struct, frozen=True, kw_only=True):
    """What has become of a draft."""

    draft: Draft
    offer: Offer | None = None
    """What it may become, and what it still lacks; None: nothing was asked of the rules."""
    answer: str | None = None
    """What is sealed with it, in canonical notation; None: nothing is."""
    adds: bool = False
    """It became so by an option that adds to whatever is there."""

    @property
    def missing(self) -> tuple[Text, ...]:
        """What it still lacks."""
        return self.offer.choices.missing if self.offer else ()


@of_game
def press(system: str, body: str, request: Request, draft: Draft, token: str) -> Worked:
    """Press an option of a panel, which may seal. Raises `OrderError`."""
    rules = RULESETS[system]
    state = read_state(rules, body)
    option = _option(rules, state, request, draft, token)
    draft = Draft(option.draft, option.focus)
    answer = _complete(rules, state, request, draft.text) if option.seals else None
    return structs.replace(_worked(rules, state, request, draft, answer), adds=option.adds)


@of_game
def amend(system: str, body: str, request: Request, draft: Draft, text: str) -> Worked:
    """Put typed text into a draft; where a press acts at once, what is typed whole is sealed too.

    Raises `OrderError`.
    """
    rules = RULESETS[system]
    return _amended(rules, read_state(rules, body), request, draft, text)


@of_game
def take(system: str, body: str, request: Request, draft: Draft, whims: str) -> Worked:
    """Put what `hint` says for these whims (hex) into a draft, as if it were typed. Raises `OrderError`."""
    rules = RULESETS[system]
    state = read_state(rules, body)
    return _amended(rules, state, request, draft, _advice(rules, state, request, whims).answer)


def _amended(rules: Ruleset[S], state: S, request: Request, draft: Draft, text: str) -> Worked:
    return _settled(rules, state, request, rules.amend(state, request, draft, text))


class Filled(NamedTuple):
    """A form as it was sent."""

    form: str
    """Its token."""
    chosen: tuple[str, ...]
    """Tokens of the lines that were chosen, a list each."""


@of_game
def fill(system: str, body: str, request: Request, draft: Draft, filled: Filled) -> Worked:
    """Put what was chosen in a form's lists into a draft. Raises `OrderError`."""
    rules = RULESETS[system]
    state = read_state(rules, body)
    form = next((one for one in rules.choices(state, request, draft).forms if one.token == filled.form), None)
    if form is None:
        raise IllegalOrder("no_such_option", "", piece=filled.form)
    typed = _typed(form, filled.chosen)
    if not typed:
        raise IllegalOrder("nothing_chosen", "", piece=form.token)
    draft = rules.amend(state, request, draft, typed)
    draft = draft._replace(focus=form.focus or draft.focus)
    return _settled(rules, state, request, draft)


def _typed(form: Form, chosen: Sequence[str]) -> str:
    """What is typed by choosing these lines of a form's lists. Raises `OrderError` for lines that it does not have."""
    texts = []
    for number, field in enumerate(form.fields):
        token = chosen[number] if number < len(chosen) else ""
        entry = next((one for one in field.entries if one.token == token), None)
        if entry is None:
            raise IllegalOrder("no_such_option", "", piece=token)
        texts.append(entry.text)
    return form.before + form.between.join(filter(None, texts))


def _settled(rules: Ruleset[S], state: S, request: Request, draft: Draft) -> Worked:
    """What has become of a draft into which something was put; where a press acts at once, a whole one is sealed."""
    seals = not request.sealed and _acts(rules.choices(state, request, draft))
    answer = _complete(rules, state, request, draft.text) if seals else None
    return _worked(rules, state, request, draft, answer)


@of_game
def seal(system: str, body: str, request: Request, draft: Draft) -> Worked:
    """Seal a draft. Raises `OrderError`."""
    rules = RULESETS[system]
    state = read_state(rules, body)
    answer = _complete(rules, state, request, draft.text)
    return _worked(rules, state, request, draft, answer)


def _worked(rules: Ruleset[S], state: S, request: Request, draft: Draft, answer: str | None) -> Worked:
    return Worked(draft=draft, answer=answer, offer=showing.offer_at(rules, state, request, draft))


@of_game
def example(system: str, body: str, request: Request) -> dict[str, Scalar]:
    """Values for the example of how to write an answer: of the captain's own ships."""
    rules = RULESETS[system]
    return dict(rules.example(read_state(rules, body), request)) if request.kind in rules.questions else {}


def option(system: str, body: str, request: Request, draft: Draft, token: str) -> Draft:
    """The draft after an option was pressed, whether or not that would seal it. Raises `OrderError`."""
    rules = RULESETS[system]
    pressed = _option(rules, read_state(rules, body), request, draft, token)
    return Draft(pressed.draft, pressed.focus)


def _option(rules: Ruleset[S], state: S, request: Request, draft: Draft, token: str) -> Option:
    options = [o for group in rules.choices(state, request, draft).groups for o in group.options if o.token == token]
    if not options:
        raise IllegalOrder("no_such_option", "", piece=token)
    (found, *_) = options
    if found.fault:
        raise OrderError(found.fault)
    return found


@of_game
def with_standing(system: str, body: str, request: Request, text: str) -> str:
    """A draft with nothing but standing orders; empty if this request takes none. Raises `OrderError`."""
    rules = RULESETS[system]
    state = read_state(rules, body)
    found = rules.choices(state, request)
    takes = any(group.key == STANDING for group in found.groups) or any(form.token == STANDING for form in found.forms)
    return rules.amend(state, request, EMPTY, text).text if takes else ""


def choices(system: str, body: str, request: Request, draft: Draft) -> Choices:
    """What a draft may become, and what it still lacks."""
    rules = RULESETS[system]
    return rules.choices(read_state(rules, body), request, draft)


def suggest(system: str, body: str, request: Request, typed: str, look: Look, *, most: int) -> list[tuple[str, str]]:
    """How what somebody is typing may go on: what may be pressed after it, and after that, as words and as orders."""
    rules = RULESETS[system]
    state, plain = read_state(rules, body), look.plain
    found: dict[str, str] = {}
    waiting = [(Draft(typed), ""), (EMPTY, "")]
    for draft, before in waiting:
        groups = sorted(rules.choices(state, request, draft).groups, key=lambda group: group.style == "select")
        for option in (o for group in groups for o in group.options):  # buttons first: long lists leave them no room
            words = plain.text(option.label)
            label = f"{before} · {words}" if before else str(words)
            # What only looks at a ship is typed as her name: "BB" leads on to "BB>G4", and "bb>g" begins that.
            text = option.focus if option.draft == draft.text else option.draft
            if option.fault or text in found:
                continue
            if text.casefold().startswith(typed.casefold().strip()):
                found[text] = label
            if not (before or option.seals) and draft == EMPTY:
                waiting.append((Draft(option.draft, option.focus), label))
    return [(label, draft) for draft, label in found.items() if draft and draft != typed][:most]


class Hint(Struct, frozen=True, kw_only=True):
    """What a first mate would answer in somebody's place."""

    answer: str
    lines: tuple[Text, ...]
    """The same in words."""
    reason: Text


def hint(system: str, body: str, request: Request, whims: str) -> Hint:
    """Ask the first mate for advice, whoever plays the empty seats: he sees what the seat sees, and has whims (hex)."""
    rules = RULESETS[system]
    return _advice(rules, read_state(rules, body), request, whims)


def _advice(rules: Ruleset[S], state: S, request: Request, whims: str) -> Hint:
    view = rules.view(state, request.seat)
    answer = rules.advice_without_warnings(state, request, rules.advise(view, request, whims))
    text = rules.format(request, answer)
    return Hint(answer=text, lines=rules.choices(state, request, Draft(text)).lines, reason=rules.reason(view, answer))


@of_game
def complete(system: str, body: str, request: Request, text: str) -> str:
    """Read a finished draft and write the answer in canonical notation. Raises `OrderError`."""
    rules = RULESETS[system]
    return _complete(rules, read_state(rules, body), request, text)


def _complete(rules: Ruleset[S], state: S, request: Request, text: str) -> str:
    return rules.format(request, rules.parse(state, request, text))


def _acts(choices: Choices) -> bool:
    """Whether a draft is whole, in a request whose options are carried out as they are pressed."""
    return not choices.missing and any(option.seals for group in choices.groups for option in group.options)
