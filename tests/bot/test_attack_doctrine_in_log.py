"""Attack: what a captain has sealed of his doctrine, and of what stands in for him, is read in the log a turn later."""

from __future__ import annotations

from bot.record import export
from tests.sea import Sea


async def test_nobody_reads_the_enemys_doctrine_before_it_is_used(sea: Sea) -> None:
    await sea.begin(sea.bela, system="ramspeed", scenario="skerries", sides="first")
    await sea.write(sea.anna, "all: stay\ndoctrine all: swipe=grapple slip=back\nstanding A1: fwd 1")
    await sea.press(sea.anna, sea.panel(sea.anna), "seal")
    await sea.write(sea.bela, "all: stay")
    await sea.press(sea.bela, sea.panel(sea.bela), "seal")
    await sea.settle()
    assert (await sea.asked(sea.bela, 1)).row.body.round == 2
    said = await sea.command(sea.bela, "log", game="1")
    paper = export.write(await sea.bot.table.archive.export(1, sea.bela.id)).decode()
    for found in (said, paper):
        assert "slip=back" not in found
        assert "standing A1" not in found
    kept = await sea.bot.table.archive.published(1)
    for reader in (sea.anna, sea.bela, sea.cili):
        running = export.write(await sea.bot.table.archive.export(1, reader.id))
        assert export.check(running, kept=kept) is None
        assert ("slip=back" in running.decode()) == (reader == sea.anna), "his own he may read"
    await sea.command(sea.bela, "concede")
    await sea.press(sea.bela, sea.answers[-1], "concede")
    await sea.settle()
    whole = export.write(await sea.bot.table.archive.export(1, sea.cili.id))
    assert "slip=back" in whole.decode(), "at the end all is opened"
    assert export.check(whole, kept=await sea.bot.table.archive.published(1)) is None
