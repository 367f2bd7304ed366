"""Offer a seat while its captain is absent, and hand seats over with all that belongs to them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress

from bot.errors import Refusal
from bot.lifecycle.outbox import enqueue, reminders
from bot.lifecycle.outbox.quiet_hours import is_away
from bot.lifecycle.people import abandoning, giving_up
from bot.lifecycle.people.captains import captains_of, refuse_biased
from bot.lifecycle.people.posting import count_post
from bot.lifecycle.steps import battles, clock, undo
from bot.lifecycle.steps.early import restore_round_length
from bot.lifecycle.steps.playing import SeatedGame
from bot.store.models.records import Game, Player, RequestRow, SeatRow
from bot.store.queries.seats import SeatInGame
from bot.store.queries.transaction import Transaction
from rules.core.registry import RULESETS


def max_missed_deadlines(seated_game: SeatedGame) -> int:
    return RULESETS[seated_game.game.system].max_missed_deadlines


async def count_missed_deadlines(
    tx: Transaction, seated_game: SeatedGame, answered: Mapping[int, bool], inherited: Collection[int], *, now: int
) -> SeatRow | None:
    """Count missed deadlines and offer seats that have missed too many in a row.

    `answered`: by seat, whether its captain answered in person; `inherited`: seats whose answer is from before their
    captain took them. An announced absence counts as no miss. Return the seat of a game's only captain if they have
    missed too many or are away: then the game should wait for them.
    """
    max_missed = max_missed_deadlines(seated_game)
    for seat_no, in_person in answered.items():
        seat = seated_game.seats[seat_no]
        player = seated_game.players.get(seat.user_id or 0)
        if player is None or seat.conceded or seat.is_offered:
            continue
        is_absent = is_away(player, now) and not in_person
        is_alone = plays_alone(seated_game, seat)
        if is_absent and not is_alone:
            continue
        if in_person:
            new_count = 0
        elif is_absent:
            new_count = max_missed
        else:
            new_count = seat.missed + 1
        if new_count != seat.missed:
            await tx.seats.change(seated_game.game.id, seat_no, missed=new_count)
        if new_count >= max_missed and is_alone:
            return seat
        if new_count >= max_missed:
            await offer_seat(tx, seated_game, seat, "offered", now=now)
    # The computer orders for captains who have conceded. Captains whose seats are offered left after they had sealed.
    ordered = [
        no
        for no, in_person in answered.items()
        if in_person and no not in inherited
        if not (seated_game.seats[no].conceded or seated_game.seats[no].is_offered)
    ]
    await giving_up.uncount(tx, seated_game, ordered)
    return None


async def end_own_time(tx: Transaction, seated_game: SeatedGame, user_id: int, *, now: int) -> None:
    """End the time of a captain who lets the game continue early although only their own orders are missing.

    They miss a deadline by that. Otherwise they could lose a game in silence, and nothing would be counted.
    """
    rows = [row for row in await tx.requests.open_of_game(seated_game.game.id) if not row.optional]
    missing_rows = [row for row in rows if row.status == "open"]
    if all(seated_game.seats[row.seat].user_id == user_id for row in missing_rows):
        for row in missing_rows:
            # Who had no time at all would not have missed it.
            await tx.requests.change(row, version=row.version, asked_at=min(row.asked_at, now - 1), deadline=now)


def plays_alone(seated_game: SeatedGame, seat: SeatRow) -> bool:
    """Return whether a seat's captain has neither human opponents nor allies, which means nobody waits for them."""
    others = (other for other in seated_game.seats if other.seat != seat.seat)
    return seated_game.game.parent_id is None and all(other.is_computer_controlled for other in others)


def is_deserted(seated_game: SeatedGame) -> bool:
    return seated_game.game.parent_id is None and all(seat.is_computer_controlled for seat in seated_game.seats)


def waits_for_only_captain(seated_game: SeatedGame, seat: SeatRow) -> bool:
    return (
        seated_game.game.paused_at is not None
        and seat.missed >= max_missed_deadlines(seated_game)
        and plays_alone(seated_game, seat)
    )


