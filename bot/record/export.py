"""Games on paper: the files that `/galley history export` gives, how they are written, and whether they hold."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Annotated, Final, Literal, TypeVar

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType, structs

from bot.store import publications
from bot.store.publications import Published
from rules import fairness, replay
from rules.errors import UnreadableOrder
from rules.keepsakes import NAMES_FROM
from rules.protocol import Act, Report, Setup
from rules.registry import RULESETS
from rules.replay import TIME_MOST, Flaw, Fought, Record, RecordedAnswer, RecordedStep

FILE_MOST: Final = 8 * 2**20
"""Bytes of a file that is read: nearly as many as Discord takes from anybody."""


Name = Annotated[str, Meta(max_length=80)]
Moment = Annotated[int, Meta(ge=0, le=TIME_MOST)]
"""Unix seconds."""

_TYPES: Final = {
    **dict.fromkeys(("captain", "to", "names"), str),
    **dict.fromkeys(("since", "until", "left", "round", "number", "crew"), int),
}
ENTRIES: Final[dict[str, tuple[str, ...]]] = {
    "at_hand": (),
    "away": ("since", "until"),
    "back": (),
    "battle_opened": ("number",),
    "battle_stuck": ("number",),
    "computer": ("captain",),
    "deserted": (),
    "draw_declined": (),
    "ended": (),
    "engaged": ("crew",),
    "exiled": (),
    "extended": ("until", "left"),
    "extended_alone": ("until",),
    "extension_agreed": ("until",),
    "extension_asked": ("until",),
    "extension_declined": (),
    "fetched_home": (),
    "gap": ("since", "until"),
    "homeless": (),
    "kept_brief": (),
    "kept_called_off": (),
    "kept_practice": (),
    "kicked": ("captain",),
    "left": ("captain",),
    "left_out": (),
    "mended": ("until",),
    "moved": (),
    "muted": (),
    "named_new": ("names",),
    "offered": ("captain",),
    "pause_asked": (),
    "pause_declined": (),
    "paused": (),
    "ran_on": ("until",),
    "readmitted": ("until",),
    "replaced": ("captain", "to"),
    "reposted": (),
    "resolve_agreed": (),
    "resolve_asked": (),
    "resolve_declined": (),
    "resolved": (),
    "resolved_agreed": (),
    "resume_asked": (),
    "resume_declined": (),
    "resumed": ("until",),
    "returned": ("until",),
    "stuck": (),
    "substituted": ("captain",),
    "taken_back": (),
    "taken_up": ("until",),
    "undo_agreed": ("round",),
    "undo_asked": ("round",),
    "undo_declined": ("round",),
    "undone": ("round",),
    "unmuted": ("until",),
    "unrated": (),
    "unrated_brief": (),
    "unrated_often": (),
    "unsealed": (),
    "vacant": (),
    "barred": ("captain",),
    "wish_agreed": (),
}
"""What may be done beside the rules, and what each sentence that tells it names besides seats: all that is public."""


class Entry(Struct, frozen=True, kw_only=True):
    """What was done beside the rules, as the thread told it: an entry of the game's audit log."""

    at: Moment
    step: int
    """The last step when it was done."""
    by: int | Literal["manager"] | None
    """Who did it: the seat that they held then, somebody in charge without a seat, or the bot itself."""
    kind: str
    seat: int | None
    """The seat that it concerns."""
    params: dict[str, Name | Moment]
    """What its sentence names, as `ENTRIES` says."""


class Finished(Struct, frozen=True, kw_only=True, tag_field="kind", tag="finished"):
    """A whole game, for anybody to check. It holds nobody's Discord id: captains are named."""

    format: Literal[2] = 2
    """Of the file; each released format is read for ever, as fingerprints are published of it."""
    digest: str = ""
    """SHA-256 of the file with this field, and `notes`, empty; the thread publishes it when the game is over."""
    name: Name
    locale: Annotated[str, Meta(max_length=10)]
    opened: Moment
    ended: Moment
    captains: tuple[Name | None, ...]
    """Names by seat, as they were at the end; None is the computer."""
    published: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")] | UnsetType = UNSET
    """The digest that the thread showed, if somebody was forgotten since and the file no longer has their name."""
    log: tuple[Entry, ...]
    """All that was done beside the rules since the game began, oldest first."""
    record: Record
    notes: tuple[Published, ...]
    """What was published of it, each with its message."""


class Seal(Struct, frozen=True, kw_only=True):
    """What a captain was asked and has not yet answered for all to see, or what is opened only at the end."""

    request: str
    seat: int
    commitment: str | None
    """None: not sealed yet."""


class Told(Struct, frozen=True, kw_only=True):
    """A step of a game that goes on, as its reader may know it."""

    act: Act | replay.Undone | None = None
    answers: tuple[RecordedAnswer, ...] = ()
    events: tuple[dict[str, object], ...]
    at: Moment


