"""Cases and their results as printed for other programs, and what is refused."""

import json
from pathlib import Path

import pytest

from bot.cli.shell import fault_line, run_case
from rules.core.errors import OrderError
from rules.squadrons.engine.case import adjudicate_case

EXAMPLES = [json.loads(line) for line in Path("tests/cases/squadrons/examples.jsonl").read_text().splitlines()]
"""A case, its result, and so on."""
SEA = "squadrons 3 E 44x28 - vp=25 limit=12 bonus=0/0 lost=-/- ; B1 5@1915NW M ; R1 5@1512N C"
ACT = {"squadron": ["B1"], "orders": "B1: F3"}


@pytest.mark.parametrize("number", range(len(EXAMPLES) // 2))
def test_examples_of_the_rules(number):
    case, result = EXAMPLES[2 * number : 2 * number + 2]
    try:
        verdict = run_case(json.dumps(case))
    except OrderError as error:
        verdict = {"refused": fault_line(error)}
    assert verdict == result


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"dice": "1"}, "dice"),
        ({"position": 5}, "position"),
        ({"position": "squadrons"}, "position"),
        ({"doctrines": []}, "doctrines"),
        ({"doctrines": {"G": {}}}, "doctrines"),
        ({"doctrines": {"B1": {"board": "never"}}}, "doctrines"),
        ({"doctrines": {"B": {"avoid": "ask"}}}, "doctrines"),
        ({"doctrines": {"B": {"avoid": ["any"]}}}, "doctrines"),
        ({"doctrines": {"B": {"protect": ["B9"]}}}, "doctrines"),
        ({"doctrines": {"B": {"protect": [["B1"]]}}}, "doctrines"),
        ({"doctrines": {"B": {"protect": "B1"}}}, "doctrines"),
        ({"doctrines": {"B": 1}}, "doctrines"),
        ({"activate": {"squadron": ["B1", "B1"]}}, "activate"),
        ({"activate": {"squadron": [["B1"]]}}, "activate"),
        ({"activate": {"squadron": ["B1"], "more": 1}}, "activate"),
        ({"activate": {"squadron": ["B1"], "orders": 7}}, "orders"),
        ({"activate": {"squadron": ["B1"], "orders": "B1: F3 Q"}}, "orders"),
        ({"activate": {"squadron": ["B1"], "orders": "R1: F3"}}, "orders"),
        ({"activate": {"squadron": ["B1"], "orders": "B1: sail round"}}, "orders"),
        ({"activate": {"squadron": ["B1"], "orders": "B1: m7 ana R1 p"}}, "orders"),
        ({"activate": {"squadron": ["B1"], "orders": "SQ1: F3"}}, "orders"),
        ({"activate": {"squadron": ["B1"], "orders": "B1: fire R1, R1"}}, "orders"),
    ],
)
def test_what_is_refused_names_the_field(changed, field):
    case = {"ruleset": "squadrons", "position": SEA, "activate": ACT} | changed
    with pytest.raises(OrderError) as refused:
        adjudicate_case(case)
    assert refused.value.fault.piece == field
    if case["ruleset"] == "squadrons":
        with pytest.raises(OrderError) as refused:
            run_case(json.dumps(case))
        assert fault_line(refused.value).partition(": ")[0] == field


def test_fields_are_looked_at_in_order():
    wrong = {"mode": "dead", "dice": [7], "position": "", "doctrines": [], "strange": 1, "ruleset": "forts"}
    for field in ("ruleset", "strange", "mode", "dice", "position", "doctrines", "activate"):
        with pytest.raises(OrderError) as refused:
            adjudicate_case(wrong)
        assert refused.value.fault.piece == field
        wrong = (
            wrong | {"ruleset": "squadrons"} if field == "ruleset" else {k: v for k, v in wrong.items() if k != field}
        )
        if field == "position":
            wrong["position"] = SEA


def test_what_is_no_case():
    for text in (b"{", b"[]", b'"x"', b"\xff"):
        with pytest.raises(OrderError) as refused:
            adjudicate_case(text)
        assert refused.value.fault.piece == "case"


@pytest.mark.parametrize(
    ("orders", "line"),
    [
        ("B1: F1 ts", "SQ-06.9: B1 ts"),
        ("B1: m9 F3", "SQ-06.1: B1 m9"),
        ("B1: F3 fire R1 x9", "SQ-19.7: B1 fire R1 x9"),
        ("B1: ana R1 X p", "SQ-15.1: B1 ana R1 X p"),
        ("B1: F3", "dice: avoid"),
    ],
)
def test_the_line_that_refuses_an_order_or_misses_dice(orders, line):
    case = {"ruleset": "squadrons", "position": SEA, "activate": {"squadron": ["B1"], "orders": orders}}
    with pytest.raises(OrderError) as refused:
        run_case(json.dumps(case))
    assert fault_line(refused.value) == line


