"""Crews that captains keep from game to game: chosen, taught, lost and brought home (MX-4.3 to 4.7)."""

import json
from typing import Any

import msgspec
import pytest
from msgspec import UNSET, structs

from bot.texts.i18n import Catalogue, Localizer
from bot.texts.style import PLAIN_STYLE
from rules.chance.dice import Dice
from rules.core.errors import OrderError
from rules.core.keepsakes import MAX_KEEPSAKES, Keepsake, name_number
from rules.core.protocol import Draft, Setup, Step
from rules.matchbox.engine.events import FleetRevealed, GalleyPlaced, KeptCrewAboard, ShipRammed
from tests.rules.matchbox.play import GAME, answered

SEED = "0123" * 16
WORDS = Localizer(
    Catalogue.load("en", "matchbox"), {0: "Anna", 1: "Ben", name_number(0, 1): "Storks"}, style=PLAIN_STYLE
)


def crew(number: int, build: str = "5", **body: Any) -> Keepsake:
    elsewhere = body.pop("elsewhere", False)
    return Keepsake(number=number, body=json.dumps({"build": build, **body}), elsewhere=elsewhere)


def begin(*crews: Keepsake, points: str = "36", **options: str) -> Step:
    """Begin a game to which the first captain brings these crews."""
    chosen = {"points": points, "crews": "kept", "deployment": "ready", "table": "coffee", **options}
    setup = Setup(system="matchbox", teams=(0, 1), options=chosen, keepsakes=(crews, ()))
    return GAME.start(setup, Dice(SEED))


def fleet(state: Any, text: str) -> tuple[str, ...]:
    return GAME.parse_answer(state, GAME.pending_requests(state)[0], text).vessels


def brought_home(state: Any, *, taught: bool = True) -> dict[int | None, Any]:
    """Return the first captain's crews after the game, by number."""
    return {crew.number: json.loads(crew.body) for crew in GAME.keepsakes.after_game(state, taught=taught)[0]}


def crew_sentences(state: Any, seat: int = 0, *, taught: bool = True) -> list[str]:
    """Return the sentences about the crews of one captain."""
    return [
        WORDS.say_text(text)
        for crew in GAME.keepsakes.after_game(state, taught=taught)[seat]
        for text in crew.sentences
    ]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("c9", "no_such_crew"),
        ("c", "no_such_crew"),
        ("c1{", "no_such_choice_of_promotion"),
        ("c1{rmb}", "no_such_choice_of_promotion"),
        ("c1{m}", "no_such_choice_of_promotion"),
        ("c1{mr}", "no_such_choice_of_promotion"),
        ("c1 c1", "crew_twice"),
        ("2xc1", "crew_twice"),
        ("c2", "crew_elsewhere"),
        ("c3{c}", "no_such_choice_of_promotion"),
        ("c1 4 4", "fleet_too_dear"),
        ("5{r}", "fresh_crew"),
        ("5-", "bad_build"),
        ("-c3", "no_such_vessel_in_fleet"),
        ("5 wishes=rr", "bad_wishes"),
        ("5 wishes=x", "bad_wishes"),
    ],
)
def test_a_crew_that_may_not_be_brought_so_is_refused(text, code):
    crews = (crew(1, xp=9, promotions="r"), crew(2, elsewhere=True), crew(3, xp=3, promotions="r"))
    state = begin(*crews).state
    with pytest.raises(OrderError) as refused:
        fleet(state, text)
    assert refused.value.fault.code == code


