"""Lobbies that are called off or left until the dice suit are counted and shown, and then no rating moves."""

from __future__ import annotations

from typing import Any

import pytest

from bot.errors import Refusal
from bot.lifecycle.people.posting import MAX_AT_ONCE
from bot.lifecycle.people.rounds import MIN_ROUNDS
from bot.store.models.records import Player
from bot.texts.i18n import Catalogue
from tests.attacks.test_giving_up import three
from tests.attacks.test_matches import pass_deadline, play_rounds
from tests.bot.lifecycle.test_rating_limits import DOOMED
from tests.bot.services.test_host import ask
from tests.bot.test_campaign import pass_a_turn
from tests.sea import AFAR, Sea, refs, text_of

EN = Catalogue.load("en")
DAY_S = 86_400


async def opens(sea: Sea, host: Any, **options: Any) -> int:
    """Open a lobby and return its number, or 0 if that is refused."""
    before = len(sea.rows("games")["games"])
    await sea.command(host, "new", **options)
    games = sea.rows("games")["games"]
    return games[-1]["id"] if len(games) > before else 0


async def adds_word(sea: Sea, who: Any, game: int, word: str) -> None:
    await sea.bot.services.lobbies.add_word(who.id, game, word)
    await sea.settle()


async def filled(sea: Sea, host: Any, guest: Any, **options: Any) -> int:
    game = await opens(sea, host, **options)
    await sea.command(guest, "join", game=str(game))
    await adds_word(sea, guest, game, "tide")
    return game


async def calls_off(sea: Sea, host: Any, game: int) -> str:
    """Cancel a lobby. Return the question that comes before."""
    question = await sea.command(host, "cancel", game=str(game))
    await sea.press(host, sea.answers[-1], "leave sure")
    return question


async def removes(sea: Sea, host: Any, game: int, whose: str) -> str:
    """Remove a captain from a lobby. Return the question that comes before if it counts."""
    question = await sea.command(host, "host kick", game=str(game), whose=whose)
    await sea.press(host, sea.answers[-1], "remove")
    return question


def says(text: str, own: int, by_others: int, name: str = "anna") -> bool:
    """Return whether a lobby or thread says how often dice of a captain's games were thrown away, and no zero."""

    def times(number: int) -> str:
        return "once" if number == 1 else f"{number} times"

    said_of_own = f"{name} threw dice away {times(own)} " if own else f"{name} threw dice away"
    others = "others threw dice away"
    said_of_others = f"{others} {times(by_others)} in {name}'s" if by_others else f" in {name}'s lobbies"
    return (said_of_own in text) == (own > 0) and (said_of_others in text) == (by_others > 0)


async def twice(sea: Sea) -> None:
    for _ in range(2):
        assert EN.say("say.costs_bar") in await calls_off(sea, sea.anna, await filled(sea, sea.anna, sea.bela))


@pytest.mark.proves("F5")
@pytest.mark.parametrize("language", ["en", "hu"])
async def test_who_calls_two_lobbies_off_with_words_of_others_opens_no_rated_game_for_a_day(
    sea: Sea, language: str
) -> None:
    sea.languages[sea.anna.id] = language
    for _ in range(2):
        game = await filled(sea, sea.anna, sea.bela)
        await sea.bot.services.lobbies.leave_lobby(sea.anna.id, game)
    until = sea.bot.services.lobbies.now() + DAY_S
    refused = await sea.command(sea.anna, "new")
    assert {"en": "or open an unrated one", "hu": "értékszám nélkülit pedig most is nyithatsz"}[language] in refused
    assert f"<t:{until}:R>" in refused
    assert len(sea.rows("games")["games"]) == 2
    bela_game = await opens(sea, sea.bela)
    assert bela_game, "who has lost the dice twice is not at fault"
    await sea.command(sea.anna, "join", game=str(bela_game))
    assert sea.anna.id in {seat["user_id"] for seat in sea.rows("seats")["seats"] if seat["game_id"] == bela_game}
    unrated = await opens(sea, sea.anna, rated=False)
    assert says(text_of(sea.channel.last_message), 2, 0)
    await sea.command(sea.bela, "join", game=str(unrated))
    await sea.env.advance_time(DAY_S + 60)
    rated = await opens(sea, sea.anna)
    assert rated
    await sea.command(sea.bela, "join", game=str(rated))
    await sea.command(sea.anna, "start", game=str(rated))
    assert says(sea.told(), 2, 0)


