"""Attack on oneself: who only looks at a squadron whose go it is has "ordered" nothing for it when the time is up."""

from __future__ import annotations

from tests.sea import Sea, refs

DAY_S = 86_400


async def test_looking_at_another_squadron_is_no_order(sea: Sea) -> None:
    await sea.begin(sea.bela, system="squadrons", battle="150", sides="first", order="squadron")
    for who in (sea.anna, sea.bela):
        await sea.write(who, "pass")
        await sea.press(who, sea.panel(who), "seal")
    await sea.settle()
    (row,) = [row for row in sea.rows("requests")["requests"] if row["status"] == "open"]
    who = (sea.anna, sea.bela)[row["seat"]]
    asked = await sea.asked(who, 1)
    assert asked.row.body.kind == "act"
    await sea.pick(who, sea.panel(who), "act", "act.SQ2")
    asked = await sea.asked(who, 1)
    assert (asked.row.draft, asked.row.focus) == ("", "SQ2")
    assert "seal" not in refs(sea.panel(who))
    await sea.env.advance_time(DAY_S + 60)
    await sea.settle()
    (answer,) = [one for one in sea.rows("answers")["answers"] if one["request_id"] == row["id"]]
    assert answer["given_by"] == "deadline", answer["body"]
    assert answer["body"] not in ("act B2", "act SQ2")
