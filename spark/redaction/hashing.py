"""Pseudonyms: HMAC-SHA256 with the salt of one share, in Python and as an expression of DuckDB.

Equal names stay equal within the share; without the salt no one can test candidates.
"""

from __future__ import annotations

import hashlib
import hmac

BLOCK_BYTES = 64
NAME_DIGITS = 12  # of a name in a sentence or an id: a million names hardly ever share one


def digest(salt: bytes, text: str) -> str:
    """64 hex digits."""
    return hmac.new(salt, text.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()


def pads(salt: bytes) -> dict[str, bytes]:
    """Values of the parameters that `expression` uses."""
    key = hashlib.sha256(salt).digest() if len(salt) > BLOCK_BYTES else salt
    key = key.ljust(BLOCK_BYTES, b"\0")
    return {"outer_pad": bytes(byte ^ 0x5C for byte in key), "inner_pad": bytes(byte ^ 0x36 for byte in key)}


def expression(blob: str) -> str:
    """SQL: the same 64 hex digits of a BLOB."""
    return f"sha256(getvariable('outer_pad') || unhex(sha256(getvariable('inner_pad') || {blob})))"
