"""Keepsakes: what captains bring to a game from earlier ones, such as the crews of their ships, and take home after it.

A keepsake belongs to a captain wherever they play, like a rating, and is text that only the game understands. It
enters the setup when the game begins, which keeps the game's record complete, and returns exactly once, in the
transaction that ends the game. One running game at a time holds it.

Nobody should train crews against the computer or against idle opponents. A game with too little play for a rating
therefore brings no gains. Losses count all the same; otherwise the losing captain would simply stop giving orders. A
game that was called off, or in which a side had only computers, changes nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final, Literal, NamedTuple

from msgspec import UNSET, structs

from bot.errors import Refusal
from bot.lifecycle.outbox import enqueue
from bot.lifecycle.people.captains import captains_of
from bot.lifecycle.ratings.limits import count_sides_played, have_trained_often
from bot.lifecycle.steps import clock, undo
from bot.lifecycle.steps.playing import SeatedGame
from bot.store.models.personal import NOBODY_ID
from bot.store.models.records import Captaincy, Game, KeepsakeRow, RequestsAnswered, StepCause, StepRow
from bot.store.queries.transaction import Transaction
from bot.texts.i18n import Catalogue, language_for_locale
from rules.core.keepsakes import MAX_KEEPSAKES, OWN_NOTE_NUMBER, Keepsake, KeepsakeUpdate, name_number
from rules.core.protocol import CallOff, Seat, Setup
from rules.core.registry import RULESETS

TeachingVerdict = Literal["taught", "brief", "often", "practice", "called_off"]
"""The worth of a finished game. `brief`: too little was played. `practice`: a side had only computers."""
UNTAUGHT_ACT_PREFIX: Final = "kept_"
ONLY_LOSSES_ACTS: Final = ("kept_brief", "kept_often")  # say that losses count, but gains do not
FETCHED_ACT: Final = "fetched_home"
"""Log entry: a captain has taken all keepsakes home from a game that stands still; its result will not count."""
SENT_HOME_ACT: Final = "sent_home"
"""Log entry: a game that is called off has sent all keepsakes home; its result will not count."""
NAMED_ACT: Final = "named_new"
ENGAGED_ACT: Final = "engaged"
IDLE_BEFORE_FETCH_S: Final = 30 * 86_400
"""A game must be idle for this long after a phase's length before its keepsakes may be fetched."""
PAUSED_BEFORE_FETCH_S: Final = 6 * IDLE_BEFORE_FETCH_S


async def with_keepsakes(tx: Transaction, seated_game: SeatedGame, *, begins: bool = True) -> Setup:
    """Return a lobby's setup with its captains' keepsakes if the game uses them.

    Raises `Refusal` if the game `begins` while another still holds all of a captain's keepsakes because it has not yet
    taken its choice.
    """
    game = seated_game.game
    rules = RULESETS[game.system].keepsakes
    if rules is None or not rules.are_brought(game.setup.options):
        return game.setup
    rows = await tx.keepsakes.of_users([seat.user_id for seat in seated_game.seats if seat.user_id], game.system)
    for other_id, user_id in {row.game_id: row.user_id for row in rows if row.game_id is not None}.items():
        if begins and await _is_undecided(tx, other_id):
            raise Refusal("keepsakes_awaited", name=seated_game.name_of(user_id, ""))
    keepsakes_by_seat: list[tuple[Keepsake, ...]] = []
    for seat in seated_game.seats:
        own_keepsakes = [
            Keepsake(number=row.number, body=row.body, name=row.name, elsewhere=row.game_id is not None)
            for row in rows
            if row.user_id == seat.user_id
        ]
        keepsakes_by_seat.append(tuple(own_keepsakes[: MAX_KEEPSAKES + 1]))  # one more: the game's own note
    return structs.replace(game.setup, keepsakes=tuple(keepsakes_by_seat))


def without_keepsake_names(setup: Setup) -> Setup:
    nameless = setup.keepsakes and tuple(
        tuple(structs.replace(keepsake, name="") for keepsake in keepsakes) for keepsakes in setup.keepsakes
    )
    return structs.replace(setup, keepsakes=nameless)


