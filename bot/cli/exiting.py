"""Delay the exit of a bot that only a person can help.

Docker restarts a program regardless of its exit code, so a bot that exits at once would log in every few seconds.
"""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import typer

from bot.cli.usage import EXIT_USAGE, print_line


class CannotRun(Exception):
    """The bot cannot run until a person changes something. The message says what, in one line."""


@contextmanager
def delayed_exit() -> Iterator[None]:
    """If the block raises `CannotRun`, print the reason, wait, and exit with `EXIT_USAGE`. SIGTERM ends the wait.

    If standard input or error is a terminal, it exits without a delay.
    """
    previous_handler = signal.getsignal(signal.SIGTERM)
    interrupt_on_sigterm()
    try:
        yield
    except CannotRun as reason:
        with suppress(KeyboardInterrupt):
            print_line(str(reason))
            _wait_before_exit()
        raise typer.Exit(EXIT_USAGE) from None
    except typer.Exit as ending:
        if ending.exit_code == EXIT_USAGE:
            with suppress(KeyboardInterrupt):
                _wait_before_exit()
        raise
    except KeyboardInterrupt:
        raise typer.Exit from None
    finally:
        signal.signal(signal.SIGTERM, previous_handler)


def interrupt_on_sigterm() -> None:
    signal.signal(signal.SIGTERM, signal.default_int_handler)


def _wait_before_exit() -> None:
    # `stream` is None if it was closed before the start.
    if not any(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr)):
        time.sleep(_exit_delay_s())


def _exit_delay_s() -> int:
    from bot.config import ExitSettings  # noqa: PLC0415 - reading settings takes long to load

    for file in (ExitSettings.model_config["env_file"], None):
        with suppress(ValueError):  # the settings or their file may be the reason for the exit
            return ExitSettings(_env_file=file).exit_delay_s
    return ExitSettings.model_construct().exit_delay_s
