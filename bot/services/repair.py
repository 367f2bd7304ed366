"""Repair a game: operations of its host and of the server's managers. Each is logged and announced in the thread."""

from __future__ import annotations

from collections.abc import Collection

from msgspec import Struct

from bot.errors import Refusal
from bot.jobs import play
from bot.jobs.computing import ComputedAnswer
from bot.jobs.workers import Workers
from bot.lifecycle.outbox import enqueue
from bot.lifecycle.people import agreement, giving_up, keepsakes, seats
from bot.lifecycle.people.calling_off import call_off_game, call_off_lobby
from bot.lifecycle.people.captains import Captains, captains_of, refuse_biased, refuse_ousting
from bot.lifecycle.people.posting import count_post
from bot.lifecycle.process.terms import is_idle
from bot.lifecycle.steps import battles, clock, undo
from bot.lifecycle.steps.playing import (
    SeatedGame,
    load_seated_game,
    refuse_unless_at_rest,
    refuse_unless_lobby,
    refuse_unless_running,
    require_active_seat,
)
from bot.lifecycle.steps.runner import StepRunner
from bot.services import lobby
from bot.services.base import GameService, between_steps
from bot.services.timekeeping import Timekeeping, refuse_paused
from bot.store import Store
from bot.store.models.records import LogEntryRow, OutboxMessage, Player, SeatRow
from bot.store.queries.transaction import Transaction
from rules.core.protocol import Seat, TakeUp
from rules.core.registry import RULESETS


class Caller(Struct, frozen=True, kw_only=True):
    user_id: int  # who wants to repair a game
    managed_guild_id: int | None = None  # the server that the user manages; None if they manage none


def is_in_charge(seated_game: SeatedGame, caller: Caller) -> bool:
    """Return whether a user may repair a game."""
    return caller.user_id == seated_game.game.host_id or caller.managed_guild_id == seated_game.game.guild_id


def refuse_unless_in_charge(seated_game: SeatedGame, caller: Caller) -> None:
    if not is_in_charge(seated_game, caller):
        raise Refusal("not_in_charge")


