"""Costs of a deadline, a seal and a lobby's option: statements and transactions, until all edits are out."""

from __future__ import annotations

import pytest

from tests.bot.test_press_cost import Here, counted, here, workers  # noqa: F401 - fixtures
from tests.sea import AFAR, Sea, refs

pytestmark = pytest.mark.sqlite
HOUR_S = 3_600


async def test_a_duels_deadline_is_sixty_statements_in_twelve_transactions(sea: Sea, here: Here) -> None:  # noqa: F811
    await sea.begin_at(AFAR, sea.bela, phase="24h")
    await sea.seal(sea.anna, "A1 FFFFF")
    await sea.write(sea.bela, "B1 FFFFF")
    await sea.env.advance_time(24 * HOUR_S - 60)
    await sea.settle()
    with counted(sea, here) as passed:
        await sea.env.advance_time(120)
        await sea.settle()
    pending = await sea.asked(sea.bela)
    assert pending
    assert pending.row.body.round == 2
    assert passed.statements <= 60, passed
    assert passed.transactions <= 12, passed


@pytest.mark.begun
async def test_a_seal_is_twenty_statements(sea: Sea, here: Here) -> None:  # noqa: F811
    await sea.write(sea.anna, "A1 FFFFF")
    await sea.settle()
    panel = sea.panel(sea.anna)
    sea.env.lets_pass = False  # it looks into the database, too
    with counted(sea, here) as sealed:
        await sea.press(sea.anna, panel, "seal")
        await sea.settle()
    assert "unseal" in refs(sea.panel(sea.anna))
    assert sealed.statements <= 20, sealed


async def test_a_lobbys_option_is_thirteen_statements(sea: Sea, here: Here) -> None:  # noqa: F811
    await sea.command(sea.anna, "new", computer=1)
    await sea.settle()
    lobby = sea.channel.last_message
    with counted(sea, here) as chosen:
        await sea.choose_from(sea.anna, lobby, refs(lobby)["option galleys"], "8")
        await sea.settle()
    assert chosen.statements <= 13, chosen  # one of them asks whether the message is known (restored backups)


async def test_an_option_on_the_hosts_own_page_is_fourteen_statements(sea: Sea, here: Here) -> None:  # noqa: F811
    await sea.command(sea.anna, "new", opponent=sea.bela)
    await sea.settle()
    page = await sea.turned_by_host(sea.channel.last_message, "option galleys")
    assert page.flags.ephemeral
    with counted(sea, here) as chosen:
        await sea.choose_from(sea.anna, page, refs(page)["option galleys"], "8")
        await sea.settle()
    assert chosen.statements <= 14, chosen  # two of them for the page itself, which is shown again
