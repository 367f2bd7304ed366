"""Builds: nothing unhashed is fetched, and nothing secret gets into an image."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterator
from fnmatch import translate
from pathlib import Path, PurePosixPath

import pytest
from sqlalchemy import make_url

from bot.config import BotSettings
from bot.store.engine import postgres

ROOT = Path(__file__).parent.parent
TOLD_IN = ("README.md", "docs/running.md", "CONTRIBUTING.md", "Makefile", "Dockerfile")
SECRET = (
    ".env",
    ".env.production",
    "bot/.env",
    "war-galley.sqlite",
    "war-galley.sqlite-wal",
    "war-galley.lock",
    "bot/games.sqlite",
    "data/games.sqlite-shm",
    ".git/config",
    "sandbox/discord.json",
    "tests/sea.py",
    "build/bench.json",
    ".venv/bin/python",
    "rules/__pycache__/dice.pyc",
    "requirements/dev.txt",
    "id_rsa",
)  # files in a host's folder that must not be sent to a builder


def lines(name: str) -> Iterator[str]:
    """Return the lines of a file, continued ones joined."""
    yield from (ROOT / name).read_text(encoding="utf-8").replace("\\\n", " ").splitlines()


def installs(name: str) -> Iterator[list[str]]:
    """Yield the arguments of each call of pip that fetches or installs something."""
    for line in lines(name):
        for command in re.split(r"&&|;|\|", line):
            match = re.search(r"\bpip3?\b(?! compile)(.*?\b(?:install|wheel|download)\b.*)", command)
            if match:
                yield shlex.split(match[1].replace("`", " "), comments=True)


def is_safe(arguments: list[str]) -> bool:
    """Return if pip takes only what is pinned by its hash, or our own package with tools that are installed."""
    own = {".", "/wheels/*.whl"} & set(arguments)
    alone = "--no-deps" in arguments and {"--no-build-isolation", "--no-index"} & set(arguments)
    if own:
        return bool(alone) and "-r" not in arguments
    named = [file for file in arguments if file.startswith("requirements/")]
    return "--require-hashes" in arguments and bool(named) and all(_is_hashed(requirement) for requirement in named)


def _is_hashed(name: str) -> bool:
    pinned = re.findall(r"^[A-Za-z].*$", (ROOT / name).read_text(encoding="utf-8").replace("\\\n", " "), re.MULTILINE)
    return bool(pinned) and all("==" in line and "--hash=sha256:" in line for line in pinned)


def test_what_is_told_to_be_installed_is_hashed() -> None:
    found = {name: list(installs(name)) for name in TOLD_IN}
    assert [(name, call) for name, calls in found.items() for call in calls if not is_safe(call)] == []
    assert min(len(found[name]) for name in ("docs/running.md", "Makefile", "Dockerfile")) >= 2


@pytest.mark.parametrize(
    "command",
    [
        "pip install uv",
        "pip install --no-deps .",
        "pip install -r requirements/run.txt",
        "pip install --require-hashes -r requirements/run.in",
        "pip install --no-build-isolation .",
        "pip install --require-hashes",
    ],
)
def test_what_would_be_fetched_unhashed_is_noticed(command: str) -> None:
    assert not is_safe(shlex.split(command))


def test_the_build_tool_is_pinned_for_all_alike() -> None:
    pinned = re.compile(r"^setuptools==.*?(?=^    #)", re.MULTILINE | re.DOTALL)
    pins = [
        pinned.findall((ROOT / f"requirements/{name}.txt").read_text(encoding="utf-8")) for name in ("build", "dev")
    ]
    assert pins[0] == pins[1]
    assert len(pins[0]) == 1


def test_every_base_image_has_a_digest() -> None:
    values = dict(re.findall(r"^ARG (\w+)=(\S+)$", (ROOT / "Dockerfile").read_text(encoding="utf-8"), re.MULTILINE))
    bases = [line.split()[1] for line in lines("Dockerfile") if line.startswith("FROM ")]
    assert len(bases) == 2
    for base in bases:
        named = re.sub(r"\$\{(\w+)\}", lambda match: values[match[1]], base)
        assert re.fullmatch(r"python:3\.\d+-slim(-\w+)?@sha256:[0-9a-f]{64}", named), named


# --- what is sent to the builder -----------------------------------------------------------------------------------


def sent(name: str) -> bool:
    """Return if Docker takes a file into the build context, by .dockerignore: the last line that fits decides."""
    paths = [PurePosixPath(name), *PurePosixPath(name).parents][:-1]
    taken = True
    for line in lines(".dockerignore"):
        pattern = line.strip()
        if not pattern or pattern.startswith("#"):
            continue
        wanted = pattern.removeprefix("!").rstrip("/")
        if any(_fits(str(path), wanted) for path in paths):
            taken = pattern.startswith("!")
    return taken


def _fits(path: str, pattern: str) -> bool:
    """Return if a pattern names a path: `*` stays within a folder, `**/` is any number of them."""
    anywhere, rest = pattern.startswith("**/"), pattern.removeprefix("**/")
    parts, wanted = path.split("/"), rest.split("/")
    if anywhere:
        parts = parts[len(parts) - len(wanted) :] if len(parts) >= len(wanted) else []
    return len(parts) == len(wanted) and all(
        re.fullmatch(translate(pattern), part) for part, pattern in zip(parts, wanted, strict=True)
    )


def copied() -> list[str]:
    """Return the files that the Dockerfile copies out of the build context."""
    calls = [line.split()[1:] for line in lines("Dockerfile") if line.startswith("COPY ") and "--from=" not in line]
    return [source for *sources, _ in calls for source in sources]


@pytest.mark.parametrize("name", SECRET)
def test_nothing_secret_and_nothing_needless_is_sent_to_a_builder(name: str) -> None:
    assert not sent(name)


def test_what_is_sent_to_a_builder_is_what_the_image_is_made_of() -> None:
    wanted = copied()
    for name in wanted:
        files = [path for path in [ROOT / name, *(ROOT / name).rglob("*")] if path.is_file()]
        assert files, name
        for path in files:
            if "__pycache__" not in path.parts:
                assert sent(path.relative_to(ROOT).as_posix()), path
    listed = {line[1:] for line in lines(".dockerignore") if line.startswith("!")}
    assert listed == set(wanted)


# --- several bots --------------------------------------------------------------------------------------------------


def part(name: str, indent: int = 0) -> str:
    """Return a part of compose.yaml: the lines below its name with more indentation."""
    text = (ROOT / "compose.yaml").read_text(encoding="utf-8")
    (match,) = re.findall(rf"^{' ' * indent}{re.escape(name)}:.*\n((?: {{{indent + 1},}}.*\n|\n)*)", text, re.MULTILINE)
    return str(match)


def test_two_bots_and_postgresql_are_all_that_compose_starts() -> None:
    services = part("services")
    assert re.findall(r"^  (\w+):(?: (\*bot))?$", services, re.MULTILINE) == [
        ("one", "*bot"),
        ("two", "*bot"),
        ("database", ""),
    ]
    assert "ports:" not in (ROOT / "compose.yaml").read_text(encoding="utf-8")


def test_what_compose_tells_the_bots_are_settings_of_theirs() -> None:
    settings = dict(re.findall(r"^    ([A-Z_]+): (.+)$", part("x-bot"), re.MULTILINE))
    assert {"DISCORD_TOKEN", "DATABASE_URL", "SHARDS", "HEALTH_FILE"} == settings.keys()
    assert {name.lower() for name in settings} <= BotSettings.model_fields.keys()
    variables = {
        name.lower(): re.sub(r"\$\{\w+:\?[^}]*\}", "secret", value.strip('"')) for name, value in settings.items()
    }
    config = BotSettings(**variables, _env_file=None)
    assert postgres.is_postgres(make_url(config.database_url))
    assert config.shards == 2
    # The image's own health check looks at the same file.
    assert f"HEALTH_FILE={config.health_file}" in (ROOT / "Dockerfile").read_text(encoding="utf-8")


def test_the_bots_wait_until_a_database_of_one_version_is_well() -> None:
    database = part("database", 2)
    assert re.search(r"^    image: postgres:\d+\.\d+(-\w+)?$", database, re.MULTILINE)
    assert "pg_isready" in part("healthcheck", 4)
    assert "condition: service_healthy" in part("x-bot")
    assert "-r requirements/interactions.txt" in (ROOT / "Dockerfile").read_text(encoding="utf-8")


def test_the_extra_for_the_sandbox_is_what_tests_run_with_and_packages_are_marked_as_typed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    extras = project["project"]["optional-dependencies"]
    required = (ROOT / "requirements" / "dev.in").read_text("utf-8").splitlines()
    assert set(extras["sandbox"]) <= set(required)
    typed = {package for package in ("bot", "rules", "render") if (ROOT / package / "py.typed").exists()}
    shipped = project["tool"]["setuptools"]["package-data"]
    assert typed == {package for package, patterns in shipped.items() if "py.typed" in patterns}
    assert typed == {"bot", "rules", "render"}
