"""A Sailing Season through the real bot: lobby, orders by typing and pressing, morning reports, battles, the end."""

from __future__ import annotations

import asyncio
import io
import json
from typing import Any

import pytest
from msgspec import structs
from PIL import Image

from bot.cli.shell import prove_record
from bot.discord.delivery.threads import AUTO_ARCHIVE_MINUTES
from bot.record.bundle import pack_records, unpack_records
from bot.record.export import FinishedGame, decode_export, encode_export, with_digest
from bot.sandbox import private
from bot.services.repair import Caller
from bot.store.models.records import Player
from bot.texts.i18n import Catalogue, Localizer
from rules.core.sides import letter_of
from tests.sea import Sea, refs, text_of

DAY = 86_400


def gulf(turn: int, *galleys: str) -> str:
    ports = {"A": "PIR SAL", "B": "EPI CAL"}
    return json.dumps({"map": "gulf", "captains": "AB", "turn": turn, "ports": ports, "galleys": galleys})


def lying(place: str, *names: str) -> list[str]:
    return [f"{name} {place} 5-5+3/5 r0 n0" for name in names]


MEETING = (*lying("WGU", "A1", "A2", "A3"), *lying("EGU", "B1", "B2"))


async def order(sea: Sea, who: Any, text: str) -> None:
    """Type and seal orders in game 1, even while a battle asks the captain, too."""
    pending = await sea.asked(who, 1)
    assert pending is not None
    typed = await sea.bot.services.orders.type_text(pending, text)
    await sea.bot.services.orders.seal_draft(typed, typed.row.version)
    await sea.settle()


async def pass_a_turn(sea: Sea, seconds: int = DAY) -> None:
    await sea.env.advance_time(seconds)
    await sea.settle()


def position(sea: Sea) -> Any:
    steps = [one for one in sea.rows("steps")["steps"] if one["game_id"] == 1]
    return json.loads(max(steps, key=lambda one: one["no"])["state"])["position"]


async def met(sea: Sea, *, crew: str = "5-5+3/5", turn: int = 3) -> None:
    """Let Anna's three galleys, with this crew, meet Béla's two in a battle that is game 2."""
    fleets = [galley.replace("5-5+3/5", crew) for galley in MEETING]
    await sea.begin_at(gulf(turn, *fleets), sea.bela, system="campaign", map="gulf")
    sea.change_rows("UPDATE games SET locale = 'en-US'")  # as Discord writes it: of no catalogue's code
    await sea.seal(sea.anna, "A1 A2 A3: EGU attack")
    await sea.seal(sea.bela, "repair all")
    await pass_a_turn(sea)
    assert [game["system"] for game in sea.rows("games")["games"]] == ["campaign", "matchbox"]


async def test_a_turn_is_ordered_by_menus_and_by_typing_and_its_morning_is_told(sea: Sea) -> None:
    sea.languages[sea.bela.id] = "hu"
    await sea.begin(sea.bela, system="campaign", map="gulf")
    homes = {who: position(sea)["homes"][seat][0] for seat, who in enumerate((sea.anna, sea.bela))}
    harbour = {"EPI": "HYD", "PIR": "ELE"}
    # Anna presses: the fleet goes out to attack, one galley stays behind, and another is built.
    await sea.pick(sea.anna, sea.panel(sea.anna), "row", f"row.{harbour[homes[sea.anna]]}")
    await sea.press(sea.anna, sea.panel(sea.anna), "press stance.attack")
    await sea.pick(sea.anna, sea.panel(sea.anna), "fleets", "look.A5")
    await sea.pick(sea.anna, sea.panel(sea.anna), "row", f"row.{homes[sea.anna]}")
    await sea.pick(sea.anna, sea.panel(sea.anna), "port", "repair")
    await sea.press(sea.anna, sea.panel(sea.anna), "press settle.dice")
    asked = await sea.asked(sea.anna)
    assert asked is not None
    stays = "A5: attack"
    assert asked.row.draft == f"A1 A2 A3 A4: {harbour[homes[sea.anna]]} attack; {stays}; repair all; dice"
    await sea.press(sea.anna, sea.panel(sea.anna), "seal")
    # Béla types, in Hungarian.
    await sea.seal(sea.bela, f"b1 b2: {harbour[homes[sea.bela]]} kitér; javít mind")
    assert position(sea)["turn"] == 1  # not before the hour, though both have sealed
    await pass_a_turn(sea)
    now = position(sea)
    assert now["turn"] == 2
    assert now["agree"] == "A"
    assert sorted(one["place"] for one in now["galleys"]) == sorted(
        [*[harbour[homes[sea.anna]]] * 4, homes[sea.anna], *[harbour[homes[sea.bela]]] * 2, *[homes[sea.bela]] * 3]
    )
    report = sea.panel(sea.anna)
    assert "You received 4 talents and have 10 left." in text_of(report)
    assert report.attachments
    assert "A bevételed" in text_of(sea.panel(sea.bela))
    assert "You received" not in sea.told()
    # Each may ask how things stand, and hears what they may know.
    told = await sea.command(sea.anna, "table")
    assert "You have 10 talents" in told
    assert "B · bela: 8 laurels" in told
    assert "B1" not in told


