"""Tables of the rulebook, from the values that the engine reads."""

from __future__ import annotations

from collections.abc import Mapping

from rules.core.rulebook import Cell, RuleTable
from rules.core.view import Text
from rules.matchbox.engine import contact, kept, points, scenarios, sea, volley
from rules.matchbox.engine.kinds import GALLEY, KINDS, VesselKind
from rules.matchbox.engine.notation import format_number
from rules.matchbox.engine.points import VesselBuild
from rules.matchbox.engine.state import MATCH_MM, PROMOTION_LETTERS
from rules.matchbox.engine.terrain import LAND_KINDS
from rules.matchbox.interface.opening import FITTING_TABLES


def make_rule_tables() -> Mapping[str, RuleTable]:
    return {
        "tables": _tables(),
        "types": _table("type", "oars", "masts", rows=[(_type_of(*build), *build) for build in _builds(GALLEY)]),
        "rams": _table(
            "ram", "damage", rows=[(Text(f"rule_table.ram.{ram}"), n) for ram, n in contact.BASE_DAMAGE.items()]
        ),
        "ranges": _ranges(),
        "vessels": _vessels(),
        "prices": _prices(),
        "xp": _table("promotion", "xp", rows=[(f"{number}.", xp) for number, xp in enumerate(kept.PROMOTION_XP, 1)]),
        "promotions": _table(
            "letter", "promotion", rows=[(letter, Text(f"promotion.{letter}")) for letter in PROMOTION_LETTERS]
        ),
        "maps": _maps(),
        "scenarios": _scenarios(),
    }


def _table(*headings: str, rows: list[tuple[Cell, ...]]) -> RuleTable:
    return RuleTable(columns=tuple(Text(f"rule_table.{heading}") for heading in headings), rows=tuple(rows))


def _builds(kind: VesselKind) -> list[tuple[int, int]]:  # oars a side and masts
    return list(kind.masts_by_holes.items())


def _type_of(holes: int, masts: int) -> str:
    return f"{holes}/{masts}"


def _tables() -> RuleTable:
    most_galleys = dict(FITTING_TABLES)
    rows: list[tuple[Cell, ...]] = [
        (
            Text(f"rule_table.table.{name}"),
            f"{format_number(table.width_mm)} × {format_number(table.height_mm)}",
            str(most_galleys.get(name, f"> {max(most_galleys.values())}")),
        )
        for name, table in sea.TABLE_BY_NAME.items()
    ]
    return _table("table", "size_mm", "fits", rows=rows)


def _ranges() -> RuleTable:
    masts_of_galleys = sorted(range(1, max(GALLEY.masts_by_holes.values()) + 1))
    reaches_mm = [number * MATCH_MM for number in range(1, round(volley.RANGE_MM / MATCH_MM) + 1)]
    return RuleTable(
        columns=(Text("rule_table.gap_mm"), *(Text("rule_table.by_masts", {"masts": n}) for n in masts_of_galleys)),
        rows=tuple(
            (format_number(reach_mm), *(volley.matches_at(masts, reach_mm) for masts in masts_of_galleys))
            for reach_mm in reaches_mm
        ),
    )


def _vessels() -> RuleTable:
    rows: list[tuple[Cell, ...]] = [
        (
            Text(f"rule_table.kind.{name}"),
            ", ".join(f"{holes}{kind.letter}" for holes in kind.masts_by_holes),
            ", ".join(f"{holes}+{masts}" for holes, masts in _builds(kind)),
            f"{format_number(kind.length_mm)} × {format_number(kind.width_mm)}",
            format_number(kind.move_mm),
            f"{format_number(kind.turn_deg)}°",
            kind.max_moves,
            _ram_of(kind),
            Text(f"rule_table.draught.{kind.draught}"),
            format_number(kind.clearance_mm),
        )
        for name, kind in KINDS.items()
    ]
    return _table(
        "vessel", "typed", "crew", "hull_mm", "move_mm", "turn", "moves", "bow", "draught", "clearance_mm", rows=rows
    )


def _ram_of(kind: VesselKind) -> Cell:
    if kind.bow != "ram":
        return Text(f"rule_table.bow.{kind.bow}")
    return f"{kind.ram_bonus:+d}".replace("+0", "±0").replace("-", "−")


def _prices() -> RuleTable:
    builds = [VesselBuild(name, holes) for name, kind in KINDS.items() for holes in kind.masts_by_holes]
    rows: list[tuple[Cell, ...]] = [
        (points.build_name(build), points.build_cost(build), points.build_cost(build, boarding=True))
        for build in builds
    ]
    return _table("vessel", "points", "points_boarding", rows=rows)


def _maps() -> RuleTable:
    rows: list[tuple[Cell, ...]] = []
    for name, mapped in sea.load_maps().items():
        table = next(key for key, plain in sea.TABLE_BY_NAME.items() if plain.size_mm == mapped.size_mm)
        counts = [sum(piece.kind == kind for piece in mapped.land) for kind in LAND_KINDS]
        rows.append((Text(f"rule_table.map.{name}"), Text(f"rule_table.table.{table}"), *counts))
    return _table("map", "table", *(f"land.{kind}" for kind in LAND_KINDS), rows=rows)


def _scenarios() -> RuleTable:
    rows: list[tuple[Cell, ...]] = [
        (
            Text(f"rule_table.scenario.{title}"),
            Text(f"rule_table.map.{scenario.map}"),
            scenario.rounds,
            Text("rule_table.fleet", {"vessels": points.fleet_names(scenario.south)}),
            Text("rule_table.fleet", {"vessels": points.fleet_names(scenario.north)}),
            scenario.winning_score,
        )
        for title, scenario in scenarios.SCENARIOS.items()
    ]
    return _table("scenario", "map", "rounds", "south", "north", "goal", rows=rows)
