"""Make commands fail with one line instead of a traceback if a file, folder or pipe can't be used."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any, Final, NoReturn

import typer
from typer.core import TyperGroup

EXIT_FAILED: Final = 1
EXIT_USAGE: Final = 2
MAX_DATABASE_INTEGER: Final = 2**63 - 1


def exit_with_line(line: str, code: int = EXIT_USAGE) -> NoReturn:
    print_line(line)
    raise typer.Exit(code)


def print_line(line: str) -> None:
    typer.echo(f"war-galley: {' '.join(line.splitlines())}", err=True)


class OneLineErrorGroup(TyperGroup):
    """The group of commands. It exits with `EXIT_USAGE` and one line on an `OSError`, with the file's name."""

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401 - typer's own types
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(errors="backslashreplace")  # a file's name may be invalid text
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise  # the reader has gone, so typer ends silently
        except OSError as refusal:
            exit_with_line(os_error_line(refusal))


def os_error_line(refusal: OSError) -> str:
    why = refusal.strerror or str(refusal) or type(refusal).__name__
    return f"{refusal.filename}: {why}" if refusal.filename else why


def decode_text(data: bytes, name: object) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as garbled:
        exit_with_line(f"{name}: this is not text in UTF-8 (byte {garbled.start})")


def is_file(name: str) -> bool:
    try:
        return Path(name).is_file()
    except OSError:
        return False  # no file can have such a name
