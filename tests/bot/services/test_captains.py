"""No player is a referee of their own game: its captains, former captains and lenders of a seat gain nothing alone."""

from __future__ import annotations

from typing import Any

import pytest

from bot.lifecycle.people.captains import captains_of
from bot.lifecycle.ratings.ratings import Skill, player_endings
from bot.lifecycle.steps.playing import load_seated_game
from bot.record.export import decode_export
from bot.texts.i18n import Catalogue
from tests.bot.rows import act_kinds, game
from tests.sea import ABEAM, AFAR, Sea, refs, text_of
from tests.wire import readers

pytestmark = pytest.mark.usefixtures("every_game_counts")

EN, HU = Catalogue.load("en"), Catalogue.load("hu")
DAY_S = 86_400


def changes(sea: Sea) -> dict[int, int]:
    rows = sea.rows("ratings")["ratings"]
    return {row["user_id"]: Skill(row["mu"], row["sigma"]).displayed_rating - 1000 for row in rows if row["counted"]}


async def until_offered(sea: Sea) -> Any:
    """Let Béla leave; return the message that offers the seat."""
    await sea.bot.services.absence.offer_seats_of_departed(sea.bela.id, sea.guild.id)
    await sea.settle()
    return next(message for message in reversed(sea.thread.history()) if "take_over 1" in refs(message))


# --- going back ----------------------------------------------------------------------------------------------------


@pytest.mark.proves("F8")
async def test_nobody_rolls_the_dice_again_while_the_other_side_is_absent(sea: Sea) -> None:
    sea.languages[sea.anna.id] = "hu"
    chief = sea.manager()
    await sea.begin_at(ABEAM, sea.bela)
    await sea.both_seal("A1 XFFFF", "B1 FFFFX")
    message = await until_offered(sea)
    before = sea.rows("games", "steps", "acts", "requests", "answers")
    refused = HU.say("refuse.no_voice")
    assert refused in await sea.command(sea.anna, "host undo", game="1", to_round=1)
    assert sea.rows("games", "steps", "acts", "requests", "answers") == before
    # Nor once the seat is empty, nor when Anna has put somebody there herself, nor against the computer.
    await sea.command(sea.anna, "host kick", game="1", whose="bela")
    assert refused in await sea.command(sea.anna, "host undo", game="1", to_round=1)
    await sea.command(sea.anna, "host replace", game="1", whose="#2", substitute=sea.cili)
    assert refused in await sea.command(sea.anna, "host undo", game="1", to_round=1)
    assert "refuse" not in await sea.command(sea.cili, "draw", game="1")
    assert refused in await sea.command(sea.anna, "draw", game="1")
    await sea.command(chief, "host kick", game="1", whose="cili", to_computer=True)
    assert refused in await sea.command(sea.anna, "host undo", game="1", to_round=1)
    assert (game(sea)["rated"], "undone" in act_kinds(sea)) == (1, False)
    assert not refs(sea.again(sea.anna, message))
    # A manager who does not play may: all see it, and the game is rated no more.
    assert EN.say("say.undone") in await sea.command(chief, "host undo", game="1", to_round=1)
    assert act_kinds(sea)[-2:] == ["undone", "unrated"]
    assert EN.say("act.unrated") in sea.told()
    assert game(sea)["rated"] == 0
    assert EN.say("act.unrated") in await sea.command(chief, "host log", game="1")
    await sea.concede(sea.anna)
    assert changes(sea) == {}


@pytest.mark.proves("F8")
@pytest.mark.parametrize("way", ["empty", "friend"])
async def test_no_referee_takes_a_present_captains_seat_to_go_back_alone(sea: Sea, way: str) -> None:
    chief = sea.manager()
    await sea.begin_at(AFAR, sea.bela)
    await sea.both_seal("A1 RLRLR", "B1 RLRLR")
    if way == "friend":
        await sea.command(chief, "host replace", game="1", whose="bela", substitute=sea.cili)
    else:
        await sea.command(chief, "host kick", game="1", whose="bela")
    for language, texts in {"en-US": EN, "hu": HU}.items():
        sea.languages[chief.id] = language
        assert texts.say("refuse.ousted_since") in await sea.command(chief, "host undo", game="1", to_round=1)
    await sea.env.advance_time(DAY_S + 60)
    await sea.settle()
    sea.languages[chief.id] = "en-US"
    assert EN.say("refuse.ousted_since") in await sea.command(chief, "host undo", game="1", to_round=1)
    assert EN.say("say.undone") in await sea.command(chief, "host undo", game="1", to_round=2)


