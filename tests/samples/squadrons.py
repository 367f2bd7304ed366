"""Representative answers: enough to cause every kind of event, few enough to count."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from msgspec import structs

from rules.interface.question import Choice
from rules.squadrons.engine.notation import order_text
from rules.squadrons.engine.sea import fleets
from rules.squadrons.engine.sea.fleets import FORMATIONS
from rules.squadrons.interface.drafts import activations, deployments, rosters, sheets
from rules.squadrons.interface.drafts.activations import ActivationContext, ActivationDraft, squadron_context
from rules.squadrons.interface.drafts.answers import ActivationOrder, Deployment, OrderSheet, Roster
from rules.squadrons.interface.drafts.deployments import DeploymentContext
from rules.squadrons.interface.drafts.rosters import RosterContext
from rules.squadrons.interface.drafts.sheets import OrderContext
from rules.squadrons.interface.preview import attack_plans, best_attacks
from tests.samples.texts import read_answers, sample_lines

_COMMON_TEXTS: Final = ("all: F3", "all M\nall: F2 P F2", "all: S F2\nrest C", "all: TA", "all: B", "all: F2 exit")
_DOCTRINE_TEXT: Final = (
    "avoid=any fire=return+threat board=always retract=stay unfoul=always",
    "avoid=ask fire=ask retract=ask order=ask",
    "avoid=off fire=off board=never speed=max transfer=never",
)
_LINE_KINDS: Final = (
    ("F2 ram {near} | else F1",),
    ("F3 rake {near} F1",),
    ("F1 grap {near} fire {near}",),
    ("fire {near}",),
    ("cut {near} F2",),
    ("X {near}:p",),
    ("ana {near} s",),
    ("jettison F2",),
    ("ts ram {near}",),
    ("sail up F2",),
    ("sail down F3",),
)


def sample_sheets(context: OrderContext) -> tuple[OrderSheet, ...]:
    texts = [
        f"{text}\ndoctrine all: {_DOCTRINE_TEXT[at % len(_DOCTRINE_TEXT)]}" for at, text in enumerate(_COMMON_TEXTS)
    ]
    texts += [f"all {'CM'[at % 2]}\n{_mixed_sheet_text(context, at)}" for at in range(len(_LINE_KINDS))]
    parsed = read_answers(partial(sheets.SHEET_NOTATION.parse_answer, context), texts)
    return (*parsed, best_attacks.fleet_sheet(context.position, context.own_ship_ids(), "00"), OrderSheet())


def sample_activations(context: ActivationContext) -> tuple[ActivationOrder, ...]:
    orders: list[ActivationOrder] = []
    for squadron in context.squadrons:
        own = structs.replace(squadron_context(context, ActivationDraft(squadron)), fixed_squadrons=(squadron,))
        bodies = ("", *(f"\n{_mixed_sheet_text(own, at)}" for at in range(3)))
        texts = (f"act {squadron.display_name}{body}" for body in bodies)
        orders += read_answers(partial(activations.ACTIVATION_NOTATION.parse_answer, context), texts)
        charge = best_attacks.fleet_sheet(own.position, own.own_ship_ids(), "00", fixed=True)
        orders.append(ActivationOrder(squadron=squadron.flagship, sheet=structs.replace(charge, speed_choices=())))
    return tuple(orders)


def sample_rosters(context: RosterContext) -> tuple[Roster, ...]:
    kinds = (("10", "Bold"), ("3g", "Grand"), ("T", "Bold"), ("5+" if context.allows_crews else "5", "Grand"))
    max_count = {code: min(fleets.MAX_GALLEYS, int(context.points) // fleets.fleet_cost((code,))) for code, _ in kinds}
    texts = ("stock", *(f"{max_count[code]}x{code}; {admiral}" for code, admiral in kinds))
    return read_answers(partial(rosters.ROSTER_NOTATION.parse_answer, context), texts)


def sample_deployments(context: DeploymentContext) -> tuple[Deployment, ...]:
    leader, ship = deployments.leaders_of(context)[0].id, next(iter(deployments.propose_deployment(context).places))
    return read_answers(
        partial(deployments.DEPLOYMENT_NOTATION.parse_answer, context),
        (*FORMATIONS, deployments.ENTER_WORD, f"lines; {leader} {ship}"),
    )


def _mixed_sheet_text(context: OrderContext, first: int) -> str:
    nearest = {ship.id: attack_plans.enemies_by_distance(context.position, ship)[:1] for ship in context.own_ships}
    ships = {name: {"near": enemies[0].id} for name, enemies in nearest.items() if enemies}
    kinds = (*_LINE_KINDS[first:], *_LINE_KINDS[:first])
    return "\n".join((*sample_lines(ships, kinds, order_text.parse_line), *_boarding_lines(context)))


def _boarding_lines(context: OrderContext) -> Iterator[str]:
    for ship in context.own_ships:
        if ship.manpower and (held := context.position.grappled_to(ship.id)):
            yield f"board {held[0]} with {ship.id}"
            return


SAMPLES = {
    "fleet": sample_rosters,
    "place": sample_deployments,
    "orders": sample_sheets,
    "act": sample_activations,
    "pace": lambda context: (Choice("C"), Choice("M"), Choice(f"M; {context.ships[0]} C")),
}
