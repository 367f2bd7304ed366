"""Captains at the bot: what the computer captain would do, done by hand through Discord."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from bot.jobs import stored
from bot.presenters.asked import PendingRequest
from rules.chance.dice import derive_seed
from rules.core.registry import RULESETS
from rules.matchbox.engine.orders import split_orders
from rules.matchbox.engine.state import FleetOrders, Placement
from tests.sea import Sea, refs

MOST_ANSWERS = 120  # a test's game that takes more has gone wrong
_WHIMS = hashlib.sha256(b"captains 6").hexdigest()


def wanted(pending: PendingRequest) -> Any:
    """Return the computer's answer to somebody's request, from the view of their seat."""
    rules, request = RULESETS[pending.seated_game.game.system], pending.row.body
    state = stored.read_state(rules, pending.state)
    return rules.computer_answer(rules.view(state, request.seat), request, derive_seed(_WHIMS, request.id))


def in_words(pending: PendingRequest, answer: Any) -> str:
    return RULESETS[pending.seated_game.game.system].format_answer(pending.row.body, answer)


async def by_buttons(sea: Sea, who: Any, pending: PendingRequest) -> None:
    """Build the answer with buttons and selects alone, slips of the finger included, and seal it."""
    answer = wanted(pending)
    match answer:
        case Placement():
            await _place(sea, who, answer)
        case FleetOrders():
            await _order(sea, who, answer, slips=pending.row.body.round == 1)
        case _:
            await _decide(sea, who, in_words(pending, answer))
            return
    await sea.press(who, sea.panel(who), "seal")


async def by_typing(sea: Sea, who: Any, pending: PendingRequest) -> None:
    """Write the answer to the bot, and seal it with the button under its reply."""
    answered = await sea.write(who, in_words(pending, wanted(pending)))
    assert answered
    if await sea.asked(who, pending.row.game_id) and "seal" in refs(sea.reply(who)):
        await sea.press(who, sea.reply(who), "seal")


async def play(sea: Sea, captains: Sequence[Any], answer: Any, *, rounds: int | None = None, game: int = 1) -> int:
    """Let the captains answer all that they are asked, until the game is over or has got beyond a round."""
    for count in range(MOST_ANSWERS):
        waiting = [(who, pending) for who in captains if (pending := await sea.asked(who, game))]
        if not waiting or (rounds is not None and waiting[0][1].row.body.round > rounds):
            return count
        who, pending = waiting[0]
        await answer(sea, who, pending)
    raise AssertionError(f"no end after {MOST_ANSWERS} answers")


async def place(sea: Sea, captains: Sequence[Any], *, game: int = 1) -> None:
    for _ in range(MOST_ANSWERS):
        waiting = [
            who for who in captains if (pending := await sea.asked(who, game)) and pending.row.body.kind == "place"
        ]
        if not waiting:
            return
        await sea.press(waiting[0], sea.panel(waiting[0]), "seal")


async def _place(sea: Sea, who: Any, answer: Placement) -> None:
    for galley in answer.galleys:
        if "pick galley" in refs(sea.panel(who)):
            await sea.pick(who, sea.panel(who), "galley", f"galley.{galley.id}")
        await sea.pick(who, sea.panel(who), "type", f"type.{galley.holes}/{galley.mast_holes}")
        nudge = next(key for key in refs(sea.panel(who)) if key.startswith("press move."))
        await sea.press(who, sea.panel(who), nudge)


async def _order(sea: Sea, who: Any, answer: FleetOrders, *, slips: bool) -> None:
    for ordered in answer.lists:
        if "pick galley" in refs(sea.panel(who)):
            await sea.pick(who, sea.panel(who), "galley", f"galley.{ordered.galley}")
        if slips and "press order.R" in refs(sea.panel(who)):
            await sea.press(who, sea.panel(who), "press order.R")
            await sea.press(who, sea.panel(who), "press order.back")
        for letter in split_orders(ordered.orders):
            await sea.press(who, sea.panel(who), f"press order.{letter}")


async def _decide(sea: Sea, who: Any, choice: str) -> None:
    panel = sea.panel(who)
    token = choice.replace(",", "/")
    for key in refs(panel):
        if key == f"press {token}":
            await sea.press(who, panel, key)
            return
    for key in refs(panel):
        if key.startswith("pick "):
            await sea.pick(who, panel, key.removeprefix("pick "), token)
            return
    raise AssertionError(f"no way to choose {choice} among {sorted(refs(panel))}")
