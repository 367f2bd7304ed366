"""What captains bring to a game from earlier ones, such as the crews of their ships, and what they bring home from it.

A captain keeps it wherever they play, as they do their rating. The game itself says what it is: here it is a text. It
goes into a game's setup when the game begins, so that its record needs nothing else, and comes back in the transaction
that ends the game: once, whatever happens. One running game at a time has it.

Nobody shall train crews against the computer, or against somebody who doesn't play. So what captains have gains nothing
where less was played than a rating needs; what they have lost by then is lost all the same, or who is losing would just
stop giving orders. A game in which a side had nobody but the computer, and one that was called off, changes nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final, Literal, NamedTuple

from msgspec import UNSET, structs

from bot.errors import Refusal
from bot.lifecycle.outbox import enqueue
from bot.lifecycle.people.captains import captains_of
from bot.lifecycle.ratings.limits import count_sides_played
from bot.lifecycle.steps import clock, undo
from bot.lifecycle.steps.playing import SeatedGame
from bot.store.models.personal import NOBODY_ID
from bot.store.models.records import Captaincy, Game, KeepsakeRow, RequestsAnswered, StepCause, StepRow
from bot.store.queries.transaction import Transaction
from bot.texts.i18n import Catalogue, language_for_locale
from rules.core.keepsakes import MAX_KEEPSAKES, OWN_NOTE_NUMBER, Keepsake, KeepsakeUpdate, name_number
from rules.core.protocol import CallOff, Seat, Setup
from rules.core.registry import RULESETS

TeachingVerdict = Literal["taught", "brief", "practice", "called_off"]
"""What a finished game is worth: `brief` took too little play, in a `practice` a side had nobody but the computer."""
UNTAUGHT_ACT_PREFIX: Final = "kept_"
"""What an act is called that says so, with the verdict."""
FETCHED_ACT: Final = "fetched_home"
"""The act with which somebody takes home what a game has that stands still: what it makes of it counts no more."""
NAMED_ACT: Final = "named_new"
"""What an act is called that tells what is new of a captain's, by the names that it has got."""
ENGAGED_ACT: Final = "engaged"
"""The act that says what another game had meanwhile, by `name_number`: so this one has made nothing of it."""
IDLE_BEFORE_FETCH_S: Final = 30 * 86_400
"""For how many seconds more than a phase nothing must have happened in a game until one may do that."""
PAUSED_BEFORE_FETCH_S: Final = 6 * IDLE_BEFORE_FETCH_S
"""The same in a pause that captains have agreed to."""


async def with_keepsakes(tx: Transaction, playing: SeatedGame) -> Setup:
    """The setup of a game that is about to begin, with what its captains bring; in most games nothing.

    Raises `Refusal` while another game has all that one of them keeps, before it is known what it takes along: or who
    begins another game first would keep them from bringing anything to this one.
    """
    game = playing.game
    if not RULESETS[game.system].uses_keepsakes(game.setup.options):
        return game.setup
    rows = await tx.keepsakes.of_users([seat.user_id for seat in playing.seats if seat.user_id], game.system)
    for other, user_id in {row.game_id: row.user_id for row in rows if row.game_id is not None}.items():
        if await _is_undecided(tx, other):
            raise Refusal("keepsakes_awaited", name=playing.name_of(user_id, ""))
    return structs.replace(
        game.setup,
        keepsakes=tuple(
            tuple(
                Keepsake(number=row.number, body=row.body, name=row.name, elsewhere=row.game_id is not None)
                for row in rows
                if row.user_id == seat.user_id
            )[: MAX_KEEPSAKES + 1]
            for seat in playing.seats
        ),
    )


def without_keepsake_names(setup: Setup) -> Setup:
    """A setup without the names of what captains bring."""
    own = setup.keepsakes and tuple(tuple(structs.replace(one, name="") for one in those) for those in setup.keepsakes)
    return structs.replace(setup, keepsakes=own)


