"""Custom ids that no button of ours ever carried: refused in a sentence, and never logged as our fault."""

from __future__ import annotations

import itertools
import re
from typing import Any, NamedTuple

import pytest

from bot.discord.ids import CustomId, parse_custom_id
from bot.texts.i18n import Catalogue
from bot.texts.style import Markup
from tests.fuzz.forger import Forger
from tests.sea import AFAR, Sea, text_of

EN = Catalogue.load("en")

ODD = ("²", "9" * 80, "-1", "٣", "1e3", "+1", " 1", "0x1", "1_0")
"""Texts that `int` accepts or fails on, and that no button carries."""


def test_only_plain_short_numbers_are_numbers() -> None:
    assert CustomId(verb="join", game=1, token="12").token_as_number == 12
    assert [CustomId(verb="join", game=1, token=token).token_as_number for token in ODD] == [None] * len(ODD)
    for number in ("²", "٣", "9" * 10, "-1", ""):
        assert parse_custom_id(f"wg/join/{number}/0//1") is None, number
        assert parse_custom_id(f"wg/join/1/{number}//1") is None, number


@pytest.mark.begun
async def test_numbers_that_are_none_are_no_fault_of_ours(sea: Sea) -> None:
    await sea.command(sea.anna, "new")
    forger, stranger = Forger(sea, sea.anna), Forger(sea, sea.cili)
    for token in ("²", "9" * 80):
        assert await forger.press(CustomId(verb="agree", game=1, token=token).pack())
        assert await forger.press(CustomId(verb="agree_act", game=1, token=token).pack())
        assert await stranger.press(CustomId(verb="take_over", game=1, token=token).pack())
        assert await forger.press(CustomId(verb="join", game=2, token=token).pack())
    assert not sea.faults


MEANT = CustomId(verb="meant", game=1).pack()


# A forged "meant" on a public message must not delete it: the thread's seals, orders, the lobby.
@pytest.mark.begun
async def test_nobody_deletes_what_all_see(sea: Sea) -> None:
    await sea.seal(sea.bela, "B1 FFFFF")
    told = [message for place in (sea.thread, sea.channel) for message in place.history() if message.author.bot]
    assert told
    for message in told:
        stored = sea.env.backend.messages[message.channel.id][message.id]
        button = {"type": 2, "style": 2, "label": "x", "custom_id": MEANT}  # as `tests/fuzz/forger.py` forges one
        stored.components = [*stored.components, {"type": 1, "components": [button]}]
        await sea.anna.click(message, custom_id=MEANT)
    await sea.settle()
    left = {message.id for place in (sea.thread, sea.channel) for message in place.history()}
    assert [message.id for message in told if message.id not in left] == []


REFS = [
    CustomId(verb="page", game=1, token="1"),
    CustomId(verb="press", game=1, token="order.F"),
    CustomId(verb="lesson", game=0, request="matchbox"),
    CustomId(verb="play_on", game=1),
    CustomId(verb="options", game=2, token="1"),
    CustomId(verb="rule", game=1, version=1, token="RS-21.4"),
]


# Forged presses on a public message write nothing over it: seals, orders, results.
@pytest.mark.begun
async def test_nobody_writes_over_what_all_see(sea: Sea) -> None:
    await sea.seal(sea.bela, "B1 FFFFF")
    await sea.command(sea.bela, "new")  # a lobby whose options are not for Anna
    told = [message for message in sea.thread.history() if message.author.bot]
    before = {message.id: text_of(message) for message in told}
    for message, ref in itertools.product(told, REFS):
        stored = sea.env.backend.messages[message.channel.id][message.id]
        button = {"type": 2, "style": 2, "label": "x", "custom_id": ref.pack()}
        stored.components = [*stored.components, {"type": 1, "components": [button]}]
        await sea.anna.click(message, custom_id=ref.pack())
        await sea.settle()
    now = {message.id: text_of(message) for message in sea.thread.history() if message.id in before}
    assert now == before


# --- every verb, with ids of another game, request or seat ---------------------------------------------------------

OVER, RUNNING, ELSEWHERE, LOBBY = 1, 2, 3, 4
"""Games: of Anna and Béla one that is over, one that goes on, and a lobby; of Cili and Dora one that goes on."""
FIRST, SECOND = "r1.orders.0", "r1.orders.1"
"""Requests of the first and the second seat of both games; in the second game, Cili holds the first seat."""
SECRET = ("RFLRF", "R F L R F")
"""The others' draft, as it is typed and as panels show it."""
FORMS = {"form_sent", "join_sent", "keepsake_named", "me_sent", "rematch_sent", "scenario_sent", "typed", "word_sent"}
"""Verbs that forms carry."""
LISTS = {"about", "keepsake", "lesson_pick", "lobby_game", "me_pick", "option", "pick"}
"""Verbs that lists carry."""


class Forged(NamedTuple):
    """A custom id that only somebody else's button could carry."""

    refused: str
    """The key of the sentence that is all there is to be had; empty: it shows what anybody, or its presser, may see."""
    game: int
    request: str = ""
    token: str = ""
    """`ACT` stands for the number of what Anna has proposed."""


