"""Cases given to the shell: any text is carried out, or refused in one line that names the field."""

import json

import pytest

from bot.cli.shell import fault_line, run_case
from rules.core.errors import OrderError
from rules.core.registry import RULESETS

DEEP = "[" * 100_000 + "]" * 100_000


@pytest.mark.parametrize(
    ("text", "begins"),
    [
        ("", "case: "),
        ("{", "case: "),
        (DEEP, "case: "),
        *((json.dumps({"ruleset": name, "position": "?"}).replace('"?"', DEEP), "case: ") for name in RULESETS),
        ("[]", "ruleset: "),
        ("{}", "ruleset: "),
        ('{"ruleset": 7}', "ruleset: "),
        ('{"ruleset": "chess"}', "ruleset: "),
    ],
    ids=lambda value: value[:20],
)
def test_what_is_no_case_is_refused_in_one_line(text, begins):
    with pytest.raises(OrderError) as refused:
        run_case(text)
    line = fault_line(refused.value)
    assert line.startswith(begins)
    assert len(line.splitlines()) == 1
