"""The last turns of a Sailing Season for the crash harness, and a battle that goes on beside them and beyond.

`main` is run as that of `tests.crash.player`. The clock stands still while anybody has something to seal; then it goes
on to the next hour of either game.
"""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from msgspec import structs

from bot.discord.app import WarGalley
from bot.services.table import Services
from tests.crash.player import DUEL, GUEST, HOST, answer, asked_of, begin, main_of, settle

SEASON, BATTLE = 1, 2
WISH = structs.replace(DUEL, system="campaign", options={"map": "gulf"})
LAST_TURN = 24
MEETING = {HOST.user_id: "A1 A2: EGU attack; dice", GUEST.user_id: "repair all; pay A 2"}
"""Orders of the turn in which the fleets meet."""
ORDERED = 1  # rounds of the battle that its captains order; those after them the first mates do
POSITION = {
    "map": "gulf",
    "captains": "AB",
    "turn": LAST_TURN - 1,
    "talents": {"A": 3, "B": 3},
    "ports": {"A": "PIR SAL", "B": "EPI CAL"},
    "galleys": [f"{name} 5-5+3/5 r0 n0" for name in ("A1 WGU", "A2 WGU", "B1 EGU", "B2 EGU")],
}


class SetClock:
    """A clock that goes on only when it is set, and after a kill shows what it showed before."""

    def __init__(self, file: Path) -> None:
        self._file = file
        if not file.exists():
            self.set(int(datetime.now(UTC).timestamp()))

    def __call__(self) -> datetime:
        return datetime.fromtimestamp(int(self._file.read_text()), UTC)

    def set(self, moment: int) -> None:
        fresh = self._file.with_suffix(".new")
        fresh.write_text(str(moment))
        fresh.replace(self._file)


async def sail(bot: WarGalley, journal: Path, *, clock: SetClock) -> None:
    """Sail the last two turns, and fight their battle until the guest gives it up, once no more orders are asked."""
    table = bot.services
    await begin(table, WISH, partial(_lay_out, table))
    while await table.reader.games.games_of_user(HOST.user_id):
        await _seal_all(table, journal)
        await settle(bot)
        running = await table.reader.games.games_of_user(HOST.user_id)
        if not await asked_of(table, HOST, SEASON) and await asked_of(table, GUEST, BATTLE):
            await table.concede_game(GUEST.user_id, BATTLE)
        elif running:
            clock.set(min(game.deadline for game in running if game.deadline))
            await table.step_runner.run_due_work()
        await settle(bot)


async def _seal_all(table: Services, journal: Path) -> None:
    """Seal all that is asked, except in later rounds of the battle."""
    for number in (SEASON, BATTLE):
        for player in (HOST, GUEST):
            pending = await asked_of(table, player, number)
            if pending is None or pending.answer or (number == BATTLE and pending.row.body.round > ORDERED):
                continue
            meeting = number == SEASON and pending.row.body.round < LAST_TURN
            await answer(table, pending, journal, MEETING[player.user_id] if meeting else "")


async def _lay_out(table: Services) -> None:
    async with table.store.write() as tx:
        game = await tx.games.find_for_update(SEASON)
        assert game is not None
        await tx.games.change(SEASON, setup=structs.replace(game.setup, position=json.dumps(POSITION)))


def main() -> None:
    clock = SetClock(Path(sys.argv[3]).with_name("clock"))
    main_of(partial(sail, clock=clock), clock)
