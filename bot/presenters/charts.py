"""Pictures of what a game will be played on, for its lobby: drawn once, as the same few are wanted again and again."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

from msgspec import UNSET, structs

from bot.jobs import showing
from bot.jobs.workers import Workers
from bot.presenters.values import DescribedPicture, IsWanted, PictureStyle
from rules.core.protocol import OptionSpec, Setup
from rules.core.registry import RULESETS
from rules.core.view import Text

WIDTH_PX: Final = 960
"""Pixels: a phone shows 400 of them, and a host may look at a dozen charts at once."""
MAX_CHARTS: Final = 40
"""Charts that are kept, of some 200 kB each."""

_ChartKey = tuple[str, tuple[tuple[str, str], ...], str]
"""A game, the options of its chart, and a language."""


class ChartCache:
    """Draws charts in the workers, and keeps those that go by options alone; a host's own is drawn each time."""

    def __init__(self, workers: Workers) -> None:
        self._workers = workers
        self._charts: OrderedDict[_ChartKey, DescribedPicture] = OrderedDict()

    async def get_or_draw(self, setup: Setup, look: PictureStyle, wanted: IsWanted = lambda: True) -> DescribedPicture:
        """The chart of a game that is charted. Raises `JobOutdated` if it isn't `wanted` any more.

        Raises `OrderError` if its host's own scenario cannot be read.
        """
        chosen = _chart_setup(setup)
        look = structs.replace(look, names={}, caption=_chart_caption(chosen))
        if chosen.scenario is not UNSET:
            return await self._workers.run_illustration(wanted, showing.draw_chart, chosen, look, WIDTH_PX)
        asked = (chosen.system, tuple(chosen.options.items()), look.language)
        drawn = self._charts.pop(asked, None)
        if drawn is None:
            drawn = await self._workers.run_illustration(wanted, showing.draw_chart, chosen, look, WIDTH_PX)
        self._charts[asked] = drawn
        while len(self._charts) > MAX_CHARTS:
            self._charts.popitem(last=False)
        return drawn


def has_chart(setup: Setup) -> bool:
    """Whether there is anything on a game's chart: one of its options is chosen, or its host's own scenario."""
    return bool(RULESETS[setup.system].chart_options) and (
        setup.scenario is not UNSET or bool(_chart_setup(setup).options)
    )


def chart_variants(setup: Setup, key: str) -> tuple[Setup, ...]:
    """A game as it would be with each value of an option that is charted, except the usual one, which shows nothing."""
    specs = (spec for spec in _chart_option_specs(setup) if spec.key == key)
    values = (value for spec in specs for value in spec.values if value != spec.default)
    return tuple(structs.replace(_chart_setup(setup), options={key: value}, scenario=UNSET) for value in values)


def chart_option(setup: Setup) -> tuple[str, str] | None:
    """The option by which a chart is called, and its value: of several the last one; None: there is none."""
    options = [*_chart_setup(setup).options.items()] if RULESETS[setup.system].chart_options else []
    return options[-1] if options else None


def _chart_setup(setup: Setup) -> Setup:
    """All of a game by which its chart goes: options that are not as usual, and a scenario of its host's own."""
    found = {spec.key: setup.options.get(spec.key, spec.default) for spec in _chart_option_specs(setup)}
    options = {spec.key: found[spec.key] for spec in _chart_option_specs(setup) if found[spec.key] != spec.default}
    return Setup(system=setup.system, teams=setup.teams, options=options, scenario=setup.scenario)


def _chart_caption(setup: Setup) -> Text:
    """What a chart is of, as the value of its option is called."""
    found = chart_option(setup)
    return Text("option.{}.{}".format(*found)) if found else Text("lobby.scenario")


def _chart_option_specs(setup: Setup) -> list[OptionSpec]:
    rules = RULESETS[setup.system]
    return [spec for spec in rules.options if spec.key in rules.chart_options]
