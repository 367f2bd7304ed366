"""What captains of the toy game are asked: the wind, orders, and how a fight has ended."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, ClassVar

import msgspec
from msgspec import structs

from rules.errors import IllegalOrder, UnreadableOrder
from rules.protocol import Choices, Draft, Group, Option, Report, Request
from rules.ruleset import Question
from rules.view import Text
from tests.toygame.rules.state import Line, Orders, Ship, State, Wind

MOST_TEXT = 1000
ROW = 20
"""Ships in one group of buttons."""
SHIPS = ("ships_1", "ships_2")
ROWS = {"N": "way_N", "E": "way_E", "S": "way_S", "W": "way_W"}
_LINE = re.compile(r"([A-Z])([0-9]{1,2}) ?([NESW])([1-3])")


class Calling(Question[State, Wind]):
    """The lone captain calls the wind, openly and at once."""

    kind: ClassVar[str] = "wind"

    def parse(self, state: State, request: Request, text: str) -> Wind:
        """Read a wind. Raises `OrderError`."""
        name = text.strip().casefold()
        if name not in ("calm", "breeze"):
            raise UnreadableOrder("no_wind", piece=text[:40])
        return Wind(name)

    def format(self, answer: Wind) -> str:
        """Write it."""
        return answer.name

    def choices(self, state: State, request: Request, draft: Draft) -> Choices:
        """Both winds: pressing one is the answer."""
        options = [Option(token=one, label=Text(f"wind.{one}"), draft=one, seals=True) for one in ("calm", "breeze")]
        missing = () if draft.text.strip().casefold() in ("calm", "breeze") else (Text("missing.wind"),)
        return Choices(groups=(Group(key="wind", style="buttons", options=tuple(options)),), lines=(), missing=missing)

    def default(self, state: State, request: Request) -> Wind:
        """Calm."""
        return Wind("calm")

    def samples(self, state: State, request: Request) -> Sequence[Any]:
        """Both."""
        return [Wind("calm"), Wind("breeze")]


class Ordering(Question[State, Orders]):
    """A captain orders his ships, in the order in which they sail. Looking at one is no order."""

    kind: ClassVar[str] = "orders"

    def parse(self, state: State, request: Request, text: str) -> Orders:
        """Read orders, each ship named once at most. Raises `OrderError`."""
        return Orders(tuple(_latest(_lines(state, request, text))))

    def format(self, answer: Orders) -> str:
        """Write them; none: `hold`."""
        return "; ".join(f"{line.ship} {line.way}{line.steps}" for line in answer.lines) or "hold"

    def amend(self, state: State, request: Request, draft: Draft, text: str) -> Draft:
        """Add orders below those that there are; one for a ship that has one takes its place, at the end."""
        lines = _lines(state, request, text)
        return Draft(self.format(Orders(tuple(_latest([*self._read(state, request, draft), *lines])))), draft.focus)

    def choices(self, state: State, request: Request, draft: Draft) -> Choices:
        """The captain's ships, and the ways of the one at which he looks."""
        own, lines = state.own(request.seat), self._read(state, request, draft)
        focus = next((ship for ship in own if ship.id == draft.focus), own[0] if own else None)
        ordered = {line.ship for line in lines}
        ships = [self._look(ship, draft, ship == focus) for ship in own]
        groups = [(key, ships[at : at + ROW]) for key, at in zip(SHIPS, range(0, len(ships), ROW), strict=False)]
        if focus:
            groups += [(key, self._ways(state, lines, focus, way)) for way, key in ROWS.items()]
        clear = Option(token="clear", label=Text("choice.clear"), draft="hold", focus=draft.focus, chosen=not lines)
        groups.append(("all", [clear]))
        return Choices(
            groups=tuple(Group(key=key, style="buttons", options=tuple(row)) for key, row in groups),
            lines=tuple(Text("line.order", structs.asdict(line)) for line in lines),
            progress=Text("progress.orders", {"ordered": len(ordered), "ships": len(own)}),
        )

    def default(self, state: State, request: Request) -> Orders:
        """All hold."""
        return Orders()

    def samples(self, state: State, request: Request) -> Sequence[Any]:
        """None, all in one way, and all in another, the last ship first."""
        ids = [ship.id for ship in state.own(request.seat)]
        return [
            Orders(),
            Orders(tuple(Line(ship, "N", 1) for ship in ids)),
            Orders(tuple(Line(ship, "W" if request.seat == len(state.teams) - 1 else "E", 3) for ship in ids[::-1])),
        ]

    def _read(self, state: State, request: Request, draft: Draft) -> list[Line]:
        try:
            return _latest(_lines(state, request, draft.text))
        except (UnreadableOrder, IllegalOrder):
            return []

    def _look(self, ship: Ship, draft: Draft, seen: bool) -> Option:
        return Option(
            token=f"look.{ship.id}",
            label=Text("choice.ship", {"ship": ship.id}),
            draft=draft.text,
            focus=ship.id,
            chosen=seen,
        )

    def _ways(self, state: State, lines: list[Line], ship: Ship, way: Any) -> list[Option]:
        return [self._order(state, lines, ship, way, steps) for steps in (1, 2, 3)]

    def _order(self, state: State, lines: list[Line], ship: Ship, way: Any, steps: Any) -> Option:
        line = Line(ship.id, way, steps)
        barred = ship.way(way, 0.5, state.land) < 0.5
        fault = IllegalOrder("on_land", "TG-2", piece=f"{ship.id} {way}{steps}").fault if barred else None
        return Option(
            token=f"go.{way}{steps}",
            label=Text("choice.way", {"way": way, "steps": steps}),
            draft=self.format(Orders(tuple(_latest([*lines, line])))),
            focus=ship.id,
            fault=fault,
            chosen=line in lines,
        )


