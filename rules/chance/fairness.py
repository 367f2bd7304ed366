"""Commitments that are published before a secret is revealed, and dice from a game's seed and its captains' words.

A record names the scheme by which it was made; unknown schemes are refused. Each released scheme is kept for ever,
because old records are verified with it. In scheme 2, a hash is SHA-256 of a list of texts that begins with a label.
The list is compact JSON in UTF-8, with texts escaped as in RFC 8785, so no two lists have the same bytes. Dice depend
on the seed and all words.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import unicodedata
from collections.abc import Sequence
from typing import Final, Literal

import msgspec

HashScheme = Literal[2]
NEWEST_SCHEME: Final[HashScheme] = 2
SHOWN_HASH_DIGITS: Final = 40
"""Hexadecimal digits of a hash that a game's thread shows. They fit on one line of a phone.

160 bits are still binding. A captain with a friend who runs the bot could choose both texts and try random numbers for
each, but needs about 2^80 tries until two hashes begin alike.
"""
MAX_WORD_CHARS: Final = 60  # of the word that a captain adds to the dice

_SECRET_PATTERN: Final = re.compile(r"[0-9a-f]{64}")
_VARIATION_SELECTORS: Final = re.compile("[\ufe00-\ufe0f]")
"""Phones insert these invisible characters, which only select coloured symbols."""
_BLANK_CHARS: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")
"""Characters that Unicode classifies as letters, marks or symbols although they are invisible."""
_FORBIDDEN_CHARS: Final = "`"  # the backquote would end the code formatting in which chat shows a word
_INVISIBLE_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})


def is_secret(text: str) -> bool:
    """Return whether a text can be a seed or a nonce: 64 lower-case hex digits."""
    return bool(_SECRET_PATTERN.fullmatch(text))


def hash_seed(seed: str) -> str:
    """Return the public commitment to a seed, SHA-256 in hex. All commitments to answers name their game by it."""
    return _hash("war-galley seed 2", seed)


def hash_answer(game: str, request: str, body: str, nonce: str) -> str:
    """Return the public commitment to an answer, SHA-256 in hex. `game` is the hash of the game's seed."""
    return _hash("war-galley seal 2", game, request, body, nonce)


def hash_words(words: Sequence[str | None]) -> str:
    """Return SHA-256, in hex, of the words by seat. It identifies them but does not hide them."""
    return _hash("war-galley words 2", *words)


def derive_dice_seed(seed: str, words: Sequence[str | None]) -> str:
    """Return the seed (hex) of the dice: HMAC-SHA-256 of the captains' words by seat, keyed with the secret seed.

    None stands for a seat without a word. The seed was fixed before the words, and captains chose them without knowing
    it.
    """
    return hmac.digest(bytes.fromhex(seed), _canonical("war-galley dice 2", *words), "sha256").hex()


def first_game_seed(second_seed: str) -> str:
    """Return the seed (hex) of a match's first game, SHA-256 of the second game's.

    The lobby shows a hash of the first seed, which so commits to both. The first seed becomes public when the first
    game ends; nobody can compute the second from it.
    """
    return _hash("war-galley first game 2", second_seed)


def clean_word(word: str) -> str | None:
    """Return a word normalized to NFC on one line; None: it is empty, too long or has forbidden characters."""
    line = " ".join(_VARIATION_SELECTORS.sub("", unicodedata.normalize("NFC", word)).split())
    is_forbidden = any(
        char in _BLANK_CHARS or char in _FORBIDDEN_CHARS or unicodedata.category(char) in _INVISIBLE_CATEGORIES
        for char in line
    )
    return None if is_forbidden or not 1 <= len(line) <= MAX_WORD_CHARS else line


def _canonical(*parts: str | None) -> bytes:
    return msgspec.json.encode(parts)


def _hash(*parts: str | None) -> str:
    return hashlib.sha256(_canonical(*parts)).hexdigest()
