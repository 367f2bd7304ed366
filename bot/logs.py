"""Configure logging. A line is a constant text with values in `extra` and those of `bind_values`.

Logs are kept and sent to others, so no line may contain a seed, a nonce, a secret order or a token. The code logs none
of them, libraries log nothing below INFO (at DEBUG they log whole messages and rows), and tracebacks contain no values.
Errors of workers have no message either (`bot.errors.JobFailed`).
"""

from __future__ import annotations

import logging
import re
import sys
from collections import Counter
from contextlib import AbstractContextManager
from typing import Final, Literal, TextIO

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from bot import OWN_PACKAGES
from rules.core import errors

LogFormat = Literal["text", "json"]
LogLevel = Literal["DEBUG", "INFO", "WARNING", "ERROR"]

MAX_KINDS: Final = 50
MAX_KIND_CHARS: Final = 100
OTHER_KINDS: Final = "others"
_TOKEN_PATTERN: Final = re.compile(r"((?:webhooks|interactions)/\d+/)[\w.%-]{20,}")
"""The token in an interaction's address. For some minutes it lets anybody send messages as the bot."""
_ORDER_PATTERN: Final = re.compile(rf"^({re.escape(errors.__name__)}\.\w+: \S+ \w+).*", re.MULTILINE)
"""The last line of a traceback of a refused order: the error's code, then the order."""

_QUIET_LOGGERS: Final = ("alembic", "discord.client")
_DISCORD_LOGGERS: Final = ("discord.client", "discord.shard")
_VOICE_WARNING: Final = "voice will NOT be supported"
_RECONNECT_LINES: Final = ("Attempting a reconnect", "Failed to connect for shard_id")


def configure_logging(level: LogLevel, form: LogFormat, out: TextIO | None = None) -> None:
    common_processors: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.ExtraAdder(),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        # Format tracebacks as text, because the renderers would show values of local variables.
        structlog.processors.format_exc_info,
        _remove_secrets,
    ]
    renderer: Processor = (
        structlog.processors.JSONRenderer(ensure_ascii=False)
        if form == "json"
        else structlog.dev.ConsoleRenderer(
            colors=False, pad_event_to=0, exception_formatter=structlog.dev.plain_traceback
        )
    )
    handler = logging.StreamHandler(out or sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=common_processors,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel("INFO" if level == "DEBUG" else level)
    for name in _QUIET_LOGGERS:
        logging.getLogger(name).setLevel("WARNING")
    for name in _DISCORD_LOGGERS:
        logging.getLogger(name).addFilter(_filter_discord_noise)
    for name in OWN_PACKAGES:  # only these may log below INFO
        logging.getLogger(name).setLevel(level)


def _filter_discord_noise(record: logging.LogRecord) -> bool:
    """Drop lines about voice, and turn a lost connection into a warning without a traceback."""
    text = str(record.msg)
    if text.startswith(_RECONNECT_LINES) and isinstance(record.exc_info, tuple):
        error = record.exc_info[1]
        record.levelno, record.levelname = logging.WARNING, logging.getLevelName(logging.WARNING)
        record.exc_info = record.exc_text = None
        record.why = " ".join(f"{type(error).__name__}: {error}".split())
    return not text.endswith(_VOICE_WARNING)


class ErrorCounter(logging.Handler):
    """A handler that counts log lines of level ERROR by kind.

    A kind is a constant text: a line of this project without its values, or the names of another package's logger and
    exception. It contains neither names nor secrets.
    """

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self._counts: Counter[str] = Counter()

    def emit(self, record: logging.LogRecord) -> None:
        kind = _error_kind(record)[:MAX_KIND_CHARS]
        self._counts[kind if kind in self._counts or len(self._counts) < MAX_KINDS else OTHER_KINDS] += 1

    def take(self) -> Counter[str]:
        counts, self._counts = self._counts, Counter()
        return counts

    def put_back(self, counts: Counter[str]) -> None:
        self._counts.update(counts)


def _error_kind(record: logging.LogRecord) -> str:
    if record.name.partition(".")[0] in OWN_PACKAGES and isinstance(record.msg, str) and not record.args:
        return record.msg
    raised = record.exc_info[0] if record.exc_info else None
    return f"{record.name}: {raised.__name__}" if raised else record.name


def bind_values(**values: str | int) -> AbstractContextManager[None]:
    """Add these values to every line that is logged in the block, also by tasks that it starts."""
    return structlog.contextvars.bound_contextvars(**values)


def current_value(name: str) -> object:
    return structlog.contextvars.get_contextvars().get(name)


def add_values(**values: str | int) -> None:
    structlog.contextvars.bind_contextvars(**values)


def _remove_secrets(_logger: WrappedLogger, _method: str, line: EventDict) -> EventDict:
    return {key: _mask_secrets(value) if isinstance(value, str) else value for key, value in line.items()}


def _mask_secrets(text: str) -> str:
    return _ORDER_PATTERN.sub(r"\1 …", _TOKEN_PATTERN.sub(r"\1…", text))