async def offer_seat(tx: Transaction, seated_game: SeatedGame, seat: SeatRow, kind: str, *, now: int) -> None:
    """Offer a seat to everybody; the log entry of this `kind` says why and has a button.

    A battle's seat whose captain holds the parent's seat is never offered alone: its taker could lose their fleet.
    """
    if await battles.has_same_captain_above(tx, seated_game.game, seat):
        return
    await giving_up.note_offered(tx, seated_game, seat, kind, now=now)
    await tx.seats.change(seated_game.game.id, seat.seat, offered_at=now)
    captain = seated_game.name_of(seat.user_id, "")
    await enqueue.add_log_entry(tx, seated_game.game, kind, now=now, seat=seat.seat, captain=captain)


async def note_return(tx: Transaction, seated_game: SeatedGame, held: SeatInGame | None, *, now: int) -> bool:
    """Take back the offer of a returning captain's seat, or resume the game that waited for them.

    Return whether either happened, which the thread then shows. Raises `Refusal` if the seat is not theirs any more.
    """
    if held is None or held.seat.user_id != seated_game.seats[held.seat.seat].user_id:
        raise Refusal("not_seated")
    seat, seat_no = held.seat, held.seat.seat
    if seat.is_offered:
        await tx.seats.change(seated_game.game.id, seat_no, offered_at=None, missed=0)
        await enqueue.update_seat_offers(tx, seated_game.game.id, seat_no, now=now)
        with suppress(Refusal):  # a captain who is back may say so, but then leaves less often
            await count_post(tx, seated_game.game.id, seat.user_id or 0, now=now)
        await enqueue.add_log_entry(tx, seated_game.game, "back", now=now, user_id=seat.user_id, seat=seat_no)
        return True
    game = held.game
    if game.paused_at is None or await clock.stopping_act_kind(tx, game.id) != clock.DESERTED:
        return False
    if await enqueue.is_channel_deleted(tx, game):
        return False
    await tx.seats.change(game.id, seat_no, missed=0)
    await clock.resume_clock(tx, game, "returned", now=now, user_id=seat.user_id, seat=seat_no)
    return True


async def note_presence(tx: Transaction, seated_game: SeatedGame, user_id: int, *, now: int) -> None:
    if seat := seated_game.seat_of(user_id):
        await note_return(tx, seated_game, await tx.seats.seat_in_game(seated_game.game.id, seat.seat), now=now)


async def hand_over_seats(
    tx: Transaction,
    game: Game,
    seat: SeatRow,
    to: Player | None,
    *,
    by: int,
    put_by: int | None,
    now: int,
    computer: bool = False,
) -> list[tuple[Game, int]]:
    """Give a seat, with its captain's seats in battles, to another captain, the computer, or (None) nobody.

    `by` is the user who does it, `put_by` who answers for the next captain (see `Captaincy`). Return (game, seat) of
    all of them. Raises `Refusal` if the new captain may not have one of them, or a battle is busy.
    """
    handed_seats = [(game, seat)]
    for seated_game, battle_seat in await battles.battle_seats_of(tx, game.id, seat, given_up=seat.conceded):
        if battle_seat.conceded and battle_seat.seat in undo.conceded_seats(
            await tx.steps.causes_of_game(seated_game.game.id)
        ):
            continue  # they have conceded the battle itself
        if seated_game.game.phase != "running":
            raise Refusal("busy")
        if to and seated_game.seat_of(to.user_id):
            raise Refusal("already_there", name=to.name)
        if to:
            await refuse_biased(tx, await captains_of(tx, seated_game), to.user_id, battle_seat)
        handed_seats.append((seated_game.game, battle_seat))
    for seat_game, own_seat in handed_seats:
        await _hand_over_seat(tx, seat_game, own_seat, to, by=by, put_by=put_by, now=now, computer=computer)
    return [(seat_game, own_seat.seat) for seat_game, own_seat in handed_seats]


