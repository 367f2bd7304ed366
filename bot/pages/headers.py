"""Headers of every answer of the site, for browsers and search engines."""

from __future__ import annotations

from typing import Final

HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; img-src 'self'; style-src 'self'; script-src 'self'; connect-src 'self';"
        " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Robots-Tag": "noindex, nofollow",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Server": "War Galley",  # aiohttp's own answers to malformed requests name its version
}
