"""Define log entries as records hold them, and reduce them to what a line of the chain covers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from bot.store.models.chain import ChainedEntry
from rules.core.replay import MAX_TIME

ShortName = Annotated[str, Meta(max_length=80)]
UnixTime = Annotated[int, Meta(ge=0, le=MAX_TIME)]

UNCHAINED_KINDS: Final = ("at_hand", "away", "extension_asked")
"""Kinds of entries that the bot may change later: absences, and requests for more time."""


class ExportedLogEntry(Struct, frozen=True, kw_only=True):
    at: UnixTime  # when it was logged
    step: int  # number of the last step at that time
    by: int | Literal["manager"] | None
    """The seat of the user who acted, `manager` for a user without a seat, or None for the bot itself."""
    kind: str  # a key of `LOG_ENTRY_PARAMS`
    seat: int | None  # the seat that it concerns; None: none
    params: dict[str, ShortName | UnixTime]  # parameters of its text, named in `LOG_ENTRY_PARAMS`


def chained_entries(log: Iterable[ExportedLogEntry]) -> list[ChainedEntry]:
    """Return the entries that the chain covers, without names and steps."""
    return [
        ChainedEntry(
            at=entry.at,
            by=entry.by,
            kind=entry.kind,
            seat=entry.seat,
            params={name: value for name, value in entry.params.items() if isinstance(value, int)},
        )
        for entry in log
        if entry.kind not in UNCHAINED_KINDS
    ]
