"""The tables that the rulebook shows, made from those that the engine reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Final, TypeVar

from rules.core.rulebook import Cell, RuleTable, table_headings
from rules.core.view import Text
from rules.ramspeed.engine.free_battle import SEA, FleetLimits, FleetShip, fitting_fleets
from rules.ramspeed.engine.phases.command import dice_by_obedience
from rules.ramspeed.engine.tables import CLASS_CODES, CLASSES, NATIONS, TABLES, Nation, ShipClass

_NONE: Final = "–"  # a cell without a modifier


def make_rule_tables() -> Mapping[str, RuleTable]:
    return {
        "ships": _by_class(
            ("crew", lambda kind: kind.crew_max),
            ("ahead", lambda kind: _number(kind.fwd)),
            ("astern", lambda kind: _number(kind.back)),
            ("turn", lambda kind: f"{kind.turn}°"),
            ("ram", lambda kind: f"{kind.ram_min:g}–{kind.fwd + kind.ram_bonus:g}"),
            ("swipe", lambda kind: _number(kind.swipe_min)),
            ("fire", lambda kind: kind.burn_limit),
            ("value", lambda kind: kind.value),
        ),
        "hulls": _by_class(
            ("length", lambda kind: _number(kind.length)),
            ("beam", lambda kind: _number(kind.beam)),
            ("taper", lambda kind: _number(kind.taper)),
        ),
        "ram": _results("ram", ("sunk", "stuck", "dead", "immobilised", "glanced"), _ram_limits()),
        "ram_modifiers": _ram_modifiers(),
        "swipe": _swipe(),
        "grapple": _modifiers(
            ("target_larger", TABLES.grapple.target_larger),
            ("target_smaller", TABLES.grapple.target_smaller),
            ("corvus", TABLES.grapple.corvus),
        ),
        "needs": _needs(),
        "command": _command(),
        "casualties": _casualties(),
        "nations": RuleTable(
            columns=table_headings("nation", "ram", "swipe", "melee"),
            rows=tuple((nation_name(nation), *_traits(nation)) for nation in NATIONS),
        ),
        "fleets": RuleTable((Text("table.value"), *map(_fleet_name, SEA.fleets)), _ready_fleets()),
        "zones": RuleTable(table_headings("situation", "fleet", "east", "north"), _zones()),
        "opponents": RuleTable(table_headings("die", "first", "second"), _opponents()),
    }


def nation_name(nation: str) -> Text:
    return Text(f"nation.{nation}")


def _by_class(*columns: tuple[str, Callable[[ShipClass], Cell]]) -> RuleTable:
    return RuleTable(
        columns=table_headings("ship", *(key for key, _ in columns)),
        rows=tuple((Text(f"kind_of.{code}"), *(cell(CLASSES[code]) for _, cell in columns)) for code in CLASS_CODES),
    )


def _number(inches: float) -> int | float:
    return int(inches) if inches == int(inches) else inches


def _signed(modifier: int) -> str:
    return f"{modifier:+d}".replace("-", "−") if modifier else _NONE


def _ram_limits() -> tuple[int, ...]:
    return TABLES.ram.sunk, TABLES.ram.stuck, TABLES.ram.dead, TABLES.ram.immobilised


def _results(kind: str, results: tuple[str, ...], min_totals: tuple[int, ...]) -> RuleTable:
    """Return the range of totals of each result, from the best; the last result is all that is lower."""
    ranges = [f"{min_totals[0]}+"]
    ranges += [f"{low}–{high - 1}" if low < high - 1 else str(low) for high, low in pairwise(min_totals)]
    ranges.append(f"≤{min_totals[-1] - 1}")
    names = (Text(f"table.{kind}.{result}") for result in results)
    return RuleTable(columns=table_headings("total", "result"), rows=tuple(zip(ranges, names, strict=True)))


def _swipe() -> RuleTable:
    """Return the results, then the modifiers."""
    table = TABLES.swipe
    results = _results("swipe", ("bank", "immobilised", "none"), (table.bank, table.immobilised))
    sizes = (("swiper_larger", table.modifiers.larger), ("swiper_smaller", table.modifiers.smaller))
    return RuleTable(results.columns, results.rows + tuple((Text(f"table.if.{key}"), _signed(by)) for key, by in sizes))


def _modifiers(*rows: tuple[str, int]) -> RuleTable:
    cells = tuple((Text(f"table.if.{key}"), _signed(modifier)) for key, modifier in rows)
    return RuleTable(columns=table_headings("if", "modifier"), rows=cells)


def _ram_modifiers() -> RuleTable:
    """Return a column for each class of target, then the modifiers that depend on no class."""
    table = TABLES.ram
    by_class: tuple[tuple[Cell, ...], ...] = tuple(
        (Text(f"kind_of.{code}"), *(_signed(each) for each in table.matrix[code])) for code in CLASS_CODES
    )
    others = (
        (Text("table.if.immobile"), table.modifiers.immobile),
        (Text("table.if.oblique"), table.modifiers.oblique),
        (Text("table.if.short_run", {"inches": _number(table.modifiers.short_run)}), table.modifiers.short),
        (Text("table.if.long_run", {"inches": _number(table.modifiers.long_run)}), table.modifiers.long),
    )
    for_all: tuple[tuple[Cell, ...], ...] = tuple(
        (condition, *[_signed(modifier)] * len(CLASS_CODES)) for condition, modifier in others
    )
    return RuleTable(columns=(*table_headings("rammer"), *CLASS_CODES), rows=by_class + for_all)


def _needs() -> RuleTable:
    needs = TABLES.need
    rows = (
        ("quick_turn", needs.quick_turn),
        ("draw", needs.draw),
        ("extinguish", needs.extinguish),
        ("ignite", needs.ignite),
        ("spread_ram", needs.spread_ram),
        ("spread_link", needs.spread_link),
        ("docking", needs.docking),
    )
    cells = tuple((Text(f"table.need.{key}"), str(least) if least == 6 else f"{least}–6") for key, least in rows)
    return RuleTable(columns=table_headings("what", "die"), rows=cells)


def _command() -> RuleTable:
    rows = tuple((dice, Text(f"table.command.{result}")) for result, dice in dice_by_obedience().items())
    return RuleTable(columns=table_headings("die", "what"), rows=rows)


def _casualties() -> RuleTable:
    rows: list[tuple[Cell, ...]] = []
    most = ""
    for row in TABLES.melee:
        men = f"{row.least}–{most}" if most else f"{row.least}+"
        if row.short_of:
            dice = Text("table.short_of", {"dice": row.dice, "men": row.short_of})
        else:
            dice = Text("table.dice.bonus" if row.bonus else "table.dice", {"dice": row.dice, "bonus": row.bonus})
        rows.insert(0, (men, dice))
        most = str(row.least - 1)
    return RuleTable(columns=table_headings("men", "felled"), rows=tuple(rows))


def _traits(nation: Nation) -> tuple[Cell, ...]:
    traits = TABLES.nations[nation]
    melee = _signed(traits.melee)
    against = Text("table.against", {"bonus": melee, "nation": traits.melee_against})
    return _signed(traits.ram), _signed(traits.swipe), against if traits.melee_against else melee


def _opponents() -> tuple[tuple[Cell, ...], ...]:
    """Return the nations of each range of the die, and of the second die that names a naval power (RS-22.2)."""
    rows: list[tuple[Cell, ...]] = []
    for dice, (first, second) in _ranges(TABLES.matchups):
        if first == "other":
            powers = _ranges(TABLES.naval_powers)
            rows += [(f"{dice}, {die}", nation_name(power), nation_name(second)) for die, power in powers]
        else:
            rows.append((dice, nation_name(first), nation_name(second)))
    return tuple(rows)


def _fleet_name(name: str) -> Text:
    return Text(f"fleet.{name}.short")


def _ready_fleets() -> tuple[tuple[Cell, ...], ...]:
    """Return the ready fleets of a single captain for each number of points, such as `1Q 3T`."""
    rows: list[tuple[Cell, ...]] = []
    for points in SEA.budgets:
        limits = FleetLimits(points=points, max_ships=SEA.max_ships, nations=("other",))
        fitting = fitting_fleets(limits)
        rows.append((points, *(_fleet_text(fitting.get(name, ())) for name in SEA.fleets)))
    return tuple(rows)


def _zones() -> tuple[tuple[Cell, ...], ...]:
    """Return the zones of a free battle, in inches east and north of the south-west corner."""
    rows: list[tuple[Cell, ...]] = []
    for situation, sides in SEA.situations.items():
        for key, zone in (("first", sides.first), ("second", sides.second)):
            west, south, east, north = zone.box
            area = (_range(west, east), _range(south, north))
            rows.append((Text(f"table.situation.{situation}"), Text(f"table.{key}"), *area))
    return tuple(rows)


def _range(low: float, high: float) -> Text:
    return Text("table.range", {"low": _number(low), "high": _number(high)})


def _fleet_text(fleet: tuple[FleetShip, ...]) -> str:
    return " ".join(f"{count}{code}" for code, count in Counter(ship.code for ship in fleet).items()) or _NONE


T = TypeVar("T")


def _ranges(results: Mapping[str, T]) -> list[tuple[str, T]]:
    """Return each result with the range of its dice, such as `2–3`."""
    dice_by_result: dict[T, list[str]] = {}
    for die, result in results.items():
        dice_by_result.setdefault(result, []).append(die)
    return [(dice[0] if len(dice) == 1 else f"{dice[0]}–{dice[-1]}", result) for result, dice in dice_by_result.items()]
