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

    def __init__(self, progress: TurnProgress, cup: DiceSource) -> None:
        self.progress = progress
        self._cup = cup
        self._next: dict[OrderLine | None, _TurnNode] = {}
        self._end: Position | None = None

    def child_after(self, line: OrderLine | None) -> _TurnNode:
        """Return the node after a line of the active player, or with None after the end of that player-turn."""
        if line not in self._next:
            if line:
                result = turn.activate_line(self.progress, line, self._cup, {})
            else:
                result = turn.close_player(self.progress, self._cup, {})
            self._next[line] = _TurnNode.create(result.progress, result.cup, opens=line is None)
        return self._next[line]

    @staticmethod
    def create(progress: TurnProgress, cup: DiceSource, *, opens: bool) -> _TurnNode:
        if opens and progress.players_left:
            result = turn.open_player(progress, cup, {})
            return _TurnNode(result.progress, result.cup)
        return _TurnNode(progress, cup)

    def final_position(self) -> Position:
        if self._end is None:
            self._end = turn.close_turn(self.progress, self._cup, {}).position
        return self._end


class TurnForesight:
    """The results of a turn by sheets, samples and orders of play.

    Doctrines of other captains are secret, so all ships use the defaults. A common beginning of two sheets is carried
    out once.
    """

    def __init__(self, begun: Sequence[TurnProgress], samples: int, seed: str) -> None:
        luck = DiceSamples(samples, len(begun), seed)
        ways = [begun[sample % len(begun)] for sample in range(samples)]
        self._begun = [
            _TurnNode.create(way, SampleDice(luck, sample), opens=not way.acted_ships)
            for sample, way in enumerate(ways)
        ]

    def position_after(self, sheets: Mapping[str, OrderSheet], sample: int) -> Position:
        """Return the position after a turn with the dice of a sample. The ships of a player without a sheet stay."""
        moment = self._begun[sample]
        while moment.progress.players_left:
            for line in sheets.get(moment.progress.players_left[0], OrderSheet()).lines:
                moment = moment.child_after(line)
            moment = moment.child_after(None)
        return moment.final_position()


SAMPLE_COUNT: Final = 12  # samples of dice with which a sheet is tried; a multiple of four
TURN_BUDGET: Final = 1200  # turns that may be carried out for one sheet, times the ships afloat: about half a second
CROWDED_SHIPS: Final = 40
"""Ships afloat above which sheets get only `_CROWDED_SAMPLES` samples, as each turn takes longer."""
_CROWDED_SAMPLES: Final = 4
MAX_OWN_SHIPS: Final = 16
"""Own ships, the nearest to the enemy, for which the admiral searches; the others follow the mate's orders."""
_MIN_SHIPS: Final = 4
_MAX_PASSES: Final = 2
_SLACK_VP: Final = 0.15  # victory points by which a sheet may be behind the best after its first samples


def choose_lines(
    position: Position, player: str, seed: str, *, order: tuple[str, ...] = (), acted: tuple[str, ...] = ()
) -> tuple[OrderLine, ...]:
    """Return a captain's orders for the ships that have not acted.

    `order`: the players whose player-turn is not over, if known; the captain is the first of them.
    """
    mine = [ship for ship in position.ships_of(player) if ship.crew and ship.id not in acted]
    usual = OrderSheet(tuple(mate.choose_lines(position, player, acted, seed)))
    if not mine or not position.ships_against(position.side_of_player(player)):
        return usual.lines
    return _SheetSearch(position, player, seed, order, acted).best_sheet(mine, usual).lines


def trial_budget(afloat: int) -> tuple[int, int]:
    """Return the number of samples for each sheet, and of turns to carry out, for a number of ships afloat."""
    samples = SAMPLE_COUNT if afloat <= CROWDED_SHIPS else _CROWDED_SAMPLES
    return samples, TURN_BUDGET // max(_MIN_SHIPS, afloat, afloat * afloat // CROWDED_SHIPS)


