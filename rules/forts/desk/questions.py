"""What captains are asked, a class a kind: flagship, start hexes, plan, and what they do in their player-turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from rules.errors import Scalar
from rules.forts.desk import make_view, orders, placing, plans, samples
from rules.forts.table.state import Answer, Flagship, Pass, Placement, Plan, RunPlan, State
from rules.protocol import Choices, Draft, Request
from rules.ruleset import Question


class Naming(Question[State, Flagship]):
    """Which ship leads (NB-02.3)."""

    kind: ClassVar[str] = "flagship"

    def parse(self, state: State, request: Request, text: str) -> Flagship:  # noqa: ARG002
        """Read a class of ship."""
        return placing.read_flagship(text)

    def format(self, answer: Flagship) -> str:
        """Write it."""
        return answer.code

    def choices(self, state: State, request: Request, draft: Draft) -> Choices:  # noqa: ARG002
        """The captain's ships."""
        return placing.flagship_choices(make_view.flagship_of(draft.text))

    def default(self, state: State, request: Request) -> Flagship:  # noqa: ARG002
        """The one that is proposed."""
        return placing.read_flagship("")

    def samples(self, state: State, request: Request) -> Sequence[Answer]:  # noqa: ARG002
        """Each of them."""
        return samples.flagships()


class Berthing(Question[State, Placement]):
    """Where the ships begin (NB-02.2)."""

    kind: ClassVar[str] = "berths"

    def parse(self, state: State, request: Request, text: str) -> Placement:
        """Read a placement; ships that it leaves out have what is left."""
        berths = placing.harbour(state, state.colour(request.seat))
        return placing.amend(berths, placing.proposal(berths), text)

    def format(self, answer: Placement) -> str:
        """Write it."""
        return placing.write(answer)

    def choices(self, state: State, request: Request, draft: Draft) -> Choices:
        """The start hexes of each ship."""
        colour = state.colour(request.seat)
        return placing.placement_choices(
            placing.harbour(state, colour), make_view.placement_of(state, colour, draft.text)
        )

    def amend(self, state: State, request: Request, draft: Draft, text: str) -> Draft:
        """Put typed text into the draft."""
        colour = state.colour(request.seat)
        before = make_view.placement_of(state, colour, draft.text)
        return Draft(placing.write(placing.amend(placing.harbour(state, colour), before, text)))

    def example(self, state: State, request: Request) -> Mapping[str, Scalar]:
        """The places that are proposed."""
        return {"places": placing.write(self.default(state, request))}

    def default(self, state: State, request: Request) -> Placement:
        """The one that is proposed."""
        return placing.proposal(placing.harbour(state, state.colour(request.seat)))

    def samples(self, state: State, request: Request) -> Sequence[Answer]:
        """Some placements."""
        return samples.placements(state, state.colour(request.seat))


class Planning(Question[State, Plan]):
    """What is left for the next player-turn (NB part 8)."""

    kind: ClassVar[str] = "plan"

    def parse(self, state: State, request: Request, text: str) -> Plan:  # noqa: ARG002
        """Read a complete plan."""
        return plans.finish(text, state.position.board)

    def format(self, answer: Plan) -> str:
        """Write it."""
        return plans.write(answer)

    def choices(self, state: State, request: Request, draft: Draft) -> Choices:
        """What may be added to the plan."""
        return plans.choices(state, state.colour(request.seat), draft.text)

    def amend(self, state: State, request: Request, draft: Draft, text: str) -> Draft:  # noqa: ARG002
        """Read typed text as a plan, which takes the draft's place."""
        return Draft(plans.write_draft(plans.amend(text, state.position.board)))

    def example(self, state: State, request: Request) -> Mapping[str, Scalar]:
        """A shot of his own ship at one of the enemy's."""
        return {"orders": samples.shot_to_come(state.position, state.colour(request.seat))}

    def default(self, state: State, request: Request) -> Plan:
        """The plan that is stored."""
        return state.plan(state.colour(request.seat))

    def samples(self, state: State, request: Request) -> Sequence[Answer]:
        """Some plans."""
        return samples.plans(state, state.colour(request.seat))


class Sailing(Question[State, Answer]):
    """What the active captain does, one thing after another (NB part 8)."""

    kind: ClassVar[str] = "act"

    def parse(self, state: State, request: Request, text: str) -> Answer:  # noqa: ARG002
        """Read what can be done now."""
        return orders.parse(state, text)

    def format(self, answer: Answer) -> str:
        """Write it."""
        return orders.write(answer)  # type: ignore[arg-type] # `parse` gives nothing else

    def choices(self, state: State, request: Request, draft: Draft) -> Choices:  # noqa: ARG002
        """The captain's ships, and what the chosen one may do."""
        return orders.choices(state, draft)

    def amend(self, state: State, request: Request, draft: Draft, text: str) -> Draft:  # noqa: ARG002
        """Read typed text: a ship, or what is to be done; it takes the draft's place."""
        return orders.amend(state, text)

    def example(self, state: State, request: Request) -> Mapping[str, Scalar]:  # noqa: ARG002
        """What can be done now: a move and a shot, as far as there are any."""
        return {"orders": samples.now(state)}

    def default(self, state: State, request: Request) -> Answer | None:
        """The stored plan, or else nothing or the computer's (NB part 2)."""
        if state.plan(state.colour(request.seat)).blocks:
            return RunPlan()
        return Pass() if state.missed == "hold" else None

    def samples(self, state: State, request: Request) -> Sequence[Answer]:  # noqa: ARG002
        """Some orders."""
        return samples.orders(state)


_ALL: tuple[Question[State, Any], ...] = (Naming(), Berthing(), Planning(), Sailing())
QUESTIONS = {one.kind: one for one in _ALL}
"""By `Request.kind`."""
