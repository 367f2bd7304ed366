"""A game's page in Chromium on a phone 400 pixels wide: `python -m tests.bench.pages`.

The sandbox plays two rounds, then a reader opens the page with an empty cache. Times are measured in the browser, and
an empty page on the same site is the anchor. Ends with 1 if a goal is missed.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from tests.e2e import chromium
from tests.e2e.conftest import QUIET, opened, sandbox
from tests.e2e.test_pages import Table

TRIES = 7
FIRST_PAINT_MOST_MS, PAGE_MOST_KB, STEP_MOST_MS = 1000.0, 150.0, 100.0
_FIRST_PAINT = "() => performance.getEntriesByName('first-contentful-paint')[0].startTime"
_SIZES = """() => [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
    .filter(entry => !/[.](webp|png)$/.test(entry.name)).reduce((sum, entry) => sum + entry.decodedBodySize, 0)"""
_STEP = """async () => {
    const round = () => document.querySelector('.round').textContent;
    const before = round(), began = performance.now();
    document.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowLeft', bubbles: true}));
    while (round() === before && performance.now() - began < 5000) await new Promise(requestAnimationFrame);
    return performance.now() - began;
}"""


def read(browser: Browser, address: str, script: str) -> tuple[float, Any]:
    """Open an address with an empty cache; return the first paint in ms, and what a script says of the page."""
    context = browser.new_context(viewport={"width": 400, "height": 800}, device_scale_factor=2)
    page: Page = context.new_page()
    page.goto(address, wait_until="networkidle" if "/g/" not in address else "load")
    page.wait_for_timeout(500)
    painted = page.evaluate(_FIRST_PAINT), page.evaluate(script)
    context.close()
    return painted


def main() -> int:
    path = chromium.find()
    if path is None:
        print(chromium.ADVICE)
        return 1
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=QUIET)
        with sandbox(Path(folder)) as address, opened(browser, address) as page:
            table = Table(page)
            empty = f"{address}pages/robots.txt"
            paint_ms = statistics.median(read(browser, table.address, "() => 0")[0] for _ in range(TRIES))
            anchor_ms = statistics.median(read(browser, empty, "() => 0")[0] for _ in range(TRIES))
            size_kb = read(browser, table.address, _SIZES)[1] / 1000
            step_ms = statistics.median(read(browser, table.address, _STEP)[1] for _ in range(TRIES))
        browser.close()
    ratio = paint_ms / anchor_ms
    print(f"first paint: {paint_ms:.0f} ms (goal {FIRST_PAINT_MOST_MS:.0f} ms), {ratio:.1f} times a page of one line")
    print(f"page without pictures: {size_kb:.0f} kB (goal {PAGE_MOST_KB:.0f} kB)")
    print(f"a step of the replay that was fetched before: {step_ms:.0f} ms (goal {STEP_MOST_MS:.0f} ms)")
    return int(paint_ms > FIRST_PAINT_MOST_MS or size_kb > PAGE_MOST_KB or step_ms > STEP_MOST_MS)


if __name__ == "__main__":
    sys.exit(main())
