"""`make fuzz`: seeded nonsense through every door, for minutes; prints what falls over and how to see it again.

make fuzz ARGS="--minutes 10 --targets exports orders"
make fuzz ARGS="--seed 20260101 --targets exports --only 4711"
"""

from __future__ import annotations

import argparse
import asyncio
import secrets
import sys
import traceback

from tests.fuzz.run import SEA, fuzz, once, presses
from tests.fuzz.targets import TARGETS


def main() -> int:
    parser = argparse.ArgumentParser(prog="make fuzz")
    parser.add_argument("--minutes", type=float, default=3.0, help="in all")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**9))
    parser.add_argument("--targets", nargs="*", choices=[*TARGETS, SEA], default=[*TARGETS, SEA])
    parser.add_argument("--only", type=int, help="one try of one target, to see it again")
    options = parser.parse_args()
    if options.only is not None:
        if options.targets[0] != SEA:
            once(options.targets[0], options.seed, options.only)
            return 0
        again = asyncio.run(presses(options.seed, first=options.only, tries=1))
        print(*again.fallen.values())  # noqa: T201
        return int(bool(again.fallen))
    print(f"seed {options.seed}")  # noqa: T201
    seconds, fell = 60 * options.minutes / len(options.targets), 0
    for target in options.targets:
        report = asyncio.run(presses(options.seed, seconds)) if target == SEA else fuzz(target, options.seed, seconds)
        print(f"{target:>12}: {report.tries:>8,} tries, the longest {report.longest_s:.2f} s (try {report.longest})")  # noqa: T201
        for number, error in report.fallen.items():
            fell += 1
            print(f'make fuzz ARGS="--seed {options.seed} --targets {target} --only {number}"')  # noqa: T201
            traceback.print_exception(error, file=sys.stdout)
    return int(fell > 0)


if __name__ == "__main__":
    sys.exit(main())