class RepairService(GameService):
    """Repairs games. Every method raises `Refusal` and then changes nothing."""

    def __init__(self, store: Store, workers: Workers, step_runner: StepRunner, time: Timekeeping) -> None:
        super().__init__(store, step_runner)
        self._workers = workers
        self._timekeeping = time

    async def audit_log(self, caller: Caller, game_id: int) -> tuple[SeatedGame, list[LogEntryRow]]:
        async with self._store.read() as tx:
            seated_game = await load_seated_game(tx, game_id)
            refuse_unless_in_charge(seated_game, caller)
            return seated_game, await tx.audit_log.of_game(game_id)

    async def pause_game(self, caller: Caller, game_id: int) -> bool:
        """Pause a game; a captain must ask the other side. Return whether it is paused now."""
        seat_no = await self._require_authority(caller, game_id)
        return await self._timekeeping.pause_game(caller.user_id, game_id, sanctioned=seat_no is None, seat_no=seat_no)

    async def resume_game(self, caller: Caller, game_id: int) -> bool:
        """Resume a paused game; a captain may have to ask the other side. Return whether it runs now."""
        seat_no = await self._require_authority(caller, game_id)
        return await self._timekeeping.resume_game(caller.user_id, game_id, sanctioned=seat_no is None, seat_no=seat_no)

    async def extend_deadlines(self, caller: Caller, game_id: int, seconds: int | None = None) -> bool:
        """Extend deadlines by `seconds`, or by a phase (None). Return whether they were extended at once.

        A player uses their side's extensions; beyond those the other side is asked.
        """
        seat_no = await self._require_authority(caller, game_id)
        if seat_no is not None:
            return await self._timekeeping.extend_deadline(caller.user_id, game_id, seconds, seat_no=seat_no)
        await self._timekeeping.extend_by_authority(caller.user_id, game_id, seconds)
        return True

    async def _require_authority(self, caller: Caller, game_id: int) -> int | None:
        """Return the seat for which a person in charge acts; None if they do not play."""
        async with self._store.read() as tx:
            seated_game = await load_seated_game(tx, game_id)
            refuse_unless_in_charge(seated_game, caller)
            captains = await captains_of(tx, seated_game)
        seat = captains.seat_for(caller.user_id)
        if seat is None and captains.is_captain(caller.user_id):
            raise Refusal("beside_battle")
        return seat.seat if seat else None

    async def replace_captain(self, caller: Caller, game_id: int, seat_no: int, to: Player) -> None:
        """Give a seat to another player. A player may only do so with an absent captain's seat.

        A person in charge who does not play may also replace a captain who has conceded, if the computer still plays
        there.
        """

        async def give_seat(tx: Transaction) -> None:
            current = await load_seated_game(tx, game_id)
            current_seat = current.seats[seat.seat]
            await seats.replace_captain(
                tx, current, current_seat, to, "replaced", user_id=caller.user_id, now=self.now()
            )

        async with self._store.write() as tx:
            seated_game = await self._require_running(tx, caller, game_id)
            keepsakes.refuse_substitutes(seated_game.game)
            captains = await captains_of(tx, seated_game)
            seat = _require_captains_seat(seated_game, seat_no, given_up=not captains.is_captain(caller.user_id))
            refuse_ousting(captains, seat, caller.user_id)
            if seated_game.seat_of(to.user_id):
                raise Refusal("already_there", name=to.name)
            if await tx.denials.denied_among([to.user_id]):
                raise Refusal("denied_captain", name=to.name)
            if to.user_id == caller.user_id and not captains.is_captain(caller.user_id):
                raise Refusal("referee")
            await refuse_biased(tx, captains, to.user_id, seat)
            await count_post(tx, game_id, caller.user_id, now=self.now())
            if not seat.conceded:
                await give_seat(tx)
        if seat.conceded:  # the rules must learn that somebody commands again
            await self._step_runner.apply_out_of_turn(seated_game, TakeUp(seat=seat.seat), also=give_seat)
        self._note_change()

    async def kick_captain(self, caller: Caller, game_id: int, seat_no: int, *, computer: bool = False) -> None:
        """Remove a captain: in a lobby the seat becomes free, later it is offered or the computer's.

        In a running game, a player may only remove an absent captain. In a game with keepsakes that holds for
        everybody, and the computer always gets the seat.
        """
        async with self._store.read() as tx:
            seated_game = await load_seated_game(tx, game_id)
            # The captain may also have seats in battles, which are games of their own.
            captain_seats = [(seated_game, seat) for seat in seated_game.seats if seat.seat == seat_no]
            for _, seat in tuple(captain_seats):
                captain_seats += await battles.battle_seats_of(tx, game_id, seat)
        refuse_unless_in_charge(seated_game, caller)
        if seated_game.game.phase == "lobby":
            await self._remove_from_lobby(caller, game_id, seat_no)
            return
        computer = computer or keepsakes.has_keepsakes(seated_game.game)
        step_numbers = {seated.game.id: seated.game.step_no for seated, _ in captain_seats}
        seats_for_computer = captain_seats if computer else []
        computer_answers = {  # by game and request
            seated.game.id: await self._compute_answers(seated, seat.seat) for seated, seat in seats_for_computer
        }
        now = self.now()
        async with self._store.write() as tx:
            current = await self._require_running(tx, caller, game_id)
            if current.game.step_no != seated_game.game.step_no:
                raise Refusal("busy")
            seat = _require_captains_seat(current, seat_no)
            if seat.computer or (seat.is_free and not computer):
                raise Refusal("no_captain_there")
            _refuse_ousting_with_keepsakes(current, seat, caller.user_id)
            refuse_ousting(await captains_of(tx, current), seat, caller.user_id)
            _refuse_deserting(current, seat)
            if not computer and await battles.has_same_captain_above(tx, current.game, seat):
                raise Refusal("seat_of_parent", number=current.game.parent_id or 0)
            former_id, former_name = seat.user_id or 0, current.name_of(seat.user_id, "")
            kind = "computer" if computer else "kicked"
            await giving_up.note_put_out(tx, current, seat, caller.user_id, now=now)
            handed_seats = await seats.hand_over_seats(
                tx,
                current.game,
                seat,
                None,
                by=caller.user_id,
                put_by=caller.user_id,
                computer=computer,
                now=now,
            )
            await keepsakes.release_keepsakes(tx, current.game, seat.seat)
            for game, handed_seat in handed_seats:
                if step_numbers.get(game.id) != game.step_no:
                    raise Refusal("busy")
                if not computer:
                    await tx.seats.change(game.id, handed_seat, offered_at=now)
                await enqueue.add_log_entry(
                    tx,
                    game,
                    kind,
                    now=now,
                    user_id=caller.user_id,
                    seat=handed_seat,
                    captain=former_name,
                    was=former_id,
                )
                answers = computer_answers.get(game.id, {})
                for row in await tx.requests.open_of_game(game.id):
                    if row.status == "open" and row.id in answers:
                        await self._step_runner.step_store.answer_for_computer(tx, row, answers[row.id])
                await agreement.advance_if_agreed(tx, game, now=now)
            await count_post(tx, game_id, caller.user_id, now=now)
        for game, _ in handed_seats:
            self._step_runner.start_advancing(game.id)

    async def _compute_answers(self, seated_game: SeatedGame, seat_no: int) -> dict[str, ComputedAnswer]:
        """Return what the computer would answer for a seat, by request id. Raises `Refusal` before the first step."""
        async with self._store.read() as tx:
            step = await tx.steps.find(seated_game.game.id, seated_game.game.step_no)
        if step is None:
            raise Refusal("not_started")
        game = seated_game.game
        return await self._workers.run_step(game.host_id, play.computer_answers, game.system, step.state, (seat_no,))

    async def _remove_from_lobby(self, caller: Caller, game_id: int, seat_no: int) -> None:
        async with self._store.write() as tx:
            seated_game = await load_seated_game(tx, game_id)
            refuse_unless_lobby(seated_game.game)
            lobby_seat = _require_captains_seat(seated_game, seat_no)
            if lobby_seat.user_id in (None, seated_game.game.host_id):
                raise Refusal("no_captain_there")
            params = {"captain": seated_game.name_of(lobby_seat.user_id, "")}
            # The thread, which would announce it, does not exist yet.
            await tx.audit_log.add_for_game(
                seated_game.game, "kicked", now=self.now(), user_id=caller.user_id, seat=seat_no, params=params
            )
            await lobby.stand_up(tx, seated_game, lobby_seat, by=caller.user_id, now=self.now())
        self._note_change()

    @between_steps
    async def resolve_now(self, caller: Caller, game_id: int) -> bool:
        """Resolve now as if time were up, without counting missed deadlines. Return whether the game advances.

        If a player asks, this is only a proposal to the captains whose answers are missing. If only the player's own
        are missing, they have missed a deadline.
        """
        now = self.now()
        async with self._store.write() as tx:
            seated_game = await self._require_running(tx, caller, game_id)
            refuse_paused(seated_game.game)
            is_captain = (await captains_of(tx, seated_game)).is_captain(caller.user_id)
            if not is_captain:
                keepsakes.refuse_referees(seated_game.game)
            if all(row.optional for row in await tx.requests.open_of_game(game_id)):
                raise Refusal("nothing_to_resolve")
            seats_without_answer = await agreement.required_seats(tx, seated_game, agreement.RESOLVE_ASKED)
            waits_for_others = any(seat.user_id != caller.user_id for seat in seats_without_answer)
            advances = not is_captain or not waits_for_others
            if not is_captain:
                await giving_up.note_ended_by_others(tx, seated_game, now=now)
            if advances:
                await tx.games.change(game_id, deadline=now)
                await enqueue.add_log_entry(tx, seated_game.game, "resolved", now=now, user_id=caller.user_id)
                if is_captain:
                    await seats.end_own_time(tx, seated_game, caller.user_id, now=now)
            else:
                await agreement.propose(tx, seated_game, agreement.RESOLVE_ASKED, caller.user_id, now=now)
            await count_post(tx, game_id, caller.user_id, now=now)
        self._step_runner.start_advancing(game_id)
        return advances

    @between_steps
    async def move_to_channel(self, caller: Caller, game_id: int, channel_id: int) -> None:
        """Move a game whose channel was deleted to another one, and resume it with the time that was left.

        Any captain may do this; otherwise a host who plays could delete the channel to stop the clock.
        """
        now = self.now()
        async with self._store.write() as tx:
            seated_game = await load_seated_game(tx, game_id)
            if not (seated_game.seat_of(caller.user_id) and await enqueue.is_channel_deleted(tx, seated_game.game)):
                refuse_unless_in_charge(seated_game, caller)
            refuse_unless_at_rest(seated_game.game)
            await count_post(tx, game_id, caller.user_id, now=now)
            await tx.games.change(game_id, channel_id=channel_id, thread_id=None)
            lobby_message = [message for message in await tx.messages.of_game(game_id) if message.kind == "lobby"]
            await enqueue.repost_messages(tx, lobby_message, now=now)
            await enqueue.repost_in_new_thread(tx, game_id, now=now)
            await tx.messages.make_public_due(game_id=game_id, now=now)
        if await self._timekeeping.is_held(game_id, "homeless"):
            await self._timekeeping.resume_game(caller.user_id, game_id, sanctioned=True, counts_as_post=False)
        self._note_change()

    @between_steps
    async def messages_to_repost(
        self, caller: Caller, game_id: int, *, thread_lost: bool = False
    ) -> tuple[list[OutboxMessage], bool]:
        """Return the messages that may be posted again, and whether only those that Discord has lost."""
        async with self._store.read() as tx:
            return await self._messages_to_repost(tx, caller, game_id, thread_lost=thread_lost)

    @between_steps
    async def repost_messages(
        self, caller: Caller, game_id: int, *, thread_lost: bool = False, lost_ids: Collection[int] = ()
    ) -> None:
        """Post the panels and the thread's last messages again, for example after they were deleted.

        A captain reposts only `lost_ids`, those that Discord does not have: each new panel makes somebody's phone ring.
        """
        now = self.now()
        async with self._store.write() as tx:
            messages, only_lost = await self._messages_to_repost(tx, caller, game_id, thread_lost=thread_lost)
            if only_lost:
                messages = [message for message in messages if message.id in lost_ids]
            if not messages:
                raise Refusal("nothing_lost")
            await count_post(tx, game_id, caller.user_id, now=now)
            game = (await load_seated_game(tx, game_id)).game
            if thread_lost and game.phase != "lobby":
                await tx.games.change(game_id, thread_id=None)
            await enqueue.repost_messages(tx, messages, now=now)
            if game.phase != "lobby":
                await enqueue.add_log_entry(tx, game, "reposted", now=now, user_id=caller.user_id)
        self._note_change()

    @staticmethod
    async def _messages_to_repost(
        tx: Transaction, caller: Caller, game_id: int, *, thread_lost: bool
    ) -> tuple[list[OutboxMessage], bool]:
        seated_game = await load_seated_game(tx, game_id)
        refuse_unless_in_charge(seated_game, caller)
        is_captain = bool(seated_game.seat_of(caller.user_id))
        if seated_game.game.phase == "lobby":
            return await tx.messages.of_game(game_id), is_captain
        refuse_unless_running(seated_game.game)
        refuse_unless_at_rest(seated_game.game)
        is_captain = (await captains_of(tx, seated_game)).is_captain(caller.user_id)
        messages = await enqueue.current_messages(tx, seated_game.game, await tx.requests.open_of_game(game_id))
        if thread_lost:
            all_messages = await tx.messages.of_game(game_id)
            messages = [*(message for message in all_messages if message.kind == "begin"), *messages]
        return messages, is_captain

    # --- going back --------------------------------------------------------------------------------------------

    async def last_round_of(self, user_id: int, game_id: int) -> tuple[SeatedGame, int]:
        """Return a game and the last round in which something happened, for one of its captains. Raises `Refusal`."""
        async with self._store.read() as tx:
            seated_game = await load_seated_game(tx, game_id)
            seat = require_active_seat(seated_game, user_id)
            refuse_unless_running(seated_game.game)
            causes = await tx.steps.causes_of_game(game_id)
            last_round = undo.last_round(causes, await tx.requests.rounds_by_request(game_id))
        if seat.conceded or not last_round:
            raise Refusal("no_round_yet")
        return seated_game, last_round

    @between_steps
    async def undo_to(self, caller: Caller, game_id: int, to_round: int | None = None) -> bool:
        """Go back to the beginning of a round, or (None) as far as nothing was revealed. Return whether it was done.

        A round that has revealed something needs all captains' agreement and is proposed to them; any captain may
        propose. If nothing has happened since, only a stuck game is changed: its seals are broken. If a side has
        nobody who could agree, a manager who does not play may go back alone, and the game becomes unrated. In a game
        with keepsakes nobody may: a losing captain would ask a friend.
        """
        now = self.now()
        is_proposed = False
        async with self._store.write() as tx:
            seated_game = await load_seated_game(tx, game_id)
            seat = seated_game.seat_of(caller.user_id)
            if to_round is None or seat is None or seat.conceded:
                refuse_unless_in_charge(seated_game, caller)
            refuse_unless_running(seated_game.game)
            refuse_unless_at_rest(seated_game.game)
            causes = await tx.steps.causes_of_game(game_id)
            goal = await undo.load_target(tx, seated_game.game, to_round, now=now)
            if not goal.is_revealing:
                refuse_unless_in_charge(seated_game, caller)
            captains = await captains_of(tx, seated_game)
            conceded_since = (
                undo.conceded_seats(causes)
                - undo.conceded_seats(causes, goal.step_no)
                - captains.seats_of_user(caller.user_id)
            )
            has_opponents = _has_opponents(seated_game, captains, caller.user_id, conceded_since)
            if has_opponents and not goal.is_revealing and conceded_since:
                raise Refusal("given_up")
            unrated = (
                goal.is_revealing
                and not (captains.is_captain(caller.user_id) or keepsakes.has_keepsakes(seated_game.game))
                and captains.has_silent_side()
            )
            if unrated and not captains.silent_sides() - captains.sides_ousted_since(goal.step_no):
                raise Refusal("ousted_since")
            goes_back = unrated or not goal.is_revealing
            if not goes_back:
                goes_back = await agreement.propose(
                    tx, seated_game, agreement.UNDO_ASKED, caller.user_id, now=now, round=to_round or 0
                )
                is_proposed = not goes_back
            elif goal.is_idle:
                if await clock.stopping_act_kind(tx, game_id) != clock.STUCK:
                    raise Refusal("nothing_to_undo")  # captains can break their own seals
                await undo.break_seals(tx, seated_game, caller.user_id, now=now)
                goes_back = False
            await count_post(tx, game_id, caller.user_id, now=now)
        if goes_back:
            kind, params = ("undone", {"round": to_round or 0}) if goal.is_revealing else ("taken_back", {})
            await self._step_runner.go_back_to(
                seated_game, goal, kind, user_id=caller.user_id, unrated=unrated, opposed=has_opponents, **params
            )
        if not is_proposed:
            await self._timekeeping.resume_after_undo(caller.user_id, game_id)
        self._note_change()
        return not is_proposed

    @between_steps
    async def end_game(self, caller: Caller, game_id: int) -> None:
        """Call off a lobby, or an idle or stuck game, unrated, for a person in charge who does not play."""
        async with self._store.write() as tx:
            seated_game = await load_seated_game(tx, game_id)
            refuse_unless_in_charge(seated_game, caller)
            if is_lobby := seated_game.game.is_lobby:
                user_id = caller.user_id
                await call_off_lobby(tx, seated_game, by=user_id, now=self.now(), kind="lobby_ended", user_id=user_id)
            else:
                seated_game = await self._require_running(tx, caller, game_id)
                await self._refuse_ending(tx, seated_game, caller)
        if not is_lobby:
            await call_off_game(
                self._store, self._workers, self._step_runner, seated_game, "ended", user_id=caller.user_id
            )
        self._note_change()

    async def _refuse_ending(self, tx: Transaction, seated_game: SeatedGame, caller: Caller) -> None:
        """Raise `Refusal` if people play the game against each other, or the caller is one of its captains."""
        game = seated_game.game
        stop_kind = await clock.stopping_act_kind(tx, game.id)
        if stop_kind != clock.STUCK and game.parent_id is not None:
            raise Refusal("ends_with_parent", number=game.parent_id)
        captains = await captains_of(tx, seated_game)
        if captains.is_captain(caller.user_id):
            raise Refusal("ends_by_draw")
        if stop_kind == clock.STUCK or len(captains.sides_with_people) < 2:
            return
        if stop_kind == clock.PAUSED:
            raise Refusal("ends_after_pause")
        if not await is_idle(tx, game, self.now()):
            raise Refusal("not_idle")

    @between_steps
    async def agree_to(self, user_id: int, game_id: int, act_id: int) -> tuple[str, bool]:
        """Agree to a proposal. Return its kind (one of `PROPOSAL_ACTS`) and whether it takes effect now."""
        now = self.now()
        async with self._store.write() as tx:
            seated_game = await load_seated_game(tx, game_id)
            own_seat = seated_game.seat_of(user_id)
            if own_seat is None or own_seat.conceded:
                raise Refusal("not_seated")
            refuse_unless_running(seated_game.game)
            refuse_unless_at_rest(seated_game.game)
            await seats.note_presence(tx, seated_game, user_id, now=now)
            seated_game = await load_seated_game(tx, game_id)
            proposal = await agreement.agree(tx, seated_game, own_seat, act_id, now=now)
            if proposal.kind == agreement.RESOLVE_ASKED:
                refuse_paused(seated_game.game)
                agreed = await agreement.advance_if_agreed(tx, seated_game.game, now=now)
            else:
                to_round = int(proposal.params["round"])
                goal = await undo.load_target(tx, seated_game.game, to_round, now=now)
                agreed = await agreement.is_agreed(tx, seated_game, proposal)
        if agreed and proposal.kind == agreement.UNDO_ASKED:
            await self._step_runner.go_back_to(seated_game, goal, "undone", user_id=user_id, round=to_round)
            await self._timekeeping.resume_after_undo(user_id, game_id)
        self._step_runner.start_advancing(game_id)
        return proposal.kind, agreed

    @between_steps
    async def decline_proposal(self, user_id: int, game_id: int, act_id: int) -> None:
        now = self.now()
        async with self._store.write() as tx:
            seated_game = await load_seated_game(tx, game_id)
            own_seat = require_active_seat(seated_game, user_id)
            await seats.note_presence(tx, seated_game, user_id, now=now)
            seated_game = await load_seated_game(tx, game_id)  # a captain's return may have changed it
            await agreement.decline(tx, seated_game, own_seat, act_id, now=now)
        self._note_change()

    @staticmethod
    async def _require_running(tx: Transaction, caller: Caller, game_id: int) -> SeatedGame:
        seated_game = await load_seated_game(tx, game_id)
        refuse_unless_in_charge(seated_game, caller)
        refuse_unless_running(seated_game.game)
        refuse_unless_at_rest(seated_game.game)
        return seated_game