async def take_along(tx: Transaction, game: Game, held: Mapping[Seat, Collection[int]], *, begins: bool) -> None:
    """Record which keepsakes a game holds and release all others.

    Raises `Refusal` if another game took some while this one `begins`. The lock on all keepsakes and ratings is taken
    only if something changes.
    """
    # A keepsake is what a captain keeps from game to game, such as a crew. `held`: numbers of those in use, by seat.
    captaincies = await tx.captaincies.of_game(game.id)
    owners = _original_owners(captaincies)
    left_seats = {captaincy.seat for captaincy in captaincies if captaincy.to_step is not None}
    rows = await tx.keepsakes.of_users([*owners.values()], game.system)
    held_keys = {row.key for row in rows if row.game_id == game.id}
    # After going back, this game cannot know what another game has changed since it began.
    held_bodies = {
        (owners[seat], number): body
        for seat, numbers in held.items()
        if seat in owners
        for number, body in _original_bodies(game, seat).items()
        if number in numbers and (seat not in left_seats or (owners[seat], number) in held_keys)
    }
    released = held_keys - held_bodies.keys()
    has_new = any(row.game_id is None and row.body == held_bodies.get(row.key) for row in rows)
    if not (begins or released or has_new):
        return
    if await _was_fetched(tx, game):
        return
    await tx.keepsakes.lock_all()
    taken_count = await tx.keepsakes.take_along(game.id, game.system, held_bodies)
    expected_count = sum(len(numbers) for seat, numbers in held.items() if seat in owners)
    # Later there may be fewer: after going back, a crew may be held by another game.
    if begins and taken_count != expected_count:
        raise Refusal("busy")


async def release_keepsakes(tx: Transaction, game: Game, seat: Seat) -> None:
    """Release the keepsakes of a captain who was just replaced, unless they had sealed or chosen what to take along."""
    if not has_keepsakes(game) or not await _is_undecided(tx, game.id):
        return
    owner = _original_owners(await tx.captaincies.of_game(game.id)).get(seat)
    sealed = any(row.seat == seat and row.status == "sealed" for row in await tx.requests.open_of_game(game.id))
    if owner is not None and not sealed:
        await tx.keepsakes.lock_all()
        await tx.keepsakes.release_from_game(game.id, owner)


async def _is_undecided(tx: Transaction, game_id: int) -> bool:
    steps = undo.effective_steps(await tx.steps.causes_of_game(game_id))
    return not any(isinstance(cause, RequestsAnswered) for _, cause in steps)


async def _was_fetched(tx: Transaction, game: Game) -> bool:
    return any(act.kind in (FETCHED_ACT, SENT_HOME_ACT) for act in await tx.audit_log.of_game(game.id))


async def fetchable_from(tx: Transaction, game: Game, last_step: StepRow) -> int:
    """Return from when on (Unix seconds) keepsakes may be fetched from a game that stands still.

    The time is long in an agreed pause, and the clock must not be running: a losing captain could ask for a long
    holiday. Each side can end such a pause, which means nobody is trapped.
    """
    is_paused = await clock.stopping_act_kind(tx, game.id) == clock.PAUSED
    idle_s = PAUSED_BEFORE_FETCH_S if is_paused else IDLE_BEFORE_FETCH_S
    outage_s = clock.gap_seconds(await tx.audit_log.of_game(game.id), last_step.resolved_at)
    answerable_until = last_step.resolved_at + game.pace.phase_length_s + outage_s
    return max(answerable_until, game.deadline or 0) + idle_s


async def fetch_home(
    tx: Transaction, seated_game: SeatedGame, user_id: int, losses: Mapping[Seat, Sequence[KeepsakeUpdate]], *, now: int
) -> None:
    """Send all keepsakes home from a game that stands still, after applying the `losses` so far.

    All captains' keepsakes go: with only their own safe, the captain who fetches would play on without risk. Raises
    `Refusal` if the game has advanced since it was read or holds nothing of the user.
    """
    game = await tx.games.find_for_update(seated_game.game.id)
    if game is None or (game.phase, game.step_no) != ("running", seated_game.game.step_no):
        raise Refusal("busy")
    if not await _send_home(tx, game, losses, only_if_of=user_id):
        raise Refusal("keepsake_gone")
    await enqueue.add_log_entry(tx, game, FETCHED_ACT, now=now, user_id=user_id)


async def send_home(tx: Transaction, game: Game, losses: Mapping[Seat, Sequence[KeepsakeUpdate]], *, now: int) -> None:
    """Send all keepsakes home from a game that is called off, after applying the `losses` so far."""
    if await _send_home(tx, game, losses):
        await enqueue.add_log_entry(tx, game, SENT_HOME_ACT, now=now)


