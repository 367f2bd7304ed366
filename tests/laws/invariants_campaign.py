"""Invariants of every turn of The Sailing Season; see `tests.laws.play.own`."""

from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec import structs

from rules.campaign.engine import events as told
from rules.campaign.engine.sea.sight import visible_places
from rules.campaign.engine.sea.state import MASTS_BY_OARS, MAX_GALLEYS, MAX_IN_BATTLE, Position, State
from rules.campaign.interface.view import SeasonView
from rules.core.protocol import Event, Setup
from rules.core.sides import letter_of, seat_of

SETUPS = tuple(
    Setup(system="campaign", teams=teams, options=options, missed="hold" if len(teams) == 3 else "mate")
    for teams, options in (
        ((0, 1), {"map": "gulf", "turns": "12"}),
        ((0, 1, 2, 3), {"turns": "12"}),
        ((0, 1, 0, 1), {"sides": "sides"}),
        ((0, 1, 2), {"players": "3", "turns": "12"}),
        ((0, 1, 2, 3, 4), {"map": "east", "players": "5"}),
        ((0, 1, 0, 1, 0, 1, 0, 1), {"map": "east", "players": "8", "sides": "sides", "turns": "12"}),
    )
)


def teams(state: State) -> tuple[int, ...]:
    return state.position.teams


def most_steps(state: State) -> int:
    """A step a turn, one for each battle and switch, and what captains do unasked."""
    return 3 * (state.position.turns + 2) + len(state.position.captains)


def holdings(view: SeasonView) -> set[str]:
    """Return the ports of the view's captain."""
    return {port for port, owner in view.ports.items() if owner == view.captain}


def twins(state: State, seat: int | None) -> Iterator[State]:
    """Yield states with other galleys that the seat does not see, other talents, spare lists and ranks.

    In the second one the others have no talents either, so that some have nothing left.
    """
    if state.result is not None:
        return
    position = state.position
    captain = "" if seat is None else letter_of(seat)
    seen = visible_places(position, captain, position.galleys) if captain else frozenset()
    mine = position.captains_of_side(captain) if captain else ""
    engaged = {name for battle in position.battles for side in battle.galleys for name in side}
    galleys = tuple(
        galley if galley.captain in mine else structs.replace(galley, rank=2 - galley.rank, nights=galley.nights + 1)
        for galley in position.galleys
        if galley.captain in mine or galley.place in seen or galley.id in engaged
    )
    secret = {
        "talents": {letter: talents + (letter != captain) for letter, talents in position.talents.items()},
        "spares": {letter: letters for letter, letters in position.spares.items() if letter == captain},
        "next": {letter: number + (letter != captain) for letter, number in position.next.items()},
    }
    yield structs.replace(state, position=structs.replace(position, galleys=galleys, **secret))
    secret["talents"] = {letter: talents * (letter == captain) for letter, talents in position.talents.items()}
    yield structs.replace(state, position=structs.replace(position, galleys=galleys, **secret))


def check(before: State | None, events: Sequence[Event], after: State) -> None:
    _sound(after.position)
    assert (after.result is not None) == any(isinstance(event, told.SeasonEnded) for event in events)
    if before is None:
        return
    was, now = before.position, after.position
    assert now.turn <= now.turns + 3
    for captain in now.captains:
        assert now.trophies[captain] >= was.trophies[captain]
        assert now.next[captain] >= was.next[captain]
    old = {galley.id for galley in was.galleys}
    won = Counter[str]()
    for ended in (event for event in events if isinstance(event, told.BattleEnded)):
        won.update(ended.trophies)
        _thrown([event for event in events if isinstance(event, told.DiceRoundThrown) and event.id == ended.id], ended)
    assert all(now.trophies[captain] == was.trophies[captain] + won[captain] for captain in now.captains)
    for galley in now.galleys:
        # A number is never used again (CA-1.5).
        assert galley.id in old or galley.number >= was.next[galley.captain]
    if any(isinstance(event, told.TurnBegan) for event in events):
        _turned(was, events, now)