async def test_what_was_agreed_ends_when_the_other_side_is_there_no_more(sea: Sea) -> None:
    await sea.begin_at(ABEAM, sea.bela)
    await sea.both_seal("A1 XFFFF", "B1 FFFFX")
    await sea.command(sea.anna, "host undo", game="1", to_round=1)
    message = next(message for message in reversed(sea.thread.history()) if "agree_act" in str(refs(message)))
    await sea.bot.services.absence.offer_seats_of_departed(sea.bela.id, sea.guild.id)
    await sea.settle()
    button = next(name for name in refs(message) if "agree" in name)
    assert EN.say("say.undo_agreed") in await sea.press(sea.anna, message, button)
    assert "undone" not in act_kinds(sea)
    # A captain who agrees is there again.
    assert EN.say("say.undone") in await sea.press(sea.bela, message, button)
    assert sea.rows("seats")["seats"][1]["offered_at"] is None


# --- lending a seat ------------------------------------------------------------------------------------------------


async def test_who_lends_their_seat_still_plays(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela, missed="hold", extensions=0)
    await sea.seal(sea.anna, "A1 RLRLR")
    await sea.command(sea.anna, "host replace", game="1", whose="anna", substitute=sea.cili)
    assert EN.say("say.resolve_asked") in await sea.command(sea.anna, "host resolve", game="1")
    assert game(sea)["step_no"] == 0
    for act in ("kick", "replace"):
        given = {"substitute": sea.member("dora")} if act == "replace" else {}
        said = await sea.command(sea.anna, f"host {act}", game="1", whose="bela", **given)
        assert EN.say("refuse.not_absent", name="bela") in said
    assert EN.say("say.extension_asked") in await sea.command(sea.anna, "host extend", game="1")
    assert EN.say("say.pause_asked") in await sea.command(sea.anna, "host pause", game="1")
    # Back into her seat she comes only if it is given back to her, or offered.
    said = await sea.command(sea.anna, "host replace", game="1", whose="cili", substitute=sea.anna)
    assert EN.say("refuse.not_absent", name="cili") in said
    # Nor does she sit down on the other side.
    await sea.bot.services.absence.offer_seats_of_departed(sea.bela.id, sea.guild.id)
    await sea.settle()
    assert EN.say("refuse.turncoat") in await sea.command(sea.anna, "substitute", game="1")
    held = [(row["seat"], row["user_id"], row["to_step"], row["put_by"]) for row in sea.rows("captains")["captains"]]
    anna, bela, cili = (who.id for who in (sea.anna, sea.bela, sea.cili))
    assert held == [(0, anna, 0, None), (1, bela, None, None), (0, cili, None, anna)]


@pytest.mark.begun
async def test_a_substitute_sees_nothing_that_another_has_sealed_or_drafted(sea: Sea) -> None:
    chief, dora = sea.manager(), sea.member("dorka")
    await sea.seal(sea.bela, "B1 RFLFR")
    await sea.command(chief, "host replace", game="1", whose="bela", substitute=sea.cili)
    before = len(sea.env.http_requests)
    panel = sea.panel(sea.cili)
    (hashed,) = [row["commitment"] for row in sea.rows("answers")["answers"]]
    assert EN.say("panel.inherited", hash=hashed[:8]) in text_of(panel)
    assert set(refs(panel)) == {"unseal", "page 1"}
    for command in ("status", "table", "orders", "export"):
        await sea.command(sea.cili, command, game="1")
    await sea.write(chief, "x")
    exported = decode_export((await sea.bot.services.records.write_record(1, sea.cili.id)).data)
    assert exported.own == ()  # type: ignore[union-attr]
    await sea.press(sea.cili, panel, "unseal")
    await sea.write(sea.cili, "B1 FFRFF")
    await sea.command(chief, "host replace", game="1", whose="cili", substitute=dora)
    shown = await sea.open_form(dora, sea.panel(dora))
    await sea.command(dora, "table", game="1")
    seen = [text for reader, text in list(readers(sea)) if reader in (sea.cili.id, dora.id)]
    assert len(sea.env.http_requests) > before
    assert len(seen) > 5
    assert not [text for text in seen if "RFLFR" in text or "R F L F R" in text]
    hers = [text for reader, text in list(readers(sea)) if reader == dora.id]
    assert not [text for text in hers if "FFRFF" in text or "F F R F F" in text]
    assert "FFRFF" not in str(shown.modal)
    assert sea.rows("requests")["requests"][1]["draft"] == ""


