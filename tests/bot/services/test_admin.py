"""Setting a game right: by its host and the server's managers, never in secret."""

from __future__ import annotations

from typing import Any

import pytest

from bot.errors import Refusal
from bot.texts.i18n import Catalogue, Localizer
from bot.texts.style import Markup
from tests.bot.rows import act_kinds
from tests.sea import AFAR, Sea, refs, text_of
from tests.wire import readers

EN, HU = Catalogue.load("en"), Catalogue.load("hu")
ACTS: dict[str, dict[str, Any]] = {
    "replace": {"whose": "#2"},
    "kick": {"whose": "#2"},
    "resolve": {},
    "undo": {},
    "repost": {},
    "log": {},
}


@pytest.mark.begun
async def test_only_the_host_and_managers_set_a_game_right(sea: Sea) -> None:
    before = sea.rows()
    for act, options in ACTS.items():
        values = {**options, **({"substitute": sea.cili} if act == "replace" else {})}
        for who in (sea.bela, sea.cili):
            assert EN.say("refuse.not_in_charge") in await sea.command(who, f"host {act}", game="1", **values), act
    assert sea.rows() == before
    assert act_kinds(sea) == []


async def test_resolving_now_holds_nobody_to_have_missed_a_deadline(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela, missed="hold")
    chief = sea.manager()
    await sea.seal(sea.anna, "A1 FFFFF")
    await sea.write(sea.bela, "B1 RLRLR")
    assert EN.say("say.resolved") in await sea.command(chief, "host resolve", game="1")
    bodies = {row["request_id"]: row["body"] for row in sea.rows("answers")["answers"]}
    assert bodies["r1.orders.1"].startswith("B1 RLRLR")
    await sea.command(chief, "host resolve", game="1")
    await sea.command(chief, "host resolve", game="1")
    assert [row["missed"] for row in sea.rows("seats")["seats"]] == [0, 0]
    assert sea.rows("games")["games"][0]["step_no"] == 3
    assert act_kinds(sea) == ["resolved"] * 3
    assert f"<@{chief.id}> let the game continue early" in sea.told()
    assert (await sea.asked(sea.bela)).row.deadline - sea.now().timestamp() > 86_000


def agreeing(sea: Sea) -> str:
    return f"agree_act {[row['id'] for row in sea.rows('acts')['acts'] if row['kind'] == 'resolve_asked'][-1]}"


def proposal(sea: Sea) -> Any:
    button = agreeing(sea)
    return next(message for message in reversed(sea.thread.history()) if button in refs(message))


def step_no(sea: Sea) -> int:
    return int(sea.rows("games")["games"][0]["step_no"])


async def test_a_manager_who_plays_cuts_nobody_short_who_does_not_agree(sea: Sea) -> None:
    sea.move_to_server("hu")
    sea.languages |= {who.id: "hu" for who in (sea.anna, sea.bela, sea.cili)}
    await sea.begin_at(AFAR, sea.bela)
    await sea.seal(sea.anna, "A1 FFFFF")
    await sea.write(sea.bela, "B1 RLRLR")
    before = sea.rows("games", "answers", "steps", "requests")
    assert HU.say("say.resolve_asked") in await sea.command(sea.anna, "host resolve", game="1")
    assert sea.rows("games", "answers", "steps", "requests") == before
    message = proposal(sea)
    # Who is missing is notified, and nobody else.
    assert f"<@{sea.bela.id}>" in text_of(message)
    assert Localizer(HU).say("offer.resolve_asked") in text_of(message)
    assert HU.say("refuse.asked_already") in await sea.command(sea.anna, "host resolve", game="1")
    assert HU.say("refuse.not_seated") in await sea.press(sea.cili, message, agreeing(sea))
    assert HU.say("say.resolve_agreed") in await sea.press(sea.anna, message, agreeing(sea))
    assert step_no(sea) == 0
    assert HU.say("say.resolved") in await sea.press(sea.bela, message, agreeing(sea))
    assert step_no(sea) == 1
    bodies = {row["request_id"]: row["body"] for row in sea.rows("answers")["answers"]}
    assert bodies["r1.orders.1"].startswith("B1 RLRLR")
    assert [row["missed"] for row in sea.rows("seats")["seats"]] == [0, 0]
    assert act_kinds(sea) == ["resolve_asked", "resolve_agreed", "resolved_agreed"]
    assert HU.say("act.resolved_agreed") in sea.told()
    assert not refs(sea.again(sea.anna, message))


