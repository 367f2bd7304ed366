"""`war-galley render`: pictures and films of positions and of exported games."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image
from typer.testing import CliRunner

from bot.cli.main import app
from bot.record.export import encode_export
from tests.bot.services.test_import import finished
from tests.laws.play import tape
from tests.laws.test_replay import record

BESIDE = "900x600 ; A1:south 4-4+4/4 @300,300^0 ; B1:north 4-4+4/4 @370,350^0"
POSITION = "1200x800 ; A1:south 6-6+2/6 @600,80^0 ; B1:north 5-5+3/5 @600,720^180"


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("game") / "game.json"
    path.write_bytes(encode_export(finished(record(tape("matchbox", 5)))))
    return path


def drawn(out: Path, source: object, *options: str) -> Image.Image:
    result = CliRunner().invoke(app, ["render", str(source), "-o", str(out), *options])
    assert result.exit_code == 0, result.output
    return Image.open(out)


def refused(out: Path, source: object, *options: str) -> str:
    result = CliRunner().invoke(app, ["render", str(source), "-o", str(out), *options])
    assert result.exit_code == 2, result.output
    assert not out.exists()
    assert result.output.count("\n") == 1, result.output
    return result.output


def test_a_position_is_drawn_as_a_table_or_as_a_plan(tmp_path: Path) -> None:
    table = drawn(tmp_path / "table.png", POSITION, "--width", "800")
    assert table.size == (800, table.height)
    assert (table.format, table.mode) == ("PNG", "P"), "a byte a pixel"
    plan = drawn(tmp_path / "plan.png", POSITION, "--width", "800", "--kind", "plan", "--orders", "A1 FFRXF")
    near = drawn(tmp_path / "near.webp", POSITION, "--width", "800", "--crop", "fleet", "--captain", "B")
    assert near.format == "WEBP"
    assert drawn(tmp_path / "table.jpg", POSITION, "--width", "400").format == "JPEG"
    assert len({table.tobytes(), plan.tobytes(), near.convert("RGB").tobytes()}) == 3
    hungarian = drawn(tmp_path / "hu.png", POSITION, "--width", "800", "--lang", "hu")
    assert hungarian.tobytes() != table.tobytes()


def test_an_aim_is_drawn_as_the_captain_sees_it_who_is_asked(tmp_path: Path) -> None:
    choosing = ("--kind", "aim", "--orders", "A1 FXFFX; aim ask")
    aim = drawn(tmp_path / "aim.png", BESIDE, "--width", "800", *choosing)
    plan = drawn(tmp_path / "plan.png", BESIDE, "--width", "800", "--kind", "plan", "--orders", "A1 FXFFX; aim ask")
    hungarian = drawn(tmp_path / "hu.png", BESIDE, "--width", "800", "--lang", "hu", *choosing)
    assert len({aim.tobytes(), plan.tobytes(), hungarian.tobytes()}) == 3
    out = tmp_path / "none.png"
    assert "lead to no question" in refused(out, BESIDE, "--kind", "aim", "--orders", "A1 FXFFX")
    assert "every order that she can carry out" in refused(out, BESIDE, "--kind", "aim", "--orders", "A1 X; aim ask")
    assert "lead to no question" in refused(out, BESIDE, "--kind", "aim", "--captain", "C", "--orders", "A1 FXFFX")


@pytest.mark.parametrize("kind", ["table", "round", "plan"])
def test_a_game_is_drawn_after_any_round(tmp_path: Path, game: Path, kind: str) -> None:
    first, second = (
        drawn(tmp_path / f"{number}.png", game, "--kind", kind, "--round", str(number), "--width", "600")
        for number in (1, 2)
    )
    assert first.tobytes() != second.tobytes()


def test_a_round_and_the_whole_game_are_filmed(tmp_path: Path, game: Path) -> None:
    small = ("--width", "200")
    for ending in ("webp", "gif"):
        film = drawn(tmp_path / f"film.{ending}", game, "--kind", "film", "--round", "2", "--crop", "action", *small)
        assert film.n_frames > 20
    start = drawn(tmp_path / "start.webp", game, "--kind", "replay", "--round", "2", *small)
    film_of_game = drawn(tmp_path / "whole.webp", game, "--kind", "replay", "--round", "3", *small)
    assert film_of_game.n_frames > start.n_frames > film.n_frames


def test_what_cannot_be_shown_is_said_in_one_line(tmp_path: Path, game: Path) -> None:
    out = tmp_path / "x.webp"
    assert "there is no round 99" in refused(out, game, "--round", "99")
    assert "nothing has moved" in refused(out, POSITION, "--kind", "film")
    assert "nothing has moved" in refused(out, game, "--kind", "film", "--round", "0")
    assert "nothing of it" in refused(out, POSITION, "--kind", "volley")
    assert "there are table, plan, aim, round, film, replay, volley" in refused(out, POSITION, "--kind", "melee")
    assert "asked nothing" in refused(out, game, "--kind", "plan")
    assert "isn't an exported game" in refused(out, '{"setup": 1}')
    assert "films are written as" in refused(tmp_path / "x.png", game, "--kind", "film")
    assert "pictures are written as" in refused(tmp_path / "x.txt", game)
    assert "captains are called" in refused(out, game, "--captain", "AB")
    assert "too many" in refused(out, "90000x90000 ; A1:south 6-6+2/6 @600,80^0 ; B1:north 5-5+3/5 @600,720^180")
    assert "I don't understand" in refused(out, POSITION, "--kind", "plan", "--orders", "A1 FQ")


@pytest.mark.parametrize(
    ("system", "position"),
    [
        ("matchbox", "1200x800 ; S1:south 6-6+2/6 @600,300^0 ; N9:north 1-1+0/6 @1100,700^180"),
        ("matchbox", "1200x800 ; A1:south 6-6+2/6 @600,300^0"),
        ("forts", "two_forts 10 red calm w9 1 white=west BB/FR ; wBB@R5 4 ; wGA@O6 0 ; rGA@Q7 3 s1 ; rFR@R4 1 s0 m"),
    ],
)
def test_any_position_can_be_looked_at(tmp_path: Path, system: str, position: str) -> None:
    out = tmp_path / "table.png"
    done = CliRunner().invoke(app, ["render", position, "--system", system, "-o", str(out), "--width", "400"])
    assert done.exit_code == 0, done.output
    assert Image.open(out).size[0] == 400