@pytest.mark.parametrize("language", ["en", "hu"])
async def test_the_panel_names_goal_stances_and_every_decision_on_its_first_page(sea: Sea, language: str) -> None:
    words = Catalogue.load(language, "campaign")
    await sea.command(sea.anna, "me", language=language)
    rich = json.loads(gulf(1, *lying("PIR", "A1", "A2"), *lying("EPI", "B1"))) | {"talents": {"A": 30, "B": 6}}
    await sea.begin_at(json.dumps(rich), sea.bela, system="campaign", map="gulf")
    goal, *stances = words.say("request.orders.key").split("\n")
    decision = Localizer(words).say("open.yard", price=8)
    assert "outnumbered" in goal or "kevesebb gályád" in goal
    panel = text_of(sea.panel(sea.anna))
    turn = words.say("request.orders.limited", round=1, limit=24)
    for sentence in (turn, goal, *stances, decision):
        assert sentence in panel
    # The decision goes once it is made; what the stances mean stays.
    await sea.write(sea.anna, "build PIR 5")
    panel = text_of(sea.panel(sea.anna))
    assert decision not in panel
    assert stances[0] in panel


async def test_who_plays_against_computers_alone_waits_for_no_hour_but_for_a_battle(sea: Sea) -> None:
    await sea.command(sea.anna, "new", system="campaign", map="gulf")
    lobby = next(one for one in reversed(sea.channel.history()) if "start" in refs(one))
    assert "if you play only against computers, it's resolved as soon as you've sealed" in text_of(lobby)
    met = json.loads(
        gulf(3, *(f"{name} EGU 5-5+3/5 r0 n0 B1" for name in ("A1", "A2", "B1", "B2")), *lying("PIR", "A3"))
    )
    met["battles"] = [
        {"id": "B1", "place": "EGU", "sides": [["A"], ["B"]], "galleys": [["A1", "A2"], ["B1", "B2"]], "began": 2}
    ]
    setup = json.dumps(met)
    sea.change_rows("UPDATE games SET setup = json_set(setup, '$.position', ?) WHERE phase = 'lobby'", setup)
    await sea.command(sea.anna, "start")
    await order(sea, sea.anna, "A3: ELE")
    assert position(sea)["turn"] == 3, "what comes of the battle may be worth knowing"
    await sea.concede(sea.anna, 2)
    assert position(sea)["turn"] == 4
    await order(sea, sea.anna, "A3: PIR")
    assert position(sea)["turn"] == 5
    # With a second person the hour counts again.
    bela = Player(user_id=sea.bela.id, name="bela", locale="en")
    await sea.bot.services.repair.replace_captain(
        Caller(user_id=sea.manager().id, managed_guild_id=sea.guild.id), 1, 1, bela
    )
    await order(sea, sea.anna, "A3: ELE")
    assert position(sea)["turn"] == 5


