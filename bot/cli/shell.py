"""Implement the shell's commands for positions and records."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Sequence
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, Literal

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy.exc import SQLAlchemyError

import render
from bot.errors import JobLimitExceeded
from bot.jobs import play, stored
from bot.jobs.refused import errors_of_game
from bot.record import checking, export, proofs
from bot.record.chapters import group_chapters
from bot.record.following import BattleChecker
from bot.services.archive import ArchiveService
from bot.store import NotWritten, Store, StoreUnavailable
from bot.store.engine.transfer import TargetNotEmpty
from bot.texts.i18n import Catalogue, Localizer, language_for_locale
from bot.texts.style import PLAIN_STYLE, Markup
from rules.core import replay
from rules.core.errors import OrderError, UnreadableOrder
from rules.core.protocol import EMPTY_DRAFT, Step
from rules.core.registry import RULESETS
from rules.core.ruleset import Ruleset

_SEAT_LETTERS = dict(enumerate("ABCDEFGH"))
_NOT_OVER_MESSAGE = "this game was not over when it was exported"


def run_case(raw_case: str | bytes) -> dict[str, Any]:
    """Return the result of one JSON case. Raises `OrderError` that names the field or rule and what was expected."""
    try:
        text = raw_case if isinstance(raw_case, str) else raw_case.decode("utf-8")
        case = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnreadableOrder("bad_json", piece="case", expected=str(error)) from error
    name = case.get("ruleset", "") if isinstance(case, dict) else ""
    rules = RULESETS.get(name) if isinstance(name, str) else None
    if rules is None:
        raise UnreadableOrder("unknown_system", piece="ruleset", expected=" or ".join(RULESETS))
    with errors_of_game(name):
        return rules.adjudicate(text.encode())


def fault_line(error: OrderError) -> str:
    """Return one English line for programs: the field or rule, and what was expected."""
    fault = error.fault
    where = fault.rule or fault.piece or fault.kind
    localizer = Localizer(Catalogue.load("en", error.system), style=PLAIN_STYLE)
    sentence = localizer.say(f"fault.{fault.code}", **{**fault.params, "piece": fault.piece, "rule": fault.rule})
    reasons = " ".join(localizer.short_fault_text(fault_detail) for fault_detail in fault.faults)
    return f"{where}: {' '.join(f'{sentence} {reasons}'.split())}"


KINDS: Final = ("table", "plan", "aim", "round", "film", "replay")
"""Pictures of all games. `aim`: the choices that orders leave; `film`: one round; `replay`: the whole game."""


class PictureRequest(Struct, frozen=True, kw_only=True):
    kind: str = "table"  # one of `KINDS`, or a kind of picture of the game
    crop: Literal["whole", "action", "fleet"] = "whole"  # the table, latest events or own ships
    width_px: int | None = None  # None: the usual width of stills or films
    film_format: render.FilmFormat = "webp"
    still_format: render.StillFormat = "png"
    language: str = "en"  # of the caption
    seat: int = 0  # whose plan or fleet is shown
    orders: str = ""  # as a captain would type them; empty: none
    round: int | None = None
    """The round after which an exported game is shown; None: the last."""


def draw_picture(system: str, source: str, request: PictureRequest) -> render.Picture:
    """Return a picture of a position in notation, or of an exported game.

    Raises `OrderError` if it can't be read, `ValueError` if there is nothing to show.
    """
    is_record = source.lstrip().startswith("{")  # JSON, where notation never begins so
    if is_record:
        rules, rounds = _read_record(source)
    else:
        rules = _require_ruleset(system)
        with errors_of_game(system):
            no_events = ()
            rounds = {0: Step(rules.state_at(source), no_events)}
    with errors_of_game(rules.name):
        return _draw_kind(rules, rounds, request, shows_secrets=is_record and rules.has_chronicle)


def _draw_kind(
    rules: Ruleset[Any], rounds: dict[int, Step], picture_request: PictureRequest, *, shows_secrets: bool
) -> render.Picture:
    known_kinds = dict.fromkeys((*KINDS, *render.picture_kinds(rules.view_type)))
    if picture_request.kind not in known_kinds:
        raise ValueError(
            f"there is no picture {picture_request.kind!r} of this game; there are {', '.join(known_kinds)}"
        )
    localizer = Localizer(
        Catalogue.load(language_for_locale(picture_request.language), rules.name),
        names=_SEAT_LETTERS,
        style=PLAIN_STYLE,
    )
    scenes = {number: _make_scene(rules, localizer, number, step) for number, step in rounds.items()}
    if shows_secrets:  # as chat shows finished games with a chronicle
        views = {number: rules.final_view(step.state) for number, step in rounds.items()}
        views_before = {later: views[earlier] for earlier, later in pairwise(views)}
        scenes = {
            number: replace(scene, view=views[number], before=views_before.get(number))
            for number, scene in scenes.items()
        }
    shown_round = max(rounds) if picture_request.round is None else picture_request.round
    if shown_round not in rounds:
        raise ValueError(f"there is no round {shown_round}; the last is {max(rounds)}")
    scene = scenes[shown_round]
    match picture_request.kind:
        case "replay":
            scenes_so_far = [scenes[number] for number in rounds if 0 < number <= shown_round]
            return _require_film(render.draw_replay(scenes_so_far, form=picture_request.film_format))
        case "film":
            crop: render.CropArea = "whole" if picture_request.crop == "whole" else "action"
            width = picture_request.width_px or render.FILM_WIDTH
            film = render.draw_film(
                scene.view,
                scene.events,
                caption=scene.caption,
                width=width,
                crop=crop,
                form=picture_request.film_format,
                before=scene.before,
            )
            return _require_film(film)
        case "aim":
            state = _state_with_question(rules, rounds[shown_round].state, picture_request)
            scene = _make_scene(rules, localizer, 0, Step(state, ()))
            return _draw_still("plan", rules, state, scene, replace(picture_request, orders=""))
        case kind:
            return _draw_still(kind, rules, rounds[shown_round].state, scene, picture_request)


def _state_with_question(rules: Ruleset[Any], state: object, picture_request: PictureRequest) -> object:
    """Return the state in which a captain gets a mid-round request after these orders. Others give no orders."""
    drafts: dict[str, str | None] = {}  # by request id; None: the captain gives no orders
    for request in rules.pending_requests(state):
        drafts[request.id] = None
        if request.seat == picture_request.seat:
            drafts[request.id] = rules.type_text(state, request, EMPTY_DRAFT, picture_request.orders).text
    result = play.carry_out_answers(rules.name, stored.encode(state), drafts)
    is_asked_mid_round = any(request.live and request.seat == picture_request.seat for request in result.pending)
    if not is_asked_mid_round:
        raise ValueError("that captain's orders lead to no question")
    return stored.read_state(rules, result.state)


def _draw_still(
    kind: render.PictureKind, rules: Ruleset[Any], state: object, scene: render.Scene, picture_request: PictureRequest
) -> render.Picture:
    """Draw a picture: a `plan` shows a captain's orders, other kinds the events. Raises `ValueError` if it is empty."""
    view = scene.view
    if kind == "plan":
        own_requests = [request for request in rules.pending_requests(state) if request.seat == picture_request.seat]
        if not own_requests:
            raise ValueError("that captain is asked nothing")
        draft = EMPTY_DRAFT
        if picture_request.orders:
            draft = rules.type_text(state, own_requests[0], EMPTY_DRAFT, picture_request.orders)
        view = rules.view(state, picture_request.seat, draft)
    if not render.has_content(view, scene.events, kind):
        raise ValueError("nothing of it is to be seen")
    own_ships = tuple(piece.id for piece in view.pieces if piece.afloat and piece.seat == picture_request.seat)
    return render.draw_still(
        view,
        () if kind == "plan" else scene.events,
        kind=kind,
        caption=scene.caption,
        width=picture_request.width_px or render.STILL_WIDTH,
        crop="whole" if picture_request.crop == "whole" else "action",
        focus=own_ships if picture_request.crop == "fleet" else (),
        form=picture_request.still_format,
    )


