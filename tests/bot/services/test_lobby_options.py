"""A game's own options, in its lobby's message: its host chooses, everybody sees it, nobody loses a seat by it."""

from __future__ import annotations

import asyncio
import json

import pytest
from msgspec import structs

from bot.discord.ids import CustomId
from bot.discord.messages import paging
from bot.discord.messages.board import BlockSize
from bot.errors import Refusal
from bot.lifecycle.steps.playing import SeatedGame
from bot.presenters import lobby as telling
from bot.services import options
from bot.store.models.records import Player
from bot.texts.i18n import Catalogue, Localizer
from rules.core.errors import OrderError
from rules.core.protocol import Request
from rules.core.registry import RULESETS
from tests.fuzz.forger import Forger
from tests.laws.panels import asked
from tests.sea import SHARED, Sea, parts, refs, text_of

SPECS = {spec.key: spec for spec in RULESETS["matchbox"].options}
EN, HU = Catalogue.load("en", "matchbox"), Catalogue.load("hu", "matchbox")


def named(key: str, value: str) -> str:
    return telling.name_value(Localizer(EN), key, value).name


async def test_the_host_chooses_and_everybody_sees_what_changed(sea: Sea) -> None:
    await sea.command(sea.anna, "new")
    pages = [sea.channel.last_message]
    while (more := f"options {len(pages)}") in refs(pages[-1]):
        await sea.press(sea.anna, pages[-1], more)
        pages.append(sea.answers[-1] if len(pages) == 1 else sea.again(sea.anna, pages[-1]))
    assert len(pages) > 1
    assert all(page.flags.ephemeral for page in pages[1:])
    assert sorted(key for page in pages for key in refs(page) if key.startswith("option ")) == sorted(
        f"option {key}"
        for key in SPECS
        if key != "crews"  # there are none without points
    )
    lists = [part for page in pages for part in parts(page)]
    shown = [option.label for part in lists for option in getattr(part, "options", []) if option.default]
    assert "Galleys for each captain: 2" in shown
    await sea.command(sea.bela, "join")
    assert not await sea.choose(sea.anna, "galleys", "3")
    text = text_of(sea.channel.last_message)
    assert "Galleys for each captain: 3" in text
    assert EN.say("lobby.changed", option=EN.say("option.galleys"), now="3", before="2") in text
    assert EN.say("refuse.not_host") in await sea.choose(sea.bela, "galleys", "1")
    await sea.restart()
    assert "Galleys for each captain: 3" in text_of(sea.channel.last_message)
    await sea.command(sea.anna, "start")
    assert sea.rows("games")["games"][0]["setup"].count('"galleys":"3"') == 1
    closed = text_of(sea.channel.last_message)
    assert not [key for key in refs(sea.channel.last_message) if key.startswith("option")]
    assert "before: 2" not in closed
    # Nothing changes any more, by a button that was kept either.
    forged = CustomId(verb="option", game=1, token="galleys").pack()
    assert EN.say("refuse.already_started") in await Forger(sea, sea.anna).press(forged, values=["1"])


async def test_a_scenario_settles_what_its_lobby_no_longer_offers(sea: Sea) -> None:
    await sea.command(sea.anna, "new")
    assert not await sea.choose(sea.anna, "map", "strait")
    assert not await sea.choose(sea.anna, "points", "36")
    page = await sea.turned_by_host(sea.channel.last_message, "option crews")
    assert "option galleys" not in {*refs(sea.channel.last_message), *refs(page)}, "points decide how many there are"
    page = await sea.turned_by_host(sea.channel.last_message, "option scenario")
    with sea.speaking(sea.anna):
        await sea.anna.select(page, ["raid"], custom_id=refs(page)["option scenario"].pack())
    await sea.env.settle()
    page = sea.again(sea.anna, page)
    assert "option scenario" in refs(page), "the list stays in sight, wherever it is now"
    assert "option boarding" in refs(await sea.turned_by_host(sea.channel.last_message, "option boarding"))
    assert not {"option map", "scenario"} & {*refs(page), *refs(sea.channel.last_message)}, "it has its own map"
    text = text_of(sea.channel.last_message)
    for key, value in (("scenario", "raid"), ("boarding", "on")):
        assert f"{EN.say(f'option.{key}')}: {named(key, value)}" in text
    about = EN.say("option.scenario.raid").partition(": ")[2]
    assert f"About raid: {about}" in text, "who joins reads it, too"
    assert text.count(named("map", "strait")) == text.count(EN.say("lobby.dropped", was="")[:-1]) == 1
    assert EN.say("option.galleys") not in text
    # What each side has to do stands in its first panel, above what is asked, while nothing is ordered.
    await sea.command(sea.bela, "join")
    await sea.command(sea.anna, "start")
    goals = {EN.say(f"goal.raid.{side}", enough=4, rounds=12) for side in ("south", "north")}
    assert {text_of(sea.panel(who)).splitlines()[1] for who in (sea.anna, sea.bela)} == {f"> {one}" for one in goals}


