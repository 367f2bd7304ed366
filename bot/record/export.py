"""Write, read and verify the files of `/galley history export`."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Annotated, Final, Literal, TypeVar

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType, structs

from bot.record import chain
from bot.record.log_entries import ExportedLogEntry, ShortName, UnixTime
from bot.store.models.chain import ChainLine, line_digests
from bot.store.models.records import LogEntryRow
from bot.store.queries import publications
from bot.store.queries.publications import PublishedHash
from rules.chance import fairness
from rules.core import replay
from rules.core.errors import UnreadableOrder, place_of_error
from rules.core.keepsakes import FIRST_NAME_NUMBER
from rules.core.protocol import OutOfTurnAction, Report, Setup
from rules.core.registry import RULESETS
from rules.core.replay import Flaw, Record, RecordedAnswer, RecordedBattle, RecordedStep

MAX_FILE_BYTES: Final = 8 * 2**20  # maximum size of a file that is read, close to Discord's limit for uploads


_PARAM_TYPES: Final = {
    **dict.fromkeys(("captain", "to", "names"), str),
    **dict.fromkeys(("since", "until", "left", "round", "number", "crew", "days"), int),
}
LOG_ENTRY_PARAMS: Final[dict[str, tuple[str, ...]]] = {
    "abandoned": (),
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
    "fought_again": ("number",),
    "gap": ("since", "until"),
    "gave_back": (),
    "homeless": (),
    "kept_brief": (),
    "kept_called_off": (),
    "kept_often": (),
    "kept_practice": (),
    "kicked": ("captain",),
    "left": ("captain",),
    "lapsed": ("days",),
    "left_out": (),
    "lobby_ended": (),
    "lobby_lost": (),
    "lobby_over": ("days",),
    "mended": ("until",),
    "moved": (),
    "muted": (),
    "named_new": ("names",),
    "offered": ("captain",),
    "pause_asked": (),
    "pause_declined": (),
    "pause_over": ("until",),
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
    "restored": ("until",),
    "restored_battle": ("number", "until"),
    "restored_over": (),
    "resumed": ("until",),
    "returned": ("until",),
    "sent_home": (),
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
"""Public kinds of audit log entries, with the parameters of their texts besides seats."""


def export_log_entry(entry: LogEntryRow) -> ExportedLogEntry:
    """Return a log entry for a record, which names its author by their seat, without user ids."""
    author: int | Literal["manager"] | None = entry.by_seat
    if author is None and entry.user_id is not None:
        author = "manager"
    params = {name: entry.params[name] for name in LOG_ENTRY_PARAMS[entry.kind]}
    return ExportedLogEntry(at=entry.at, step=entry.step_no, by=author, kind=entry.kind, seat=entry.seat, params=params)


class FinishedGame(Struct, frozen=True, kw_only=True, tag_field="kind", tag="finished"):
    """A finished game's record for anybody to verify. It contains no Discord ids, but captains' names."""

    format: Literal[2] = 2
    """Version of the file format. All released versions stay readable, because their digests are published."""
    digest: str = ""
    """SHA-256 of the file with this field and `notes` empty. The thread shows it when the game ends."""
    name: ShortName  # "" if the host gave none
    locale: Annotated[str, Meta(max_length=10)]  # language of its thread
    opened: UnixTime  # when its lobby was opened
    ended: UnixTime  # when its last step was stored
    captains: tuple[ShortName | None, ...]  # names by seat at the end of the game; None is the computer
    published: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")] | UnsetType = UNSET
    """The digest that the thread showed, if a name was withdrawn from the record since."""
    log: tuple[ExportedLogEntry, ...]  # public entries of the audit log
    chain: tuple[ChainLine, ...]  # lines of the chain of digests, of which the thread shows one each round
    record: Record  # setup, seed, and the answers of each step, from which the game can be replayed
    notes: tuple[PublishedHash, ...]  # hashes of answers that messages showed during the game, as the file claims


class ExportedSeal(Struct, frozen=True, kw_only=True):
    request: str  # id of the sealed request
    seat: int  # whose answer is awaited or sealed
    commitment: str | None  # hash of the sealed answer; None: not sealed


class VisibleStep(Struct, frozen=True, kw_only=True):
    act: OutOfTurnAction | replay.UndoAction | None = None  # None: it resolved answers
    answers: tuple[RecordedAnswer, ...] = ()  # that the step resolved and the reader may see
    events: tuple[dict[str, object], ...]  # those that the reader may see, as JSON objects
    at: UnixTime  # when the step was recorded


class RunningGame(Struct, frozen=True, kw_only=True, tag_field="kind", tag="running"):
    """A running game as one reader may know it: without its seed and other seats' sealed answers."""

    format: Literal[2] = 2  # version of the file format
    digest: str = ""  # SHA-256 of the file with this field and `notes` empty
    name: str  # "" if the host gave none
    locale: str  # language of its thread
    opened: UnixTime  # when its lobby was opened (Unix seconds)
    captains: tuple[str | None, ...]  # names by seat; None is the computer
    setup: Setup  # without other seats' keepsakes
    seed_commitment: str  # hash of the secret seed
    seat: int | None  # the reader's; None: a spectator
    steps: tuple[VisibleStep, ...]  # those that the reader may know of
    seals: tuple[ExportedSeal, ...]  # of requests that are not resolved yet
    own: tuple[RecordedAnswer, ...]  # the reader's sealed answers that are not resolved yet
    drafts: dict[str, str]  # the reader's, by request id
    scheme: fairness.HashScheme  # how seals and dice are computed from the seed
    words: tuple[str | None, ...]  # the captains' words for the dice, by seat
    chain: tuple[ChainLine, ...]  # lines of the chain of digests so far
    notes: tuple[PublishedHash, ...]  # hashes that messages showed so far


