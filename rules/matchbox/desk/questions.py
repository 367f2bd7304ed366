"""What captains are asked, a class a kind: set down galleys, give orders, decide in the middle of a round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from rules.errors import Scalar
from rules.matchbox.desk import asking, course, deploy, heeding, offers, sheets
from rules.matchbox.desk.samples import fleet_orders, placements
from rules.matchbox.desk.warnings import warnings
from rules.matchbox.table.state import Decision, FleetOrders, Placement, State
from rules.protocol import Choices, Draft, Request
from rules.ruleset import Question
from rules.view import Text


class Placing(Question[State, Placement]):
    """Where galleys are set down (MB part 2)."""

    kind: ClassVar[str] = "place"

    def parse(self, state: State, request: Request, text: str) -> Placement:
        """Read a complete, legal answer."""
        return deploy.finish(deploy.quay(state, request.seat), text)

    def format(self, answer: Placement) -> str:
        """Write an answer."""
        return deploy.write(answer.galleys)

    def choices(self, state: State, request: Request, draft: Draft) -> Choices:
        """What may be pressed after this draft."""
        quay = deploy.quay(state, request.seat)
        return deploy.choices(quay, deploy.read(quay, draft))

    def amend(self, state: State, request: Request, draft: Draft, text: str) -> Draft:
        """Put typed text into the draft."""
        quay = deploy.quay(state, request.seat)
        berthed = deploy.amend(quay, deploy.read(quay, draft), text)
        return Draft(deploy.write(berthed.named), berthed.focus)

    def example(self, state: State, request: Request) -> Mapping[str, Scalar]:
        """A galley of his own."""
        return {"galley": deploy.quay(state, request.seat).asked[0]}

    def default(self, state: State, request: Request) -> Placement:
        """As it is proposed (MB part 10)."""
        return deploy.finish(deploy.quay(state, request.seat), "")

    def samples(self, state: State, request: Request) -> Sequence[Any]:
        """The proposal in each type, turned to either side."""
        return placements(deploy.quay(state, request.seat))


class Ordering(Question[State, FleetOrders]):
    """The secret orders of a round (MB part 3)."""

    kind: ClassVar[str] = "orders"

    def parse(self, state: State, request: Request, text: str) -> FleetOrders:
        """Read a complete, legal answer."""
        return sheets.finish(sheets.desk_of(state, request.seat), text)

    def format(self, answer: FleetOrders) -> str:
        """Write an answer."""
        return sheets.canonical(answer)

    def choices(self, state: State, request: Request, draft: Draft) -> Choices:
        """What may be pressed after this draft."""
        desk = sheets.desk_of(state, request.seat)
        return offers.choices(desk, sheets.read(desk, draft))

    def warnings(self, state: State, request: Request, draft: Draft) -> tuple[Text, ...]:
        """What of the draft comes to nothing as things stand."""
        return warnings(state, request.seat, sheets.read(sheets.desk_of(state, request.seat), draft))

    def heeded(self, state: State, request: Request, answer: FleetOrders) -> FleetOrders:
        """Orders of which nothing is warned, if there are any."""
        return heeding.heeded(state, request.seat, answer)

    def amend(self, state: State, request: Request, draft: Draft, text: str) -> Draft:
        """Put typed text into the draft."""
        desk = sheets.desk_of(state, request.seat)
        return sheets.write(desk, sheets.amend(desk, sheets.read(desk, draft), text))

    def example(self, state: State, request: Request) -> Mapping[str, Scalar]:
        """A galley of his own."""
        return {"galley": next(galley.id for galley in state.galleys if galley.seat == request.seat)}

    def default(self, state: State, request: Request) -> FleetOrders | None:
        """No orders, if the game was begun so; else the computer's (MB part 10)."""
        return sheets.hold(sheets.desk_of(state, request.seat)) if state.missed == "hold" else None

    def samples(self, state: State, request: Request) -> Sequence[Any]:
        """Orders of every temper."""
        return fleet_orders(sheets.desk_of(state, request.seat))


class Deciding(Question[State, Decision]):
    """What must be decided in the middle of a round: a target, an aim, losses, oars (MB parts 6 and 7)."""

    kind: ClassVar[str] = "decision"
    """Its requests are of four kinds: `asking.RULES`."""

    def parse(self, state: State, request: Request, text: str) -> Decision:
        """Read a complete, legal answer."""
        return asking.parse(state, course.question_of(state, request), text)

    def format(self, answer: Decision) -> str:
        """Write an answer."""
        return answer.choice

    def choices(self, state: State, request: Request, draft: Draft) -> Choices:
        """The legal choices; each completes the answer."""
        return asking.choices(state, course.question_of(state, request), draft.text)

    def default(self, state: State, request: Request) -> Decision:
        """By the standing orders that everybody has to begin with (MB part 10)."""
        return asking.default(state, course.question_of(state, request))

    def samples(self, state: State, request: Request) -> Sequence[Any]:
        """Every choice; for an aim some."""
        return asking.samples(state, course.question_of(state, request))


QUESTIONS: dict[str, Question[State, Any]] = {
    "place": Placing(),
    "orders": Ordering(),
    **dict.fromkeys(asking.RULES, Deciding()),
}
"""By `Request.kind`."""
