"""Restarts in the middle of things: nothing is forgotten, and what hangs on the screen still works."""

from __future__ import annotations

import pytest

from tests.sea import ABEAM, Sea, refs, text_of


@pytest.mark.begun
async def test_a_restart_between_the_last_seal_and_its_round(sea: Sea) -> None:
    await sea.write(sea.anna, "A1 FFFFF")
    await sea.write(sea.bela, "B1 FFFFF")
    await sea.press(sea.anna, sea.panel(sea.anna), "seal")
    # The claim was written, and the process died before it had carried the round out.
    panel, ref = sea.panel(sea.bela), refs(sea.panel(sea.bela))["seal"]
    sea.change_rows("UPDATE games SET phase = 'resolving', version = version + 1, claimed_at = ?", _second(sea))
    assert "being updated" in await sea.click(sea.bela, panel, ref)
    await sea.restart()
    assert [row["phase"] for row in sea.rows("games")["games"]] == ["running"]
    await sea.press(sea.bela, sea.panel(sea.bela), "seal")
    assert len(sea.rows("steps")["steps"]) == 2


async def test_a_restart_while_the_round_waits_for_a_decision(sea: Sea) -> None:
    await sea.begin_at(ABEAM, sea.bela)
    await sea.both_seal("A1 XXXXF; aim ask", "B1 XXXXF")
    assert "waiting for a decision by anna" in sea.told()
    panel = sea.panel(sea.anna)
    assert "press steady" in refs(panel)
    await sea.restart()
    await sea.press(sea.anna, panel, "press steady")
    pending = await sea.asked(sea.anna)
    assert pending.row.id == "r1.2.aim.A1"
    await sea.restart()
    await sea.pick(sea.anna, sea.panel(sea.anna), "point", "3")
    assert await sea.asked(sea.bela) is None
    # An answer may be typed too, and seals at the press of the reply's button.
    await sea.seal(sea.anna, "safe")
    bodies = {row["request_id"]: row["body"] for row in sea.rows("answers")["answers"] if ".aim." in row["request_id"]}
    assert bodies["r1.1.aim.A1"] == "steady"
    assert "," in bodies["r1.2.aim.A1"]
    assert bodies["r1.3.aim.A1"] == "safe"


@pytest.mark.begun
async def test_a_form_that_was_opened_before_a_restart(sea: Sea) -> None:
    panel = sea.panel(sea.anna)
    form = await sea.open_form(sea.anna, panel)
    assert form.modal
    await sea.restart()
    assert not await sea.send_form(sea.anna, panel, form, "A1 FLFRF")
    assert "F L F R F" in text_of(sea.panel(sea.anna))
    await sea.press(sea.anna, sea.panel(sea.anna), "seal")
    assert sea.rows("answers")["answers"][0]["body"].startswith("A1 FLFRF")


def _second(sea: Sea) -> int:
    return int(sea.now().timestamp())