async def test_a_proposal_ends_with_its_round(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela, missed="hold")
    await sea.command(sea.anna, "host resolve", game="1")
    message, button = proposal(sea), agreeing(sea)
    assert step_no(sea) == 0
    await sea.seal(sea.bela, "B1 FFFFF")
    assert step_no(sea) == 1
    assert not refs(sea.again(sea.anna, message))
    act_id = int(button.split()[1])
    with pytest.raises(Refusal, match="lapsed"):
        await sea.bot.services.repair.agree_to(sea.bela.id, 1, act_id)


@pytest.mark.parametrize("sealed_first", [True, False])
async def test_where_rounds_wait_for_deadlines_nobody_agrees_by_sealing(sea: Sea, sealed_first: bool) -> None:
    await sea.begin_at(AFAR, sea.bela, early=False, missed="hold")
    for at_first in (True, False):
        if at_first == sealed_first:
            await sea.both_seal()
        else:
            assert EN.say("say.resolve_asked") in await sea.command(sea.anna, "host resolve", game="1")
    assert step_no(sea) == 0
    message = proposal(sea)
    assert f"<@{sea.bela.id}>" in text_of(message)
    await sea.press(sea.bela, message, agreeing(sea))
    assert step_no(sea) == 1
    assert "Everyone has sealed or agreed" in sea.told()


async def test_a_manager_who_plays_asks_like_anybody(sea: Sea) -> None:
    sea.bela = sea.manager("bela2")
    await sea.begin_at(AFAR, sea.bela)
    await sea.seal(sea.bela, "B1 FFFFF")
    assert EN.say("say.resolve_asked") in await sea.command(sea.bela, "host resolve", game="1")
    assert step_no(sea) == 0
    await sea.press(sea.anna, proposal(sea), agreeing(sea))
    assert step_no(sea) == 1


@pytest.mark.begun
async def test_nobody_agrees_for_a_seat_that_nobody_holds(sea: Sea) -> None:
    await sea.command(sea.manager(), "host kick", game="1", whose="bela")
    before = sea.rows()
    assert EN.say("refuse.nobody_to_agree") in await sea.command(sea.anna, "host resolve", game="1")
    assert sea.rows() == before
    assert act_kinds(sea) == ["kicked"]
    # Its first captain, who takes it up again, is asked.
    offer = next(message for message in sea.thread.history() if "take_over 1" in refs(message))
    await sea.press(sea.bela, offer, "take_over 1")
    await sea.command(sea.anna, "host resolve", game="1")
    await sea.restart()
    await sea.press(sea.bela, proposal(sea), agreeing(sea))
    assert step_no(sea) == 1


@pytest.mark.begun
async def test_a_paused_game_does_not_go_on_with_anyones_agreement(sea: Sea) -> None:
    await sea.command(sea.anna, "host resolve", game="1")
    await sea.command(sea.manager(), "host pause", game="1")
    assert EN.say("refuse.paused") in await sea.press(sea.bela, proposal(sea), agreeing(sea))
    assert step_no(sea) == 0
    assert act_kinds(sea) == ["resolve_asked", "paused"]


