"""Plans of a step's changes, from a snapshot and an outcome: no database, no rules, no clock."""

from __future__ import annotations

from typing import Any

from msgspec import structs

from bot.jobs.computing import ComputedAnswer
from bot.jobs.play import StepResult
from bot.lifecycle.steps.planning import ResolvedStep, StepChanges, plan_step
from bot.lifecycle.steps.playing import SeatedGame
from bot.lifecycle.steps.snapshot import Snapshot
from bot.store.models.records import (
    AnswerRow,
    Game,
    OutboxMessage,
    Player,
    RequestRow,
    RequestsAnswered,
    SeatRow,
    StepCause,
)
from bot.store.models.subjects import (
    DrawOfferSubject,
    MessageSubject,
    PanelSubject,
    StepSubject,
    VoidAnswerSubject,
)
from rules.core.protocol import Request, Result
from rules.core.replay import Computation
from tests.laws import panels

HOUR_S = 3_600
NOW, DUE = 100_000, 100_000 + HOUR_S
ANNA, BELA = 11, 12
SEED = "5eed"


def asks(round_no: int, seat: int, **about: Any) -> Request:
    return Request(id=f"r{round_no}.orders.{seat}", seat=seat, kind="orders", round=round_no, **about)


BASE = panels.asked("matchbox", asks(1, 0))


def row(request: Request, status: str = "open", **about: Any) -> RequestRow:
    """Return a request's row; it has the deadline `DUE` if the game waits for it."""
    waits = not (request.optional or request.ahead)
    fields = {"id": request.id, "seat": request.seat, "body": request, "asked_at": DUE - 24 * HOUR_S, "version": 3}
    fields |= {"game_id": 1, "optional": not waits, "deadline": DUE if waits else None, "status": status, **about}
    return structs.replace(BASE.row, **fields)


def sealed(request: Request, body: str) -> AnswerRow:
    own = {"nonce": "n", "commitment": "c", "given_by": "captain", "sealed_at": NOW - HOUR_S}
    return AnswerRow(game_id=1, request_id=request.id, seat=request.seat, body=body, **own)  # type: ignore[arg-type]


def message(number: int, subject: MessageSubject, user_id: int | None = None, *, shown: bool = True) -> OutboxMessage:
    return OutboxMessage(
        id=number,
        mark=1000 + number,
        game_id=1,
        key=subject.key,
        kind=subject.kind,
        subject=subject,
        user_id=user_id,
        wanted=1,
        sent=1 if shown else 0,
        channel_id=7 if shown else None,
        message_id=700 + number if shown else None,
        attempts=0,
        due_at=NOW,
        wanted_at=NOW,
        problem=None,
        shown=None,
        edited_at=None,
    )


def game(**about: Any) -> Game:
    given = {"id": 1, "name": "", "channel_id": 2, "thread_id": 3, "host_id": ANNA, "version": 8, "claimed_at": NOW}
    given |= {"deadline": DUE, "rated": True, "seed": SEED, **about}
    return structs.replace(BASE.seated_game.game, **given)


def seat(number: int, user_id: int | None) -> SeatRow:
    given = {"game_id": 1, "seat": number, "team": number, "user_id": user_id, "computer": user_id is None}
    return structs.replace(BASE.seated_game.seats[0], **given)


def snapshot(
    *rows: RequestRow, answers: tuple[AnswerRow, ...] = (), users: tuple[int | None, ...] = (ANNA, BELA), **about: Any
) -> Snapshot:
    of_game = {name: about.pop(name) for name in list(about) if name not in Snapshot.__struct_fields__}
    players = {one: Player(user_id=one, name=f"#{one}", locale="en") for one in users if one}
    seats = [seat(number, user_id) for number, user_id in enumerate(users)]
    playing = SeatedGame(game=game(**of_game), seats=seats, players=players, is_rated=True)
    return Snapshot(seated_game=playing, requests=rows, answers={one.request_id: one for one in answers}, **about)


def outcome(
    answers: dict[str, str],
    *pending: Request,
    cause: StepCause | None = None,
    given: Any = None,
    result: Result | None = None,
    **done: Any,
) -> ResolvedStep:
    filled: dict[str, Any] = {"state": "{}", "events": "[]", "computer_answers": {}, **done}
    advanced = StepResult(answers=answers, pending=pending, result=result, **filled)
    cause = cause or RequestsAnswered(requests=tuple(sorted(answers)))
    return ResolvedStep(cause=cause, step_result=advanced, given_by=given or {}, now=NOW, nonces=("n1", "n2", "n3"))


def keys(messages: tuple[OutboxMessage, ...]) -> set[str]:
    return {one.key for one in messages}


def wished(changes: StepChanges) -> set[tuple[str, int | None]]:
    return {(wish.subject.key, wish.user_id) for wish in changes.message_requests}


ONE, TWO = asks(1, 0), asks(1, 1)
NEXT = (asks(2, 0), asks(2, 1))
PANELS = (message(1, PanelSubject(ONE.id), ANNA), message(2, PanelSubject(TWO.id), BELA))
BOTH = {ONE.id: "A1 F", TWO.id: "B1 ====="}