async def test_what_is_long_ago_is_not_held_against_anybody(sea: Sea) -> None:
    await calls_off(sea, sea.anna, await filled(sea, sea.anna, sea.bela))
    await sea.env.advance_time(DAY_S)
    await calls_off(sea, sea.anna, await filled(sea, sea.anna, sea.bela))
    assert await opens(sea, sea.anna), "two in two days bar nobody"
    await sea.env.advance_time(31 * DAY_S)
    await opens(sea, sea.anna)
    assert "30 days" not in text_of(sea.channel.last_message)


async def test_lobbies_without_words_of_others_are_called_off_freely(sea: Sea) -> None:
    for _ in range(3):
        game = await opens(sea, sea.anna)
        await sea.command(sea.bela, "join", game=str(game))
        await adds_word(sea, sea.anna, game, "reef")
        assert EN.say("say.costs_bar") not in await calls_off(sea, sea.anna, game)
    assert not sea.rows("acts")["acts"]
    # Nor does a guest bar the host who adds a word, leaves, and so makes the host call the lobby off.
    for _ in range(2):
        game = await filled(sea, sea.anna, sea.cili)
        await sea.command(sea.cili, "leave", game=str(game))
        await calls_off(sea, sea.anna, game)
    assert await opens(sea, sea.anna)


async def test_a_guest_who_leaves_when_the_words_are_in_is_mentioned(sea: Sea) -> None:
    """Bela knows the seed and leaves lobbies whose dice do not suit; Anna can only call them off."""
    for _ in range(2):
        game = await opens(sea, sea.anna)
        await sea.command(sea.bela, "join", game=str(game))
        await adds_word(sea, sea.anna, game, "reef")
        assert EN.say("say.left_words") in await sea.command(sea.bela, "leave", game=str(game))
        await calls_off(sea, sea.anna, game)
    game = await opens(sea, sea.anna)
    assert game
    await sea.command(sea.bela, "join", game=str(game))
    assert says(text_of(sea.channel.last_message), 2, 0, "bela")
    assert says(text_of(sea.channel.last_message), 0, 0), "only Bela's words are thrown away by others"


async def test_a_captain_who_is_removed_with_their_word_counts_for_who_removed_them(sea: Sea) -> None:
    for _ in range(2):
        game = await filled(sea, sea.anna, sea.bela)
        assert EN.say("say.costs_bar") in await removes(sea, sea.anna, game, "bela")
        await calls_off(sea, sea.anna, game)
    assert not await opens(sea, sea.anna)


async def test_a_rematch_is_no_way_around(sea: Sea) -> None:
    game = await opens(sea, sea.anna)
    await sea.command(sea.bela, "join", game=str(game))
    await sea.command(sea.anna, "start", game=str(game))
    await sea.concede(sea.bela)
    await twice(sea)
    games = len(sea.rows("games")["games"])
    with pytest.raises(Refusal, match="abandoning"):
        await sea.bot.services.lobbies.open_or_join_rematch(
            Player(user_id=sea.anna.id, name="anna", locale="en"), game, roles=(), manager=False
        )
    assert len(sea.rows("games")["games"]) == games


async def is_forgotten(sea: Sea, who: Any) -> None:
    await sea.bot.services.privacy.forget_user(who.id)
    await sea.settle()


@pytest.mark.proves("F5")
async def test_a_host_who_is_forgotten_throws_away_no_more_dice_than_others(sea: Sea) -> None:
    """One account threw away 13 lobbies in an hour: **Forget me** cancels them, and deleted that they counted."""
    for _ in range(2):
        assert await filled(sea, sea.anna, sea.bela)
        await is_forgotten(sea, sea.anna)
    until = sea.bot.services.lobbies.now() + DAY_S
    assert f"<t:{until}:R>" in await sea.command(sea.anna, "new")
    await is_forgotten(sea, sea.anna)
    assert not await opens(sea, sea.anna), "somebody who is barred and forgotten is barred"
    assert await opens(sea, sea.anna, rated=False)
    assert says(text_of(sea.channel.last_message), 2, 0)


