"""What the bot sends to Discord, held against Discord's limits and its published description."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jsonschema_rs import Draft202012Validator

from bot.sandbox import private

OPENAPI = Path(__file__).parents[2] / "shared" / "discord" / "openapi.json"
COMPONENTS_MOST = 40
TEXT_MOST = 4000
FILES_MOST = 10
FILE_MOST = 10 * 1024 * 1024
CUSTOM_ID_MOST = 100
LABEL_MOST = 80
OPTIONS_MOST = 25
OPTION_TEXT_MOST = 100
_TEXT = 10


def check_limits(env: private.Env) -> None:
    """Every call keeps Discord's limits."""
    for call in env.http_requests:
        body = _message_in(call.json)
        components = list(_components(body.get("components") or []))
        where = f"{call.method} {call.path}: {json.dumps(body, default=str)[:2000]}"
        assert len(components) <= COMPONENTS_MOST, where
        assert sum(len(part["content"]) for part in components if part["type"] == _TEXT) <= TEXT_MOST, where
        assert len(str(body.get("content") or "")) <= TEXT_MOST // 2, where
        assert len(body.get("attachments") or []) <= FILES_MOST, where
        ids = [part["custom_id"] for part in components if part.get("custom_id")]
        assert len(ids) == len(set(ids)), where
        assert all(len(custom_id) <= CUSTOM_ID_MOST for custom_id in ids), where
        assert all(0 < len(part["label"]) <= LABEL_MOST for part in components if part.get("label")), where
        for part in components:
            options = part.get("options") or []
            assert len(options) <= OPTIONS_MOST, where
            assert len({option["value"] for option in options}) == len(options), where
            assert all(
                0 < len(option["label"]) <= OPTION_TEXT_MOST
                and 0 < len(option["value"]) <= OPTION_TEXT_MOST
                and len(option.get("description") or "") <= OPTION_TEXT_MOST
                for option in options
            ), where
    sizes = [len(data) for data in private.blobs(env.backend).values()]
    assert max(sizes, default=0) <= FILE_MOST


def check_schemas(env: private.Env) -> int:
    """Every body is as Discord's own description says; returns how many were looked at."""
    checked = 0
    for call in env.http_requests:
        validator = _validator(call.method.lower(), call.path) if call.json is not None else None
        if validator:
            faults = [
                f"{'/'.join(map(str, fault.instance_path))}: {fault.message[:300]}"
                for fault in _faults(validator, call)
            ]
            assert not faults, f"{call.method} {call.path}: {faults}"
            checked += 1
    return checked


def _faults(validator: Draft202012Validator, call: Any) -> list[Any]:
    # Texts that were formatted are of a subclass of str; on the wire they are JSON's own.
    return list(validator.iter_errors(json.loads(private.encode(call.json))))


def _message_in(body: Any) -> dict[str, Any]:
    """The message or form in a body: itself, or inside an interaction's answer."""
    if not isinstance(body, dict):
        return {}
    data = body.get("data")
    return data if isinstance(data, dict) else body


def _components(components: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for part in components:
        yield part
        yield from _components([*part.get("components", []), *filter(None, [part.get("component")])])


@functools.cache
def _openapi() -> Any:
    described = json.loads(OPENAPI.read_text("utf-8"))
    # Discord takes both, and discord.py sends numbers.
    described["components"]["schemas"]["SnowflakeType"] = {"type": ["string", "integer"]}
    return described


@functools.cache
def _templates() -> list[tuple[re.Pattern[str], dict[str, Any]]]:
    # Paths with fewer parameters first: `@original` before `{message_id}`.
    paths = sorted(_openapi()["paths"].items(), key=lambda item: item[0].count("{"))
    return [(re.compile(re.sub(r"\{[^}]+\}", "[^/]+", path)), methods) for path, methods in paths]


def _validator(method: str, path: str) -> Draft202012Validator | None:
    found = next((methods for pattern, methods in _templates() if pattern.fullmatch(path) and method in methods), None)
    assert found, f"Discord has no {method} {path}"
    content = found[method].get("requestBody", {}).get("content", {})
    schema = content.get("application/json", {}).get("schema")
    return _compiled(json.dumps(schema)) if schema else None


@functools.cache
def _compiled(schema: str) -> Draft202012Validator:
    return Draft202012Validator({**json.loads(schema), "components": _openapi()["components"]})
