"""Representative answers from typed texts: enough to cause every kind of event, few enough to count."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from rules.interface.drafts import A, try_read


def read_answers(read: Callable[[str], A], texts: Iterable[str]) -> tuple[A, ...]:
    """Return the distinct answers that these texts mean, without those that are refused."""
    answers: list[A] = []
    for text in texts:
        answer = try_read(read, text)
        if answer is not None and answer not in answers:
            answers.append(answer)
    return tuple(answers)


def sample_lines(
    ships: Mapping[str, Mapping[str, str]], kinds: Sequence[Sequence[str]], read: Callable[[str], object]
) -> Iterator[str]:
    """Yield a line of orders for each ship, with the alternatives of one kind that are not refused.

    Kinds are assigned to ships in turn. Alternatives use each ship's own names for other ships, such as `ram {near}`.
    """
    for number, (ship, names) in enumerate(ships.items()):
        every = (piece.format(**names) for piece in kinds[number % len(kinds)])
        legal = [piece for piece in every if try_read(read, f"{ship}: {piece}") is not None]
        if legal:
            yield f"{ship}: {' or '.join(legal)}"
