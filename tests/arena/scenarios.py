"""Every scenario and ready fleet of every game between equal captains: `make arena GAME=scenarios`.

Prints a row for each: the share of games that its first side won, a draw counting half, with a 95 % interval. *Even*:
the whole interval is from 44 to 56 %; *uneven*: none of it. Sides, fleets and options come from the games' own data.

Results are kept in a file, so that a run that was broken off goes on where it was. They belong to the start of a game:
a scenario that changes is played again. After a change of computer captains delete the file.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from hashlib import sha256
from itertools import combinations, islice
from pathlib import Path
from typing import Any, Final, NamedTuple, get_args

import msgspec
import numpy as np

from rules.campaign.engine.sea.maps import sea_map
from rules.chance.dice import Dice, derive_seed
from rules.core.protocol import LEVEL_OPTION, Setup
from rules.core.registry import RULESETS
from rules.forts.engine.boards import BOARDS
from rules.matchbox.engine import points
from rules.matchbox.engine.scenarios import SCENARIOS as TABLE_SCENARIOS
from rules.matchbox.engine.state import TableSide
from rules.matchbox.interface.fleets import FleetContext, ready_fleets
from rules.ramspeed.engine import free_battle
from rules.ramspeed.engine.notation.scenarios import SCENARIOS as SEA_SCENARIOS
from rules.squadrons.engine.tables import FLEETS, SCENARIOS
from tests.arena.runs import percent, wilson

EVEN: Final = (0.44, 0.56)
CAPTAINS: Final = ("mate", "admiral")
_MAX_ROUNDS: Final = 60  # of War Galley, which has games without a limit
_MIN_GAMES: Final = 100  # of a row, however certain fewer seem
_LINE_START: Final = b'["'  # of every result in the file
_BATCH: Final = 20  # games of a contest between two looks at the others
_HEAD: Final = ("game", "scenario or fleet", "captains", "games", "sides", "won by the first", "drawn", "verdict")


class Contest(NamedTuple):
    """Two sides that play against each other. With `fleets`, each fleet has either side equally often."""

    game: str
    name: str
    sides: tuple[str, str]
    options: tuple[tuple[str, str], ...]
    fleets: tuple[str, str] | None = None  # as captains type them


class Game(NamedTuple):
    contest: Contest
    captain: str
    number: int


class Row(NamedTuple):
    """A line of the table: the contests whose games count, and the side that is called the first in each."""

    title: str
    sides: str  # the first one, whose share is shown, and the second
    contests: tuple[tuple[Contest, bool], ...]  # True: the contest's first side


Scores = dict[tuple[str, str, int], float]  # by contest, captain and number: of the contest's first side


# --- what there is to play ---------------------------------------------------------------------------------------


def all_rows() -> list[Row]:
    return [*_table_rows(), *_fort_rows(), *_sea_rows(), *_squadron_rows(), *_season_rows()]


def _row(game: str, name: str, sides: tuple[str, str], /, **options: str) -> Row:
    return Row(f"{game} | {name}", " - ".join(sides), ((Contest(game, name, sides, tuple(options.items())), True),))


def _fleet_rows(game: str, name: str, fleets: Mapping[str, str], /, **options: str) -> Iterator[Row]:
    """Yield a row for each of several ready fleets, against all others together; one row if there are two."""
    chosen = tuple(options.items())
    contests = [
        Contest(game, f"{name}: {first} - {second}", (first, second), chosen, (fleets[first], fleets[second]))
        for first, second in combinations(fleets, 2)
    ]
    if len(contests) == 1:
        yield Row(f"{game} | {name}", " - ".join(fleets), ((contests[0], True),))
        return
    for fleet in fleets if contests else ():
        own = [(contest, contest.sides[0] == fleet) for contest in contests if fleet in contest.sides]
        yield Row(f"{game} | {name}", f"{fleet} - all others", tuple(own))


def _table_rows() -> Iterator[Row]:
    south, north = get_args(TableSide)[:2]
    for title in TABLE_SCENARIOS:
        yield _row("matchbox", title, (south, north), scenario=title, deployment="ready")
    for budget in points.BUDGETS:
        for vessels in ("off", "on"):
            context = FleetContext(
                points=int(budget),
                max_vessels=points.MAX_VESSELS,
                allows_special=vessels == "on",
                allows_promotions=False,
                allows_boarding=False,
            )
            fleets = {key: points.format_fleet(fleet) for key, fleet in ready_fleets(context).items()}
            name = f"{budget} points" + ", special vessels" * (vessels == "on")
            yield from _fleet_rows("matchbox", name, fleets, points=budget, vessels=vessels, deployment="ready")


def _fort_rows() -> Iterator[Row]:
    for board in BOARDS:
        yield _row("forts", board, ("white", "red"), board=board, colours="first")


def _sea_rows() -> Iterator[Row]:
    for title, scenario in SEA_SCENARIOS.items():
        first, second = (fleet.name for fleet in scenario.sides)
        yield _row("ramspeed", title, (first, second), scenario=title, sides="first")
    for budget in free_battle.SEA.budgets:
        limits = free_battle.FleetLimits(points=budget, max_ships=free_battle.SEA.max_ships, nations=("other",))
        fleets = {
            name: " ".join(f"1x{ship.code}" for ship in fleet)
            for name, fleet in free_battle.fitting_fleets(limits).items()
        }
        options = {"scenario": "free", "points": str(budget), "sides": "first"}
        yield from _fleet_rows("ramspeed", f"free, {budget} points", fleets, **options)
    for situation in free_battle.SEA.situations:
        options = {"scenario": "free", "situation": situation, "sides": "first"}
        yield _row("ramspeed", f"free, {situation}", ("first", "second"), **options)


def _squadron_rows() -> Iterator[Row]:
    for battle in (*SCENARIOS, *FLEETS):
        yield _row("squadrons", battle, ("Blue", "Red"), battle=battle, sides="first")


def _season_rows() -> Iterator[Row]:
    first, second = (home.city for home in sea_map("gulf", 2).homes)
    yield _row("campaign", "gulf", (first, second), map="gulf")
    cities = [home.city for home in sea_map("ring", 4).homes]
    sides = "+".join(cities[::2]), "+".join(cities[1::2])
    yield _row("campaign", "ring, two sides", sides, map="ring", sides="sides")


# --- playing -----------------------------------------------------------------------------------------------------


def play(game: Game) -> float:
    """Return the score of the contest's first side: 1 won, 0 lost, 0.5 drawn."""
    contest, captain, number = game
    rules = RULESETS[contest.game]
    seed = sha256(f"scenarios {contest.game} {contest.name} {captain} {number}".encode()).hexdigest()
    state = _begin(contest, captain, seed).state
    seats = _seats_of_first(contest, state, number)
    fleets = _shuffled(contest, seed)
    while rules.result(state) is None and getattr(state, "round", 0) <= _MAX_ROUNDS:
        answers = {}
        for request in rules.pending_requests(state):
            if request.optional or request.battle is not None:
                continue
            if fleets and request.kind == "fleet":
                answers[request.id] = rules.parse_answer(state, request, fleets[request.seat not in seats])
            else:
                lot = derive_seed(seed, f"{request.id} {request.seat}")
                answers[request.id] = rules.computer_answer(rules.view(state, request.seat), request, lot)
        state = rules.resolve(state, answers).state
    result = rules.result(state)
    winners = result.winners if result else ()
    return sum(seat in seats for seat in winners) / len(winners) if winners else 0.5


