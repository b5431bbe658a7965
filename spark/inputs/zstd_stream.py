"""Zstandard frames as a stream that tells a cut-off file from a whole one.

The library's own stream reader ends quietly where the input ends. Input is fed in small pieces: 1 KiB of it can
unpack to 32 MiB at most.
"""

from __future__ import annotations

from typing import IO

import zstandard

FEED_BYTES = 1024


class ZstdStream:
    """`read(size)` over all frames of `raw`; a frame without its end is an EOFError."""

    def __init__(self, raw: IO[bytes]) -> None:
        self._raw = raw
        self._frame = zstandard.ZstdDecompressor().decompressobj()
        self._ready = memoryview(b"")

    def __enter__(self) -> ZstdStream:
        return self

    def __exit__(self, *_: object) -> None:
        self._ready = memoryview(b"")

    def read(self, size: int) -> bytes:
        """At most `size` bytes; none at the end."""
        while not self._ready and self._feed():
            pass
        taken, self._ready = self._ready[:size], self._ready[size:]
        return bytes(taken)

    def _feed(self) -> bool:
        """Unpack some more; False at a proper end."""
        piece = self._frame.unused_data if self._frame.eof else b""
        if self._frame.eof:
            piece = piece or self._raw.read(FEED_BYTES)
            if not piece:
                return False
            self._frame = zstandard.ZstdDecompressor().decompressobj()
        else:
            piece = self._raw.read(FEED_BYTES)
            if not piece:
                raise EOFError("the last frame has no end")
        self._ready = memoryview(self._frame.decompress(piece))
        return True