def of_a_panel(token: str = "") -> tuple[Forged, ...]:
    return (Forged("not_seated", RUNNING, FIRST, token), Forged("stale", ELSEWHERE, SECOND, token))


def of_a_proposal(lapsed: str) -> tuple[Forged, ...]:
    return (Forged("not_seated", RUNNING, token="ACT"), Forged(lapsed, ELSEWHERE, token="ACT"))


def of_a_lobby(refused: str, token: str = "") -> tuple[Forged, ...]:
    return (Forged(refused, LOBBY, token=token), Forged("already_started", RUNNING, token=token))


def of_anna(refused: str) -> tuple[Forged, ...]:
    return tuple(Forged(refused, 0, token=token) for token in ("matchbox.1", "matchbox.0", ".", "matchbox.²"))


ONES_OWN = (Forged("", 0), Forged("", RUNNING, FIRST, "0"))
FORGED: dict[str, tuple[Forged, ...]] = {
    **dict.fromkeys(("about", "forget", "forget_now", "games", "help", "keepsakes", "learn", "lesson"), ONES_OWN),
    **dict.fromkeys(("lesson_hint", "lesson_page", "lesson_pick", "lesson_press", "lesson_try"), ONES_OWN),
    **dict.fromkeys(("my_data", "my_games", "new", "play"), ONES_OWN),
    **dict.fromkeys(
        ("film", "legend", "log", "replay", "sealed", "view", "why", "why_last", "why_ship"),
        (Forged("", RUNNING), Forged("", OVER)),
    ),
    **dict.fromkeys(("me_form", "me_pick", "me_sent"), (Forged("stale", 0), Forged("stale", RUNNING, FIRST, "0"))),
    "rule": tuple(Forged("", game, token="RS-21.4") for game in (RUNNING, OVER, 99)),
    **dict.fromkeys(("advised_page", "correct", "hint", "meant", "seal", "type", "typed", "unseal"), of_a_panel()),
    **dict.fromkeys(("form", "form_sent"), of_a_panel("A1")),
    "pick": of_a_panel("galley.A1"),
    "press": of_a_panel("order.F"),
    **dict.fromkeys(("take", "take_and_seal"), of_a_panel("5")),
    "orders": (Forged("not_seated", RUNNING, FIRST), Forged("", ELSEWHERE, SECOND)),
    "page": (Forged("not_seated", RUNNING, FIRST, "1"), Forged("", ELSEWHERE, SECOND, "1")),
    **dict.fromkeys(("agree", "decline"), of_a_proposal("stale")),
    **dict.fromkeys(("agree_act", "decline_act"), of_a_proposal("lapsed")),
    **dict.fromkeys(("ask_concede", "concede"), (Forged("not_seated", RUNNING), Forged("not_seated", OVER))),
    **dict.fromkeys(("ask_undo", "draw"), (Forged("not_seated", RUNNING),)),
    "give_back": (Forged("not_seated", RUNNING), Forged("stale", ELSEWHERE)),
    "decline_draw": (Forged("not_seated", RUNNING), Forged("lapsed", ELSEWHERE)),
    "decline_rematch": (Forged("not_seated", OVER), Forged("not_seated", RUNNING)),
    "propose_undo": (Forged("not_in_charge", RUNNING, token="1"),),
    **dict.fromkeys(("rematch", "rematch_sent"), (Forged("not_seated", OVER), Forged("stale", RUNNING))),
    "chronicle": (Forged("not_over", RUNNING), Forged("no_chronicle", OVER)),
    "take_over": (Forged("not_offered", RUNNING, token="0"), Forged("already_in", ELSEWHERE, token="1")),
    **dict.fromkeys(("keepsake", "keepsake_drop", "keepsake_dropped", "keepsake_fetch"), of_anna("keepsake_gone")),
    **dict.fromkeys(("keepsake_name", "keepsake_named"), of_anna("keepsake_gone")),
    **dict.fromkeys(("lobby_game", "scenario", "scenario_again", "scenario_sent", "start"), of_a_lobby("not_host")),
    "charts": of_a_lobby("not_host", "map"),
    "option": of_a_lobby("not_host", "phase"),
    "options": of_a_lobby("not_host", "1"),
    **dict.fromkeys(("match", "rating"), of_a_lobby("not_host")),
    **dict.fromkeys(("join", "join_sent"), (*of_a_lobby("kept", "0"), *of_a_lobby("kept", "1"))),
    **dict.fromkeys(("leave", "word", "word_sent"), of_a_lobby("not_in")),
    "remove": of_a_lobby("no_captain_there"),
    "again": (),  # for each command, below
    "play_on": (),  # takes away what it stands on, which nobody else sees
}
"""By verb: what Cili presses, who may see all these games and plays in one of them."""


