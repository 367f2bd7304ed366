"""How much it takes to check the longest record that is read: `python -m tests.bench.checking`.

A game of each system goes back as often as a record has steps for, and is given up. Prints what its check took in a
process of its own, from its start to its end: seconds, and MiB at most.
"""

from __future__ import annotations

import resource
import sys
import time
from multiprocessing import get_context

import msgspec

from bot.record import checking
from bot.record.export import FinishedGame, encode_export, with_digest
from rules.core.protocol import Concede
from rules.core.replay import MAX_STEPS, Record, RecordedStep, UndoAction, restore_state
from tests.laws.play import GAMES, SYSTEMS, tape
from tests.laws.test_replay import record, rounds_begin


def longest(system: str) -> bytes:
    """An export's file with as many steps as are read, nearly all of which go back."""
    duels = (game for game in (tape(system, number) for number in range(GAMES)) if len(game.setup.teams) == 2)
    game = next(one for one in duels if len(rounds_begin(one)) > 1)
    to = rounds_begin(game)[1]
    whole = record(game)
    steps = list(whole.steps[: to + 1])
    steps += [RecordedStep(act=UndoAction(to=to), events=())] * (MAX_STEPS - len(steps) - 1)
    state = restore_state(game.states[to], game.seed, len(steps) - 1, revealed=False)
    ended = game.rules.apply_out_of_turn(state, Concede(seat=0))
    steps.append(RecordedStep(act=Concede(seat=0), events=msgspec.to_builtins(ended.events)))
    whole = msgspec.json.decode(msgspec.json.encode(msgspec.structs.replace(whole, steps=tuple(steps))), type=Record)
    names = tuple(f"captain {seat}" for seat in range(len(whole.setup.teams)))
    return encode_export(
        with_digest(
            FinishedGame(name="Sea", locale="en", opened=1, ended=2, captains=names, log=(), notes=(), record=whole)
        )
    )


def measure(system: str) -> None:
    """Check one, and print what it took; in a process of its own, whose children are no others."""
    data = longest(system)
    began = time.perf_counter()
    found = checking.check_for_shell(data)
    took = time.perf_counter() - began
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    busy, memory = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
    sys.stdout.write(
        f"{system:<9} {len(data) / 2**20:.1f} MiB: {took:.1f} s, {busy:.1f} s of processor, {memory:.0f} MiB; "
        f"{found.flaw or 'it holds'}\n"
    )


def main() -> None:
    """Measure each system."""
    for system in SYSTEMS:
        process = get_context("spawn").Process(target=measure, args=(system,))
        process.start()
        process.join()


if __name__ == "__main__":
    main()
