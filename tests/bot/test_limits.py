"""All that counts against a limit ends by itself, and a manager can end it earlier: `LIMITS` lists it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from bot.config import BotSettings
from bot.lifecycle.process.terms import LIMITS, Limit
from bot.lifecycle.steps import runner
from bot.record.export import check_export
from bot.texts.i18n import Catalogue, Localizer
from tests.bot.limits import limits_in_the_code
from tests.bot.papers import exported
from tests.bot.test_campaign import MEETING, gulf
from tests.bot.test_keepsakes import given, kept, opened
from tests.sea import AFAR, Sea, refs, text_of

DAY_S = 86_400
EN, HU = Catalogue.load("en"), Catalogue.load("hu")


def game(sea: Sea, game_id: int = 1) -> dict[str, Any]:
    return next(row for row in sea.rows("games")["games"] if row["id"] == game_id)


def kinds(sea: Sea) -> list[str]:
    return [row["kind"] for row in sea.rows("acts")["acts"]]


def agree(message: Any) -> str:
    return next(key for key in refs(message) if key.startswith("agree"))


async def pause_by_agreement(sea: Sea) -> None:
    await sea.command(sea.anna, "extend", game="1", pause=True)
    asked = sea.thread.history()[-1]
    await sea.press(sea.bela, asked, agree(asked))
    assert game(sea)["paused_at"]


async def is_room_for_another(sea: Sea) -> bool:
    before = len(sea.rows("games")["games"])
    await sea.command(sea.cili, "new")
    return len(sea.rows("games")["games"]) > before


@pytest.mark.parametrize("language", ["en", "hu"])
async def test_a_lobby_ends_by_itself_and_says_so_to_its_channel_and_its_host(sea: Sea, language: str) -> None:
    sea.move_to_server(language)
    sea.languages[sea.anna.id] = language
    await sea.command(sea.manager(), "host settings", most_games=1)
    await sea.command(sea.anna, "new")
    await sea.env.advance_time(6 * DAY_S)
    await sea.command(sea.bela, "join", game="1")  # a change
    await sea.restart(after_s=2 * DAY_S)  # nobody could change it
    await sea.env.advance_time(6 * DAY_S)
    assert game(sea)["phase"] == "lobby"
    assert not await is_room_for_another(sea)
    await sea.env.advance_time(1 * DAY_S + 7_200)
    assert (game(sea)["phase"], kinds(sea)) == ("cancelled", ["lobby_over"])
    reason = Localizer(Catalogue.load(language)).say("act.lobby_over", days=7)
    assert reason in text_of(sea.channel.history()[-1])
    assert reason in text_of(sea.dms(sea.anna)[-1])
    assert await is_room_for_another(sea)


async def test_a_manager_ends_a_lobby_whose_host_has_left(sea: Sea) -> None:
    manager = sea.manager()
    await sea.command(manager, "host settings", most_games=1)
    await sea.command(sea.anna, "new")
    assert EN.say("refuse.not_in_charge") in await sea.command(sea.cili, "host end", game="1")
    assert game(sea)["phase"] == "lobby"
    sea.guild.remove_member(sea.anna)
    await sea.settle()
    assert EN.say("say.done") in await sea.command(manager, "host end", game="1")
    assert game(sea)["phase"] == "cancelled"
    assert "cancelled this game before it began" in text_of(sea.channel.history()[-1])
    assert await is_room_for_another(sea)
    assert EN.say("refuse.game_over") in await sea.command(manager, "host end", game="1")


@pytest.mark.parametrize("language", ["en", "hu"])
async def test_a_game_in_which_nobody_acts_is_called_off_unrated(sea: Sea, language: str) -> None:
    sea.move_to_server(language)
    sea.languages |= {sea.anna.id: language, sea.bela.id: language}
    await sea.command(sea.manager(), "host settings", most_games=1)
    await sea.begin_at(AFAR, sea.bela, missed="hold", phase="7d")
    await sea.env.advance_time(8 * DAY_S)
    await sea.seal(sea.anna, "A1 FFFFF")  # as late as this somebody has acted
    await sea.env.advance_time(29 * DAY_S)
    assert game(sea)["phase"] == "running"
    await sea.env.advance_time(1 * DAY_S + 7_200)
    assert (game(sea)["phase"], game(sea)["rated"]) == ("over", 0)
    catalogue = Catalogue.load(language)
    reason = Localizer(catalogue).say("act.lapsed", days=30)
    assert reason in sea.told()
    assert catalogue.say("reason.called_off") in sea.told()
    assert reason in "\n".join(map(text_of, sea.dms(sea.anna)))
    assert not [row for row in sea.rows("ratings")["ratings"] if row["counted"]]
    record = await exported(sea, sea.cili)
    assert check_export(record) is None
    assert game(sea)["seed"].encode() in record
    verified = await sea.command(sea.cili, "verify", game="1")
    assert "is right" in verified
    assert EN.say("proof.unchained") not in verified
    assert await is_room_for_another(sea)


async def test_a_game_whose_phases_are_long_may_rest_for_two_of_them(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela, missed="hold", phase="29d")
    await sea.env.advance_time(57 * DAY_S)
    assert game(sea)["phase"] == "running"
    await sea.env.advance_time(2 * DAY_S)
    assert game(sea)["phase"] == "over"


async def test_a_deserted_game_is_called_off_and_a_manager_can_end_it_at_once(sea: Sea) -> None:
    manager = sea.manager()
    for number in (1, 2):
        await sea.command(sea.anna, "new")
        await sea.command(sea.anna, "start", game=str(number))
    await sea.env.advance_time(3 * DAY_S)
    assert kinds(sea).count("deserted") == 2
    assert EN.say("refuse.not_in_charge") in await sea.command(sea.cili, "host end", game="1")
    assert EN.say("refuse.ends_by_draw") in await sea.command(sea.anna, "host end", game="1")
    await sea.command(manager, "host end", game="1")
    assert (game(sea, 1)["phase"], game(sea, 2)["phase"]) == ("over", "running")
    await sea.env.advance_time(30 * DAY_S + 7_200)
    assert game(sea, 2)["phase"] == "over"
    assert kinds(sea).count("lapsed") == 1


@pytest.mark.parametrize("language", ["en", "hu"])
async def test_an_agreed_pause_ends_by_itself(sea: Sea, language: str) -> None:
    sea.move_to_server(language)
    sea.languages |= {sea.anna.id: language, sea.bela.id: language}
    await sea.begin_at(AFAR, sea.bela)
    await pause_by_agreement(sea)
    await sea.env.advance_time(29 * DAY_S)
    assert game(sea)["paused_at"]
    await sea.env.advance_time(1 * DAY_S + 7_200)
    assert game(sea)["paused_at"] is None
    assert game(sea)["phase"] == "running"
    assert game(sea)["deadline"] > sea.bot.services.now(), "everybody has the time that was left"
    begin_of_reason = Catalogue.load(language).template("act.pause_over").partition("{")[0].strip()
    assert begin_of_reason in sea.told()
    assert begin_of_reason in "\n".join(map(text_of, sea.dms(sea.anna)))


@pytest.mark.begun
async def test_a_manager_ends_no_game_that_people_play(sea: Sea) -> None:
    manager = sea.manager()
    assert EN.say("refuse.not_idle") in await sea.command(manager, "host end", game="1")
    await pause_by_agreement(sea)
    await sea.env.advance_time(5 * DAY_S)
    assert EN.say("refuse.ends_after_pause") in await sea.command(manager, "host end", game="1")
    await sea.command(manager, "host resume", game="1")
    assert EN.say("refuse.not_idle") in await sea.command(manager, "host end", game="1")
    assert game(sea)["phase"] == "running"
    await sea.env.advance_time(DAY_S + 1)
    assert EN.say("refuse.not_idle") in await sea.command(manager, "host end", game="1"), "somebody may have sealed"
    await sea.env.advance_time(2 * DAY_S + 1)
    await sea.command(manager, "host end", game="1")
    assert (game(sea)["phase"], game(sea)["rated"]) == ("over", 0)


async def bela_seals_before_an_extension(sea: Sea, days: int) -> None:
    await sea.env.advance_time(60)
    await sea.seal(sea.bela, "B1 RLRLR")
    for table in ("games", "requests"):
        sea.change_rows(f"UPDATE {table} SET deadline = deadline + ?", days * DAY_S)


@pytest.mark.begun
async def test_a_manager_ends_no_game_in_a_phase_that_was_extended(sea: Sea) -> None:
    """A captain who has sealed can't act before the deadline."""
    await bela_seals_before_an_extension(sea, 2)
    await sea.env.advance_time(2 * DAY_S + 3_600)
    assert game(sea)["step_no"] == 0
    assert EN.say("refuse.not_idle") in await sea.command(sea.manager(), "host end", game="1")
    await sea.env.advance_time(DAY_S)
    assert game(sea)["step_no"] > 0
    assert EN.say("refuse.not_idle") in await sea.command(sea.manager(), "host end", game="1"), "nor right after it"
    await sea.env.advance_time(2 * DAY_S)
    await sea.command(sea.manager(), "host end", game="1")
    assert game(sea)["phase"] == "over"


