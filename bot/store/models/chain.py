"""The chain of digests over a game's orders and audit log, of which the thread shows one line each round.

The digest of a line covers all lines before it, so a changed, missing or reordered entry changes every digest that
follows. Messages with these lines are never edited.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta, Struct

from rules.core.replay import MAX_STEPS, MAX_TIME

_LABEL: Final = "war-galley chain 2"


class ChainedOrder(Struct, frozen=True, kw_only=True):
    hash: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]  # of a sealed answer
    given_by: Annotated[str, Meta(max_length=10)]  # as in `RecordedAnswer`


class ChainedEntry(Struct, frozen=True, kw_only=True):
    """An entry of the audit log without names, which may be withdrawn, and steps, which may be secret."""

    at: Annotated[int, Meta(ge=0, le=MAX_TIME)]  # Unix seconds
    by: int | Literal["manager"] | None  # as in `bot.record.export.ExportedLogEntry`
    kind: Annotated[str, Meta(max_length=20)]
    seat: int | None  # the seat that it concerns; None: none
    params: dict[str, int]  # numbers in its text


class ChainLine(Struct, frozen=True, kw_only=True):
    round: Annotated[int, Meta(ge=0, le=MAX_STEPS)]  # the round whose orders were opened last
    orders: tuple[ChainedOrder, ...]  # carried out since the line before, or left sealed at the end of the game
    log: tuple[ChainedEntry, ...]  # logged since the line before


def first_digest(seed_hash: str, words: Sequence[str | None]) -> str:
    """Return the digest before the first line, SHA-256 in hex."""
    return _hash(seed_hash, words)


def next_digest(previous_digest: str, line: ChainLine) -> str:
    return _hash(previous_digest, line)


def line_digests(seed_hash: str, words: Sequence[str | None], lines: Iterable[ChainLine]) -> list[str]:
    digests: list[str] = []
    digest = first_digest(seed_hash, words)
    for line in lines:
        digest = next_digest(digest, line)
        digests.append(digest)
    return digests


def _hash(*parts: object) -> str:
    return hashlib.sha256(msgspec.json.encode([_LABEL, *parts])).hexdigest()