async def _hand_over_seat(
    tx: Transaction,
    game: Game,
    seat: SeatRow,
    to: Player | None,
    *,
    by: int,
    put_by: int | None,
    now: int,
    computer: bool,
) -> None:
    own_requests = [
        await without_secrets(tx, row) for row in await tx.requests.open_of_game(game.id) if row.seat == seat.seat
    ]
    for row in own_requests:
        await enqueue.release_panel(tx, row, now=now)
    user_id = to.user_id if to else None
    has_left = seat.is_offered or seat.conceded or by == seat.user_id
    await tx.captaincies.end(game.id, seat.seat, to_step=game.step_no, left=has_left)
    await tx.captaincies.begin(game.id, seat.seat, user_id=user_id, from_step=game.step_no, put_by=put_by)
    thrown_away = await abandoning.times_thrown_away(tx, to.user_id, now=now) if to else abandoning.ThrownAway()
    holder_columns = {"user_id": user_id, "computer": computer, "conceded": False, "kept_for": None}
    holder_columns |= {"hopeless_step": None}
    holder_columns |= abandoning.as_columns(thrown_away)
    # Rounds may have been resolved early because only one person played.
    others = [other for other in await tx.seats.of_game(game.id) if other.seat != seat.seat]
    if to and any(other.user_id is not None for other in others):
        await restore_round_length(tx, game)
    await tx.seats.change(game.id, seat.seat, **holder_columns, missed=0, offered_at=None, draw_at=None)
    await enqueue.update_seat_offers(tx, game.id, seat.seat, now=now)
    await enqueue.update_captains(tx, game.id, now=now)
    await enqueue.update_lobby(tx, game.id, now=now)
    await enqueue.update_seals(tx, own_requests, now=now)
    if to:
        await tx.players.remember(to)
        for row in own_requests:
            await enqueue.update_panel(tx, row, at=now)
    await reminders.schedule_reminders(tx, [row for row in own_requests if not computer], now=now)


async def without_secrets(tx: Transaction, row: RequestRow) -> RequestRow:
    """Delete a request's draft, and mark its seal as inherited from the former captain."""
    if row.status == "sealed":
        changed = await tx.requests.change(row, draft="", focus="", inherited=True)
    elif row.draft or row.focus:
        changed = await tx.requests.change(row, draft="", focus="")
    else:
        return row
    return changed or row


async def replace_captain(
    tx: Transaction, seated_game: SeatedGame, seat: SeatRow, to: Player, kind: str, *, user_id: int, now: int
) -> None:
    """Give a seat to somebody else for the user `user_id`, and log that under `kind` with the former captain's name.

    Raises `Refusal` if `to` may not have it.
    """
    if user_id != seat.user_id:  # who gives their own seat away is counted if the next captain gives up
        await giving_up.note_put_out(tx, seated_game, seat, user_id, now=now)
    captain = seated_game.name_of(seat.user_id, "")
    former_id = seat.user_id or 0
    put_by = None if user_id == to.user_id else user_id
    for game, number in await hand_over_seats(tx, seated_game.game, seat, to, by=user_id, put_by=put_by, now=now):
        await enqueue.add_log_entry(
            tx, game, kind, now=now, user_id=user_id, seat=number, captain=captain, to=to.name, was=former_id
        )


async def give_back_seat(tx: Transaction, seated_game: SeatedGame, seat: SeatRow, *, now: int) -> list[Game]:
    """Offer the seat of a captain who leaves without speaking for its side. Return its game, and battles, which go on.

    Nobody but an opponent who planted the captain answers for the empty seat: otherwise a second account could take
    over a seat and leave it to change what the game does to ratings. If nobody else plays, the computer gets the seat.
    """
    captains = await captains_of(tx, seated_game)
    if seat.conceded or captains.may_give_up(seat):
        raise Refusal("stale")  # the confirmation is older than the captain's voice
    if await battles.has_same_captain_above(tx, seated_game.game, seat):
        captains.refuse_voiceless(seat.user_id or 0, seat)
    captaincy = captains.current_captaincy(seat)
    put_by = captaincy.put_by if captaincy and captains.is_planted(captaincy) else None
    others = [other for other in seated_game.seats if other.seat != seat.seat]
    is_last = seated_game.game.parent_id is None and all(other.user_id is None or other.conceded for other in others)
    user_id = seat.user_id or 0
    handed_seats = await hand_over_seats(
        tx, seated_game.game, seat, None, by=user_id, put_by=put_by, now=now, computer=is_last
    )
    for game, number in handed_seats:
        if not is_last:
            await tx.seats.change(game.id, number, offered_at=now)
        await enqueue.add_log_entry(tx, game, "gave_back", now=now, user_id=user_id, seat=number)
    return [game for game, _ in handed_seats]