@pytest.mark.parametrize("settings", [{"idle_days": 3}])
async def test_captains_who_order_by_drafts_play_the_game(sea: Sea) -> None:
    """At the deadline complete drafts are sent as orders."""
    await sea.begin_at(AFAR, sea.bela, missed="hold")
    for _ in range(4):
        await sea.write(sea.anna, "A1 RLRLR")
        await sea.write(sea.bela, "B1 RLRLR")
        await sea.env.advance_time(DAY_S + 60)
    assert {row["given_by"] for row in sea.rows("answers")["answers"]} == {"draft"}
    assert game(sea)["phase"] == "running"
    assert EN.say("refuse.not_idle") in await sea.command(sea.manager(), "host end", game="1")


@pytest.mark.parametrize("settings", [{"idle_days": 3}])
async def test_no_game_ends_by_itself_in_a_phase_that_was_extended(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela, missed="hold")
    await bela_seals_before_an_extension(sea, 4)
    await sea.env.advance_time(4 * DAY_S)
    assert (game(sea)["phase"], game(sea)["step_no"]) == ("running", 0)
    await sea.env.advance_time(DAY_S)
    assert (game(sea)["phase"], game(sea)["step_no"] > 0) == ("running", True)


async def test_no_game_is_idle_in_a_phase_that_an_outage_moved(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela, missed="hold")
    await bela_seals_before_an_extension(sea, 5)
    await sea.restart(after_s=3 * 3_600)
    await sea.env.advance_time(5 * DAY_S)
    assert game(sea)["step_no"] == 0
    assert EN.say("refuse.not_idle") in await sea.command(sea.manager(), "host end", game="1")


