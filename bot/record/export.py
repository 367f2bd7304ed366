"""Games on paper: the files that `/galley history export` gives, how they are written, and whether they hold."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Annotated, Final, Literal, TypeVar

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType, structs

from bot.store.queries import publications
from bot.store.queries.publications import PublishedHash
from rules.chance import fairness
from rules.core import replay
from rules.core.errors import UnreadableOrder
from rules.core.keepsakes import FIRST_NAME_NUMBER
from rules.core.protocol import OutOfTurnAction, Report, Setup
from rules.core.registry import RULESETS
from rules.core.replay import MAX_TIME, Flaw, Record, RecordedAnswer, RecordedBattle, RecordedStep

MAX_FILE_BYTES: Final = 8 * 2**20
"""Bytes of a file that is read: nearly as many as Discord takes from anybody."""


ShortName = Annotated[str, Meta(max_length=80)]
UnixTime = Annotated[int, Meta(ge=0, le=MAX_TIME)]
"""Unix seconds."""

_PARAM_TYPES: Final = {
    **dict.fromkeys(("captain", "to", "names"), str),
    **dict.fromkeys(("since", "until", "left", "round", "number", "crew"), int),
}
LOG_ENTRY_PARAMS: Final[dict[str, tuple[str, ...]]] = {
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


class ExportedLogEntry(Struct, frozen=True, kw_only=True):
    """What was done beside the rules, as the thread told it: an entry of the game's audit log."""

    at: UnixTime
    step: int
    """The last step when it was done."""
    by: int | Literal["manager"] | None
    """Who did it: the seat that they held then, somebody in charge without a seat, or the bot itself."""
    kind: str
    seat: int | None
    """The seat that it concerns."""
    params: dict[str, ShortName | UnixTime]
    """What its sentence names, as `LOG_ENTRY_PARAMS` says."""


class FinishedGame(Struct, frozen=True, kw_only=True, tag_field="kind", tag="finished"):
    """A whole game, for anybody to check. It holds nobody's Discord id: captains are named."""

    format: Literal[2] = 2
    """Of the file; each released format is read for ever, as fingerprints are published of it."""
    digest: str = ""
    """SHA-256 of the file with this field, and `notes`, empty; the thread publishes it when the game is over."""
    name: ShortName
    locale: Annotated[str, Meta(max_length=10)]
    opened: UnixTime
    ended: UnixTime
    captains: tuple[ShortName | None, ...]
    """Names by seat, as they were at the end; None is the computer."""
    published: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")] | UnsetType = UNSET
    """The digest that the thread showed, if somebody was forgotten since and the file no longer has their name."""
    log: tuple[ExportedLogEntry, ...]
    """All that was done beside the rules since the game began, oldest first."""
    record: Record
    notes: tuple[PublishedHash, ...]
    """What was published of it, each with its message."""


class ExportedSeal(Struct, frozen=True, kw_only=True):
    """What a captain was asked and has not yet answered for all to see, or what is opened only at the end."""

    request: str
    seat: int
    commitment: str | None
    """None: not sealed yet."""


class VisibleStep(Struct, frozen=True, kw_only=True):
    """A step of a game that goes on, as its reader may know it."""

    act: OutOfTurnAction | replay.UndoAction | None = None
    answers: tuple[RecordedAnswer, ...] = ()
    events: tuple[dict[str, object], ...]
    at: UnixTime


class RunningGame(Struct, frozen=True, kw_only=True, tag_field="kind", tag="running"):
    """A game that goes on, as one reader may know it: without its seed, and without what others have sealed."""

    format: Literal[2] = 2
    digest: str = ""
    """SHA-256 of the file with this field, and `notes`, empty."""
    name: str
    locale: str
    opened: UnixTime
    captains: tuple[str | None, ...]
    setup: Setup
    seed_commitment: str
    seat: int | None
    """The reader's; None is a spectator."""
    steps: tuple[VisibleStep, ...]
    seals: tuple[ExportedSeal, ...]
    own: tuple[RecordedAnswer, ...]
    """What the reader, and nobody else, has sealed."""
    drafts: dict[str, str]
    """What the reader has not yet sealed, by request."""
    scheme: fairness.HashScheme
    """How hashes and dice are made."""
    words: tuple[str | None, ...]
    """What each seat's captain added to the dice."""
    notes: tuple[PublishedHash, ...]
    """What was published of it, each with its message."""


Export = FinishedGame | RunningGame
E = TypeVar("E", FinishedGame, RunningGame)


def digest_of(export: Export) -> str:
    """SHA-256, in hex, of an export's file with its digest left empty, and what was published of it."""
    return hashlib.sha256(encode_export(structs.replace(export, digest="", notes=()))).hexdigest()


