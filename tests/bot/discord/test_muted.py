"""A thread that is locked, or in which the bot may not write any more: the game's clock stands still, for a while."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import discord
import pytest

from bot.services import muting
from bot.texts.i18n import Catalogue
from tests.bot.refusing import Refusing
from tests.bot.rows import act_kinds, game
from tests.sea import AFAR, Sea, text_of

DAY_S = 86_400
MAX_S = 7 * 3600
"""One hour of the limit for each day."""
EN, HU = Catalogue.load("en"), Catalogue.load("hu")


@pytest.fixture
def sooner(monkeypatch: pytest.MonkeyPatch) -> None:
    assert muting.MAX_MUTED_S == 24 * MAX_S == 7 * DAY_S
    monkeypatch.setattr(muting, "MAX_MUTED_S", MAX_S)


class Closed:
    """A thread that takes none of the bot's messages until it is opened."""

    def __init__(self, sea: Sea, *, status: int, code: int) -> None:
        self._sea = sea
        path = f"/channels/{sea.thread.id}/messages"
        self._refusing = [Refusing(sea, method, path, status=status, code=code) for method in ("POST", "PATCH")]
        self.shut(on=False)

    @property
    def count(self) -> int:
        return sum(refusing.count for refusing in self._refusing)

    def shut(self, *, on: bool = True) -> None:
        for refusing in self._refusing:
            refusing.on = on

    async def open(self) -> None:
        self.shut(on=False)
        await self._sea.bot.on_resumed()
        await self._sea.settle()


def locked(sea: Sea) -> Closed:
    return Closed(sea, status=400, code=160005)


def now(sea: Sea) -> int:
    return int(sea.now().timestamp())


def blame(sea: Sea, user: Any, action: discord.AuditLogAction, target: int, *changes: dict[str, Any]) -> None:
    whose = {"id": str(sea.guild.id), "type": "0", "role_name": "@everyone"}
    options = whose if action is discord.AuditLogAction.overwrite_update else None
    sea.env.backend.record_audit_log(
        sea.guild.id, action.value, target_id=target, user_id=user.id, changes=list(changes), options=options
    )


@contextmanager
def counting(sea: Sea, path: str) -> Iterator[list[Any]]:
    before, calls = len(sea.env.http_requests), list[Any]()
    yield calls
    calls += [call for call in sea.env.http_requests[before:] if path in call.path]


async def test_the_clock_stands_still_while_the_thread_is_locked_and_all_learn_why(sea: Sea) -> None:
    sea.languages[sea.anna.id] = "hu"
    await sea.begin_at(AFAR, sea.bela, phase="1d")
    thread = locked(sea)
    await sea.env.advance_time(3600)
    before = game(sea)
    chief = sea.manager()
    lock = {"key": "locked", "old_value": False, "new_value": True}
    blame(sea, chief, discord.AuditLogAction.thread_update, sea.thread.id, lock)
    thread.shut()
    await sea.seal(sea.anna, "A1 FFFFF")
    paused_at = game(sea)["paused_at"]
    assert paused_at is not None
    assert act_kinds(sea) == ["muted"]
    (notice,) = [text_of(message) for message in sea.dms(sea.anna) if HU.say("muted.clock") in text_of(message)]
    assert f"<@{chief.id}>" in notice
    # The channel says so, too, in the game's language; it isn't locked.
    (public,) = [
        message
        for message in sea.channel.history()
        if f"<#{sea.thread.id}>" in text_of(message) and "seven days" in text_of(message)
    ]
    assert f"<@{chief.id}>" in text_of(public)
    # No deadline passes, though Béla gives no orders.
    await sea.env.advance_time(26 * 3600)
    assert game(sea)["step_no"] == before["step_no"]
    opened_at = now(sea)
    await thread.open()
    after = game(sea)
    assert after["paused_at"] is None
    assert after["deadline"] == before["deadline"] + opened_at - paused_at
    assert act_kinds(sea) == ["muted", "unmuted"]
    assert "locked this thread" in sea.told()
    assert "I can write here again" in sea.told()
    assert "Sealed by anna" in sea.told()
    assert "seven days" not in text_of(sea.again(sea.anna, public))
    await sea.seal(sea.bela, "B1 FFFFF")
    assert "Round 1" in sea.told()
    # Locked once more, it stands still once more, and its host reads so below all else.
    assert not any(HU.say("muted.clock") in text_of(message) for message in sea.dms(sea.anna))
    thread.shut()
    await sea.command(sea.bela, "extend", game="1")
    assert act_kinds(sea) == ["muted", "unmuted", "extended", "muted"]
    assert sum(HU.say("muted.clock") in text_of(message) for message in sea.dms(sea.anna)) == 1