def _require_captains_seat(seated_game: SeatedGame, seat_no: int, *, given_up: bool = False) -> SeatRow:
    """Return a seat that a captain has or had. `given_up`: it may be one whose captain has conceded."""
    seat = next((seat for seat in seated_game.seats if seat.seat == seat_no), None)
    if seat is None or (seat.conceded and not RULESETS[seated_game.game.system].asks_after_concession):
        raise Refusal("no_captain_there")
    if seat.conceded and not given_up:
        raise Refusal("seat_given_up")
    return seat


def _refuse_ousting_with_keepsakes(seated_game: SeatedGame, seat: SeatRow, caller_id: int) -> None:
    """Raise `Refusal` if a captain with keepsakes would lose the seat while present.

    A manager who is the loser's friend could deprive the captain of their gains.
    """
    if keepsakes.has_keepsakes(seated_game.game) and not seat.is_offered and seat.user_id != caller_id:
        raise Refusal("no_ousting", name=seated_game.name_of(seat.user_id, ""))


def _has_opponents(seated_game: SeatedGame, captains: Captains, user_id: int, conceded_seats: set[Seat]) -> bool:
    """Return whether a user is a captain whose opponents play on, or hold `conceded_seats`."""
    if not captains.is_captain(user_id):
        return False
    own_seat = captains.seat_for(user_id)
    return (
        own_seat is None
        or captains.has_opponents(own_seat.team)
        or any(seated_game.seats[seat].team != own_seat.team for seat in conceded_seats)
    )


def _refuse_deserting(seated_game: SeatedGame, seat: SeatRow) -> None:
    """Raise `Refusal` if nobody would be left to play for. Battles always have the parent game's players."""
    other_seats = [other for other in seated_game.seats if other.seat != seat.seat]
    captains_left = [other for other in other_seats if other.user_id is not None and not other.conceded]
    if seat.user_id is not None and not captains_left and seated_game.game.parent_id is None:
        raise Refusal("last_captain")