@pytest.mark.begun
async def test_what_was_sealed_counts_when_somebody_else_sits_there_now(sea: Sea) -> None:
    await sea.seal(sea.bela, "B1 RFLFR")
    await sea.command(sea.manager(), "host replace", game="1", whose="bela", substitute=sea.cili)
    # The host breaks nobody's seal, least of all that one, because nobody has a draft of it.
    assert EN.say("refuse.nothing_to_undo") in await sea.command(sea.anna, "host undo", game="1")
    await sea.seal(sea.anna, "A1 FFFFF")
    given = {row["request_id"]: row["body"] for row in sea.rows("answers")["answers"]}
    assert given["r1.orders.1"].startswith("B1 RFLFR")


@pytest.mark.begun
async def test_what_was_not_sealed_counts_no_more_when_its_captain_has_lost_the_seat(sea: Sea) -> None:
    chief = sea.manager()
    await sea.write(sea.bela, "B1 RFLFR")
    await sea.command(chief, "host kick", game="1", whose="bela")
    assert [row["draft"] for row in sea.rows("requests")["requests"]] == ["", ""]
    await sea.seal(sea.anna, "A1 FFFFF")
    await sea.command(chief, "host resolve", game="1")
    given = {row["request_id"]: row["body"] for row in sea.rows("answers")["answers"]}
    assert not given["r1.orders.1"].startswith("B1 RFLFR")


@pytest.mark.begun
async def test_who_left_opens_no_rematch_and_takes_no_seat_of_it(sea: Sea) -> None:
    await sea.command(sea.manager(), "host replace", game="1", whose="bela", substitute=sea.cili)
    await sea.concede(sea.anna)
    end = next(message for message in reversed(sea.thread.history()) if "rematch" in refs(message))
    assert EN.say("refuse.not_seated") in await sea.press(sea.bela, end, "rematch")
    assert "Game #2 starts" in await sea.press(sea.anna, end, "rematch")
    await sea.press(sea.bela, end, "rematch")
    assert [(row["user_id"], row["kept_for"]) for row in sea.rows("seats")["seats"] if row["game_id"] == 2] == [
        (None, sea.cili.id),
        (sea.anna.id, None),
    ]


# --- time ----------------------------------------------------------------------------------------------------------


async def test_a_host_who_plays_has_no_more_time_than_their_side(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela, extensions=1)
    first = game(sea)["deadline"]
    assert EN.say("say.done") in await sea.command(sea.anna, "host extend", game="1")
    assert game(sea)["deadline"] == first + DAY_S
    assert EN.say("say.extension_asked") in await sea.command(sea.anna, "host extend", game="1", by="30d")
    assert EN.say("say.pause_asked") in await sea.command(sea.anna, "host pause", game="1")
    assert game(sea)["deadline"] == first + DAY_S
    assert game(sea)["paused_at"] is None
    assert act_kinds(sea) == ["extended", "extension_asked", "pause_asked"]
    # Where nobody is there to agree, nobody's time is without end.
    await sea.command(sea.manager(), "host kick", game="1", whose="bela")
    assert EN.say("refuse.no_voice") in await sea.command(sea.anna, "extend", game="1", by="2d")
    assert EN.say("refuse.no_voice") in await sea.command(sea.anna, "extend", game="1", pause=True)


# --- taking seats away -----------------------------------------------------------------------------------------------


