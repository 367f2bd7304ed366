"""Finds a browser for the tests of the sandbox's page: `python -m tests.e2e.chromium` prints where one is."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge")
"""Programs that Debian, Fedora, Google and Microsoft install."""
ELSEWHERE = (
    "/snap/bin/chromium",
    "/opt/google/chrome/chrome",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
CACHES = (".cache/ms-playwright", "Library/Caches/ms-playwright")
"""Where Playwright keeps its own, below a home; `PLAYWRIGHT_BROWSERS_PATH` names another place."""
PLAYWRIGHTS = (
    "chromium-*/chrome-linux*/chrome",
    "chromium_headless_shell-*/chrome*linux*/*headless*shell",
    "chromium-*/chrome-mac*/*.app/Contents/MacOS/*",
)
ADVICE = (
    "no Chromium or Chrome: install one (`apt install chromium`, or `.venv/bin/playwright install chromium`), "
    "or name one in PLAYWRIGHT_CHROMIUM_EXECUTABLE_PATH"
)


def find() -> str | None:
    """Return the path of a browser that can be started, or None; a browser that is named must be there."""
    if named := os.environ.get("PLAYWRIGHT_CHROMIUM_EXECUTABLE_PATH"):
        return named
    return next((path for path in _places() if os.access(path, os.X_OK)), None)


def _places() -> Iterator[str]:
    yield from filter(None, map(shutil.which, NAMES))
    yield from ELSEWHERE
    home = Path.home()
    folder_named = os.environ.get("PLAYWRIGHT_BROWSERS_PATH")
    for folder in [Path(folder_named)] if folder_named else [home / cache for cache in CACHES]:
        for pattern in PLAYWRIGHTS:
            yield from map(str, sorted(folder.glob(pattern), reverse=True))  # the newest first


if __name__ == "__main__":
    sys.stdout.write(f"{find() or sys.exit(ADVICE)}\n")