async def test_of_several_captains_all_who_are_missing_must_agree(sea: Sea) -> None:
    lying = ("A1:south @200,80^0", "B1:north @200,520^180", "C1:south @600,80^0", "D1:north @600,520^180")
    position = " ; ".join(["900x600", *(piece.replace(" @", " 4-4+2/6 @") for piece in lying)])
    await sea.begin_at(position, sea.bela, sea.cili, captains=2, galleys="1", computer=1)
    begun = step_no(sea)
    await sea.command(sea.anna, "host resolve", game="1")
    message = proposal(sea)
    assert {f"<@{who.id}>" in text_of(message) for who in (sea.bela, sea.cili)} == {True}
    assert EN.say("say.resolve_agreed") in await sea.press(sea.bela, message, agreeing(sea))
    assert step_no(sea) == begun
    # The last who is missing is replaced by the computer, which never keeps anybody waiting.
    await sea.command(sea.manager(), "host kick", game="1", whose="cili", to_computer=True)
    assert step_no(sea) > begun


@pytest.mark.begun
async def test_a_captain_is_replaced_at_once(sea: Sea) -> None:
    await sea.seal(sea.bela, "B1 RFLFR")
    old = sea.panel(sea.bela)
    said = await sea.command(sea.manager(), "host replace", game="1", whose="bela", substitute=sea.cili)
    assert EN.say("say.replaced", name="cili") in said
    assert sea.rows("seats")["seats"][1]["user_id"] == sea.cili.id
    assert "R F L F R" not in text_of(sea.panel(sea.cili))
    assert not refs(sea.again(sea.bela, old))
    assert "bela's seat to cili" in sea.told()
    assert act_kinds(sea) == ["replaced"]


@pytest.mark.begun
async def test_who_cannot_be_put_in_a_seat(sea: Sea) -> None:
    chief, robot, stranger = sea.manager(), sea.member("robot", bot=True), sea.env.create_user("stranger")
    before = sea.rows()
    for captain, user, refusal in (
        ("nobody", sea.cili, "refuse.no_such_captain"),
        ("#9", sea.cili, "refuse.no_such_captain"),
        ("#2", sea.anna, "refuse.already_there"),
        ("#2", robot, "refuse.is_bot"),
        ("#2", stranger, "refuse.not_member"),
    ):
        said = await sea.command(chief, "host replace", game="1", whose=captain, substitute=user)
        assert EN.say(refusal, piece=captain, name=user.name, who=Markup(f"<@{user.id}>")) in said
    assert sea.rows() == before


@pytest.mark.begun
async def test_a_seat_that_was_taken_away_is_offered_to_everybody(sea: Sea) -> None:
    assert EN.say("say.kicked") in await sea.command(sea.manager(), "host kick", game="1", whose=f"<@{sea.bela.id}>")
    row = sea.rows("seats")["seats"][1]
    assert (row["user_id"], row["computer"]) == (None, 0)
    assert "from anna and nobody" in sea.told()
    assert "aren't a captain" in await sea.command(sea.bela, "orders", game="1")
    assert EN.say("refuse.no_such_captain", piece="bela") in await sea.command(
        sea.anna, "host kick", game="1", whose="bela"
    )
    message = next(message for message in sea.thread.history() if "take_over 1" in refs(message))
    await sea.press(sea.cili, message, "take_over 1")
    await sea.seal(sea.cili, "B1 FFFFF")
    await sea.seal(sea.anna, "A1 FFFFF")
    assert sea.rows("games")["games"][0]["step_no"] == 1


@pytest.mark.begun
async def test_the_computer_takes_a_seat_and_answers_at_once(sea: Sea) -> None:
    await sea.seal(sea.anna, "A1 FFFFF")
    chief = sea.manager()
    await sea.command(chief, "host kick", game="1", whose="bela", to_computer=True)
    assert sea.rows("games")["games"][0]["step_no"] == 1
    givers = {row["request_id"]: row["given_by"] for row in sea.rows("answers")["answers"]}
    assert givers == {"r1.orders.0": "captain", "r1.orders.1": "computer", "r2.orders.1": "computer"}
    assert "bela's seat to the computer" in sea.told()
    # A seat of the computer can be given to somebody, but not by an enemy who plays: nobody offers it.
    for sea.languages[sea.anna.id], texts in (("hu", HU), ("en-US", EN)):
        said = await sea.command(sea.anna, "host replace", game="1", whose="#2", substitute=sea.cili)
        assert texts.say("refuse.not_offered") in said
    await sea.command(chief, "host replace", game="1", whose="#2", substitute=sea.cili)
    assert "cili" in sea.told()
    assert set(refs(sea.panel(sea.cili))) == {"unseal", "page 1"}