class Running(Struct, frozen=True, kw_only=True, tag_field="kind", tag="running"):
    """A game that goes on, as one reader may know it: without its seed, and without what others have sealed."""

    format: Literal[2] = 2
    digest: str = ""
    """SHA-256 of the file with this field, and `notes`, empty."""
    name: str
    locale: str
    opened: Moment
    captains: tuple[str | None, ...]
    setup: Setup
    seed_commitment: str
    seat: int | None
    """The reader's; None is a spectator."""
    steps: tuple[Told, ...]
    seals: tuple[Seal, ...]
    own: tuple[RecordedAnswer, ...]
    """What the reader, and nobody else, has sealed."""
    drafts: dict[str, str]
    """What the reader has not yet sealed, by request."""
    scheme: fairness.Scheme
    """How hashes and dice are made."""
    words: tuple[str | None, ...]
    """What each seat's captain added to the dice."""
    notes: tuple[Published, ...]
    """What was published of it, each with its message."""


Export = Finished | Running
E = TypeVar("E", Finished, Running)


def digest_of(export: Export) -> str:
    """SHA-256, in hex, of an export's file with its digest left empty, and what was published of it."""
    return hashlib.sha256(write(structs.replace(export, digest="", notes=()))).hexdigest()


def stamped(export: E) -> E:
    """The same export with the digest that belongs to it."""
    return structs.replace(export, digest=digest_of(export))


def write(export: Export) -> bytes:
    """The file of an export: there is but one way to write it, so that each of its bits counts."""
    return msgspec.json.encode(export)