def _begin(contest: Contest, captain: str, seed: str) -> Any:
    rules = RULESETS[contest.game]
    options = dict(contest.options)
    if has_levels(contest.game):
        options[LEVEL_OPTION] = captain
    setup = Setup(system=contest.game, teams=rules.seats(options), options=options)
    return rules.start(rules.with_edition(setup), Dice(seed))


def is_match(row: Row) -> bool:
    """Return whether the game itself says that a row's sides are not even, so that people exchange them."""
    contest, _ = row.contests[0]
    return RULESETS[contest.game].is_uneven(dict(contest.options))


def has_levels(game: str) -> bool:
    return any(spec.key == LEVEL_OPTION for spec in RULESETS[game].options)


def _seats_of_first(contest: Contest, state: Any, number: int) -> set[int]:
    """Return the seats of the contest's first side. A lot has drawn sides and homes where options can't name them."""
    if contest.fleets:
        return {number % 2}
    if contest.game == "matchbox":
        return {seat for seat, side in enumerate(state.sides) if side == contest.sides[0]}
    if contest.game == "campaign":
        cities = contest.sides[0].split("+")
        return {seat for seat, home in enumerate(state.position.homes) if home.city in cities}
    return {0}


def _shuffled(contest: Contest, seed: str) -> list[str]:
    """Return the fleets in an order of vessels that is drawn: places decide much between captains who play alike."""
    rng = np.random.default_rng(int(seed[:16], 16))
    return [" ".join(rng.permutation(fleet.split())) for fleet in contest.fleets or ()]


