"""What was published of a game, as it was published, and whether its record still agrees with that.

A row is written when Discord has taken the message, and is never changed: so changing answers, names or seeds
in the database later, however consistently, contradicts it. Changing these rows, too, contradicts the thread.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Literal

from msgspec import Meta, Struct

from rules.core.replay import MAX_TIME, Flaw, RecordedAnswer

HashSubject = Literal["seed", "words", "seal", "broken", "digest"]
"""The hash of the seed, of the words in the dice, of a sealed answer; that a seal was broken; that of the record."""


class ShownHash(Struct, frozen=True, kw_only=True):
    """A hash that a message shows."""

    what: HashSubject
    hash: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
    request: Annotated[str, Meta(max_length=60)] = ""
    """What a seal answers."""


class PublishedHash(ShownHash, frozen=True, kw_only=True):
    """A hash as it was published."""

    at: Annotated[int, Meta(ge=0, le=MAX_TIME)]
    """When, in Unix seconds."""
    link: Annotated[str, Meta(max_length=120, pattern="^(https://discord[.]com/channels/[0-9]+/[0-9]+/[0-9]+)?$")]
    """To the message; empty for what had none, such as the breaking of a seal."""


def first_published(kept: Iterable[PublishedHash], what: HashSubject) -> PublishedHash | None:
    """Where something was published first."""
    return next((one for one in kept if one.what == what), None)


def unbroken_seals(kept: Iterable[PublishedHash]) -> dict[str, list[PublishedHash]]:
    """Published seals that were not broken later, by request, in the order in which they were published."""
    found: dict[str, dict[str, PublishedHash]] = defaultdict(dict)
    for one in kept:
        if one.what == "broken":
            found[one.request].pop(one.hash, None)
        elif one.what == "seal":
            found[one.request].setdefault(one.hash, one)
    return {request: list(those.values()) for request, those in found.items() if those}


def find_contradictions(
    kept: Sequence[PublishedHash], *, seed: str, words: str | None, recorded: Mapping[str, Sequence[str]], last: int
) -> Iterator[Flaw]:
    """Where a record does not agree with what was published.

    It is given by the hashes of its seed and words, by those of its answers by request, in their order, and by how many
    steps it has.
    """
    if any(one.hash != seed for one in kept if one.what == "seed"):
        yield Flaw(step=0, what="told_seed", piece=seed)
    if any(one.hash != words for one in kept if one.what == "words"):
        yield Flaw(step=0, what="told_words", piece="")
    for request, those in unbroken_seals(kept).items():
        told = {one.hash: None for one in those}
        if [hashed for hashed in recorded.get(request, ()) if hashed in told] != list(told):
            yield Flaw(step=last, what="told_seal", piece=request)


def hashes_by_request(answers: Iterable[RecordedAnswer]) -> dict[str, list[str]]:
    """Hashes of answers by request, in their order."""
    found: dict[str, list[str]] = defaultdict(list)
    for answer in answers:
        found[answer.request].append(answer.commitment)
    return found
