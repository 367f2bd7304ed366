"""Find the request that typed orders are meant for if their writer does not name the game."""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct

from bot.errors import Refusal
from bot.jobs.drafts import DraftResult
from bot.presenters.asked import PendingRequest
from bot.presenters.reader import Reader
from bot.services.orders import OrderService
from rules.core.errors import OrderError

_WORD: Final = re.compile(r"\w+")


class TextInterpretation(Struct, frozen=True, kw_only=True):
    requests: tuple[PendingRequest, ...]
    """Requests that could take the text, one for each game; if there are none, those it may have been meant for."""
    refusal: OrderError | None = None  # why the only request cannot take the text


async def interpret_text(
    reader: Reader, orders: OrderService, user_id: int, text: str, game_id: int | None = None
) -> TextInterpretation:
    """Return what typed text answers, in one game or in all with requests for the user; nothing is changed.

    Open requests go before sealed ones. Text that a game would carry out at once goes there only if no other open
    request reads it as orders, even illegal ones. Text that no game can take was meant for the one whose ship it
    names, or for the one that can read it. Raises `Refusal` if the user has no requests.
    """
    games = await reader.requests.games_asking(user_id) if game_id is None else [game_id]
    if len(games) <= 1:
        return TextInterpretation(requests=(await reader.requests.pending_request(user_id, game_id),))
    readings: list[tuple[PendingRequest, DraftResult]] = []
    refused_requests: list[tuple[PendingRequest, OrderError]] = []
    last_refusal: Refusal | None = None
    for asking_game_id in games:
        try:
            request = await reader.requests.pending_request(user_id, asking_game_id)
        except Refusal as refusal:  # the game cannot take orders now
            last_refusal = refusal
            continue
        try:
            readings.append((request, await orders.preview_text(request, text)))
        except OrderError as order_error:
            refused_requests.append((request, order_error))
    if not readings and not refused_requests:
        raise last_refusal or Refusal("nothing_asked")
    if not readings:
        return await _likeliest_requests(reader, text, refused_requests)
    open_readings = [(request, draft_result) for request, draft_result in readings if request.row.status == "open"]
    preferred = open_readings or readings
    meant_for = [request for request, _ in preferred]
    takes_effect_at_once = any(draft_result.answer is not None for _, draft_result in preferred)
    if takes_effect_at_once:
        # The text would take effect for good. It may have been meant for another open request whose rules forbid it.
        open_refusals = [(request, refusal) for request, refusal in refused_requests if request.row.status == "open"]
        meant_for += [request for request, refusal in open_refusals if refusal.fault.kind == "illegal"]
    return TextInterpretation(requests=tuple(meant_for))


async def _likeliest_requests(
    reader: Reader, text: str, refused_requests: list[tuple[PendingRequest, OrderError]]
) -> TextInterpretation:
    """Return the refused requests whose ship the text names first, of these those that can read it; else all."""
    first_word = _WORD.search(text)
    ship = first_word[0].upper() if first_word else ""
    with_ship = [
        (request, refusal) for request, refusal in refused_requests if ship in await _choice_names(reader, request)
    ] or refused_requests
    readable = [(request, refusal) for request, refusal in with_ship if refusal.fault.kind != "unreadable"] or with_ship
    if len(readable) == 1:
        ((request, refusal),) = readable
        return TextInterpretation(requests=(request,), refusal=refusal)
    return TextInterpretation(requests=tuple(request for request, _ in readable))


async def _choice_names(reader: Reader, request: PendingRequest) -> set[str]:
    choices = await reader.requests.draft_choices(request)
    labels = [option.label for group in choices.groups for option in group.options]
    texts = [*choices.lines, *choices.missing_parts, *labels]
    return {value.upper() for text in texts for value in text.params.values() if isinstance(value, str)}
