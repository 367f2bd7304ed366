"""Attack: a captain who gives up while he is asked in mid-turn leaves a question that nobody can answer."""

from __future__ import annotations

from tests.sea import Sea


async def test_nobody_is_asked_under_a_question_of_somebody_elses(sea: Sea) -> None:
    everybody = (sea.anna, sea.bela, sea.cili, sea.member("dora"))
    await sea.begin(*everybody[1:], system="squadrons", battle="150", sides="first", order="squadron", captains="2")
    for who in everybody:
        asked = await sea.bot.table.reader.asked(who.id, 1)
        asked = await sea.bot.table.orders.type(asked, "pass")
        await sea.bot.table.orders.seal(asked, asked.row.version)
    await sea.settle()
    seats = sea.rows("seats")["seats"]
    users = {row["seat"]: row["user_id"] for row in seats}

    def opened() -> list[tuple[str, int]]:
        return [(row["id"], row["seat"]) for row in sea.rows("requests")["requests"] if row["status"] == "open"]

    def ally(seat: int) -> int:
        team = {row["seat"]: row["team"] for row in seats}
        return next(one for one in users if one != seat and team[one] == team[seat])

    ((request, seat),) = opened()
    assert ".act." in request
    # As a game would stand whose rules asked another seat under the same id: the next step asks anew who is meant.
    row = (await sea.bot.table.reader.asked(users[seat], 1)).row
    async with sea.bot.table.store.write() as tx:
        await tx.requests.change(row, seat=ally(seat))
    enemy = next(one for one in users if one not in (seat, ally(seat)))
    await sea.bot.table.concede(users[enemy], 1)
    await sea.settle()
    assert opened() == [(request, seat)]
    assert (await sea.bot.table.reader.asked(users[seat], 1)).row.seat == seat

    await sea.bot.table.concede(users[seat], 1)
    await sea.settle()
    ((name, now),) = opened()
    assert (name != request, now) == (True, ally(seat))
    assert (await sea.bot.table.reader.asked(users[now], 1)).row.seat == now