async def test_a_manager_who_plays_takes_no_seat_from_a_captain_who_is_there(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela, missed="hold")
    before = {**sea.rows(), "players": []}  # their language follows their Discord's

    async def refused(act: str, **options: Any) -> None:
        for sea.languages[sea.anna.id], texts in (("en-US", EN), ("hu", HU)):
            said = await sea.command(sea.anna, f"host {act}", game="1", whose="bela", **options)
            assert texts.say("refuse.not_absent", name="bela") in said

    await refused("kick")
    await refused("kick", to_computer=True)
    await refused("replace", substitute=sea.cili)
    assert {**sea.rows(), "players": []} == before
    # Managers may give their own seat away; captains who let two deadlines pass have only themselves to thank.
    for count in (1, 2):
        await sea.seal(sea.anna, "A1 RLRLR")
        await refused("kick")
        await sea.env.advance_time(25 * 3600)
        assert [row["missed"] for row in sea.rows("seats")["seats"]] == [0, count]
    assert HU.say("say.kicked") in await sea.command(sea.anna, "host kick", game="1", whose="bela")
    sea.languages[sea.anna.id] = "en-US"
    said = await sea.command(sea.anna, "host replace", game="1", whose="anna", substitute=sea.cili)
    assert EN.say("say.replaced", name="cili") in said
    assert act_kinds(sea) == ["offered", "kicked", "replaced"]


async def test_a_host_turns_somebody_out_of_the_lobby(sea: Sea) -> None:
    await sea.command(sea.anna, "new")
    await sea.command(sea.bela, "join")
    assert EN.say("refuse.no_captain_there") in await sea.command(sea.anna, "host kick", game="1", whose="anna")
    assert EN.say("say.kicked") in await sea.command(sea.anna, "host kick", game="1", whose="bela")
    assert [row["user_id"] for row in sea.rows("seats")["seats"]] == [sea.anna.id, None]
    assert not sea.channel.threads
    assert act_kinds(sea) == ["kicked"]


@pytest.mark.begun
async def test_what_was_deleted_is_posted_again(sea: Sea) -> None:
    await sea.both_seal("A1 FFFFF", "B1 RLRLR")
    story, listed = sea.thread.history()[-2:]
    assert "log" in refs(story)
    assert "orders" in refs(listed)
    panel = sea.panel(sea.bela)
    for place, message in ((sea.thread, story), (sea.thread, listed), (sea.bela.user.dm_channel, panel)):
        sea.env.backend.delete_message(place.id, message.id)
    assert EN.say("say.reposted") in await sea.command(sea.anna, "host repost", game="1")
    again = [text_of(message) for message in sea.thread.history()]
    assert text_of(story) in again
    assert text_of(listed) in again
    assert text_of(sea.panel(sea.bela)) == text_of(panel)
    await sea.seal(sea.bela, "B1 FFFFF")
    report = next(message for message in sea.thread.history() if text_of(message).startswith("The game is waiting for"))
    assert "Sealed by bela" in text_of(report)


@pytest.mark.parametrize("lobby_too", [False, True])
@pytest.mark.begun
async def test_a_game_whose_thread_was_deleted_gets_another(sea: Sea, lobby_too: bool) -> None:
    old = sea.thread.id
    sea.env.backend.delete_channel(old)
    if lobby_too:
        for message in sea.channel.history():
            sea.env.backend.delete_message(sea.channel.id, message.id)
    assert EN.say("say.reposted") in await sea.command(sea.anna, "host repost", game="1")
    assert sea.rows("games")["games"][0]["thread_id"] == sea.thread.id
    assert "Dice fingerprint" in sea.told()
    assert "from anna and bela" in sea.told()
    await sea.both_seal()
    assert "B1 (bela)" in sea.told()


