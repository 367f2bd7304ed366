"""What is published before a secret is, and how dice come from a game's seed and its captains' words.

A record names the scheme by which it was made. Each released scheme is kept for ever, for the games that were played
under it. In scheme 2 a hash is that of a list of texts that begins with a label, as compact JSON in UTF-8 (as RFC 8785
writes texts), so it can be opened in one way only; dice come from seed and words together. Scheme 3 is the same, but
dice after going back, and those of battles, depend on no step that only one captain knows of.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import unicodedata
from collections.abc import Sequence
from typing import Final, Literal

import msgspec

HashScheme = Literal[2, 3]
NEWEST_SCHEME: Final[HashScheme] = 3
"""Of games that are opened now."""
SHOWN_HASH_DIGITS: Final = 40
"""Hexadecimal digits of a hash that a game's thread shows: one line of a phone, and binding.

A captain's friend at the bot may make both texts and try random numbers for each: with 160 bits it takes 2^80 tries
until two hashes begin alike.
"""
MAX_WORD_CHARS: Final = 60
"""Characters of a captain's word."""

_SECRET_PATTERN: Final = re.compile(r"[0-9a-f]{64}")
_VARIATION_SELECTORS: Final = re.compile("[\ufe00-\ufe0f]")
"""Say only whether a sign is drawn in colour: phones put them in, and nobody sees them."""
_BLANK_CHARS: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")
"""What Unicode takes for letters, marks or signs though nothing is to be seen of them."""
_FORBIDDEN_CHARS: Final = "`"
"""Ends the quotation in which chat shows a word letter by letter."""
_INVISIBLE_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
"""Unicode's categories of what controls, formats, or is no character."""


def counts_hidden_steps(scheme: HashScheme) -> bool:
    """Whether dice depend, too, on how many steps only one captain knows of."""
    return scheme < 3


def is_secret(text: str) -> bool:
    """Whether a text can be a seed or a seal's nonce: 64 lower-case hex digits."""
    return bool(_SECRET_PATTERN.fullmatch(text))


def hash_seed(seed: str) -> str:
    """What is published of a seed, as SHA-256 in hex. By it all seals name their game, wherever that is kept."""
    return _hash("war-galley seed 2", seed)


def hash_answer(game: str, request: str, body: str, nonce: str) -> str:
    """What is published of an answer, as SHA-256 in hex; `game` is the hash of its seed."""
    return _hash("war-galley seal 2", game, request, body, nonce)


def hash_words(words: Sequence[str | None]) -> str:
    """SHA-256, in hex, of the words by seat: a short name for them, which hides nothing."""
    return _hash("war-galley words 2", *words)


def derive_dice_seed(seed: str, words: Sequence[str | None]) -> str:
    """The seed (hex) that the dice are thrown from: HMAC-SHA-256 of the captains' words by seat under the secret seed.

    None is a seat without a word. Who gave a word did not know the seed, and the seed was settled before the words.
    """
    return hmac.digest(bytes.fromhex(seed), _canonical("war-galley dice 2", *words), "sha256").hex()


def clean_word(word: str) -> str | None:
    """A word as it is kept and shown: composed, in one line; None if it is too long or some of it cannot be shown."""
    line = " ".join(_VARIATION_SELECTORS.sub("", unicodedata.normalize("NFC", word)).split())
    hidden = any(
        sign in _BLANK_CHARS or sign in _FORBIDDEN_CHARS or unicodedata.category(sign) in _INVISIBLE_CATEGORIES
        for sign in line
    )
    return None if hidden or not 1 <= len(line) <= MAX_WORD_CHARS else line


def _canonical(*parts: str | None) -> bytes:
    return msgspec.json.encode(parts)


def _hash(*parts: str | None) -> str:
    return hashlib.sha256(_canonical(*parts)).hexdigest()
