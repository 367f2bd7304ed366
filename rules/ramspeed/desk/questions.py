"""What captains are asked, a class a kind: a sheet, one ship's line, what stands, a choice in the middle of a turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

from rules.errors import Scalar
from rules.protocol import Choices, Draft, Request
from rules.ramspeed.desk import acting, active, asking, panel, plans, samples, sheets, standing
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
        return sheets.finish(sheets.desk_of(state, request.seat), text)

    def format(self, answer: Orders) -> str:
        """Write it."""
        return sheets.canonical(answer)

    def choices(self, state: State, request: Request, draft: Draft) -> Choices:
        """What may be pressed for the ship in hand, and for all."""
        desk = sheets.desk_of(state, request.seat)
        return panel.choices(desk, sheets.read(desk, draft))

    def amend(self, state: State, request: Request, draft: Draft, text: str) -> Draft:
        """Put typed lines into the draft."""
        desk = sheets.desk_of(state, request.seat)
        return sheets.write(sheets.amend(desk, sheets.read(desk, draft), text))

    def warnings(self, state: State, request: Request, draft: Draft) -> tuple[Text, ...]:
        """Lines of which nothing is possible as things stand."""
        desk = sheets.desk_of(state, request.seat)
        lines = plans.planned(desk.position, sheets.read(desk, draft).lines).lines
        barred = [
            line.ship
            for line in lines
            if all(plans.idle(way) for way in line.ways) and not any(way.order == _STAY for way in line.ways)
        ]
        return tuple(Text("warning.barred", {"ship": ship}) for ship in barred)

    def example(self, state: State, request: Request) -> Mapping[str, Scalar]:
        """With a ship of his own, and an enemy."""
        return samples.example(sheets.desk_of(state, request.seat))

    def default(self, state: State, request: Request) -> Orders | None:
        """The sheet that stands in for a missing one; else all stay, or the computer's."""
        desk = sheets.desk_of(state, request.seat)
        if desk.standing and (lines := sheets.still(desk, desk.standing)):
            return Orders(Sheet(lines))
        return Orders() if state.missed == "hold" else None

    def samples(self, state: State, request: Request) -> Sequence[Any]:
        """Sheets of every temper."""
        return samples.sheets(sheets.desk_of(state, request.seat))


class Acting(Question[State, Act | Done]):
    """One ship's line at a time, carried out at once (live mode)."""

    kind: ClassVar[str] = "act"

    def parse(self, state: State, request: Request, text: str) -> Act | Done:
        """Read a line for a ship that has not acted, or `done`."""
        return acting.finish(state, request.seat, text)

    def format(self, answer: Act | Done) -> str:
        """Write it."""
        return acting.canonical(answer)

    def choices(self, state: State, request: Request, draft: Draft) -> Choices:
        """What may be pressed for the ship in hand."""
        return acting.choices(state, request.seat, draft)

    def amend(self, state: State, request: Request, draft: Draft, text: str) -> Draft:
        """Read typed text: a ship, a line, or `done`."""
        return acting.amend(state, request.seat, draft, text)

    def example(self, state: State, request: Request) -> Mapping[str, Scalar]:
        """With a ship of his that has not acted, and an enemy."""
        return samples.example(active.desk_of(state, request.seat))

    def default(self, state: State, request: Request) -> Act | Done | None:
        """The next line of the sheet that stands in for him; else he has done, or the computer goes on."""
        return acting.default(state, request.seat)

    def samples(self, state: State, request: Request) -> Sequence[Any]:
        """A line of every temper for every ship."""
        desk = sheets.desk_of(state, request.seat)
        return samples.acts(desk, active.acted(state))


class Changing(Question[State, Standing]):
    """What stands: doctrines, and the sheet for a missing one, where sheets are not asked for."""

    kind: ClassVar[str] = "doctrine"
    advised: ClassVar[bool] = False

    def parse(self, state: State, request: Request, text: str) -> Standing:
        """Read changes."""
        return standing.finish(sheets.desk_of(state, request.seat), text)

    def format(self, answer: Standing) -> str:
        """Write them."""
        return standing.canonical(answer)

    def choices(self, state: State, request: Request, draft: Draft) -> Choices:
        """Every key and value."""
        return standing.choices(sheets.desk_of(state, request.seat), draft)

    def amend(self, state: State, request: Request, draft: Draft, text: str) -> Draft:
        """Put typed lines into the draft."""
        return standing.amend(sheets.desk_of(state, request.seat), draft, text)

    def example(self, state: State, request: Request) -> Mapping[str, Scalar]:
        """With a ship of his own."""
        return samples.example(sheets.desk_of(state, request.seat))

    def default(self, state: State, request: Request) -> Standing:  # noqa: ARG002
        """No change."""
        return Standing()

    def samples(self, state: State, request: Request) -> Sequence[Any]:
        """Some changes."""
        return samples.changes(sheets.desk_of(state, request.seat))


class Deciding(Question[State, Choice]):
    """How a ship defends herself, gets away, or what becomes of a prize (D1 to D3, PRIZE)."""

    kind: ClassVar[str] = "decision"
    """Its requests are of three kinds: `asking.KINDS`."""

    def parse(self, state: State, request: Request, text: str) -> Choice:
        """Read a choice in the words of doctrines."""
        return asking.parse(state.position, _of(request), text)

    def format(self, answer: Choice) -> str:
        """Write it."""
        return answer.choice

    def choices(self, state: State, request: Request, draft: Draft) -> Choices:
        """All that may be chosen; each press is the answer."""
        return asking.choices(state, _of(request), draft.text)

    def default(self, state: State, request: Request) -> Choice:
        """By the doctrine."""
        return asking.default(state, _of(request))

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
    **dict.fromkeys(asking.KINDS.values(), Deciding()),
}
"""By `Request.kind`."""