async def test_a_lobby_is_posted_again(sea: Sea) -> None:
    await sea.command(sea.anna, "new", name="Salamis")
    (lobby,) = [message for message in sea.channel.history() if "join 1" in refs(message)]
    sea.env.backend.delete_message(sea.channel.id, lobby.id)
    await sea.command(sea.anna, "host repost", game="1")
    (lobby,) = [message for message in sea.channel.history() if "join 1" in refs(message)]
    await sea.press(sea.bela, lobby, "join 1")
    assert sea.rows("seats")["seats"][1]["user_id"] == sea.bela.id


async def test_the_log_has_it_all_for_those_in_charge_alone(sea: Sea) -> None:
    sea.languages[sea.anna.id] = "hu"
    await sea.begin_at(AFAR, sea.bela)
    assert HU.say("admin.log_empty") in await sea.command(sea.anna, "host log", game="1")
    chief = sea.manager()
    await sea.command(chief, "host kick", game="1", whose="bela")
    await sea.command(chief, "host resolve", game="1")
    before = len(sea.env.http_requests)
    said = await sea.command(sea.anna, "host log", game="1")
    assert "elvette bela helyét" in said
    assert "továbbléptette a játszmát" in said
    assert sea.answers[0].flags.ephemeral
    assert {reader for reader, _ in list(readers(sea))[before:]} <= {sea.anna.id, None}


async def test_nothing_can_be_set_right_before_the_beginning_or_after_the_end(sea: Sea) -> None:
    await sea.command(sea.anna, "new")
    for act in ("resolve", "undo"):
        assert EN.say("refuse.not_started") in await sea.command(sea.anna, f"host {act}", game="1")
    await sea.command(sea.bela, "join")
    await sea.command(sea.anna, "start")
    await sea.concede(sea.bela)
    for act in ("resolve", "undo", "repost"):
        assert EN.say("refuse.game_over") in await sea.command(sea.anna, f"host {act}", game="1")
    assert EN.say("refuse.game_over") in await sea.command(
        sea.anna, "host replace", game="1", whose="bela", substitute=sea.cili
    )
    assert "no game `#55`" in await sea.command(sea.anna, "host undo", game="55")


@pytest.mark.begun
async def test_seats_are_suggested_by_name(sea: Sea) -> None:
    choices = await sea.anna.autocomplete(sea.channel, "galley-host kick", "whose", "be", game="1")
    assert [(choice["name"], choice["value"]) for choice in choices] == [("#2 bela", "#2")]


@pytest.mark.begun
async def test_the_clock_is_stopped_started_and_set_by_those_in_charge(sea: Sea) -> None:
    chief = sea.manager()
    for act in ("pause", "resume", "extend"):
        assert EN.say("refuse.not_in_charge") in await sea.command(sea.bela, f"host {act}", game="1")
    assert act_kinds(sea) == []
    assert EN.say("say.done") in await sea.command(chief, "host pause", game="1")
    assert EN.say("refuse.already_paused") in await sea.command(chief, "host pause", game="1")
    assert EN.say("refuse.paused") in await sea.command(sea.anna, "host resolve", game="1")
    await sea.env.advance_time(3 * 86_400)
    assert sea.rows("games")["games"][0]["step_no"] == 0
    # A captain can only ask the other side for the end of a referee's pause.
    assert EN.say("say.resume_asked") in await sea.command(sea.anna, "host resume", game="1")
    assert sea.rows("games")["games"][0]["paused_at"]
    await sea.command(chief, "host resume", game="1")
    before = sea.rows("games")["games"][0]["deadline"]
    assert before > sea.now().timestamp()
    assert "`soon`" in await sea.command(sea.anna, "host extend", game="1", by="soon")
    await sea.command(chief, "host extend", game="1", by="6h")
    assert sea.rows("games")["games"][0]["deadline"] == before + 6 * 3600
    assert act_kinds(sea) == ["paused", "resume_asked", "resumed", "extended_alone"]
    assert f"<@{chief.id}> paused the game" in sea.told()
