"""Jobs about what a captain is asked: his choices, his draft, typed text, a hint."""

from __future__ import annotations

from msgspec import Struct

from bot.work.refused import of_game
from bot.work.showing import Look
from bot.work.stored import read_state
from rules.errors import IllegalOrder, OrderError
from rules.protocol import STANDING, Choices, Draft, Request
from rules.registry import RULESETS
from rules.view import Text


@of_game
def press(system: str, body: str, request: Request, draft: Draft, token: str) -> tuple[Draft, bool]:
    """Press an option: the draft after it, and whether that seals it. Raises `OrderError`."""
    rules = RULESETS[system]
    state = read_state(rules, body)
    options = [o for group in rules.choices(state, request, draft).groups for o in group.options if o.token == token]
    if not options:
        raise IllegalOrder("no_such_option", "", piece=token)
    (option, *_) = options
    if option.fault:
        raise OrderError(option.fault)
    return Draft(option.draft, option.focus), option.seals


@of_game
def amend(system: str, body: str, request: Request, draft: Draft, text: str) -> Draft:
    """Put typed text into a draft. Raises `OrderError`."""
    rules = RULESETS[system]
    return rules.amend(read_state(rules, body), request, draft, text)


@of_game
def with_standing(system: str, body: str, request: Request, text: str) -> str:
    """A draft with nothing but standing orders; empty if this request takes none. Raises `OrderError`."""
    rules = RULESETS[system]
    state = read_state(rules, body)
    takes = any(group.key == STANDING for group in rules.choices(state, request).groups)
    return rules.amend(state, request, Draft(), text).text if takes else ""


def choices(system: str, body: str, request: Request, draft: Draft) -> Choices:
    """What a draft may become, and what it still lacks."""
    rules = RULESETS[system]
    return rules.choices(read_state(rules, body), request, draft)


def missing(system: str, body: str, request: Request, draft: Draft) -> tuple[Text, ...]:
    """What a draft still lacks."""
    rules = RULESETS[system]
    return rules.choices(read_state(rules, body), request, draft).missing


def suggest(system: str, body: str, request: Request, typed: str, look: Look, *, most: int) -> list[tuple[str, str]]:
    """How what somebody is typing may go on: what may be pressed after it, and after that, as words and as orders."""
    rules = RULESETS[system]
    state, plain = read_state(rules, body), look.plain
    found: dict[str, str] = {}
    waiting = [(Draft(typed), ""), (Draft(), "")]
    for draft, before in waiting:
        for option in (o for group in rules.choices(state, request, draft).groups for o in group.options):
            words = plain.text(option.label)
            label = f"{before} · {words}" if before else str(words)
            # What only looks at a ship is typed as her name: "BB" leads on to "BB>G4", and "bb>g" begins that.
            text = option.focus if option.draft == draft.text else option.draft
            if option.fault or text in found:
                continue
            if text.casefold().startswith(typed.casefold().strip()):
                found[text] = label
            if not (before or option.seals) and draft == Draft():
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
    state = read_state(rules, body)
    view = rules.view(state, request.seat)
    answer = rules.advise(view, request, whims)
    text = rules.format(request, answer)
    return Hint(answer=text, lines=rules.choices(state, request, Draft(text)).lines, reason=rules.reason(view, answer))


def acts(system: str, body: str, request: Request, draft: Draft) -> bool:
    """Whether a draft is whole, in a request whose options are carried out as they are pressed."""
    rules = RULESETS[system]
    choices = rules.choices(read_state(rules, body), request, draft)
    return not choices.missing and any(option.seals for group in choices.groups for option in group.options)


@of_game
def complete(system: str, body: str, request: Request, text: str) -> str:
    """Read a finished draft and write the answer in canonical notation. Raises `OrderError`."""
    rules = RULESETS[system]
    return rules.format(request, rules.parse(read_state(rules, body), request, text))
