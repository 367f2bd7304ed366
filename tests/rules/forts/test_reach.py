"""Where enemies may get to in their next player-turn: none sails beyond it, and looking changes nothing."""

import re
from random import Random

import pytest
from msgspec import structs

from bot.texts.i18n import Catalogue, Localizer
from rules.chance.dice import Dice
from rules.core.errors import OrderError
from rules.core.protocol import Draft, Request, Setup
from rules.core.view import Text
from rules.forts.engine import actions, boards, fire, sailing
from rules.forts.engine.events import ShipMoved, ShotFired
from rules.forts.engine.state import CLASSES, CODES, COLOURS, EndOrder, FlagshipChoice, Position, Ship, State
from rules.forts.game import Forts
from rules.forts.interface import placing
from rules.forts.interface.game_flow import may_act
from tests.laws.play import tape, tapes

GAME = Forts()


@pytest.mark.parametrize("seed", range(20))
def test_no_ship_sails_beyond_it_in_any_wind_when_others_make_way(seed):
    chance = Random(seed)
    spots = chance.sample(sorted(boards.sea_hexes(boards.TWO_FORTS).values()), 8)
    names = [(colour, code) for colour in COLOURS for code in CODES]
    ships = tuple(Ship(colour=colour, code=code, hex=at) for (colour, code), at in zip(names, spots, strict=True))
    position = Position(
        board=boards.TWO_FORTS,
        turn=3,
        wind="calm",
        siege=None,
        quiet=0,
        white="west",
        flagships=("BB", "BB"),
        ships=ships,
    )
    for ship in ships:
        far = set(sailing.max_reach(position, ship))
        assert ship.hex not in far
        for wind in ("wind", "calm"):
            for others in (ships, (ship,), tuple(other for other in ships if other.colour == ship.colour)):
                there = structs.replace(position, wind=wind, ships=others)
                assert set(sailing.current_reach(there, ship).hexes) <= far


@pytest.mark.parametrize("code", CODES)
def test_a_ship_alone_may_shoot_at_exactly_the_hexes_that_are_in_range_of_one_that_she_reaches(code):
    start = Random(code).choice(sorted(boards.sea_hexes(boards.TWO_FORTS).values()))
    shooter = Ship(colour="red", code=code, hex=start, shots=1)
    position = Position(
        board=boards.TWO_FORTS, turn=3, wind="wind", siege=None, quiet=0, white="west", flagships=("BB", "BB"),
        ships=(shooter,),
    )  # fmt: skip
    spots = [start, *sailing.current_reach(position, shooter).hexes]
    under_fire = set()
    for label in set(boards.sea_hexes(boards.TWO_FORTS).values()):
        target = Ship(colour="white", code="BB", hex=label)
        lines = [
            fire.fire_line(position, structs.replace(shooter, hex=spot), target) for spot in spots if spot != label
        ]
        if any(line and line.need for line in lines):
            under_fire.add(label)
    assert fire.max_fire(position, shooter) == under_fire
    assert set(sailing.max_reach(position, shooter)) <= under_fire


@pytest.mark.parametrize(("system", "number"), [each for each in tapes() if each[0] == "forts"])
def test_no_ship_is_shot_at_where_nobody_was_said_to_shoot(system, number):
    game = tape(system, number)
    before = game.start.state.position  # as the enemies of the active captain saw it
    for turn in game.turns:
        shots = [event for event in turn.step.events if isinstance(event, ShotFired)]
        ships = {ship.id: ship for ship in before.ships}
        for shot in shots:
            assert shot.end in fire.max_fire(before, ships[shot.by])
        if turn.step.state.position.turn != before.turn:
            before = turn.step.state.position


