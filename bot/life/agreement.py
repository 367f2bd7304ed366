"""What captains must agree to before it is done: who proposes it, whose voices it needs, and how long it may be had.

Going back over what was revealed needs all captains, and of each side at least one who may speak for it; going on
before the deadline, where one of them wants it, needs those who have not answered yet. Where rounds wait for their
deadline even if all have sealed, as they do while a battle goes on, nobody agrees to that by sealing: it needs those
who have answered, too, and those who fight in a battle, who may have nothing left that they could be asked about.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Final

from bot.errors import Refusal
from bot.life import enqueue
from bot.life.captains import Captains, captains_of
from bot.life.early import ends_early
from bot.life.keepsakes import voiceless
from bot.life.playing import Playing, playing_of
from bot.store.queries import Transaction
from bot.store.records import ActRow, Answered, Game, SeatRow
from bot.store.subjects import Act

UNDO, RESOLVE = enqueue.PROPOSALS
"""Acts that propose to go back to the beginning of a round, `round`, and to go on now, as if the time were up."""
WISHES: Final = ("extension_asked", "pause_asked", "resume_asked")
"""Acts with which a captain asks the other sides for time, or for the end of a pause that was made for one of them."""
WISH_AGREED: Final = "wish_agreed"
"""The act with which a side agrees to that where others have not yet."""
_AGREED: Final = {UNDO: "undo_agreed", RESOLVE: "resolve_agreed"}
"""The acts with which somebody agrees to them."""
_DECLINED: Final = {UNDO: "undo_declined", RESOLVE: "resolve_declined"}
"""The acts with which somebody whose voice they need says no: with it they lapse."""


async def voices(tx: Transaction, playing: Playing, proposed: str) -> list[SeatRow]:
    """Seats whose captains must agree; for one without a user nobody could."""
    if proposed == UNDO:
        return [seat for seat in playing.seats if seat.user_id and not (seat.conceded or seat.offered)]
    rows = await tx.requests.of(playing.game.id)
    waited = [row for row in rows if not row.optional]
    missing = {row.seat for row in waited if row.status == "open"}
    early = ends_early(rows, early=playing.game.early)
    fight = {seat for row in rows if row.status == "open" and row.body.battle for seat in row.body.battle.seats}
    asked = missing if early else ({row.seat for row in waited} | fight) - {*playing.computers}
    return [seat for seat in playing.seats if seat.seat in asked]


async def propose(tx: Transaction, playing: Playing, proposed: str, user_id: int, *, now: int, **about: int) -> bool:
    """Ask all whose voices it needs; who asks as a captain has agreed. Whether that is all of them.

    Raises `Refusal` if they were asked already, or if one of them could not agree.
    """
    if not all(seat.user_id for seat in await voices(tx, playing, proposed)):
        raise Refusal("nobody_to_agree")
    if await _unheard(tx, playing, proposed):
        raise voiceless(playing.game)
    if any(act.kind == proposed and act.params == about for act in await standing(tx, playing.game)):
        raise Refusal("asked_already")
    mine = playing.seat_of(user_id)
    number = mine.seat if mine else None
    await enqueue.act(tx, playing.game, proposed, now=now, user_id=user_id, seat=number, **about)
    (*_, proposal) = await standing(tx, playing.game)
    return await agreed(tx, playing, proposal)


async def agree(tx: Transaction, playing: Playing, seat: SeatRow, act_id: int, *, now: int) -> ActRow:
    """A captain agrees to what an act has proposed; twice is once. The act. Raises `Refusal` if it has lapsed."""
    said = await standing(tx, playing.game)
    proposal = next((act for act in said if act.id == act_id and act.kind in enqueue.PROPOSALS), None)
    if proposal is None:
        raise Refusal("lapsed")
    if seat.user_id not in _given(said, proposal):
        kind, about = _AGREED[proposal.kind], proposal.params
        await enqueue.act(tx, playing.game, kind, now=now, user_id=seat.user_id, seat=seat.seat, **about)
    return proposal


async def decline(tx: Transaction, playing: Playing, seat: SeatRow, act_id: int, *, now: int) -> ActRow:
    """A captain says no to what an act has proposed, and it lapses. The act.

    Raises `Refusal` if it has lapsed already, or if their voice is not needed.
    """
    said = await standing(tx, playing.game)
    proposal = next((act for act in said if act.id == act_id and act.kind in enqueue.PROPOSALS), None)
    if proposal is None:
        raise Refusal("lapsed")
    if seat.seat not in {voice.seat for voice in await voices(tx, playing, proposal.kind)}:
        raise Refusal("nothing_asked")
    kind, about = _DECLINED[proposal.kind], proposal.params
    await enqueue.act(tx, playing.game, kind, now=now, user_id=seat.user_id, seat=seat.seat, **about)
    await tx.messages.renew_keys(playing.game.id, [Act(proposal.id).key], now=now)
    return proposal


async def agreed(tx: Transaction, playing: Playing, proposal: ActRow) -> bool:
    """Whether all whose voices it needs have agreed to what an act has proposed."""
    if await _unheard(tx, playing, proposal.kind):
        return False
    given = _given(await standing(tx, playing.game), proposal)
    return all(seat.user_id in given for seat in await voices(tx, playing, proposal.kind))


async def _unheard(tx: Transaction, playing: Playing, proposed: str) -> bool:
    """Whether some side that must agree to it has nobody who may speak for it."""
    captains = await captains_of(tx, playing)
    if proposed == UNDO:
        return captains.silent()
    asked = {seat.team for seat in await voices(tx, playing, proposed)}
    return bool(asked & captains.unheard(playing.seats))


def _given(said: Iterable[ActRow], proposal: ActRow) -> set[int | None]:
    """Users who want what an act has proposed, be it that they have proposed the same themselves."""
    kinds = (proposal.kind, _AGREED[proposal.kind])
    return {act.user_id for act in said if act.kind in kinds and act.params == proposal.params}


async def go_on(tx: Transaction, game: Game, *, now: int) -> bool:
    """Let a game go on before its deadline if that was proposed and all who are missing agree; whether it does.

    To be asked when somebody has agreed, or is missing no more.
    """
    proposal = next((act for act in await standing(tx, game) if act.kind == RESOLVE), None)
    if proposal is None or game.paused_at is not None:
        return False
    playing = await playing_of(tx, game.id)
    if not await agreed(tx, playing, proposal):
        return False
    if playing.game.early and not await voices(tx, playing, RESOLVE):
        return False  # all have sealed: it goes on by itself
    await tx.games.change(game.id, deadline=now)
    await enqueue.act(tx, playing.game, "resolved_agreed", now=now)
    return True


async def standing(tx: Transaction, game: Game, acts: Sequence[ActRow] | None = None) -> list[ActRow]:
    """All that was proposed and agreed to and still counts: nobody has seen anything happen since.

    What nobody waited for does not end it, for others would learn from it that something was done in secret.
    """
    acts = await tx.acts.of(game.id) if acts is None else acts
    said = [act for act in acts if act.kind in {*_AGREED.keys(), *_AGREED.values()} and not _refused(act, acts)]
    if not said:
        return []
    unawaited = {row.id for row in await tx.requests.since(game.id, 0) if row.optional}
    seen = [
        number
        for number, cause in await tx.steps.causes(game.id)
        if number <= game.step_no and not (isinstance(cause, Answered) and unawaited.issuperset(cause.requests))
    ]
    return [act for act in said if act.step_no >= max(seen, default=0)]


def _refused(said: ActRow, acts: Iterable[ActRow]) -> bool:
    """Whether somebody has said no since to what was proposed, or agreed to."""
    no = next(_DECLINED[kind] for kind, yes in _AGREED.items() if said.kind in (kind, yes))
    return any(act.kind == no and act.params == said.params and act.id > said.id for act in acts)


def sides_asked(captains: Captains, team: int, wished: Collection[int] = ()) -> set[int]:
    """Return the sides of which each must agree to what one of them wishes for.

    All others; for the end of a pause that was made for some, who `wished` for it, those.
    """
    others = captains.sides() - {team}
    return others & set(wished) or others


def unsaid(wish: ActRow, asked: Collection[int], playing: Playing, acts: Iterable[ActRow]) -> set[int]:
    """Return those of the sides that are asked which have not agreed to a wish."""
    said = [act.seat for act in acts if act.kind == WISH_AGREED and act.params["agreed"] == wish.id]
    return {*asked} - {playing.seats[seat].team for seat in said if seat is not None}


def stands(wish: ActRow, game: Game, acts: Iterable[ActRow]) -> bool:
    """Whether what somebody asked the other side for may still be agreed to.

    The same deadline is still to come, or the same pause goes on.
    """
    return (
        game.phase in ("running", "resolving")
        and game.paused_at == wish.params.get("paused")
        and wish.params["deadline"] == game.deadline
        and not is_answered(wish, acts)
    )


def is_answered(wish: ActRow, acts: Iterable[ActRow]) -> bool:
    """Return whether the other side has agreed or declined what somebody asked it for."""
    return any(act.params.get("asked") == wish.id for act in acts)


async def keep_standing(tx: Transaction, wish: ActRow, deadline: int, **params: int) -> None:
    """Let a wish stand under a game's new deadline (Unix). `params` of it change as well."""
    await tx.acts.correct(wish.id, wish.kind, {**wish.params, **params, "deadline": deadline})