@pytest.mark.begun
async def test_a_captain_who_missed_one_deadline_or_is_back_keeps_their_seat(sea: Sea) -> None:

    async def refused() -> None:
        for sea.languages[sea.anna.id], texts in (("en-US", EN), ("hu", HU)):
            said = await sea.command(sea.anna, "host kick", game="1", whose="bela", to_computer=True)
            assert texts.say("refuse.not_absent", name="bela") in said

    await sea.seal(sea.anna, "A1 RLRLR")
    await sea.env.advance_time(DAY_S + 1)
    await refused()
    await sea.seal(sea.anna, "A1 RLRLR")
    await sea.env.advance_time(DAY_S + 1)
    assert sea.rows("seats")["seats"][1]["offered_at"]
    await sea.command(sea.bela, "extend", game="1")  # Béla is back
    await refused()
    assert act_kinds(sea) == ["offered", "back", "extended"]


@pytest.mark.begun
async def test_a_referee_becomes_no_captain(sea: Sea) -> None:
    chief = sea.manager()
    said = await sea.command(chief, "host replace", game="1", whose="bela", substitute=chief)
    assert EN.say("refuse.referee") in said
    await sea.command(chief, "host kick", game="1", whose="bela")
    sea.languages[chief.id] = "hu"
    assert HU.say("refuse.referee") in await sea.command(chief, "substitute", game="1")
    assert sea.rows("seats")["seats"][1]["user_id"] is None


# --- ratings -------------------------------------------------------------------------------------------------------


@pytest.mark.begun
async def test_who_gives_their_seat_away_shares_the_defeat(sea: Sea) -> None:
    await sea.command(sea.anna, "host kick", game="1", whose="anna", to_computer=True)
    await sea.concede(sea.bela)
    # Béla has not asked for the computer, and can only win against it. Nor does it win for the one who put it there.
    assert changes(sea) == {}


@pytest.mark.begun
async def test_who_flees_from_their_seat_loses_and_who_was_left_wins(sea: Sea) -> None:
    await sea.command(sea.anna, "host replace", game="1", whose="anna", substitute=sea.cili)
    await sea.concede(sea.cili)
    found = changes(sea)
    assert found[sea.anna.id] < 0 < found[sea.bela.id]
    end = text_of(sea.thread.last_message)
    assert f"anna {1000 + found[sea.anna.id]}" in end
    assert "0 won, 1 lost" in await sea.command(sea.anna, "profile")


@pytest.mark.begun
async def test_nobody_wins_by_captains_they_have_put_on_the_other_side(sea: Sea) -> None:
    await until_offered(sea)
    await sea.command(sea.anna, "host replace", game="1", whose="bela", substitute=sea.cili)
    await sea.command(sea.cili, "concede", game="1")
    await sea.press(sea.cili, sea.answers[0], "give_back")
    assert (game(sea)["phase"], changes(sea)) == ("running", {})
    # Nor does Anna rise once the seat is empty: she has chosen who left it. Béla was absent, and falls.
    async with sea.bot.services.store.read() as tx:
        seated_game = await load_seated_game(tx, 1)
        captains = await captains_of(tx, seated_game)
        endings = player_endings(captains, {0: "won", 1: "lost"}, rated=True)
    assert [(ending.user_id, ending.may_rise, ending.may_fall) for ending in endings] == [
        (sea.anna.id, False, False),
        (sea.bela.id, False, True),
    ]


@pytest.mark.begun
async def test_a_loser_voids_nothing_by_giving_the_absent_enemys_seat_to_the_computer(sea: Sea) -> None:
    await until_offered(sea)
    await sea.command(sea.anna, "host kick", game="1", whose="bela", to_computer=True)
    await sea.concede(sea.anna)
    assert changes(sea)[sea.anna.id] < 0
    assert sea.bela.id not in changes(sea)


@pytest.mark.begun
async def test_no_hints_in_a_rated_game_whose_other_seat_is_vacant(sea: Sea) -> None:
    await sea.command(sea.manager(), "host kick", game="1", whose="bela")
    await sea.command(sea.anna, "orders", game="1")
    assert "hint" not in refs(sea.answers[0])
    assert not (await sea.asked(sea.anna)).seated_game.is_practice