async def take_along(tx: Transaction, game: Game, held: Mapping[Seat, Collection[int]], *, begins: bool) -> None:
    """Let a game have what it says it holds, and nothing else. Raises `Refusal` if another took some as it `begins`.

    Only if that changes anything: nobody else may change what captains keep, nor be rated, until it is done.
    """
    captains = await tx.captaincies.of_game(game.id)
    owners, gone = _original_owners(captains), {one.seat for one in captains if one.to_step is not None}
    rows = await tx.keepsakes.of_users([*owners.values()], game.system)
    has = {row.key for row in rows if row.game_id == game.id}
    # After going back, what has changed in another game since this one began is not what this one knows.
    wanted = {
        (owners[seat], number): body
        for seat, numbers in held.items()
        if seat in owners
        for number, body in _original_bodies(game, seat).items()
        if number in numbers and (seat not in gone or (owners[seat], number) in has)
    }
    spare = has - wanted.keys()
    free = any(row.game_id is None and row.body == wanted.get(row.key) for row in rows)
    if not (begins or spare or free):
        return
    if await _was_fetched(tx, game):
        return
    await tx.keepsakes.lock_all()
    taken = await tx.keepsakes.take_along(game.id, game.system, wanted)
    # Later it may be fewer: after going back a crew may be wanted again that has gone to another game meanwhile.
    if begins and taken != sum(len(numbers) for seat, numbers in held.items() if seat in owners):
        raise Refusal("busy")


async def release_keepsakes(tx: Transaction, game: Game, seat: Seat) -> None:
    """Let the captain of a seat that somebody has just taken away have home what they have not yet taken along.

    What they had sealed counts, and may do so.
    """
    if not has_keepsakes(game) or not await _is_undecided(tx, game.id):
        return
    owner = _original_owners(await tx.captaincies.of_game(game.id)).get(seat)
    sealed = any(row.seat == seat and row.status == "sealed" for row in await tx.requests.open_of_game(game.id))
    if owner is not None and not sealed:
        await tx.keepsakes.lock_all()
        await tx.keepsakes.release_from_game(game.id, owner)


async def _is_undecided(tx: Transaction, game_id: int) -> bool:
    """Whether a game has all that its captains keep, as nothing was carried out in it that says what it takes along."""
    done = undo.effective_steps(await tx.steps.causes_of_game(game_id))
    return not any(isinstance(cause, RequestsAnswered) for _, cause in done)


async def _was_fetched(tx: Transaction, game: Game) -> bool:
    """Whether a captain has taken home what all had brought to a game."""
    return any(act.kind == FETCHED_ACT for act in await tx.audit_log.of_game(game.id))


async def fetchable_from(tx: Transaction, game: Game, last: StepRow) -> int:
    """From when on (Unix seconds) one may take home what a game has after this step, its last.

    Much later in a pause that captains have agreed to, and not while its clock runs: the losing captain could ask for
    a long holiday. Nobody is kept there by others: each side can end such a pause.
    """
    still = PAUSED_BEFORE_FETCH_S if await clock.stopping_act_kind(tx, game.id) == clock.PAUSED else IDLE_BEFORE_FETCH_S
    answerable = (
        last.resolved_at
        + game.pace.phase_length_s
        + clock.gap_seconds(await tx.audit_log.of_game(game.id), last.resolved_at)
    )
    return max(answerable, game.deadline or 0) + still


async def fetch_home(
    tx: Transaction, playing: SeatedGame, user_id: int, lost: Mapping[Seat, Sequence[KeepsakeUpdate]], *, now: int
) -> None:
    """Let somebody take home what all have brought to a game that stands still; of that, what it has `lost` by now is.

    Not their own alone: they would play on with it at no risk. Raises `Refusal` if the game has gone on since it was
    read, or nothing of theirs is there.
    """
    game = await tx.games.find_for_update(playing.game.id)
    if game is None or (game.phase, game.step_no) != ("running", playing.game.step_no):
        raise Refusal("busy")
    await tx.keepsakes.lock_all()
    owners = _original_owners(await tx.captaincies.of_game(game.id))
    rows = await tx.keepsakes.of_users([*owners.values()], game.system)
    if not any(row.user_id == user_id and row.game_id == game.id for row in rows):
        raise Refusal("keepsake_gone")
    for seat, owner in owners.items():
        mine = {row.number: row for row in rows if row.user_id == owner}
        own = [one for one in lost.get(seat, ()) if one.number in mine and one.number != OWN_NOTE_NUMBER]
        await _store_keepsakes(tx, game, seat, own, mine, user_id=owner)
    await tx.keepsakes.take_along(game.id, game.system, {})
    await enqueue.add_log_entry(tx, game, FETCHED_ACT, now=now, user_id=user_id)