# --- what has been played ----------------------------------------------------------------------------------------


@cache
def fingerprint(contest: Contest) -> str:
    """Return what results are filed under: it changes with the contest's start."""
    start = _begin(contest, CAPTAINS[0], "00")
    return sha256(msgspec.json.encode((contest, start.state, start.events))).hexdigest()[:16]


def read_scores(file: Path) -> Scores:
    """Return the results in a file. A last line that was broken off doesn't count. Raises `ValueError` otherwise."""
    scores: Scores = {}
    *lines, unfinished = file.read_bytes().split(b"\n") if file.exists() else (b"",)
    for number, line in enumerate(lines, 1):
        try:
            contest, captain, game, score = msgspec.json.decode(line, type=tuple[str, str, int, float])
        except msgspec.MsgspecError as error:
            raise ValueError(f"{file}, line {number}: no result of a game ({error})") from None
        scores[contest, captain, game] = score
    if not _LINE_START.startswith(unfinished[: len(_LINE_START)]):
        raise ValueError(f"{file}, line {len(lines) + 1}: no result of a game")
    return scores


def _cut_unfinished_line(file: Path) -> None:
    data = file.read_bytes() if file.exists() else b""
    if not data.endswith(b"\n"):
        file.write_bytes(data[: data.rfind(b"\n") + 1])


def scores_of(row: Row, captain: str, numbers: range, scores: Scores) -> list[float]:
    """Return the scores of a row's first side in all of its games that have been played."""
    played = []
    for contest, is_first in row.contests:
        for number in numbers:
            score = scores.get((fingerprint(contest), captain, number))
            if score is not None:
                played.append(score if is_first else 1 - score)
    return played


def verdict(scores: Sequence[float]) -> str:
    if not scores:
        return "not played"
    low, high = wilson(sum(scores), len(scores))
    if EVEN[0] <= low and high <= EVEN[1]:
        return "even"
    if high < EVEN[0] or low > EVEN[1]:
        return "uneven"
    return "not certain, within" if EVEN[0] <= sum(scores) / len(scores) <= EVEN[1] else "not certain, beyond"


def table_line(row: Row, captain: str, scores: Sequence[float]) -> str:
    share = percent(sum(scores), len(scores)) if scores else ""
    level = captain if has_levels(row.contests[0][0].game) else "one level"
    judged = verdict(scores) + ", a match" * is_match(row)
    cells = (row.title, level, len(scores), row.sides, share, scores.count(0.5), judged)
    return f"| {' | '.join(map(str, cells))} |"


