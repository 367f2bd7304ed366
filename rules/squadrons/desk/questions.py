"""What captains are asked, a class a kind: a turn's sheet, one squadron's orders, a choice in the middle of a turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from rules.errors import Scalar
from rules.protocol import Choices, Draft, Request
from rules.ruleset import Question
from rules.squadrons.desk import samples
from rules.squadrons.desk.drafts import alternate_choices, deployments, interrupts, rosters, sheets
from rules.squadrons.desk.drafts.answers import Activation, Choice, Deployment, Roster, Sheet
from rules.squadrons.desk.drafts.deployments import DeploymentContext
from rules.squadrons.desk.drafts.rosters import RosterContext
from rules.squadrons.desk.panels import activation_panel, sheet_panel
from rules.squadrons.table.notation.orders import Doctrines
from rules.squadrons.table.sea.state import State
from rules.view import Text


class Ordering(Question[State, Sheet]):
    """The sealed sheet of a turn (SQ 9.2)."""

    kind: ClassVar[str] = "orders"
    kept: ClassVar[bool] = True
    """It may hold doctrines (SQ 9.4)."""

    def parse(self, state: State, request: Request, text: str) -> Sheet:
        """Read a whole sheet."""
        return sheets.finish(sheets.order_context(state, request.seat), text)

    def format(self, answer: Sheet) -> str:
        """Write it."""
        return sheets.canonical(answer)

    def choices(self, state: State, request: Request, draft: Draft) -> Choices:
        """What may be pressed for whom it concerns, and for all."""
        context = sheets.order_context(state, request.seat)
        return sheet_panel.choices(context, sheets.read(context, draft))

    def amend(self, state: State, request: Request, draft: Draft, text: str) -> Draft:
        """Put typed lines into the draft."""
        context = sheets.order_context(state, request.seat)
        return sheets.write(sheets.amend(context, sheets.read(context, draft), text))

    def warnings(self, state: State, request: Request, draft: Draft) -> tuple[Text, ...]:
        """Every line that would stop as things stand."""
        context = sheets.order_context(state, request.seat)
        return sheet_panel.warnings(context, sheets.read(context, draft))

    def example(self, state: State, request: Request) -> Mapping[str, Scalar]:
        """A ship of his own, and an enemy."""
        return _example(state, request)

    def default(self, state: State, request: Request) -> Sheet | None:
        """All stay, by their doctrines; or the computer's."""
        del request
        return Sheet(absent=True) if state.missed == "hold" else None

    def samples(self, state: State, request: Request) -> Sequence[Any]:
        """Sheets of every temper."""
        return samples.sheets_for(sheets.order_context(state, request.seat))


class Acting(Question[State, Activation]):
    """One squadron's orders, when it acts (D-7, D-9)."""

    kind: ClassVar[str] = "act"

    def parse(self, state: State, request: Request, text: str) -> Activation:
        """Read the squadron and its orders."""
        return activation_panel.finish(state, request.seat, text)

    def format(self, answer: Activation) -> str:
        """Write them."""
        return activation_panel.canonical(answer)

    def choices(self, state: State, request: Request, draft: Draft) -> Choices:
        """Which squadron; then as in a sheet."""
        return activation_panel.choices(state, request.seat, draft)

    def amend(self, state: State, request: Request, draft: Draft, text: str) -> Draft:
        """Put typed lines into the draft."""
        return activation_panel.amend(state, request.seat, draft, text)

    def warnings(self, state: State, request: Request, draft: Draft) -> tuple[Text, ...]:
        """Every line that would stop as things stand."""
        return activation_panel.warnings(state, request.seat, draft)

    def example(self, state: State, request: Request) -> Mapping[str, Scalar]:
        """A ship of his own, and an enemy."""
        return _example(state, request)

    def default(self, state: State, request: Request) -> Activation | None:
        """The next squadron does nothing; or the computer's orders."""
        return activation_panel.still(state, request.seat) if state.missed == "hold" else None

    def samples(self, state: State, request: Request) -> Sequence[Any]:
        """Each squadron that may act, with orders of every temper."""
        return samples.activations_for(state, request.seat)


class Choosing(Question[State, Choice]):
    """What is decided in the middle of a turn (D-5, D-10, D-13)."""

    kind: ClassVar[str] = "choice"
    """Its requests are of the kinds of `asking.KINDS`, and `form` (D-4)."""

    def parse(self, state: State, request: Request, text: str) -> Choice:  # noqa: ARG002 - the request says all
        """Read a choice."""
        return interrupts.parse(request, text)

    def format(self, answer: Choice) -> str:
        """Write it."""
        return answer.choice

    def choices(self, state: State, request: Request, draft: Draft) -> Choices:  # noqa: ARG002 - the request says all
        """All that may be chosen; each press is the answer."""
        return interrupts.choices(request, draft.text)

    def default(self, state: State, request: Request) -> Choice:  # noqa: ARG002 - the request says all
        """As doctrines do by default."""
        return interrupts.default(request)

    def samples(self, state: State, request: Request) -> Sequence[Any]:  # noqa: ARG002 - the request says all
        """Every choice."""
        return tuple(Choice(value) for value in interrupts.offered(request))


