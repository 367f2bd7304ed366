"""What captains are asked, a class a kind: a sheet, one ship's line, what stands, a choice in the middle of a turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

from rules.errors import Scalar
from rules.protocol import Choices, Draft, Request
from rules.ramspeed.desk import active, interrupts, live_orders, order_drafts, panel, preview, samples, standing_orders
from rules.ramspeed.desk.answers import Act, Choice, Done, Orders, Standing
from rules.ramspeed.table.orders import Sheet
from rules.ramspeed.table.state import Asked, State
from rules.ruleset import Question
from rules.view import Text

_STAY: Final = "stay"
"""The order that means to do nothing."""


class Ordering(Question[State, Orders]):
    """The secret sheet of a turn (RS part 8.1)."""

    kind: ClassVar[str] = "orders"
    kept: ClassVar[bool] = True
    """It may hold doctrines (RS part 8.3)."""

    def parse(self, state: State, request: Request, text: str) -> Orders:
        """Read a whole sheet, with changes of what stands."""
        return order_drafts.finish(order_drafts.desk_of(state, request.seat), text)

    def format(self, answer: Orders) -> str:
        """Write it."""
        return order_drafts.canonical(answer)

    def choices(self, state: State, request: Request, draft: Draft) -> Choices:
        """What may be pressed for the ship in hand, and for all."""
        desk = order_drafts.desk_of(state, request.seat)
        return panel.choices(desk, order_drafts.read(desk, draft))

    def amend(self, state: State, request: Request, draft: Draft, text: str) -> Draft:
        """Put typed lines into the draft."""
        desk = order_drafts.desk_of(state, request.seat)
        return order_drafts.write(order_drafts.amend(desk, order_drafts.read(desk, draft), text))

    def warnings(self, state: State, request: Request, draft: Draft) -> tuple[Text, ...]:
        """Lines of which nothing is possible as things stand."""
        desk = order_drafts.desk_of(state, request.seat)
        lines = preview.planned(desk.position, order_drafts.read(desk, draft).lines).lines
        barred = [
            line.ship
            for line in lines
            if all(preview.idle(way) for way in line.ways) and not any(way.order == _STAY for way in line.ways)
        ]
        return tuple(Text("warning.barred", {"ship": ship}) for ship in barred)

    def example(self, state: State, request: Request) -> Mapping[str, Scalar]:
        """With a ship of his own, and an enemy."""
        return samples.example(order_drafts.desk_of(state, request.seat))

    def default(self, state: State, request: Request) -> Orders | None:
        """The sheet that stands in for a missing one; else all stay, or the computer's."""
        desk = order_drafts.desk_of(state, request.seat)
        if desk.standing and (lines := order_drafts.still(desk, desk.standing)):
            return Orders(Sheet(lines))
        return Orders() if state.missed == "hold" else None

    def samples(self, state: State, request: Request) -> Sequence[Any]:
        """Sheets of every temper."""
        return samples.order_sheets(order_drafts.desk_of(state, request.seat))


class Acting(Question[State, Act | Done]):
    """One ship's line at a time, carried out at once (live mode)."""

    kind: ClassVar[str] = "act"

    def parse(self, state: State, request: Request, text: str) -> Act | Done:
        """Read a line for a ship that has not acted, or `done`."""
        return live_orders.finish(state, request.seat, text)

    def format(self, answer: Act | Done) -> str:
        """Write it."""
        return live_orders.canonical(answer)

    def choices(self, state: State, request: Request, draft: Draft) -> Choices:
        """What may be pressed for the ship in hand."""
        return live_orders.choices(state, request.seat, draft)

    def amend(self, state: State, request: Request, draft: Draft, text: str) -> Draft:
        """Read typed text: a ship, a line, or `done`."""
        return live_orders.amend(state, request.seat, draft, text)

    def example(self, state: State, request: Request) -> Mapping[str, Scalar]:
        """With a ship of his that has not acted, and an enemy."""
        return samples.example(active.desk_of(state, request.seat))

    def default(self, state: State, request: Request) -> Act | Done | None:
        """The next line of the sheet that stands in for him; else he has done, or the computer goes on."""
        return live_orders.default(state, request.seat)

    def samples(self, state: State, request: Request) -> Sequence[Any]:
        """A line of every temper for every ship."""
        desk = order_drafts.desk_of(state, request.seat)
        return samples.acts(desk, active.acted(state))


class Changing(Question[State, Standing]):
    """What stands: doctrines, and the sheet for a missing one, where sheets are not asked for."""

    kind: ClassVar[str] = "doctrine"
    advised: ClassVar[bool] = False

    def parse(self, state: State, request: Request, text: str) -> Standing:
        """Read changes."""
        return standing_orders.finish(order_drafts.desk_of(state, request.seat), text)

    def format(self, answer: Standing) -> str:
        """Write them."""
        return standing_orders.canonical(answer)

    def choices(self, state: State, request: Request, draft: Draft) -> Choices:
        """Every key and value."""
        return standing_orders.choices(order_drafts.desk_of(state, request.seat), draft)

    def amend(self, state: State, request: Request, draft: Draft, text: str) -> Draft:
        """Put typed lines into the draft."""
        return standing_orders.amend(order_drafts.desk_of(state, request.seat), draft, text)

    def example(self, state: State, request: Request) -> Mapping[str, Scalar]:
        """With a ship of his own."""
        return samples.example(order_drafts.desk_of(state, request.seat))

    def default(self, state: State, request: Request) -> Standing:  # noqa: ARG002
        """No change."""
        return Standing()

    def samples(self, state: State, request: Request) -> Sequence[Any]:
        """Some changes."""
        return samples.changes(order_drafts.desk_of(state, request.seat))


class Deciding(Question[State, Choice]):
    """How a ship defends herself, gets away, or what becomes of a prize (D1 to D3, PRIZE)."""

    kind: ClassVar[str] = "decision"
    """Its requests are of three kinds: `interrupts.KINDS`."""

    def parse(self, state: State, request: Request, text: str) -> Choice:
        """Read a choice in the words of doctrines."""
        return interrupts.parse(state.position, _of(request), text)

    def format(self, answer: Choice) -> str:
        """Write it."""
        return answer.choice

    def choices(self, state: State, request: Request, draft: Draft) -> Choices:
        """All that may be chosen; each press is the answer."""
        return interrupts.choices(state, _of(request), draft.text)

    def default(self, state: State, request: Request) -> Choice:
        """By the doctrine."""
        return interrupts.default(state, _of(request))

    def samples(self, state: State, request: Request) -> Sequence[Any]:  # noqa: ARG002
        """Every choice."""
        return samples.decisions(_of(request))


def _of(request: Request) -> Asked:
    """The question that a request asks."""
    key: Any = request.params["key"]
    return Asked(seat=request.seat, ship=str(request.params["ship"]), key=key, by=str(request.params["by"]))


QUESTIONS: dict[str, Question[State, Any]] = {
    "orders": Ordering(),
    "act": Acting(),
    "doctrine": Changing(),
    **dict.fromkeys(interrupts.KINDS.values(), Deciding()),
}
"""By `Request.kind`."""
