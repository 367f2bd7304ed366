"""`war-galley`: run the bot, play in the sandbox, and look at games from the shell."""

from __future__ import annotations

import importlib.util
import io
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from enum import StrEnum
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from bot.cli.exiting import delayed_exit
from bot.cli.usage import (
    EXIT_FAILED,
    EXIT_USAGE,
    MAX_DATABASE_INTEGER,
    OneLineErrorGroup,
    decode_text,
    exit_with_line,
    is_file,
)
from bot.loading import without_garbage_collection
from bot.texts.style import PLAIN_STYLE

if TYPE_CHECKING:
    from bot.config import BotSettings, GameSettings
    from bot.errors import Refusal
    from bot.store.queries.host_requests import HostRequestKind

S = TypeVar("S", bound="GameSettings")

app = typer.Typer(
    cls=OneLineErrorGroup, no_args_is_help=True, add_completion=False, help=__doc__, pretty_exceptions_enable=False
)

PICTURE_SUFFIXES = (".png", ".webp", ".gif", ".jpg")
FILM_SUFFIXES = (".webp", ".gif")


def _print_version(wanted: bool) -> None:  # noqa: FBT001 - as typer calls it
    if wanted:
        typer.echo(f"war-galley {version('war-galley')}")
        raise typer.Exit


@app.callback()
def _prepare_command(
    context: typer.Context,
    *,
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version, and exit.")
    ] = False,
) -> None:
    """Load the games that are installed and those that `GAMES` names, for every command."""
    with delayed_exit() if context.invoked_subcommand == "run" else nullcontext():
        _load_games()


def _load_games() -> None:
    """Load the games of installed packages and those that GAMES names. Exits if one of them cannot be loaded."""
    from bot import games

    packages = games.installed_packages()
    env_file = Path(".env")
    if env_file.is_file():
        decode_text(env_file.read_bytes(), env_file)  # exits if it is no text
    if "GAMES" in os.environ or env_file.is_file():
        from bot.config import GameSettings

        packages += GameSettings().package_names
    try:
        games.load_packages(packages)
    except games.GameLoadError as error:
        exit_with_line(f"GAMES: {error}")


def _load_config() -> BotSettings:
    from bot.config import BotSettings

    return _load_settings(BotSettings)


def _load_settings(kind: type[S]) -> S:
    from pydantic import ValidationError

    try:
        return kind()
    except ValidationError as wrong:
        first_error = wrong.errors()[0]
        exit_with_line(f"{'.'.join(map(str, first_error['loc'])).upper()}: {first_error['msg']}")


def _require_simcord() -> None:
    if importlib.util.find_spec("simcord") is None:
        exit_with_line("this needs the extra `sandbox`: pip install war-galley[sandbox]")


@app.command()
def run() -> None:
    """Run the bot on Discord; settings come from the environment or a `.env` file."""
    with delayed_exit():
        config = _load_config()
        if not config.discord_token.get_secret_value().strip():
            exit_with_line("DISCORD_TOKEN is not set; put the bot's token into the environment or a .env file")
        _run(config)


def _run(config: BotSettings) -> None:
    from bot.jobs.workers import Workers

    workers = Workers(config.workers, for_presses=1)
    workers.warm_up(_prepare_output)  # while we load what we need ourselves
    with without_garbage_collection():
        from bot.cli.running import run_bot

    try:
        run_bot(config, workers)
    finally:
        workers.close()


def _prepare_output() -> None:
    from bot.jobs import showing

    showing.preload_drawing()


@app.command()
def pages(
    port: Annotated[int | None, typer.Option(min=1, max=65535, help="Instead of PAGES_PORT.")] = None,
) -> None:
    """Serve the pages of games to readers' browsers; settings come from the environment or a `.env` file."""
    from bot.config import PageSettings

    config = _load_settings(PageSettings)
    if not config.public_url:
        exit_with_line("PUBLIC_URL is not set; name the address at which readers find the pages")
    from bot.cli.pages import serve_pages

    try:
        serve_pages(config, config.pages_port if port is None else port)
    except OSError as error:
        exit_with_line(f"PAGES_PORT: {error.strerror}")


