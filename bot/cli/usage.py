"""Commands that end in one line where a file, a folder or a pipe can't be used: no traceback for what was passed in."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any, Final, NoReturn

import typer
from typer.core import TyperGroup

EXIT_FAILED: Final = 1
"""Exit code when trying again may help."""
EXIT_USAGE: Final = 2
"""Exit code when the input can't be used."""
MAX_DATABASE_INTEGER: Final = 2**63 - 1
"""The largest number that a database can hold: of a person, a server, a game."""


def exit_with_line(line: str, code: int = EXIT_USAGE) -> NoReturn:
    """Print one line on standard error, and exit."""
    print_line(line)
    raise typer.Exit(code)


def print_line(line: str) -> None:
    """Print one line on standard error."""
    typer.echo(f"war-galley: {' '.join(line.splitlines())}", err=True)


class OneLineErrorGroup(TyperGroup):
    """The commands. What the operating system refuses is said in one line, with the name of the file."""

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401 - typer's own types
        """Carry out a command; exits with `EXIT_USAGE` if a file, a folder or a port can't be used."""
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(errors="backslashreplace")  # the name of a file may be no text
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise  # nobody reads on: typer ends without a word
        except OSError as refused:
            exit_with_line(os_error_line(refused))


def os_error_line(refused: OSError) -> str:
    """What the operating system refused, in one line: the file, if it is about one, and why."""
    why = refused.strerror or str(refused) or type(refused).__name__
    return f"{refused.filename}: {why}" if refused.filename else why


def decode_text(data: bytes, name: object) -> str:
    """The text of a file. Exits with `EXIT_USAGE` if it isn't UTF-8."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as garbled:
        exit_with_line(f"{name}: this is not text in UTF-8 (byte {garbled.start})")


def is_file(name: str) -> bool:
    """Whether a text is the name of a file; any text may be asked about."""
    try:
        return Path(name).is_file()
    except OSError:
        return False  # no file can have such a name