def possible_orders_of_play(position: Position, player: str) -> tuple[tuple[str, ...], ...]:
    playing = [other for other in position.players if position.ships_of(other)]
    own = tuple(other for other in playing if position.side_of_player(other) == position.side_of_player(player))
    enemies = tuple(other for other in playing if other not in own)
    return (*own, *enemies), (*enemies, *own)


class _SheetSearch:
    def __init__(
        self, position: Position, player: str, seed: str, order: tuple[str, ...], acted: tuple[str, ...]
    ) -> None:
        self._position = position
        self._player = player
        self._side = position.side_of_player(player)
        self._others = {
            other: OrderSheet(tuple(mate.choose_lines(position, other, (), derive_seed(seed, other))))
            for other in position.players
            if other != player
        }
        samples, budget = trial_budget(sum(ship.is_afloat for ship in position.ships))
        if order:  # ship by ship, each line is searched for separately
            budget //= len([ship for ship in position.ships_of(player) if ship.crew])
        orders = (order,) if order else possible_orders_of_play(position, player)
        begun = [TurnProgress(position=position, players_left=players, acted_ships=acted) for players in orders]
        self._foresight = TurnForesight(begun, samples, derive_seed(seed, "luck"))
        self._search = Search(self._sheet_values, budget=budget, samples=samples, slack=_SLACK_VP)

    def best_sheet(self, mine: Sequence[Ship], usual: OrderSheet) -> OrderSheet:
        enemies = self._position.ships_against(self._side)
        nearest_first = sorted(mine, key=lambda ship: min(prospects.middle_distance(ship, foe) for foe in enemies))
        near = {ship.id for ship in nearest_first[:MAX_OWN_SHIPS]}
        foreseen = self._expected_position()
        candidates = {
            ship.id: prospects.candidate_lines(self._position, foreseen, ship)
            for ship in mine
            if ship.id in near and not is_enough()
        }
        promising = sorted(candidates, key=lambda ship: -len(candidates[ship].attacks[0]))
        hopeful = [OrderLine(ship, (*candidates[ship].attacks[0], candidates[ship].places[0])) for ship in promising]
        hopeful += [line for line in usual.lines if line.ship not in candidates]
        best, *_ = self._search.rank((usual, OrderSheet(tuple(hopeful))))
        for _ in range(_MAX_PASSES):
            before = best
            for ship in nearest_first[:MAX_OWN_SHIPS]:
                if ship.id in candidates:
                    best = self._search.improve(best, _neighbouring_sheets(best, ship.id, candidates[ship.id]))
            if best == before:
                break
        return best

    def _expected_position(self) -> Position:
        """Return the position with every enemy where it would go if it attacked nobody."""
        position = self._position
        for player, sheet in self._others.items():
            if position.side_of_player(player) == self._side:
                continue
            for line in sheet.lines:
                moved_ship = moves.carry_out_manoeuvre(
                    position, position.ship_by_id(line.ship), line.alternatives[-1].manoeuvres
                ).ship
                position = with_ship(position, moved_ship)
        return position

    def _sheet_values(self, sheet: OrderSheet, samples: Sequence[int]) -> list[float]:
        sheets = {**self._others, self._player: sheet}
        return judge.position_values([self._foresight.position_after(sheets, sample) for sample in samples], self._side)


def _neighbouring_sheets(sheet: OrderSheet, ship: str, candidates: CandidateLines) -> Iterator[OrderSheet]:
    line = next(entry for entry in sheet.lines if entry.ship == ship)
    *attacks, place = line.alternatives
    chains: list[AlternativeChain] = [(*chain, place) for chain in candidates.attacks]
    chains += [(*attacks, other) for other in candidates.places]
    chains += [(*candidates.attacks[0], other) for other in candidates.places[:2]]
    for chain in chains:
        yield OrderSheet(tuple(OrderLine(ship, chain) if entry.ship == ship else entry for entry in sheet.lines))
    rest = tuple(entry for entry in sheet.lines if entry.ship != ship)
    yield OrderSheet((line, *rest))
    yield OrderSheet((*rest, line))
