"""Each way in which a game can end whose dice somebody may know, through the real bot: docs/fairness.md lists them.

Anna hosts, and knows the seed. Each row of the page's table has scripts here, and each place in the code that ends a
game or takes a seat stands in `ENDS`: a new one fails a test until its row is written.
"""

from __future__ import annotations

import ast
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

import bot
from bot.lifecycle.people.abandoning import ABANDONED, BY_OTHERS, MENTIONED
from bot.lifecycle.people.rounds import MIN_ROUNDS
from bot.services.repair import Caller
from bot.texts.i18n import Catalogue
from tests.attacks.test_abandoned_lobbies import adds_word, begin_with_words, calls_off, opens, removes
from tests.attacks.test_giving_up import three
from tests.attacks.test_matches import pass_deadline, play_rounds
from tests.bot.services.test_absence import set_away
from tests.bot.services.test_host import ask
from tests.english import ROOT
from tests.sea import Sea, text_of

EN: Final = Catalogue.load("en")
DAY_S: Final = 86_400
Times = dict[tuple[str, str], int]
Script = Callable[[Sea], Awaitable[Times | None]]
"""Plays one way. Returns what was counted before, if anything was."""
ANNA_DOOMED_LATER: Final = "900x600 ; A1:south 1-1+1/4 @450,380^90 ; B1:north 5-5+3/5 @450,80^0"
ANNA_DOOMED: Final = "900x600 ; A1:south 1-1+1/4 @450,300^90 ; B1:north 5-5+3/5 @450,150^0"


def thrown_away(sea: Sea) -> Times:
    """Return how often each captain was counted, by kind of the tally; a forgotten one is called "forgotten"."""
    names = {getattr(sea, name).id: name for name in ("anna", "bela", "cili")}
    times: Times = {}
    for row in sea.rows("tallies")["tallies"]:
        if row["kind"] in (ABANDONED, MENTIONED, BY_OTHERS):
            key = (names.get(row["user_id"], "forgotten" if row["user_id"] < 0 else "other"), row["kind"])
            times[key] = times.get(key, 0) + 1
    return times


# --- lobbies ---------------------------------------------------------------------------------------------------------


async def lobby(sea: Sea) -> int:
    """Open a lobby of Anna in which Bela and she have a word."""
    game = await opens(sea, sea.anna)
    await sea.command(sea.bela, "join", game=str(game))
    for who in (sea.anna, sea.bela, sea.anna):
        await adds_word(sea, who, game, f"word of {who.name}")
    return game


async def host_cancels(sea: Sea) -> None:
    await calls_off(sea, sea.anna, await lobby(sea))


async def host_leaves(sea: Sea) -> None:
    await sea.bot.services.lobbies.leave_lobby(sea.anna.id, await lobby(sea))


async def lobby_lies(sea: Sea) -> None:
    await lobby(sea)
    await sea.env.advance_time(7 * DAY_S + 7_200)


async def lobby_lies_with_a_free_seat(sea: Sea) -> None:
    game = await opens(sea, sea.anna, captains="2")
    await sea.command(sea.bela, "join", game=str(game), word="tide")
    await sea.env.advance_time(7 * DAY_S + 7_200)


async def host_is_forgotten(sea: Sea) -> None:
    await lobby(sea)
    await sea.bot.services.privacy.forget_user(sea.anna.id)


async def host_leaves_server(sea: Sea) -> None:
    await lobby(sea)
    await departs(sea, sea.anna)


async def guest_leaves(sea: Sea) -> None:
    await sea.command(sea.bela, "leave", game=str(await lobby(sea)))


async def guest_is_forgotten(sea: Sea) -> None:
    await lobby(sea)
    await sea.bot.services.privacy.forget_user(sea.bela.id)


async def guest_leaves_server(sea: Sea) -> None:
    await lobby(sea)
    await departs(sea, sea.bela)


async def guest_who_manages_ends_lobby(sea: Sea) -> None:
    caller = Caller(user_id=sea.bela.id, managed_guild_id=sea.guild.id)
    await sea.bot.services.repair.end_game(caller, await lobby(sea))


async def host_removes_guest(sea: Sea) -> None:
    await removes(sea, sea.anna, await lobby(sea), "bela")