async def test_a_lobby_shows_the_chart_of_what_is_chosen(sea: Sea) -> None:
    await sea.command(sea.anna, "new")
    assert not sea.channel.last_message.attachments
    assert not await sea.choose(sea.anna, "map", "strait")
    (chart,) = sea.channel.last_message.attachments
    assert chart.description.startswith(EN.say("option.map.strait"))
    assert "islands at" in chart.description
    assert not await sea.choose(sea.anna, "scenario", "raid")
    (chart,) = sea.channel.last_message.attachments
    assert "Raid: the town" in chart.description
    dropped = f"{EN.say('option.map')}: {named('map', 'strait')}"
    assert EN.say("lobby.dropped", was=dropped) in text_of(sea.channel.last_message)
    assert not await sea.choose(sea.anna, "scenario", "none")
    assert not sea.channel.last_message.attachments
    assert EN.say("lobby.dropped", was=dropped) not in text_of(sea.channel.last_message)


async def test_a_host_sees_all_maps_before_choosing_one(sea: Sea) -> None:
    await sea.command(sea.anna, "new")
    maps = [value for value in SPECS["map"].values if value != "none"]
    for sea.languages[sea.anna.id], catalogue in (("en-US", EN), ("hu", HU)):
        page = await sea.turned_by_host(sea.channel.last_message, "charts map")
        await sea.press(sea.anna, page, "charts map")
        shown = sea.answers[-1]
        assert shown.flags.ephemeral
        names = [catalogue.say(f"option.map.{value}") for value in maps]
        assert [chart.description.partition("\n")[0] for chart in shown.attachments] == names
        assert all(name in text_of(shown) for name in names)
        assert [*refs(shown)] == ["option map"], "what was looked at can be chosen there"
    nothing = await Forger(sea, sea.anna).press(CustomId(verb="charts", game=1, token="galleys").pack())
    assert EN.say("refuse.option", option="galleys", value="–", allowed="map, scenario") in nothing


async def test_what_nobody_offers_is_refused_in_words(sea: Sea) -> None:
    await sea.command(sea.anna, "new")
    forger = Forger(sea, sea.anna)
    for key, value in (("galleys", "9"), ("galleys", ""), ("kraken", "1"), ("", ""), ("captains", "99")):
        assert await forger.press(CustomId(verb="option", game=1, token=key).pack(), values=[value or "x"])
    assert await Forger(sea, sea.bela).press(CustomId(verb="options", game=1, token="7").pack())
    assert not sea.faults
    assert '"galleys":"2"' in sea.rows("games")["games"][0]["setup"]


async def test_more_captains_keep_their_seats_and_words_and_nobody_is_thrown_out(sea: Sea) -> None:
    await sea.command(sea.anna, "new", opponent=sea.bela)
    await sea.command(sea.bela, "join")
    await sea.bot.services.lobbies.add_word(sea.anna.id, 1, "amphora")
    await sea.choose(sea.anna, "captains", "2")
    await sea.command(sea.cili, "join")
    seats = sea.rows("seats")["seats"]
    assert [seat["user_id"] for seat in seats] == [sea.anna.id, sea.bela.id, sea.cili.id, None]
    assert [(seat["team"], seat["word"]) for seat in seats] == [(0, "amphora"), (1, None), (0, None), (1, None)]
    assert EN.say("refuse.seat_taken", who="cili") in await sea.choose(sea.anna, "captains", "1")
    assert sea.rows("seats")["seats"] == seats
    await sea.command(sea.bela, "leave")
    await sea.command(sea.cili, "leave")
    assert not await sea.choose(sea.anna, "captains", "1")
    assert [seat["user_id"] for seat in sea.rows("seats")["seats"]] == [sea.anna.id, None]


