"""The selected ship: her line, and the position when all who act before her have acted."""

from __future__ import annotations

from functools import cached_property

from msgspec import structs

from rules.squadrons.engine.notation.orders import OrderLine, OrderStep
from rules.squadrons.engine.phases.activation import activation
from rules.squadrons.engine.phases.movement import moves
from rules.squadrons.engine.sea.state import Position, Ship
from rules.squadrons.interface.drafts import sheets, squadron_orders
from rules.squadrons.interface.drafts.answers import SheetLine
from rules.squadrons.interface.drafts.sheets import OrderContext, OrderDraft
from rules.squadrons.interface.preview import track_preview
from rules.squadrons.interface.preview.track_preview import LineWalk


class ShipInHand:
    def __init__(self, context: OrderContext, draft: OrderDraft) -> None:
        self.context, self.draft, self.name = context, draft, draft.focus
        speeds = {} if context.fixed_squadrons else sheets.speeds_of_sheet(context, draft.sheet)
        self.start = track_preview.with_speeds(context.position, speeds)
        self.lines = squadron_orders.sort_lines(context, draft.sheet, sheets.lines_of_sheet(context, draft.sheet))
        self.line = next((line for line in self.lines if line.ship == self.name), OrderLine(self.name))

    @cached_property
    def position_before(self) -> Position:
        before = self.lines[: self.lines.index(self.line)] if self.line in self.lines else self.lines
        return track_preview.planned_tracks(self.start, before)[1]

    @property
    def ship_before(self) -> Ship:
        return self.position_before.ship_by_id(self.name)

    @property
    def is_adding_else(self) -> bool:
        return self.line.alternative is not None

    def walk_line(self, line: OrderLine | None = None) -> LineWalk:
        """Return where a line leads, by default hers, up to the end of its `else` branch."""
        return track_preview.walk_line(self.position_before, line or self.line)

    def points_left(self, line: OrderLine | None = None) -> int:
        examined = line or self.line
        return moves.max_announced(self.position_before, self.ship_before, examined) - activation.line_cost(
            self.position_before, self.ship_before, examined
        )

    def with_line(self, line: OrderLine) -> OrderDraft:
        return sheets.with_line(self.draft, SheetLine(self.name, structs.replace(line, mp=None)))

    def with_steps(self, *more: OrderStep) -> OrderDraft:
        return self.with_branch((*self.current_branch, *more))

    def with_only(self, *steps: OrderStep) -> OrderDraft:
        return self.with_line(OrderLine(self.name, steps))

    @property
    def current_branch(self) -> tuple[OrderStep, ...]:
        return self.line.steps if self.line.alternative is None else self.line.alternative

    def with_branch(self, steps: tuple[OrderStep, ...]) -> OrderDraft:
        if self.line.alternative is None:
            return self.with_line(structs.replace(self.line, steps=steps))
        return self.with_line(structs.replace(self.line, alternative=steps))

    def without_last_step(self) -> OrderDraft:
        line = self.line
        if line.alternative is not None:
            return self.with_line(structs.replace(line, alternative=line.alternative[:-1] or None))
        if len(line.steps) > 1:
            return self.with_line(structs.replace(line, steps=line.steps[:-1]))
        return sheets.without_line(self.draft, self.name)
