"""Pictures of what a game will be played on, for its lobby; cached, because few differ."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

from msgspec import UNSET, structs

from bot.jobs import showing
from bot.jobs.values import DescribedPicture, PictureStyle
from bot.jobs.workers import Workers
from bot.urgency import IsWanted
from rules.core.protocol import OptionSpec, Setup
from rules.core.registry import RULESETS
from rules.core.view import Text

WIDTH_PX: Final = 960
"""A phone shows 400 pixels, and a host may look at a dozen charts at once."""
MAX_CHARTS: Final = 40
"""The size of the cache, in charts of some 200 kB."""

_ChartKey = tuple[str, tuple[tuple[str, str], ...], str]  # game, chart options, language


class ChartCache:
    """Draws charts, and caches those without a custom scenario."""

    def __init__(self, workers: Workers) -> None:
        self._workers = workers
        self._charts: OrderedDict[_ChartKey, DescribedPicture] = OrderedDict()  # least recently used first

    async def get_or_draw(self, setup: Setup, look: PictureStyle, wanted: IsWanted = lambda: True) -> DescribedPicture:
        """Return a game's chart.

        Raises `JobOutdated` if it is no longer `wanted`, and `OrderError` if the custom scenario cannot be read.
        """
        chart_setup = _chart_setup(setup)
        look = structs.replace(look, names={}, caption=_chart_caption(chart_setup))
        if chart_setup.scenario is not UNSET:
            return await self._workers.run_illustration(wanted, showing.draw_chart, chart_setup, look, WIDTH_PX)
        key = (chart_setup.system, tuple(chart_setup.options.items()), look.language)
        picture = self._charts.pop(key, None)
        if picture is None:
            picture = await self._workers.run_illustration(wanted, showing.draw_chart, chart_setup, look, WIDTH_PX)
        self._charts[key] = picture
        while len(self._charts) > MAX_CHARTS:
            self._charts.popitem(last=False)
        return picture


def has_chart(setup: Setup) -> bool:
    """Return whether a chart option is not at its default, or there is a custom scenario."""
    return bool(RULESETS[setup.system].chart_options) and (
        setup.scenario is not UNSET or bool(_chart_setup(setup).options)
    )


def chart_variants(setup: Setup, key: str) -> tuple[Setup, ...]:
    specs = (spec for spec in _chart_option_specs(setup) if spec.key == key)
    values = (value for spec in specs for value in spec.values if value != spec.default)
    return tuple(structs.replace(_chart_setup(setup), options={key: value}, scenario=UNSET) for value in values)


def chart_option(setup: Setup) -> tuple[str, str] | None:
    """Return the last chart option that is not at its default, with its value; None if there is none."""
    options = [*_chart_setup(setup).options.items()] if RULESETS[setup.system].chart_options else []
    return options[-1] if options else None


def _chart_setup(setup: Setup) -> Setup:
    values = {spec.key: setup.options.get(spec.key, spec.default) for spec in _chart_option_specs(setup)}
    options = {spec.key: values[spec.key] for spec in _chart_option_specs(setup) if values[spec.key] != spec.default}
    return Setup(system=setup.system, teams=setup.teams, options=options, scenario=setup.scenario)


def _chart_caption(setup: Setup) -> Text:
    option = chart_option(setup)
    return Text("option.{}.{}".format(*option)) if option else Text("lobby.scenario")


def _chart_option_specs(setup: Setup) -> list[OptionSpec]:
    rules = RULESETS[setup.system]
    return [spec for spec in rules.options if spec.key in rules.chart_options]
