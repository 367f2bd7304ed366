"""A page tells each battle in one line, and the heaviest of a turn in its headline."""

from bot.texts.story import StoryBuilder
from rules.campaign.engine.events import BattleEnded
from tests.laws.play import tape, words


def test_one_line_tells_of_a_battle_by_dice_and_the_heaviest_battle_is_the_headline() -> None:
    language = words("campaign")[0]
    uneven_turns = 0
    for turn in (turn for number in range(2) for turn in tape("campaign", number).turns):
        battles = [event for event in turn.step.events if isinstance(event, BattleEnded)]
        lost = {event.params["number"]: len(event.sunk) + len(event.taken) for event in battles}
        if not any(lost.values()) or turn.step.state.result:
            continue
        story = StoryBuilder.build(language, turn.step.events, None).tell_fully()
        rows = [row for part in story.paragraphs for row in part.rows]
        for event in battles:
            told = [row for row in rows if row.startswith(f"Battle {event.params['number']} ")]
            assert len(told) == 1
            assert ("attacked" in told[0]) == (event.mode != "play")
            assert all(f"got {count} troph" in told[0] for count in event.trophies.values())
            assert ("doubled" in told[0]) == bool(event.doubled)
        best = max(lost, key=lambda number: (lost[number], int(number)))
        assert story.headline.startswith(f"Battle {best} "), (story.headline, lost)
        uneven_turns += len({*lost.values()}) > 1
    assert uneven_turns
