"""Play all games again and write what came of them: `python -m tests.playthroughs.regenerate`."""

from tests.playthroughs.telling import golden, read, scripts, tell


def main() -> None:
    for name in scripts():
        golden(name).write_text(tell(read(name)), encoding="utf-8")


if __name__ == "__main__":
    main()