def _require_film(film: render.Picture | None) -> render.Picture:
    if film is None:
        raise ValueError("nothing has moved that could be filmed")
    return film


def _require_ruleset(system: str) -> Ruleset[Any]:
    rules = RULESETS.get(system)
    if rules is None:
        raise UnreadableOrder("unknown_system", piece=system, expected=", ".join(RULESETS))
    return rules


def _read_record(text: str) -> tuple[Ruleset[Any], dict[int, Step]]:
    """Return a finished game's rules and, by round, its events and the state after them.

    Raises `OrderError` or `ValueError`.
    """
    game_export = export.decode_export(text.encode())
    if not isinstance(game_export, export.FinishedGame):
        raise ValueError(_NOT_OVER_MESSAGE)
    record, rules = game_export.record, _require_ruleset(game_export.record.setup.system)
    rounds_and_steps = list(replay.replay_steps(rules, record))  # (round in which the step was asked for, step)
    steps = [step for _, step in rounds_and_steps]
    chapters = group_chapters((number, round_no) for number, (round_no, _) in enumerate(rounds_and_steps))
    if not chapters:
        raise ValueError("this game has not begun")
    step_by_round: dict[int, Step] = {}
    for chapter in chapters:
        last_state = steps[chapter.steps[-1]].state
        events = tuple(event for number in chapter.steps for event in steps[number].events)
        step_by_round[chapter.round] = Step(last_state, events)
    return rules, step_by_round