def with_digest(export: E) -> E:
    """The same export with the digest that belongs to it."""
    return structs.replace(export, digest=digest_of(export))


def encode_export(export: Export) -> bytes:
    """The file of an export: there is but one way to write it, so that each of its bits counts."""
    return msgspec.json.encode(export)


def decode_export(data: bytes) -> Export:
    """Read an export's file. Raises `OrderError` if it is none."""
    if len(data) > MAX_FILE_BYTES:
        raise UnreadableOrder("export_too_long", piece="file", most=MAX_FILE_BYTES // 2**20)
    try:
        found: Export = msgspec.json.decode(data, type=Export)
    except (msgspec.MsgspecError, ValueError, RecursionError) as unreadable:
        raise UnreadableOrder("no_export", piece="file", expected=str(unreadable)) from unreadable
    setup = found.record.setup if isinstance(found, FinishedGame) else found.setup
    if isinstance(found, FinishedGame):
        for number, entry in enumerate(found.log):
            if not _is_valid_entry(entry, seats=len(setup.teams), steps=len(found.record.steps)):
                raise UnreadableOrder("no_export", piece="file", expected=f"$.log[{number}]")
    if len(found.captains) != len(setup.teams):
        raise UnreadableOrder("no_export", piece="file", expected=f"{len(setup.teams)} captains")
    if setup.system not in RULESETS:
        raise UnreadableOrder("unknown_system", piece=setup.system, expected=", ".join(RULESETS))
    return found


def _is_valid_entry(entry: ExportedLogEntry, *, seats: int, steps: int) -> bool:
    """Whether this may have been done in a game of so many seats and steps."""
    names = LOG_ENTRY_PARAMS.get(entry.kind)
    return (
        names is not None
        and entry.params.keys() == set(names)
        and all(type(value) is _PARAM_TYPES[name] for name, value in entry.params.items())
        and int(entry.params.get("crew", FIRST_NAME_NUMBER)) >= FIRST_NAME_NUMBER
        and all(number in range(seats) for number in (entry.by, entry.seat) if isinstance(number, int))
        and entry.step in range(steps)
    )


class FileHeader(Struct, frozen=True):
    """What a file says that it is, before anything is checked."""

    is_finished: bool
    """Whether the game is over."""
    digest: str
    is_battle: bool
    """Whether it was a battle that knew its name in another game."""


def read_header(data: bytes) -> FileHeader:
    """Look at an export's file. Raises `OrderError` if it is none."""
    found = decode_export(data)
    setup = found.record.setup if isinstance(found, FinishedGame) else found.setup
    return FileHeader(isinstance(found, FinishedGame), found.digest, bool(setup.parent))


def check_export(data: bytes, published: str = "", kept: Sequence[PublishedHash] = ()) -> Flaw | None:
    """Replay an export's file as far as its facts go; the first flaw, or None if everything holds.

    `published` is the digest that the thread told, or its beginning as it stands there, `kept` what else is known to
    have been published, besides what the file says of it. Raises `OrderError` if the file is no export.
    """
    return next(_find_flaws(decode_export(data), data, published, kept), None)


class RecordProof(Struct, frozen=True, kw_only=True):
    """What it is that holds, if no flaw is found."""

    is_finished: bool
    digest: str
    step_count: int
    answer_count: int
    """Answers that were sealed and are known now."""
    told_count: int
    """How many hashes of them `noted` names."""
    broken_count: int
    """Published seals that their captains, or going back, broke."""
    words: tuple[str | None, ...]
    names_withdrawn: bool
    """Names were withdrawn since the fingerprint of the record was published."""
    is_noted_by_bot: bool
    """Whether `noted` is what the bot itself noted when it published it; else it is what the file claims."""
    published_hashes: tuple[PublishedHash, ...]
    """What was published, to be held against the thread."""


def build_proof(data: bytes, kept: Sequence[PublishedHash] = ()) -> RecordProof:
    """What there is to be proved of an export's file; as `check_export`.

    `kept` is what the bot itself has noted. A file's own notes are never taken for that: anybody may have written them.
    """
    found = decode_export(data)
    noted = kept or found.notes
    answers = list(_known_answers(found))
    seals = {seal.hash for those in publications.unbroken_seals(noted).values() for seal in those}
    words = found.record.words if isinstance(found, FinishedGame) else found.words
    return RecordProof(
        is_finished=isinstance(found, FinishedGame),
        digest=found.digest,
        names_withdrawn=_published_digest(found) != found.digest,
        step_count=len(_export_steps(found)),
        answer_count=len(answers),
        told_count=sum(answer.commitment in seals for answer in answers),
        broken_count=sum(one.what == "broken" for one in noted),
        words=words,
        is_noted_by_bot=bool(kept),
        published_hashes=tuple(noted),
    )


class GameEnding(Struct, frozen=True):
    """How a game began and ended."""

    setup: Setup
    seed: str
    report: Report
    """With the file's own digest."""
    former_digest: str
    """The digest that the file says was published before names were withdrawn, which nobody can compute; or empty."""


def game_ending(data: bytes) -> GameEnding:
    """How a game began and ended, of whose file no flaw was found. Raises `ValueError` if it goes on."""
    found = decode_export(data)
    if not isinstance(found, FinishedGame):
        raise ValueError("it is not over")
    record, told = found.record, _published_digest(found)
    report = replay.battle_report(RULESETS[record.setup.system], record, found.digest)
    return GameEnding(record.setup, record.seed, report, "" if told == found.digest else told)


def recorded_battles(data: bytes) -> tuple[RecordedBattle, ...]:
    """The games of their own whose ends a finished game has taken for answers, of whose file no flaw was found."""
    found = decode_export(data)
    # Few games have any: others are not replayed once more for it.
    if not isinstance(found, FinishedGame) or not any('"digest"' in answer.body for answer in _known_answers(found)):
        return ()
    return tuple(replay.recorded_battles(RULESETS[found.record.setup.system], found.record))


def _published_digest(export: Export) -> str:
    """The digest that was published of an export, or would be now."""
    withdrawn = isinstance(export, FinishedGame) and export.published
    return withdrawn if isinstance(withdrawn, str) else export.digest


def _export_steps(export: Export) -> tuple[RecordedStep | VisibleStep, ...]:
    return export.record.steps if isinstance(export, FinishedGame) else export.steps


def _known_answers(export: Export) -> Iterator[RecordedAnswer]:
    """All that is known of what was sealed, in order."""
    for step in _export_steps(export):
        yield from step.answers
    yield from export.record.unused if isinstance(export, FinishedGame) else export.own


def _contradictions(export: Export, kept: Sequence[PublishedHash]) -> Iterator[Flaw]:
    """Where an export does not agree with what was published."""
    recorded = publications.hashes_by_request(_known_answers(export))
    if isinstance(export, RunningGame):
        seed, words = export.seed_commitment, export.words
        own = {answer.commitment for answer in export.own}
        for seal in export.seals:
            if seal.commitment is not None and seal.commitment not in own:
                recorded[seal.request].append(seal.commitment)
    else:
        seed, words = export.record.seed_commitment, export.record.words
    hashed = fairness.hash_words(words)
    last = len(_export_steps(export))
    for told in (export.notes, kept):
        yield from publications.find_contradictions(told, seed=seed, words=hashed, recorded=recorded, last=last)
        if any(one.hash != _published_digest(export) for one in told if one.what == "digest"):
            yield Flaw(step=last, what="published", piece=export.digest)


def _find_flaws(export: Export, data: bytes, published: str, kept: Sequence[PublishedHash]) -> Iterator[Flaw]:
    if isinstance(export, FinishedGame):
        steps: tuple[RecordedStep | VisibleStep, ...] = export.record.steps
        if flaw := replay.verify(RULESETS[export.record.setup.system], export.record):
            yield flaw
    else:
        steps = export.steps
        for number, step in enumerate(steps):
            if broken := replay.first_mismatched_answer(step.answers, export.seed_commitment):
                yield Flaw(step=number, what="commitment", piece=broken.request)
        if broken := replay.first_mismatched_answer(export.own, export.seed_commitment):
            yield Flaw(step=len(steps), what="commitment", piece=broken.request)
    # What follows from nothing, such as names and times, is held by the digest of it all.
    if export.digest != digest_of(export) or encode_export(export) != data:
        yield Flaw(step=len(steps), what="digest", piece=export.digest)
    fits = _digest_matches(export.digest, published)
    withdrawn = not fits and _digest_matches(_published_digest(export), published)
    if published and not (fits or withdrawn):
        yield Flaw(step=len(steps), what="published", piece=export.digest)
    yield from _contradictions(export, kept)
    if published and withdrawn:
        yield Flaw(step=len(steps), what="withdrawn", piece=_published_digest(export))


def _digest_matches(digest: str, told: str) -> bool:
    """Whether a digest is the one that somebody has typed, whole or as its thread shows it."""
    return digest.startswith(told.lower()) and len(told) >= fairness.SHOWN_HASH_DIGITS
