"""Random crowded cases of the fleet game: ships in all states close together, orders that are mostly legal."""

from random import Random

from rules.core.errors import OrderError
from rules.squadrons.engine.notation import order_text
from rules.squadrons.engine.phases.activation import rehearsal
from rules.squadrons.engine.sea import grid, position_text
from rules.squadrons.engine.tables import CLASSES, LEADERS

WIDTH, HEIGHT = 12, 12
MOVES = ("F", "F", "F", "F2", "P", "S", "B", "Bp", "Bs", "tp", "ts", "wp", "ws", "TA", "exit", "jettison", "pass")
SAILS = ("sail up", "sail down")
WORDS = {
    "avoid": ("any", "threat", "off"),
    "avoidDir": ("fwd", "back", "best"),
    "fire": ("return+threat", "return", "threat", "off"),
    "retract": ("stern", "stay"),
    "unfoul": ("auto", "always", "never"),
    "transfer": ("peril", "never"),
}


def case(seed):
    """Draw a case; some are refused."""
    chance = Random(seed)
    phase = chance.choice("EEEEEFFGH")
    text = sea(chance, phase)
    lies = position_text.parse_position(text)
    dice = [chance.randint(1, 6) for _ in range(400)]
    facts = {"position": text, "dice": dice, "doctrines": doctrines(chance)}
    if phase in "GH":
        return facts | {"phase": phase}
    side = chance.choice("BR")
    able = [ship.id for ship in lies.ships_of(side) if not ship.done] or ["B1"]
    names = chance.sample(able, 1 if phase == "F" else chance.randint(1, len(able)))
    targets = [ship.id for ship in lies.ships if ship.side != side or chance.random() < 0.05] or ["R9"]
    lines = [f"{name}: {orders(chance, lies, name, targets)}" for name in names if chance.random() < 0.9]
    lines += [board(chance, lies, name) for name in names if lies.grappled_to(name)]
    mode = chance.choice(("live", "deadline", "deadline", "deadline"))
    return facts | {"mode": mode, "activate": {"squadron": names, "orders": "\n".join(lines)}}


def sea(chance, phase):
    """Draw a position, until one is valid."""
    while True:
        wind = chance.choice(("", "", f" wind={chance.randrange(3)}:{chance.choice(grid.FACING_NAMES)}"))
        land = [grid.hex_at(chance.randint(2, 11), chance.randint(2, 11)) for _ in range(chance.choice((0, 0, 8)))]
        shore = f" land={','.join(sorted({grid.hex_label(here) for here in land}))}" * bool(land)
        records = _records(chance, land, windy=bool(wind))
        lost = chance.choice(("-/-", "-/-", "2/-", "1/3")) if phase == "H" else "-/-"
        options = chance.choice(("-", "flame", "flame,pots", "flame,pots"))
        text = " ; ".join(
            [
                f"squadrons 3 {phase} {WIDTH}x{HEIGHT} {options} vp=25 limit=12 bonus=0/0 lost={lost}{wind}{shore}",
                *records,
            ]
        )
        try:
            position_text.parse_position(text)
        except OrderError:
            continue
        return text


def _records(chance, land, *, windy):
    taken, records, ships = set(), [], []
    for number in range(chance.randint(4, 12)):
        code, facing = chance.choice(list(CLASSES)), chance.randrange(6)
        place = grid.HexPose(grid.hex_at(chance.randint(3, 9), chance.randint(3, 9)), facing)
        hexes = place.covered_hexes(CLASSES[code].size)
        if taken & set(hexes) or hexes[-1] in land:
            continue
        taken |= set(hexes)
        side = "BR"[number % 2]
        ship = f"{side}{number + 1}"
        ships.append((ship, hexes))
        ashore = f" AG{chance.randint(1, 3)}" * (hexes[0] in land) or " AG0" * (bool(land) and chance.random() < 0.1)
        sails = chance.choice(("", "", " SAIL", " SAIL", " MAST", " NOSAIL")) * windy
        state = _state(chance, code, may_row_hard=not (ashore or sails))
        records.append(f"{ship} {code}@{place} {state}{sails}{ashore}")
    pairs = [(a, b) for a, mine in ships for b, theirs in ships if a < b and grid.hex_distance(mine, theirs) == 1]
    for a, b in chance.sample(pairs, min(len(pairs), chance.choice((0, 0, 1, 3)))):
        records.append(f"{chance.choice(('grap', 'foul'))} {a} {b}")
    for number, (ship, _) in enumerate(chance.sample(ships, min(2, len(ships))), 1):
        records.append(
            f"lead {ship[0]}L{number} {chance.choice(list(LEADERS))}@{ship}{chance.choice(('', ' temp', ' perm'))}"
        )
    return records


def _state(chance, code, *, may_row_hard):
    if may_row_hard and chance.random() < 0.3:
        return "M q1"
    tags = {
        "RAM:R1": 0.08,
        "CRp": 0.08,
        "CRs": 0.08,
        f"F{chance.randint(1, 4)}": 0.1,
        "HS": 0.1,
        "CAP": 0.04,
        "D1": 0.1,
        "JET": 0.2 * CLASSES[code].towers,
        f"q{chance.randint(1, 2)}": 0.6,
        "rep": 0.05,
        "done": 0.05,
    }
    return " ".join(["C", *(tag for tag, often in tags.items() if chance.random() < often)])


def doctrines(chance):
    """Draw doctrines for both sides."""
    both = {side: {key: chance.choice(words) for key, words in WORDS.items()} for side in "BR"}
    return {side: words | {"board": chance.choice(("good", "always", "never"))} for side, words in both.items()}


def orders(chance, lies, name, targets):
    """Draw a line whose steps are mostly legal by themselves; half of them have an `else` branch."""
    held = lies.grappled_to(name)
    main = [f"cut {', '.join(held)}"] if held else []
    for _ in range(chance.randint(0, 5)):
        main.append(_next(chance, lies, f"{name}: {' '.join(main)}", targets))
    line = " ".join(main)
    return f"{line} | else {chance.choice(MOVES)} {chance.choice(MOVES)}" if chance.random() < 0.5 else line


def _next(chance, lies, line, targets):
    """Draw a step that is legal after a line, if one is soon found."""
    for _ in range(12):
        target, side = chance.choice(targets), chance.choice("ps")
        attacks = (
            *(f"ram {target}", f"F rake {target}", f"grap {target}", f"fire {target}", f"X {target}:{side}"),
            *(f"ram {target} pots", f"ana {target} {side}", f"fire {target} flame", f"ana {target} X {side}"),
        )
        moves = (*MOVES, *SAILS) if lies.wind else MOVES
        step = chance.choice(attacks if chance.random() < 0.8 else moves)
        rehearsed = rehearsal.rehearse_lines(lies, order_text.parse_orders(f"{line} {step}"))
        if not rehearsed[0].barred or chance.random() < 0.03:
            return step
    return "F"


def board(chance, lies, name):
    target = chance.choice(lies.grappled_to(name))
    return f"board {target} with {name}{chance.choice(('', ' x1'))}"