def _thrown(rounds: Sequence[told.DiceRoundThrown], ended: told.BattleEnded) -> None:
    """Check that the throws of a battle by dice lead to its end (CA-7.2 to CA-7.4)."""
    afloat = [{*side} for side in ended.galleys]
    assert bool(rounds) == (ended.mode != "play")
    for fought in rounds:
        assert {throw.galley for throw in fought.throws} == afloat[0] | afloat[1]
        for throw in fought.throws:
            own_side, other_side = afloat if throw.galley in afloat[0] else afloat[::-1]
            assert throw.target in (own_side if throw.die == 1 else other_side) | {""}
            assert bool(throw.damage) == bool(throw.target)
            assert throw.damage <= (3 if throw.die == 1 else 6)
            assert throw.bonus in range(3)
        afloat = [side - {*fought.sunk} for side in afloat]
    assert not rounds or {*ended.sunk} == {name for fought in rounds for name in fought.sunk}


def _sound(position: Position) -> None:
    """Check that the rules allow a position."""
    places = position.sea_map.places
    assert [(g.captain, g.number) for g in position.galleys] == sorted((g.captain, g.number) for g in position.galleys)
    assert all(talents >= 0 for talents in position.talents.values())
    assert all(places[port].is_port and owner in position.captains for port, owner in position.ports.items())
    engaged = {name: battle for battle in position.battles for side in battle.galleys for name in side}
    for galley in position.galleys:
        assert 1 <= galley.port <= galley.holes
        assert 1 <= galley.starboard <= galley.holes
        assert 0 <= galley.masts <= MASTS_BY_OARS[galley.holes]
        assert 0 <= galley.rank <= 2
        assert galley.place in places
        assert galley.battle == (engaged[galley.id].id if galley.id in engaged else "")
    assert all(count <= MAX_GALLEYS for count in Counter(galley.captain for galley in position.galleys).values())
    for battle in position.battles:
        assert not {*battle.sides[0]} & {*battle.sides[1]}
        for side, names in zip(battle.sides, battle.galleys, strict=True):
            assert 1 <= len(side) <= 2
            assert 2 <= len(names) <= MAX_IN_BATTLE
            assert {name[0] for name in names} == {*side}
        assert position.turn <= battle.began + 3
    assert all(position.count_battles(captain) <= 2 for captain in position.captains)
    for port, (by, nights) in position.sieges.items():
        assert 0 < nights < {1: 2, 2: 6, 3: 12}[places[port].worth]
        assert position.ports.get(port, "?") not in position.captains_of_side(by)


def _turned(was: Position, events: Sequence[Event], now: Position) -> None:
    """Check that ports, trophies, fleets and money change as the turn's events say."""
    ports = dict(was.ports)
    for event in events:
        if isinstance(event, told.PortFell):
            assert ports.get(event.port, "") == event.was
            ports[event.port] = event.by
    assert ports == now.ports
    lost = {galley for event in events if isinstance(event, told.BattleEnded) for galley in (*event.sunk, *event.taken)}
    assert not lost & {galley.id for galley in now.galleys}
    new = [galley.id for galley in now.galleys if galley.number >= was.next[galley.captain]]
    said = {
        event.galley
        for event in events
        if isinstance(event, told.GalleyLaunched | told.AidSent | told.CorsairJoined | told.PrizeTaken)
    }
    assert {*new} <= said
    for captain in now.captains:
        # Money comes from ports, ransom, raids and gifts, and goes into yards; nothing else changes it.
        mine = [event for event in events if event.seen_by is None or seat_of(captain) in event.seen_by]
        paid = sum(
            event.price for event in mine if isinstance(event, told.GalleyLaunched) and event.galley[0] == captain
        )
        paid += sum(isinstance(event, told.GalleyRepaired) and event.galley[0] == captain for event in mine)
        got = sum(event.income for event in mine if isinstance(event, told.NightAccounted))
        for event in mine:
            if isinstance(event, told.GiftPaid):
                got += event.talents * ((event.to == captain) - (event.by == captain))
            elif isinstance(event, told.PortRaided) and event.by == captain:
                got += event.talents
            elif isinstance(event, told.BattleEnded) and event.holds and captain in event.holds:
                ransom = 2 * len([name for name in event.sunk if name[0] not in event.holds] + [*event.taken])
                share = len(event.holds)
                got += ransom if share == 1 else 0
                if share > 1:
                    return  # two share in turn: cases show how
        assert now.talents[captain] == was.talents[captain] + got - paid
