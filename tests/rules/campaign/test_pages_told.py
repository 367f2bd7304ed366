"""A page tells each battle in one line, the heaviest of a turn in its headline, and of what laurels are made."""

import msgspec
import pytest

from bot.jobs.page_steps import DrawnPageStep, draw_page_step
from bot.jobs.values import PictureStyle, StillSettings
from bot.texts.story import StoryBuilder
from rules.campaign import GAME
from rules.campaign.engine.events import BattleEnded, PortFell
from rules.campaign.engine.fighting.dice_battle import MAX_ROUNDS
from rules.campaign.interface.view import SeasonView
from rules.core.protocol import Step
from tests.laws.play import tape, words


def test_one_line_tells_of_a_battle_by_dice_and_the_headline_moved_most_laurels() -> None:
    language = words("campaign")[0]
    uneven_turns = nights = 0
    for turn in (turn for number in range(2) for turn in tape("campaign", number).turns):
        battles = [event for event in turn.step.events if isinstance(event, BattleEnded)]
        weights = {
            event.params["number"]: sum(event.trophies.values()) + 2 * len((*event.sunk, *event.taken))
            for event in battles
        }
        if not any(weights.values()) or turn.step.state.result:
            continue
        ports = [event for event in turn.step.events if isinstance(event, PortFell)]
        story = StoryBuilder.build(language, turn.step.events, None).tell_fully()
        rows = [row for part in story.paragraphs for row in part.rows]
        for event in battles:
            told = [row for row in rows if row.startswith(f"Battle {event.params['number']} ")]
            assert len(told) == 1
            assert ("attacked" in told[0]) == (event.mode != "play")
            assert all(f"got {count} troph" in told[0] for count in event.trophies.values())
            assert ("doubled" in told[0]) == bool(event.doubled)
            are_afloat = all({*line} - {*event.sunk} for line in event.galleys)
            assert ("afloat at night" in told[0]) == (event.mode != "play" and are_afloat)
            assert event.mode == "play" or not are_afloat or event.rounds == MAX_ROUNDS
            nights += "afloat at night" in told[0]
        best = max(weights, key=lambda number: (weights[number], int(number)))
        heaviest_port = max((2 * event.worth for event in ports), default=0)
        if heaviest_port >= weights[best]:  # of equals, the later: ports fall by night
            heaviest = [event for event in ports if 2 * event.worth == heaviest_port]
            assert f" took {heaviest[-1].port} " in story.headline, (story.headline, weights)
        else:
            assert story.headline.startswith(f"Battle {best} "), (story.headline, weights)
            uneven_turns += len({*weights.values()}) > 1
    assert uneven_turns
    assert nights


@pytest.mark.parametrize("number", [0, 4])  # the second on a map with old fame
def test_laurels_are_the_sum_of_what_they_are_said_to_be_made_of(number: int) -> None:
    fame = 0
    for state in tape("campaign", number).states:
        view = GAME.view(state, None)
        assert isinstance(view, SeasonView)
        standings = [line.params for line in view.standing_lines if line.key.startswith("note.standing")]
        assert [line["letter"] for line in standings] == [*view.captains]
        for line in standings:
            parts = [int(line[part]) for part in ("port_laurels", "trophies", "fame")]  # type: ignore[arg-type]
            assert line["laurels"] == sum(parts) == view.laurels[str(line["letter"])]
            fame += parts[-1]
    assert bool(fame) == (number == 4)


def test_fleets_are_on_the_page_of_the_last_step_alone() -> None:
    *_, before, last = (turn.step for turn in tape("campaign", 1).turns)
    shown = msgspec.json.decode(_drawn(last).view, type=SeasonView)
    assert shown.galleys == last.state.position.galleys
    assert {piece.id for piece in shown.pieces} == {galley.id for galley in shown.galleys}
    assert "note.revealed" in {line.key for line in shown.standing_lines}
    hidden = msgspec.json.decode(_drawn(before).view, type=SeasonView)
    assert hidden == GAME.view(before.state, None)
    assert "note.hidden" in {line.key for line in hidden.standing_lines}


def _drawn(step: Step) -> DrawnPageStep:
    state, events = (msgspec.json.encode(value).decode() for value in (step.state, list(step.events)))
    style = PictureStyle(system="campaign", language="en", names={}, stills=StillSettings(width_px=320))
    return draw_page_step(
        "campaign", state, (events,), style, round_number=1, told_events_json=(events,), kept_window=None
    )