@pytest.mark.proves("F5")
async def test_a_guest_who_is_forgotten_throws_away_no_more_dice_than_others(sea: Sea) -> None:
    game = await opens(sea, sea.anna)
    await adds_word(sea, sea.anna, game, "reef")
    for _ in range(2):
        await sea.command(sea.bela, "join", game=str(game))
        await is_forgotten(sea, sea.bela)
    await sea.command(sea.bela, "join", game=str(game))
    assert says(text_of(sea.channel.last_message), 2, 0, "bela")


async def test_what_counts_for_a_forgotten_person_names_nobody_and_is_deleted_in_time(sea: Sea) -> None:
    await filled(sea, sea.anna, sea.bela)
    await is_forgotten(sea, sea.anna)
    tallies = [tally for tally in sea.rows("tallies")["tallies"] if tally["user_id"] != sea.bela.id]
    assert [tally["kind"] for tally in tallies] == ["opening", "abandoned"]
    assert all(tally["user_id"] < 0 for tally in tallies)
    assert str(sea.anna.id) not in str(sea.everything())
    await sea.env.advance_time(31 * DAY_S)
    await opens(sea, sea.bela)  # what has expired is deleted when something is counted
    assert [tally["user_id"] for tally in sea.rows("tallies")["tallies"]] == [sea.bela.id]
    assert not [row for row in sea.rows("kept_facts")["kept_facts"] if row["key"].startswith("forgotten.")]


async def test_a_lobby_that_the_operator_deletes_counts_for_its_host(sea: Sea) -> None:
    """The operator knows the seed, and words of others are in: to delete the lobby throws its dice away."""
    games = [await filled(sea, sea.anna, sea.bela), await filled(sea, sea.anna, sea.bela)]
    await calls_off(sea, sea.anna, games[0])
    for game in games:
        assert not (await ask(sea, "delete_game", target_id=game)).refused
    assert not sea.rows("games")["games"]
    assert await opens(sea, sea.anna)
    assert says(text_of(sea.channel.last_message), 1, 1)


@pytest.mark.proves("F5")
@pytest.mark.parametrize("is_host", [True, False])
async def test_who_gives_two_games_up_before_playing_them_opens_no_rated_game_for_a_day(
    sea: Sea, *, is_host: bool
) -> None:
    """The dice of a game are fixed by the words: who knows the seed could give up until they suit, at no cost."""
    quitter, honest = (sea.anna, sea.bela) if is_host else (sea.bela, sea.anna)
    for _ in range(2):
        await begin_with_words_and_concede(sea, quitter)
    assert "given up early 2 games" in await sea.command(quitter, "new")
    assert await opens(sea, honest)


async def begin_with_words_and_concede(sea: Sea, quitter: Any) -> None:
    game = await opens(sea, sea.anna)
    await sea.command(sea.bela, "join", game=str(game), word="reef")
    await adds_word(sea, sea.anna, game, "tide")
    await adds_word(sea, sea.bela, game, "reef")
    await sea.command(sea.anna, "start", game=str(game))
    await sea.concede(quitter, game)


async def test_who_gives_up_a_game_that_both_have_played_is_not_counted(sea: Sea) -> None:
    for _ in range(2):
        game = await opens(sea, sea.anna)
        await sea.command(sea.bela, "join", game=str(game), word="reef")
        sea.change_rows("UPDATE games SET setup = json_set(setup, '$.position', ?) WHERE phase = 'lobby'", AFAR)
        await sea.command(sea.anna, "start", game=str(game))
        for _ in range(MIN_ROUNDS):
            for who, letter in ((sea.anna, "A"), (sea.bela, "B")):
                await sea.seal(who, f"#{game} {letter}1 RRXRR")
        await sea.concede(sea.anna, game)
    assert await opens(sea, sea.anna)


