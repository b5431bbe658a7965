"""What Django answered, in blocks: bytes, a file, or pieces that are made when the client has taken the last ones.

Source of the calling convention: PEP 3333; Django's `WSGIHandler` gives its response object and uses `wsgi.file_wrapper`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from io import RawIOBase
from pathlib import Path
from typing import IO, Any
from urllib.parse import unquote_to_bytes

from workers.server.bodies import Room, Spool
from workers.server.limits import BLOCK_BYTES

Headers = list[tuple[bytes, bytes]]
BARE = {"CONTENT_TYPE", "CONTENT_LENGTH"}  # headers without HTTP_ before their names


@dataclass
class Answer:
    """`next_block` gives nothing at the end. `is_made`: Django makes the blocks, always in the same thread."""

    status: int
    headers: Headers
    next_block: Callable[[], bytes]
    close: Callable[[], None]
    is_made: bool = False


class FileBlocks:
    """`wsgi.file_wrapper`: what Django gives instead of a response that is a file."""

    def __init__(self, file: IO[bytes], _block_bytes: int = BLOCK_BYTES) -> None:
        self.file = file


def environ_of(scope: dict[str, Any], body: IO[bytes] | RawIOBase, length: int | None) -> dict[str, Any]:
    """The request as WSGI has it. `length`: bytes of a body that is here."""
    host, port = scope.get("server") or ("localhost", 80)
    environ: dict[str, Any] = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(scope["raw_path"]).decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "SERVER_NAME": str(host),
        "SERVER_PORT": str(port or 80),
        "REMOTE_ADDR": (scope.get("client") or ("",))[0],
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope["scheme"],
        "wsgi.input": body,
        "wsgi.errors": sys.stderr,
        "wsgi.file_wrapper": FileBlocks,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
    }
    for name, value in scope["headers"]:
        _add(environ, name.decode("latin-1").upper().replace("-", "_"), value.decode("latin-1"))
    if length is not None:
        environ["CONTENT_LENGTH"] = str(length)
    return environ


def _add(environ: dict[str, Any], name: str, value: str) -> None:
    key = name if name in BARE else f"HTTP_{name}"
    separator = "; " if name == "COOKIE" else ","
    environ[key] = f"{environ[key]}{separator}{value}" if key in environ else value


def answer(application: Any, environ: dict[str, Any], room: Room, folder: Path) -> Answer:
    """Ask Django. Raises NoRoom for a large answer when there are too many of them."""
    begun: list[tuple[int, Headers]] = []

    def start_response(status: str, headers: list[tuple[str, str]], *_: object) -> None:
        coded = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
        begun.append((int(status.split(" ", 1)[0]), coded))

    result = application(environ, start_response)
    status, headers = begun[-1]
    if isinstance(result, FileBlocks):
        file = result.file
        return Answer(status, headers, lambda: file.read(BLOCK_BYTES), file.close)
    if getattr(result, "streaming", False):
        blocks = gathered(result)
        return Answer(status, headers, lambda: next(blocks, b""), result.close, is_made=True)
    spool = _spooled(result, room, folder)
    return Answer(status, headers, lambda: spool.file.read(BLOCK_BYTES), spool.close)


def _spooled(result: Any, room: Room, folder: Path) -> Spool:
    spool = Spool(room, folder)
    try:
        for piece in result:
            spool.write(piece)
    except BaseException:
        spool.close()
        raise
    finally:
        result.close()
    spool.file.seek(0)
    return spool


def gathered(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Many small pieces as few that are about a block long."""
    waiting: list[bytes] = []
    size_bytes = 0
    for piece in pieces:
        waiting.append(piece)
        size_bytes += len(piece)
        if size_bytes >= BLOCK_BYTES:
            yield b"".join(waiting)
            waiting, size_bytes = [], 0
    if size_bytes:
        yield b"".join(waiting)
