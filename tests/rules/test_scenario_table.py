"""The table of all scenarios and ready fleets: `make arena GAME=scenarios`."""

import re

import pytest

from rules.core.registry import RULESETS
from tests.arena import scenarios

LINE = re.compile(
    r"\| (\w+) \| (.+) \| (mate|admiral|one level) \| (\d+) \| (.+ - .+) \| (.*) \| (\d+) \| ([a-z, ]+) \|"
)
SHARE = re.compile(r"([\d.]+)% \(([\d.]+)% to ([\d.]+)%\)")


def table(capsys, *arguments):
    status = scenarios.main(arguments)
    head, rule, *lines = capsys.readouterr().out.splitlines()
    assert head.count("|") == rule.count("|") == 9
    return status, [LINE.fullmatch(line).groups() for line in lines]


@pytest.mark.slow
def test_two_games_are_really_played_and_a_run_goes_on(tmp_path, capsys):
    keep = tmp_path / "new" / "games.jsonl"
    told = ["--admiral", "0", "--keep", str(keep), "--only"]
    _, rows = table(capsys, *told, "squadrons | wind", "forts | open_water", "--mate", "2")
    assert [(game, name, games) for game, name, _, games, *_ in rows] == [
        ("forts", "open_water", "2"),
        ("squadrons", "wind", "2"),
    ]
    for row in rows:
        share, low, high = map(float, SHARE.fullmatch(row[5]).groups())
        assert low <= share <= high
    played = keep.read_bytes()
    _, (row,) = table(capsys, *told, "open_water", "--mate", "3")
    assert row[3] == "3"
    assert keep.read_bytes().startswith(played)
    assert len(keep.read_bytes().splitlines()) == 5
    keep.write_bytes(keep.read_bytes()[:-4])  # broken off in the middle of a line
    _, (row,) = table(capsys, *told, "open_water", "--mate", "3", "--show")
    assert row[3] == "2"
    _, (row,) = table(capsys, *told, "open_water", "--mate", "3")
    assert row[3] == "3"
    _, (row,) = table(capsys, *told, "open_water", "--mate", "3", "--seed", "50", "--show")
    assert row[3:] == ("0", "white - red", "", "0", "not played")


@pytest.mark.parametrize(("first", "second", "score"), [("1xV 1xV 1xT", "1xB", 1.0), ("1xB", "1xV 1xV 1xT", 0.0)])
def test_a_fleet_wins_from_either_seat(first, second, score):
    options = (("scenario", "free"), ("points", "12"), ("sides", "first"))
    contest = scenarios.Contest("ramspeed", "unequal", ("first", "second"), options, (first, second))
    assert [scenarios.play(scenarios.Game(contest, "mate", number)) for number in (0, 1)] == [score, score]


@pytest.mark.parametrize(
    ("game", "key"), [("matchbox", "scenario"), ("ramspeed", "scenario"), ("squadrons", "battle"), ("forts", "board")]
)
def test_no_scenario_of_a_lobby_is_missing(game, key):
    offered = {*next(spec for spec in RULESETS[game].options if spec.key == key).values} - {"none"}
    contests = [contest for row in scenarios.all_rows() for contest, _ in row.contests if contest.game == game]
    assert {dict(contest.options).get(key) for contest in contests} - {None} == offered


def test_a_scenario_that_changes_is_played_again():
    contests = [contest for row in scenarios.all_rows() for contest, _ in row.contests]
    assert len({*map(scenarios.fingerprint, contests)}) == len({*contests})


@pytest.mark.parametrize("text", ["my notes", "my notes\n", "[1]\n"])
def test_another_file_is_refused_and_left_alone(text, tmp_path, capsys):
    notes = tmp_path / "notes.txt"
    notes.write_text(text)
    with pytest.raises(SystemExit):
        scenarios.main(["--only", "open_water", "--keep", str(notes)])
    assert "notes.txt, line 1: no result of a game" in capsys.readouterr().err
    assert notes.read_text() == text


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--only", "trafalgar"], "no row has trafalgar"),
        (["--mate", "-1"], "can't be negative"),
        (["--admiral", "many"], "invalid int value"),
    ],
)
def test_bad_input_is_refused_with_a_reason(arguments, complaint, capsys):
    with pytest.raises(SystemExit):
        scenarios.main(arguments)
    assert complaint in capsys.readouterr().err


@pytest.mark.parametrize(
    ("won", "lost", "verdict"),
    [(500, 500, "even"), (540, 460, "not certain, within"), (570, 430, "not certain, beyond"), (700, 300, "uneven")],
)
def test_a_verdict_follows_from_the_interval(won, lost, verdict):
    assert scenarios.verdict([1.0] * won + [0.0] * lost) == verdict