@pytest.mark.proves("F5")
async def test_a_manager_who_ends_lobbies_bars_no_host_but_the_next_lobby_mentions_it(sea: Sea) -> None:
    """Dora manages the server, and Bela is her second account: Anna has thrown nothing away herself."""
    dora = sea.manager()
    for _ in range(2):
        game = await filled(sea, sea.anna, sea.bela)
        await sea.command(dora, "host end", game=str(game))
    assert await opens(sea, sea.anna)
    assert says(text_of(sea.channel.last_message), 0, 2)


async def test_nobody_keeps_an_unrated_lobby_from_starting_by_joining_and_leaving(sea: Sea) -> None:
    """Each time all others must send their words again."""
    game = await opens(sea, sea.anna, rated=False)
    for _ in range(MAX_AT_ONCE):
        await sea.command(sea.bela, "join", game=str(game), word="tide")
        await sea.bot.services.lobbies.leave_lobby(sea.bela.id, game)
    await sea.command(sea.bela, "join", game=str(game), word="tide")
    seats = [seat["user_id"] for seat in sea.rows("seats")["seats"]]
    assert sea.bela.id not in seats
    await sea.command(sea.cili, "join", game=str(game))
    assert sea.cili.id in [seat["user_id"] for seat in sea.rows("seats")["seats"]]


def rated(sea: Sea) -> bool:
    return bool(sea.rows("games")["games"][-1]["rated"])


async def press_rated(sea: Sea, host: Any) -> None:
    page = next(message for message in reversed(sea.channel.history()) if "rating 1" in refs(message))
    await sea.click(host, page, refs(page)["rating 1"])


async def bar(sea: Sea, host: Any, guest: Any) -> None:
    """Bar a host from rated games for a day: they call two lobbies off with words of the guest."""
    for _ in range(2):
        await calls_off(sea, host, await filled(sea, host, guest))


@pytest.mark.proves("F5")
@pytest.mark.parametrize(
    ("language", "text"),
    [("en", "You can open and begin a rated game again"), ("hu", "Értékszámosat ekkortól nyithatsz és indíthatsz")],
)
async def test_a_barred_hosts_unrated_lobby_does_not_become_rated(sea: Sea, language: str, text: str) -> None:
    """Barred, a host threw away the dice of seven more lobbies: unrated ones, in which **Rated** was pressed."""
    await bar(sea, sea.bela, sea.member("dan"))
    until = max(row["at"] for row in sea.rows("tallies")["tallies"] if row["kind"] == "abandoned") + DAY_S
    sea.languages[sea.bela.id] = language
    game = await opens(sea, sea.bela, rated=False)
    await sea.command(sea.anna, "join", game=str(game))
    await press_rated(sea, sea.bela)
    assert text in sea.answers[-1].content
    assert f"<t:{until}" in sea.answers[-1].content
    assert not rated(sea)
    await sea.command(sea.bela, "start", game=str(game))
    assert sea.rows("games")["games"][-1]["phase"] == "running"


@pytest.mark.proves("F5")
async def test_a_host_who_has_been_barred_since_begins_no_rated_lobby_and_a_guest_harms_nobody(sea: Sea) -> None:
    """A host opened ten empty rated lobbies first, and was barred after the second."""
    dan = sea.member("dan")
    own, other = await opens(sea, sea.bela), await opens(sea, sea.cili)
    for game in (own, other):
        await sea.command(sea.anna if game == own else sea.bela, "join", game=str(game))
    await bar(sea, sea.bela, dan)

    def phase(game: int) -> str:
        return next(str(row["phase"]) for row in sea.rows("games")["games"] if row["id"] == game)

    assert "You can open and begin a rated game again" in await sea.command(sea.bela, "start", game=str(own))
    await sea.command(sea.cili, "start", game=str(other))
    assert (phase(own), phase(other)) == ("lobby", "running")
    await sea.bot.services.lobbies.choose_rating(sea.bela.id, own, rated=False)
    await sea.command(sea.bela, "start", game=str(own))
    assert phase(own) == "running"


async def test_a_barred_captain_may_start_a_rated_lobby_with_the_computer_as_that_is_not_rated(sea: Sea) -> None:
    dan = sea.member("dan")
    game = await opens(sea, sea.bela)
    await bar(sea, sea.bela, dan)
    await sea.command(sea.bela, "start", game=str(game))
    assert {row["phase"] for row in sea.rows("games")["games"] if row["id"] == game} == {"running"}


