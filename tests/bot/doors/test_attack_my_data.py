"""Attack: a substitute is given, under `/galley me`, what the captain before him drafted and never sealed."""

from __future__ import annotations

import json

from tests.bot.doors.test_captains import DAY_S, concede, sealed
from tests.bot.doors.test_forgetting import press_under_me
from tests.sea import Sea

TWO = "900x600 ; A1:south 5-5+3/5 @450,80^0 ; B1:north 5-5+3/5 @350,520^180 ; B2:north 5-5+3/5 @600,520^180"


async def test_a_substitute_is_given_the_drafts_of_the_captain_before_him(sea: Sea) -> None:
    await sea.begin_at(TWO, sea.bela, missed="hold")
    await sealed(sea, sea.anna, "A1 RLRLR")
    await sea.write(sea.bela, "B1 RFLFR")
    assert "RFLFR" in sea.rows("requests")["requests"][1]["draft"]
    await sea.env.advance_time(DAY_S + 1)
    await sea.settle()
    await sea.command(sea.manager(), "admin replace", game="1", whose="bela", substitute=sea.cili)
    await concede(sea, sea.cili)
    await press_under_me(sea, sea.cili, "my_data")
    (file,) = sea.answers[-1].attachments
    data = json.loads(await file.read())
    exported = (await sea.bot.table.archive.finished(1)).record
    assert "RFLFR" not in str(exported)
    assert "RFLFR" not in json.dumps(data["requests"])