@pytest.mark.parametrize(
    ("text", "rule", "said"),
    [
        ("c9", "", {"expected": "c1, c3, c4, c2"}),
        ("c2", "MX-4.3", {}),
        ("c1{m}", "MX-4.4", {"xp": 9, "expected": "r, m, b, p, c"}),
        ("c3{m}", "MX-4.4", {"xp": 3, "expected": "r"}),
        ("c4{m}", "MX-4.4", {"xp": 4, "expected": ""}),
    ],
)
def test_a_refusal_says_what_could_be_brought(text, rule, said):
    trained = crew(1, xp=9, promotions="r"), crew(3, xp=3, promotions="r"), crew(4, xp=4, promotions="r")
    state = begin(*trained, crew(2, elsewhere=True)).state
    with pytest.raises(OrderError) as refused:
        fleet(state, text)
    fault = refused.value.fault
    assert (fault.rule, fault.params) == (rule, said)
    assert fault.piece in {text, "m"}


@pytest.mark.parametrize(
    ("text", "vessels"),
    [
        ("c1", ("c1{rm}",)),  # r, m, c, b, p
        ("c1 wishes=bp", ("c1{rb}",)),
        ("c1{rp} 5", ("c1{rp}", "5")),
        ("c3", ("c3{r}",)),  # MX-4.6: of two one is left
        ("c3{c}", ("c3{c}",)),
        ("c3 wishes=bc", ("c3{c}",)),
        ("c4 wishes=pc", ("c4{rpc}",)),
        ("+c3 +c1", ("c3{r}", "c1{rm}")),
    ],
)
def test_promotions_that_are_due_are_chosen_or_wished_and_so_are_those_to_be_lost(text, vessels):
    state = begin(crew(1, xp=9, promotions="r"), crew(3, xp=4, promotions="rc"), crew(4, xp=16)).state
    assert fleet(state, text) == vessels


@pytest.mark.parametrize(
    ("one", "key", "skills"),
    [
        (crew(1, xp=9, promotions="r"), "line.own.due", ["promotion.m"]),
        (crew(1, xp=4, promotions="rm"), "line.own.owes", ["promotion.r"]),
        (crew(1, xp=3, promotions="rm"), "line.own.owes.all", ["promotion.r", "promotion.m"]),
        (crew(1, xp=4, promotions="r"), "line.fleet.costing", None),
    ],
)
def test_the_panel_says_first_what_a_crew_gets_or_gives_up(one, key, skills):
    state = begin(one, points="36").state
    first, *_ = GAME.draft_choices(
        state, GAME.pending_requests(state)[0], GAME.type_text(state, GAME.pending_requests(state)[0], Draft(), "c1")
    ).lines
    assert first.key == key
    assert skills is None or [text.key for text in first.params["skills"]] == skills


def test_promotions_of_kept_crews_cost_a_point_each_and_are_pressed_one_for_another():
    state = begin(crew(1, xp=9, promotions="r"), points="36").state
    (request, _) = GAME.pending_requests(state)
    groups = {group.key: group for group in GAME.draft_choices(state, request, Draft()).groups}
    (own,) = groups["own"].options
    assert own.draft == "c1{rm}"
    assert own.label.params["crew"] == name_number(0, 1)
    choices = GAME.draft_choices(state, request, Draft("c1{rm} 5"))
    assert choices.lines[1].params["left"] == 36 - 14 - 12
    assert choices.lines[0].key == "line.own.due", "what is for good is read first"
    crew_in_hand, promote, *_ = choices.groups
    assert (crew_in_hand.key, promote.key) == ("crew", "promote"), "first, as it is for good"
    assert {option.token[-1]: option.draft for option in promote.options if not option.is_chosen} == {
        "b": "c1{rb} 5",
        "p": "c1{rp} 5",
        "c": "c1{rc} 5",
    }
    assert "own" not in {group.key for group in choices.groups}, "she is in the fleet"


def test_each_promotion_that_is_offered_can_be_pressed():  # MX-4.4, 4.6
    """Also where a crew must lose all its promotions, so that there is none to exchange."""
    for xp, promotions in [(2, "r"), (4, "r"), (4, "rm"), (9, "r"), (9, "rmc")]:
        state = begin(crew(1, xp=xp, promotions=promotions)).state
        (request, _) = GAME.pending_requests(state)
        for group in GAME.draft_choices(state, request, GAME.type_text(state, request, Draft(), "c1 5")).groups:
            for option in group.options:
                if option.token.startswith("promote.") and not option.fault:
                    assert GAME.parse_answer(state, request, option.draft), (xp, promotions, option.draft)


