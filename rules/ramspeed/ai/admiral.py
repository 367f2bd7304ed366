"""The admiral, who tries out turns against orders that a first mate would give for the others.

The search (`rules.ai.search`) begins with the better of two sheets: the mate's, and one made of each ship's most
promising orders. It improves that sheet line by line: attacks, places and who acts first. Each side acts first in half
of the samples.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from rules.ai.search import DiceSamples, SampleDice, Search
from rules.ai.thinking import is_enough
from rules.chance.dice import DiceSource, derive_seed
from rules.ramspeed.ai import judge, mate, prospects
from rules.ramspeed.ai.prospects import AlternativeChain, CandidateLines
from rules.ramspeed.engine.geometry import moves
from rules.ramspeed.engine.orders import OrderLine, OrderSheet
from rules.ramspeed.engine.phases import turn
from rules.ramspeed.engine.phases.turn import TurnProgress
from rules.ramspeed.engine.state import Position, Ship, with_ship


class _TurnNode:
    """A turn after some lines; the result of each further line is computed once."""

    def __init__(self, progress: TurnProgress, dice_source: DiceSource) -> None:
        self.progress = progress
        self._dice_source = dice_source
        self._child_by_line: dict[OrderLine | None, _TurnNode] = {}
        self._final_position: Position | None = None  # None until it is computed

    def child_after(self, line: OrderLine | None) -> _TurnNode:
        """Return the node after a line of the active player, or with None after the end of that player-turn."""
        if line not in self._child_by_line:
            if line:
                result = turn.activate_line(self.progress, line, self._dice_source, {})
            else:
                result = turn.close_player(self.progress, self._dice_source, {})
            self._child_by_line[line] = _TurnNode.create(result.progress, result.dice_source, opens=line is None)
        return self._child_by_line[line]

    @staticmethod
    def create(progress: TurnProgress, dice_source: DiceSource, *, opens: bool) -> _TurnNode:
        """Return a node; with `opens` after the next player-turn has begun, if there is one."""
        if opens and progress.players_left:
            result = turn.open_player(progress, dice_source, {})
            return _TurnNode(result.progress, result.dice_source)
        return _TurnNode(progress, dice_source)

    def final_position(self) -> Position:
        if self._final_position is None:
            self._final_position = turn.close_turn(self.progress, self._dice_source, {}).position
        return self._final_position


class TurnForesight:
    """The results of a turn by sheets, samples and orders of play.

    Doctrines of other captains are secret, so all ships use the defaults. A common beginning of two sheets is carried
    out once.
    """

    def __init__(self, starts: Sequence[TurnProgress], samples: int, seed: str) -> None:
        # `starts`: the turn as it begins, for each order of play
        luck = DiceSamples(samples, len(starts), seed)
        start_by_sample = [starts[sample % len(starts)] for sample in range(samples)]
        self._first_nodes = [
            _TurnNode.create(start, SampleDice(luck, sample), opens=not start.acted_ships)
            for sample, start in enumerate(start_by_sample)
        ]

    def position_after(self, sheets: Mapping[str, OrderSheet], sample: int) -> Position:
        """Return the position after a turn with the dice of a sample. The ships of a player without a sheet stay."""
        node = self._first_nodes[sample]
        while node.progress.players_left:
            active_player = node.progress.players_left[0]
            for line in sheets.get(active_player, OrderSheet()).lines:
                node = node.child_after(line)
            node = node.child_after(None)
        return node.final_position()


SAMPLE_COUNT: Final = 12  # samples of dice with which a sheet is tried; a multiple of four
TURN_BUDGET: Final = 1200  # turns that may be carried out for one sheet, times the ships afloat: about half a second
CROWDED_SHIPS: Final = 40
"""Ships afloat above which sheets get only `_CROWDED_SAMPLES` samples, as each turn takes longer."""
_CROWDED_SAMPLES: Final = 4
MAX_OWN_SHIPS: Final = 16
"""Own ships, the nearest to the enemy, for which the admiral searches; the others follow the mate's orders."""
_MIN_SHIPS: Final = 4  # fewer ships afloat count as this many for `TURN_BUDGET`
_MAX_PASSES: Final = 2  # of improving the line of each ship
_SLACK_VP: Final = 0.15  # victory points by which a sheet may be behind the best after its first samples


def choose_lines(
    position: Position, player: str, seed: str, *, order: tuple[str, ...] = (), acted: tuple[str, ...] = ()
) -> tuple[OrderLine, ...]:
    """Return a captain's orders for the ships that have not acted.

    `order`: the players whose player-turn is not over, if known; the captain is the first of them.
    """
    own_ships = [ship for ship in position.ships_of(player) if ship.crew and ship.id not in acted]
    mate_sheet = OrderSheet(tuple(mate.choose_lines(position, player, acted, seed)))
    if not own_ships or not position.ships_against(position.side_of_player(player)):
        return mate_sheet.lines
    return _SheetSearch(position, player, seed, order, acted).best_sheet(own_ships, mate_sheet).lines