async def four_games(sea: Sea) -> int:
    """Begin the four games; return the number of Anna's proposal in hers."""
    dora = sea.member("dora")
    await sea.begin_at(AFAR, sea.bela)
    await sea.concede(sea.bela)
    await sea.begin_at(AFAR, sea.bela, phase="20:00 UTC")
    await sea.command(sea.cili, "new", phase="20:00 UTC")
    await sea.command(dora, "join", game="3")
    sea.change_rows("UPDATE games SET setup = json_set(setup, '$.position', ?) WHERE phase = 'lobby'", AFAR)
    await sea.command(sea.cili, "start", game="3")
    await sea.command(sea.anna, "new", opponent=sea.bela)
    for who, text in ((sea.anna, "A1 RFLRF"), (dora, "B1 RFLRF")):
        assert SECRET[1] in await sea.write(who, text)
    await sea.command(sea.anna, "extend", game="2", by="30d")
    assert [row["phase"] for row in sea.rows("games")["games"]] == ["over", "running", "running", "lobby"]
    assert len({row["deadline"] for row in sea.rows("games")["games"][1:3]}) == 1, "of both games alike"
    asked = {(row["game_id"], row["id"]) for row in sea.rows("requests")["requests"] if row["status"] == "open"}
    assert asked == {(game, request) for game in (RUNNING, ELSEWHERE) for request in (FIRST, SECOND)}
    (act,) = [row["id"] for row in sea.rows("acts")["acts"] if row["kind"] == "extension_asked"]
    return int(act)


def all_that_is_stored(sea: Sea) -> dict[str, list[dict[str, Any]]]:
    return sea.rows(
        "games", "seats", "captains", "requests", "answers", "steps", "acts", "players", "ratings", "keepsakes"
    )


async def press(forger: Forger, verb: str, one: Forged, act: int) -> str:
    """Press a custom id, choose from its list, or send its form; return the answer and what was shown."""
    ref = CustomId(verb=verb, game=one.game, request=one.request, token=one.token.replace("ACT", f"{act}")).pack()
    if verb in FORMS:
        own = CustomId(verb="type", game=ELSEWHERE, request=FIRST).pack()
        return await forger.send(ref, "A1 FFF", opened_by=own)
    return await forger.press(ref, values=["FFF"] if verb in LISTS else None, quoting="A1 FFF")


async def test_no_verb_does_anything_with_ids_of_another_game_request_or_seat(sea: Sea) -> None:
    assert FORGED.keys() == sea.bot.router.handlers.keys(), "what does it do for somebody else?"
    act = await four_games(sea)
    brought = "INSERT INTO keepsakes (user_id, system, number, name, body) VALUES (?, 'matchbox', 1, 'Argo', '{}')"
    sea.change_rows(brought, sea.anna.id)
    before, cili = all_that_is_stored(sea), Forger(sea, sea.cili)
    for verb, cases in FORGED.items():
        # What was typed waits for its game in direct messages alone.
        forger = Forger(sea, sea.cili, direct=True) if verb == "meant" else cili
        for one in cases:
            said = await press(forger, verb, one, act)
            told = EN.say(f"refuse.{one.refused}", who=Markup(f"<@{sea.bela.id}>")) if one.refused else ""
            # Their own panel, in place of what was pressed, says that itself.
            moved_on = one.refused == "stale" and EN.say("say.moved_on") in forger.shown()
            assert told in said or moved_on, (verb, one)
            assert not [secret for secret in SECRET if secret in said + forger.shown()], (verb, one)
            assert all_that_is_stored(sea) == before, (verb, one)


async def test_no_number_that_is_too_large_is_a_fault_of_ours(sea: Sea) -> None:
    """A side that the game lacks had no name, and its sender no answer."""
    await four_games(sea)
    await sea.command(sea.bela, "new")
    anybodys_lobby = LOBBY + 1
    forger = Forger(sea, sea.cili)
    for verb in sorted(FORGED, key=lambda verb: verb not in FORMS):  # other verbs may close what forms open
        tokens = {re.sub("[0-9]+", "99", one.token.replace("ACT", "1")) for one in FORGED[verb]} | {"7"}
        for game, token in itertools.product((ELSEWHERE, anybodys_lobby), sorted(tokens)):
            for ref in (Forged("", game, token=token), Forged("", game, "r99.orders.9", token)):
                try:
                    await press(forger, verb, ref, 99)
                except KeyError:  # the page on which it stands is gone
                    forger = Forger(sea, sea.cili)
                assert not sea.faults, (verb, ref)


async def test_no_command_used_again_does_anything_in_a_game_of_others(sea: Sea) -> None:
    await four_games(sea)
    before, cili = all_that_is_stored(sea), Forger(sea, sea.cili)
    assert len(sea.bot.router.repeat_command) > 20
    for command in sorted(sea.bot.router.repeat_command):
        for game in (RUNNING, LOBBY):
            said = await cili.press(
                CustomId(verb="again", game=game, request=FIRST, token=command).pack(), quoting="A1 FFF"
            )
            assert said, command
            assert not [secret for secret in SECRET if secret in said + cili.shown()], command
            assert all_that_is_stored(sea) == before, (command, game)
