"""Print which cases prove each rule, and how they come out: `python -m tests.cases.table`.

A rule without a case names the test that shows it.
"""

import sys

from bot.texts.i18n import DEFAULT_LANGUAGE
from bot.texts.rulebooks import load_rulebook
from tests.cases import loader, verdict


def main() -> int:
    """Print the table of every game; return 1 if a case fails or a rule has none."""
    return max(show(system) for system in loader.systems())


def show(system: str) -> int:
    cases = loader.cases(system)
    book = load_rulebook(system, DEFAULT_LANGUAGE)
    assert book is not None
    verdicts = {case.name: verdict.faults(system, case) for case in cases}
    bare = 0
    for rule in loader.rules(system):
        proving = [case for case in cases if rule in case.rules]
        shown = book.rules[rule].facts.shown
        bare += not proving and not shown
        sys.stdout.write(f"{rule}\n" if proving else f"{rule}  {shown or 'no case'}\n")
        for case in proving:
            faults = verdicts[case.name]
            sys.stdout.write(f"  {'FAILS' if faults else 'ok':5}  {case.name}\n")
            sys.stdout.writelines(f"           {fault}\n" for fault in faults)
    failed = sum(map(bool, verdicts.values()))
    sys.stdout.write(f"{system}: {len(cases)} cases, {failed} fail, {bare} rules with neither case nor test\n")
    return 1 if failed or bare else 0


if __name__ == "__main__":
    sys.exit(main())