def _make_scene(rules: Ruleset[Any], localizer: Localizer, number: int, step: Step) -> render.Scene:
    """Return what everybody sees of round `number`; 0 is before the first."""
    view = rules.view(step.state, None)
    caption = localizer.say("round", round=number) if number else localizer.say_text(view.phase)
    result = rules.result(step.state) if number else None
    if result:  # the game ended with this round
        caption = Markup(f"{caption} · {localizer.say_text(result.reason)}")
    public_events = tuple(event for event in step.events if event.seen_by is None)
    return render.Scene(view=view, events=public_events, caption=caption)


def read_file(file: Path) -> bytes:
    """Return the contents of an exported game's file. Raises `OrderError` if it is too long."""
    with file.open("rb") as opened:
        data = opened.read(export.MAX_FILE_BYTES + 1)
    if len(data) > export.MAX_FILE_BYTES:
        raise UnreadableOrder("export_too_long", piece="file", most=export.MAX_FILE_BYTES // 2**20)
    return data


def check_record(data: bytes, published: str = "") -> tuple[str, bool]:
    """Replay an exported game. Returns its flaw in one line (or an empty string) and whether it was over.

    Raises `OrderError` if it is no export, `ValueError` if the check exceeds its limits.
    """
    localizer = Localizer(Catalogue.load("en"), style=PLAIN_STYLE)
    result = _check_record(data, published, localizer)
    return proofs.flaw_text(localizer, result.flaw) if result.flaw else "", result.is_finished


def prove_record(
    data: bytes, published: str = "", language: str = "en", battles: Sequence[bytes] = ()
) -> tuple[bool, list[str]]:
    """Replay an exported game. Returns whether it is valid, and lines with the proof or the flaw.

    `data` may be a bundle of a game and its battles, and `battles` further records of its battles. Each battle must be
    valid, must have begun and ended as the game says, with the dice that follow from it, and counts once. A battle with
    withdrawn names is not verified, because its digest differs from the published one. Raises as `check_record`.
    """
    localizer = Localizer(Catalogue.load(language_for_locale(language)), style=PLAIN_STYLE)
    try:
        game_record, *bundled_battles = checking.unpack_for_shell(data)
    except JobLimitExceeded as error:
        raise ValueError(localizer.say("refuse.verify_too_much")) from error
    game_result = _check_record(game_record, published, localizer)
    if game_result.flaw:
        return False, [proofs.flaw_text(localizer, game_result.flaw)]
    lines = list(proofs.proof_lines(localizer, game_result.proof))
    lines += proofs.recomputation_lines(localizer, game_result.recomputation)
    checker = BattleChecker(localizer, game_result)
    uniqueness = checker.check_unique()
    if not uniqueness.is_valid:
        return False, [*uniqueness.lines]
    for battle in (*bundled_battles, *battles):
        battle_result = _check_record(battle, "", localizer)
        battle_ending = None if battle_result.flaw else checking.ending_for_shell(battle)
        result = checker.check_battle(battle_result, battle_ending)
        if not result.is_valid:
            return False, [*result.lines]
        lines += result.lines
    return True, [*lines, *checker.missing_battles()]


def _check_record(data: bytes, published: str, localizer: Localizer) -> checking.CheckResult:
    try:
        return checking.check_for_shell(data, published)
    except JobLimitExceeded as error:
        raise ValueError(localizer.say("refuse.verify_too_much")) from error


def read_finished(data: bytes) -> export.FinishedGame:
    """Return a valid finished game. Raises `OrderError` if it is no export, `ValueError` with the flaw."""
    flaw, _ = check_record(data)
    if flaw:
        raise ValueError(flaw)
    game_export = export.decode_export(data)
    if not isinstance(game_export, export.FinishedGame):
        raise ValueError(_NOT_OVER_MESSAGE)
    return game_export


@asynccontextmanager
async def opened_store(opening: Awaitable[Store]) -> AsyncIterator[Store]:
    """Open a store for one block. Raises `StoreUnavailable`, also if the database turns out to be damaged."""
    store = await opening
    try:
        yield store
    except (SQLAlchemyError, NotWritten) as error:
        cause = getattr(error, "orig", None) or error  # the database driver's own error, without the statement
        raise StoreUnavailable(f"the database is of no use: {cause}") from error
    finally:
        await store.close()


def export_game(database: str, game: int) -> bytes:
    """Return the record of a finished game. Raises `StoreUnavailable` or `Refusal`."""

    async def read_and_encode() -> bytes:
        async with opened_store(Store.open_for_reading(database)) as store:
            return export.encode_export(await ArchiveService(store).export_finished(game))

    return asyncio.run(read_and_encode())


def import_games(
    database: str, game_exports: Sequence[export.FinishedGame], *, guild_id: int, channel_id: int
) -> list[tuple[int, bool]]:
    """Store finished games. Returns each game's id and whether it is new.

    Raises `StoreUnavailable`, or `TimeoutError` if a game takes too long.
    """

    async def store_all() -> list[tuple[int, bool]]:
        async with opened_store(Store.open(database)) as store:
            archive = ArchiveService(store)
            results = []
            for game_export in game_exports:
                # Games with many undos are replayed quickly but stored slowly.
                async with asyncio.timeout(checking.CHECK_TIMEOUT_S):
                    results.append(await archive.import_game(game_export, guild_id=guild_id, channel_id=channel_id))
            return results

    return asyncio.run(store_all())


def move_all(database: str, target: str) -> dict[str, int]:
    """Copy everything into an empty database. Returns the rows by table. Raises `StoreUnavailable`."""

    async def move() -> dict[str, int]:
        async with opened_store(Store.open(database)) as store, opened_store(Store.open(target)) as target_store:
            try:
                return (await store.move_to(target_store)).rows_by_table
            except TargetNotEmpty as error:
                raise StoreUnavailable(f"the database to move to isn't empty: see its table {error}") from error

    return asyncio.run(move())
