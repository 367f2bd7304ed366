"""A bot as a process that takes interactions over HTTP: what Discord has signed just now, once, and nothing else."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import socket
import struct
from pathlib import Path

import pytest
from msgspec import structs

from bot.cli.interactions import BODY_TIMEOUT_S, INTERACTIONS_PATH, MAX_BODY_BYTES, MAX_CLOCK_SKEW_S, MAX_CONNECTIONS
from tests.crash.test_stopping import MOST_WAIT_S, until
from tests.forked import Forked
from tests.loopback.endpoint import Signing, free_port
from tests.loopback.gateway import living, log_lines
from tests.loopback.rest import CHANNEL

ANNA, BELA = 1, 2
pytestmark = pytest.mark.timeout(300)


async def lobby(discord: Signing) -> tuple[str, str]:
    """Open a lobby by a command, and join it by a press; return the command's answer and the lobby afterwards."""
    before = len(discord.channels[CHANNEL])
    answered = await discord.command(ANNA, "new", game="matchbox")
    await until(lambda: len(discord.channels[CHANNEL]) > before)
    message = discord.channels[CHANNEL][-1]
    await asyncio.wait_for(discord.join(BELA, message), MOST_WAIT_S)
    said = re.findall(r'"content": "(.*?)"', json.dumps(discord.channels[CHANNEL][-1]["components"]))
    return answered.said, " ".join(said)


def unnumbered(text: str) -> str:
    """Remove numbers and fingerprints, which differ from lobby to lobby."""
    return re.sub(r"[0-9a-f]{16,}|\d+", "#", text)


async def slowly(port: int) -> str:
    """Begin a request, send only the first bytes of its body, and return the answer's first line."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"POST {INTERACTIONS_PATH} HTTP/1.1\r\nHost: sea\r\nContent-Length: 100\r\n\r\n{{".encode())
    answer = await asyncio.wait_for(reader.readline(), BODY_TIMEOUT_S + MOST_WAIT_S)
    writer.close()
    return answer.decode().strip()


async def crowd(port: int) -> list[bytes]:
    """Open more connections than the bot accepts, with no whole request; return what comes on each until it closes."""
    halves = b"", f"POST {INTERACTIONS_PATH} HTTP/1.1\r\nHost:".encode()
    connections = []
    for number in range(MAX_CONNECTIONS + 50):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(halves[number % 2])
        connections.append((reader, writer))
    return await asyncio.gather(*(until_the_end(*connection) for connection in connections))


def hung_up(discord: Signing, bot: Forked, port: int, body: bytes) -> None:
    """Send a request, and hang up before the bot has read it."""
    stamp, signature = discord.signed(body)
    signed = f"X-Signature-Timestamp: {stamp}\r\nX-Signature-Ed25519: {signature}\r\n"
    head = f"POST {INTERACTIONS_PATH} HTTP/1.1\r\nHost: sea\r\nContent-Length: {len(body)}\r\n{signed}\r\n"
    bot.send_signal(signal.SIGSTOP)
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # hang up at once
        connection.sendall(head.encode() + body)
    bot.send_signal(signal.SIGCONT)


async def until_the_end(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
    try:
        return await asyncio.wait_for(reader.read(), BODY_TIMEOUT_S + MOST_WAIT_S)
    except ConnectionResetError:
        return b""
    finally:
        writer.close()


async def test_what_discord_has_signed_counts_as_if_the_gateway_had_brought_it_and_nothing_else_counts(
    tmp_path: Path,
) -> None:
    port = free_port()
    settings = {"INTERACTIONS_PORT": str(port), "LOG_LEVEL": "DEBUG", "WORKERS": "1"}
    async with Signing().open() as discord, living(tmp_path, discord, **settings) as bot:
        assert isinstance(discord, Signing)
        await asyncio.wait_for(discord.ready.wait(), MOST_WAIT_S)
        by_gateway = await lobby(discord)
        too_slow = asyncio.create_task(slowly(port))
        assert set(await crowd(port)) == {b""}
        discord.ports = [port]
        by_http = await lobby(discord)
        assert [*map(unnumbered, by_http)] == [*map(unnumbered, by_gateway)]
        assert "Second fleet: <@2>" in by_http[1]
        assert len(discord.sent) == 2

        ping = b'{"id": "5", "application_id": "900", "type": 1, "token": "ping", "version": 1}'
        assert await discord.post(port, ping, *discord.signed(ping)) == (200, '{"type": 1}')

        # Another command, which nobody has sent yet.
        fresh = discord.sent[0].replace(b'"id": "1', b'"id": "9').replace(b"token-", b"token-9")
        stamp, signature = discord.signed(fresh)
        strange = Signing().signed(fresh)
        refused = {
            "replayed": (409, discord.sent[0], *discord.signed(discord.sent[0])),
            "forged": (401, fresh, *strange),
            "another body": (401, fresh + b" ", stamp, signature),
            "another time": (401, fresh, str(int(stamp) - 1), signature),
            "not hexadecimal": (401, fresh, stamp, "z" * 128),
            "too short": (401, fresh, stamp, signature[:64]),
            "unsigned": (401, fresh, "", ""),
            "old": (401, fresh, *discord.signed(fresh, late_s=-MAX_CLOCK_SKEW_S - 3)),
            "of the future": (401, fresh, *discord.signed(fresh, late_s=MAX_CLOCK_SKEW_S + 3)),
            "too big": (413, big := b" " * (MAX_BODY_BYTES + 1), *discord.signed(big)),
            "isn't JSON": (400, b"\xff{", *discord.signed(b"\xff{")),
            "no interaction": (400, b"[]", *discord.signed(b"[]")),
        }
        games = len(discord.channels[CHANNEL])
        for case, (status, *request) in refused.items():
            assert (case, await discord.post(port, *request)) == (case, (status, ""))
        assert (await discord.post(port, fresh, stamp, signature, "PUT"))[0] == 405
        await lobby(discord)  # whatever had been let in would be shown by now
        assert len(discord.channels[CHANNEL]) == games + 1
        token = json.loads(discord.sent[0])["token"]  # of another interaction with the same token
        discord.interactions[token] = structs.replace(discord.interactions[token], acknowledged=False)
        hung_up(discord, bot, port, discord.sent[0].replace(b'"id": "1', b'"id": "8'))
        await until(lambda: len(discord.channels[CHANNEL]) == games + 2)

        assert await too_slow == "HTTP/1.1 408 Request Timeout"

        lines = log_lines(tmp_path)
        assert [line for line in lines if line["level"] in ("warning", "error")] == []
        assert sum(line["event"] == "interaction not taken" for line in lines) == len(refused) + 1
        log = (tmp_path / "log").read_text("utf-8")
        assert not any(secret in log for secret in ("token-", signature, stamp + "{", discord.verify_key))


async def test_without_a_key_of_discords_it_ends_in_one_sentence(tmp_path: Path) -> None:
    async with Signing().open() as discord:
        assert isinstance(discord, Signing)
        discord.verify_key = "00"
        async with living(tmp_path, discord, INTERACTIONS_PORT=str(free_port())) as process:
            assert await asyncio.wait_for(process.wait(), MOST_WAIT_S) == 2
    lines = [line for line in (tmp_path / "log").read_text("utf-8").splitlines() if not line.startswith("{")]
    why = "Discord names no valid public key of the application"
    assert lines == [f"war-galley: INTERACTIONS_PORT cannot be used: {why}"]