def test_looking_at_it_changes_no_orders_and_is_told_in_words_too():
    number = next(number for system, number in tapes() if system == "forts")
    game = tape("forts", number)
    turn = next(t for t in game.turns if t.step.state.phase == "actions" and t.step.state.position.wind == "wind")
    state = turn.step.state
    request = next(request for request in GAME.pending_requests(state) if request.kind == "act")

    def option(draft: Draft, token: str):
        (match,) = [o for g in GAME.draft_choices(state, request, draft).groups for o in g.options if o.token == token]
        return match

    look = option(Draft(), "look.reach")
    assert (look.draft, look.is_chosen, look.seals_answer) == ("", False, False)
    on = Draft(look.draft, look.focus)
    assert GAME.type_text(state, request, Draft(), look.focus) == on, "it may be typed, too"
    view = GAME.view(state, request.seat, on)
    enemies = [ship for ship in view.ships if ship.colour != view.active]
    assert set(view.threats) == {hex_ for ship in enemies for hex_ in sailing.max_reach(state.position, ship)}
    under_fire = {label for ship in enemies for label in fire.max_fire(state.position, ship)}
    assert set(view.fire_threats) == under_fire - set(view.threats) != set()
    names = [line.params["ship"] for line in view.plan_lines if line.key == "plan.reach"]
    assert names == [ship.id for ship in enemies]
    legend = Text("line.reach")
    assert legend in GAME.draft_choices(state, request, on).lines
    assert legend not in GAME.draft_choices(state, request, Draft()).lines
    mine = next(ship for ship in view.ships if ship.colour == view.active)
    chosen = option(on, f"ship.{mine.code}")
    with_ship = Draft(chosen.draft, chosen.focus)
    assert GAME.view(state, request.seat, with_ship).current_ship == mine.id
    assert GAME.view(state, request.seat, with_ship).threats, "it stays on"
    assert GAME.type_text(state, request, Draft(), with_ship.focus) == with_ship
    off = option(with_ship, "look.reach")
    assert (off.focus, off.is_chosen) == (mine.code, True)
    assert GAME.view(state, request.seat, Draft(off.draft, off.focus)).threats == ()
    assert GAME.view(state, None).threats == GAME.view(state, None).fire_threats == ()


def two_against_two() -> tuple[State, Request]:
    sea = "two_forts 3 white wind - 3 white=west BB/BB ; wBB@H7 0 s3 ; wFR@K7 0 s1 ; rBB@R6 0 ; rBR@Q4 0"
    state = GAME.start(
        Setup(system="forts", teams=(0, 1), position=sea, options={"colours": "first"}), Dice("0f")
    ).state
    return state, next(request for request in GAME.pending_requests(state) if request.kind == "act")


def test_a_list_of_hexes_says_how_many_enemies_may_shoot_at_each():
    state, request = two_against_two()
    enemies = [ship for ship in state.position.ships if ship.colour == "red"]
    groups = GAME.draft_choices(state, request, Draft("", "FR")).groups
    options = [option for group in groups if group.key.startswith("sail") for option in group.options]
    counts = set()
    for option in options:
        label = option.token.removeprefix("to.")
        foes = sum(label in fire.max_fire(state.position, enemy) for enemy in enemies)
        assert option.label.params["foes"] == foes
        assert option.label.key.endswith("_danger") == (foes > 0)
        counts.add(foes)
    assert counts == {0, 1, 2}


def test_a_list_of_hexes_says_at_whom_the_ship_can_shoot_from_each():
    sea = "two_forts 3 white wind - 3 white=west BB/BB ; wFR@K7 0 s1 ; wBB@H7 0 s3 ; rBB@O6 0 ; rBR@O8 0"
    state = GAME.start(
        Setup(system="forts", teams=(0, 1), position=sea, options={"colours": "first"}), Dice("0f")
    ).state
    request = next(request for request in GAME.pending_requests(state) if request.kind == "act")
    groups = GAME.draft_choices(state, request, Draft("", "FR")).groups
    promised = {
        option.token.removeprefix("to."): option.label.params.get("targets", "")
        for group in groups
        if group.key.startswith("sail")
        for option in group.options
    }
    assert {bool(targets) for targets in promised.values()} == {False, True}
    for label, targets in promised.items():
        moved = GAME.resolve(state, {request.id: GAME.parse_answer(state, request, f"FR>{label}")}).state
        ship = next(ship for ship in moved.position.ships if ship.id == "wFR")
        lines = [line for line in fire.fire_lines(moved.position, ship) if line.need]
        easiest = min(lines, key=lambda line: line.need, default=None)
        assert targets == (f"{easiest.to[1:]} {easiest.need}+" if easiest else "")