async def _send_home(
    tx: Transaction,
    game: Game,
    losses: Mapping[Seat, Sequence[KeepsakeUpdate]],
    *,
    only_if_of: int | None = None,
) -> bool:
    """Send all keepsakes home from a game. Return whether it held any, or any of the user `only_if_of`."""
    await tx.keepsakes.lock_all()
    owners = _original_owners(await tx.captaincies.of_game(game.id))
    rows = await tx.keepsakes.of_users([*owners.values()], game.system)
    if not any(row.game_id == game.id and only_if_of in (None, row.user_id) for row in rows):
        return False
    for seat, owner in owners.items():
        own_rows = {row.number: row for row in rows if row.user_id == owner}
        updates = [
            update for update in losses.get(seat, ()) if update.number in own_rows and update.number != OWN_NOTE_NUMBER
        ]
        await _store_keepsakes(tx, game, seat, updates, own_rows, user_id=owner)
    await tx.keepsakes.take_along(game.id, game.system, {})
    return True


async def hand_out_keepsakes(
    tx: Transaction,
    seated_game: SeatedGame,
    handed_on: Mapping[bool, Mapping[Seat, Sequence[KeepsakeUpdate]]],
    *,
    cause: StepCause,
    gave_up: bool,
    now: int,
) -> None:
    """Store what a finished game has made of its keepsakes. `gave_up`: see `count_sides_played`.

    `handed_on`: updates by seat if gains count (True) and if only losses count (False). The original captain gets them
    even if the seat changed hands, since only the computer can have replaced them.
    """
    game = seated_game.game
    if await _was_fetched(tx, game):
        return
    await tx.keepsakes.lock_all()
    verdict = await _teaching_verdict(tx, seated_game, cause, gave_up=gave_up, now=now)
    if verdict != "taught":
        await tx.audit_log.add_for_game(game, f"{UNTAUGHT_ACT_PREFIX}{verdict}", now=now)
    if verdict in ("taught", "brief", "often"):
        captaincies = await tx.captaincies.of_game(game.id)
        owners = _original_owners(captaincies)
        left_seats = {captaincy.seat for captaincy in captaincies if captaincy.to_step is not None}
        rows = await tx.keepsakes.of_users([*owners.values()], game.system)
        for seat, seat_updates in handed_on[verdict == "taught"].items():
            if seat in owners:
                own_rows = {row.number: row for row in rows if row.user_id == owners[seat]}
                # A captain who gave the seat away may not have made the choice that the note records.
                updates = [
                    update for update in seat_updates if update.number != OWN_NOTE_NUMBER or seat not in left_seats
                ]
                stored = await _store_keepsakes(tx, game, seat, updates, own_rows, user_id=owners[seat])
                for number in stored.engaged:
                    await tx.audit_log.add_for_game(
                        game, ENGAGED_ACT, now=now, seat=seat, params={"crew": name_number(seat, number)}
                    )
                if stored.names:
                    await tx.audit_log.add_for_game(
                        game, NAMED_ACT, now=now, seat=seat, params={"names": ", ".join(stored.names)}
                    )
    await tx.keepsakes.take_along(game.id, game.system, {})


async def drop_unused_keepsakes(tx: Transaction, game: Game) -> None:
    """Remove unused keepsakes from a finished game's setup: of seats that chose none, and those held by other games.

    Keepsakes in other games are private. The choice is the first request of the game, also after going back. A default
    at the deadline or the computer chooses none; a draft may.
    """
    requests = await tx.requests.asked_since(game.id, 0)
    choice_kinds = {row.body.kind for row in requests if row.step_no == 0}
    choice_request_ids = {row.id for row in requests if row.body.kind in choice_kinds}
    answers = (await tx.answers.of_game(game.id)).values()
    seats_that_chose = {
        answer.seat
        for answer in answers
        if answer.request_id in choice_request_ids and answer.given_by not in ("deadline", "computer")
    }
    keepsakes_by_seat = enumerate(game.setup.keepsakes or ())
    used_keepsakes = tuple(
        tuple(keepsake for keepsake in keepsakes if seat in seats_that_chose and not keepsake.elsewhere)
        for seat, keepsakes in keepsakes_by_seat
    )
    if used_keepsakes != game.setup.keepsakes:
        await tx.games.change(game.id, setup=structs.replace(game.setup, keepsakes=used_keepsakes))


class _HomecomingResult(NamedTuple):
    engaged: list[int]  # numbers of keepsakes that changed but were in use elsewhere, so that the change was dropped
    names: list[str]  # names given to new keepsakes


