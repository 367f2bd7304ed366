"""Attack: a doctrine that is taken, but cannot be read again, wipes out all that was ordered before it."""

from __future__ import annotations

from tests.sea import Sea, text_of


async def test_a_draft_that_was_taken_can_be_sealed(sea: Sea) -> None:
    await sea.begin(sea.bela, system="squadrons", battle="rams", sides="first")
    await sea.write(sea.anna, "all: F3")
    said = await sea.write(sea.anna, "doctrine all: protect=none")
    draft = (await sea.asked(sea.anna, 1)).row.draft
    assert "all: F3" in draft
    assert "seal" in text_of(sea.panel(sea.anna)).lower() or said
    await sea.press(sea.anna, sea.panel(sea.anna), "seal")
    assert await sea.asked(sea.anna, 1) is None, f"cannot be sealed: {draft!r}"
