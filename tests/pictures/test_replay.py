"""The film of a whole game: rounds put end to end, within what a chat takes."""

from io import BytesIO

import numpy as np
import pytest
from PIL import Image

import render
from render.drawing.encode import WIDTH_LIMITS
from render.drawing.style import EMBER
from render.films import cutting as limits
from render.films.film import Frame, encode_fewer_frames, gif_palette
from render.films.splice import splice_films
from tests.pictures import positions

pytestmark = pytest.mark.game("matchbox")


def frames(data: bytes) -> list[tuple[np.ndarray, int]]:
    image, frames_found = Image.open(BytesIO(data)), []
    for number in range(image.n_frames):
        image.seek(number)
        image.load()
        frames_found.append((np.asarray(image.convert("RGB"), dtype=np.int16), image.info["duration"]))
    return frames_found


def scenes(count: int) -> list[render.Scene]:
    view, events = positions.a_round()
    return [render.Scene(view=view, events=events, caption=f"{number}. forduló") for number in range(1, count + 1)]


def test_films_put_end_to_end_show_what_each_of_them_shows():
    chance = np.random.default_rng(2)
    for form in ("webp", "gif"):
        shots = [
            [Frame(Image.fromarray(chance.integers(0, 255, (60, 80, 3), dtype=np.uint8)), ms) for ms in (100, 200, 300)]
            for _ in range(3)
        ]
        parts = [encode_fewer_frames(shots[0], form, 10**6)]
        palette = gif_palette(parts[0].data) if form == "gif" else b""
        parts += [encode_fewer_frames(more, form, 10**6, palette=palette) for more in shots[1:]]
        film_frames_of_all = frames(splice_films([part.data for part in parts], form))
        each = [frame for part in parts for frame in frames(part.data)]
        assert [ms for _, ms in film_frames_of_all] == [ms for _, ms in each] == [100, 200, 300] * 3
        assert all((a == b).all() for (a, _), (b, _) in zip(film_frames_of_all, each, strict=True))


def test_a_film_in_which_nothing_stirs_is_a_part_of_a_longer_one():
    calm, last = Image.new("RGB", (80, 61), (20, 90, 120)), Image.new("RGB", (80, 61), (90, 20, 20))
    for form in ("webp", "gif"):
        parts = [encode_fewer_frames([Frame(calm, 400)], form, 10**6, fixed_colours=[(90, 20, 20)])]
        palette = gif_palette(parts[0].data) if form == "gif" else b""
        parts.append(encode_fewer_frames([Frame(last, 400)], form, 10**6, palette=palette))
        assert [ms for _, ms in frames(parts[0].data)] == [400]
        film_frames_of_all = frames(splice_films([part.data for part in parts], form))
        assert [ms for _, ms in film_frames_of_all] == [400, 400]
        assert np.abs(film_frames_of_all[1][0] - np.asarray(last, dtype=np.int16)).max() < 12


def test_what_is_no_film_is_not_spliced():
    for form in ("webp", "gif"):
        with pytest.raises(ValueError, match="no film"):
            splice_films([b"RIFF....WEBPVP8 "], form)
        with pytest.raises(ValueError, match="nothing"):
            splice_films([], form)


@pytest.mark.parametrize("form", ["webp", "gif"])
def test_a_game_is_filmed_round_by_round(form):
    picture = render.draw_replay(
        [*scenes(1), render.Scene(view=positions.view_of(positions.duel()), events=()), *scenes(1)],
        names=positions.NAMES,
        form=form,
    )
    film_frames_of_all = frames(picture.data)
    assert not picture.reduced
    assert len(picture.data) <= limits.MAX_REPLAY_BYTES
    assert len(film_frames_of_all) > 60
    assert film_frames_of_all[-1][1] >= 3_000
    assert Image.open(BytesIO(picture.data)).info["loop"] == 0


def test_of_nothing_there_is_no_film():
    assert render.draw_replay([]) is None
    assert render.draw_replay([render.Scene(view=positions.view_of(positions.duel()), events=())]) is None


def test_a_game_that_weighs_too_much_gets_fewer_frames_then_smaller_ones(monkeypatch):
    replay = render.draw_replay(scenes(2))
    monkeypatch.setattr(limits, "MAX_REPLAY_BYTES", len(replay.data) * 2 // 3)
    fewer = render.draw_replay(scenes(2))
    assert fewer.reduced
    assert fewer.width == replay.width
    assert len(frames(fewer.data)) < len(frames(replay.data))
    monkeypatch.setattr(limits, "MAX_REPLAY_BYTES", len(replay.data) // 7)
    smaller = render.draw_replay(scenes(2))
    assert smaller.reduced
    assert smaller.width < replay.width
    for film in (fewer, smaller):
        assert sum(ms for _, ms in frames(film.data)) == pytest.approx(
            sum(ms for _, ms in frames(replay.data)), rel=0.1
        )
    assert len(smaller.data) <= limits.MAX_REPLAY_BYTES


def test_budgets_of_forty_rounds_never_exceed_the_limit():
    cutting = render.FilmAssembly(40, "webp")
    while wanted := cutting.next_request:
        heavy = wanted.max_bytes + (wanted.width > 480)  # every round as heavy as it may be; at first one byte heavier
        cutting.add_clip(render.Picture(data=bytes(heavy), format="webp", width=wanted.width, height=wanted.width))
    assert {clip.width for clip in cutting.clips} == {480}
    assert len(cutting.clips) == 40
    assert sum(len(clip.data) for clip in cutting.clips) <= limits.MAX_REPLAY_BYTES


def test_a_game_that_is_too_heavy_at_any_size_is_refused():
    cutting, widths = render.FilmAssembly(2, "gif"), []
    with pytest.raises(render.TooManyRounds):
        while wanted := cutting.next_request:
            widths.append(wanted.width)
            cutting.add_clip(
                render.Picture(data=bytes(wanted.max_bytes + 1), format="gif", width=wanted.width, height=9)
            )
    assert widths == list(limits.REPLAY_WIDTHS)


def test_fire_is_red_in_a_gif_too():
    view, events = positions.a_round()
    film_frames_of_all = frames(render.draw_film(view, events, form="gif").data)
    nearest = min(np.abs(shot - np.array(EMBER)).sum(axis=2).min() for shot, _ in film_frames_of_all)
    assert nearest == 0


def test_pictures_that_nobody_could_send_are_refused_before_they_are_drawn():
    view, events = positions.a_round()
    for width in (WIDTH_LIMITS[0] - 1, WIDTH_LIMITS[1] + 1):
        with pytest.raises(ValueError, match="pixels wide"):
            render.draw_still(view, width=width)
        with pytest.raises(ValueError, match="pixels wide"):
            render.draw_film(view, events, width=width)
    for size in ((300.0, 6_000.0), (6_000.0, 300.0)):
        long = positions.view_of(positions.fleet(1, size=size), width_mm=size[0], height_mm=size[1])
        picture = render.draw_still(long, width=400)
        assert picture.height < 2 * picture.width
    with pytest.raises(ValueError, match="too many"):
        render.draw_still(positions.view_of((), width_mm=90_000.0, height_mm=90_000.0))


def test_it_is_known_before_whether_anything_is_to_be_seen():
    view, events = positions.a_round()
    assert all(render.has_content(view, events, kind) for kind in ("table", "plan", "volley", "round"))
    assert [kind for kind in ("table", "plan", "volley", "round") if render.has_content(view, (), kind)] == [
        "table",
        "plan",
    ]
