"""**Why?** tells a round to its reader: each event of their ships once, with its dice and rule, and nothing secret."""

import re
from collections.abc import Iterator

import pytest
from msgspec import structs

from bot.presenters import why
from bot.texts import speech
from rules.core.protocol import Event
from rules.core.view import View
from rules.interface.outcomes import ship_holders
from tests.laws.play import Tape, Turn, own, tape, tapes, words

DICE = {"die", "dice", "drm", "modifier"}  # fields of events that hold dice and what is added to them


def numbers_rolled(event: Event) -> Iterator[int]:
    for name in DICE & {field.name for field in structs.fields(event)}:
        value = getattr(event, name)
        yield from value if isinstance(value, tuple) and all(isinstance(die, int) for die in value) else ()
        if isinstance(value, int) and value:
            yield value


@pytest.mark.parametrize(("system", "number"), tapes())
def test_each_event_of_a_ship_has_its_dice_and_its_rule(system: str, number: int) -> None:
    for turn in tape(system, number).turns:
        for event in (event for event in turn.step.events if event.ship_ids and event.weight):
            assert event.rule, event
            for own_words in words(system):
                line = speech.explained_line(own_words, event)
                shown = {int(digits) for digits in re.findall(r"\d+", line)}
                assert {abs(roll) for roll in numbers_rolled(event)} <= shown, (event, line)


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
        due = [line for event, line in of_own_ships if event.weight or reader.is_harmed_by(event)]
        concerning = [(event, line) for event, line in numbered if reader.is_concerned_by(event)]
        if due or any(event.headline_score for event, _ in concerning if (event, _) not in of_own_ships):
            due += [line for event, line in concerning if (event, line) not in of_own_ships]
        told = [line for line in why.explain_events(numbered, reader).lines if not line.startswith("**")]
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
    return {line for event, line in events if event.weight > 2}