def thrown_away(sea: Sea, who: Any, *kinds: str) -> list[int | None]:
    """Return the games that count for a captain, of these kinds of tallies or for their own acts; negative: lobbies."""
    return [
        row["about_game"]
        for row in sea.rows("tallies")["tallies"]
        if row["kind"] in (kinds or ("abandoned", "ended")) and row["user_id"] == who.id
    ]


async def begin_with_words(sea: Sea, *, is_match: bool = False, position: str = AFAR, **options: Any) -> int:
    """Begin a game of Anna and Bela, far apart, with a word of each."""
    game = await opens(sea, sea.anna, **{"phase": "6h", **options})
    await sea.command(sea.bela, "join", game=str(game))
    await sea.bot.services.lobbies.choose_match(sea.anna.id, game, is_match=is_match)
    for who in (sea.anna, sea.bela, sea.anna):
        await adds_word(sea, who, game, f"word of {who.name}")
    sea.change_rows("UPDATE games SET setup = json_set(setup, '$.position', ?) WHERE phase = 'lobby'", position)
    await sea.bot.services.lobbies.start_game(sea.anna.id, game)
    await sea.settle()
    return game


async def concedes(sea: Sea, who: Any, game: int) -> None:
    await sea.concede(who, game)


async def leaves_seat_to_computer(sea: Sea, who: Any, game: int) -> None:
    await sea.command(who, "host kick", game=str(game), whose=who.name, to_computer=True)


async def leaves_seat_empty(sea: Sea, who: Any, game: int) -> None:
    await sea.command(who, "host kick", game=str(game), whose=who.name)


async def misses_deadlines(sea: Sea, who: Any, game: int) -> None:
    await play_rounds(sea, game, 2, sea.bela if who == sea.anna else sea.anna)


WAYS = [concedes, leaves_seat_to_computer, leaves_seat_empty, misses_deadlines]


@pytest.mark.proves("F5")
@pytest.mark.parametrize("give_up", WAYS)
@pytest.mark.parametrize("options", [{}, {"rated": False}])
async def test_every_way_of_giving_a_game_up_early_counts_at_once_and_once(
    sea: Sea, give_up: Any, options: dict[str, Any]
) -> None:
    """An own seat left to the computer, and games made unrated, let a host try dice without end."""
    game = await begin_with_words(sea, **options)
    await give_up(sea, sea.anna, game)
    assert thrown_away(sea, sea.anna) == [game]
    if give_up is not concedes:
        await sea.bot.services.concede_game(sea.bela.id, game)
        await sea.settle()
    assert sea.rows("games")["games"][-1]["phase"] == "over"
    assert thrown_away(sea, sea.anna) == [game]
    assert not thrown_away(sea, sea.bela, "abandoned"), "nobody else plays on, so nobody loses the dice"


@pytest.mark.proves("F5")
@pytest.mark.parametrize("give_up", WAYS)
async def test_who_gives_up_what_both_have_played_has_thrown_nothing_away(sea: Sea, give_up: Any) -> None:
    game = await begin_with_words(sea)
    await play_rounds(sea, game, MIN_ROUNDS, sea.anna, sea.bela)
    await give_up(sea, sea.anna, game)
    assert not thrown_away(sea, sea.anna)


@pytest.mark.proves("F5")
async def test_a_game_that_computers_joined_is_given_up_like_any_other(sea: Sea) -> None:
    game = await opens(sea, sea.anna, captains="2")
    await sea.command(sea.bela, "join", game=str(game), word="reef")
    await sea.bot.services.lobbies.start_game(sea.anna.id, game)
    await sea.settle()
    await sea.concede(sea.anna, game)
    await sea.concede(sea.bela, game)
    assert (thrown_away(sea, sea.anna), thrown_away(sea, sea.bela)) == ([game], [])


