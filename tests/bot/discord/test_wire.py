"""All that a test makes the bot send is held against Discord's limits and description; this holds that faults show."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from tests import wire
from tests.sea import AFAR, Sea

described = pytest.mark.skipif(
    not wire.OPENAPI.exists(),
    reason="Discord's OpenAPI description is not beside the repository (shared/discord/openapi.json)",
)


class Call(NamedTuple):
    method: str
    path: str
    json: Any


class Env:
    """A Discord of which one call is known."""

    def __init__(self, call: Call) -> None:
        self.http_requests = [call]


def env_with(**part: Any) -> Any:
    message = {"flags": 1 << 15, "components": [{"type": 17, "components": [part]}]}
    return Env(Call("POST", "/channels/1/messages", message))


@described
async def test_a_round_is_as_discord_describes_it(sea: Sea) -> None:
    await sea.begin_at(AFAR, sea.bela)
    await sea.both_seal()
    assert wire.check_schemas(sea.env) > 20


@described
def test_a_body_that_discord_does_not_describe_is_noticed() -> None:
    assert wire.check_schemas(env_with(type=10, content="fine")) == 1
    with pytest.raises(AssertionError, match="components/0"):
        wire.check_schemas(env_with(type=10, content=5))
    with pytest.raises(AssertionError, match="Discord has no post"):
        wire.check_schemas(Env(Call("POST", "/channels/1/nonsense", {})))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "part",
    [
        {"type": 10, "content": "x" * (wire.TEXT_MOST + 1)},
        {"type": 1, "components": [{"type": 2, "label": "x" * (wire.LABEL_MOST + 1), "custom_id": "a"}]},
        {"type": 1, "components": [{"type": 2, "label": "x", "custom_id": "a"}] * 2},
        {"type": 1, "components": [{"type": 3, "custom_id": "a", "options": [{"label": "x", "value": ""}]}]},
    ],
)
def test_a_body_beyond_discords_limits_is_noticed(part: dict[str, Any]) -> None:
    with pytest.raises(AssertionError, match="POST"):
        wire.check_limits(env_with(**part))
