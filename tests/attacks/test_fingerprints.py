"""What a thread shows of a hash binds: its digits are all that the bot's operator can't change (SECURITY.md)."""

from __future__ import annotations

import re

from bot.record.export import check_export
from tests.bot.papers import exported, sealed
from tests.sea import AFAR, Sea

BINDING = 32
"""Hexadecimal digits for which nobody finds another text, in 2^128 tries. Of eight a machine finds one in minutes."""


def shown(sea: Sea, hashed: str) -> int:
    return max((len(one) for one in re.findall(r"[0-9a-f]{6,64}", sea.told()) if hashed.startswith(one)), default=0)


async def test_no_other_orders_or_record_can_be_found_for_the_digits_in_the_thread(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela)
    await sealed(sea, sea.anna, "A1 FFFFF")
    (answer,) = sea.rows("answers")["answers"]
    assert shown(sea, answer["commitment"]) >= BINDING
    await sea.concede(sea.bela)
    data = await exported(sea, sea.cili)
    digest = (await sea.bot.services.archive.export_finished(1)).digest
    assert shown(sea, digest) >= BINDING
    # Nor does the check take fewer for a proof.
    assert check_export(data, digest[:BINDING]) is not None
    assert check_export(data, digest) is None
