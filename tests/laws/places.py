"""Where ships and places lie on the map of each game, for checks that do not trust the painters."""

from collections.abc import Iterable

from render.forts.marks import hex_of_label
from render.ramspeed.marks import ship_corners
from render.seas.hexmap import hex_outline
from rules.core.view import View
from rules.forts.engine.boards import all_hexes
from rules.forts.interface.view import HexView
from rules.matchbox.engine.hull import hull_corners
from rules.matchbox.interface.view import TableView
from rules.ramspeed.interface.view import SeaView, pose_of
from rules.squadrons.interface.preview.view import FleetView

Points = Iterable[tuple[float, float]]


def points_of(view: View, name: str) -> Points | None:
    """Return the outline of a ship or hex in the map's unit; None if there is none of this name.

    In Naval Battle a class such as `BR` names the viewer's own ship.
    """
    match view:
        case TableView():
            return next((hull_corners(ship.pose, ship.kind) for ship in view.galleys if ship.id == name), None)
        case SeaView():
            ships = (ship for ship in view.position.ships if ship.is_afloat and ship.id == name)
            return next((ship_corners(ship.code, pose_of(ship)) for ship in ships), None)
        case FleetView():
            ship = view.position.ships_by_id.get(name)
            return [at for here in ship.hexes for at in hex_outline(here)] if ship and ship.is_afloat else None
        case HexView():
            colour = None if view.seat is None else view.colours[view.seat]
            own_hexes = {ship.code: ship.hex for ship in view.ships if ship.colour == colour}
            label = own_hexes.get(name, name)
            return hex_outline(hex_of_label(label)) if label in all_hexes(view.board) else None
    return None


def current_ship(view: View) -> str:
    """Return the name of the ship whose orders are chosen; empty: none."""
    match view:
        case TableView():
            return view.current_galley
        case SeaView():
            return view.current_ship or ""
        case FleetView():
            return view.overlay.current_ship or ""
        case HexView():
            return (view.current_ship or "")[1:]
    return ""