@app.command()
def sandbox(
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port on this machine; 0 takes a free one.")] = 8377,
    data: Annotated[Path, typer.Option(help="Folder in which the sandbox keeps its games.")] = Path("sandbox"),
    *,
    fresh: Annotated[bool, typer.Option("--fresh", help="Forget the games of earlier visits.")] = False,
) -> None:
    """Play in the browser: the real bot in a Discord that runs on this machine, without a token."""
    _require_simcord()
    with without_garbage_collection():
        from bot.sandbox.session import run_sandbox

    run_sandbox(port=port, data=data, fresh=fresh)


@app.command()
def demo(
    out: Annotated[Path, typer.Option(help="Folder for the pictures and the transcript.")],
    system: Annotated[str, typer.Option(help="Which game; without it the first.")] = "",
    seed: Annotated[int, typer.Option(help="The same seed plays the same game.")] = 1,
    chart: Annotated[str, typer.Option("--map", help="The map it is played on, if the game has several.")] = "",
    scenario: Annotated[str, typer.Option(help="The scenario, if the game has several.")] = "",
    assignments: Annotated[
        list[str] | None, typer.Option("--set", metavar="OPTION=VALUE", help="Any option of its lobby: boarding=on.")
    ] = None,
    wire: Annotated[Path | None, typer.Option(help="File for every REST call, as JSON lines.")] = None,
) -> None:
    """Let two computer captains play a whole game through the real bot, and write the pictures and the conversation."""
    _require_simcord()
    from bot.cli.demo import DemoError, run_demo
    from rules.core.registry import DEFAULT_SYSTEM

    named_options = {"map": chart, "scenario": scenario}
    options = {key: value for key, value in named_options.items() if value}
    for assignment in assignments or ():
        key, _, value = assignment.partition("=")
        options[key] = value
    try:
        winner = run_demo(system=system or DEFAULT_SYSTEM, seed=seed, out=out, wire=wire, options=options)
    except DemoError as error:
        exit_with_line(str(error))
    typer.echo(winner)


@app.command("new-game")
def new_game(
    name: Annotated[str, typer.Argument(help="What the game and its package are called.")],
    folder: Annotated[Path, typer.Option(help="Where the package is written.")] = Path(),
) -> None:
    """Write the package of a new game, to be played and changed at once."""
    from bot.cli.new_game import write_skeleton

    try:
        package = write_skeleton(name, folder)
    except (ValueError, FileExistsError) as refusal:
        exit_with_line(str(refusal))
    typer.echo(f"{package}: play it with GAMES={name} PYTHONPATH={folder} war-galley sandbox")


@app.command()
def words(name: Annotated[str, typer.Argument(help="A game that GAMES names, or one of our own.")]) -> None:
    """Add to a game's English words an empty sentence for each one that it needs and lacks."""
    from bot.cli.new_game import write_words

    try:
        path, missing_keys = write_words(name)
    except KeyError:
        exit_with_line(f"there is no game called {name}")
    typer.echo("\n".join((*missing_keys, f"{path}: {len(missing_keys)} sentences to write")))


@app.command()
def adjudicate(
    source: Annotated[str, typer.Argument(help="A file with one JSON case; - for standard input.")] = "-",
    *,
    many: Annotated[bool, typer.Option("--many", help="One JSON case per line, one JSON result per line.")] = False,
) -> None:
    """Say what happens in a position: one JSON case in, one JSON result out."""
    from bot.cli.shell import fault_line, run_case
    from rules.core.errors import OrderError

    if many:
        with sys.stdin.buffer if source == "-" else Path(source).open("rb") as lines:
            for line in lines:
                if line.strip():
                    try:
                        result = run_case(line)
                    except OrderError as refusal:
                        result = {"error": fault_line(refusal)}
                    typer.echo(json.dumps(result, ensure_ascii=False))
        return
    case = sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()
    try:
        result = run_case(case)
    except OrderError as refusal:
        typer.echo(fault_line(refusal), err=True)
        raise typer.Exit(EXIT_USAGE) from refusal
    typer.echo(json.dumps(result, ensure_ascii=False))


class CropArgument(StrEnum):
    WHOLE = "whole"
    ACTION = "action"
    FLEET = "fleet"


