"""Attack: while a turn stops at a question, the game's export, or log, shows the enemy's sealed sheet of that turn."""

from __future__ import annotations

from bot.record import export
from tests.sea import Sea

SHORT = (
    "squadrons 1 A 20x16 - vp=30 limit=4 bonus=0/0 lost=-/- ; B1 5@1011N C ; B2 3@1311N C ; "
    "R1 3@1108NE C ; R2 4@0705S C ; lead BL1 Steady@B1 ; lead RL1 Bold@R2"
)


async def test_nobody_reads_the_enemys_sheet_while_its_turn_goes_on(sea: Sea) -> None:
    await sea.begin_at(SHORT, sea.bela, system="squadrons")
    await sea.write(sea.anna, "B2: F | else jettison\nB1: M F2 ram R1 | else F1\ndoctrine B2: fire=off")
    await sea.press(sea.anna, sea.panel(sea.anna), "seal")
    await sea.write(sea.bela, "all: stay\ndoctrine all: avoid=ask")
    await sea.press(sea.bela, sea.panel(sea.bela), "seal")
    await sea.settle()
    asked = await sea.asked(sea.bela, 1)
    assert asked.row.body.kind != "orders", asked.row.body
    said = await sea.command(sea.bela, "log", game="1")
    assert "jettison" not in said
    assert "jettison" not in sea.told()
    for who in (sea.bela, sea.cili):
        paper = export.write(await sea.bot.table.archive.export(1, who.id)).decode()
        assert "else jettison" not in paper, "what B2 would do is not carried out yet"
        assert "fire=off" not in paper, "a doctrine is its owner's"
