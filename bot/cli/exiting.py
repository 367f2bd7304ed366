"""Delays the end of a bot that only a person can help.

Docker starts a program again whatever its exit code was: a bot that ended at once would log in every few seconds.
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
    """Only a person can make the bot run; the message says how, in one line."""


@contextmanager
def delayed_exit() -> Iterator[None]:
    """Print why the bot cannot run, and wait before the exit with `EXIT_USAGE`; on SIGTERM exit at once.

    If somebody at a terminal has started the bot, it exits without a delay.
    """
    before = signal.getsignal(signal.SIGTERM)
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
        signal.signal(signal.SIGTERM, before)


def interrupt_on_sigterm() -> None:
    """Let SIGTERM do what Ctrl-C does: a container's first process, which has no handler for it, would ignore it."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)


def _wait_before_exit() -> None:
    # A stream that was closed before the start is None.
    if not any(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr)):
        time.sleep(_exit_delay_s())


def _exit_delay_s() -> int:
    from bot.config import ExitSettings  # noqa: PLC0415 - reading settings takes long to load

    for file in (ExitSettings.model_config["env_file"], None):
        with suppress(ValueError):  # the settings, or their file, may be why it ends
            return ExitSettings(_env_file=file).exit_delay_s
    return ExitSettings.model_construct().exit_delay_s