def test_the_fleet_of_the_last_game_is_offered_but_who_says_nothing_risks_no_crew():
    note = Keepsake(number=0, body='{"fleet":"c1 5","wishes":"b"}')
    state = begin(crew(1, xp=4), note).state
    (request, _) = GAME.pending_requests(state)
    (stock,) = [group for group in GAME.draft_choices(state, request, Draft()).groups if group.key == "stock"]
    assert (stock.options[0].token, stock.options[0].draft) == ("stock.last", "c1{b} 5")
    assert GAME.default_answer(state, request).vessels == ("5", "5", "5")


@pytest.mark.parametrize(
    "body",
    [
        "",
        "[]",
        '{"build":"9"}',
        '{"build":"5{r}"}',
        '{"build":"5-"}',
        '{"build":"5","xp":-1}',
        '{"build":"5","promotions":"mr"}',
        '{"build":"5","promotions":"rmbp"}',
        '{"build":"5","xp":1e99}',
    ],
)
def test_a_record_that_nobody_can_have_kept_is_refused(body):
    with pytest.raises(OrderError) as refused:
        begin(Keepsake(number=1, body=body))
    assert refused.value.fault.code == "bad_keepsake"
    assert refused.value.fault.piece == "1"
    with pytest.raises(OrderError) as refused:
        begin(Keepsake(number=0, body='{"wishes":"rx"}'))
    assert refused.value.fault.code == "bad_keepsake"
    with pytest.raises(OrderError):
        begin(crew(1), crew(1))


def test_nobody_else_sees_which_crews_a_captain_has_until_fleets_are_shown():
    with_crews, without = begin(crew(1, xp=9)).state, begin().state
    assert GAME.view(with_crews, 1) == GAME.view(without, 1)
    assert GAME.view(with_crews, None) == GAME.view(without, None)
    step = answered(with_crews, "c1{rm}", "5")
    aboard = [event for event in step.events if isinstance(event, KeptCrewAboard)]
    assert [(event.galley, event.crew, event.promotions) for event in aboard] == [("A1", name_number(0, 1), "rm")]


def test_a_battered_crew_begins_with_an_oar_less_on_each_side_unless_it_stays_at_home():
    """MX-4.7."""
    state = begin(crew(1, "5", xp=1, battered=True), crew(2, "4", battered=True)).state
    step = answered(state, "c1 5", "5")
    assert next(event.vessels for event in step.events if isinstance(event, FleetRevealed)) == ("5-", "5")
    assert [event.oars for event in step.events if isinstance(event, GalleyPlaced)] == [4, UNSET, UNSET]
    galleys = {galley.id: (galley.port, galley.starboard) for galley in step.state.galleys}
    assert galleys == {"A1": (4, 4), "A2": (5, 5), "B1": (5, 5)}
    over = GAME.concede(step.state, 1).state
    home = brought_home(over)
    assert home[2] == {"build": "4"}
    assert "battered" not in home[1]
    home = brought_home(over, taught=False)
    assert home[1]["battered"] is True, "nor does a crew recover by a game that was hardly played"
    assert 2 not in home


RAMS = "1200x800 ; A1:south 5-5+3/5 @600,300^0 ; A2:south 5-5+3/5 @200,200^0 ; B1:north 1-1+0/5 @630,400^90"


def at_sea(*crews: Keepsake, position: str = RAMS) -> Any:
    """Begin a fight in which the first captain's A1 has the first of these crews."""
    game = answered(begin(*crews).state, f"c{crews[0].number} 5", "5").state
    there = GAME.state_at(position)
    return structs.replace(game, galleys=there.galleys, width_mm=there.width_mm, height_mm=there.height_mm)