@pytest.mark.parametrize("language", ["en", "hu"])
def test_the_panel_of_the_first_turns_the_help_and_the_legend_say_how_far_guns_reach(language):
    words = Localizer(Catalogue.load(language, "forts"), {})
    lines = [words.say_text(Text("score.range"))]
    lines += [words.say(key) for key in ("about", "mark.fire.open")]
    assert all("3" in line and "2" in line for line in lines)
    for number, key in ((1, "score.range"), (2, "score.range"), (4, "score.range"), (5, None)):
        colour, ships = ("white", "wBB@D5 0 s3 ; rBB@R6 0") if number % 2 else ("red", "wBB@D5 0 ; rBB@R6 0 s3")
        sea = f"two_forts {number} {colour} wind - 0 white=west BB/BB ; {ships}"
        state = GAME.start(
            Setup(system="forts", teams=(0, 1), position=sea, options={"colours": "first"}), Dice("0f")
        ).state
        score = GAME.view(state, 1 - number % 2).score
        assert (score.key if score else None) == key


def test_hexes_to_sail_to_are_listed_from_the_nearest_to_an_enemy_on():
    state, request = two_against_two()
    groups = GAME.draft_choices(state, request, Draft("", "FR")).groups
    labels = [option.token.removeprefix("to.") for g in groups if g.key.startswith("sail") for option in g.options]
    away = [min(fire.hex_distance(boards.TWO_FORTS, label, foe) for foe in ("R6", "Q4")) for label in labels]
    assert away == sorted(away)
    assert len(labels) == len(set(labels)) > 25


def test_the_panel_stays_with_the_ship_that_acted_while_she_can_act():
    stayed = 0
    for turn in (turn for system, number in tapes() if system == "forts" for turn in tape(system, number).turns):
        before, after = turn.before, turn.step.state
        acted = [event for event in turn.step.events if isinstance(event, ShotFired | ShipMoved)]
        if not acted or after.phase != "actions" or after.position.turn != before.position.turn:
            continue
        last = acted[-1].by if isinstance(acted[-1], ShotFired) else acted[-1].ship
        ship = next((ship for ship in after.position.ships if ship.id == last), None)
        if ship and may_act(after.position, ship):
            assert GAME.view(after, after.seat_of(after.position.active_colour)).current_ship == last
            stayed += 1
    assert stayed > 5


def test_a_hex_may_be_typed_without_the_sign_between():
    board = boards.TWO_FORTS
    assert actions.parse_actions("FR K7; br>f6", board) == actions.parse_actions("FR>K7; BR>F6", board)
    with pytest.raises(OrderError):
        actions.parse_actions("FR Z7", board)


@pytest.mark.parametrize("language", ["en", "hu"])
def test_choosing_the_flagship_each_ship_is_described_as_the_rules_have_her(language):
    words = Localizer(Catalogue.load(language, "forts"), {})
    table = words.say("request.flagship.more")
    for code in CODES:
        kind = CLASSES[code]
        name = words.say("choice.flagship", ship=code)
        assert name.startswith(f"{code} ")
        assert f"{name} {kind.margin}, {kind.shots}, {kind.wind}" in table
        text = words.say_text(placing.flagship_lines(FlagshipChoice(code))[1])
        assert [int(number) for number in re.findall(r"\d+", text)] == [kind.margin, kind.shots, kind.wind]
        assert name in words.say("mark.ship")
        for key in ("choice.shoot_one", "choice.shoot_all", "choice.shoot_blocked"):
            assert words.say(key, target=code, hex="K7", need=3).startswith(f"{name} K7")


@pytest.mark.parametrize(("language", "word"), [("en", "end"), ("hu", "vége")])
def test_what_was_typed_is_repeated_in_the_captains_words(language, word):
    words = Localizer(Catalogue.load(language, "forts"), {})
    said = words.say("say.carried_out", text="BB*FRx2|GA; BB>G4; end")
    assert f"BB*FRx2|GA; BB>G4; {word}" in said.replace("\\", "")
    assert actions.parse_actions(actions.to_notation_words(word), boards.TWO_FORTS) == (EndOrder(),)
