"""**Why?** tells a round to its reader: each event of their ships once, with its dice and rule, and nothing secret."""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from msgspec import structs

from bot.presenters import why
from bot.texts import speech
from rules.core.protocol import Event
from rules.core.view import View
from rules.interface.outcomes import ship_holders
from tests.laws.play import Tape, Turn, own, tape, tapes, words

DICE = re.compile(r"(?:.*_)?(?:die|dice|thrown)")
"""Names of events' fields that hold dice, also by side."""
MODIFIER = re.compile("drm|modifier")
"""Names of those that hold the sum of all modifiers; `modifiers` holds its parts."""


def dice_of(event: Event) -> Iterator[int]:
    for field in structs.fields(event):
        if DICE.fullmatch(field.name):
            yield from filter(None, numbers_in(getattr(event, field.name)))


def numbers_in(value: object) -> Iterator[int]:
    match value:
        case int():
            yield value
        case tuple():
            for item in value:
                yield from numbers_in(item)
        case dict():
            yield from numbers_in(tuple(value.values()))


def modifiers_of(event: Event) -> tuple[Any, ...]:
    """Return the parts of the modifier, those of both sides if each has its own."""
    parts = getattr(event, "modifiers", ())
    return tuple(part for item in parts for part in ((item,) if hasattr(item, "amount") else item))


@pytest.mark.parametrize(("system", "number"), tapes())
def test_each_event_of_a_ship_has_its_rule(system: str, number: int) -> None:
    for turn in tape(system, number).turns:
        for event in (event for event in turn.step.events if event.ship_ids and event.weight):
            assert event.rule, event


@pytest.mark.parametrize(("system", "number"), tapes())
def test_each_event_has_its_dice_and_what_is_added_to_them(system: str, number: int) -> None:
    for turn in tape(system, number).turns:
        for event in turn.step.events:
            for own_words in words(system):
                line = speech.explained_line(own_words, event)
                shown = Counter(int(digits) for digits in re.findall(r"\d+", line))
                assert Counter(dice_of(event)) <= shown, (event, line)


@pytest.mark.parametrize(("system", "number"), tapes())
def test_each_modifier_of_a_roll_is_named_with_its_cause(system: str, number: int) -> None:
    for turn in tape(system, number).turns:
        for event in turn.step.events:
            sums = [
                getattr(event, field.name) or 0 for field in structs.fields(event) if MODIFIER.fullmatch(field.name)
            ]
            parts = modifiers_of(event)
            assert not sums or sum(part.amount for part in parts) == sum(sums), event
            for own_words in words(system):
                line = speech.explained_line(own_words, event)
                assert all(own_words.say_text(part.text) in line for part in parts), (event, line)


def readers(game: Tape) -> Iterator[tuple[Turn, View, View, list[Event], why.Reader]]:
    """Yield for each step and seat its views before and after it, the events that it may see, and the reader."""
    for turn, before in zip(game.turns, game.states, strict=False):
        for seat in range(len(game.setup.teams)):
            views = game.rules.view(before, seat), game.rules.view(turn.step.state, seat)
            events = speech.visible_events(turn.step.events, seat)
            holders = why.ShipHolders(*map(ship_holders, views))
            yield turn, *views, events, why.find_reader(holders, seat, game.setup.teams, events)


@pytest.mark.parametrize(("system", "number"), tapes())
def test_each_event_of_an_own_ship_is_told_once(system: str, number: int) -> None:
    for _, _, _, events, reader in readers(tape(system, number)):
        numbered = [why.ExplainedEvent(event, f"{index}") for index, event in enumerate(events)]
        everything = [line for _, line in numbered]
        of_own_ships = [(event, line) for event, line in numbered if set(event.ship_ids) & set(reader.own_ships)]
        for (before, _), (event, line) in pairwise(numbered):  # what an enemy did against an own ship's attempt
            if event.continues_line and (before, _) in of_own_ships and set(before.ship_ids) & set(event.ship_ids):
                of_own_ships += [(event, line)] if (event, line) not in of_own_ships else []
        due = [line for event, line in of_own_ships if event.weight or reader.is_harmed_by(event)]
        concerning = [(event, line) for event, line in numbered if reader.is_concerned_by(event)]
        if due or any(event.headline_score for event, _ in concerning if (event, _) not in of_own_ships):
            due += [line for event, line in concerning if (event, line) not in of_own_ships]
        told = [line for line in why.explain_events(numbered, reader).lines if not line.startswith("**")]
        for ship in reader.own_ships:
            of_ship = [line for event, line in numbered if ship in event.ship_ids and line in told]
            assert [line for line in told if line in of_ship] == of_ship, "no result stands before its cause"
        assert sorted(told, key=int) == sorted({*(due or everything), *deciding(numbered)}, key=int)
        assert list(why.explain_events(numbered, reader, why.ALL_SHIPS).lines) == everything
        for ship in {name for event in events for name in event.explained_ships}:
            chosen = [line for event, line in numbered if ship in event.explained_ships]
            name, *told = why.explain_events(numbered, reader, ship).lines
            assert (name, told[: len(chosen)]) == (f"**{ship}**", chosen)