async def test_a_season_ends_with_its_standings(sea: Sea) -> None:
    await sea.begin_at(
        gulf(24, *lying("WGU", "A1", "A2", "A3"), *lying("EGU", "B1")), sea.bela, system="campaign", map="gulf"
    )
    await sea.seal(sea.anna, "A1 A2 A3: EGU attack")
    await sea.seal(sea.bela, "repair all")
    await pass_a_turn(sea)
    assert sea.rows("games")["games"][0]["phase"] == "over"
    assert "### anna won!\nThe most laurels win: anna" in sea.told()
    assert "Ratings: anna" in sea.told()
    # In its film all can see all fleets on their ways: seven pictures of the last turn, where there was one.
    await sea.command(sea.cili, "replay", game="1")
    film = private.uploaded_files(sea.env.backend)[sea.answers[-1].attachments[0].url]
    assert Image.open(io.BytesIO(film)).n_frames == 7  # type: ignore[attr-defined]
    # Its chronicle is pressed below its end, in the presser's language, and stands first in its log.
    end = next(one for one in reversed(sea.thread.history()) if "chronicle" in refs(one))
    sea.languages[sea.cili.id] = "hu"
    await sea.press(sea.cili, end, "chronicle")
    *said, file = sea.answers
    assert "anna megtámadta belát" in "\n".join(map(text_of, said))
    assert file.attachments[0].filename == "war-galley-1.html"
    assert "1\\. anna: 9 laurels" in await sea.command(sea.bela, "log", game="1")


@pytest.mark.postgres
async def test_a_battle_has_its_own_thread_and_hours_and_its_end_is_entered_in_the_next_turn(sea: Sea) -> None:
    await met(sea)
    battle = sea.thread
    assert battle.name == "#2 War Galley · Battle 1 · Eastern Gulf"
    above = next(one for one in sea.channel.threads if one.id != battle.id)
    assert f"<#{above.id}>" in sea.told()
    assert any(f"<#{battle.id}>" in text_of(one) for one in above.history())
    first, second = sea.rows("games")["games"]
    assert second["deadline"] - (first["deadline"] - DAY) == DAY // 2  # two rounds a turn (CA-6.3)
    assert position(sea)["galleys"][0]["battle"] == "B1"
    # The rest of the campaign doesn't wait for it (CA-6.8).
    await sea.seal(sea.anna, "repair all")
    await sea.seal(sea.bela, "repair all")
    await sea.concede(sea.bela, 2)
    threads = [await sea.bot.fetch_channel(one.id) for one in (battle, above)]
    assert [(one.archived, one.auto_archive_duration) for one in threads] == [(False, AUTO_ARCHIVE_MINUTES)] * 2
    assert position(sea)["turn"] == 4
    assert position(sea)["galleys"][0]["battle"] == "B1"
    await pass_a_turn(sea)
    now = position(sea)
    assert now["turn"] == 5
    assert {one["battle"] for one in now["galleys"]} == {""}
    assert [one["place"] for one in now["galleys"] if one["captain"] == "A"] == ["EGU"] * 3


@pytest.mark.parametrize(
    ("language", "line", "secret", "sealed"),
    [
        (
            "en",
            "**anna**: Without orders, all galleys stay.",
            "**bela**: secret until the game is over",
            "anna: an empty answer · hash",
        ),
        (
            "hu",
            "**anna**: Parancs nélkül minden gálya marad.",
            "**bela**: titkos a játszma végéig",
            "anna: üres válasz · ",
        ),
    ],
)
async def test_the_log_says_which_sheet_was_empty_and_which_is_secret(
    sea: Sea, language: str, line: str, secret: str, sealed: str
) -> None:
    sea.languages[sea.anna.id] = language
    await sea.begin_at(gulf(3, *MEETING), sea.bela, system="campaign", map="gulf")
    await sea.press(sea.anna, sea.panel(sea.anna), "seal")
    await sea.seal(sea.bela, "repair all")
    await pass_a_turn(sea)
    said = await sea.command(sea.anna, "log", game="1")
    assert line in said
    assert secret in said
    texts = await sea.sealed_texts(sea.anna)
    assert sealed in texts
    assert "``" not in said + texts


