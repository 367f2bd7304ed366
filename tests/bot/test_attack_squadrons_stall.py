"""Attack: who sets all doctrines to `ask` and never answers gets a whole phase for each question of a turn."""

from __future__ import annotations

from typing import Any

from tests.sea import Sea

DAY_S = 86_400


def turn(row: dict[str, Any]) -> int:
    return int(str(row["id"]).split(".")[0][1:])


ASKS = "doctrine all: avoid=ask fire=ask retract=ask order=ask"


async def test_a_turn_ends_within_a_few_phases_although_somebody_never_answers(sea: Sea) -> None:
    await sea.begin(sea.bela, system="squadrons", battle="rams", sides="first")
    await sea.write(sea.anna, ASKS + "\npass")
    await sea.press(sea.anna, sea.panel(sea.anna), "seal")
    days: dict[int, int] = {}
    for _ in range(14):
        rows = [row for row in sea.rows("requests")["requests"] if row["status"] == "open"]
        if not rows or turn(rows[0]) > 4:
            break
        days[turn(rows[0])] = days.get(turn(rows[0]), 0) + 1
        await sea.env.advance_time(DAY_S + 60)
        await sea.settle()
    assert len(days) >= 3
    assert max(days.values()) <= 3, days