Export = FinishedGame | RunningGame
E = TypeVar("E", FinishedGame, RunningGame)


def digest_of(export: Export) -> str:
    return hashlib.sha256(encode_export(structs.replace(export, digest="", notes=()))).hexdigest()


def with_digest(export: E) -> E:
    return structs.replace(export, digest=digest_of(export))


def encode_export(export: Export) -> bytes:
    return msgspec.json.encode(export)


def decode_export(data: bytes) -> Export:
    """Decode and validate an export. Raises `OrderError`."""
    if len(data) > MAX_FILE_BYTES:
        raise UnreadableOrder("export_too_long", piece="file", most=MAX_FILE_BYTES // 2**20)
    try:
        export: Export = msgspec.json.decode(data, type=Export)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise UnreadableOrder("no_export", piece="file", at=place_of_error(error, data)) from error
    setup = export.record.setup if isinstance(export, FinishedGame) else export.setup
    if isinstance(export, FinishedGame):
        for number, entry in enumerate(export.log):
            if not _is_valid_entry(entry, seats=len(setup.teams), steps=len(export.record.steps)):
                raise UnreadableOrder("no_export", piece="file", at=f"log[{number}]")
    if len(export.captains) != len(setup.teams):
        raise UnreadableOrder("no_export", piece="file", at="captains")
    if setup.system not in RULESETS:
        raise UnreadableOrder("unknown_system", piece=setup.system, expected=", ".join(RULESETS))
    return export


def _is_valid_entry(entry: ExportedLogEntry, *, seats: int, steps: int) -> bool:
    param_names = LOG_ENTRY_PARAMS.get(entry.kind)
    return (
        param_names is not None
        and entry.params.keys() == set(param_names)
        and all(type(value) is _PARAM_TYPES[name] for name, value in entry.params.items())
        and int(entry.params.get("crew", FIRST_NAME_NUMBER)) >= FIRST_NAME_NUMBER
        and all(seat_no in range(seats) for seat_no in (entry.by, entry.seat) if isinstance(seat_no, int))
        and entry.step in range(steps)
    )


class FileHeader(Struct, frozen=True):
    is_finished: bool  # whether the game is over
    digest: str  # as the file claims
    is_battle: bool  # whether it names a parent game


def read_header(data: bytes) -> FileHeader:
    export = decode_export(data)
    setup = export.record.setup if isinstance(export, FinishedGame) else export.setup
    return FileHeader(isinstance(export, FinishedGame), export.digest, bool(setup.parent))


def check_export(data: bytes, published: str = "", stored_hashes: Sequence[PublishedHash] = ()) -> Flaw | None:
    """Replay an export and return its first flaw, or None.

    `published` is the digest shown in the thread or its first digits. `stored_hashes` are hashes that the bot stored
    when they were published; those in the file are checked too. Raises `OrderError` if the file is no export.
    """
    return next(_find_flaws(decode_export(data), data, published, stored_hashes), None)


class RecordProof(Struct, frozen=True, kw_only=True):
    is_finished: bool  # whether the game is over
    digest: str  # of the file, as it claims
    step_count: int  # steps of the record
    answer_count: int  # answers that the record contains
    told_count: int  # answers whose published seal was compared and fits
    draft_count: int = 0  # answers taken from a draft at the deadline, for which no hash was published
    unpublished_count: int = 0  # other answers of captains without a published hash, if hashes are known
    broken_count: int  # number of published seals that were broken by their captains or by an undo
    restores: tuple[tuple[int, replay.UndoAction], ...] = ()
    """Steps, by number, before which an older backup was restored."""
    first_seed_hash: str = ""
    """Of the second game of a match: the hash of the first game's seed, which its lobby showed. Else empty."""
    words: tuple[str | None, ...]  # the captains' words for the dice, by seat
    chain: tuple[tuple[int, str], ...]  # (round, digest) of each line of the chain
    names_withdrawn: bool  # whether a name was removed after the digest had been published
    is_noted_by_bot: bool
    """Whether the bot stored `published_hashes` itself when it published them; else they are the file's claim."""
    published_hashes: tuple[PublishedHash, ...]  # those that messages showed


def build_proof(data: bytes, stored_hashes: Sequence[PublishedHash] = ()) -> RecordProof:
    """Return figures about an export. Raises like `check_export`.

    `stored_hashes` are those that the bot stored itself. A file's own hashes are never treated as such, because anybody
    may have written them.
    """
    export = decode_export(data)
    hashes = stored_hashes or export.notes  # without stored hashes, the file's claim is used and marked as a claim
    answers = list(_known_answers(export))
    seals = {seal.hash for request_seals in publications.unbroken_seals(hashes).values() for seal in request_seals}
    words = _seed_hash_and_words(export)[1]
    return RecordProof(
        is_finished=isinstance(export, FinishedGame),
        digest=export.digest,
        names_withdrawn=_published_digest(export) != export.digest,
        step_count=len(_export_steps(export)),
        answer_count=len(answers),
        told_count=sum(answer.commitment in seals for answer in answers),
        draft_count=sum(answer.given_by == "draft" for answer in answers),
        unpublished_count=sum(
            answer.given_by == "captain" and answer.commitment not in seals for answer in answers if hashes
        ),
        broken_count=sum(row.what == "broken" for row in hashes),
        restores=_restores(export),
        first_seed_hash=_first_seed_hash(export),
        words=words,
        chain=tuple((line.round, digest) for line, digest in zip(export.chain, _chain_digests(export), strict=True)),
        is_noted_by_bot=bool(stored_hashes),
        published_hashes=tuple(hashes),
    )


def _first_seed_hash(export: Export) -> str:
    if isinstance(export, RunningGame) or export.record.setup.match_game is UNSET:
        return ""
    return fairness.hash_seed(fairness.first_game_seed(export.record.seed))


def _restores(export: Export) -> tuple[tuple[int, replay.UndoAction], ...]:
    acts = enumerate(step.act for step in _export_steps(export))
    return tuple((number, act) for number, act in acts if isinstance(act, replay.UndoAction) and act.is_restore)


class GameEnding(Struct, frozen=True):
    setup: Setup  # with which the game began
    seed: str  # of its dice, in hex
    report: Report  # the answer of a battle to its parent game
    former_digest: str
    """The digest that the file claims was published before names were withdrawn, which can't be recomputed; else empty.
    """


def game_ending(data: bytes) -> GameEnding:
    """Return how a game began and ended. The file must be free of flaws. Raises `ValueError` if it is not over."""
    export = decode_export(data)
    if not isinstance(export, FinishedGame):
        raise ValueError("it is not over")
    record = export.record
    published = _published_digest(export)
    report = replay.battle_report(RULESETS[record.setup.system], record, export.digest)
    former_digest = "" if published == export.digest else published
    return GameEnding(record.setup, record.seed, report, former_digest)


def recorded_battles(data: bytes) -> tuple[RecordedBattle, ...]:
    """Return the battles whose results a finished game contains. The file must be free of flaws."""
    export = decode_export(data)
    # Only the answers of battles contain a digest. Other games need no replay.
    if not isinstance(export, FinishedGame) or not any('"digest"' in answer.body for answer in _known_answers(export)):
        return ()
    return tuple(replay.recorded_battles(RULESETS[export.record.setup.system], export.record))


def _published_digest(export: Export) -> str:
    """Return the digest that the thread showed; it differs from the file's if a name was withdrawn since."""
    if isinstance(export, FinishedGame) and isinstance(export.published, str):
        return export.published
    return export.digest


def _export_steps(export: Export) -> tuple[RecordedStep | VisibleStep, ...]:
    return export.record.steps if isinstance(export, FinishedGame) else export.steps


def _known_answers(export: Export) -> Iterator[RecordedAnswer]:
    for step in _export_steps(export):
        yield from step.answers
    yield from export.record.unused if isinstance(export, FinishedGame) else export.own


def _seed_hash_and_words(export: Export) -> tuple[str, tuple[str | None, ...]]:
    if isinstance(export, FinishedGame):
        return export.record.seed_commitment, export.record.words
    return export.seed_commitment, export.words


def _chain_digests(export: Export) -> list[str]:
    return line_digests(*_seed_hash_and_words(export), export.chain)


def _contradictions(export: Export, stored_hashes: Sequence[PublishedHash]) -> Iterator[Flaw]:
    """Yield where a record contradicts the hashes that it says were published, and those that the bot stored."""
    hashes_by_request = publications.hashes_by_request(_known_answers(export))
    seed, words = _seed_hash_and_words(export)
    if isinstance(export, RunningGame):
        own_commitments = {answer.commitment for answer in export.own}
        for seal in export.seals:
            if seal.commitment is not None and seal.commitment not in own_commitments:
                hashes_by_request[seal.request].append(seal.commitment)
    words_hash = fairness.hash_words(words)
    step_count = len(_export_steps(export))
    for hashes in (export.notes, stored_hashes):
        yield from publications.find_contradictions(
            hashes, seed=seed, words=words_hash, recorded=hashes_by_request, last=step_count
        )
        if unknown := chain.first_unknown_digest(_chain_digests(export), hashes):
            yield Flaw(step=step_count, what="told_chain", piece=unknown.request)
        if any(row.hash != _published_digest(export) for row in hashes if row.what == "digest"):
            yield Flaw(step=step_count, what="published", piece=export.digest)


def _find_flaws(export: Export, data: bytes, published: str, stored_hashes: Sequence[PublishedHash]) -> Iterator[Flaw]:
    """Yield the flaws of an export: of its steps, its digest and its published hashes, in this order."""
    if isinstance(export, FinishedGame):
        steps: tuple[RecordedStep | VisibleStep, ...] = export.record.steps
        if flaw := replay.verify(RULESETS[export.record.setup.system], export.record):
            yield flaw
    else:
        steps = export.steps
        for number, step in enumerate(steps):
            if mismatched := replay.first_mismatched_answer(step.answers, export.seed_commitment):
                yield Flaw(step=number, what="commitment", piece=mismatched.request)
        if mismatched := replay.first_mismatched_answer(export.own, export.seed_commitment):
            yield Flaw(step=len(steps), what="commitment", piece=mismatched.request)
    # Names and times can't be derived by replaying, but the digest covers them.
    if export.digest != digest_of(export) or encode_export(export) != data:
        yield Flaw(step=len(steps), what="digest", piece=export.digest)
    fits = _digest_matches(export.digest, published)
    # The thread may show the digest from before a name was withdrawn.
    fits_former_digest = not fits and _digest_matches(_published_digest(export), published)
    if published and not (fits or fits_former_digest):
        yield Flaw(step=len(steps), what="published", piece=export.digest)
    yield from _contradictions(export, stored_hashes)
    if isinstance(export, FinishedGame):
        wrong_line = chain.first_wrong_line(export.chain, _known_answers(export), export.log)
        if wrong_line:
            yield Flaw(step=len(steps), what="chain", piece=str(wrong_line.round))
    if published and fits_former_digest:
        yield Flaw(step=len(steps), what="withdrawn", piece=_published_digest(export))


def _digest_matches(digest: str, typed: str) -> bool:
    """Return whether a typed digest, full or shortened as in the thread, matches."""
    return digest.startswith(typed.lower()) and len(typed) >= fairness.SHOWN_HASH_DIGITS
