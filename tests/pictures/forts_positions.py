"""Positions and player-turns of Naval Battle to be drawn, built by hand."""

from collections.abc import Callable
from random import Random

from msgspec.structs import replace

import render
from rules.core.protocol import Event
from rules.core.view import Text
from rules.forts.engine import boards, fire, sailing
from rules.forts.engine import events as happened
from rules.forts.engine.fire import Blocker
from rules.forts.engine.state import CODES, COLOURS, Ship, Siege
from rules.forts.interface.make_view import position_of
from rules.forts.interface.view import AimedShots, HexView, PlannedLeg


def ship(name: str, label: str, hits: int = 0) -> Ship:
    """A ship by her id, with all her shots."""
    new = Ship(colour="white" if name[0] == "w" else "red", code=name[1:], hex=label, hits=hits)
    return replace(new, shots=new.ship_class.shots)


def view_of(ships, **fields) -> HexView:
    base = {
        "seat": None,
        "round": 9,
        "phase": Text("phase.sailing"),
        "pieces": (),
        "board": boards.TWO_FORTS,
        "colours": ("white", "red"),
        "white": "west",
        "active": "white",
        "wind": "wind",
        "siege": None,
        "quiet_turns": 0,
        "turn_limit": 60,
        "flagships": ("BB", "BB"),
        "ships": tuple(ships),
        "sunk": (),
    }
    return HexView(**{**base, **fields})


def fleets(seed: int, board: boards.Board = boards.TWO_FORTS) -> tuple[Ship, ...]:
    """All eight ships on random hexes, more or less hit."""
    chance = Random(seed)
    spots = chance.sample(sorted(boards.sea_hexes(board).values()), 8)
    names = [f"{colour[0]}{code}" for colour in COLOURS for code in CODES]
    return tuple(ship(name, label, chance.randint(0, 2)) for name, label in zip(names, spots, strict=True))


def afloat() -> tuple[Ship, ...]:
    """A siege in the east, and lines of every kind in the west."""
    return (
        ship("wBB", "R6", 2),
        ship("wGA", "G5"),
        ship("wFR", "E3"),
        ship("wBR", "E6", 1),
        ship("rBB", "I5"),
        ship("rGA", "E8", 3),
        ship("rFR", "G3", 1),
    )


def a_turn() -> tuple[HexView, tuple[Event, ...]]:
    """A whole player-turn, with at least one of every event but those of beginnings and endings."""
    land = (Blocker(hex="E7", kind="land"),)
    lost = ship("rBR", "S8", 3)
    before = {each.id: each for each in (*afloat(), replace(lost, hits=2))}
    before["wBB"] = replace(before["wBB"], hex="Q9")
    before["rGA"], before["rFR"] = replace(before["rGA"], hits=2), replace(before["rFR"], hits=0)
    events = (
        happened.TurnBegan(turn=9, seat=0, colour="white", ships=tuple(before.values())),
        happened.WindRolled(turn=9, seat=0, colour="white", die=5, wind="wind"),
        happened.PlanStored(seat=0, plan="any: BB>R6"),
        happened.PlanRun(seat=0, plan="any: BB>R6"),
        happened.ShotFired(
            by="wBR",
            to="rGA",
            start="E6",
            end="E8",
            distance=2,
            plunging=True,
            need=5,
            die=5,
            hit=True,
            left=1,
            blockers=land,
        ),
        _shot("wGA", "rFR", "G5", "G3", die=2, left=4),
        _shot("wGA", "rFR", "G5", "G3", die=6, left=3),
        happened.ShipMoved(ship="wFR", start="E3", end="E4", path=("E3", "E4"), steps=1),
        happened.MoveUndone(ship="wFR", start="E4", end="E3"),
        happened.ShipMoved(ship="wBB", start="Q9", end="R7", path=("Q9", "Q8", "R7"), steps=2),
        _shot("wBB", "rBR", "R7", "S8", die=4, left=0),
        happened.ShipSunk(ship="rBR", by="wBB", hex="S8", flagship=False),
        happened.ShipMoved(ship="wBB", start="R7", end="R6", path=("R7", "R6"), steps=1),
        happened.ActionSkipped(action="FR>Z9", reason="no_such_hex"),
        happened.SiegeOpened(by="wBB", fort="east", hex="R6"),
        happened.TurnEnded(turn=9, seat=0, cause="captain"),
    )
    return view_of(afloat(), sunk=(lost,), siege=Siege("white", 9)), events


def _shot(by: str, to: str, start: str, end: str, *, die: int, left: int) -> happened.ShotFired:
    return happened.ShotFired(
        by=by, to=to, start=start, end=end, distance=2, plunging=False, need=3, die=die, hit=die >= 3, left=left
    )


def ceremonies() -> tuple[Event, ...]:
    """The events that are not of a player-turn, and what there is to say of one in which nothing was done."""
    first = ship("wBB", "D5")
    return (
        happened.ColoursDrawn(white=0, red=1, west=0, east=1, colour_die=2, fort_die=5),
        happened.FlagshipNamed(seat=0, colour="white", code="BB"),
        happened.FleetPlaced(seat=0, colour="white", ships=(first,)),
        happened.TurnIdle(turn=8, seat=1, colour="red", die=0, wind="calm"),
        happened.FortCaptured(by="wBB", fort="east", hex="R6"),
        happened.BattleScored(white=9, red=7, reason="turns"),
        happened.CaptainConceded(seat=1),
        happened.WinClaimed(seat=0),
        happened.BattleWon(colour="white", seat=0),
        happened.BattleDrawn(reason="score"),
    )


def ordering(current: str | None = "wGA", ships: tuple[Ship, ...] | None = None) -> HexView:
    """Return White's view in White's player-turn, with one ship in hand."""
    view = view_of(afloat() if ships is None else ships, seat=0, current_ship=current)
    position = position_of(view)
    mine = [each for each in view.ships if each.colour == "white"]
    return replace(
        view,
        reaches=tuple(sailing.current_reach(position, each) for each in mine),
        fire_lines=tuple(line for each in mine for line in fire.fire_lines(position, each)),
    )


def planning() -> HexView:
    """Return Red's view while Red writes a plan."""
    return view_of(
        afloat(),
        seat=1,
        legs=(PlannedLeg(ship="rGA", start="E8", end="F9"),),
        aims=(AimedShots(by="rGA", to="wBR", start="F9", end="E6"),),
    )


def placing() -> HexView:
    """Return White's view while White places ships."""
    ships = [ship(f"w{code}", label) for code, label in zip(CODES, boards.TWO_FORTS.west.start, strict=True)]
    return view_of(ships, seat=0, round=0, active=None, wind=None, start_hexes=boards.TWO_FORTS.west.start)


def stills(draw: Callable[..., render.Picture]) -> dict[str, Callable[[], render.Picture]]:
    view, events = a_turn()
    return {
        "chart": lambda: draw(view, caption="9"),
        "chart after a turn": lambda: draw(view, events, caption="9"),
        "chart, shots": lambda: draw(view, events, kind="volley", crop="action"),
        "chart, turn": lambda: draw(view, events, kind="round", crop="action"),
        "chart, orders": lambda: draw(ordering(), kind="plan", crop="action"),
    }


def goldens(draw: Callable[..., render.Picture]) -> dict[str, render.Picture]:
    view, events = a_turn()
    return {
        "chart": draw(view, events, caption="9. lépés: szél"),
        "chart-orders": draw(ordering(), kind="plan", caption="GA>", crop="action"),
    }
