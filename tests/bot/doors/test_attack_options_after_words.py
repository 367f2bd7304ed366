"""Attack: a host who knows the seed changes options, seats or the scenario until the dice please him."""

from __future__ import annotations

from tests.sea import Sea


async def all_agree(sea: Sea) -> None:
    """Everybody who gave a word has agreed to how they are."""
    for who, word in ((sea.anna, "amphora"), (sea.bela, "rostrum"), (sea.anna, "amphora")):
        await sea.bot.table.add_word(who.id, 1, word)
    await sea.settle()
    assert [bool(seat["word_agreed"]) for seat in sea.rows("seats")["seats"] if seat["word"]] == [True, True]


async def test_whoever_gave_a_word_is_asked_again_when_the_host_changes_an_option_after_it(sea: Sea) -> None:
    await sea.command(sea.anna, "new")
    await sea.command(sea.bela, "join")
    await all_agree(sea)
    await sea.choose(sea.anna, "galleys", "3")  # other throws fall to other ships: as good as other dice
    agreed = {seat["user_id"]: bool(seat["word_agreed"]) for seat in sea.rows("seats")["seats"]}
    assert not agreed[sea.bela.id]


async def test_whoever_gave_a_word_is_asked_again_when_seats_and_so_the_dice_change(sea: Sea) -> None:
    await sea.command(sea.anna, "new", captains=2)
    await sea.press(sea.cili, sea.channel.last_message, "join 1")
    await sea.press(sea.bela, sea.channel.last_message, "join 1")
    await all_agree(sea)
    await sea.command(sea.cili, "leave")  # she gave no word: nobody is asked
    before = (await sea.bot.table.reader.playing(1)).dice_seed
    await sea.choose(sea.anna, "captains", "1")
    await sea.choose(sea.anna, "captains", "2")
    seats = sea.rows("seats")["seats"]
    agreed = {seat["user_id"]: bool(seat["word_agreed"]) for seat in seats}
    after = (await sea.bot.table.reader.playing(1)).dice_seed
    # Same game, same words, same setup, other dice: her word stands in another seat, and nobody asked her.
    assert after == before or not agreed[sea.bela.id]