@app.command()
def render(
    source: Annotated[
        str, typer.Argument(metavar="POSITION|FILE", help="A position in notation, or a file of one, or of a game.")
    ],
    out: Annotated[Path, typer.Option("-o", "--out", help="The picture to write; its ending decides the format.")],
    kind: Annotated[
        str,
        typer.Option(
            help="table, plan, aim (what orders leave to choose), round, film (of one round), replay (of a game), "
            "or a kind that only this game has."
        ),
    ] = "table",
    crop: Annotated[CropArgument, typer.Option(help="How much of the table.")] = CropArgument.WHOLE,
    captain: Annotated[str, typer.Option(help="Whose plan, aim or fleet: a letter.")] = "A",
    orders: Annotated[str, typer.Option(help="Typed orders, for a plan or an aim.")] = "",
    round_no: Annotated[
        int | None, typer.Option("--round", min=0, help="Which round of a game; without it the last.")
    ] = None,
    system: Annotated[str, typer.Option(help="Which game a position is of; without it the first.")] = "",
    width: Annotated[int | None, typer.Option(min=200, max=4000, help="Pixels.")] = None,
    lang: Annotated[str, typer.Option(help="Language of the caption.")] = "en",
) -> None:
    """Draw or film any position or exported game."""
    from bot.cli.shell import PictureRequest, draw_picture, fault_line, read_file
    from rules.core.errors import OrderError
    from rules.core.registry import DEFAULT_SYSTEM

    suffix = out.suffix.lower()
    is_film = kind in ("film", "replay")
    allowed = FILM_SUFFIXES if is_film else PICTURE_SUFFIXES
    if suffix not in allowed:
        exit_with_line(f"{out.name}: {'films' if is_film else 'pictures'} are written as {', '.join(allowed)}")
    if len(captain) != 1 or not "A" <= captain.upper() <= "Z":
        exit_with_line(f"{captain}: captains are called A, B, C …")
    picture_request = PictureRequest(
        kind=kind,
        crop=crop.value,
        width_px=width,
        film_format="gif" if suffix == ".gif" else "webp",
        still_format="webp" if suffix == ".webp" else "png",
        language=lang,
        seat=ord(captain.upper()) - ord("A"),
        orders=orders,
        round=round_no,
    )
    try:
        text = decode_text(read_file(Path(source)), source) if is_file(source) else source
        picture = draw_picture(system or DEFAULT_SYSTEM, text.strip(), picture_request)
    except OrderError as refusal:
        exit_with_line(fault_line(refusal))
    except ValueError as refusal:
        exit_with_line(str(refusal))
    if is_film or suffix == f".{picture.format}":
        out.write_bytes(picture.data)
        return
    from PIL import Image

    Image.open(io.BytesIO(picture.data)).convert("RGB").save(out)


DatabaseOption = Annotated[str, typer.Option("--database", help="As DATABASE_URL; without it the bot's database.")]


