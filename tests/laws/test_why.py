"""**Why?** tells a round to its reader: each event of their ships once, with its dice and rule, and nothing secret."""

import re
from collections.abc import Iterator

import pytest
from msgspec import structs

from bot.presenters import why
from bot.texts import speech
from rules.core.protocol import Event
from rules.interface import outcomes
from rules.interface.outcomes import ship_holders
from tests.laws.play import tape, tapes, words

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
            for own in words(system):
                line = speech.explained_line(own, event)
                shown = {int(digits) for digits in re.findall(r"\d+", line)}
                assert {abs(roll) for roll in numbers_rolled(event)} <= shown, (event, line)


@pytest.mark.parametrize(("system", "number"), tapes())
def test_each_event_of_an_own_ship_is_told_once(system: str, number: int) -> None:
    game = tape(system, number)
    for turn in game.turns:
        for seat in range(len(game.setup.teams)):
            holders = ship_holders(game.rules.view(turn.step.state, seat))
            events = speech.visible_events(turn.step.events, seat)
            own = outcomes.story_ships(holders, seat, game.setup.teams, events).own_ships
            numbered = [why.ExplainedEvent(event, f"{index}") for index, event in enumerate(events)]
            everything = [line for _, line in numbered]
            of_own_ships = [(event, line) for event, line in numbered if set(event.ship_ids) & set(own)]
            due = [line for event, line in of_own_ships if event.weight] if of_own_ships else everything
            told = [line for line in why.explain_events(numbered, own).lines if not line.startswith("**")]
            assert sorted(told, key=int) == sorted({*due, *deciding(numbered)}, key=int)
            assert list(why.explain_events(numbered, own, why.ALL_SHIPS).lines) == everything
            for ship in {name for event in events for name in event.ship_ids}:
                chosen = [line for event, line in numbered if ship in event.ship_ids]
                name, *told = why.explain_events(numbered, own, ship).lines
                assert (name, told[: len(chosen)]) == (f"**{ship}**", chosen)


def deciding(events: list[why.ExplainedEvent]) -> set[str]:
    return {line for event, line in events if event.weight > 2}