async def host_cancels_after_a_day(sea: Sea) -> None:
    """Restart nothing by the same word again, an absence or a change of language."""
    game = await lobby(sea)
    await sea.env.advance_time(DAY_S // 2)
    await adds_word(sea, sea.bela, game, "word of bela")
    await sea.command(sea.bela, "me", away="2027-01-01")
    await sea.command(sea.manager(), "host settings", threads="hu")
    await sea.env.advance_time(DAY_S // 2 + 60)
    assert EN.say("say.costs_mention") in await calls_off(sea, sea.anna, game)


async def lobby_without_agreement(sea: Sea) -> int:
    """Open a lobby in which Bela has not agreed to the last word of Anna."""
    game = await lobby(sea)
    await adds_word(sea, sea.anna, game, "another")
    return game


async def host_removes_guest_who_never_agreed(sea: Sea) -> None:
    game = await lobby_without_agreement(sea)
    await sea.env.advance_time(DAY_S + 60)
    assert EN.say("say.costs_mention") in await removes(sea, sea.anna, game, "bela")
    assert f"<t:{sea.bot.services.now() + DAY_S}" in await sea.command(sea.bela, "join", game=str(game), word="tide")
    await calls_off(sea, sea.anna, game)


async def lobby_lies_as_guest_never_agrees(sea: Sea) -> None:
    """Bela speaks every day of being away for longer, which kept the lobby open for months."""
    await lobby_without_agreement(sea)
    for day in range(7):
        await sea.command(sea.bela, "me", away=f"2027-01-0{day + 1}")
        await sea.env.advance_time(DAY_S)
    await sea.env.advance_time(7_200)
    assert sea.rows("games")["games"][0]["phase"] == "cancelled"


async def host_cancels_after_turning_an_option(sea: Sea) -> None:
    """Bela has had no day in which to agree."""
    game = await lobby(sea)
    await sea.env.advance_time(DAY_S + 60)
    await sea.bot.services.lobbies.choose_match(sea.anna.id, game, is_match=True)
    await sea.env.advance_time(DAY_S - 60)
    assert EN.say("say.costs_bar") in await calls_off(sea, sea.anna, game)


async def guest_leaves_after_never_agreeing(sea: Sea) -> None:
    game = await lobby_without_agreement(sea)
    await sea.env.advance_time(DAY_S + 60)
    await sea.command(sea.bela, "leave", game=str(game))


async def guest_with_the_only_word_leaves(sea: Sea) -> None:
    """Anna never starts, and turns an option whenever Bela has sent a word again."""
    game = await opens(sea, sea.anna)
    await sea.command(sea.bela, "join", game=str(game), word="tide")
    for is_match in (True, False):
        await sea.bot.services.lobbies.choose_match(sea.anna.id, game, is_match=is_match)
        await adds_word(sea, sea.bela, game, "tide")
    await sea.command(sea.bela, "leave", game=str(game))
    await calls_off(sea, sea.anna, game)


async def host_removes_guest_without_word(sea: Sea) -> None:
    """Cili's word stays in the dice."""
    game = await opens(sea, sea.anna, captains="3")
    await sea.command(sea.cili, "join", game=str(game), word="reef")
    await sea.command(sea.bela, "join", game=str(game))
    await sea.command(sea.anna, "host kick", game=str(game), whose="bela")


async def manager_removes_the_bot_from_a_lobby(sea: Sea) -> None:
    await lobby(sea)
    await manager_removes_the_bot_from(sea)
    assert "someone removed me from its server" in text_of(sea.dms(sea.anna)[-1])


async def manager_removes_the_bot_from(sea: Sea) -> None:
    await sea.bot.services.channels.note_lost_server(sea.guild.id)
    await sea.settle()


async def manager_deletes_the_channel_of_a_lobby(sea: Sea) -> None:
    """It could be moved to another channel, but lapses."""
    await lobby(sea)
    await sea.bot.get_channel(sea.channel.id).delete()
    await sea.env.advance_time(7 * DAY_S + 7_200)


async def operator_deletes_lobby(sea: Sea) -> None:
    assert not (await ask(sea, "delete_game", target_id=await lobby(sea))).refused


async def manager_ends_lobby(sea: Sea) -> None:
    await sea.command(sea.manager(), "host end", game=str(await lobby(sea)))


async def manager_removes_guest(sea: Sea) -> None:
    await sea.command(sea.manager(), "host kick", game=str(await lobby(sea)), whose="bela")


async def operator_denies_guest(sea: Sea) -> None:
    await lobby(sea)
    assert not (await ask(sea, "deny_user", user_id=sea.bela.id)).refused


async def operator_denies_host(sea: Sea) -> None:
    await lobby(sea)
    assert not (await ask(sea, "deny_user", user_id=sea.anna.id)).refused


async def departs(sea: Sea, who: Any) -> None:
    await sea.bot.services.absence.offer_seats_of_departed(who.id, sea.guild.id)
    await sea.settle()


# --- games -----------------------------------------------------------------------------------------------------------


async def anna_concedes(sea: Sea) -> None:
    await sea.concede(sea.anna, await begin_with_words(sea))


async def anna_concedes_after_two_rounds(sea: Sea) -> None:
    game = await begin_with_words(sea)
    await play_rounds(sea, game, MIN_ROUNDS - 1, sea.anna, sea.bela)
    await sea.concede(sea.anna, game)


async def anna_concedes_both_games_of_match(sea: Sea) -> None:
    game = await begin_with_words(sea, is_match=True)
    await sea.concede(sea.anna, game)
    await sea.concede(sea.anna, game + 1)


async def anna_concedes_season(sea: Sea) -> None:
    """The orders that the computer gives for her take nothing back."""
    await three(sea, words=True, early=True, missed="hold")
    await sea.concede(sea.anna, 1)
    for who in (sea.bela, sea.cili):
        await sea.seal(who, "repair all")
    await sea.settle()


async def anna_concedes_and_takes_it_back(sea: Sea) -> None:
    await three(sea, words=True)
    await sea.concede(sea.anna, 1)
    await sea.command(sea.anna, "host undo", game="1")
    await sea.settle()
    assert not any(seat["conceded"] for seat in sea.rows("seats")["seats"])


async def anna_departs(sea: Sea) -> None:
    await begin_with_words(sea, phase="5m")
    await departs(sea, sea.anna)


async def anna_frees_her_seat(sea: Sea) -> None:
    await sea.command(sea.anna, "host kick", game=str(await begin_with_words(sea)), whose="anna")


async def anna_leaves_her_seat_to_computer(sea: Sea) -> None:
    game = str(await begin_with_words(sea))
    await sea.command(sea.anna, "host kick", game=game, whose="anna", to_computer=True)


async def annas_friend_gives_up(sea: Sea) -> None:
    game = await begin_with_words(sea)
    await sea.command(sea.anna, "host replace", game=str(game), whose="anna", substitute=sea.cili)
    assert not thrown_away(sea), "the friend may play on"
    await sea.concede(sea.cili, game)


async def anna_is_absent(sea: Sea) -> None:
    await play_rounds(sea, await begin_with_words(sea), 2, sea.bela)


async def anna_is_absent_after_an_order(sea: Sea) -> None:
    """Short phases are no excuse for a captain who was there."""
    game = await begin_with_words(sea, phase="1h")
    await play_rounds(sea, game, 1, sea.anna, sea.bela)
    await play_rounds(sea, game, 2, sea.bela)


async def annas_friend_is_absent(sea: Sea) -> None:
    game = await begin_with_words(sea, phase="1h")
    await sea.command(sea.anna, "host replace", game=str(game), whose="anna", substitute=sea.cili)
    await play_rounds(sea, game, 2, sea.bela)


async def anna_is_absent_and_a_stranger_departs(sea: Sea) -> None:
    """Cili takes the seat of Anna and orders once. Bela has ordered in three rounds by then."""
    game = await begin_with_words(sea)
    await play_rounds(sea, game, 2, sea.bela)
    await sea.command(sea.cili, "substitute", game=str(game))
    await play_rounds(sea, game, 1, sea.cili, sea.bela)
    await departs(sea, sea.cili)


async def anna_is_absent_and_returns(sea: Sea) -> None:
    game = await begin_with_words(sea)
    await play_rounds(sea, game, 2, sea.bela)
    request = await sea.bot.services.reader.requests.pending_request(sea.anna.id, game)
    await sea.bot.services.orders.type_text(request, "A1 RRXRR")
    await sea.settle()
    assert not any(seat["offered_at"] for seat in sea.rows("seats")["seats"])


async def anna_loses_in_silence(sea: Sea, phase: str = "6h") -> None:
    """A galley with one oar a side lies abeam of a beak, and nobody else orders for her."""
    await begin_with_words(sea, position=ANNA_DOOMED, missed="hold", phase=phase)
    await order_until_the_end(sea, sea.bela, "B1 FFFFF")


async def anna_loses_while_away(sea: Sea) -> None:
    """No deadline counts as missed by her. She announced it before the start, and orders where the dice suit."""
    await sea.command(sea.anna, "me", away="2027-01-01")
    await begin_with_words(sea, position=ANNA_DOOMED, missed="hold")
    await order_until_the_end(sea, sea.bela, "B1 FFFFF")
    assert not any(seat["missed"] for seat in sea.rows("seats")["seats"])


async def order_until_the_end(sea: Sea, who: Any, orders: str) -> None:
    for _ in range(MIN_ROUNDS):
        if sea.rows("games")["games"][-1]["phase"] == "running":
            await sea.seal(who, orders)
            await pass_deadline(sea, sea.rows("games")["games"][-1]["id"])
            await sea.settle()
    assert sea.rows("games")["games"][-1]["phase"] == "over"


async def anna_concedes_beside_an_absent_captain(sea: Sea) -> None:
    game = await begin_with_words(sea)
    sea.change_rows("UPDATE seats SET offered_at = 1 WHERE user_id = ?", sea.bela.id)
    await sea.concede(sea.anna, game)


async def anna_concedes_beside_a_computer_of_hers(sea: Sea) -> None:
    """Bela sleeps, so that Anna may leave that seat to the computer."""
    game = await begin_with_words(sea)
    sea.change_rows("UPDATE seats SET offered_at = 1 WHERE user_id = ?", sea.bela.id)
    await sea.command(sea.anna, "host kick", game=str(game), whose="bela", to_computer=True)
    await sea.concede(sea.anna, game)


async def anna_concedes_last(sea: Sea) -> None:
    await three(sea, words=True)
    sea.change_rows("UPDATE seats SET conceded = TRUE WHERE user_id IN (?, ?)", sea.bela.id, sea.cili.id)
    await sea.concede(sea.anna, 1)


async def manager_takes_a_seat(sea: Sea, who: str = "anna", **options: Any) -> None:
    game = await begin_with_words(sea)
    await sea.command(sea.manager(), "host kick", game=str(game), whose=who, **options)


async def manager_takes_the_others_seat(sea: Sea) -> None:
    await manager_takes_a_seat(sea, "bela", to_computer=True)


async def manager_gives_a_seat_away(sea: Sea) -> None:
    game = await begin_with_words(sea)
    await sea.command(sea.manager(), "host replace", game=str(game), whose="anna", substitute=sea.cili)


async def host_takes_a_seat(sea: Sea) -> None:
    """Cili opens the game of Anna and Bela for them; she is only their host."""
    game = await begin_with_words(sea)
    sea.change_rows("UPDATE games SET host_id = ?", sea.cili.id)
    await sea.command(sea.cili, "host kick", game=str(game), whose="anna")


async def manager_ends_game(sea: Sea) -> None:
    game = await begin_with_words(sea, phase="3d")
    await pass_deadline(sea, game)
    for table, column in (("answers", "sealed_at"), ("steps", "resolved_at"), ("requests", "asked_at")):
        sea.change_rows(f"UPDATE {table} SET {column} = {column} - ?", 7 * DAY_S)
    await sea.command(sea.manager(), "host end", game=str(game))
    assert sea.rows("games")["games"][0]["phase"] == "over"


async def manager_goes_back_alone(sea: Sea) -> Times:
    """Bela, who is absent, has been mentioned before."""
    game, dora = await begin_with_words(sea), sea.manager()
    await play_rounds(sea, game, 2, sea.anna)
    before = thrown_away(sea)
    await sea.command(dora, "host undo", game=str(game), to_round=1)
    assert not sea.rows("games")["games"][0]["rated"]
    return before


async def operator_deletes_game(sea: Sea) -> None:
    game = await begin_with_words(sea)
    assert not (await ask(sea, "delete_game", target_id=game)).refused
    assert not sea.rows("games")["games"]


async def operator_bars_a_captain(sea: Sea) -> None:
    await begin_with_words(sea)
    assert not (await ask(sea, "deny_user", user_id=sea.anna.id)).refused


async def game_of_captains_who_are_away_lapses(sea: Sea) -> None:
    """Days that they have announced count as no absence."""
    await begin_with_words(sea, phase="7d", missed="hold")
    for who in (sea.anna, sea.bela):
        set_away(sea, who, 40)
    await sea.env.advance_time(32 * DAY_S)
    await sea.settle()
    assert sea.rows("games")["games"][0]["phase"] == "over"


async def manager_removes_the_bot(sea: Sea) -> None:
    await begin_with_words(sea)
    await manager_removes_the_bot_from(sea)


async def manager_deletes_the_channel(sea: Sea) -> None:
    await begin_with_words(sea)
    await sea.bot.get_channel(sea.channel.id).delete()
    await sea.settle()


async def game_whose_channel_was_deleted_lapses(sea: Sea) -> None:
    """Nobody can act in it, so that nobody was absent."""
    await manager_deletes_the_channel(sea)
    for table, column in (("games", "idle_since"), ("games", "paused_at"), ("steps", "resolved_at"), ("acts", "at")):
        sea.change_rows(f"UPDATE {table} SET {column} = {column} - ?", 31 * DAY_S)
    await sea.env.advance_time(DAY_S + 60)
    assert sea.rows("games")["games"][0]["phase"] == "over"


async def anna_ends_a_round_without_her_orders(sea: Sea) -> None:
    game = await begin_with_words(sea, position=ANNA_DOOMED, missed="hold")
    await sea.seal(sea.bela, "B1 FFFFF")
    await sea.command(sea.anna, "host resolve", game=str(game))
    assert sea.rows("games")["games"][0]["phase"] == "over"


async def anna_proposes_to_end_a_round_without_her_orders(sea: Sea) -> None:
    game = await begin_with_words(sea, position=ANNA_DOOMED, missed="hold")
    await sea.command(sea.anna, "host resolve", game=str(game))
    await sea.seal(sea.bela, "B1 FFFFF")
    assert sea.rows("games")["games"][0]["phase"] == "over"


async def manager_ends_rounds(sea: Sea) -> None:
    """Neither captain has had time for orders, so that neither has lost in silence."""
    game, dora = await begin_with_words(sea, position=ANNA_DOOMED, phase="1d"), sea.manager()
    while sea.rows("games")["games"][0]["phase"] == "running":
        await sea.command(dora, "host resolve", game=str(game))
        await sea.settle()


async def all_agree_on_a_draw(sea: Sea) -> None:
    game = await begin_with_words(sea)
    for who in (sea.anna, sea.bela):
        await sea.command(who, "draw", game=str(game))
    assert sea.rows("games")["games"][0]["phase"] == "over"


async def loser_ordered_in_each_round(sea: Sea) -> None:
    """It lasts one round."""
    await begin_with_words(sea, position=ANNA_DOOMED, missed="hold")
    await sea.seal(sea.anna, "A1 XF")
    await sea.seal(sea.bela, "B1 FFFFF")
    assert sea.rows("games")["games"][0]["phase"] == "over"


async def loser_returned_for_the_last_round(sea: Sea) -> None:
    """Anna misses the first deadline, and orders in the second round, in which she is sunk."""
    game = await begin_with_words(sea, position=ANNA_DOOMED_LATER, missed="hold")
    await sea.seal(sea.bela, "B1 FFFFF")
    await pass_deadline(sea, game)
    await sea.settle()
    await sea.seal(sea.anna, "A1 XF")
    await sea.seal(sea.bela, "B1 FFFFF")
    assert sea.rows("games")["games"][0]["phase"] == "over"


async def anna_concedes_after_three_rounds(sea: Sea) -> None:
    game = await begin_with_words(sea)
    await play_rounds(sea, game, MIN_ROUNDS, sea.anna, sea.bela)
    await sea.concede(sea.anna, game)


# --- the table -------------------------------------------------------------------------------------------------------


class Counted(NamedTuple):
    """Captains in the second and third column of the page's table."""

    own: tuple[str, ...] = ()
    by_others: tuple[str, ...] = ()


ANNA: Final = Counted(own=("anna",))
ANNA_IN_LOBBY: Final = Counted(own=("anna",), by_others=("bela",))
BELA_IN_LOBBY: Final = Counted(own=("bela",), by_others=("anna",))
ALL: Final = Counted(by_others=("anna", "bela"))
NOBODY: Final = Counted()
WAYS: Final[dict[str, dict[Script, Counted]]] = {
    "the host cancels the lobby, or removes a captain who has added a word": {
        **dict.fromkeys((host_cancels, host_cancels_after_turning_an_option, host_leaves), ANNA_IN_LOBBY),
        host_removes_guest: ANNA_IN_LOBBY,
        host_is_forgotten: Counted(own=("forgotten",), by_others=("bela",)),
    },
    "… after a day without changes, or lets it lie for seven": {
        **dict.fromkeys((host_cancels_after_a_day, host_removes_guest_who_never_agreed, lobby_lies), ANNA_IN_LOBBY),
        lobby_lies_with_a_free_seat: ANNA,
        lobby_lies_as_guest_never_agrees: ANNA_IN_LOBBY,
    },
    "the host leaves the server": {host_leaves_server: ANNA_IN_LOBBY},
    "another captain leaves the lobby or the server, or ends the lobby": {
        **dict.fromkeys((guest_leaves, guest_leaves_after_never_agreeing, guest_leaves_server), BELA_IN_LOBBY),
        guest_with_the_only_word_leaves: Counted(by_others=("anna",)),
        guest_is_forgotten: Counted(own=("forgotten",), by_others=("anna",)),
        guest_who_manages_ends_lobby: BELA_IN_LOBBY,
    },
    "a manager or the operator ends the lobby, or removes a captain who has added a word": dict.fromkeys(
        (
            manager_ends_lobby,
            manager_removes_guest,
            operator_deletes_lobby,
            operator_denies_guest,
            operator_denies_host,
        ),
        ALL,
    ),
    "… it ends without the bot or its channel": {
        manager_removes_the_bot_from_a_lobby: ALL,
        manager_deletes_the_channel_of_a_lobby: ALL,
    },
    "… a captain without a word is removed": {host_removes_guest_without_word: NOBODY},
    "a captain concedes, or leaves their own seat empty or to the computer": dict.fromkeys(
        (
            anna_concedes,
            anna_concedes_after_two_rounds,
            anna_concedes_both_games_of_match,
            anna_concedes_season,
            anna_frees_her_seat,
            anna_leaves_her_seat_to_computer,
        ),
        ANNA,
    ),
    "… to a friend, who then gives up": {annas_friend_gives_up: ANNA},
    "… when nobody else plays any more": dict.fromkeys(
        (anna_concedes_beside_an_absent_captain, anna_concedes_beside_a_computer_of_hers), ANNA
    ),
    "… as all others have conceded, or takes the concession back": dict.fromkeys(
        (anna_concedes_last, anna_concedes_and_takes_it_back), NOBODY
    ),
    "a captain loses the seat by absence, or the game after missing their last deadline, even if away": dict.fromkeys(
        (
            anna_is_absent,
            anna_is_absent_after_an_order,
            annas_friend_is_absent,
            anna_is_absent_and_returns,
            anna_loses_in_silence,
            anna_ends_a_round_without_her_orders,
            anna_proposes_to_end_a_round_without_her_orders,
            anna_loses_while_away,
        ),
        ANNA,
    ),
    "a captain leaves the server": {
        anna_departs: Counted(own=("anna",), by_others=("bela",)),
        anna_is_absent_and_a_stranger_departs: Counted(own=("anna", "cili")),
    },
    "somebody who doesn't play gives or takes a seat, ends the game or a round, or goes back": {
        manager_takes_a_seat: ALL,
        manager_takes_the_others_seat: ALL,
        manager_gives_a_seat_away: ALL,
        host_takes_a_seat: ALL,
        manager_ends_game: ALL,
        manager_goes_back_alone: Counted(by_others=("anna",)),
        manager_ends_rounds: ALL,
    },
    "somebody removes the bot or deletes the channel; the operator deletes the game or bars a captain": dict.fromkeys(
        (
            manager_removes_the_bot,
            manager_deletes_the_channel,
            game_whose_channel_was_deleted_lapses,
            operator_deletes_game,
            operator_bars_a_captain,
        ),
        ALL,
    ),
    "nobody acts for 30 days": {game_of_captains_who_are_away_lapses: Counted(own=("anna", "bela"))},
    "all agree on a draw, or the rules end it and you met your last deadline": dict.fromkeys(
        (
            all_agree_on_a_draw,
            loser_ordered_in_each_round,
            loser_returned_for_the_last_round,
            anna_concedes_after_three_rounds,
        ),
        NOBODY,
    ),
}
"""Scripts by the first column of the page's table, with the captains that they count for."""


class Row(NamedTuple):
    way: str
    own: str
    by_others: str

    @property
    def verdict(self) -> str:
        return ABANDONED if "barred" in self.own else MENTIONED


def table() -> list[Row]:
    page = (ROOT / "docs" / "fairness.md").read_text("utf-8")
    _, _, section = page.partition("## Dice that are thrown away")
    rows = [line.strip("| ").split(" | ") for line in section.partition("\n## ")[0].splitlines() if line[:1] == "|"]
    return [Row(*cells) for cells in rows[2:]]


def test_each_row_of_the_table_has_scripts() -> None:
    assert [row.way for row in table()] == [*WAYS]
    for row in table():
        for column in ("own", "by_others"):
            has_captains = any(getattr(counted, column) for counted in WAYS[row.way].values())
            assert has_captains == (getattr(row, column) != "–"), (row, column)


@pytest.mark.proves("F21")
@pytest.mark.parametrize(
    ("way", "script"), [pytest.param(way, script, id=script.__name__) for way in WAYS for script in WAYS[way]]
)
async def test_each_way_counts_as_the_table_says(sea: Sea, way: str, script: Script) -> None:
    verdict = next(row.verdict for row in table() if row.way == way)
    before = await script(sea) or {}
    await sea.settle()
    since = {key: times - before.get(key, 0) for key, times in thrown_away(sea).items()}
    own, by_others = WAYS[way][script]
    expected = {**{(captain, verdict): 1 for captain in own}, **{(captain, BY_OTHERS): 1 for captain in by_others}}
    assert {key: times for key, times in since.items() if times} == expected


def ends_in_the_code() -> Iterator[str]:
    """Yield the functions that end a game or a lobby, take a seat from its captain, or make a game unrated."""
    root = Path(bot.__file__).parent
    for file in sorted(root.rglob("*.py")):
        package = file.relative_to(root).parts[0]
        if package in ("services", "lifecycle"):
            tree = ast.parse(file.read_text())
            classes = [part for part in tree.body if isinstance(part, ast.ClassDef)]
            for function in [*tree.body, *(method for part in classes for method in part.body)]:
                if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef) and any(map(_ends, ast.walk(function))):
                    yield f"{file.stem}.{function.name}"


def _ends(node: ast.AST) -> bool:
    if isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        return any(
            key is not None and (ast.unparse(key), ast.unparse(value)) == ("'user_id'", "None") for key, value in pairs
        )
    if not isinstance(node, ast.Call):
        return False
    called = ast.unparse(node.func)
    keywords = {word.arg: ast.unparse(word.value) for word in node.keywords}
    return (
        called in ("CallOff", "Concede", "AgreeDraw", "TakeUp", "make_unrated", "tx.captaincies.end", "tx.games.delete")
        or keywords.get("phase") == "'cancelled'"
        or keywords.get("offered_at", "None") != "None"
    )


ENDS: Final = {
    "battles.call_off_battles": "nothing: a battle's dice are its season's",
    "calling_off.call_off_game": "its step ends the game: `note_ended_by_others`",
    "calling_off.call_off_lobby": "`note_lobby_loss`",
    "host._call_off": "`note_lobby_loss`, `note_ended_by_others`",
    "host._delete_rows": "nothing: `_call_off` comes before",
    "host._deny_user": "nothing: their seats are offered before, which ends their lobbies",
    "lobbies._seat_captains": "nothing: a game that begins with the computer",
    "lobby.stand_up": "`note_lobby_loss`",
    "rematch.decline_rematch": "nothing: only its host is left, and no words of others",
    "repair.kick_captain": "`note_put_out`",
    "repair.replace_captain": "`seats.replace_captain`: `note_put_out`",
    "runner._advance_once": "nothing: all its captains have given up",
    "runner._call_off_if_deserted": "nothing: all its captains have given up",
    "runner._go_on_after_restore": "its step ends the game: `note_ended_by_others`",
    "runner.go_back_to": "`note_ended_by_others` if a referee alone decides it",
    "seats._hand_over_seat": "`note_put_out`, by those who call it",
    "seats.give_back_seat": "nothing: they took the seat over, and its first captain was counted",
    "seats.offer_seat": "`note_offered`",
    "table.concede_game": "its step: `note_given_up`",
    "table.offer_draw": "nothing: all agree",
}
"""Where each of these functions counts dice that are thrown away."""


def test_no_place_in_the_code_ends_a_game_without_a_row() -> None:
    assert sorted(set(ends_in_the_code())) == sorted(ENDS)