async def hand_out_keepsakes(
    tx: Transaction,
    playing: SeatedGame,
    handed: Mapping[bool, Mapping[Seat, Sequence[KeepsakeUpdate]]],
    *,
    cause: StepCause,
    gave_up: bool,
    now: int,
) -> None:
    """Let captains bring home what a finished game has made of what they brought; `gave_up` as in `count_sides_played`.

    It is theirs, whatever became of their seat: nobody else can have sailed with it but the computer.
    """
    game = playing.game
    if await _was_fetched(tx, game):
        return
    await tx.keepsakes.lock_all()
    verdict = await _teaching_verdict(tx, playing, cause, gave_up=gave_up)
    if verdict != "taught":
        await tx.audit_log.add_for_game(game, f"{UNTAUGHT_ACT_PREFIX}{verdict}", now=now)
    if verdict in ("taught", "brief"):
        held = await tx.captaincies.of_game(game.id)
        owners, gone = _original_owners(held), {one.seat for one in held if one.to_step is not None}
        rows = await tx.keepsakes.of_users([*owners.values()], game.system)
        for seat, those in handed[verdict == "taught"].items():
            if seat in owners:
                mine = {row.number: row for row in rows if row.user_id == owners[seat]}
                # Who gave their seat away may not have chosen what there is a note of.
                own = [one for one in those if one.number != OWN_NOTE_NUMBER or seat not in gone]
                home = await _store_keepsakes(tx, game, seat, own, mine, user_id=owners[seat])
                for number in home.engaged:
                    await tx.audit_log.add_for_game(
                        game, ENGAGED_ACT, now=now, seat=seat, params={"crew": name_number(seat, number)}
                    )
                if home.names:
                    await tx.audit_log.add_for_game(
                        game, NAMED_ACT, now=now, seat=seat, params={"names": ", ".join(home.names)}
                    )
    await tx.keepsakes.take_along(game.id, game.system, {})


async def drop_unused_keepsakes(tx: Transaction, game: Game) -> None:
    """Take what was brought to seats that have chosen none of it out of a finished game's setup: it has no use there.

    Nor has what was with another game, which is nobody else's business.

    It is chosen by what is asked when the game begins, or again after going back. What stands in at a deadline takes
    none of it, nor does the computer; but a draft may.
    """
    asked = await tx.requests.asked_since(game.id, 0)
    first = {row.body.kind for row in asked if row.step_no == 0}
    choosing, answers = (
        {row.id for row in asked if row.body.kind in first},
        (await tx.answers.of_game(game.id)).values(),
    )
    chose = {
        answer.seat
        for answer in answers
        if answer.request_id in choosing and answer.given_by not in ("deadline", "computer")
    }
    brought = enumerate(game.setup.keepsakes or ())
    left = tuple(tuple(one for one in those if seat in chose and not one.elsewhere) for seat, those in brought)
    if left != game.setup.keepsakes:
        await tx.games.change(game.id, setup=structs.replace(game.setup, keepsakes=left))


class _HomecomingResult(NamedTuple):
    """What a captain has brought home."""

    engaged: list[int]
    """The numbers of what another game had meanwhile."""
    names: list[str]
    """Of what is new, in the order in which the game tells of it."""


