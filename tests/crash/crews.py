"""A duel with own crews for the crash harness: one is lost, what had none gets one, and a third stays at home.

`main` is run as that of `tests.crash.player`. Beside the game's states, it leaves what its captains keep.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from msgspec import structs

from bot.discord.app import WarGalley
from bot.services.table import Services
from bot.store.models.records import KeepsakeRow
from tests.crash.player import DUEL, GUEST, HOST, answer, asked_of, begin, main_of, settle

WISH = structs.replace(DUEL, options={"table": "coffee", "deployment": "ready", "points": "36", "crews": "kept"})
ROUNDS = 3  # that are fought before the guest gives up: so the game has taught something
FLEETS = {HOST.user_id: "c1 5", GUEST.user_id: "c1"}


async def sail(bot: WarGalley, journal: Path) -> None:
    """Bring crews, fight, and give up, as often as it takes."""
    table = bot.services
    await begin(table, WISH, partial(_given, table))
    while (await table.reader.games.seated_game(1)).game.phase != "over":
        await settle(bot)
        for player in (HOST, GUEST):
            pending = await asked_of(table, player)
            if pending and pending.row.body.round > ROUNDS and player is GUEST:
                await table.concede_game(player.user_id, 1)
                break
            if pending and pending.answer is None and pending.row.body.round <= ROUNDS:
                chosen = "" if pending.row.body.round else FLEETS[player.user_id]
                await answer(table, pending, journal, chosen)


async def _given(table: Services) -> None:
    async with table.store.write() as tx:
        if not await tx.keepsakes.of_user(HOST.user_id):
            for player in (HOST, GUEST):
                for number, name in ((1, "Argo"), (2, "Thetis")):
                    body = '{"build":"5","xp":9,"promotions":"rm"}'
                    system = WISH.system
                    await tx.keepsakes.add(
                        KeepsakeRow(user_id=player.user_id, system=system, number=number, name=name, body=body)
                    )


def main() -> None:
    main_of(sail)
