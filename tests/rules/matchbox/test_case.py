"""`adjudicate`: shapes, and errors that name what is wrong (MX-6.3)."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.cli.shell import fault_line
from bot.jobs.refused import errors_of_game
from rules.core.errors import OrderError
from rules.matchbox.engine import case as cases
from rules.matchbox.engine import notation

adjudicate = errors_of_game("matchbox")(cases.adjudicate_case)
PLACES = "1200x800 ; A1:south 5-5+3/5 @600,300^0 ; B1:north 5-5+3/5 @700,300^0"
FAR = [[20, 20, 0]] * 3
CASE = {
    "ruleset": "matchbox",
    "position": PLACES,
    "orders": {"A1": "XFFFF", "B1": "FFFFF"},
    "drops": {"A1@1": [[760, 290, 270], [760, 290, 90], [760, 250, 270]]},
}


def test_result():
    result = adjudicate(json.dumps(CASE).encode())
    assert result["position"] == "1200x800 ; A1:south 5-5+3/5 @600,480^0 ; B1:north 4-5+3/5 @700,525^0"
    assert result["winner"] is None
    assert result["events"][:3] == [
        {"step": 1, "type": "move", "galley": "B1", "prow": [700.0, 345.0], "heading": 0.0, "stopped": False},
        {
            "step": 1,
            "type": "volley",
            "by": "A1",
            "to": "B1",
            "gap": 65.0,
            "matches": 3,
            "broadside": False,
            "misfire": False,
            "hits": 1,
            "drops": [[760.0, 290.0, 270.0], [760.0, 290.0, 90.0], [760.0, 250.0, 270.0]],
        },
        {"step": 1, "type": "loss", "galley": "B1", "port": 1, "starboard": 0, "masts": 0},
    ]
    assert adjudicate(CASE) == result
    json.dumps(result)


@pytest.mark.parametrize(
    ("change", "names"),
    [
        ({"position": 7}, "position"),
        ({"position": "1200 by 800"}, "1200 by 800"),
        ({"position": "nanxinf"}, "nanxinf"),
        ({"position": PLACES + " ; A1:south 5-5+3/5 @100,300^0"}, "A1"),
        ({"position": PLACES + " ; C1:south 5-5+3/5 @610,300^0"}, "C1"),
        ({"position": PLACES + " ; C1:south 5-5+3/5 @10,300^0"}, "C1"),
        ({"position": PLACES + " ; C1:south 7-5+3/5 @100,300^0"}, "C1"),
        ({"position": PLACES + " ; C1:south 5-5+3/7 @100,300^0"}, "C1"),
        ({"position": PLACES + " ; C1:south 5-5+3/5 @100,300^360"}, "C1"),
        ({"position": PLACES + " ; C1:west 5-5+3/5 @100,300^0"}, "C1"),
        ({"ruleset": "forts"}, "ruleset"),
        ({"order": {}}, "order"),
        ({"orders": {"C1": "FFFFF"}}, "orders.C1"),
        ({"orders": {"A1": 5}}, "orders"),
        ({"orders": {"A1": "FFFFFF"}}, "MB-3.3"),
        ({"drops": {}}, "drops.A1@1"),
        ({"drops": {"A1@1": FAR[:2]}}, "drops.A1@1"),
        ({"drops": {"A1@1": [[1, 2], [1, 2], [1, 2]]}}, "drops"),
        ({"drops": {"A1@1": [[float("nan"), 2, 3]] * 3}}, "drops.A1@1"),
        ({"drops": {"A1@1": FAR, "A1@2": FAR}}, "drops.A1@2"),
        ({"drops": {"A1@1": FAR, "C1@1": FAR}}, "drops.C1@1"),
        ({"drops": {"A1@9": FAR}}, "drops.A1@9"),
        ({"drops": {"A1": FAR}}, "drops.A1"),
        ({"targets": {"A1@1": "A1"}}, "1.target.A1"),
        ({"targets": {"A1@1": "C1"}}, "targets.A1@1"),
        ({"losses": {"B1@1": [[9, 9, 9]]}}, "MB-7.1: She can't lose 9-9+9"),
        ({"losses": {"B1@2": [[1, 0, 0]]}}, "losses.B1@2"),
        ({"casualties": "brave"}, "casualties"),
        ({"sinks": "no side"}, "sinks"),
        ({"sinks": "both sides", "position": PLACES.replace("5-5", "0-0", 1)}, "A1"),
        ({"sinks": "one side", "position": PLACES.replace("5-5", "0-5", 1)}, "A1"),
    ],
)
def test_errors_name_the_field_or_rule(change, names):
    with pytest.raises(OrderError) as refused:
        adjudicate({**CASE, "drops": {"A1@1": [[760, 290, 270]] * 3}, **change})
    line = fault_line(refused.value)
    assert names in line
    assert "\n" not in line


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b"null", b"\xff", b'{"position": NaN}', b"[" * 100_000, b"{}"])
def test_what_is_no_case_is_refused(text):
    with pytest.raises(OrderError):
        adjudicate(text)


@pytest.mark.slow
@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=8),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*CASE, "losses"]), inner),
        max_leaves=8,
    )
)
def test_no_other_error_comes_of_any_value(change):
    for given_case in (change, {**CASE, **change} if isinstance(change, dict) else {**CASE, "drops": change}):
        try:
            line = str(adjudicate(given_case)["winner"])
        except OrderError as error:
            line = fault_line(error)
        assert len(line.splitlines()) == 1


@given(st.text(max_size=80) | st.text("0123456789xA1B:southnr -+/@,^;.", max_size=80))
def test_any_text_is_a_position_or_refused(text):
    for line in (text, f"1200x800 ; {text}", PLACES.replace("300^0", text)):
        try:
            position = notation.parse_position(line)
        except OrderError:
            continue
        assert notation.parse_position(notation.format_position(*position)) == position
