"""The docs are true: every command runs, every link, file and name is there.

A block of shell commands is carried out in a temporary folder, as its reader would. One that can't be says why in its
first line, a comment that begins as in `EXCUSES`; its commands are still parsed.
"""

from __future__ import annotations

import ast
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from bot.cli.main import app
from bot.texts.i18n import Catalogue
from rules.core.registry import RULESETS
from tests import measurements, reference
from tests.english import PAGES, ROOT, prose

MOST_LINES = {"README.md": 80, "ARCHITECTURE.md": 200}
EXCUSES = ("# Needs ", "# Takes ", "# Runs until you stop it.")  # why a block of commands is not carried out here
BIN = Path(sys.executable).parent
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
COMMANDS = typer.main.get_command(app)
GAMES = [path.parents[1] for path in (ROOT / "tests").glob("*/rules/__init__.py")]
"""Games from elsewhere, whose files prose names as their authors would."""
OURS = re.compile(r"^(?:bot|rules|render|data|tests|docs|requirements)/[\w/.-]+$")
"""A path of the repository, as prose names it."""

pages = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


# --- what a page holds ---------------------------------------------------------------------------------------------


def blocks(page: Path) -> list[str]:
    return re.findall(r"^ *```sh\n(.*?)^ *```", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)


def lines(block: str) -> list[str]:
    """Return the commands of a block, continued lines joined."""
    commands = [line.strip() for line in block.replace("\\\n", " ").splitlines()]
    return [line for line in commands if line and not line.startswith("#")]


