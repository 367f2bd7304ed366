"""The bot's requests stay far below Discord's limit of 50 a second over all games.

Answers to presses and commands (`/interactions/…`, `/webhooks/…`) do not count towards it, and are not counted here.
"""

from __future__ import annotations

import re
from typing import Any

import pytest

from bot.store.queries.messages import EDIT_INTERVAL_S, TURN_EDIT_INTERVAL_S
from tests.bench import requests
from tests.bot.captains import by_buttons, by_typing, in_words, play, wanted
from tests.sea import ABEAM, Sea, refs, text_of

FREE = ("/interactions/", "/webhooks/")
MOST_A_ROUND = 8
"""Of two captains in War Galley who press: the story, who is awaited, two edits of that, two panels, two deletions."""
MOST_TYPED = 2
"""Besides, for a captain who types: the panel stands below what was typed."""
TURNS = 3
MOST_AN_ACTION = 3
"""Of those that are typed: the panel below, the old one's end, and the turn's story, which tells of more at once."""
MOST_A_CAPTAIN = 80
"""In a whole Naval Battle."""
MOST_A_TURN = 4
"""Besides: one captain's question, the other's panel for plans, what is left of those before, and the chain's line."""


def counted(sea: Sea) -> list[Any]:
    return [call for call in sea.env.http_requests if not call.path.startswith(FREE)]


def edits(sea: Sea, message: Any) -> list[Any]:
    path = f"/channels/{message.channel.id}/messages/{message.id}"
    return [call for call in counted(sea) if (call.method, call.path) == ("PATCH", path)]


async def test_rounds_of_two_captains_keep_within_their_requests(sea: Sea) -> None:
    await sea.begin_at(ABEAM, sea.bela)
    for rounds, answer, most in ((1, by_typing, MOST_A_ROUND + 2 * MOST_TYPED), (2, by_buttons, MOST_A_ROUND)):
        before = len(counted(sea))
        await play(sea, [sea.anna, sea.bela], answer, rounds=rounds)
        assert len(counted(sea)) - before <= most


async def test_turns_of_open_actions_keep_within_their_requests(sea: Sea) -> None:
    await sea.begin(sea.bela, system="forts")
    await play(sea, [sea.anna, sea.bela], by_typing, rounds=0)
    before = len(counted(sea))
    turns, actions = set(), 0
    while len(turns) <= TURNS:
        for who in (sea.anna, sea.bela):
            pending = await sea.asked(who)
            if pending and not pending.row.optional:
                turns.add(pending.row.body.round)
                actions += 1
                await sea.write(who, in_words(pending, wanted(pending)))
    assert len(counted(sea)) - before <= len(turns) * MOST_A_TURN + actions * MOST_AN_ACTION

    # The thread hears of what is done in a turn together, a minute after the last time, or when the turn is over.
    (who,) = [who for who in (sea.anna, sea.bela) if (pending := await sea.asked(who)) and not pending.row.optional]
    story = sea.thread.last_message
    sea.env.lets_pass = False
    edit_count, first = len(edits(sea, story)), text_of(story)
    for _ in range(3):
        pending = await sea.asked(who)
        await sea.write(who, in_words(pending, wanted(pending)))
    assert len(edits(sea, story)) == edit_count
    await sea.env.advance_time(TURN_EDIT_INTERVAL_S)
    assert len(edits(sea, story)) == edit_count + 1
    assert text_of(sea.again(who, story)) != first
    await sea.press(who, sea.panel(who), "press end")
    await sea.env.advance_time(EDIT_INTERVAL_S)
    assert len(edits(sea, story)) == edit_count + 2


@pytest.mark.long
def test_a_whole_game_of_open_turns_takes_eighty_requests_a_captain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PICTURE_WIDTH", "320")
    counts = requests.counted("forts", requests.SEEDS[0])
    assert counts.played > 10
    assert counts.total / requests.CAPTAINS <= MOST_A_CAPTAIN


