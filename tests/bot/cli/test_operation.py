"""The bot as its host sees it: health and figures over HTTP, settings, and a table of them."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import discord
import pytest
from prometheus_client.parser import text_string_to_metric_families

from bot.cli.health import serve_health
from bot.config import BotSettings
from bot.discord.delivery.threads import REQUIRED_PERMISSIONS
from tests import reference
from tests.bot import fake_jobs
from tests.sea import Sea

ROOT = Path(__file__).parents[3]


@pytest.fixture
async def address(sea: Sea) -> AsyncIterator[str]:
    async with serve_health(sea.bot, "127.0.0.1", 0) as where:
        yield where


async def fetch(address: str) -> tuple[int, str]:
    # A thread of its own: simcord's clock must not stand in the way of real sockets.
    def get() -> tuple[int, str]:
        done = subprocess.run(
            [sys.executable, "-c", _GET, address], capture_output=True, text=True, check=True, timeout=60
        )
        status, _, body = done.stdout.partition("\n")
        return int(status), body

    return await asyncio.to_thread(get)


_GET = """
import sys, urllib.error, urllib.request
try:
    answer = urllib.request.urlopen(sys.argv[1])
except urllib.error.HTTPError as refused:
    answer = refused
print(answer.status)
print(answer.read().decode())
"""


async def figures(address: str) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    status, text = await fetch(f"{address}/metrics")
    assert status == 200
    samples = [sample for family in text_string_to_metric_families(text) for sample in family.samples]
    return {(sample.name, frozenset(sample.labels.items())): sample.value for sample in samples}


def figure(metrics: Any, name: str, **labels: str) -> float:
    return metrics.get((f"war_galley_{name}", frozenset(labels.items())), 0)


async def test_figures_follow_a_game(sea: Sea, address: str) -> None:
    await sea.begin(sea.bela)
    await sea.write(sea.anna, "nonsense")
    await sea.command(sea.cili, "log", game="99")
    metrics = await figures(address)
    assert figure(metrics, "connected") == 1
    assert figure(metrics, "games", phase="running") == 1
    assert figure(metrics, "games", phase="over") == 0
    assert figure(metrics, "outbox_waiting") == figure(metrics, "outbox_oldest_seconds") == 0
    assert figure(metrics, "errors_total") == 0
    assert figure(metrics, "messages_total", kind="panel", outcome="sent") >= 1
    assert figure(metrics, "answer_seconds_count", what="/galley new", outcome="answered") == 1
    assert figure(metrics, "answer_seconds_count", what="/galley history log", outcome="refused") == 1
    assert figure(metrics, "answer_seconds_count", what="direct message", outcome="refused") == 1
    assert metrics["process_resident_memory_bytes", frozenset()] > 0
    # Nobody answers until the deadline.
    steps = sum(value for (name, _), value in metrics.items() if name == "war_galley_step_seconds_count")
    await sea.env.advance_time(24 * 3600 + 60)
    metrics = await figures(address)
    assert sum(value for (name, _), value in metrics.items() if name == "war_galley_step_seconds_count") > steps
    assert figure(metrics, "deadline_late_seconds_count") >= 1


async def test_what_waits_is_told_with_its_age(sea: Sea, address: str) -> None:
    sea.env.inject_error("POST", "/channels/*/messages", status=500, times=None)
    await sea.command(sea.anna, "new")
    await sea.env.advance_time(600)
    metrics = await figures(address)
    assert figure(metrics, "outbox_waiting") == 1
    assert figure(metrics, "outbox_oldest_seconds") >= 600
    assert figure(metrics, "messages_total", kind="lobby", outcome="later") >= 2
    status, health = await fetch(f"{address}/healthz")
    assert status == 200  # it is not the bot that is ill
    assert '"outbox_waiting": 1' in health


async def test_health_is_bad_without_discord_or_database(sea: Sea, address: str) -> None:
    assert (await fetch(f"{address}/healthz"))[0] == 200
    sea.bot.dispatch("disconnect")
    await sea.env.settle()
    status, health = await fetch(f"{address}/healthz")
    assert status == 503
    assert '"discord": false, "database": true' in health
    sea.bot.dispatch("resumed")
    await sea.env.settle()
    assert (await fetch(f"{address}/healthz"))[0] == 200
    store, sea.bot._store = sea.bot._store, None  # as while it is being closed
    status, health = await fetch(f"{address}/healthz")
    assert status == 503
    assert '"database": false' in health
    assert figure(await figures(address), "connected") == 1
    sea.bot._store = store


@pytest.mark.processes
async def test_health_is_bad_while_a_job_is_stuck(
    sea: Sea, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    status, health = await fetch(f"{address}/healthz")
    assert (status, '"workers": true, "jobs": 0, "oldest_job_s": 0' in health) == (200, True)
    stuck = asyncio.create_task(sea.bot.workers.run_rules(fake_jobs.wait_for, str(seen := tmp_path / "seen")))
    await asyncio.sleep(0)
    assert (await fetch(f"{address}/healthz"))[0] == 200
    monkeypatch.setattr("bot.cli.health.MAX_JOB_AGE_S", 0.0)
    status, health = await fetch(f"{address}/healthz")
    assert (status, '"workers": false, "jobs": 1' in health) == (503, True)
    assert figure(await figures(address), "worker_oldest_job_seconds") > 0
    seen.touch()
    await stuck
    monkeypatch.undo()
    assert (await fetch(f"{address}/healthz"))[0] == 200
    assert figure(await figures(address), "worker_oldest_job_seconds") == 0


async def test_nothing_else_is_told(sea: Sea, address: str) -> None:
    assert (await fetch(f"{address}/"))[0] == 404
    await sea.begin(sea.bela)
    _, text = await fetch(f"{address}/metrics")
    secrets = [row["seed"] for row in sea.rows("games")["games"]]
    assert not [secret for secret in secrets if secret in text]
    assert str(sea.anna.id) not in text


def run(**settings: str) -> subprocess.CompletedProcess[str]:
    variables = {key: value for key, value in os.environ.items() if key.lower() not in BotSettings.model_fields}
    environment = {**variables, "EXIT_DELAY_S": "0", **settings}
    return subprocess.run(
        [sys.executable, "-m", "bot", "run"], env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        *(
            ("HTTP_PORT", "http"),
            ("HTTP_PORT", "70000"),
            ("HTTP_HOST", ""),
            ("LOG_FORMAT", "xml"),
            ("LOG_LEVEL", "LOUD"),
        ),
        *(("WORKERS", "0"), ("PHASE_LENGTH", "0h"), ("PHASE_LENGTH", "1000d"), ("PHASE_LENGTH", "")),
        *(("HEALTH_FILE", "/dev/null/health"), ("DISCORD_TOKEN", "'quoted'")),
    ],
)
def test_bad_settings_are_refused_in_one_line(setting: str, value: str, tmp_path: Path) -> None:
    url = f"sqlite+aiosqlite:///{tmp_path / 'games.sqlite'}"
    done = run(**{"DATABASE_URL": url, "DISCORD_TOKEN": "x", setting: value})
    assert done.returncode == 2
    (line,) = done.stderr.strip().splitlines()
    assert line.startswith(f"war-galley: {setting}: ")


def test_without_a_token_nothing_is_begun(tmp_path: Path) -> None:
    file = tmp_path / "games.sqlite"
    done = run(DATABASE_URL=f"sqlite+aiosqlite:///{file}", DISCORD_TOKEN=" ")
    assert done.returncode == 2
    (line,) = done.stderr.strip().splitlines()
    assert line.startswith("war-galley: DISCORD_TOKEN is not set")
    assert not file.exists()


def test_the_version_is_told() -> None:
    done = subprocess.run([sys.executable, "-m", "bot", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"war-galley {version('war-galley')}\n"


def test_nothing_listens_unless_it_is_asked_for() -> None:
    config = BotSettings(_env_file=None)
    assert (config.http_port, config.http_host) == (0, "127.0.0.1")


def running() -> str:
    return (ROOT / "docs" / "running.md").read_text(encoding="utf-8")


def test_every_setting_is_described() -> None:
    assert [name for name, field in BotSettings.model_fields.items() if not field.description] == []


def test_the_invitation_asks_for_what_a_game_needs() -> None:
    (permissions,) = re.findall(r"permissions=(\d+)", running())
    assert discord.Permissions(int(permissions)) == discord.Permissions(**dict.fromkeys(REQUIRED_PERMISSIONS, True))


def test_every_warning_and_error_that_is_logged_is_explained() -> None:
    lines = [line for line, level in reference.log_lines() if level in ("warning", "error")]
    assert [line for line in lines if f"`{line}`" not in running()] == []
    assert len(lines) > 8


async def test_every_figure_is_explained(address: str) -> None:
    names = {name for name, _ in await figures(address) if name.startswith("war_galley_")}
    families = {re.sub("_(bucket|count|sum|created)$", "", name) for name in names if not name.endswith("_created")}
    assert families <= dict(reference.metrics()).keys()
    assert len(families) > 8