def test_when_all_have_sealed_a_game_goes_on_at_once_only_if_it_may_go_on_early() -> None:
    rows = (row(ONE, "sealed"), row(TWO, "sealed"))
    answers = (sealed(ONE, "A1 F"), sealed(TWO, "B1 F"))
    computed = {request.id: ComputedAnswer("X1 F", Computation(program="1")) for request in NEXT}
    for early in (True, False):
        both = snapshot(*rows, answers=answers, users=(None, None), early=early)
        changes = plan_step(both, outcome(BOTH, *NEXT, computer_answers=computed))
        assert [one.status for one in changes.new_requests] == ["sealed", "sealed"]
        assert [(one.body, one.given_by) for one in changes.answers] == [("X1 F", "computer")] * 2
        assert wished(changes) == {(StepSubject(1, 1).key, None)}, "a computer is told nothing, and nobody waits for it"
        assert changes.can_advance(NOW) is early
        assert changes.can_advance(NOW + 24 * HOUR_S), "its deadline has come"
    one_sealed = plan_step(
        snapshot(*rows, answers=answers, users=(ANNA, None)),
        outcome(BOTH, *NEXT, computer_answers={NEXT[1].id: ComputedAnswer("X1 F", Computation(program="1"))}),
    )
    assert not one_sealed.can_advance(NOW)


def test_a_seal_that_was_inherited_counts_and_stays_unopened_to_its_new_captain() -> None:
    ahead, due = asks(2, 1, ahead=True), asks(2, 1)
    given = (sealed(ONE, "A1 F"), sealed(TWO, "B1 F"), sealed(ahead, "B1 L"))
    left = snapshot(
        row(ONE, "sealed"), row(TWO, "sealed", inherited=True), row(ahead, "sealed", inherited=True), answers=given
    )
    changes = plan_step(left, outcome({ONE.id: "A1 F", TWO.id: "B1 F"}, NEXT[0], due))
    assert changes.answers == (), "nobody answers in the place of a seal"
    ((before, after),) = changes.promoted_requests
    assert (before.inherited, after.inherited, after.status) == (True, True, "sealed")
    voided = plan_step(left, outcome({ONE.id: "A1 F", TWO.id: "B1 F"}, NEXT[0], due, void_request_ids=(due.id,)))
    ((_, after),) = voided.promoted_requests
    assert (after.inherited, after.status) == (False, "open")


def test_what_was_answered_ahead_is_taken_up_with_its_seal_unless_it_cannot_be_carried_out() -> None:
    ahead, due = asks(2, 0, ahead=True), asks(2, 0)
    shown = message(5, PanelSubject(ahead.id, f"ahead.{ahead.id}"), ANNA)
    before = snapshot(
        row(ONE, "sealed"),
        row(TWO, "sealed"),
        row(ahead, "sealed", draft="A1 L"),
        answers=(sealed(ONE, "A1 F"), sealed(TWO, "B1 F"), sealed(ahead, "A1 L")),
        messages=(*PANELS, shown),
    )
    changes = plan_step(before, outcome({ONE.id: "A1 F", TWO.id: "B1 F"}, due, NEXT[1]))
    ((_, row_now),) = changes.promoted_requests
    assert (row_now.status, row_now.draft, row_now.optional, row_now.deadline, row_now.version) == (
        "sealed",
        "A1 L",
        False,
        NOW + 24 * HOUR_S,
        4,
    )
    assert [one.id for one in changes.new_requests] == [NEXT[1].id]
    assert changes.retargeted_messages == ((shown, PanelSubject(due.id)),)
    assert (changes.void_request_ids, changes.reposted_messages) == ((), ())
    assert shown.key in keys(changes.renewed_messages)

    changes = plan_step(before, outcome({ONE.id: "A1 F", TWO.id: "B1 F"}, due, NEXT[1], void_request_ids=(due.id,)))
    ((_, row_now),) = changes.promoted_requests
    assert (row_now.status, row_now.draft) == ("open", "A1 L"), "the draft stays, to be mended"
    assert changes.void_request_ids == (due.id,)
    assert changes.reposted_messages == (shown,), "it is asked below all else"
    assert {(VoidAnswerSubject(due.id).key, ANNA), (PanelSubject(due.id).key, ANNA)} <= wished(changes)


def test_a_step_that_nobody_may_know_of_is_told_nowhere_and_takes_an_offer_of_a_draw_along() -> None:
    free = asks(1, 0, optional=True)
    offer = message(8, DrawOfferSubject(0))
    before = snapshot(row(free, "sealed"), row(TWO), answers=(sealed(free, "A1 X"),), messages=(offer,))
    before.seated_game.seats[1] = structs.replace(before.seated_game.seats[1], draw_at=0)
    changes = plan_step(before, outcome({free.id: "A1 X"}, TWO, has_public_event=False))
    assert changes.step.cause == RequestsAnswered(requests=(free.id,), hidden=True)
    assert wished(changes) == set()
    assert (changes.retargeted_messages, changes.kept_draw_offers) == (((offer, DrawOfferSubject(1)),), (1,))
    told = plan_step(before, outcome({free.id: "A1 X"}, TWO, has_public_event=True))
    assert wished(told) == {(StepSubject(1, 1).key, None)}
    assert (told.retargeted_messages, told.kept_draw_offers, keys(told.renewed_messages)) == ((), (), {offer.key})


def test_a_captain_who_hardly_ever_wins_reads_once_what_conceding_costs() -> None:
    before = snapshot(row(ONE, "sealed"), row(TWO, "sealed"), answers=(sealed(ONE, "A1 F"), sealed(TWO, "B1 F")))
    hopeless = outcome(BOTH, *NEXT, strengths={0: 1.0, 1: 30.0})
    assert plan_step(before, hopeless).hopeless_seats == (0,)
    assert plan_step(before, outcome(BOTH, *NEXT, strengths={0: 10.0, 1: 30.0})).hopeless_seats == ()
    assert plan_step(before, outcome(BOTH, NEXT[1], strengths={0: 1.0, 1: 30.0})).hopeless_seats == (), "not asked now"
    before.seated_game.seats[0] = structs.replace(before.seated_game.seats[0], hopeless_step=3)
    assert plan_step(before, hopeless).hopeless_seats == ()