async def with_crews(sea: Sea) -> None:
    given(sea, sea.anna, 1, "Argo", xp=9, promotions="rm")
    given(sea, sea.bela, 1, "Hydra", xp=9, promotions="rm")
    await opened(sea, sea.bela)
    await sea.seal(sea.anna, "c1")
    await sea.seal(sea.bela, "c1")
    assert kept(sea, sea.anna)[1]["game_id"] == 1


async def test_no_pause_holds_crews_for_ever(sea: Sea) -> None:
    await with_crews(sea)
    await sea.bot.services.channels.note_lost_server(sea.guild.id)
    assert game(sea)["paused_at"]
    await sea.env.advance_time(30 * DAY_S + 7_200)
    assert game(sea)["phase"] == "over"
    assert [kept(sea, who)[1]["game_id"] for who in (sea.anna, sea.bela)] == [None, None]
    assert kinds(sea)[-2:] == ["sent_home", "lapsed"]


async def open_proposal(sea: Sea) -> Any:
    await sea.begin_at(AFAR, sea.bela, missed="hold")
    await sea.command(sea.anna, "host resolve", game="1")
    assert EN.say("refuse.asked_already") in await sea.command(sea.anna, "host resolve", game="1")
    return sea.thread.history()[-1]


async def test_a_proposal_ends_with_its_round_and_a_manager_ends_the_round(sea: Sea) -> None:
    proposal = await open_proposal(sea)
    await sea.command(sea.manager(), "host resolve", game="1")
    assert not refs(sea.again(sea.anna, proposal))
    await sea.command(sea.anna, "host resolve", game="1")
    proposal = sea.thread.history()[-1]
    assert agree(proposal)
    await sea.env.advance_time(DAY_S + 1)
    assert not refs(sea.again(sea.anna, proposal))


