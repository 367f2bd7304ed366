"""What the attacks of a line need, each from where the galley is when she makes it, were nobody to interrupt her."""

from __future__ import annotations

from collections.abc import Iterator

from rules.squadrons.desk.preview.view import Attack, Odds
from rules.squadrons.table import odds
from rules.squadrons.table.notation import order_text
from rules.squadrons.table.notation.orders import Doctrines, Fire, Grapple, Line, Orders, Rake, Ram, Step
from rules.squadrons.table.phases.activation import activation, rehearsal, steps
from rules.squadrons.table.phases.combat import grappling, missiles, raking, ramming
from rules.squadrons.table.phases.play import Listed, Play, Run
from rules.squadrons.table.sea.state import Position


def needs(position: Position, lines: tuple[Line, ...]) -> dict[str, tuple[Odds, ...]]:
    """The odds of rams, rakes, grapples and shots of the main branches of lines, one line after the other, by ship."""
    found = {}
    for line in lines:
        if position.ship(line.ship).afloat:
            found[line.ship] = tuple(_line(position, line))
            position, _ = rehearsal.rehearsed(position, Orders((line,)))
    return found


def _line(position: Position, line: Line) -> Iterator[Odds]:
    play = Play(position, Listed(()), Doctrines(), rehearsing=True)
    play.squadron = (line.ship,)
    run = activation.begin(position, line)
    play.runs[line.ship] = run
    for step in line.steps:
        if steps.barred(play.position, run, step):
            return
        for attack, to, found in _of(play.position, run, step):
            yield Odds(
                by=line.ship,
                to=to,
                attack=attack,
                step=order_text.write_step(step),
                need=found.bare,
                table=found.need,
                drm=found.drm,
                dice=found.dice,
                percent=round(100 * found.chance),
            )
        steps.carry_out(play, run, step)


def _of(position: Position, run: Run, step: Step) -> Iterator[tuple[Attack, str, odds.Odds]]:
    match step:
        case Ram():
            yield "ram", step.target, ramming.odds(position, run, step.target)
        case Rake():
            yield "rake", step.target, raking.odds(position, run, step.target)
        case Grapple():
            yield "grap", step.target, grappling.odds(position, run, step.target)
        case Fire():
            for shot in step.shots:
                m = position.ship(run.ship).m if shot.m is None else shot.m
                yield "fire", shot.target, missiles.odds(position, run.ship, shot.target, m)
        case _:
            pass