class Pacing(Question[State, Choice]):
    """How fast the ships of one squadron row (D-6)."""

    kind: ClassVar[str] = "pace"

    def parse(self, state: State, request: Request, text: str) -> Choice:  # noqa: ARG002 - the request says all
        """Read the speed of all, then of single ships."""
        return alternate_choices.read_speeds(request, text)

    def format(self, answer: Choice) -> str:
        """Write it."""
        return answer.choice

    def choices(self, state: State, request: Request, draft: Draft) -> Choices:  # noqa: ARG002 - the request says all
        """One speed for all."""
        return alternate_choices.speed_choices(request, draft.text)

    def example(self, state: State, request: Request) -> Mapping[str, Scalar]:  # noqa: ARG002 - the request says all
        """A ship of the squadron."""
        return {"ship": str(request.params["ships"]).split(" ")[0]}

    def default(self, state: State, request: Request) -> Choice:
        """As its captain's doctrine says, else at cruise (D-6)."""
        doctrine = Doctrines(state.doctrines["BR".index(state.captains[request.seat].side)].lines)
        wish = doctrine.find("speed", state.captains[request.seat].side)
        return Choice("M" if wish == "max" else "C")

    def samples(self, state: State, request: Request) -> Sequence[Any]:  # noqa: ARG002 - the request says all
        """Both speeds, and one of each."""
        ship = str(request.params["ships"]).split(" ")[0]
        return (Choice("C"), Choice("M"), Choice(f"M; {ship} C"))


class Building(Question[State, Roster]):
    """A fleet by points (D-1)."""

    kind: ClassVar[str] = "fleet"

    def parse(self, state: State, request: Request, text: str) -> Roster:
        """Read a whole fleet."""
        return rosters.finish(_yard(state, request), text)

    def format(self, answer: Roster) -> str:
        """Write it."""
        return rosters.write(answer)

    def choices(self, state: State, request: Request, draft: Draft) -> Choices:
        """A class more or less, the Admiral, and what it costs."""
        context = _yard(state, request)
        return rosters.choices(context, rosters.read(context, draft), draft.focus)

    def amend(self, state: State, request: Request, draft: Draft, text: str) -> Draft:
        """Put typed ships into the draft."""
        context = _yard(state, request)
        return Draft(rosters.write(rosters.amend(context, rosters.read(context, draft), text)), draft.focus)

    def default(self, state: State, request: Request) -> Roster:  # noqa: ARG002 - all are asked for the same points
        """The stock fleet (D-1)."""
        return rosters.stock(str(state.points))

    def samples(self, state: State, request: Request) -> Sequence[Any]:
        """Fleets of every temper."""
        return samples.rosters_for(_yard(state, request))


class Placing(Question[State, Deployment]):
    """Where a fleet begins (D-2, D-3)."""

    kind: ClassVar[str] = "place"

    def parse(self, state: State, request: Request, text: str) -> Deployment:
        """Read a whole deployment."""
        return deployments.finish(_chart(state, request), text)

    def format(self, answer: Deployment) -> str:
        """Write it."""
        return deployments.write(answer)

    def choices(self, state: State, request: Request, draft: Draft) -> Choices:
        """Formations, and single ships as exceptions."""
        context = _chart(state, request)
        return deployments.choices(context, deployments.read(context, draft), draft.focus)

    def amend(self, state: State, request: Request, draft: Draft, text: str) -> Draft:
        """Put typed places into the draft."""
        context = _chart(state, request)
        after = deployments.amend(context, deployments.read(context, draft), text)
        return Draft(deployments.write(deployments.answer(after)), draft.focus)

    def example(self, state: State, request: Request) -> Mapping[str, Scalar]:
        """A place of a ship of his own."""
        name, place = self.default(state, request).places[0]
        return {"ship": name, "hex": place[:4], "facing": place[4:]}

    def default(self, state: State, request: Request) -> Deployment:
        """Line abreast (D-2)."""
        return deployments.finish(_chart(state, request), "")

    def samples(self, state: State, request: Request) -> Sequence[Any]:
        """Every formation."""
        return samples.deployments_for(_chart(state, request))


def _yard(state: State, request: Request) -> RosterContext:
    return rosters.roster_context(state, state.captains[request.seat].side)


def _chart(state: State, request: Request) -> DeploymentContext:
    return deployments.deployment_context(state, state.captains[request.seat].side)


def _example(state: State, request: Request) -> Mapping[str, Scalar]:
    context = sheets.order_context(state, request.seat)
    enemies = [ship.id for ship in state.position.ships if ship.afloat and ship.side != context.side]
    own = context.ids()
    return {
        "ship": own[0] if own else "B1",
        "other": own[-1] if own else "B2",
        "enemy": enemies[0] if enemies else "R1",
    }


QUESTIONS: dict[str, Question[State, Any]] = {
    "fleet": Building(),
    "place": Placing(),
    "orders": Ordering(),
    "act": Acting(),
    "pace": Pacing(),
    "form": Choosing(),
    **dict.fromkeys(interrupts.KINDS.values(), Choosing()),
}
"""By `Request.kind`."""
