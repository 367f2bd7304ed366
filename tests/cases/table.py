"""Print which cases prove each rule, and how they come out: `python -m tests.cases.table`."""

import sys

from tests.cases import loader, verdict


def main() -> int:
    """Print the table of every game; return 1 if a case fails or a rule has none."""
    return max(show(system) for system in loader.systems())


def show(system: str) -> int:
    cases = loader.cases(system)
    verdicts = {case.name: verdict.faults(system, case) for case in cases}
    bare = 0
    for rule in loader.rules(system):
        proving = [case for case in cases if rule in case.rules]
        bare += not proving
        sys.stdout.write(f"{rule}{'' if proving else '  no case'}\n")
        for case in proving:
            faults = verdicts[case.name]
            sys.stdout.write(f"  {'FAILS' if faults else 'ok':5}  {case.name}\n")
            sys.stdout.writelines(f"           {fault}\n" for fault in faults)
    failed = sum(map(bool, verdicts.values()))
    sys.stdout.write(f"{system}: {len(cases)} cases, {failed} fail, {bare} rules without a case\n")
    return 1 if failed or bare else 0


if __name__ == "__main__":
    sys.exit(main())