async def test_a_manager_frees_the_crews_of_an_idle_game_with_its_losses(sea: Sea) -> None:
    await with_crews(sea)
    manager = sea.manager()
    assert EN.say("refuse.not_idle") in await sea.command(manager, "host end", game="1")
    await sea.env.advance_time(10)
    sea.change_rows("UPDATE answers SET sealed_at = sealed_at - ?", 5 * DAY_S)
    sea.change_rows("UPDATE steps SET resolved_at = resolved_at - ?", 5 * DAY_S)
    sea.change_rows("UPDATE steps SET resolved_at = resolved_at + ? WHERE no = (SELECT max(no) FROM steps)", DAY_S)
    sea.change_rows("UPDATE requests SET asked_at = asked_at - ?", 4 * DAY_S)
    sea.change_rows("UPDATE games SET deadline = deadline - ?", 4 * DAY_S)
    await sea.command(manager, "host end", game="1")
    assert game(sea)["phase"] == "over"
    assert [kept(sea, who)[1]["game_id"] for who in (sea.anna, sea.bela)] == [None, None]
    assert kinds(sea)[-2:] == ["sent_home", "ended"]


async def test_battles_of_a_season_and_games_that_cannot_be_played_take_no_place(sea: Sea) -> None:
    await sea.command(sea.manager(), "host settings", most_games=2)
    await sea.begin_at(gulf(3, *MEETING), sea.bela, system="campaign", map="gulf", early=True)
    await sea.seal(sea.anna, "A1 A2 A3: EGU attack")
    await sea.seal(sea.bela, "repair all")
    assert [row["parent_id"] for row in sea.rows("games")["games"]] == [None, 1]
    assert await is_room_for_another(sea)
    assert not await is_room_for_another(sea)
    sea.change_rows("UPDATE games SET system = 'gone' WHERE id = 3")
    assert await is_room_for_another(sea)