async def test_a_captain_whose_seat_goes_gets_the_next_of_their_side(sea: Sea) -> None:
    await sea.command(sea.anna, "new", captains=2)
    await sea.press(sea.bela, sea.channel.last_message, "join 1")
    await sea.press(sea.cili, sea.channel.last_message, "join 1")
    await sea.bot.services.lobbies.add_word(sea.cili.id, 1, "rostrum")
    await sea.command(sea.bela, "leave")
    await sea.choose(sea.anna, "captains", "1")
    seats = sea.rows("seats")["seats"]
    assert [(seat["user_id"], seat["word"]) for seat in seats] == [(sea.anna.id, None), (sea.cili.id, "rostrum")]
    assert "Something changed after" in await sea.command(sea.anna, "start")
    await sea.bot.services.lobbies.add_word(sea.cili.id, 1, "rostrum")
    await sea.command(sea.anna, "start")
    assert sea.thread


async def test_as_many_captains_a_side_as_are_invited(sea: Sea) -> None:
    await sea.command(sea.anna, "new", opponent=sea.bela, opponent2=sea.cili, computer=1)
    seats = sea.rows("seats")["seats"]
    assert [seat["kept_for"] for seat in seats] == [None, sea.bela.id, sea.cili.id, None]
    assert [seat["computer"] for seat in seats] == [0, 0, 0, 1]


async def test_what_cannot_begin_says_so_before_it_is_tried(sea: Sea) -> None:
    sea.languages[sea.anna.id] = "hu"
    await sea.command(sea.anna, "new")
    await sea.choose(sea.anna, "galleys", "8")
    await sea.choose(sea.anna, "captains", "4")
    assert "MB-2.3" in text_of(sea.channel.last_message)
    assert "MB-2.3" in await sea.command(sea.anna, "start")
    await sea.choose(sea.anna, "captains", "1")
    await sea.choose(sea.anna, "table", "banquet")
    assert "MB-2.3" not in text_of(sea.channel.last_message)


async def test_more_options_than_fit_stand_on_pages_for_the_host(sea: Sea, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paging, "MESSAGE_ROOM", BlockSize(17, 4000))
    await sea.command(sea.anna, "new", system="forts")
    lobby = sea.channel.last_message
    before = text_of(lobby)
    assert "option colours" not in refs(lobby)
    assert EN.say("refuse.not_host") in await sea.click(sea.bela, lobby, refs(lobby)["options 1"])
    await sea.press(sea.anna, lobby, "options 1")
    (own,) = sea.answers
    assert own.flags.ephemeral
    assert not {"join 1", "leave", "word"} & refs(own).keys()
    assert "option colours" not in refs(own)
    assert not await sea.press(sea.anna, own, "options 2")
    own = sea.again(sea.anna, own)
    assert "option colours" in refs(own)
    assert text_of(sea.channel.last_message) == before  # nobody else's page was turned
    assert "join 1" in refs(sea.channel.last_message)
    await sea.anna.select(own, ["first"], custom_id=refs(own)["option colours"].pack())
    await sea.settle()
    own = sea.again(sea.anna, own)
    assert "option colours" in refs(own)  # the same page
    for message in (own, sea.channel.last_message):
        assert "before" in text_of(message)
    await sea.press(sea.anna, lobby, "options 1")
    (own,) = sea.answers  # in place of the one before
    await sea.press(sea.anna, own, "options 0")
    assert not sea.answers  # it goes with Back
    await sea.press(sea.anna, lobby, "options 1")
    (own,) = sea.answers
    await sea.press(sea.anna, own, "options 2")
    own = sea.again(sea.anna, own)
    await sea.restart()
    await sea.command(sea.bela, "join")
    assert "bela" in text_of(sea.channel.last_message)
    assert EN.say("refuse.lobby_changed") in await sea.press(sea.anna, own, "start")  # it still says "with 1 computer"
    assert "bela" in text_of(sea.channel.last_message)
    assert sea.rows("games")["games"][0]["phase"] == "lobby"
    own = sea.again(sea.anna, own)
    await sea.command(sea.anna, "start")
    assert EN.say("refuse.already_started") in await sea.press(sea.anna, own, "start")


def test_two_games_may_have_options_of_one_name_with_other_values() -> None:
    matchbox, forts = RULESETS["matchbox"], RULESETS["forts"]
    assert options.check_options(forts, {"limit": "30"})["limit"] == "30"
    with pytest.raises(Refusal, match="option"):
        options.check_options(matchbox, {"limit": "30"})


async def test_the_command_has_what_all_games_share_and_nothing_else(sea: Sea) -> None:
    (call,) = (call for call in sea.env.http_requests if call.method == "PUT" and call.path.endswith("/commands"))
    (new,) = [spec for root in call.json for spec in root.get("options", []) if spec["name"] == "new"]
    assert {option["name"] for option in new["options"]} == {*SHARED - {"system"}, "game"}