GOOD_HEAD = "squadrons 3 E 44x28 - vp=25 limit=12 bonus=0/0 lost=-/-"


@pytest.mark.parametrize(
    "position",
    [
        f"{GOOD_HEAD} ; B1 5@1512N M F2",
        f"{GOOD_HEAD} ; B1 5@1512N M CRs",
        f"{GOOD_HEAD} ; B1 5@1512N M HS",
        f"{GOOD_HEAD} ; B1 5@1512N M CAP",
        f"{GOOD_HEAD} ; B1 5@1512N M REC",
        f"{GOOD_HEAD} ; B1 5@4501N C",
        f"{GOOD_HEAD} ; B1 5@1512N C FL",
        f"{GOOD_HEAD} ; B1 5@1512N C POT",
        f"{GOOD_HEAD} ; B1 5@1512N C F1 F2",
        f"{GOOD_HEAD} ; B1 5@1512N C CAP REC",
        f"{GOOD_HEAD} ; B1 5@1512N C rep rep",
        f"{GOOD_HEAD} ; B1 99@1512N C",
        f"{GOOD_HEAD} ; B0 5@1512N C",
        f"{GOOD_HEAD} ; B01 5@1512N C",
        f"{GOOD_HEAD} ; b1 5@1512N C",
        f"{GOOD_HEAD} ; B1 5@1512n C",
        f"{GOOD_HEAD} ; B1 5@1512N",
        f"{GOOD_HEAD} ; B1 5@1512N C ; B1 5@1712N C",
        f"{GOOD_HEAD} ; B1 5@1512N M ; R1 5@1612N C ; grap B1 R1",
        f"{GOOD_HEAD} ; B1 5@1512N C ; R1 5@1612N C ; grap B1 R1 ; grap R1 B1",
        f"{GOOD_HEAD} ; B1 5@1512N C ; grap B1 B1",
        f"{GOOD_HEAD} ; B1 5@1512N C ; grap B1 B2",
        f"{GOOD_HEAD} ; B1 5@1512N C ; lead BL1 Nelson@B1",
        f"{GOOD_HEAD} ; B1 5@1512N C ; lead BL1 Bold@B1 ; lead BL2 SqC@B1",
        f"{GOOD_HEAD} ; B1 5@1512N C ; B2 5@1712N C ; lead BL1 Bold@B1 ; lead BL1 Bold@B2",
        f"{GOOD_HEAD} ; B1 5@sunk ; lead BL1 Bold@B1",
        f"{GOOD_HEAD} ; B1 5@1512N C done done",
        f"{GOOD_HEAD} ; ",
        "squadrons 3 B 44x28 - vp=25 limit=12 bonus=0/0 lost=-/- ; B1 5@1512N C",
        "squadrons 3 E 100x28 - vp=25 limit=12 bonus=0/0 lost=-/- ; B1 5@1512N C",
        "squadrons 3 E 44x0 - vp=25 limit=12 bonus=0/0 lost=-/- ; B1 5@1512N C",
        "squadrons 3 E 44x28 pots,flame vp=25 limit=12 bonus=0/0 lost=-/- ; B1 5@1512N C",
        "squadrons 3 E 44x28 - vp=25 limit=12 bonus=0/0 lost=-/x ; B1 5@1512N C",
        "Squadrons 3 E 44x28 - vp=25 limit=12 bonus=0/0 lost=-/- ; B1 5@1512N C",
    ],
)
def test_positions_that_are_refused(position):
    with pytest.raises(OrderError) as refused:
        adjudicate_case({"position": position, "activate": ACT})
    assert refused.value.fault.piece == "position"


def test_a_position_in_any_order_is_written_in_one():
    pieces = (
        "squadrons 3 G 44x28 flame,pots vp=25 limit=0 bonus=3/0 lost=2/- ;R10 5@sunk; R2 5@1712N C;"
        "B2 5T@1612N  C done q1 POT FIRE JET D2 FL HS F2 ;"
        "B1 7@1512N C rep CRs CRp RAM:R9 ; R3 3@1812N C CAP0 ; foul R2 B2;grap B2 B1 ;"
        "lead RL2 SqC@R2 try;lead BL1 Bold@B2 perm try"
    )
    result = adjudicate_case(
        {"position": pieces, "phase": "G", "dice": [3, 3, 5], "doctrines": {"B": {"unfoul": "never"}}}
    )
    assert result["position"] == (
        "squadrons 3 H 44x28 flame,pots vp=25 limit=0 bonus=3/0 lost=2/- ; B1 7@1512N C RAM:R9 CRp CRs rep"
        " ; B2 5T@1612N C F1 HS FIRE D2 JET FL POT q1 done ; R2 5@1712N C ; R3 3@1812N C CAP0 ; R10 5@sunk"
        " ; grap B1 B2 ; foul R2 B2 ; lead BL1 Bold@B2 perm try ; lead RL2 SqC@R2 try"
    )