async def test_whose_turn_is_over_waits_on_the_panel_that_was_there_and_is_not_called(sea: Sea) -> None:
    await sea.begin(sea.bela, system="forts")
    await play(sea, [sea.anna, sea.bela], by_typing, rounds=0)
    pending = {who: await sea.asked(who) for who in (sea.anna, sea.bela)}
    acts, waits = sorted(pending, key=lambda who: pending[who].row.optional)  # type: ignore[union-attr]
    panel, other = sea.panel(acts), sea.panel(waits)
    before, text = len(counted(sea)), text_of(panel)
    await sea.press(acts, panel, "press end")
    assert (await sea.asked(acts)).row.optional
    assert sea.panel(acts).id == panel.id
    assert text_of(sea.again(acts, panel)) != text
    assert sea.panel(waits).id > max(panel.id, other.id)
    private = [call for call in counted(sea)[before:] if not call.path.startswith(f"/channels/{sea.thread.id}/")]
    assert sorted(call.method for call in private) == ["DELETE", "POST"], "the press shows what there is to wait with"


async def test_a_burst_of_changes_is_shown_at_once_and_once_more_when_it_is_over(sea: Sea) -> None:
    await sea.command(sea.anna, "new")
    lobby = sea.channel.last_message
    sea.env.lets_pass = False
    for _ in range(3):
        await sea.command(sea.bela, "join", game="1")
        await sea.command(sea.bela, "leave", game="1")
    await sea.command(sea.cili, "join", game="1")
    assert len(edits(sea, lobby)) == 1
    assert f"<@{sea.bela.id}>" in text_of(sea.channel.last_message)
    await sea.env.advance_time(3)
    assert len(edits(sea, lobby)) == 2
    assert f"<@{sea.cili.id}>" in text_of(sea.channel.last_message)
    assert f"<@{sea.bela.id}>" not in text_of(sea.channel.last_message)


@pytest.mark.begun
async def test_what_follows_waits_for_no_pause_and_comes_after_what_was_to_be_seen_before(sea: Sea) -> None:
    listed = next(message for message in sea.thread.history() if "orders" in refs(message))
    sea.env.lets_pass = False
    before = len(counted(sea))
    await sea.both_seal()
    calls = [call for call in counted(sea)[before:] if call.path.startswith(f"/channels/{sea.thread.id}/")]
    # Each seal is published when it is given, and before the orders that it hides are told; neither takes any time.
    # The chain of fingerprints comes before the story, and the next request after it.
    assert [call.method for call in calls] == ["PATCH", "PATCH", "POST", "POST", "POST"]
    assert re.search(r"Sealed by anna: `\w{40}`", str(calls[0].json))
    assert re.search(r"Sealed by anna and bela: `\w{8}…` `\w{8}…`", str(calls[1].json))
    assert re.search(r"chain of fingerprints: `\w{40}`", str(calls[2].json))
    assert edits(sea, listed) == calls[:2]
    assert sea.told().count("Sealed by ") == 1
    assert not await sea.bot.seconds_until_paused_edits()


@pytest.mark.begun
async def test_an_edit_that_changes_nothing_is_not_sent(sea: Sea) -> None:
    panel = sea.panel(sea.anna)
    before = len(counted(sea))
    sea.change_rows("UPDATE outbox SET wanted = wanted + 1 WHERE kind <> 'remind'")
    sea.bot.services.step_runner.listener.note_change()
    await sea.settle()
    assert counted(sea)[before:] == []
    waiting = [row["key"] for row in sea.rows("outbox")["outbox"] if row["sent"] < row["wanted"]]
    assert waiting == [key for key in waiting if key.startswith("remind")]
    # What a press has shown meanwhile is not what was sent last: whatever the outbox shows then is sent.
    await sea.press(sea.anna, panel, "press order.F")
    assert counted(sea)[before:] == []
    sea.change_rows("UPDATE outbox SET wanted = wanted + 1, due_at = 0 WHERE kind = 'panel'")
    sea.bot.services.step_runner.listener.note_change()
    await sea.settle()
    assert [call.path for call in counted(sea)[before:]] == [f"/channels/{panel.channel.id}/messages/{panel.id}"]
