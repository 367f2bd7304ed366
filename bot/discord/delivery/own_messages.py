"""Read from Discord what the bot itself has posted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import discord

from bot.discord.delivery.refusal_policy import retry_error
from bot.discord.delivery.refusals import REQUEST_ERRORS, ParseRefusal, RefusalKind
from bot.discord.ids import parse_custom_id
from bot.discord.messages.board import outbox_mark_of
from bot.lifecycle.steps.backups import HistoryHidden, PostedMessage, ReadMessages

MAX_MESSAGES_READ: Final = 1_000
"""Messages of a channel that are read at once, people's included."""
_PAGE_LENGTH: Final = 100  # messages that one request returns


async def read_own_messages(
    client: discord.Client, parse_refusal: ParseRefusal, place_id: int, after: int, before: int | None
) -> ReadMessages:
    """Return the bot's messages among the newest ones of a channel between the messages `after` and `before`.

    A channel that was deleted has none. Raises `RetryLater`, and `HistoryHidden` if the bot may not read them.
    """
    place = client.get_partial_messageable(place_id)
    posted: list[PostedMessage] = []
    oldest_id = before
    read_count = 0
    try:
        async for message in place.history(
            limit=MAX_MESSAGES_READ,
            before=discord.Object(before) if before else None,
            after=discord.Object(after),
            oldest_first=False,
        ):
            oldest_id = message.id
            read_count += 1
            mark = outbox_mark_of(message)
            if message.author == client.user and mark is not None:
                posted.append(_as_posted(message, mark))
        if read_count < MAX_MESSAGES_READ and read_count % _PAGE_LENGTH == 0:
            # The last page was empty. Without the permission Discord lists no messages, as if there were none; it
            # refuses to show a single one.
            await place.fetch_message(after + 1)
    except REQUEST_ERRORS as error:
        refusal = parse_refusal(error)
        if read_count % _PAGE_LENGTH == 0 and refusal.kind is RefusalKind.FORBIDDEN:
            raise HistoryHidden(str(refusal)) from error
        if refusal.kind not in (RefusalKind.LOST_PLACE, RefusalKind.LOST_MESSAGE):
            raise retry_error(refusal) from error
        return ReadMessages(posted, None)
    return ReadMessages(posted, oldest_id if read_count == MAX_MESSAGES_READ else None)


def _as_posted(message: discord.Message, mark: int) -> PostedMessage:
    texts = [getattr(component, "custom_id", None) or "" for component in _all_components(message.components)]
    custom_ids = [custom_id for text in texts if (custom_id := parse_custom_id(text))]
    return PostedMessage(
        id=message.id,
        mark=mark,
        shown_at=int((message.edited_at or message.created_at).timestamp()),
        games=frozenset(custom_id.game for custom_id in custom_ids),
        step_count=max((custom_id.version for custom_id in custom_ids if custom_id.verb == "log"), default=0),
        ends_game=any(custom_id.verb == "replay" for custom_id in custom_ids),
    )


def _all_components(components: Sequence[Any]) -> Iterator[Any]:
    for component in components:
        yield component
        yield from _all_components(getattr(component, "children", ()))