def test_deeds_the_end_and_victory_teach_through_the_real_end_of_a_game():
    """MX-4.3, 4.4: afloat 1, won 1, a hard ram 1, an enemy sunk 1."""
    state = at_sea(crew(1, xp=1), crew(2, xp=8))
    step = answered(state, "A1 FFXXF; A2 FFFFX", "B1 F")
    assert [event.damage for event in step.events if isinstance(event, ShipRammed)] == [4]
    assert step.state.result.winners == (0,)
    home = brought_home(step.state)
    assert home[1] == {"build": "5", "xp": 5}
    assert home[None] == {"build": "5", "xp": 2}, "a fresh crew is kept once it has learnt something"
    assert home[0] == {"fleet": "c1 5"}
    assert 2 not in home
    assert crew_sentences(step.state) == [
        "Storks (A1): +4 XP, now 5 and may choose 1 promotion when the next fleet is built",
        "Anna has a new crew, from A2: 2 XP",
    ]
    assert crew_sentences(step.state, 1) == ["Ben keeps no crew from B1, because they learnt nothing"]
    again = begin(Keepsake(number=1, body=json.dumps(home[1]))).state
    assert fleet(again, "c1") == ("c1{r}",)


def test_at_most_six_are_learnt_and_nothing_where_too_little_was_played():
    state = structs.replace(at_sea(crew(1, xp=1)), learnt={"A1": 9})
    over = GAME.concede(state, 1).state
    assert brought_home(over)[1]["xp"] == 1 + 6
    assert brought_home(over, taught=False)[1]["xp"] == 1
    assert None not in brought_home(over, taught=False)
    assert crew_sentences(over, taught=False) == []


def test_who_brings_fresh_vessels_rams_and_gives_up_at_once_harms_no_crew():
    """Where too little was played to teach anything, who has won has lost nothing."""
    state = at_sea(crew(1, xp=9, promotions="r"), position=RAMS.replace("A1:south 5-5+3/5", "A1:south 2-3+3/5"))
    sunk = structs.replace(state, galleys=state.galleys[1:], lost=state.galleys[:1])
    for end in (state, sunk):
        over = GAME.concede(end, 1).state
        assert brought_home(over, taught=False)[1] == {"build": "5", "xp": 9, "promotions": "rm"}
        assert crew_sentences(over, taught=False) == []
        drawn = brought_home(GAME.agree_draw(end).state, taught=False)
        assert drawn[1] != brought_home(over, taught=False)[1], "else both would agree on it"
    won = GAME.concede(sunk, 1).state
    assert brought_home(won)[1]["xp"] == (9 + 1) // 2
    left = structs.replace(won, conceded=(0, 1))
    assert brought_home(left, taught=False)[1]["xp"] == 9 // 2, "nor is who leaves it to allies to win spared anything"


def test_a_crew_that_lost_its_galley_keeps_half_and_must_choose_what_it_gives_up():
    """MX-4.6; who gives up hands over what still floats."""
    state = at_sea(crew(1, xp=9, promotions="r"))
    over = GAME.concede(state, 0).state
    assert brought_home(over)[1] == {"build": "5", "xp": 4, "promotions": "rm"}
    assert brought_home(over, taught=False)[1]["xp"] == 4
    lost = "the vessel was lost, so only half of the 9 XP is left: 4"
    assert crew_sentences(over) == [
        f"Storks (A1): {lost} and must give up 1 promotion when the next fleet is built",
        "Anna keeps no crew from A2, because they learnt nothing",
    ]


