"""Attack: whoever changes his ally each time beats the same twins as often as he likes in a week, and rises by it."""

from __future__ import annotations

from bot.life.worth import PAIR_MOST, ROUNDS_LEAST
from tests.bot.life.test_farming import changes
from tests.sea import Sea

FOUR = (
    "1800x600 ; A1:south 5-5+3/5 @300,80^0 ; B1:north 5-5+3/5 @300,520^180 ; "
    "C1:south 5-5+3/5 @1500,80^0 ; D1:north 5-5+3/5 @1500,520^180"
)


async def test_of_a_weeks_games_against_the_same_twins_only_some_lift_anybody(sea: Sea) -> None:
    lifted = 0
    for number in range(1, PAIR_MOST + 2):
        ally = sea.member(f"helper{number}")
        await sea.begin_at(FOUR, sea.bela, ally, sea.cili, captains="2", galleys="1")
        seats = [row["user_id"] for row in sea.rows("seats")["seats"] if row["game_id"] == number]
        for turn in range(ROUNDS_LEAST):
            for seat, user_id in enumerate(seats):
                asked = await sea.bot.table.reader.asked(user_id, number)
                asked = await sea.bot.table.orders.type(asked, f"{'ABCD'[seat]}1 {'LR'[turn % 2] * 5}")
                await sea.bot.table.orders.seal(asked, asked.row.version)
            await sea.settle()
        for seat in (1, 3):
            await sea.bot.table.concede(seats[seat], number)
            await sea.settle()
        changed = changes(sea)[number]
        lifted += changed.get(sea.anna.id, 0) > 0
        assert changed[ally.id] > 0, "who has not met them before rises"
    assert lifted == PAIR_MOST
