"""Pictures of what a game will be played on, for its lobby: drawn once, as the same few are wanted again and again."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

from msgspec import UNSET, structs

from bot.telling.values import Drawn, Look, Wanted
from bot.work import showing
from bot.work.workers import Workers
from rules.protocol import OptionSpec, Setup
from rules.registry import RULESETS
from rules.view import Text

WIDTH: Final = 960
"""Pixels: a phone shows 400 of them, and a host may look at a dozen charts at once."""
MOST: Final = 40
"""Charts that are kept, of some 200 kB each."""

_Asked = tuple[str, tuple[tuple[str, str], ...], str]
"""A game, the options of its chart, and a language."""


class Charts:
    """Draws charts in the workers, and keeps those that go by options alone; a host's own is drawn each time."""

    def __init__(self, workers: Workers) -> None:
        self._workers = workers
        self._kept: OrderedDict[_Asked, Drawn] = OrderedDict()

    async def of(self, setup: Setup, look: Look, wanted: Wanted = lambda: True) -> Drawn:
        """The chart of a game that is charted. Raises `Outdated` if it isn't `wanted` any more.

        Raises `OrderError` if its host's own scenario cannot be read.
        """
        chosen = _of_chart(setup)
        look = structs.replace(look, names={}, caption=_caption(chosen))
        if chosen.scenario is not UNSET:
            return await self._workers.illustrate(wanted, showing.chart, chosen, look, WIDTH)
        asked = (chosen.system, tuple(chosen.options.items()), look.language)
        drawn = self._kept.pop(asked, None)
        if drawn is None:
            drawn = await self._workers.illustrate(wanted, showing.chart, chosen, look, WIDTH)
        self._kept[asked] = drawn
        while len(self._kept) > MOST:
            self._kept.popitem(last=False)
        return drawn


def is_charted(setup: Setup) -> bool:
    """Whether there is anything on a game's chart: one of its options is chosen, or its host's own scenario."""
    return bool(RULESETS[setup.system].charted) and (setup.scenario is not UNSET or bool(_of_chart(setup).options))


def choices(setup: Setup, key: str) -> tuple[Setup, ...]:
    """A game as it would be with each value of an option that is charted, except the usual one, which shows nothing."""
    specs = (spec for spec in _specs(setup) if spec.key == key)
    values = (value for spec in specs for value in spec.values if value != spec.default)
    return tuple(structs.replace(_of_chart(setup), options={key: value}, scenario=UNSET) for value in values)


def chosen(setup: Setup) -> tuple[str, str] | None:
    """The option by which a chart is called, and its value: of several the last one; None: there is none."""
    options = [*_of_chart(setup).options.items()] if RULESETS[setup.system].charted else []
    return options[-1] if options else None


def _of_chart(setup: Setup) -> Setup:
    """All of a game by which its chart goes: options that are not as usual, and a scenario of its host's own."""
    found = {spec.key: setup.options.get(spec.key, spec.default) for spec in _specs(setup)}
    options = {spec.key: found[spec.key] for spec in _specs(setup) if found[spec.key] != spec.default}
    return Setup(system=setup.system, teams=setup.teams, options=options, scenario=setup.scenario)


def _caption(setup: Setup) -> Text:
    """What a chart is of, as the value of its option is called."""
    found = chosen(setup)
    return Text("option.{}.{}".format(*found)) if found else Text("lobby.scenario")


def _specs(setup: Setup) -> list[OptionSpec]:
    rules = RULESETS[setup.system]
    return [spec for spec in rules.options if spec.key in rules.charted]