async def _store_keepsakes(
    tx: Transaction,
    game: Game,
    seat: Seat,
    handed: Sequence[KeepsakeUpdate],
    mine: dict[int, KeepsakeRow],
    *,
    user_id: int,
) -> _HomecomingResult:
    """Store what a captain has from now on, whose rows are `mine`."""
    before, home = _original_bodies(game, seat), _HomecomingResult([], [])
    names = _new_names(game, {row.name for row in mine.values()})
    free = (number for number in range(1, MAX_KEEPSAKES + 1) if number not in mine)
    for one in handed:
        if one.number == OWN_NOTE_NUMBER:
            await tx.keepsakes.store_note(
                KeepsakeRow(user_id=user_id, system=game.system, number=OWN_NOTE_NUMBER, name="", body=one.body)
            )
        elif one.number is None:
            if number := next(free, None):
                home.names.append(next(names))
                await tx.keepsakes.add(
                    KeepsakeRow(user_id=user_id, system=game.system, number=number, name=home.names[-1], body=one.body)
                )
        elif (row := mine.get(one.number)) and (
            # It changes only if nothing else has happened to it since the game began.
            row.game_id in (None, game.id) and row.body == before.get(one.number)
        ):
            await tx.keepsakes.change(row, body=one.body)
        elif one.sentences:
            home.engaged.append(one.number)
    return home


async def _teaching_verdict(
    tx: Transaction, playing: SeatedGame, cause: StepCause, *, gave_up: bool
) -> TeachingVerdict:
    """What a game is worth that has just ended."""
    if isinstance(cause, CallOff) and not cause.deserted:
        return "called_off"
    captains = await captains_of(tx, playing)
    people = {
        playing.seats[one.seat].team for one in captains.captaincies if one.user_id is not None and one.from_step == 0
    }
    if people != {seat.team for seat in playing.seats}:
        return "practice"
    _, played = await count_sides_played(tx, playing, gave_up=gave_up)
    return "taught" if all(played.values()) else "brief"


def _original_owners(held: Sequence[Captaincy]) -> dict[Seat, int]:
    """Whose is what is brought to each seat: who held it when the game began, even if the computer has it by now.

    Nobody's if they have been forgotten meanwhile: their number is not one of Discord's any more.
    """
    began = [(one.seat, one.user_id) for one in held if one.from_step == 0 and one.user_id is not None]
    return {seat: user_id for seat, user_id in began if user_id > NOBODY_ID}


def _original_bodies(game: Game, seat: Seat) -> dict[int, str]:
    """The bodies of what was brought to a seat when the game began, by number."""
    return {one.number: one.body for one in game.setup.keepsakes[seat]} if game.setup.keepsakes else {}


def _new_names(game: Game, taken: set[str]) -> Iterator[str]:
    """Names for what is new, which its captain may change: in the language of the game, and first those not `taken`."""
    known = Catalogue.load(language_for_locale(game.locale), game.system).template("keepsake.names").split(", ")
    at = game.id % len(known)
    free = [name for name in (*known[at:], *known[:at]) if name not in taken]
    yield from [*free, *(f"{name} {number}" for number in range(2, MAX_KEEPSAKES) for name in known)]


def has_keepsakes(game: Game) -> bool:
    """Whether captains have brought something to a game."""
    return game.setup.keepsakes is not UNSET


def refuse_substitutes(game: Game) -> None:
    """Raise `Refusal` if captains have brought something to a game: then only they, or the computer, play there.

    A stranger could throw it away. And if that didn't count, who is losing would leave the seat to a friend.
    """
    if has_keepsakes(game):
        raise Refusal("no_substitutes")


def refuse_referees(game: Game) -> None:
    """Raise `Refusal` if captains have brought something to a game: then nobody else decides about its time.

    The losing captain may have a friend who manages the server. A month's pause would save what still floats, and
    going on before others have given orders would leave their ships to the first mate.
    """
    if has_keepsakes(game):
        raise Refusal("no_referee")


def voiceless_refusal(game: Game) -> Refusal:
    """What is said where a side has nobody who could agree: a referee may do without, unless it is none of theirs."""
    return Refusal("no_voice_own" if has_keepsakes(game) else "no_voice")