@pytest.mark.parametrize(("system", "number"), tapes())
def test_the_first_page_says_what_its_reader_has_lost(system: str, number: int) -> None:
    for turn, before, after, events, reader in readers(tape(system, number)):
        lost = {} if turn.act else losses(tape(system, number), before, after)
        for own_words in words(system) if lost else ():
            explained = [why.ExplainedEvent(event, speech.explained_line(own_words, event)) for event in events]
            first_page = speech.split_pages(why.explain_events(explained, reader).lines)[0].split("\n")
            told = [event for event, line in explained if line in first_page]
            for name, part in lost.items():
                assert any(tells_of_loss(event, name, reader) for event in told), (name, part, events)


def losses(game: Tape, before: View, after: View) -> dict[str, str]:
    """Return what the viewer of both views has lost between them: ships, parts of ships, and places."""
    teams, pieces_after = game.setup.teams, {piece.id: piece for piece in after.pieces}
    lost: dict[str, str] = {}
    for piece in (piece for piece in before.pieces if piece.seat == before.seat and piece.afloat):
        later = pieces_after.get(piece.id)
        if later is None or not later.afloat or teams[later.seat] != teams[piece.seat]:
            lost[piece.id] = "ship"
        else:
            left = {gauge.key: gauge.current for gauge in later.gauges}
            parts = [gauge.key for gauge in piece.gauges if left.get(gauge.key, gauge.current) < gauge.current]
            lost |= {piece.id: ", ".join(parts)} if parts else {}
    holdings = getattr(own(game.rules.name), "holdings", lambda _: set())
    return lost | dict.fromkeys(holdings(before) - holdings(after), "place")


def tells_of_loss(event: Event, name: str, reader: why.Reader) -> bool:
    return names(structs.asdict(event), name) and (bool(event.weight) or reader.is_harmed_by(event))


def names(value: object, name: str) -> bool:
    """Return whether a value, or one in it, is a name."""
    match value:
        case dict():
            return any(names(item, name) for pair in value.items() for item in pair)
        case tuple() | list():
            return any(names(item, name) for item in value)
    return value == name


def deciding(events: list[why.ExplainedEvent]) -> set[str]:
    return {line for event, line in events if event.decides_game}


ROLL = re.compile(r"(?:rolled|dobása?:) ([^)]*)")
"""A roll in a sentence, in English or Hungarian, up to the end of its brackets."""
TOTAL = re.compile(r"(?:.* = )?(-?\d+)")
LEAST = re.compile(r"(\d+)\+")
MOST = re.compile(r"(\d+) or less|legfeljebb (\d+)")
ROW = re.compile(r"; (?:legfeljebb )?(?:(\d+)(?:–| or more| vagy több))?(\d+)?(?: or less)?: ")


def has_happened(event: Event) -> bool:
    """Return whether what the dice were thrown for has happened."""
    for name in ("ok", "success", "caught", "hit", "sinks"):
        if hasattr(event, name):
            return bool(getattr(event, name))
    match type(event).__name__:
        case "FireFought":
            return event.variant == "out"
        case "CrewTransferred":
            return event.variant == "failed"
        case "ShotFired":
            return event.variant.endswith("hit")
        case "RefloatRolled":
            return event.variant != "stays"
    return event.variant.split(".")[0] in {"rammed", "captured", "tired", "none"}


def compared_rolls(line: str, *, has_happened: bool) -> Iterator[tuple[str, bool]]:
    """Yield each comparison of a line, and whether it agrees with what happened. A row of a table always applies."""
    for roll in ROLL.findall(line):
        total = int(TOTAL.match(roll)[1])
        if row := ROW.search(roll):
            lowest, highest = (int(bound) if bound else None for bound in row.groups())
            yield row[0], (lowest is None or lowest <= total) and (highest is None or total <= highest)
        elif least := LEAST.search(roll):
            yield least[0], (total >= int(least[1])) == has_happened
        elif most := MOST.search(roll):
            yield most[0], (total <= int(most[1] or most[2])) == has_happened


@pytest.mark.parametrize(("system", "number"), tapes())
def test_a_roll_that_a_sentence_compares_with_what_was_needed_decides_as_it_happened(system: str, number: int) -> None:
    for turn in tape(system, number).turns:
        for event in turn.step.events:
            for own_words in words(system):
                for line in (own_words.event_text(event), own_words.explanation_text(event)):
                    for comparison, agrees in compared_rolls(line, has_happened=has_happened(event)):
                        assert agrees, (event, line, comparison)
