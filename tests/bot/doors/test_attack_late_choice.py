"""Attack: text typed for one round is taken by "which game" for a later one; in open turns it would act at once."""

from __future__ import annotations

from tests.bot.discord.test_one_message import ours
from tests.bot.doors.test_which_game import buttons, drafts, two_games
from tests.sea import AFAR, Sea, text_of


async def test_what_was_typed_for_a_round_that_is_over_goes_into_no_other(sea: Sea) -> None:
    await two_games(sea, AFAR, AFAR)
    await sea.write(sea.anna, "A1 FFRXF")
    (question,) = [message for message in ours(sea, sea.anna) if "A1 FFRXF" in text_of(message)]
    chosen = {ref.game: ref for ref in buttons(question)}
    # Game 2 goes on to its next round; of game 1 nothing happens.
    for user, text in ((sea.anna, "A1 LLLLL"), (sea.bela, "B1 LLLLL")):
        asked = await sea.bot.table.reader.asked(user.id, 2)
        asked = await sea.bot.table.orders.type(asked, text)
        await sea.bot.table.orders.seal(asked, asked.row.version)
        await sea.settle()
    assert (2, "r2.orders.0") in drafts(sea)
    assert not drafts(sea)[2, "r2.orders.0"]
    if question.id in {message.id for message in ours(sea, sea.anna)}:
        await sea.click(sea.anna, question, chosen[2])
    assert not drafts(sea)[2, "r2.orders.0"], "orders of round 1 stand in the draft of round 2"