@pytest.mark.proves("F5")
@pytest.mark.parametrize("quitter_of_second", ["anna", "bela"])
async def test_each_game_of_a_match_is_given_up_at_once_and_a_match_counts_once(
    sea: Sea, quitter_of_second: str
) -> None:
    first = await begin_with_words(sea, is_match=True)
    await sea.concede(sea.anna, first)
    assert thrown_away(sea, sea.anna) == [first]
    second = sea.rows("games")["games"][-1]["id"]
    assert second != first
    await sea.concede(getattr(sea, quitter_of_second), second)
    assert thrown_away(sea, sea.anna) == [first]
    assert thrown_away(sea, sea.bela) == ([second] if quitter_of_second == "bela" else [])


@pytest.mark.proves("F5")
async def test_a_season_that_goes_on_without_who_gave_it_up_counts_at_once(sea: Sea) -> None:
    """They were counted when the season ended, weeks later."""
    await three(sea, words=True)
    await sea.concede(sea.anna, 1)
    assert sea.rows("games")["games"][0]["phase"] == "running"
    assert thrown_away(sea, sea.anna) == [1]


async def test_who_takes_a_concession_back_or_returns_has_thrown_nothing_away(sea: Sea) -> None:
    await three(sea, words=True, early=True)
    await sea.concede(sea.anna, 1)
    assert thrown_away(sea, sea.anna) == [1]
    await sea.command(sea.manager(), "host undo", game="1")
    await sea.settle()
    assert not thrown_away(sea, sea.anna)
    seat = sea.rows("seats")["seats"][0]
    sea.change_rows("UPDATE seats SET missed = 9 WHERE user_id = ?", sea.anna.id)
    await pass_a_turn(sea)
    assert sea.rows("seats")["seats"][0]["offered_at"] != seat["offered_at"]
    assert thrown_away(sea, sea.anna) == [1]
    await sea.seal(sea.anna, "repair all")
    assert thrown_away(sea, sea.anna) == [1], "no press takes that back, but orders do"
    await pass_a_turn(sea)
    assert not thrown_away(sea, sea.anna)


@pytest.mark.proves("F5")
async def test_a_captain_answers_for_a_friend_who_got_their_seat(sea: Sea) -> None:
    game = await begin_with_words(sea)
    await sea.command(sea.anna, "host replace", game=str(game), whose="anna", substitute=sea.cili)
    assert not thrown_away(sea, sea.anna), "the friend may play on"
    await sea.concede(sea.cili, game)
    assert thrown_away(sea, sea.anna) == [game]


@pytest.mark.proves("F5")
async def test_only_words_of_others_are_thrown_away(sea: Sea) -> None:
    game = await opens(sea, sea.anna)
    await sea.command(sea.bela, "join", game=str(game), word="reef")
    await sea.command(sea.anna, "start", game=str(game))
    await sea.command(sea.anna, "host replace", game=str(game), whose="bela", substitute=sea.cili)
    await sea.concede(sea.bela, game)
    assert not thrown_away(sea, sea.bela)


async def order_until_the_end(sea: Sea, who: Any) -> None:
    """Let the ram of a galley strike one with a single oar a side, which nobody orders in person."""
    for _ in range(MIN_ROUNDS):
        if sea.rows("games")["games"][-1]["phase"] == "running":
            await sea.seal(who, "A1 FFFFF")
            await pass_deadline(sea, sea.rows("games")["games"][-1]["id"])
            await sea.settle()
    assert sea.rows("games")["games"][-1]["phase"] == "over"


@pytest.mark.proves("F5")
async def test_who_never_orders_and_loses_by_the_rules_has_given_the_game_up(sea: Sea) -> None:
    game = await begin_with_words(sea, position=DOOMED, missed="hold")
    await order_until_the_end(sea, sea.anna)
    assert thrown_away(sea, sea.bela) == [game]
    assert not thrown_away(sea, sea.anna)


@pytest.mark.proves("F5")
async def test_a_captain_who_throws_more_dice_away_is_barred_for_longer(sea: Sea) -> None:
    """Ten lobbies were opened at first, all filled, and all but the best called off for the bar of one day."""
    games = [await opens(sea, sea.anna) for _ in range(5)]
    for game in games:
        await sea.command(sea.bela, "join", game=str(game))
        await adds_word(sea, sea.bela, game, "tide")
    for game in games[1:]:
        await calls_off(sea, sea.anna, game)
    await sea.env.advance_time(3 * DAY_S - 600)
    assert not await opens(sea, sea.anna)
    await sea.env.advance_time(1_200)
    assert await opens(sea, sea.anna), "three days: one for each but the first"