IN_DISCORD = {
    "a lobby": (
        test_a_lobby_ends_by_itself_and_says_so_to_its_channel_and_its_host,
        test_a_manager_ends_a_lobby_whose_host_has_left,
    ),
    "a running game": (
        test_a_game_in_which_nobody_acts_is_called_off_unrated,
        test_a_manager_ends_no_game_that_people_play,
    ),
    "a game that stands still": (
        test_a_deserted_game_is_called_off_and_a_manager_can_end_it_at_once,
        test_a_deserted_game_is_called_off_and_a_manager_can_end_it_at_once,
    ),
    "an agreed pause": (test_an_agreed_pause_ends_by_itself, test_a_manager_ends_no_game_that_people_play),
    "a proposal": (
        test_a_proposal_ends_with_its_round_and_a_manager_ends_the_round,
        test_a_proposal_ends_with_its_round_and_a_manager_ends_the_round,
    ),
    "a kept crew": (test_no_pause_holds_crews_for_ever, test_a_manager_frees_the_crews_of_an_idle_game_with_its_losses),
}
"""The tests that prove that each ends by itself, and that a manager can end it."""
WHILE_UNREAD = [
    (test_a_lobby_ends_by_itself_and_says_so_to_its_channel_and_its_host, {"language": "en"}),
    (test_a_game_in_which_nobody_acts_is_called_off_unrated, {"language": "en"}),
    (test_a_manager_ends_no_game_that_people_play, {}),
    (test_a_deserted_game_is_called_off_and_a_manager_can_end_it_at_once, {}),
    (test_an_agreed_pause_ends_by_itself, {"language": "en"}),
    (test_no_pause_holds_crews_for_ever, {}),
    (test_a_manager_frees_the_crews_of_an_idle_game_with_its_losses, {}),
]
"""Those that hold also while threads can't be read. A proposal ends with its round, which waits, or its game."""
ELSEWHERE = {
    "an opening of a game": "bot/services/test_flooding.py::test_members_of_a_server_open_only_so_many_games_together",
    "dice thrown away": "attacks/test_abandoned_lobbies.py::test_what_is_long_ago_is_not_held_against_anybody",
    "a post for others": "bot/services/test_flooding.py::test_a_manager_reposts_only_so_often",
    "rated games of a pair": "bot/lifecycle/test_rating_limits.py"
    "::test_of_a_weeks_games_against_one_captain_only_some_count",
    "an announcement": "bot/services/test_host.py::test_all_running_games_show_an_announcement_once_in_their_language",
    "an open form": "bot/discord/test_order_forms.py::test_three_hundred_opened_forms_leave_no_form_and_no_timer",
    "a check of a record": "bot/record/test_checks.py::test_what_takes_too_much_is_not_tried_again",
    "a trial of a scenario": "test_scenarios.py::test_a_scenario_that_takes_too_much_is_refused_in_words",
    "a picture, film or export": "bot/jobs/test_fairness.py::test_a_third_picture_is_refused",
    "the deletion of one's messages": "bot/services/test_forgetting.py::test_one_thing_at_a_time_is_done_for_somebody",
    "one of the games or pictures that are worked on at once": "bot/jobs/test_fairness.py"
    "::test_a_job_that_hangs_is_told_and_loses_nothing",
    "a place in a cache": "bot/jobs/test_kept.py::test_a_job_is_done_once_for_values_that_come_again_soon",
}
"""The tests that prove that each ends by itself; no manager needs to end it."""
NOT_HELD = {
    *("already_in", "cannot_forbid", "computers", "full", "option", "services.lobby.MAX_EXTENSIONS"),  # of one game
    *("too_long", "scenario_too_long", "record.bundle.MAX_RECORDS"),  # the size of one text or file
    *("away_when", "length_bounds", "pace", "zone_offset", "services.preferences.MAX_ABSENCE"),  # bounds of one value
    *("changed", "stale", "edited_late", "not_started", "no_such_lesson", "unknown_game", "which_game"),
    *("messages.choosing.MAX_NAMED_GREY_BUTTONS", "presenters.glance.MAX_ROWS_BELOW"),  # what one message shows
    *(
        "jobs.practice.MAX_ACTS",
        "jobs.turns.MAX_STEPS_PER_ROUND",
        "engine.writer_queue.MAX_PASSES",
    ),  # an order of turns
    *("queries.messages.MAX_TRIES_IN_ORDER", "interactions.panels.MAX_NOT_KEPT", "bot.logs.MAX_KINDS"),  # tries, logs
    *("pages.downloads.MAX_ARCHIVES", "pages.sending.MAX_DOWNLOADS"),  # a download ends, or makes room for another
    "pages.site.MAX_STREAMS",  # a place is free again when its reader has left
    "services.page_upkeep.MAX_REDRAWN_PER_HOUR",  # counts one hour
    *(
        "discord.identifying.MAX_WITHOUT_PAUSE",
        "delivery.own_messages.MAX_MESSAGES_READ",
        "delivery.threads.MAX_RENAMES",
    ),
}
"""Values that the code compares with a number although nobody holds a place by them."""


def test_each_limit_in_the_code_is_in_the_list() -> None:
    """Add a new limit to `LIMITS`, and to `IN_DISCORD` or `ELSEWHERE` what proves that it ends."""
    listed = {name for limit in LIMITS for name in limit.limits}
    assert limits_in_the_code() == listed | NOT_HELD
    assert not listed & NOT_HELD


def test_a_limit_that_is_added_to_the_code_is_found(tmp_path: Path) -> None:
    (tmp_path / "flags.py").write_text(
        "MAX_FLAGS: Final = 3\n"
        "def hoist(flags):\n    if len(flags) >= MAX_FLAGS:\n        raise Refusal('too_many_flags')\n"
    )
    assert {"too_many_flags", f"{tmp_path.name}.flags.MAX_FLAGS"} <= limits_in_the_code(tmp_path)


