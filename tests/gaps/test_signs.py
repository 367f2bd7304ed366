"""Signs that captains can reach the bot."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from bot.discord.delivery.signs import MAX_SIGN_AGE_S, DiscordPulse


class Client:
    def __init__(self) -> None:
        self.latency = 1.0

    def heartbeat_latencies(self) -> Mapping[int, float]:
        return {0: self.latency}

    async def application_info(self) -> object:
        raise TimeoutError


class World:
    def __init__(self, *, over_http: bool) -> None:
        self.now = 1_790_000_000
        self.client = Client()
        self.signs = DiscordPulse(self.client, lambda: self.now, over_http=over_http, monotonic=lambda: float(self.now))

    def pass_time(self, *, status: int | None, beats: bool) -> None:
        """Let captains be out of reach for longer than a sign holds, but for these signs."""
        for _ in range(MAX_SIGN_AGE_S // 10 + 2):
            self.now += 10
            if status is not None:
                self.signs.note_response(status)
            if beats:
                self.client.latency += 0.001
                self.signs.note_gateway_message(0)


@pytest.mark.parametrize("over_http", [True, False])
@pytest.mark.parametrize("status", [400, 401, 403, 404, 429, 500, 502, 503])
def test_a_refusal_is_no_sign(status: int, *, over_http: bool) -> None:
    """It may be Cloudflare's, which stands before Discord: 403 with code 40333 or a page that says 1020."""
    world = World(over_http=over_http)
    world.signs.note_response(200)
    world.signs.note_gateway_message(0)
    assert world.signs.alive_span(0)
    world.pass_time(status=status, beats=True)
    assert world.signs.alive_span(0) is None
    world.signs.note_response(204)
    assert world.signs.alive_span(0)


@pytest.mark.parametrize(
    ("over_http", "status", "beats", "is_alive"),
    [
        (True, 200, False, True),
        (True, None, True, False),  # presses come over HTTP: a heartbeat says nothing about them
        (False, 200, False, False),
        (False, None, True, False),
        (False, 200, True, True),
    ],
)
def test_both_signs_are_needed_unless_presses_come_over_http(
    status: int | None, *, over_http: bool, beats: bool, is_alive: bool
) -> None:
    world = World(over_http=over_http)
    world.signs.note_response(200)
    world.signs.note_gateway_message(0)
    world.pass_time(status=status, beats=beats)
    assert (world.signs.alive_span(0) is not None) == is_alive