@pytest.mark.proves("F5")
async def test_a_lobby_that_was_opened_before_says_what_happened_since_when_somebody_joins_or_it_begins(
    sea: Sea,
) -> None:
    unrated = await opens(sea, sea.anna, rated=False)
    await calls_off(sea, sea.anna, await filled(sea, sea.anna, sea.bela))
    await sea.command(sea.bela, "join", game=str(unrated))
    shown = next(text_of(message) for message in sea.channel.history() if f"#{unrated} " in text_of(message))
    assert says(shown, 1, 0)
    await calls_off(sea, sea.anna, await filled(sea, sea.anna, sea.bela))
    await sea.command(sea.anna, "start", game=str(unrated))
    assert says(sea.told(), 2, 0)


@pytest.mark.proves("F5")
async def test_a_game_that_a_referee_spoiled_and_that_is_then_given_up_counts_as_given_up(sea: Sea) -> None:
    game = await begin_with_words(sea)
    await sea.command(sea.manager(), "host kick", game=str(game), whose="bela")
    kinds = ("by_others", "ended", "abandoned")
    assert [thrown_away(sea, sea.anna, kind) for kind in kinds] == [[game], [], []]
    await sea.command(sea.cili, "substitute", game=str(game))
    await sea.concede(sea.anna, game)
    assert [thrown_away(sea, sea.anna, kind) for kind in kinds] == [[], [], [game]]


async def departs(sea: Sea, who: Any) -> None:
    await sea.bot.services.absence.offer_seats_of_departed(who.id, sea.guild.id)
    await sea.settle()


@pytest.mark.proves("F5")
async def test_a_second_account_that_comes_and_goes_harms_nobody_more_than_once_a_lobby(sea: Sea) -> None:
    """It joined nine times with a word and left the server: host and guest were mentioned nine times, it was not."""
    dan = sea.member("dan")
    game = await opens(sea, sea.bela, system="campaign", players="4")
    await sea.command(dan, "join", game=str(game), word="reef")
    for number in range(3):
        await sea.command(sea.cili, "join", game=str(game), word=f"tide {number}")
        await departs(sea, sea.cili)
    assert [thrown_away(sea, who) for who in (sea.bela, dan, sea.cili)] == [[], [], [-game] * 3]
    assert [thrown_away(sea, who, "by_others") for who in (sea.bela, dan, sea.cili)] == [[-game], [-game], []]


@pytest.mark.proves("F5")
async def test_who_manages_the_server_harms_nobody_more_than_once_a_lobby(sea: Sea) -> None:
    """A manager removed a second account with a word six times from a lobby of others."""
    dora, game = sea.manager(), await opens(sea, sea.anna, captains="2")
    await sea.command(sea.bela, "join", game=str(game), word="reef")
    for who in (sea.cili, sea.member("dan")):
        await sea.command(who, "join", game=str(game), word="tide")
        await sea.command(dora, "host kick", game=str(game), whose=who.name)
    assert [thrown_away(sea, who) for who in (sea.anna, sea.bela)] == [[], []]
    assert [thrown_away(sea, who, "by_others") for who in (sea.anna, sea.bela)] == [[-game], [-game]]


@pytest.mark.proves("F5")
async def test_a_guest_who_never_agrees_has_a_number_and_bars_no_host_who_waits_a_day(sea: Sea) -> None:
    """In lobbies whose dice did not suit, Bela never agreed: seven bars for four hosts, and nothing for Bela."""
    hosts, games = (sea.anna, sea.cili), []
    for host in hosts:
        for _ in range(2):
            games.append((host, game := await opens(sea, host)))
            await sea.command(sea.bela, "join", game=str(game), word="tide")
            await adds_word(sea, host, game, "reef")
    await sea.env.advance_time(DAY_S + 60)
    for number, (host, game) in enumerate(games):
        await (removes(sea, host, game, "bela") if number % 2 else calls_off(sea, host, game))
    assert not thrown_away(sea, sea.bela), "others may have asked for the word again"
    assert thrown_away(sea, sea.bela, "by_others") == [-game for _, game in games]
    assert [len(thrown_away(sea, host, "ended")) for host in hosts] == [2, 2]
    assert all([await opens(sea, host) for host in hosts])


