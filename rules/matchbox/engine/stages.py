"""The stages of an order step, and those of a round around its steps (MB-4 to MB-7).

A stage either asks questions and emits no events, or does its work and emits them. So the events before a question are
the same when the round is repeated with the answer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Final, Literal, NamedTuple, cast

from msgspec import UNSET, structs

from rules.chance.dice import Dice
from rules.core.blows import BlowSide, PartCounts
from rules.core.errors import IllegalOrder, UnreadableOrder
from rules.core.protocol import Event, Seat
from rules.matchbox.engine import (
    aim,
    backing,
    boarding,
    contact,
    damage,
    deciding,
    events,
    hull,
    laying,
    meeting,
    movement,
    orders,
    scenarios,
    shore,
    volley,
)
from rules.matchbox.engine.boarding import GrappleLink
from rules.matchbox.engine.meeting import GapLimits
from rules.matchbox.engine.pose import Pose
from rules.matchbox.engine.sea import Sea
from rules.matchbox.engine.state import (
    SLOTS,
    ExtraRule,
    Galley,
    LaidMatch,
    OrderList,
    PendingDecision,
    ScenarioTitle,
    SinkRule,
    StandingOrders,
    options_shown,
)

Landings = Sequence[volley.Landing]  # where the matches of one volley landed
FIRE_SHIP_DAMAGE: Final = 3  # damage of a fire ship (MX-2.7)


class Decisions(NamedTuple):
    standing_orders: Mapping[Seat, StandingOrders] = {}  # each captain's standing orders; absent: the defaults
    choices: Mapping[str, str] = {}  # decisions made in the middle of the round, by the question's key
    drops: Mapping[str, Landings] | None = None
    """Where fired matches land in a test case, by `A1@2`: ship and step; None: chance decides."""
    aims: Mapping[str, tuple[float, float]] = {}  # aim points in mm, by `firer@step`, for firers who have one
    melees: Mapping[str, tuple[Sequence[float], Sequence[float]]] | None = None
    """Bearings of thrown matches in a test case, by `boarder@step`; None: chance decides."""

    def standing_of(self, seat: Seat) -> StandingOrders:
        return self.standing_orders.get(seat) or StandingOrders()


class _Blow(NamedTuple):
    to: str  # id of the struck galley
    by: str  # id of the galley that strikes; the struck one for land and fire
    amount: int  # size of the blow, in oars and masts
    facing: BlowSide  # the struck side, or `either`
    why: events.LossCause  # what caused it


class PendingVolley(NamedTuple):
    by: Galley  # the galley that fires
    target: Galley  # the galley fired at
    gap_mm: float  # the distance between their hulls
    aim: tuple[float, float] = (0.0, 0.0)  # the point to drop over, in mm; (0, 0) until it is chosen


class RoundInProgress:
    """A round that is being carried out. A stage returns the questions that must be answered first."""

    def __init__(  # noqa: PLR0917 -- the parts of a round
        self,
        sea: Sea,
        galleys: Sequence[Galley],
        order_lists: Sequence[OrderList],
        decisions: Decisions,
        dice: Dice,
        options: Collection[ExtraRule] = (),
        scenario: ScenarioTitle | None = None,
        sinks: SinkRule = "one_side",
    ) -> None:
        self.sea = sea  # the table with its land
        self.sinks = sinks  # which sides of a galley are empty when it sinks (MB-7.2)
        self.scenario = scenario  # the scenario; None: an ordinary battle
        # Whether any extra rule is in force (MX-0.4).
        self.has_extra_rules = bool(options or options_shown(sea, galleys))
        self.galleys = {galley.id: galley for galley in galleys}  # galleys afloat, by id
        lists = {order_list.galley: order_list for order_list in order_lists}
        # Each galley's list of orders for the round, by id.
        self.orders = {galley: lists.get(galley, OrderList(galley, "")) for galley in self.galleys}
        # Each galley's order for each step, by id: a letter, `Z1` and `Z2` for `ZZ`, or empty.
        self.steps = {galley: orders.step_orders(order_list) for galley, order_list in self.orders.items()}
        self.decisions = decisions  # what captains have decided so far
        self.dice = dice  # dice for throws to come
        self.events: list[Event] = []  # events of the round so far
        self.sunk: list[Galley] = []  # galleys that sank in this round, in their last state
        # Whether an oar or mast was lost (MB-8.2), or a vessel captured or hit in a melee (MX-3.8).
        self.had_loss = False
        self.step = 0  # the current order step, 1 to 5; 0: before the first
        self.current_orders: dict[str, str] = {}  # each galley's order in this step
        self.orders_in_step: set[str] = set()  # all orders that some galley has in this step
        self.runs = dict.fromkeys(self.galleys, 0)  # consecutive forward moves of each galley, by id (MB-5.9)
        self.tried_to_move: set[str] = set()  # galleys that carried out an `F`, `L` or `R` in this round
        self.moved: set[str] = set()  # galleys that moved by one of these
        self.touching: dict[tuple[str, str], GapLimits] = {}
        """Pairs in contact, by ids, and how near they may come to each other."""
        self._note_contacts()
        self.blows: list[_Blow] = []  # blows of this part of the step that are not dealt yet
        self.grapples: list[GrappleLink] = []  # pairs of galleys held together by a grapple in this round
        self.boarding: list[GrappleLink] = []  # grapples of this step whose melees are not yet fought
        self.fires: list[_Blow] = []  # blows of fire ships in this step
        self.beached: list[str] = []  # galleys that ran aground in this step (MX-1.10)
        self.house_burners: list[str] = []  # galleys that burnt a house in this round (MX-5.5)
        self.leavers: list[Galley] = []  # vessels that left the table in this round, in their last state (MX-5.1)
        self.blow_counts: dict[str, int] = {}  # number of blows dealt to each galley in this step, by id
        self.shots: list[PendingVolley] = []  # volleys of this step
        # Ids of galleys that do not fire because islands hide all targets in range (MX-1.13).
        self.without_sight: list[str] = []
        self.lying: tuple[LaidMatch, ...] = ()  # order matches on the table
        self.dry_until: dict[str, int] = {}
        """For galleys that moved exactly as ordered, the step up to which their matches surely lie off land."""

    @property
    def step_stages(self) -> tuple[Callable[[], tuple[PendingDecision, ...]], ...]:
        """The stages of the current step, in order (MB-5.1, MX-3.2)."""
        stages = [self.move_all, self.deal_blows]
        if self.scenario == "raid":
            stages.append(self.burn_houses)
        stages.append(self.lay_remaining)
        if "X" in self.orders_in_step:  # some galley fires
            stages += [self.choose_targets, self.choose_aims, self.drop_volleys, self.deal_blows]
        if "G" in self.orders_in_step:  # some galley grapples
            stages += [self.choose_grapples, self.fight_melees]
        if "Z2" in self.orders_in_step:  # some galley ends a reorganization, which takes two steps
            stages.append(self.reseat_rowers)
        return tuple(stages)

    @property
    def galleys_afloat(self) -> tuple[Galley, ...]:
        return tuple(self.galleys.values())

    def galleys_doing(self, order: str) -> list[Galley]:
        """Return the galleys afloat that have this order in the current step."""
        if order not in self.orders_in_step:
            return []
        return [galley for name, galley in self.galleys.items() if self.steps[name][self.step - 1] == order]

    # --- reveal ------------------------------------------------------------------------------------------------------

    def reveal_orders(self, number: int) -> None:
        """Reveal all orders and lay their matches on the table (MB-4.1)."""
        self.events.append(events.RoundBegan(round=number, galleys=self.galleys_afloat))
        self.events.extend(
            events.OrdersRevealed(galley=g.id, seat=g.seat, orders=orders.format_list(self.orders[g.id]), rule="MB-4.1")
            for g in self.galleys_afloat
        )
        laid = laying.lay_matches(self.galleys_afloat, self.steps, 1, self.sea.shore, self.dry_until)
        self.lying = laid.lying
        self.events.append(events.MatchesLaid(step=1, lying=laid.lying, in_hand=laid.in_hand, rule="MB-4.4"))

    def begin_step(self, step: int) -> None:
        """Pick up the matches of a step (MB-4.5)."""
        self.step = step
        self.current_orders = {galley: steps[step - 1] for galley, steps in self.steps.items()}
        self.orders_in_step = set(self.current_orders.values())
        self.blow_counts = {}

    # --- movement and collisions -------------------------------------------------------------------------------------

    def move_all(self) -> tuple[PendingDecision, ...]:
        """Move all galleys at once, and resolve every collision (MB-5)."""
        order_by_id = self._orders_that_may_move()
        results = movement.move_all(self.galleys_afloat, order_by_id, self.sea, self.touching)
        may_ground = bool(self.sea.land) and "F" in self.orders_in_step
        runs_before = self.runs.copy() if may_ground else self.runs
        for galley, move in results.items():
            order = order_by_id[galley]
            end = move.end if move.path.is_still else hull.round_kept_pose(move.end)
            was_cut_short = move.fraction < 1 or move.path.was_pushed_back or move.path.sea
            moved_as_ordered = not was_cut_short and order == self.current_orders[galley]
            if not moved_as_ordered:
                self.dry_until.pop(galley, None)
            gained_way = order == "F" and move.gained_mm >= events.BLOCKED_MM - hull.LENGTH_TOLERANCE_MM
            self.runs[galley] = self.runs[galley] + 1 if gained_way else 0
            if order in laying.MOVE_ORDERS:
                self.events.append(self._move_event(galley, order, move, end))
                if self.has_extra_rules:
                    self._note_attempt(galley, move.path.start, end)
            if end is not move.path.start:
                self.galleys[galley] = structs.replace(self.galleys[galley], pose=end)
        new_pairs = self._note_contacts()
        self.fires = []
        self.blows = [blow for a, b in new_pairs for blow in self._judge_contact(a, b)]
        self.beached = []
        if may_ground:
            rowing = [galley for name, galley in self.galleys.items() if order_by_id[name] == "F"]
            self._judge_groundings(rowing, results, runs_before)
        self.runs.update({galley.id: 0 for pair in new_pairs for galley in pair})
        self.blows += self.fires
        return ()

    def _orders_that_may_move(self) -> Mapping[str, str]:
        """Return each galley's order in this step by id; empty for those that cannot carry out a move."""
        order_by_id = self.current_orders
        if self.grapples:  # grappled galleys cannot move (MX-3.3)
            held_ids = boarding.held_galleys(self.grapples, self.galleys_afloat)
            order_by_id = order_by_id | dict.fromkeys(held_ids, "")
        if self.sinks == "both_sides":  # a galley with an empty side floats, but does not move (MB-7.2)
            lame_ids = [galley.id for galley in self.galleys_afloat if not (galley.port and galley.starboard)]
            order_by_id = order_by_id | dict.fromkeys(lame_ids, "")
        return order_by_id

    def _note_contacts(self) -> list[tuple[Galley, Galley]]:
        """Update `touching`, and return pairs that are newly in contact."""
        touching_before = self.touching
        self.touching = {}
        new_pairs = []
        for a, b, separation_mm in contact.contacts_with_gaps(self.galleys_afloat):
            pair = a.id, b.id
            self.touching[pair] = meeting.sliding_limits(separation_mm)
            if pair not in touching_before:
                new_pairs.append((a, b))
        return new_pairs

    def _judge_groundings(
        self, rowing: Iterable[Galley], results: Mapping[str, movement.MoveResult], runs_before: Mapping[str, int]
    ) -> None:
        """Resolve groundings, then reefs, of galleys that rowed forward (MX-1.10, MX-1.15).

        Their blows are added after those of rams. All use the runs at the time of contact (MX-1.16).
        """
        land = self.sea.shore
        aground = self.beached  # ids of galleys that ran aground in this step
        fast = []  # galleys that a reef would damage
        for galley in rowing:
            run = self.runs[galley.id]
            has_pilot = "p" in galley.crew
            if run >= shore.REEF_RUN_BY_DRAUGHT[galley.kind.draught] and not has_pilot:
                fast.append(galley)
            if land and shore.runs_aground(results[galley.id].path.first_hull, hull.hull_of(galley), land):
                amount = min(runs_before[galley.id], 1) if has_pilot else runs_before[galley.id]
                aground.append(galley.id)
                self.events.append(events.ShipGrounded(step=self.step, galley=galley.id, damage=amount, rule="MX-1.10"))
                if amount:
                    facing = shore.grounded_side(hull.hull_of(galley), land)
                    self.blows.append(_Blow(galley.id, galley.id, amount, facing, "aground"))
        for galley in fast:
            if shore.meets_reef(hull.hull_of(galley), self.sea.terrain.reefs):
                self.events.append(events.ReefStruck(step=self.step, galley=galley.id, rule="MX-1.15"))
                self.blows.append(_Blow(galley.id, galley.id, 1, "either", "reef"))
        self.runs.update(dict.fromkeys(aground, 0))

    def _note_attempt(self, galley: str, start: Pose, end: Pose) -> None:
        """Record that a galley tried to move, and whether it gained anything (MX-0.4)."""
        self.tried_to_move.add(galley)
        if math.hypot(end.x_mm - start.x_mm, end.y_mm - start.y_mm) >= events.BLOCKED_MM - hull.LENGTH_TOLERANCE_MM:
            self.moved.add(galley)

    def _move_event(self, galley: str, order: str, move: movement.MoveResult, end: Pose) -> events.ShipMoved:
        """Return the event of a move, by the rule that ended it: land, another hull, the table's edge or the order."""
        at_edge = move.path.was_pushed_back and move.fraction >= 1
        if move.fraction < 1:
            rule = "MX-1.8" if move.stopped_by_land else "MB-5.5"
        elif at_edge:
            rule = "MB-5.4"
        else:
            rule = "MB-5.2" if order == "F" else "MB-5.3"
        return events.ShipMoved(
            step=self.step,
            galley=galley,
            order=cast("Literal['F', 'L', 'R']", order),
            start=move.path.start,
            end=end,
            part=move.fraction,
            at_edge=at_edge,
            ashore=move.stopped_by_land or UNSET,
            rule=rule,
        )

    def _judge_contact(self, a: Galley, b: Galley) -> list[_Blow]:
        """Emit the events of a new contact, and return its blows (MB-5.8 to MB-5.11). Fire ships' go to `fires`."""
        self.events.append(events.HullsCollided(step=self.step, a=a.id, b=b.id, rule="MB-5.6"))
        blows = []
        rams = contact.rams_of_contact(a, b)
        for ram in rams:
            by, to = ram.by.id, ram.rammed.id
            if ram.by.kind.bow == "fire":
                self.events.append(
                    events.FireShipStruck(step=self.step, galley=to, by=by, edge=ram.edge, rule="MX-2.7")
                )
                self.fires.append(_Blow(to, by, FIRE_SHIP_DAMAGE, ram.facing, "fire"))
                continue
            run = self.runs[by]
            amount = contact.ram_damage(ram, run)
            self.events.append(
                events.ShipRammed(
                    step=self.step, by=by, to=to, kind=ram.kind, edge=ram.edge, run=run, damage=amount, rule="MB-5.8"
                )
            )
            if amount:
                blows.append(_Blow(to, by, amount, ram.facing, "ram"))
        if not rams:
            self.events.append(events.HullsScraped(step=self.step, a=a.id, b=b.id, rule="MB-5.8"))
        return blows

    def burn_houses(self) -> tuple[PendingDecision, ...]:
        """Let each southern galley with a mast that ran on to the town's shore burn a house (MX-5.5)."""
        town = self.sea.terrain.islands
        for name in self.beached:
            galley = self.galleys.get(name)
            if galley is None or galley.side != "south" or not galley.masts or name in self.house_burners:
                continue
            if shore.is_land_at_bow(hull.hull_of(galley), town):
                self.house_burners.append(name)
                self.events.append(events.HouseBurnt(step=self.step, galley=name, rule="MX-5.5"))
        self.beached = []
        return ()

    # --- damage ------------------------------------------------------------------------------------------------------

    def deal_blows(self) -> tuple[PendingDecision, ...]:
        """Deal all blows of this part of the step, one after another (MB-7.1, 7.2).

        If captains must choose which parts are lost, nothing is changed but the matches shown with the questions.
        """
        if not self.blows:
            return ()
        # Everything is kept in copies until no captain must choose.
        damaged = dict(self.galleys)
        blow_counts = dict(self.blow_counts)
        new_events: list[Event] = []
        removed_ids: list[str] = []
        questions: dict[str, PendingDecision] = {}
        for blow in self.blows:
            if blow.to in removed_ids or blow.to in questions:  # sunk, or waiting for its captain
                continue
            galley = damaged[blow.to]
            count = blow_counts.get(blow.to, 0)
            blow_counts[blow.to] = count + 1
            options = damage.legal_splits(galley, blow.amount, blow.facing)
            key = f"{self.step}.loss.{blow.to}.{count}"
            split = self._choose_split(galley, options, key)
            if split is None:
                choices = tuple(map(deciding.format_split, options))
                questions[blow.to] = self._make_decision(
                    key, "casualties", galley, choices=choices, about=blow.by, damage=blow.amount
                )
                continue
            new_events.append(self._loss_event(blow, split))
            damaged[blow.to] = damage.apply_loss(galley, split)
            if damage.is_sinking(damaged[blow.to], self.sinks):
                burnt = True if blow.why == "burning" else UNSET
                reason = damage.sink_reason(damaged[blow.to]) if options else "split"
                new_events.append(
                    events.ShipSunk(
                        step=self.step, galley=blow.to, by=blow.by, burnt=burnt, reason=reason, rule="MB-7.2"
                    )
                )
                removed_ids.append(blow.to)
        if questions:
            self.lying = laying.lay_matches(
                self.galleys_afloat, self.steps, self.step + 1, self.sea.shore, self.dry_until
            ).lying
            return tuple(questions.values())
        self.blows = []
        self.blow_counts = blow_counts
        self.events.extend(new_events)
        self.had_loss = True
        self.sunk.extend(damaged[galley] for galley in removed_ids)
        self.galleys = {name: galley for name, galley in damaged.items() if name not in removed_ids}
        if self.fires:
            removed_ids += self._light_struck()
        if removed_ids:
            self.lying = tuple(match for match in self.lying if match.galley not in removed_ids)
        return ()

    def _light_struck(self) -> list[str]:
        """Set alight hulls struck by fire ships. Remove the fire ships, and return their ids (MX-2.7)."""
        spent_ids = []
        for blow in self.fires:
            struck = self.galleys.get(blow.to)
            if struck and not struck.burning:
                self.galleys[blow.to] = structs.replace(struck, burning=True)
                self.events.append(events.FireCaught(step=self.step, galley=blow.to, rule="MX-2.7"))
        for name in dict.fromkeys(blow.by for blow in self.fires):
            if name in self.galleys:
                spent_ids.append(name)
                self.sunk.append(self.galleys.pop(name))
                self.events.append(events.FireShipSpent(step=self.step, galley=name, rule="MX-2.7"))
        self.fires = []
        return spent_ids

    def burn_galleys(self) -> tuple[PendingDecision, ...]:
        """Prepare a blow of 1 to each burning galley at the end of the round (MX-2.8)."""
        self.blows = [
            _Blow(galley.id, galley.id, 1, "either", "burning") for galley in self.galleys_afloat if galley.burning
        ]
        return ()

    def _choose_split(self, galley: Galley, options: Sequence[PartCounts], key: str) -> PartCounts | None:
        """Return the losses of a blow, or None if the captain must choose.

        If no split is legal, the galley loses all that is left (MB-7.1).
        """
        standing = self.decisions.standing_of(galley.seat).casualties
        if not options:
            return galley.port, galley.starboard, galley.masts
        if key in self.decisions.choices:
            return deciding.parse_split(self.decisions.choices[key], options, key)
        if len(options) == 1:
            return options[0]
        return None if standing == "ask" else damage.choose_split(options, galley, standing)

    def _loss_event(self, blow: _Blow, split: PartCounts) -> events.PartsLost:
        """Return the event of a loss. `split` counts the port oars, starboard oars and masts that are lost."""
        side_of_more_losses: Literal["port", "starboard"] = "port" if split[0] >= split[1] else "starboard"
        facing = side_of_more_losses if blow.facing == "either" else blow.facing
        return events.PartsLost(
            step=self.step,
            galley=blow.to,
            by=blow.by,
            port=split[0],
            starboard=split[1],
            masts=split[2],
            facing=facing,
            why=blow.why if self.has_extra_rules else UNSET,
            rule="MB-7.1",
        )

    # --- fire --------------------------------------------------------------------------------------------------------

    def lay_remaining(self) -> tuple[PendingDecision, ...]:
        """Lay the matches of later steps again (MB-4.5)."""
        laid = laying.lay_matches(self.galleys_afloat, self.steps, self.step + 1, self.sea.shore, self.dry_until)
        self.lying = laid.lying
        self.events.append(events.MatchesLaid(step=self.step, lying=laid.lying, in_hand=laid.in_hand, rule="MB-4.5"))
        return ()

    def choose_targets(self) -> tuple[PendingDecision, ...]:
        """Choose each firer's target (MB-6.1, 6.2)."""
        self.shots = []
        self.without_sight = []
        questions = []
        for galley in self.galleys_doing("X"):
            options = self._targets_of(galley) if galley.masts else ()
            if not options:
                continue
            target = self._choose_target(galley, options)
            if isinstance(target, PendingDecision):
                questions.append(target)
            else:
                self.shots.append(PendingVolley(galley, *target))
        return tuple(questions)

    def _choose_target(
        self, galley: Galley, options: Sequence[deciding.TargetOption], kind: Literal["target", "grapple"] = "target"
    ) -> deciding.TargetOption | PendingDecision:
        """Return the target by decision or standing orders, or the question if the captain must be asked."""
        key = f"{self.step}.target.{galley.id}"
        standing = self.decisions.standing_of(galley.seat)
        if key in self.decisions.choices:
            return deciding.parse_target(self.decisions.choices[key], options, key)
        if standing.target == "ask" and len(options) > 1:
            return self._make_decision(key, kind, galley, choices=tuple(option.id for option, _ in options))
        return deciding.standing_target(standing, options)

    def _targets_of(self, galley: Galley) -> tuple[deciding.TargetOption, ...]:
        """Return enemies in range and in sight (MB-6.2, MX-1.13). Note a firer who sees none of those in range."""
        in_range = volley.enemies_in_range(galley, self.galleys_afloat)
        if not self.sea.land:
            return in_range
        in_sight = tuple(option for option in in_range if volley.is_in_sight(galley, option[0], self.sea))
        if in_range and not in_sight:
            self.without_sight.append(galley.id)
        return in_sight

    def choose_aims(self) -> tuple[PendingDecision, ...]:
        """Choose the point over which each firer drops (MB-6.5)."""
        if self.decisions.drops is not None:
            return ()
        undecided = [shot for shot in self.shots if self._aim_setting(shot.by) == "ask"]
        if undecided:
            return tuple(
                self._make_decision(f"{self.step}.aim.{shot.by.id}", "aim", shot.by, about=shot.target.id)
                for shot in undecided
            )
        self.shots = [shot._replace(aim=self._aim_point(shot)) for shot in self.shots]
        return ()

    def _aim_setting(self, firer: Galley) -> str | tuple[float, float]:
        """Return how a volley is aimed: a point, `x,y` as chosen by its captain, `steady`, `safe` or `ask`."""
        point = self.decisions.aims.get(f"{firer.id}@{self.step}")
        if point is not None:
            return point
        return self.decisions.choices.get(f"{self.step}.aim.{firer.id}", self.decisions.standing_of(firer.seat).aim)

    def _aim_point(self, shot: PendingVolley) -> tuple[float, float]:
        """Return where a volley is dropped, in mm. Raises `OrderError` for a point off the table."""
        choice = self._aim_setting(shot.by)
        piece = f"{self.step}.aim.{shot.by.id}"
        if not isinstance(choice, str):
            return deciding.require_on_table((round(choice[0], 3), round(choice[1], 3)), self.sea, piece)
        if choice not in {"steady", "safe"}:
            return deciding.parse_aim(choice, self.sea, piece)
        kind: Literal["steady", "safe"] = "safe" if choice == "safe" else "steady"
        count = volley.volley_size(shot.by, shot.gap_mm)
        return aim.best_aim(shot.by, shot.target, self.galleys_afloat, self.lying, self.sea, count=count, kind=kind)

    def drop_volleys(self) -> tuple[PendingDecision, ...]:
        """Drop all volleys. Their hits become blows, which are dealt together afterwards (MB-6.4 to 6.10)."""
        shots = {shot.by.id: shot for shot in self.shots}
        for galley in self.galleys_doing("X"):
            if galley.id in shots:
                self._drop_volley(shots[galley.id])
            else:
                self.events.append(self._held_event(galley))
        return ()

    def _held_event(self, galley: Galley) -> events.VolleyHeld:
        if not galley.masts:
            return events.VolleyHeld(step=self.step, by=galley.id, reason="masts", rule="MB-6.1")
        if galley.id in self.without_sight:
            return events.VolleyHeld(step=self.step, by=galley.id, reason="sight", rule="MX-1.13")
        return events.VolleyHeld(step=self.step, by=galley.id, reason="range", rule="MB-6.2")

    def _drop_volley(self, shot: PendingVolley) -> None:
        """Drop a volley's matches by chance or by a test case, judge them, and note hits as a blow (MB-6.3 to 6.10)."""
        count = volley.volley_size(shot.by, shot.gap_mm)
        landed: Landings
        if self.decisions.drops is None:
            landed, self.dice = volley.drop_matches(self.dice, shot.aim, count)
        else:
            landed = _case_drops(self.decisions.drops, f"{shot.by.id}@{self.step}", count)
        judged = volley.judge_drops(shot.by, shot.target, self.galleys_afloat, self.lying, sea=self.sea, landed=landed)
        misfire = any(match.touches for match in judged)
        hits = 0 if misfire else sum(bool(match.hit) for match in judged)
        self.events.append(
            events.VolleyDropped(
                step=self.step,
                by=shot.by.id,
                to=shot.target.id,
                gap_mm=hull.round_thousandths(shot.gap_mm),
                matches=count,
                broadside=hull.is_abeam(shot.by, shot.target),
                misfire=misfire,
                hits=hits,
                aim_x_mm=shot.aim[0],
                aim_y_mm=shot.aim[1],
                drops=judged,
                rule="MB-6.7" if misfire else "MB-6.10",
            )
        )
        if hits:
            self.blows.append(_Blow(shot.target.id, shot.by.id, hits, hull.facing_side(shot.target, shot.by), "volley"))

    # --- boarding ----------------------------------------------------------------------------------------------------

    def choose_grapples(self) -> tuple[PendingDecision, ...]:
        """Choose the enemy of each boarder. All choose before any melee (MX-3.2)."""
        self.boarding = []
        questions = []
        for galley in self.galleys_doing("G"):
            options = boarding.enemies_in_reach(galley, self.galleys_afloat, self.sea)
            if not options:
                continue
            target = self._choose_target(galley, options, "grapple")
            if isinstance(target, PendingDecision):
                questions.append(target)
            else:
                self.boarding.append(GrappleLink(galley.id, target[0].id))
        if questions:
            return tuple(questions)
        self.grapples += self.boarding
        self.events.extend(
            events.ShipGrappled(step=self.step, by=grapple.by, galley=grapple.target, rule="MX-3.2")
            for grapple in self.boarding
        )
        return ()

    def fight_melees(self) -> tuple[PendingDecision, ...]:
        """Fight all melees of the step in galley order of the boarders, each with the masts left by then (MX-3.7).

        The question for a prize crew comes after the event of its melee, which is the same when the round is repeated.
        """
        sides = {galley.id: galley.side for galley in self.galleys_afloat}
        fought: set[GrappleLink] = set()
        for grapple in self.boarding:
            by, to = self.galleys[grapple.by], self.galleys[grapple.target]
            was_captured = by.side != sides[by.id] or to.side != sides[to.id]
            if grapple in fought or was_captured or not by.masts:
                continue
            return_grapple = GrappleLink(grapple.target, grapple.by)
            both = return_grapple in self.boarding and to.masts > 0
            fought |= {grapple, return_grapple}
            questions = self._fight_melee(by, to, both=both)
            if questions:
                return questions
        self.boarding = []
        return ()

    def _fight_melee(self, by: Galley, to: Galley, *, both: bool) -> tuple[PendingDecision, ...]:
        """Resolve a melee, in which `both` may board; return the question for a prize crew, if any (MX-3.4, 3.5)."""
        count = boarding.matches_thrown(by, to, both=both)
        bearings = self._melee_bearings(by, count)
        melee = boarding.resolve_melee(by, to, bearings, both=both)
        self.galleys |= {by.id: melee.boarder, to.id: melee.other}
        self.had_loss |= max(melee.hits) > 0  # MX-3.8
        self.events.append(
            events.MeleeFought(
                step=self.step,
                by=by.id,
                galley=to.id,
                thrown=count,
                hits=melee.hits,
                lost=(by.masts - melee.boarder.masts, to.masts - melee.other.masts),
                left=(melee.boarder.masts, melee.other.masts),
                bearings=bearings,
                both=both,
                rule="MX-3.4",
            )
        )
        if not melee.captured:
            return ()
        if melee.captured == to.id:
            return self._capture_galley(taker=melee.boarder, taken=melee.other)
        return self._capture_galley(taker=melee.other, taken=melee.boarder)

    def _melee_bearings(self, by: Galley, count: tuple[int, int]) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Return the bearings of a melee's matches, from a test case (MX-6.3) or by chance."""
        if self.decisions.melees is None:
            boarder_bearings, self.dice = boarding.throw_bearings(self.dice, count[0])
            other_bearings, self.dice = boarding.throw_bearings(self.dice, count[1])
            return boarder_bearings, other_bearings
        where = f"{by.id}@{self.step}"
        if where not in self.decisions.melees:
            raise UnreadableOrder("missing_melee", piece=f"melees.{where}", own=count[0], other=count[1])
        boarder_bearings, other_bearings = map(tuple, self.decisions.melees[where])
        if (len(boarder_bearings), len(other_bearings)) != count:
            raise IllegalOrder("wrong_melee_count", "MX-3.4", piece=f"melees.{where}", own=count[0], other=count[1])
        return boarder_bearings, other_bearings

    def _capture_galley(self, taker: Galley, taken: Galley) -> tuple[PendingDecision, ...]:
        """Let a galley change sides, without its remaining orders, or return the question for a prize crew (MX-3.5)."""
        allowed = boarding.prize_crew_sizes(taker, taken)
        key = f"{self.step}.prize.{taker.id}"
        standing = self.decisions.standing_of(taker.seat).prize
        if key in self.decisions.choices:
            crew = deciding.parse_prize(self.decisions.choices[key], allowed, key)
        elif standing == "ask" and len(allowed) > 1:
            return (self._make_decision(key, "prize", taker, choices=tuple(map(str, allowed)), about=taken.id),)
        else:
            crew = boarding.choose_prize_crew(taker, allowed, half=standing == "half")
        taker, prize = boarding.capture_galley(taker, taken, crew)
        self.galleys |= {taker.id: taker, prize.id: prize}
        self.had_loss = True  # MX-3.8
        earlier_orders = self.steps[prize.id][: self.step - 1]
        dropped_count = SLOTS - len(earlier_orders)  # the order of this step and all later ones
        self.steps[prize.id] = (*earlier_orders, *("",) * dropped_count)
        self.lying = tuple(match for match in self.lying if match.galley != prize.id)
        self.events.append(
            events.ShipCaptured(
                step=self.step, galley=prize.id, by=taker.id, side=prize.side, seat=prize.seat, crew=crew, rule="MX-3.5"
            )
        )
        return ()

    # --- reorganizing, backing off -----------------------------------------------------------------------------------

    def reseat_rowers(self) -> tuple[PendingDecision, ...]:
        """Move rowers between the sides of each galley that reorganizes, or let them put out a fire (MB-7.3)."""
        questions = []
        benches = {}  # by id: the oars on the port and starboard side after the change
        reorganizing = self.galleys_doing("Z2")
        if not reorganizing:
            return ()
        put_out = [galley for galley in reorganizing if galley.burning]
        mended = {galley.id: damage.repair_by_carpenters(galley) for galley in reorganizing if not galley.burning}
        for galley in mended.values():
            reorganizations = self.steps[galley.id][: self.step].count("Z2")  # including this one
            wanted_oars = self.orders[galley.id].wishes[reorganizations - 1]
            has_no_wish = wanted_oars == (0, 0)
            asks_captain = self.decisions.standing_of(galley.seat).reorganize == "ask"
            options = damage.seatings(galley)
            key = f"{self.step}.split.{galley.id}"
            if has_no_wish and key in self.decisions.choices:
                benches[galley.id] = deciding.parse_bench(self.decisions.choices[key], options, key)
            elif has_no_wish and asks_captain and len(options) > 1:
                choices = tuple(f"{port}-{starboard}" for port, starboard in options)
                questions.append(self._make_decision(key, "reorganize", galley, choices=choices))
            else:
                benches[galley.id] = damage.reseat(galley, wanted_oars)
        if questions:
            return tuple(questions)
        for galley in put_out:
            self.galleys[galley.id] = structs.replace(galley, burning=False)
            self.events.append(events.FireExtinguished(step=self.step, galley=galley.id, rule="MX-2.8"))
        for name, (port, starboard) in benches.items():
            if mended[name] != self.galleys[name]:
                self.events.append(events.OarRepaired(step=self.step, galley=name, rule="MX-4.5"))
            self.galleys[name] = structs.replace(mended[name], port=port, starboard=starboard)
            self.events.append(
                events.RowersReseated(step=self.step, galley=name, port=port, starboard=starboard, rule="MB-7.3")
            )
        return ()

    def back_off(self) -> None:
        """Let galleys back off from what their bows touch, and round all poses (MB-5.13, MX-1.11, 1.12)."""
        galleys = self.galleys
        # Nobody has moved since the contacts were noted, but some galleys may be gone.
        pairs = [(galleys[a], galleys[b]) for a, b in self.touching if a in galleys and b in galleys]
        stuck_ids = self.tried_to_move - self.moved if self.has_extra_rules else ()
        for back in backing.back_off(self.galleys_afloat, self.sea, stuck_ids, pairs):
            if not back.distance_mm and not self.has_extra_rules:  # with extra rules, the attempt is reported, too
                continue
            self._set_pose(back.galley, back.end)
            self.events.append(
                events.ShipBackedOff(
                    galley=back.galley, start=back.start, end=back.end, distance_mm=back.distance_mm, rule="MB-5.13"
                )
            )
        for pole in backing.pole_off(self.galleys_afloat, self.sea):
            self._set_pose(pole.galley, pole.end)
            self.events.append(
                events.ShipPoledOff(
                    galley=pole.galley,
                    start=pole.start,
                    end=pole.end,
                    to=pole.to,
                    distance_mm=pole.distance_mm,
                    rule="MX-1.12",
                )
            )
        self.galleys = {
            name: structs.replace(galley, pose=shore.round_pose_ashore(galley.pose, galley.kind, self.sea.shore))
            for name, galley in self.galleys.items()
        }

    def remove_leavers(self) -> None:
        """Remove vessels that may leave the table and have reached the enemy's edge (MX-5.1)."""
        if self.scenario is None:
            return
        for galley in self.galleys_afloat:
            if scenarios.leaves_table(self.scenario, galley, self.sea):
                self.leavers.append(self.galleys.pop(galley.id))
                self.events.append(events.ShipLeft(galley=galley.id, rule="MX-5.1"))

    def _set_pose(self, galley: str, pose: Pose) -> None:
        self.galleys[galley] = structs.replace(self.galleys[galley], pose=pose)

    def _make_decision(
        self,
        key: str,
        kind: Literal["target", "aim", "casualties", "reorganize", "grapple", "prize"],
        galley: Galley,
        *,
        choices: tuple[str, ...] = (),
        about: str = "",
        damage: int = 0,
    ) -> PendingDecision:
        return PendingDecision(
            key=key,
            kind=kind,
            seat=galley.seat,
            galley=galley.id,
            step=self.step,
            choices=choices,
            about=about,
            damage=damage,
        )


def _case_drops(drops: Mapping[str, Landings], where: str, count: int) -> Landings:
    """Return the drops of one volley from a test case. Raises `OrderError` if they are missing or too few."""
    if where not in drops:
        raise UnreadableOrder("missing_drops", piece=f"drops.{where}", expected=count)
    if len(drops[where]) != count:
        raise IllegalOrder(
            "wrong_drop_count", "MB-6.3", piece=f"drops.{where}", expected=count, given=len(drops[where])
        )
    return drops[where]