async def test_a_battle_whose_attacker_has_a_later_letter_says_whose_galleys_are_whose(sea: Sea) -> None:
    """The leading attacker has the first letter there (CA-6.5)."""
    await sea.begin_at(gulf(3, *MEETING), sea.bela, system="campaign", map="gulf")
    await sea.seal(sea.anna, "repair all")
    await sea.seal(sea.bela, "B1 B2: WGU attack")
    await pass_a_turn(sea)
    assert position(sea)["battles"][0]["sides"] == [["B"], ["A"]]
    asked = await sea.asked(sea.bela, 2)
    assert asked is not None
    assert [asked.row.seat, asked.seated_game.game.setup.teams] == [0, (0, 1)]
    assert "A1:south" in asked.seated_game.game.setup.position
    assert "A1 A2 are B1 B2 there and B1–B3 are A1–A3 there" in sea.told().replace("\\", "")
    panel = await sea.command(sea.anna, "orders", game="2")
    assert "B1–B3 are your A1–A3 in the season." in panel


OTHER_LETTERS = {
    "en-US": "Galleys have other letters here than in the season: A1 A2 are B1 B2 there and B1 B2 are C1 C2 there.",
    "hu": "A gályák betűje itt más, mint az idényben: A1 A2 ott B1 B2 és B1 B2 ott C1 C2.",
}


@pytest.mark.parametrize("locale", [*OTHER_LETTERS])
async def test_a_battle_of_later_letters_says_at_its_beginning_whose_galleys_are_whose(sea: Sea, locale: str) -> None:
    fleets = {
        "map": "ring",
        "captains": "ABC",
        "turn": 3,
        "galleys": [*lying("DEL", "B1", "B2"), *lying("DEL", "C1", "C2")],
    }
    await sea.begin_at(json.dumps(fleets), sea.bela, sea.cili, system="campaign", players="3")
    sea.change_rows("UPDATE games SET locale = ?", locale)
    await sea.seal(sea.anna, "repair all")
    await sea.seal(sea.bela, "B1 B2: attack")
    await sea.seal(sea.cili, "repair all")
    await pass_a_turn(sea)
    assert OTHER_LETTERS[locale] in sea.told().replace("\\", "")


async def test_the_thread_of_a_battle_is_opened_once_though_the_bot_dies_before_it_has_noted_which(sea: Sea) -> None:
    noted = sea.bot.services.channels.note_thread

    async def dies(game_id: int, thread_id: int) -> None:
        if game_id == 2:
            raise InterruptedError
        await noted(game_id, thread_id)

    sea.bot.services.channels.note_thread = dies  # type: ignore[method-assign]
    await met(sea)
    assert sea.rows("games")["games"][1]["thread_id"] is None
    await sea.restart()
    await pass_a_turn(sea, 60)
    season, battle = sea.channel.threads
    assert (season.name, battle.name) == ("#1 Sailing Season · anna – bela", "#2 War Galley · Battle 1 · Eastern Gulf")
    assert sea.rows("games")["games"][1]["thread_id"] == battle.id