def test_a_crew_whose_vessel_has_not_been_set_down_yet_has_lost_nothing():
    """The other gives up, or the game stands still, before all lie on the table."""
    state = answered(begin(crew(1, xp=9), deployment="sealed").state, "c1 5", "5").state
    for over in (state, GAME.concede(state, 1).state):
        assert brought_home(over, taught=False)[1] == {"build": "5", "xp": 9, "promotions": "rm"}
    assert brought_home(GAME.concede(state, 0).state, taught=False)[1]["xp"] == 4


def test_who_keeps_as_many_crews_as_may_be_is_told_that_a_fresh_one_went_home():
    crews = (crew(1, xp=1), *(crew(number) for number in range(2, MAX_KEEPSAKES + 1)))
    over = GAME.concede(at_sea(*crews), 1).state
    assert None not in brought_home(over)
    assert crew_sentences(over) == [
        "Storks (A1): +2 XP, now 3",
        "Anna already has 24 crews, the most that a captain can keep, so 1 crew went home.",
    ]
    assert None in brought_home(GAME.concede(at_sea(*crews[:-1]), 1).state)


def test_a_crew_with_half_her_oars_is_battered_afterwards():
    """MX-4.7."""
    state = at_sea(crew(1, xp=1), position=RAMS.replace("A1:south 5-5+3/5", "A1:south 2-3+3/5"))
    over = GAME.concede(state, 1).state
    assert brought_home(over)[1]["battered"] is True
    battered = "battered: it has one oar fewer on each side, or stays at home for one game"
    assert crew_sentences(over) == [f"Storks (A1): +2 XP, now 3 and {battered}", "Anna has a new crew, from A2: 2 XP"]


def test_crews_are_held_while_they_may_be_needed():
    state = begin(crew(1), crew(2), crew(3, elsewhere=True)).state
    assert GAME.keepsakes.in_use(state) == {0: (1, 2), 1: ()}
    assert GAME.keepsakes.in_use(structs.replace(state, conceded=(0,))) == {0: (), 1: ()}, (
        "who has given up brings none of them"
    )
    step = answered(state, "c2 5", "5")
    assert GAME.keepsakes.in_use(step.state) == {0: (2,), 1: ()}
    assert GAME.keepsakes.in_use(GAME.concede(step.state, 1).state) == {}


def test_without_the_option_nothing_of_it_is_kept_or_written():
    options = {"points": "36", "crews": "on", "deployment": "ready", "table": "coffee"}
    setup = Setup(system="matchbox", teams=(0, 1), options=options)
    state = answered(GAME.start(setup, Dice(SEED)).state, "5{r} 5", "5").state
    assert not {"kept", "aboard", "learnt"} & set(msgspec.to_builtins(state))
    over = GAME.concede(state, 1).state
    assert GAME.keepsakes.after_game(over, taught=True) == GAME.keepsakes.in_use(over) == {}
    assert not GAME.keepsakes.are_brought(options)
    assert GAME.keepsakes.are_brought({**options, "crews": "kept"})


def test_kept_crews_are_listed_with_what_is_due():
    heavy = "heavy galley 8/4 with rammers, 9 XP"
    for body, away, sentence in (
        (
            '{"build":"8h","xp":9,"promotions":"r"}',
            False,
            f"{heavy}; may choose 1 promotion when the next fleet is built",
        ),
        ('{"build":"8h","xp":9,"promotions":"r"}', True, heavy),
        (
            '{"build":"5","xp":1,"promotions":"r"}',
            False,
            "5/3 with rammers, 1 XP; must give up 1 promotion when the next fleet is built",
        ),
        (
            '{"build":"5","battered":true}',
            False,
            "5/3, 0 XP; battered: it has one oar fewer on each side, or stays at home for one game",
        ),
        ('{"build":"5","xp":1}', False, "5/3, 1 XP"),
    ):
        assert WORDS.say_text(GAME.keepsakes.describe(body, away=away)) == sentence
    with pytest.raises(OrderError) as refused:
        GAME.keepsakes.describe("{}")
    assert refused.value.fault.code == "bad_keepsake"