@pytest.mark.proves("F5")
@pytest.mark.parametrize(
    ("language", "text"), [("en", "Someone removed you from this game"), ("hu", "Valaki kivett ebből a játszmából")]
)
async def test_a_captain_who_was_removed_stays_out_of_that_lobby_for_a_day(sea: Sea, language: str, text: str) -> None:
    """Removed eight times, Bela joined again each time, and the host was barred for a week."""
    sea.languages[sea.bela.id] = language
    game = await filled(sea, sea.anna, sea.bela)
    assert "They can't join it again for 24 hours" in await removes(sea, sea.anna, game, "bela")
    until = next(row["until"] for row in sea.rows("tallies")["tallies"] if row["kind"] == "removed")
    for word in ({"word": "tide"}, {}):  # without a word a form would open
        answer = await sea.command(sea.bela, "join", game=str(game), **word)
        assert text in answer
        assert f"<t:{until}:R>" in answer
    await is_forgotten(sea, sea.bela)
    assert text in await sea.command(sea.bela, "join", game=str(game), word="tide")
    await sea.env.advance_time(DAY_S)
    await sea.command(sea.bela, "join", game=str(game), word="tide")
    assert sea.bela.id in [seat["user_id"] for seat in sea.rows("seats")["seats"]]


@pytest.mark.parametrize("language", ["en", "hu"])
async def test_a_host_is_asked_before_a_removal_counts(sea: Sea, language: str) -> None:
    sea.languages[sea.anna.id] = language
    catalogue, game = Catalogue.load(language), await filled(sea, sea.anna, sea.bela)
    question = await sea.command(sea.anna, "host kick", game=str(game), whose="bela")
    asked = sea.answers[-1]
    assert catalogue.say("say.costs_bar") in question
    await sea.env.advance_time(DAY_S)
    for command, verb in (("host kick", "remove"), ("host cancel", "leave sure")):
        options = {"whose": "bela"} if verb == "remove" else {}
        assert catalogue.say("say.costs_mention") in await sea.command(sea.anna, command, game=str(game), **options)
        cheap = sea.answers[-1]
        await adds_word(sea, sea.bela, game, f"word before {verb}")  # so that it costs more than the question said
        assert catalogue.say("say.costs_bar") in await sea.press(sea.anna, cheap, verb)
        await sea.env.advance_time(DAY_S)
    assert not thrown_away(sea, sea.anna)
    await sea.command(sea.bela, "leave", game=str(game))
    assert catalogue.say("refuse.no_captain_there") in await sea.press(sea.anna, asked, "remove")
    await sea.command(sea.cili, "join", game=str(game))
    assert catalogue.say("say.kicked") in await sea.command(sea.anna, "host kick", game=str(game), whose="cili")
    assert not thrown_away(sea, sea.anna), "without her word the dice stay"


async def test_words_are_changed_only_so_often_and_the_same_word_always_agrees(sea: Sea) -> None:
    """Each change asks all others again."""
    game = await filled(sea, sea.anna, sea.bela)
    for number in range(MAX_AT_ONCE):
        await adds_word(sea, sea.anna, game, f"reef {number}")
    with pytest.raises(Refusal, match="posted_too_often"):
        await adds_word(sea, sea.anna, game, "another")
    await adds_word(sea, sea.anna, game, f"reef {number}")


async def test_the_thread_says_how_often_a_substitute_has_thrown_dice_away(sea: Sea) -> None:
    await calls_off(sea, sea.cili, await filled(sea, sea.cili, sea.bela))
    game = await begin_with_words(sea)
    await sea.command(sea.anna, "host replace", game=str(game), whose="anna", substitute=sea.cili)
    assert says(sea.told(), 1, 0, "cili")
