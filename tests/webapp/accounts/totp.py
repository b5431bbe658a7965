"""Codes of an authenticator app by RFC 6238, written down once more."""

from __future__ import annotations

import base64
import hashlib
import hmac
import struct
import time


def code_of(secret: str, ahead: int = 0) -> str:
    """The code of this half minute, or of one ahead."""
    counter = struct.pack(">Q", int(time.time()) // 30 + ahead)
    digest = hmac.new(base64.b32decode(secret), counter, hashlib.sha1).digest()
    start = digest[-1] & 15
    return f"{(struct.unpack('>I', digest[start : start + 4])[0] & 0x7FFFFFFF) % 10**6:06}"