@app.command()
def export(
    game: Annotated[int, typer.Argument(min=1, max=MAX_DATABASE_INTEGER, help="The number of a game that is over.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="The file to write.")],
    database: DatabaseOption = "",
) -> None:
    """Write the record of a finished game as JSON; the bot may be running."""
    from bot.cli.shell import export_game

    with _report_refusals():
        data = export_game(database or _load_config().database_url, game)
    out.write_bytes(data)


@app.command("import")
def bring_in(
    files: Annotated[list[Path], typer.Argument(help="Exported games, as JSON.", exists=True, dir_okay=False)],
    database: DatabaseOption = "",
    guild: Annotated[
        int,
        typer.Option(
            min=0, max=MAX_DATABASE_INTEGER, help="The server they belong to; without it any server may show them."
        ),
    ] = 0,
    channel: Annotated[int, typer.Option(min=0, max=MAX_DATABASE_INTEGER, help="The channel they belong to.")] = 0,
) -> None:
    """Check finished games and put them into the bot's database; stop the bot first."""
    from bot.cli.shell import fault_line, import_games, read_file, read_finished
    from rules.core.errors import OrderError

    game_exports = []
    for file in files:
        try:
            game_exports.append(read_finished(read_file(file)))
        except OrderError as refusal:
            exit_with_line(f"{file}: {fault_line(refusal)}")
        except ValueError as refusal:
            exit_with_line(f"{file}: {refusal}")
    try:
        with _report_refusals():
            results = import_games(
                database or _load_config().database_url, game_exports, guild_id=guild, channel_id=channel
            )
    except TimeoutError:
        exit_with_line("a game takes longer to be stored than any game does; those before it are stored")
    for file, (game_id, is_new) in zip(files, results, strict=True):
        typer.echo(f"{file}: #{game_id}{'' if is_new else ', here already'}")


Wait = Annotated[int, typer.Option(min=0, max=86_400, help="Seconds to wait until the running bot has done it.")]
User = Annotated[int | None, typer.Option(min=1, max=MAX_DATABASE_INTEGER, help="A person's number on Discord.")]
Server = Annotated[int | None, typer.Option(min=1, max=MAX_DATABASE_INTEGER, help="A server's number on Discord.")]
WAIT_S = 120


def _submit_request(
    database: str,
    wait: int,
    kind: HostRequestKind,
    *,
    user_id: int | None = None,
    target_id: int | None = None,
    params: dict[str, Any] | None = None,
) -> None:
    import time

    from bot.cli.host import RequestPending, format_time, request_of_bot
    from bot.store.queries.host_requests import HostRequest

    request = HostRequest(
        kind=kind, user_id=user_id, target_id=target_id, params=params or {}, asked_at=int(time.time())
    )
    with _report_refusals():
        try:
            done_request = request_of_bot(database or _load_config().database_url, request, wait)
        except RequestPending as error:
            exit_with_line(str(error), EXIT_FAILED)
    if done_request.refused:
        exit_with_line(done_request.outcome)
    typer.echo(f"{done_request.outcome} ({format_time(done_request.done_at or 0)})")


@app.command()
def status(
    database: DatabaseOption = "",
    server: Annotated[
        int | None, typer.Option(min=1, max=MAX_DATABASE_INTEGER, help="List the open games of this server instead.")
    ] = None,
) -> None:
    """Show whether a bot runs, its servers and games, what waits, who is denied, and the errors of the last day."""
    from bot.cli.host import status_lines

    with _report_refusals():
        lines = status_lines(database or _load_config().database_url, server or 0)
    typer.echo("\n".join(lines))


@app.command()
def delete(
    game: Annotated[int | None, typer.Option(min=1, max=MAX_DATABASE_INTEGER, help="The number of a game.")] = None,
    server: Annotated[
        int | None, typer.Option(min=1, max=MAX_DATABASE_INTEGER, help="All games of this server.")
    ] = None,
    database: DatabaseOption = "",
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Don't ask whether you are sure.")] = False,
    wait: Wait = 600,
) -> None:
    """Delete a game, or all games of a server, with their records, drafts and ratings; the bot may be running."""
    what, number = _require_one("--game", game, "--server", server)
    if not yes:
        typer.confirm(f"Delete {what} {number} for good?", abort=True)
    _submit_request(database, wait, "delete_game" if game else "delete_server", target_id=number)


@app.command()
def deny(
    user: User = None,
    server: Server = None,
    database: DatabaseOption = "",
    wait: Wait = WAIT_S,
) -> None:
    """Shut a person out, or a server, which the bot leaves; the bot may be running."""
    _submit_for_user_or_server("deny_user", "deny_server", user, server, database, wait)


@app.command()
def allow(
    user: User = None,
    server: Server = None,
    database: DatabaseOption = "",
    wait: Wait = WAIT_S,
) -> None:
    """Let a person or a server in again that was denied; the bot may be running."""
    _submit_for_user_or_server("allow_user", "allow_server", user, server, database, wait)


def _submit_for_user_or_server(
    user_kind: HostRequestKind,
    server_kind: HostRequestKind,
    user: int | None,
    server: int | None,
    database: str,
    wait: int,
) -> None:
    _, number = _require_one("--user", user, "--server", server)
    if user:
        _submit_request(database, wait, user_kind, user_id=number)
    else:
        _submit_request(database, wait, server_kind, target_id=number)


def _require_one(option: str, value: int | None, other_option: str, other_value: int | None) -> tuple[str, int]:
    """Return the name, without dashes, and the value of the one option that is given. Exit if none or both are."""
    if value is not None and other_value is None:
        return option.strip("-"), value
    if value is not None or other_value is None:
        exit_with_line(f"name either {option} or {other_option}")
    return other_option.strip("-"), other_value


@app.command()
def announce(
    text: Annotated[str, typer.Argument(help="What the threads of all running games show; Discord's markdown.")],
    translation: Annotated[
        list[str] | None, typer.Option(help='The same in another language, for games that are told in it: `hu="…"`.')
    ] = None,
    database: DatabaseOption = "",
    wait: Wait = WAIT_S,
) -> None:
    """Say something in the threads of all running games, three times a day at most; the bot may be running."""
    from bot.services.host import MAX_ANNOUNCEMENT_CHARS
    from bot.texts.i18n import DEFAULT_LANGUAGE, languages

    texts = {DEFAULT_LANGUAGE: text.strip()}
    for language, _, translated in (entry.partition("=") for entry in translation or []):
        if language not in languages() or not translated.strip():
            exit_with_line(f"--translation: write LANGUAGE=TEXT; languages: {', '.join(languages())}")
        texts[language] = translated.strip()
    if not texts[DEFAULT_LANGUAGE] or max(map(len, texts.values())) > MAX_ANNOUNCEMENT_CHARS:
        exit_with_line(f"an announcement has 1 to {MAX_ANNOUNCEMENT_CHARS} characters")
    _submit_request(database, wait, "announce", params={"texts": texts})


@app.command()
def forget(
    user: Annotated[int, typer.Argument(min=1, max=MAX_DATABASE_INTEGER, help="The person's number on Discord.")],
    database: DatabaseOption = "",
    wait: Wait = 900,
) -> None:
    """Delete a person's data, as the button in /galley me does; the bot may be running."""
    _submit_request(database, wait, "forget", user_id=user)


@app.command()
def check(
    backup: Annotated[
        str, typer.Argument(metavar="FILE|URL", help="A backup, or a database to which a dump was restored.")
    ],
) -> None:
    """Prove that a backup can be restored: read every game of a copy of it. Exits with 2 and one line if it can't."""
    from bot.cli.host import describe_backup

    with _report_refusals():
        line = describe_backup(backup)
    typer.echo(f"{backup}: {line}")


@app.command()
def backup(
    file: Annotated[Path, typer.Argument(help="The copy to write.", dir_okay=False)],
    database: DatabaseOption = "",
    *,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
) -> None:
    """Copy the bot's database; the bot may be running."""
    from bot.store import backup_to

    if file.exists() and not force:
        exit_with_line(f"{file} exists already; --force overwrites it")
    with _report_refusals():
        backup_to(database or _load_config().database_url, file)
    typer.echo(f"{file}: {file.stat().st_size} bytes, and whole")


@app.command()
def move(
    to: Annotated[str, typer.Option("--to", help="The new database, as DATABASE_URL; it must be empty.")],
    database: DatabaseOption = "",
) -> None:
    """Copy everything into another database, such as PostgreSQL, with running games; stop the bot first."""
    from bot.cli.shell import move_all

    with _report_refusals():
        rows_by_table = move_all(database or _load_config().database_url, to)
    row_count = sum(rows_by_table.values())
    typer.echo(f"{rows_by_table['games']} games, {row_count} rows in all; set DATABASE_URL to the new database")


@contextmanager
def _report_refusals() -> Iterator[None]:
    from bot.errors import Refusal
    from bot.store import StoreUnavailable

    try:
        yield
    except StoreUnavailable as error:
        exit_with_line(str(error))
    except Refusal as refusal:
        exit_with_line(_refusal_line(refusal))


def _refusal_line(refusal: Refusal) -> str:
    from bot.presenters.wording import refusal_text
    from bot.texts.i18n import Catalogue, Localizer

    return refusal_text(Localizer(Catalogue.load("en"), style=PLAIN_STYLE), refusal)


@app.command()
def verify(
    game: Annotated[
        Path, typer.Argument(help="An exported game: JSON, or a zip with its battles.", exists=True, dir_okay=False)
    ],
    digest: Annotated[str, typer.Option(help="The fingerprint of the record, as the game's thread shows it.")] = "",
    battle: Annotated[
        list[Path] | None,
        typer.Option(help="The export of a battle that answered one of its questions; may be repeated."),
    ] = None,
    lang: Annotated[str, typer.Option(help="Language of the output.")] = "en",
) -> None:
    """Replay a game, and say what that proves, or name the first flaw."""
    from bot.cli.shell import fault_line, prove_record, read_file
    from rules.core.errors import OrderError

    try:
        is_valid, lines = prove_record(read_file(game), digest, lang, [read_file(file) for file in battle or ()])
    except OrderError as refusal:
        exit_with_line(fault_line(refusal))
    except ValueError as refusal:
        exit_with_line(str(refusal))
    typer.echo("\n".join(lines), err=not is_valid)
    if not is_valid:
        raise typer.Exit(1)
