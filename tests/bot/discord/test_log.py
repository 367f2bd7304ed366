"""The log: orders in the reader's language, and what their hashes cover behind a button."""

import pytest

from tests.bot.rows import is_first_in_south
from tests.sea import AFAR, Sea


@pytest.mark.parametrize(
    ("language", "order", "standing"),
    [
        ("en", "**A1** F L R F F", "aim: steady"),
        ("hu", "**A1** E B J E E", "célzás: nyugodt"),
    ],
)
async def test_orders_are_in_the_readers_language_and_the_sealed_text_one_press_away(
    sea: Sea, language: str, order: str, standing: str
) -> None:
    sea.languages[sea.cili.id] = language
    await sea.begin_at(AFAR, sea.bela)
    await sea.both_seal("A1 FLRFF; losses fighting", "B1 FFFFF")
    (answer,) = [row for row in sea.rows("answers")["answers"] if row["seat"] == 0]
    said = await sea.command(sea.cili, "log", game="1")
    assert order in said
    assert standing in said
    assert "reorganize" not in said
    assert answer["commitment"] not in said
    texts = await sea.sealed_texts(sea.cili)
    assert all(answer[column] in texts for column in ("body", "commitment", "nonce"))


async def test_places_without_a_sentence_that_can_be_typed_stand_in_their_notation(sea: Sea) -> None:
    await sea.begin(sea.bela, galleys="1", table="coffee", deployment="sealed")
    south, north = (sea.anna, sea.bela) if is_first_in_south(sea) else (sea.bela, sea.anna)
    await sea.seal(south, "A1 4/4 @123.4,75" if south is sea.anna else "B1 4/4 @123.4,75")
    await sea.seal(north, "B1 4/4 @123.4,525" if north is sea.bela else "A1 4/4 @123.4,525")
    assert "1 4/4 @\u200b123.4,75^0`" in await sea.command(sea.cili, "log", game="1")
