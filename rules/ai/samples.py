"""Representative answers out of typed text: enough to reach every kind of event, few enough to count."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from rules.interface.drafts import A, try_read


def sample_answers(read: Callable[[str], A], texts: Iterable[str]) -> tuple[A, ...]:
    """What these texts mean, each answer once; texts that are refused are left out."""
    found: list[A] = []
    for text in texts:
        answer = try_read(read, text)
        if answer is not None and answer not in found:
            found.append(answer)
    return tuple(found)


def sample_lines(
    ships: Mapping[str, Mapping[str, str]], kinds: Sequence[Sequence[str]], read: Callable[[str], object]
) -> Iterator[str]:
    """A line for each ship, of one kind after the other: those of its alternatives that are not refused.

    Alternatives name other ships by what each ship calls them, such as `ram {near}`.
    """
    for number, (ship, names) in enumerate(ships.items()):
        every = (piece.format(**names) for piece in kinds[number % len(kinds)])
        legal = [piece for piece in every if try_read(read, f"{ship}: {piece}") is not None]
        if legal:
            yield f"{ship}: {' or '.join(legal)}"