async def _store_keepsakes(
    tx: Transaction,
    game: Game,
    seat: Seat,
    updates: Sequence[KeepsakeUpdate],
    own_rows: dict[int, KeepsakeRow],
    *,
    user_id: int,
) -> _HomecomingResult:
    # Stores what a game has made of one captain's keepsakes (`updates`); `own_rows`: the captain's rows by number.
    original_bodies = _original_bodies(game, seat)
    stored = _HomecomingResult([], [])
    unused_names = _new_names(game, {row.name for row in own_rows.values()})
    unused_numbers = (number for number in range(1, MAX_KEEPSAKES + 1) if number not in own_rows)
    for update in updates:
        if update.number == OWN_NOTE_NUMBER:
            await tx.keepsakes.store_note(
                KeepsakeRow(user_id=user_id, system=game.system, number=OWN_NOTE_NUMBER, name="", body=update.body)
            )
        elif update.number is None:
            if number := next(unused_numbers, None):
                name = next(unused_names)
                stored.names.append(name)
                await tx.keepsakes.add(
                    KeepsakeRow(user_id=user_id, system=game.system, number=number, name=name, body=update.body)
                )
        else:
            row = own_rows.get(update.number)
            is_elsewhere = row is not None and row.game_id not in (None, game.id)
            if row and not is_elsewhere and row.body == original_bodies.get(update.number):
                await tx.keepsakes.change(row, body=update.body)  # nothing has changed it since the game began
            elif update.sentences:
                stored.engaged.append(update.number)
    return stored


async def _teaching_verdict(
    tx: Transaction, seated_game: SeatedGame, cause: StepCause, *, gave_up: bool, now: int
) -> TeachingVerdict:
    """Return whether a finished game changes its captains' keepsakes ("taught"), or why it does not."""
    if isinstance(cause, CallOff) and not cause.deserted:
        return "called_off"
    captains = await captains_of(tx, seated_game)
    teams_with_people = {
        seated_game.seats[captaincy.seat].team
        for captaincy in captains.captaincies
        if captaincy.user_id is not None and captaincy.from_step == 0
    }
    if teams_with_people != {seat.team for seat in seated_game.seats}:
        return "practice"
    _, played = await count_sides_played(tx, seated_game, gave_up=gave_up)
    if not all(played.values()):
        return "brief"
    return "often" if await have_trained_often(tx, captains, now=now) else "taught"


def _original_owners(captaincies: Sequence[Captaincy]) -> dict[Seat, int]:
    """Return the user who owns the keepsakes of each seat: its captain at the start; forgotten users are left out."""
    first_captains = [
        (captaincy.seat, captaincy.user_id)
        for captaincy in captaincies
        if captaincy.from_step == 0 and captaincy.user_id is not None
    ]
    return {seat: user_id for seat, user_id in first_captains if user_id > NOBODY_ID}


def _original_bodies(game: Game, seat: Seat) -> dict[int, str]:
    return {keepsake.number: keepsake.body for keepsake in game.setup.keepsakes[seat]} if game.setup.keepsakes else {}


def _new_names(game: Game, taken_names: set[str]) -> Iterator[str]:
    """Yield names for new keepsakes that the captain does not use yet. The first differs from game to game."""
    # The text is a list such as "Argo, Thetis, Galatea".
    all_names = Catalogue.load(language_for_locale(game.locale), game.system).template("keepsake.names").split(", ")
    start = game.id % len(all_names)
    free_names = [name for name in (*all_names[start:], *all_names[:start]) if name not in taken_names]
    yield from [*free_names, *(f"{name} {number}" for number in range(2, MAX_KEEPSAKES) for name in all_names)]


def has_keepsakes(game: Game) -> bool:
    return game.setup.keepsakes is not UNSET


def refuse_substitutes(game: Game) -> None:
    """Raise `Refusal` if the game has keepsakes: only their captains or the computer may play.

    A stranger could waste them. If losses under a stranger did not count, a losing captain would leave the seat to a
    friend.
    """
    if has_keepsakes(game):
        raise Refusal("no_substitutes")


def refuse_referees(game: Game) -> None:
    """Raise `Refusal` if the game has keepsakes: no referee may decide about its time.

    A losing captain's friend may manage the server. A long pause would save the remaining ships, and an early deadline
    would leave enemies without orders.
    """
    if has_keepsakes(game):
        raise Refusal("no_referee")


def voiceless_refusal(game: Game) -> Refusal:
    """Return the refusal for a side without a voice; it points to a referee unless the game allows none."""
    return Refusal("no_voice_own" if has_keepsakes(game) else "no_voice")
