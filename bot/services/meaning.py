"""Which question somebody means who writes orders without saying for which game."""

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
    """What a text may answer."""

    requests: tuple[PendingRequest, ...]
    """Each question that could take it, of another game; where none can, each for which it may have been meant."""
    refusal: OrderError | None = None
    """Why none can take it, if it can only have been meant for one."""


async def interpret_text(
    reader: Reader, orders: OrderService, user_id: int, text: str, game_id: int | None = None
) -> TextInterpretation:
    """Return what typed text answers, in one game or in all that ask its writer something; nothing is changed.

    Open requests go before sealed ones. What a game would carry out at once goes there only if no other that waits for
    an answer reads it as orders, be they illegal. Text that no game can take was meant for the one with the ship that
    it names, or for the one that can read it. Raises `Refusal` if the writer is asked nothing.
    """
    games = await reader.games_asking(user_id) if game_id is None else [game_id]
    if len(games) <= 1:
        return TextInterpretation(requests=(await reader.pending_request(user_id, game_id),))
    reads: list[tuple[PendingRequest, DraftResult]] = []
    tried: list[tuple[PendingRequest, OrderError]] = []
    why: Refusal | None = None
    for game in games:
        try:
            asked = await reader.pending_request(user_id, game)
        except Refusal as still:  # it stands still just now
            why = still
            continue
        try:
            reads.append((asked, await orders.preview_text(asked, text)))
        except OrderError as refused:
            tried.append((asked, refused))
    if not reads and not tried:
        raise why or Refusal("nothing_asked")
    if not reads:
        return await _likeliest_requests(reader, text, tried)
    found = [one for one in reads if one[0].row.status == "open"] or reads
    meant_for = [asked for asked, _ in found]
    if any(worked.answer is not None for _, worked in found):
        # It would be done at once, for good: what the rules of another game forbid may have been meant for that one,
        # if that waits for an answer.
        waits = [(asked, refused) for asked, refused in tried if asked.row.status == "open"]
        meant_for += [asked for asked, refused in waits if refused.fault.kind == "illegal"]
    return TextInterpretation(requests=tuple(meant_for))


async def _likeliest_requests(
    reader: Reader, text: str, tried: list[tuple[PendingRequest, OrderError]]
) -> TextInterpretation:
    """For which games a text may have been meant that none can take."""
    named = _WORD.search(text)
    ship = named[0].upper() if named else ""
    theirs = [(asked, refused) for asked, refused in tried if ship in await _choice_names(reader, asked)] or tried
    read = [(asked, refused) for asked, refused in theirs if refused.fault.kind != "unreadable"] or theirs
    if len(read) == 1:
        ((asked, refused),) = read
        return TextInterpretation(requests=(asked,), refusal=refused)
    return TextInterpretation(requests=tuple(asked for asked, _ in read))


async def _choice_names(reader: Reader, asked: PendingRequest) -> set[str]:
    """What a question's choices name, such as ships, in capitals."""
    choices = await reader.draft_choices(asked)
    labels = [option.label for group in choices.groups for option in group.options]
    texts = [*choices.lines, *choices.missing_parts, *labels]
    return {value.upper() for text in texts for value in text.params.values() if isinstance(value, str)}