def read(data: bytes) -> Export:
    """Read an export's file. Raises `OrderError` if it is none."""
    if len(data) > FILE_MOST:
        raise UnreadableOrder("export_too_long", piece="file", most=FILE_MOST // 2**20)
    try:
        found: Export = msgspec.json.decode(data, type=Export)
    except (msgspec.MsgspecError, ValueError, RecursionError) as unreadable:
        raise UnreadableOrder("no_export", piece="file", expected=str(unreadable)) from unreadable
    setup = found.record.setup if isinstance(found, Finished) else found.setup
    if isinstance(found, Finished):
        for number, entry in enumerate(found.log):
            if not _is_entry(entry, seats=len(setup.teams), steps=len(found.record.steps)):
                raise UnreadableOrder("no_export", piece="file", expected=f"$.log[{number}]")
    if len(found.captains) != len(setup.teams):
        raise UnreadableOrder("no_export", piece="file", expected=f"{len(setup.teams)} captains")
    if setup.system not in RULESETS:
        raise UnreadableOrder("unknown_system", piece=setup.system, expected=", ".join(RULESETS))
    return found


def _is_entry(entry: Entry, *, seats: int, steps: int) -> bool:
    """Whether this may have been done in a game of so many seats and steps."""
    names = ENTRIES.get(entry.kind)
    return (
        names is not None
        and entry.params.keys() == set(names)
        and all(type(value) is _TYPES[name] for name, value in entry.params.items())
        and int(entry.params.get("crew", NAMES_FROM)) >= NAMES_FROM
        and all(number in range(seats) for number in (entry.by, entry.seat) if isinstance(number, int))
        and entry.step in range(steps)
    )


class Glance(Struct, frozen=True):
    """What a file says that it is, before anything is checked."""

    whole: bool
    """Whether the game is over."""
    digest: str
    battle: bool
    """Whether it was a battle that knew its name in another game."""


def glance(data: bytes) -> Glance:
    """Look at an export's file. Raises `OrderError` if it is none."""
    found = read(data)
    setup = found.record.setup if isinstance(found, Finished) else found.setup
    return Glance(isinstance(found, Finished), found.digest, bool(setup.parent))


def check(data: bytes, published: str = "", kept: Sequence[Published] = ()) -> Flaw | None:
    """Replay an export's file as far as its facts go; the first flaw, or None if everything holds.

    `published` is the digest that the thread told, or its beginning as it stands there, `kept` what else is known to
    have been published, besides what the file says of it. Raises `OrderError` if the file is no export.
    """
    return next(_flaws(read(data), data, published, kept), None)


class Proof(Struct, frozen=True, kw_only=True):
    """What it is that holds, if no flaw is found."""

    whole: bool
    digest: str
    steps: int
    answers: int
    """Answers that were sealed and are known now."""
    told: int
    """How many hashes of them `noted` names."""
    broken: int
    """Published seals that their captains, or going back, broke."""
    words: tuple[str | None, ...]
    withdrawn: bool
    """Names were withdrawn since the fingerprint of the record was published."""
    kept: bool
    """Whether `noted` is what the bot itself noted when it published it; else it is what the file claims."""
    noted: tuple[Published, ...]
    """What was published, to be held against the thread."""


def proof(data: bytes, kept: Sequence[Published] = ()) -> Proof:
    """What there is to be proved of an export's file; as `check`.

    `kept` is what the bot itself has noted. A file's own notes are never taken for that: anybody may have written them.
    """
    found = read(data)
    noted = kept or found.notes
    answers = list(_answers(found))
    seals = {seal.hash for those in publications.seals(noted).values() for seal in those}
    words = found.record.words if isinstance(found, Finished) else found.words
    return Proof(
        whole=isinstance(found, Finished),
        digest=found.digest,
        withdrawn=_told_digest(found) != found.digest,
        steps=len(_steps(found)),
        answers=len(answers),
        told=sum(answer.commitment in seals for answer in answers),
        broken=sum(one.what == "broken" for one in noted),
        words=words,
        kept=bool(kept),
        noted=tuple(noted),
    )


class Ending(Struct, frozen=True):
    """How a game began and ended."""

    setup: Setup
    seed: str
    report: Report
    """With the file's own digest."""
    withdrawn: str
    """The digest that the file says was published before names were withdrawn, which nobody can compute; or empty."""


def ending(data: bytes) -> Ending:
    """How a game began and ended, of whose file no flaw was found. Raises `ValueError` if it goes on."""
    found = read(data)
    if not isinstance(found, Finished):
        raise ValueError("it is not over")
    record, told = found.record, _told_digest(found)
    report = replay.ending(RULESETS[record.setup.system], record, found.digest)
    return Ending(record.setup, record.seed, report, "" if told == found.digest else told)


def battles(data: bytes) -> tuple[Fought, ...]:
    """The games of their own whose ends a finished game has taken for answers, of whose file no flaw was found."""
    found = read(data)
    # Few games have any: others are not replayed once more for it.
    if not isinstance(found, Finished) or not any('"digest"' in answer.body for answer in _answers(found)):
        return ()
    return tuple(replay.battles(RULESETS[found.record.setup.system], found.record))


def _told_digest(export: Export) -> str:
    """The digest that was published of an export, or would be now."""
    withdrawn = isinstance(export, Finished) and export.published
    return withdrawn if isinstance(withdrawn, str) else export.digest


def _steps(export: Export) -> tuple[RecordedStep | Told, ...]:
    return export.record.steps if isinstance(export, Finished) else export.steps


def _answers(export: Export) -> Iterator[RecordedAnswer]:
    """All that is known of what was sealed, in order."""
    for step in _steps(export):
        yield from step.answers
    yield from export.record.unused if isinstance(export, Finished) else export.own


def _contradicted(export: Export, kept: Sequence[Published]) -> Iterator[Flaw]:
    """Where an export does not agree with what was published."""
    recorded = publications.by_request(_answers(export))
    if isinstance(export, Running):
        seed, words = export.seed_commitment, export.words
        own = {answer.commitment for answer in export.own}
        for seal in export.seals:
            if seal.commitment is not None and seal.commitment not in own:
                recorded[seal.request].append(seal.commitment)
    else:
        seed, words = export.record.seed_commitment, export.record.words
    hashed = fairness.words_hash(words)
    last = len(_steps(export))
    for told in (export.notes, kept):
        yield from publications.contradicted(told, seed=seed, words=hashed, recorded=recorded, last=last)
        if any(one.hash != _told_digest(export) for one in told if one.what == "digest"):
            yield Flaw(step=last, what="published", piece=export.digest)


def _flaws(export: Export, data: bytes, published: str, kept: Sequence[Published]) -> Iterator[Flaw]:
    if isinstance(export, Finished):
        steps: tuple[RecordedStep | Told, ...] = export.record.steps
        if flaw := replay.verify(RULESETS[export.record.setup.system], export.record):
            yield flaw
    else:
        steps = export.steps
        for number, step in enumerate(steps):
            if broken := replay.unopened(step.answers, export.seed_commitment):
                yield Flaw(step=number, what="commitment", piece=broken.request)
        if broken := replay.unopened(export.own, export.seed_commitment):
            yield Flaw(step=len(steps), what="commitment", piece=broken.request)
    # What follows from nothing, such as names and times, is held by the digest of it all.
    if export.digest != digest_of(export) or write(export) != data:
        yield Flaw(step=len(steps), what="digest", piece=export.digest)
    fits = _begins(export.digest, published)
    withdrawn = not fits and _begins(_told_digest(export), published)
    if published and not (fits or withdrawn):
        yield Flaw(step=len(steps), what="published", piece=export.digest)
    yield from _contradicted(export, kept)
    if published and withdrawn:
        yield Flaw(step=len(steps), what="withdrawn", piece=_told_digest(export))


def _begins(digest: str, told: str) -> bool:
    """Whether a digest is the one that somebody has typed, whole or as its thread shows it."""
    return digest.startswith(told.lower()) and len(told) >= fairness.SHOWN