@pytest.mark.usefixtures("sooner")
async def test_after_seven_days_the_clock_runs_again_whatever_became_of_the_thread(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela, phase="4h")
    thread = locked(sea)
    before = game(sea)
    thread.shut()
    await sea.seal(sea.anna, "A1 FFFFF")
    paused_at = game(sea)["paused_at"]
    await sea.env.advance_time(MAX_S - 3600)
    assert game(sea)["paused_at"] == paused_at
    await sea.env.advance_time(2 * 3600)
    ran_on = game(sea)
    assert ran_on["paused_at"] is None
    assert act_kinds(sea) == ["muted", "ran_on"]
    # Everybody has the time that was left; then deadlines pass as ever, and it isn't stopped for this again.
    assert ran_on["step_no"] == before["step_no"]
    waited = ran_on["deadline"] - before["deadline"]
    assert MAX_S <= waited <= MAX_S + 3600
    await sea.env.advance_time(ran_on["deadline"] - now(sea) + 60)
    assert game(sea)["step_no"] > before["step_no"]
    assert act_kinds(sea)[:2] == ["muted", "ran_on"]
    assert "muted" not in act_kinds(sea)[2:]
    await thread.open()
    assert "so I started the clock again" in sea.told()
    assert "Round 1" in sea.told()


@pytest.mark.begun
async def test_a_manager_ends_it_earlier_and_it_is_not_stopped_for_this_again(sea: Sea) -> None:
    thread = locked(sea)
    thread.shut()
    await sea.seal(sea.anna, "A1 FFFFF")
    assert game(sea)["paused_at"] is not None
    assert EN.say("refuse.muted") in await sea.command(sea.bela, "extend", game="1", pause=False)
    await sea.command(sea.manager(), "host resume", game="1")
    assert game(sea)["paused_at"] is None
    await sea.env.advance_time(2 * 3600)
    assert game(sea)["paused_at"] is None
    assert act_kinds(sea) == ["muted", "resumed"]


@pytest.mark.parametrize("may_look", [True, False])
@pytest.mark.begun
async def test_who_took_a_permission_is_named_only_where_the_audit_log_may_be_read(
    sea: Sea, monkeypatch: pytest.MonkeyPatch, *, may_look: bool
) -> None:
    me = sea.bot.get_guild(sea.guild.id).me
    monkeypatch.setattr(type(me), "guild_permissions", discord.Permissions(view_audit_log=may_look))
    # The first permission that a game needs and that is missing in its thread.
    monkeypatch.setattr(discord.Thread, "permissions_for", lambda *_: discord.Permissions(view_channel=True))
    deny = {"key": "deny", "old_value": "0", "new_value": str(discord.Permissions(send_messages=True).value)}
    blame(sea, sea.cili, discord.AuditLogAction.overwrite_update, sea.channel.id, deny)
    shut = Closed(sea, status=403, code=50013)
    shut.shut()
    with counting(sea, "audit-logs") as calls:
        await sea.seal(sea.anna, "A1 FFFFF")
        await sea.env.advance_time(3600)
    assert game(sea)["paused_at"] is not None
    assert len(calls) == may_look
    messages = "\n".join(map(text_of, sea.dms(sea.anna)))
    assert EN.say("muted.clock") in messages
    assert (f"<@{sea.cili.id}>" in messages) is may_look


@pytest.mark.usefixtures("sooner")
async def test_locking_again_and_again_stops_the_clock_for_seven_days_in_all(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela, phase="1h")
    thread = locked(sea)
    began, stood_still = now(sea), 0
    for _ in range(6):
        thread.shut()
        await sea.seal(sea.anna, "A1 FFFFF")
        await sea.press(sea.anna, sea.reply(sea.anna), "unseal")
        paused_at = game(sea)["paused_at"]
        await sea.env.advance_time(2 * 3600)
        stood_still += now(sea) - paused_at if paused_at and game(sea)["paused_at"] else 0
        if game(sea)["step_no"] > 1:
            break
        await thread.open()
    assert game(sea)["step_no"] > 1, "the deadline has passed at last"
    assert now(sea) - began < MAX_S + 8 * 3600
    assert stood_still <= MAX_S


@pytest.mark.begun
async def test_an_edit_that_arrives_does_not_say_that_new_messages_do(sea: Sea) -> None:
    """Discord takes edits of the bot's own messages even where the bot may not write."""
    refusing = Refusing(sea, "POST", f"/channels/{sea.thread.id}/messages", status=403, code=50013)
    await sea.command(sea.bela, "extend", game="1")
    paused_at = game(sea)["paused_at"]
    assert paused_at is not None
    with counting(sea, f"/channels/{sea.thread.id}/messages/") as calls:
        await sea.seal(sea.anna, "A1 FFFFF")
        await sea.env.advance_time(3600)
    assert "PATCH" in {call.method for call in calls}
    assert game(sea)["paused_at"] == paused_at
    assert "unmuted" not in act_kinds(sea)
    refusing.on = False
    await sea.bot.on_resumed()
    await sea.settle()
    assert game(sea)["paused_at"] is None