def _lines(state: State, request: Request, text: str) -> list[Line]:
    if len(text) > MOST_TEXT:
        raise UnreadableOrder("text_too_long", piece=text[:40], most=MOST_TEXT, length=len(text))
    own = {ship.id for ship in state.own(request.seat)}
    found = []
    for piece in filter(None, (" ".join(part.split()) for part in re.split("[;,\n]", text.upper()))):
        read = _LINE.fullmatch(piece)
        if piece == "HOLD":
            continue
        if not read:
            raise UnreadableOrder("no_order", piece=piece[:40])
        line = Line(f"{read[1]}{int(read[2])}", read[3], int(read[4]))  # type: ignore[arg-type]
        if line.ship not in own:
            raise IllegalOrder("not_yours", "TG-1", piece=piece)
        found.append(line)
    return found


def _latest(lines: Sequence[Line]) -> list[Line]:
    """Of several orders to one ship the last, where it stands."""
    return [line for at, line in enumerate(lines) if line.ship not in {later.ship for later in lines[at + 1 :]}]


class Fighting(Question[State, Report]):
    """How a fight has ended that was played as a game of its own: no captain answers this."""

    kind: ClassVar[str] = "fight"

    def parse(self, state: State, request: Request, text: str) -> Report:
        """Read a report. Raises `OrderError`."""
        try:
            return msgspec.json.decode(text, type=Report)
        except msgspec.MsgspecError as wrong:
            raise UnreadableOrder("bad_json", piece=request.id, expected=str(wrong)[:200]) from wrong

    def format(self, answer: Report) -> str:
        """Write it."""
        return msgspec.json.encode(answer).decode()

    def choices(self, state: State, request: Request, draft: Draft) -> Choices:
        """Nothing: nobody is asked."""
        return Choices(groups=(), lines=())

    def default(self, state: State, request: Request) -> Report:
        """Nobody has won."""
        return Report(digest="", winners=(), ending="")

    def samples(self, state: State, request: Request) -> Sequence[Any]:
        """Either wins, or neither."""
        return [Report(digest="", winners=winners, ending="") for winners in ((), (0,), (1,))]


QUESTIONS = {one.kind: one for one in (Calling(), Ordering(), Fighting())}