def numbers_of(row: Row, games: int, first_seed: int) -> range:
    """Return the numbers of the games of each contest of a row, so that the row has `games` together."""
    return range(first_seed, first_seed + -(-games // len(row.contests)))


def missing_games(
    rows: Iterable[Row], captain: str, numbers: Callable[[Row], range], scores: Scores, *, stops_early: bool
) -> list[Game]:
    """Return the next games to play: a few of each contest that lacks some."""
    games: dict[Game, None] = {}
    for row in rows:
        own = scores_of(row, captain, numbers(row), scores)
        if stops_early and len(own) >= _MIN_GAMES and verdict(own) in {"even", "uneven"}:
            continue
        for contest, _ in row.contests:
            lacking = (number for number in numbers(row) if (fingerprint(contest), captain, number) not in scores)
            games |= dict.fromkeys(Game(contest, captain, number) for number in islice(lacking, _BATCH))
    return list(games)


def play_all(
    rows: Sequence[Row], captain: str, numbers: Callable[[Row], range], file: Path, *, stops_early: bool
) -> None:
    """Play the missing games of all rows, and append each result to the file."""
    scores = read_scores(file)
    _cut_unfinished_line(file)
    with ProcessPoolExecutor() as pool, file.open("ab") as output:
        while games := missing_games(rows, captain, numbers, scores, stops_early=stops_early):
            for game, score in zip(games, pool.map(play, games), strict=True):
                key = fingerprint(game.contest), captain, game.number
                scores[key] = score
                output.write(msgspec.json.encode((*key, score)) + b"\n")
                output.flush()
            print(f"{captain}: {len(games)} more games", file=sys.stderr)


def main(arguments: Sequence[str] | None = None) -> int:
    """Play and print. Ends with 1 if a row is certainly uneven, and people don't play it as a match."""
    parser = argparse.ArgumentParser(prog="python -m tests.arena.scenarios", description=__doc__)
    parser.add_argument("--mate", type=int, default=1000, metavar="GAMES", help="of each row, between first mates")
    parser.add_argument("--admiral", type=int, default=400, metavar="GAMES", help="of each row, between admirals")
    parser.add_argument("--seed", type=int, default=0, metavar="NUMBER", help="number of the first game of each row")
    parser.add_argument("--only", nargs="*", default=[], metavar="TEXT", help="rows whose game or name has such a text")
    parser.add_argument("--early", action="store_true", help="after 100 games, play no row that is certain")
    parser.add_argument("--show", action="store_true", help="print what has been played, and play nothing")
    parser.add_argument("--keep", type=Path, default=Path("build/scenarios.jsonl"), metavar="FILE")
    chosen = parser.parse_args(arguments)
    rows = [row for row in all_rows() if not chosen.only or any(text in row.title for text in chosen.only)]
    if not rows:
        parser.error(f"no row has {' or '.join(chosen.only)}; there are: {', '.join(row.title for row in all_rows())}")
    if min(chosen.mate, chosen.admiral, chosen.seed) < 0:
        parser.error("numbers of games and seeds can't be negative")
    try:
        read_scores(chosen.keep)
    except ValueError as error:
        parser.error(str(error))
    chosen.keep.parent.mkdir(parents=True, exist_ok=True)
    lines, failed = [], False
    for captain in CAPTAINS:
        wanted = getattr(chosen, captain)

        def numbers(row: Row, wanted: int = wanted) -> range:
            return numbers_of(row, wanted, chosen.seed)

        some = [row for row in rows if wanted and (captain == CAPTAINS[0] or has_levels(row.contests[0][0].game))]
        if not chosen.show:
            play_all(some, captain, numbers, chosen.keep, stops_early=chosen.early)
        scores = read_scores(chosen.keep)
        for row in some:
            own = scores_of(row, captain, numbers(row), scores)
            lines.append(table_line(row, captain, own))
            failed |= verdict(own) == "uneven" and not is_match(row)
    print("\n".join([f"| {' | '.join(_HEAD)} |", "|---" * len(_HEAD) + "|", *lines]))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
