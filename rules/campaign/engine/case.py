"""JSON cases: one turn as input and its result as output."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal

from msgspec import UNSET, Struct, UnsetType, structs, to_builtins

from rules.campaign.engine import events
from rules.campaign.engine.orders import parse_orders
from rules.campaign.engine.sea.maps import sea_map
from rules.campaign.engine.sea.state import MASTS_BY_OARS, BattleResult, Ending, Galley, Position, SeaBattle
from rules.campaign.engine.turn import carry_out
from rules.chance.dice import Dice
from rules.core.errors import IllegalOrder, UnreadableOrder, decode_checked, quote_excerpt
from rules.core.protocol import Event

_GALLEY_PATTERN: Final = re.compile(  # `A1 PIR 5-5+3/5 r0 n0 B3`
    r"([A-H])([1-9][0-9]{0,3}) ([A-Z0-9]{2,3}) ([0-9])-([0-9])\+([0-9])/([456]) "
    r"r([012]) n([0-9]{1,3})(?: (B[0-9]{1,4}))?"
)


class _CaseBattle(Struct, frozen=True, forbid_unknown_fields=True):
    id: str  # such as `B3`
    place: str  # where it is fought
    sides: tuple[list[str], list[str]]  # letters of attackers and defenders
    galleys: tuple[list[str], list[str]]  # ids of their galleys
    began: int = 1  # the turn in which it began


class _CasePosition(
    Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename={"next_battle": "nextBattle"}
):
    """A position in a case; missing fields are empty, or as the game begins."""

    map: str  # name of the sea map
    captains: str  # letters of all captains, from `A`
    turn: int = 1  # the turn to be carried out
    turns: int = 24  # the number of turns
    teams: list[int] | None = None  # each captain's side; None: all alone
    talents: dict[str, int] = {}  # money by captain
    trophies: dict[str, int] = {}  # trophies by captain
    spares: dict[str, str] = {}  # letters of spared captains, by captain
    ports: dict[str, str] | UnsetType = UNSET  # letter of the owner by port; absent: as the game begins
    sieges: dict[str, tuple[str, int]] = {}  # besieger and galley-nights by port
    galleys: list[str] = []  # one line a galley, such as `A1 PIR 5-5+3/5 r0 n0`
    next: dict[str, int] = {}  # number of each captain's next new galley
    agree: str = ""  # letters of captains who settle battles by dice
    battles: list[_CaseBattle] = []  # battles that are being played
    next_battle: int | UnsetType = UNSET  # number of the next battle; absent: one more than the highest

    def __post_init__(self) -> None:
        if self.captains != "ABCDEFGH"[: len(self.captains)] or len(self.captains) < 2:
            raise ValueError("captains: `AB` to `ABCDEFGH`")
        if self.turn < 1 or self.turns < 1:
            raise ValueError("turns are counted from 1")
        if self.teams is not None and len(self.teams) != len(self.captains):
            raise ValueError("teams: one for each captain")
        if min((*self.talents.values(), *self.trophies.values(), *self.next.values(), 0)) < 0:
            raise ValueError("nobody has less than 0")
        for letters in (*self.talents, *self.trophies, *self.spares, *self.spares.values(), *self.next, self.agree):
            if unknown := {*letters} - {*self.captains}:
                raise ValueError(f"no captain {min(unknown)}")


class Case(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    position: _CasePosition  # the position before the turn
    ruleset: Literal["campaign"] = "campaign"
    seed: str = "00"  # the seed of the dice, as hex
    orders: dict[str, str] = {}  # each captain's orders, as typed
    battles: dict[str, BattleResult] = {}  # by id; a battle that is not named stays open

    def __post_init__(self) -> None:
        bytes.fromhex(self.seed)


def adjudicate_case(data: bytes | str) -> dict[str, Any]:
    """Carry out one turn of a case in JSON; return its events, the position after it, and the winner or None.

    Orders that break a rule are refused as a whole: `refused` is the rule, and `why` the code and the word. Raises
    `OrderError` for input that is no case.
    """
    case = decode_checked(data, Case, "json", "bad_json", piece="case")
    position = _to_position(case.position)
    for named in (case.orders, case.battles):
        known = position.captains if named is case.orders else [battle.id for battle in position.battles]
        if unknown := sorted({*named} - {*known}):
            raise UnreadableOrder("bad_json", piece=unknown[0], expected=" ".join(known))
    _check_ended(position, case.battles)
    try:
        orders = {captain: parse_orders(position, captain, text) for captain, text in sorted(case.orders.items())}
    except (IllegalOrder, UnreadableOrder) as error:
        fault = error.fault
        if not fault.rule:
            raise
        return {"refused": fault.rule, "why": f"{fault.code}: {fault.piece}"}
    outcome = carry_out(position, orders, case.battles, Dice(seed=case.seed))
    return {
        "events": [event_data for event in outcome.events if (event_data := event_to_json(event))],
        "position": position_to_json(outcome.position),
        "winner": _winner_to_json(outcome.ending),
    }


def read_position(text: bytes | str) -> Position:
    """Parse a position in JSON, as cases have it. Raises `OrderError` with the field."""
    return _to_position(decode_checked(text, _CasePosition, "json", "bad_json", piece="position"))


def read_galley(line: str) -> Galley:
    """Parse a line such as `A1 PIR 5-5+3/5 r0 n0 B3`. Raises `UnreadableOrder`."""
    match = _GALLEY_PATTERN.fullmatch(line)
    if not match:
        raise UnreadableOrder("bad_galley", piece=quote_excerpt(line), expected="A1 PIR 5-5+3/5 r0 n0 B3")
    port, starboard, masts, holes = map(int, match.groups()[3:7])
    if not (1 <= port <= holes and 1 <= starboard <= holes and masts <= MASTS_BY_OARS[holes]):
        raise UnreadableOrder(
            "bad_galley", piece=quote_excerpt(line), expected=f"{holes}-{holes}+{MASTS_BY_OARS[holes]}/{holes}"
        )
    return Galley(
        captain=match[1],
        number=int(match[2]),
        place=match[3],
        port=port,
        starboard=starboard,
        masts=masts,
        holes=holes,
        rank=int(match[8]),
        nights=int(match[9]),
        battle=match[10] or "",
    )


def write_galley(galley: Galley) -> str:
    crew = f"{galley.port}-{galley.starboard}+{galley.masts}/{galley.holes}"
    line = f"{galley.id} {galley.place} {crew} r{galley.rank} n{galley.nights}"
    return f"{line} {galley.battle}" if galley.battle else line


def _to_position(data: _CasePosition) -> Position:
    captains = data.captains
    chart = sea_map(data.map, len(captains))
    galleys = sorted(map(read_galley, data.galleys), key=lambda galley: (galley.captain, galley.number))
    if data.ports is UNSET:
        ports = {home.city: captain for home, captain in zip(chart.homes, captains, strict=True)}
    else:
        ports = {port: captain for captain, codes in data.ports.items() for port in codes.split()}
    battles = tuple(
        SeaBattle(
            id=entry.id,
            place=entry.place,
            sides=(tuple(entry.sides[0]), tuple(entry.sides[1])),
            galleys=(tuple(entry.galleys[0]), tuple(entry.galleys[1])),
            began=entry.began,
        )
        for entry in data.battles
    )
    _check_names(data, galleys, ports, battles)
    numbers = {captain: [galley.number for galley in galleys if galley.captain == captain] for captain in captains}
    teams = tuple(data.teams) if data.teams is not None else tuple(range(len(captains)))
    spares = {captain: "".join(sorted({*data.spares[captain]})) for captain in sorted(data.spares)}
    return Position(
        map=data.map,
        captains=captains,
        teams=teams,
        homes=chart.homes,
        turn=data.turn,
        turns=data.turns,
        talents={captain: data.talents.get(captain, 0) for captain in captains},
        trophies={captain: data.trophies.get(captain, 0) for captain in captains},
        spares={captain: letters for captain, letters in spares.items() if letters},
        ports=ports,
        sieges=data.sieges,
        galleys=tuple(galleys),
        next={captain: data.next.get(captain, max(numbers[captain], default=0) + 1) for captain in captains},
        agree="".join(sorted({*data.agree})),
        battles=battles,
        next_battle=_next_battle(battles) if data.next_battle is UNSET else data.next_battle,
    )


def _next_battle(battles: Iterable[SeaBattle]) -> int:
    return max((int(battle.id[1:]) for battle in battles), default=0) + 1


def _check_names(
    data: _CasePosition, galleys: list[Galley], ports: dict[str, str], battles: tuple[SeaBattle, ...]
) -> None:
    """Refuse names that do not fit together: unknown places, captains and galleys, or ids that appear twice."""
    places = sea_map(data.map, len(data.captains)).places
    port_codes = {code for code, place in places.items() if place.is_port}
    captains = {*data.captains}
    galleys_by_id = {galley.id: galley for galley in galleys}
    battle_by_galley = {name: battle.id for battle in battles for side in battle.galleys for name in side}
    wrong = [
        *({*ports, *data.sieges} - port_codes),
        *({*ports.values(), *(by for by, _ in data.sieges.values())} - captains),
        *(galley.id for galley in galleys if galley.captain not in captains or galley.place not in places),
        *(galley.id for galley in galleys if galley.battle != battle_by_galley.get(galley.id, "")),
        *({*battle_by_galley} - {*galleys_by_id}),
        *(battle.id for battle in battles if not _is_valid_battle(battle, galleys_by_id)),
    ]
    if len(galleys_by_id) < len(galleys) or len({battle.id for battle in battles}) < len(battles):
        wrong.append("galleys")
    if wrong:
        raise UnreadableOrder("bad_json", piece=min(wrong), expected="position")


def _is_valid_battle(battle: SeaBattle, galleys_by_id: Mapping[str, Galley]) -> bool:
    def is_present(name: str) -> bool:
        return name in galleys_by_id and galleys_by_id[name].place == battle.place

    are_sides_valid = all(
        names and all(is_present(name) and name[0] in captains for name in names)
        for captains, names in zip(battle.sides, battle.galleys, strict=True)
    )
    return bool(re.fullmatch(r"B[0-9]{1,4}", battle.id)) and are_sides_valid


def _check_ended(position: Position, ended: Mapping[str, BattleResult]) -> None:
    holes_by_galley = {galley.id: galley.holes for galley in position.galleys}
    for battle in position.battles:
        if battle.id not in ended:
            continue
        names = {name for side in battle.galleys for name in side}
        for name, (port, starboard, masts) in ended[battle.id].left.items():
            holes = holes_by_galley[name] if name in names else 0  # 0: not in this battle
            if not holes or not (1 <= port <= holes and 1 <= starboard <= holes and 0 <= masts <= MASTS_BY_OARS[holes]):
                raise UnreadableOrder("bad_json", piece=f"battles.{battle.id}.left.{name}", expected="4-4+2")


def position_to_json(position: Position) -> dict[str, Any]:
    data: dict[str, Any] = {
        "map": position.map,
        "captains": position.captains,
        "turn": position.turn,
        "turns": position.turns,
        "talents": {captain: position.talents[captain] for captain in position.captains},
        "trophies": {captain: position.trophies[captain] for captain in position.captains},
        "spares": dict(position.spares),
        "ports": {captain: " ".join(position.ports_of(captain)) for captain in position.captains},
        "sieges": {port: list(position.sieges[port]) for port in sorted(position.sieges)},
        "galleys": [write_galley(galley) for galley in position.galleys],
        "next": {captain: position.next[captain] for captain in position.captains},
        "agree": position.agree,
        "battles": [to_builtins(battle) for battle in position.battles],
        "nextBattle": position.next_battle,
    }
    if position.has_allies:
        data["teams"] = list(position.teams)
    return data


def _winner_to_json(ending: Ending | None) -> dict[str, Any] | None:
    return None if ending is None else structs.asdict(ending) | {"winners": list(ending.winners)}


_CASE_EVENTS: Final[Mapping[type[Event], tuple[str, tuple[str, ...]]]] = {  # name in cases, and fields shown
    events.GiftPaid: ("paid", ("by", "to", "talents")),
    events.BattleMet: ("battle", ("id", "place", "attackers", "defenders", "galleys", "mode")),
    events.BattleEnded: ("outcome", ("id", "holds", "sunk", "taken", "fled", "rounds")),
    events.GalleysSlippedAway: ("slipped", ("captain", "galleys", "to")),
    events.BoomHeld: ("boom", ("port", "captain")),
    events.PortBesieged: ("besieged", ("port", "by", "nights", "of")),
    events.PortFell: ("captured", ("port", "by", "was")),
    events.PortRaided: ("raided", ("port", "by", "talents")),
    events.GalleyLaunched: ("launched", ("port", "galley", "price")),
    events.LaunchFailed: ("not_launched", ("port", "by")),
    events.CrewThirsted: ("thirst", ("galley",)),
    events.AidSent: ("aid", ("galley", "place")),
    events.CorsairJoined: ("joined", ("galley",)),
}


def event_to_json(event: Event) -> dict[str, Any] | None:
    """Return an event as a case writes it, or None if cases do not include it."""
    if isinstance(event, events.GalleyRepaired):
        return {"type": "repaired", "galley": event.galley, "now": f"{event.port}-{event.starboard}+{event.masts}"}
    if type(event) not in _CASE_EVENTS:
        return None
    name, fields = _CASE_EVENTS[type(event)]
    return {"type": name} | {key: to_builtins(getattr(event, key)) for key in fields}