def trial_budget(afloat: int) -> tuple[int, int]:
    """Return the number of samples for each sheet, and of turns to carry out, for a number of ships afloat."""
    samples = SAMPLE_COUNT if afloat <= CROWDED_SHIPS else _CROWDED_SAMPLES
    return samples, TURN_BUDGET // max(_MIN_SHIPS, afloat, afloat * afloat // CROWDED_SHIPS)


def possible_orders_of_play(position: Position, player: str) -> tuple[tuple[str, ...], ...]:
    """Return two orders of play: the player's side first, or the enemy first."""
    players_with_ships = [other for other in position.players if position.ships_of(other)]
    side = position.side_of_player(player)
    own_side = tuple(other for other in players_with_ships if position.side_of_player(other) == side)
    enemies = tuple(other for other in players_with_ships if other not in own_side)
    return (*own_side, *enemies), (*enemies, *own_side)


class _SheetSearch:
    def __init__(
        self, position: Position, player: str, seed: str, order: tuple[str, ...], acted: tuple[str, ...]
    ) -> None:
        self._position = position
        self._player = player
        self._side = position.side_of_player(player)
        self._other_sheets = {
            other: OrderSheet(tuple(mate.choose_lines(position, other, (), derive_seed(seed, other))))
            for other in position.players
            if other != player
        }
        samples, budget = trial_budget(sum(ship.is_afloat for ship in position.ships))
        if order:  # ships act one by one: a search for each ship shares the budget
            budget //= len([ship for ship in position.ships_of(player) if ship.crew])
        orders_of_play = (order,) if order else possible_orders_of_play(position, player)
        starts = [
            TurnProgress(position=position, players_left=players, acted_ships=acted) for players in orders_of_play
        ]
        self._foresight = TurnForesight(starts, samples, derive_seed(seed, "luck"))
        self._search = Search(self._sheet_values, budget=budget, samples=samples, slack=_SLACK_VP)

    def best_sheet(self, own_ships: Sequence[Ship], mate_sheet: OrderSheet) -> OrderSheet:
        """Improve the mate's sheet, or the most promising orders, ship by ship until a pass finds nothing better."""
        enemies = self._position.ships_against(self._side)
        nearest_first = sorted(own_ships, key=lambda ship: min(prospects.middle_distance(ship, foe) for foe in enemies))
        near_ids = {ship.id for ship in nearest_first[:MAX_OWN_SHIPS]}
        expected_position = self._expected_position()
        candidates = {
            ship.id: prospects.candidate_lines(self._position, expected_position, ship)
            for ship in own_ships
            if ship.id in near_ids and not is_enough()
        }
        most_attacks_first = sorted(candidates, key=lambda ship: -len(candidates[ship].attacks[0]))
        lines = [
            OrderLine(ship, (*candidates[ship].attacks[0], candidates[ship].places[0])) for ship in most_attacks_first
        ]
        lines += [line for line in mate_sheet.lines if line.ship not in candidates]
        best = self._search.rank((mate_sheet, OrderSheet(tuple(lines))))[0]
        for _ in range(_MAX_PASSES):
            best_before_pass = best
            for ship in nearest_first[:MAX_OWN_SHIPS]:
                if ship.id in candidates:
                    best = self._search.improve(best, _neighbouring_sheets(best, ship.id, candidates[ship.id]))
            if best == best_before_pass:
                break
        return best

    def _expected_position(self) -> Position:
        """Return the position with every enemy where it would go if it attacked nobody."""
        position = self._position
        for player, sheet in self._other_sheets.items():
            if position.side_of_player(player) == self._side:
                continue
            for line in sheet.lines:
                ship = position.ship_by_id(line.ship)
                last_alternative = line.alternatives[-1]  # moves without an attack
                moved_ship = moves.carry_out_manoeuvre(position, ship, last_alternative.manoeuvres).ship
                position = with_ship(position, moved_ship)
        return position

    def _sheet_values(self, sheet: OrderSheet, samples: Sequence[int]) -> list[float]:
        sheets = {**self._other_sheets, self._player: sheet}
        positions = [self._foresight.position_after(sheets, sample) for sample in samples]
        return judge.position_values(positions, self._side)


def _neighbouring_sheets(sheet: OrderSheet, ship: str, candidates: CandidateLines) -> Iterator[OrderSheet]:
    """Yield the sheet with other attacks or another place for one ship, then with the ship first and last."""
    line = next(entry for entry in sheet.lines if entry.ship == ship)
    # a line is a chain of attacks to try in order, then the place to row to if none is possible
    attacks = line.alternatives[:-1]
    place = line.alternatives[-1]
    most_promising_attacks = candidates.attacks[0]
    chains: list[AlternativeChain] = [(*other_attacks, place) for other_attacks in candidates.attacks]
    chains += [(*attacks, other_place) for other_place in candidates.places]
    chains += [(*most_promising_attacks, other_place) for other_place in candidates.places[:2]]
    for chain in chains:
        yield OrderSheet(tuple(OrderLine(ship, chain) if entry.ship == ship else entry for entry in sheet.lines))
    other_lines = tuple(entry for entry in sheet.lines if entry.ship != ship)
    yield OrderSheet((line, *other_lines))
    yield OrderSheet((*other_lines, line))
