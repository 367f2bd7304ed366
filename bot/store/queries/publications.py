"""Compare a game's record with the hashes that were published while it was played.

A row is written when Discord has accepted the message, and is never changed, so later changes of answers, names or
seeds in the database contradict it. A change of these rows contradicts the thread.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Literal

from msgspec import Meta, Struct

from rules.core.replay import MAX_TIME, Flaw, RecordedAnswer

HashSubject = Literal["seed", "words", "seal", "broken", "chain", "digest"]
"""The subject of a hash: the seed, the dice words, a sealed answer, a broken seal, the chain up to a line, or the
record.
"""


class ShownHash(Struct, frozen=True, kw_only=True):
    what: HashSubject  # what was hashed
    hash: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
    request: Annotated[str, Meta(max_length=60)] = ""
    """Id of the request that a seal answers, or the round of a line of the chain; else empty."""


class PublishedHash(ShownHash, frozen=True, kw_only=True):
    at: Annotated[int, Meta(ge=0, le=MAX_TIME)]  # Unix seconds
    link: Annotated[str, Meta(max_length=120, pattern="^(https://discord[.]com/channels/[0-9]+/[0-9]+/[0-9]+)?$")]


def first_published(hashes: Iterable[PublishedHash], what: HashSubject) -> PublishedHash | None:
    return next((row for row in hashes if row.what == what), None)


def unbroken_seals(hashes: Iterable[PublishedHash]) -> dict[str, list[PublishedHash]]:
    """Return published seals that were not broken later, by request, in order of publication."""
    seals: dict[str, dict[str, PublishedHash]] = defaultdict(dict)
    for row in hashes:
        if row.what == "broken":
            seals[row.request].pop(row.hash, None)
        elif row.what == "seal":
            seals[row.request].setdefault(row.hash, row)
    return {request: list(rows.values()) for request, rows in seals.items() if rows}


def find_contradictions(
    published: Sequence[PublishedHash],
    *,
    seed: str,
    words: str | None,
    recorded: Mapping[str, Sequence[str]],
    last: int,
) -> Iterator[Flaw]:
    """Yield each contradiction between a record and the published hashes.

    `seed` and `words` are the record's hashes, `recorded` those of its answers by request in order, and `last` its
    number of steps.
    """
    if any(row.hash != seed for row in published if row.what == "seed"):
        yield Flaw(step=0, what="told_seed", piece=seed)
    if any(row.hash != words for row in published if row.what == "words"):
        yield Flaw(step=0, what="told_words", piece="")
    for request, rows in unbroken_seals(published).items():
        published_hashes = {row.hash: None for row in rows}  # in order, each once
        recorded_hashes = [commitment for commitment in recorded.get(request, ()) if commitment in published_hashes]
        if recorded_hashes != list(published_hashes):
            yield Flaw(step=last, what="told_seal", piece=request)


def hashes_by_request(answers: Iterable[RecordedAnswer]) -> dict[str, list[str]]:
    hashes: dict[str, list[str]] = defaultdict(list)
    for answer in answers:
        hashes[answer.request].append(answer.commitment)
    return hashes