def spans(page: Path) -> list[str]:
    """Return the texts in backticks outside blocks."""
    text = re.sub(r"^ *```.*?^ *```", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    return [span.replace("\\|", "|") for span in re.findall(r"`([^`\n]+)`", text)]


def targets(page: Path) -> list[str]:
    """Return the targets of a page's links and pictures."""
    text = page.read_text("utf-8")
    return re.findall(r"\]\(([^)\s]+)\)", text) + re.findall(r'<img src="([^"]+)"', text)


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page: those of its headings, as the code host makes them, and its own."""
    text = page.read_text("utf-8")
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    made = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
    return made | {*re.findall(r'<a id="([^"]+)"></a>', text)}


# --- links, files, sizes -------------------------------------------------------------------------------------------


@pages
def test_links_and_pictures_are_there(page: Path) -> None:
    lost = []
    for target in targets(page):
        if target.startswith("https://"):
            continue
        path, _, anchor = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        if not there.exists() or (anchor and anchor not in anchors(there)):
            lost.append(target)
    assert lost == []


@pages
def test_pictures_are_described(page: Path) -> None:
    text = page.read_text("utf-8")
    described = re.findall(r'<img [^>]*alt="([^"]*)"', text) + re.findall(r"!\[([^\]]*)\]", text)
    assert len(described) == text.count("<img ") + text.count("![")
    assert all(len(text) > 30 for text in described)


@pages
def test_files_and_modules_that_are_named_are_there(page: Path) -> None:
    named = [span for span in spans(page) if OURS.match(span) and "mygame" not in span]
    assert [path for path in named if not any((root / path).exists() for root in (ROOT, *GAMES))] == []


@pytest.mark.parametrize(("name", "most"), MOST_LINES.items())
def test_pages_that_must_be_short_are(name: str, most: int) -> None:
    assert len((ROOT / name).read_text("utf-8").splitlines()) <= most


def test_each_picture_of_the_docs_is_shown_somewhere() -> None:
    pictures = {(page.parent / target).resolve() for page in PAGES for target in targets(page)}
    assert {path for path in (ROOT / "docs" / "pictures").iterdir() if path.resolve() not in pictures} == set()


# --- commands ------------------------------------------------------------------------------------------------------


def parsed(words: list[str]) -> None:
    """Read the options of a `war-galley` command, or raise what it would say."""
    context = COMMANDS.make_context("war-galley", words[:1], resilient_parsing=True)
    command = COMMANDS.get_command(context, words[0])  # type: ignore[attr-defined]
    assert command, f"there is no war-galley {words[0]}"
    if len(words) > 1:
        command.make_context(words[0], words[1:])


def check(line: str) -> None:
    """Check a command without carrying it out: its programs, targets and options are there."""
    words = [word for word in shlex.split(line, comments=True) if not re.fullmatch(r"[A-Z_]+=\S*", word)]
    program, arguments = Path(words[0]).name, words[1:]
    if program == "make":
        assert {word for word in arguments if "=" not in word} <= TARGETS, line
    elif program == "war-galley":
        line = re.sub(r"\$\([^)]*\)", "value", line)  # stands for a shell's substitution
        words = [word for word in shlex.split(line, comments=True) if not re.fullmatch(r"[A-Z_]+=\S*", word)]
        arguments = words[1:]
        parsed(arguments[: next((no for no, word in enumerate(arguments) if word in ("2>>", ">", "|")), None)])
    elif program in ("python", "python3") and arguments[:1] == ["-m"]:
        assert importlib.util.find_spec(arguments[1]), line
    elif program == "pytest":
        files = [word.partition("::")[0] for word in arguments if word.startswith("tests/")]
        assert all((ROOT / file).exists() for file in files), line
    else:
        assert program in ("docker", "pip", "jq", "echo", "cp", "ls", "git", "grep", "sed"), line


@pages
def test_blocks_are_marked_as_what_they_are(page: Path) -> None:
    text = page.read_text("utf-8")
    assert set(re.findall(r"^ *```(\w*)$", text, re.MULTILINE)) <= {"", "sh", "ini", "json", "text", "python"}
    assert re.findall(r"^    (?:make|war-galley|docker|python3?|pip|\.venv)\b.*", text, re.MULTILINE) == []


@pages
def test_commands_can_be_read(page: Path) -> None:
    for block in blocks(page):
        subprocess.run(["bash", "-n"], input=block, text=True, check=True)
        for line in lines(block):
            check(line)


@pages
def test_commands_in_a_sentence_can_be_read(page: Path) -> None:
    for span in spans(page):
        first, *rest = span.split()
        if first == "make" and rest:
            assert rest[0] in TARGETS, span
        elif first == "war-galley" and rest and rest[0].isalpha() and rest[0].islower():
            assert COMMANDS.get_command(COMMANDS.make_context("", [], resilient_parsing=True), rest[0]), span  # type: ignore[attr-defined]
        elif first == "python" and rest[:1] == ["-m"]:
            assert importlib.util.find_spec(rest[1]), span
        elif first.startswith("--") and page.name == "shell.md":
            # What several options do together stands in a block, where it is tried.
            assert not [word for word in rest if word.startswith("--")], span


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a bot's database with a finished game."""
    path = tmp_path_factory.mktemp("docs") / "war-galley.sqlite"
    url = f"sqlite+aiosqlite:///{path}"
    done = CliRunner().invoke(app, ["import", str(ROOT / "docs/example.json"), "--database", url])
    assert done.exit_code == 0, done.output
    return path


CARRIED_OUT = {page: [block for block in blocks(page) if not block.startswith(EXCUSES)] for page in PAGES}
WITH_COMMANDS = [page for page, commands in CARRIED_OUT.items() if any("make " not in command for command in commands)]


@pytest.mark.parametrize("page", WITH_COMMANDS, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_work(page: Path, database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.setenv("PATH", f"{BIN}{os.pathsep}{os.environ['PATH']}")
    for folder in ("bot", "data", "docs", "render", "rules", "tests"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    shutil.copy(database, tmp_path)
    for block in CARRIED_OUT[page]:
        for line in lines(block):
            carry_out(line)


def carry_out(line: str) -> None:
    """Carry out a command: in a shell, but our own in this process, which has loaded what it needs.

    What takes minutes (`make`, pytest) is not carried out; that it is there is tested above.
    """
    words = shlex.split(line, comments=True)
    if words[0] in ("make", ".venv/bin/pytest"):
        return
    if words[0] == "war-galley" and not re.search(r"[$|<>&]", line):
        done = CliRunner().invoke(app, words[1:])
        assert done.exit_code == 0, f"{line}\n{done.output}\n{done.exception!r}"
        return
    found = subprocess.run(["bash", "-euo", "pipefail", "-c", line], capture_output=True, text=True, check=False)
    assert found.returncode == 0, f"{line}\n{found.stderr}"


def test_prose_leaves_out_code() -> None:
    assert prose("He said `upon` it.\n```sh\nlest\n```\nDone") == "He said  it.\n\nDone"


# --- the tables of ARCHITECTURE ------------------------------------------------------------------------------------


def table(heading: str) -> list[list[str]]:
    """Return the cells of the table in ARCHITECTURE whose first column is called `heading`, without its header."""
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    rows = text[text.index(f"\n| {heading} |") + 1 :].split("\n\n", 1)[0].splitlines()[2:]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def test_the_table_of_games_names_each_game_and_the_numbers_of_its_rules() -> None:
    rows = {package.strip("`").removeprefix("rules/"): prefixes for _, package, prefixes, _ in table("game")}
    ours = {name for name, game in RULESETS.items() if type(game).__module__.startswith("rules.")}
    assert rows.keys() == ours
    for name, prefixes in rows.items():
        code = "".join(path.read_text("utf-8") for path in (ROOT / "rules" / name).rglob("*.py"))
        assert all(re.search(rf"\b{prefix}-\d", code) for prefix in prefixes.split(", ")), name


def test_the_notice_names_each_game_and_who_made_it() -> None:
    notice = " ".join((ROOT / "NOTICE").read_text("utf-8").split())
    games = [str(Catalogue.load("en", system).say("game")) for system in RULESETS]
    makers = ["Thomas Løfgren", "Grabal", "Bombat Game", "angelfire.com/nv/jazzviking", "Richard H. Berg", "GMT Games"]
    assert [name for name in (*games, *makers) if name not in notice] == []


def test_the_table_of_commands_names_each_command_its_module_and_tests_that_are_there() -> None:
    named = {}
    for commands, module, tests in table("command `/galley …`"):
        named[module.strip("`")] = {name.replace(" ", ".") for name in re.findall(r"`([a-z ]+)`", commands)}
        words = re.findall(r"`([a-z ]*[a-z])", commands)  # `host …` stands for all that begin so
        for path in re.findall(r"`([\w/.]+)`", tests):
            code = (ROOT / "tests" / "bot" / path).read_text("utf-8")
            is_given = any(re.search(f'"(?:galley )?{word}[" ]', code) for word in words)
            assert is_given or not words, f"{path} gives none of these commands"
    for path in (ROOT / "bot" / "discord" / "commands").glob("*.py"):
        tree = ast.parse(path.read_text("utf-8"))
        fields = [node for node in ast.walk(tree) if isinstance(node, ast.AnnAssign)]
        values = [field.value for field in fields if ast.unparse(field.target) == "names"]
        names = {name for value in values if isinstance(value, ast.Tuple) for name in ast.literal_eval(value)}
        missing = names - named.get(path.name, set())
        assert not {name for name in missing if path.name != "host.py" or not name.startswith("host.")}, path.name


def test_measurements_are_those_that_were_written_down() -> None:
    assert measurements.PAGE.read_text("utf-8") == measurements.format_page(measurements.SOURCE.read_text("utf-8"))


@pytest.mark.parametrize("page", reference.PAGES, ids=lambda page: page.name)
def test_the_reference_is_what_the_code_says(page: Path) -> None:
    assert page.read_text("utf-8") == reference.PAGES[page](), "run python -m tests.reference"