async def test_a_battle_is_shown_with_its_campaign_and_stands_still_with_it_alone(sea: Sea) -> None:
    await met(sea)
    status = await sea.command(sea.anna, "status", game="1")
    assert f"A battle is under way: #2 War Galley · Battle 1 · Eastern Gulf, <#{sea.thread.id}>" in status
    assert "This battle belongs to #1 Sailing Season" in await sea.command(sea.anna, "status", game="2")
    # In somebody's games it stands below its campaign, though its hour comes first.
    above, battle = (await sea.command(sea.anna, "games")).splitlines()[1:]
    assert above.startswith("**#1 Sailing Season · ")
    assert battle.startswith("↳ Battle of #1: **#2 War Galley · Battle 1 · Eastern Gulf** · **your turn**")
    # A battle can't be paused by itself, and nobody gets more time (CA-14.6).
    for more in ({"pause": True}, {"by": "6h"}):
        assert "Game #1 sets the hours of this battle." in await sea.command(sea.anna, "extend", game="2", **more)
    before = [game["deadline"] for game in sea.rows("games")["games"]]
    await sea.bot.services.timekeeping.pause_game(sea.anna.id, 1, sanctioned=True)
    await sea.settle()
    assert all(game["paused_at"] for game in sea.rows("games")["games"])
    await pass_a_turn(sea)
    await sea.bot.services.timekeeping.resume_game(sea.anna.id, 1, sanctioned=True)
    await sea.settle()
    after = [game["deadline"] for game in sea.rows("games")["games"]]
    assert [round((now - then) / 60) for then, now in zip(before, after, strict=True)] == [DAY // 60] * 2
    await pass_a_turn(sea, DAY // 2)
    games_now = sea.rows("games")["games"]
    assert games_now[1]["deadline"] - after[1] == DAY // 2  # the next round's hour was put off, too


async def test_the_turn_in_which_a_battle_is_due_waits_until_night_has_fallen_on_it(sea: Sea) -> None:
    await met(sea, crew="1-1+0/5")  # an oar a side and no fire: nobody has won before
    for half in range(5):
        await pass_a_turn(sea, DAY // 2)
        assert [game["phase"] for game in sea.rows("games")["games"]] == ["running", "running"], half
    assert position(sea)["turn"] == 6
    await pass_a_turn(sea, DAY // 2)
    games_now = sea.rows("games")["games"]
    assert [game["phase"] for game in games_now] == ["running", "over"]
    assert position(sea)["turn"] == 7
    assert {one["battle"] for one in position(sea)["galleys"]} == {""}


NIGHTFALL = {
    "en": ("anna won the sea!", "Night fell after the last round.", "lost the smaller share holds the sea. (CA-8.1)"),
    "hu": ("anna győzött!", "Az utolsó kör után leszállt az éj.", "aki a kisebb hányadot vesztette el. (CA-8.1)"),
}


@pytest.mark.parametrize("language", [*NIGHTFALL])
async def test_a_battle_on_which_night_falls_says_who_holds_the_sea_and_why(sea: Sea, language: str) -> None:
    sea.languages[sea.anna.id] = language
    await met(sea, crew="1-1+0/5")  # an oar a side and no fire: nobody has won before
    sea.change_rows("UPDATE games SET locale = ?", language)
    for _ in range(6):
        await pass_a_turn(sea, DAY // 2)
    battle, season = sea.rows("games")["games"][1], position(sea)
    assert (battle["phase"], season["turn"], season["battles"]) == ("over", 7, [])
    thread = next(one for one in sea.channel.threads if one.name.startswith("#2 "))
    texts = [text_of(one) for one in [*thread.history(), *sea.dms(sea.anna)]]
    ends = [text for text in texts if NIGHTFALL[language][1] in text]
    assert len(ends) >= 2
    for piece in NIGHTFALL[language]:
        assert all(piece in text for text in ends), (piece, ends)


async def test_a_record_is_verified_together_with_those_of_its_battles(sea: Sea) -> None:
    await met(sea)
    await sea.concede(sea.bela, 2)
    await pass_a_turn(sea)
    await sea.concede(sea.bela, 1)
    profile = await sea.command(sea.anna, "profile")
    assert "Unrated games: 1 (1 won, 0 lost, 0 drawn) · Battles fought out: 1" in profile
    assert "**War Galley** · Battles of other games: 1" in profile
    above, battle = [encode_export(await sea.bot.services.archive.export_finished(number)) for number in (1, 2)]
    # In the chat the file of the season comes with those of its battles, and its check follows into them.
    said = await sea.command(sea.anna, "export", game="1")
    assert "The second file also has the records of its battles (1)" in said
    season, whole, page = (private.uploaded_files(sea.env.backend)[file.url] for file in sea.answers[0].attachments)
    assert (season, unpack_records(whole)) == (above, (above, battle))
    # So does its chronicle: one page, with pictures of the charts and of the battle.
    assert page.startswith(b"<!doctype html>")
    assert (page.count(b"data:image/png;base64,"), page.count(b"<h3>Battle 1")) == (3, 1)
    went = "The battle battle.B1 went as stated here"
    assert went in await sea.command(sea.anna, "verify", game="1")
    assert went in await sea.command(sea.cili, "verify", file=("season.zip", whole))
    # What was fought for another season is none of this one's.
    real = decode_export(battle)
    assert isinstance(real, FinishedGame)
    record = structs.replace(real.record, setup=structs.replace(real.record.setup, parent="B2"))
    forged = pack_records([(1, above), (2, encode_export(with_digest(structs.replace(real, record=record, notes=()))))])
    assert "isn't of a battle of this game" in await sea.command(sea.cili, "verify", file=("season.zip", forged))
    sea.change_rows("UPDATE steps SET events = '[]' WHERE game_id = 2 AND no = 1")
    told = await sea.command(sea.anna, "verify", game="1")
    assert ("The record of a battle" in told, "went as stated here" in told) == (True, False)
    holds, lines = await asyncio.to_thread(prove_record, whole)
    assert (holds, any("went as stated here" in line for line in lines)) == (True, True)


async def test_more_than_two_captains_join_by_one_button(sea: Sea) -> None:
    await sea.command(sea.anna, "new", system="campaign", players="8")
    lobby = next(one for one in reversed(sea.channel.history()) if "start" in refs(one))
    assert [key for key in refs(lobby) if key.startswith("join")] == ["join"]
    assert "Captains: " in text_of(lobby)
    await sea.press(sea.bela, lobby, "join")
    await sea.press(sea.cili, sea.again(sea.cili, lobby), "join")
    await sea.press(sea.anna, sea.again(sea.anna, lobby), "start")
    await sea.settle()
    seats = sea.rows("seats")["seats"]
    assert [bool(one["computer"]) for one in seats] == [False] * 3 + [True] * 5
    assert position(sea)["captains"] == "".join(map(letter_of, range(8)))
    await pass_a_turn(sea)
    assert position(sea)["turn"] == 2


CONCEDING = {
    "en": (
        "If you concede, bela will hold the sea, and each of your galleys loses an oar on each side: "
        "A1–A3, lame (fewer than half the oars on a side), will be taken (6 trophies for the enemy)."
    ),
    "hu": (
        "Ha feladod, bela uralja a tengert, és gályáid oldalanként egy evezőt veszítenek: "
        "sérült (egyik oldalán az evezők kevesebb mint fele maradt), elfogják: A1–A3 "
        "(6 trófea az ellenfélnek)."
    ),
}


@pytest.mark.parametrize("language", [*CONCEDING])
async def test_a_battle_says_what_conceding_means_for_the_season(sea: Sea, language: str) -> None:
    sea.languages[sea.anna.id] = language
    await met(sea, crew="3-3+1/5")
    panel = next(one for one in reversed(sea.dms(sea.anna)) if "#2" in text_of(one))
    question = await sea.press(sea.anna, panel, "ask_concede")
    assert CONCEDING[language] in question
    # Once it is hopeless, the panel says it before anybody asks.
    sea.change_rows("UPDATE seats SET hopeless_step = 0 WHERE game_id = 2 AND seat = 0")
    asked = await sea.asked(sea.anna, 2)
    assert asked is not None
    sea.languages[sea.anna.id] = language
    assert CONCEDING[language] in await sea.command(sea.anna, "orders", game="2")


NIGHT = {
    "en": (
        "Round 1 of 6: give",
        "Night falls after round 6.",
        "equal, as now, the defenders do (bela).",
    ),
    "hu": ("1/6. kör: adj", "A 6. kör után leszáll az éj.", "ha egyformán, mint most, a védők (bela)."),
}


@pytest.mark.parametrize("language", [*NIGHT])
async def test_a_battle_says_when_night_falls_and_who_would_hold_the_sea(sea: Sea, language: str) -> None:
    sea.languages[sea.anna.id] = language
    await met(sea)
    panel = next(text for one in reversed(sea.dms(sea.anna)) if "#2" in (text := text_of(one)))
    assert [piece for piece in NIGHT[language] if piece not in panel] == []
    thread = text_of(next(iter(sea.thread.history())))
    assert "Night falls after round 6: then the side that has lost the smaller share" in sea.told(), thread


BOOMS = {
    "en": (
        "A1 A2 attacked bela at Epidaurus in vain: behind the boom they can't be attacked by 4 galleys or fewer.",
        "A3 didn't evade, so the boom of Salamis, which withstands 2 attackers, gave no protection.",
    ),
    "hu": (
        "A1 A2 hiába támadta meg belát (Epidaurosz): a kikötőlánc mögött 4 gálya vagy kevesebb nem támadhat rá.",
        "A3 nem tért ki, ezért Szalamisz kikötőlánca nem védte meg: 2 támadót állna.",
    ),
}


@pytest.mark.parametrize("language", [*BOOMS])
async def test_panel_and_why_say_what_a_boom_did_and_what_not(sea: Sea, language: str) -> None:
    sea.languages[sea.anna.id] = language
    fleets = (*lying("HYD", "A1", "A2"), *lying("SAL", "A3"), *lying("EPI", "B1"), *lying("ELE", "B2", "B3"))
    await sea.begin_at(gulf(3, *fleets), sea.bela, system="campaign", map="gulf")
    await sea.seal(sea.anna, "A1 A2: EPI attack; A3: attack")
    await sea.seal(sea.bela, "B1: evade; B2 B3: SAL attack")
    await pass_a_turn(sea)
    attack, boom = BOOMS[language]
    why = (await sea.press(sea.anna, sea.panel(sea.anna), "why_last")).replace("\\", "")
    assert attack in why
    assert boom in why
    assert attack in text_of(sea.panel(sea.anna))
    # Nobody else learns of it.
    for said in (await sea.press(sea.bela, sea.panel(sea.bela), "why_last"), text_of(sea.panel(sea.bela)), sea.told()):
        assert "in vain" not in said
        assert "didn't evade" not in said


BATTLES = {
    "en": (
        ("Battle 1 at Eastern Gulf: B1 B2 are fighting.", "Your galleys are: B1 B2 in battle at Eastern Gulf."),
        "Battle 1 is over: you lost B1 B2. It counts at the end of this turn.",
        "Back to #1 Sailing Season",
    ),
    "hu": (
        ("1. csata (Keleti-öböl): B1 B2 harcol.", "A gályáid: B1 B2 csatában itt: Keleti-öböl."),
        "A 1. csatának vége: elvesztetted B1 B2-t. E forduló végén számít.",
        "Vissza ehhez: #1 Hajózási idény",
    ),
}


@pytest.mark.parametrize("language", [*BATTLES])
async def test_the_panel_names_own_battles_and_what_they_cost_once_they_are_over(sea: Sea, language: str) -> None:
    during, over, back = BATTLES[language]
    await met(sea, crew="3-3+1/5")
    sea.languages[sea.bela.id] = language
    panel = (await sea.command(sea.bela, "orders", game="1")).replace("\\", "")
    assert [line for line in during if line not in panel] == []
    sea.change_rows("UPDATE games SET locale = ?", language)
    await sea.concede(sea.bela, 2)
    await sea.settle()
    panel = (await sea.command(sea.bela, "orders", game="1")).replace("\\", "")
    assert over in panel
    assert during[0] not in panel
    thread = next(one for one in sea.channel.threads if one.name.startswith("#2 "))
    for messages in ([*thread.history()], sea.dms(sea.bela)):
        assert back in "\n".join(map(text_of, messages)).replace("*", "")
