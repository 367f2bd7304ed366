"""Attack: one who is forgotten sets all messages of all his old games before everybody's new ones."""

from __future__ import annotations

from tests.bot.doors.test_captains import concede
from tests.sea import AFAR, Sea

MANY = 120
"""Messages of old games: some ten games of twelve rounds."""


async def test_forgetting_makes_everybody_wait_for_old_games(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela)
    await concede(sea, sea.bela)
    columns = "game_id, kind, ref, wanted, sent, attempts, due_at, wanted_at, channel_id, message_id"
    copied = (
        f"INSERT INTO outbox (key, {columns}) SELECT 'seals:x' || ?, {columns} FROM outbox WHERE kind = 'seals' LIMIT 1"
    )
    for number in range(MANY):
        sea.change_rows(copied, number)
    begun = len(sea.env.http_requests)
    with sea.at_once():
        await sea.bot.table.privacy.forget(sea.bela.id)
        await sea.cili.slash(sea.channel, "galley new")  # somebody else, in a game that has nothing to do with it
    await sea.settle()
    asked = [str(one) for one in sea.env.http_requests[begun:]]
    edits = [number for number, one in enumerate(asked) if "PATCH" in one and "/messages/" in one]
    (opened,) = [
        number for number, one in enumerate(asked) if "POST" in one and f"/channels/{sea.channel.id}/mess" in one
    ]
    assert len([number for number in edits if number < opened]) < MANY // 2