@pytest.mark.parametrize("limit", LIMITS, ids=lambda limit: limit.counted)
def test_each_limit_has_a_term_and_a_proof(limit: Limit) -> None:
    settings = {name for name in BotSettings.model_fields if name.endswith("_days")}
    if limit.counted in IN_DISCORD:
        assert limit.manager.startswith("/galley-host ")
        assert limit.term in settings or limit.counted in ("a proposal", "a kept crew"), "these end with their game"
    else:
        assert limit.manager.startswith("none: ")
        file, _, name = ELSEWHERE[limit.counted].partition("::")
        assert any(f"def {name}(" in path.read_text() for path in Path(__file__).parents[1].glob(f"**/{file}"))
    assert limit.term


def test_nothing_is_proved_that_is_not_in_the_list() -> None:
    assert {limit.counted for limit in LIMITS} == IN_DISCORD.keys() | ELSEWHERE.keys()


def test_all_but_a_proposal_are_tried_while_threads_cannot_be_read() -> None:
    tried = {proof for proof, _ in WHILE_UNREAD}
    assert {name for name, proofs in IN_DISCORD.items() if tried.isdisjoint(proofs)} == {"a proposal"}


@pytest.mark.parametrize(("proof", "arguments"), WHILE_UNREAD, ids=lambda value: getattr(value, "__name__", ""))
async def test_all_ends_also_while_threads_cannot_be_read(
    sea: Sea, proof: Callable[..., Awaitable[None]], arguments: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    if [mark for mark in getattr(proof, "pytestmark", []) if mark.name == "begun"]:
        await sea.begin_at(AFAR, sea.bela)
    advance_time = sea.env.advance_time
    is_unread = False
    deserts_first = proof is test_a_deserted_game_is_called_off_and_a_manager_can_end_it_at_once

    async def hide_threads() -> None:
        nonlocal is_unread
        if not is_unread:
            is_unread = True
            sea.env.inject_error("GET", "/channels/*/messages", status=403, code=50001, times=None)
            await sea.restart()

    async def advance_unread(seconds: float) -> None:
        if not deserts_first:  # without a comparison nobody misses a deadline
            await hide_threads()
        await advance_time(seconds)
        if seconds >= DAY_S:
            await hide_threads()

    monkeypatch.setattr(sea.env, "advance_time", advance_unread)
    monkeypatch.setattr(runner, "RETRY_AFTER_S", DAY_S // 2)  # 30 days of minutes would take long
    await proof(sea, **arguments)
    assert is_unread


@pytest.mark.parametrize("setting", ["lobby_days", "idle_days", "pause_days"])
@pytest.mark.parametrize("days", [0, -1, 366, "soon"])
def test_a_term_is_from_a_day_to_a_year(setting: str, days: object) -> None:
    with pytest.raises(ValidationError, match=setting):
        BotSettings(**{setting: days})


@pytest.mark.parametrize("settings", [{"picture_width": 320, "lobby_days": 2, "idle_days": 3, "pause_days": 1}])
async def test_the_operator_sets_the_terms(sea: Sea) -> None:
    await sea.command(sea.cili, "new")
    await sea.begin_at(AFAR, sea.bela, missed="hold")
    await sea.env.advance_time(2 * DAY_S + 7_200)
    assert (game(sea, 1)["phase"], game(sea, 2)["phase"]) == ("cancelled", "running")
    await sea.env.advance_time(DAY_S + 7_200)
    assert game(sea, 2)["phase"] == "over"


async def test_time_without_the_bot_counts_towards_no_term(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela, missed="hold", phase="7d")
    await sea.env.advance_time(20 * DAY_S)
    await sea.restart(after_s=40 * DAY_S)
    await sea.env.advance_time(9 * DAY_S)
    assert game(sea)["phase"] == "running"
    await sea.env.advance_time(1 * DAY_S + 7_200)
    assert (game(sea)["phase"], kinds(sea)[-1]) == ("over", "lapsed")