@pytest.mark.parametrize("system", RULESETS)
def test_a_game_begins_as_it_comes(system: str) -> None:
    rules = RULESETS[system]
    assert len(rules.seats(options.default_options(rules))) >= 2
    for spec in rules.options:
        assert spec.default in spec.values


def test_sides_of_any_sizes_keep_those_who_sit(playing_of_three: SeatedGame) -> None:
    one_against_three = (0, 1, 1, 1)
    found = options.reseat(playing_of_three, one_against_three)
    assert [(seat.user_id, seat.team) for seat in found] == [(1, 0), (2, 1), (3, 1), (None, 1)]
    with pytest.raises(Refusal, match="seat_taken"):
        options.reseat(playing_of_three, (0, 0, 1))
    swapped = options.reseat(playing_of_three, (1, 1, 0))
    assert [(seat.user_id, seat.team) for seat in swapped] == [(3, 1), (2, 1), (1, 0)]


@pytest.fixture
def playing_of_three() -> SeatedGame:
    playing = asked("matchbox", Request(id="x", seat=0, kind="orders", round=1)).seated_game
    seats = [structs.replace(row, team=int(row.seat > 0), user_id=row.seat + 1) for row in playing.seats[:3]]
    players = {n: Player(user_id=n, name=f"captain {n}", locale="en") for n in (1, 2, 3)}
    return structs.replace(playing, seats=seats, players=players)


# A host changes options while others join, agree and the game is started.
async def test_options_joins_words_and_the_start_at_once_leave_a_whole_game(sea: Sea) -> None:
    for number in range(1, 7):
        host = sea.anna
        await sea.command(host, "new", captains=2)
        table, game = sea.bot.services, number

        async def tried(doing):
            try:
                await doing
            except (Refusal, OrderError) as refused:
                return refused

        jobs = [
            table.lobbies.join_lobby(Player(user_id=sea.bela.id, name="bela", locale="en"), game, 1),
            table.lobbies.choose_option(host.id, game, "captains", "1"),
            table.lobbies.join_lobby(Player(user_id=sea.cili.id, name="cili", locale="en"), game, 1),
            table.lobbies.start_game(host.id, game, ""),
            table.lobbies.choose_option(host.id, game, "captains", "3"),
            table.lobbies.add_word(sea.bela.id, game, "rostrum"),
            table.lobbies.choose_option(host.id, game, "galleys", "1"),
            table.lobbies.leave_lobby(sea.cili.id, game),
        ]
        jobs = [*jobs[number:], *jobs[:number]]
        await asyncio.gather(*map(tried, jobs))
        await sea.settle()
        (row,) = [one for one in sea.rows("games")["games"] if one["id"] == game]
        seats = [one for one in sea.rows("seats")["seats"] if one["game_id"] == game]
        setup = json.loads(row["setup"])
        assert [s["team"] for s in seats] == setup["teams"]
        assert len({s["user_id"] for s in seats if s["user_id"]}) == sum(bool(s["user_id"]) for s in seats)
        if row["phase"] != "lobby":
            begun = [one for one in sea.rows("steps")["steps"] if one["game_id"] == game]
            assert begun
            assert setup["options"]["captains"] == "3" or len(seats) in (2, 4)
    assert not sea.faults


async def test_the_host_changes_the_game_itself_and_everybody_keeps_a_seat(sea: Sea) -> None:
    await sea.command(sea.anna, "new", opponent=sea.bela)
    lobby = sea.channel.last_message
    (ref,) = (ref for ref in refs(lobby).values() if ref.verb == "lobby_game")
    await sea.bela.select(lobby, ["ramspeed"], custom_id=ref.pack())
    await sea.env.settle()
    assert sea.rows("games")["games"][0]["system"] == "matchbox"  # only the host may
    lobby = sea.channel.last_message
    (ref,) = (ref for ref in refs(lobby).values() if ref.verb == "lobby_game")
    await sea.anna.select(lobby, ["ramspeed"], custom_id=ref.pack())
    await sea.settle()
    game = sea.rows("games")["games"][0]
    assert (game["system"], json.loads(game["setup"])["system"]) == ("ramspeed", "ramspeed")
    assert [(row["user_id"], row["kept_for"]) for row in sea.rows("seats")["seats"]] == [
        (sea.anna.id, None),
        (None, sea.bela.id),
    ]
    assert "#1 Biremes · anna – bela" in text_of(sea.channel.last_message)
    await sea.command(sea.bela, "join")
    await sea.command(sea.anna, "start")
    assert sea.rows("games")["games"][0]["phase"] == "running"
