"""Addresses of object stores, such as `s3://bucket/key`: supported kinds, the store of an address, what its refusals mean.

Credentials, region and endpoint come from where the libraries of Arrow's file systems look: the environment
(`AWS_ACCESS_KEY_ID`, `AWS_REGION`, `AWS_ENDPOINT_URL`), configuration files, the machine's role. A key in an address is literal,
never percent-encoded.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from spark.terms.errors import UnreadableInput
from spark.terms.wording import listed

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

# How users write a scheme -> Arrow's name of it.
SCHEMES = {
    "s3": "s3", "s3a": "s3", "s3n": "s3", "gs": "gs", "gcs": "gs", "abfs": "abfs", "abfss": "abfss", "hdfs": "hdfs",
}  # fmt: skip
ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://([^/]*)/*(.*)", re.DOTALL)
DENIED = re.compile(
    r"ACCESS_DENIED|INVALID_ACCESS_KEY|SIGNATURE_DOES_NOT_MATCH|Forbidden|Unauthorized|PERMISSION"
)
# What a store's message contains -> errno and words. The first that fits.
REFUSALS = (
    (DENIED, errno.EACCES, "access denied"),
    (re.compile("NO_SUCH_BUCKET"), errno.ENOENT, "the bucket does not exist"),
    (re.compile("NO_SUCH_KEY|RESOURCE_NOT_FOUND"), errno.ENOENT, os.strerror(errno.ENOENT)),
    (
        re.compile("NETWORK_CONNECTION|Could not (connect|resolve)"),
        errno.EHOSTUNREACH,
        "no connection to the store",
    ),
)
# errno -> what a user can do.
REMEDIES = {
    errno.EACCES: "Every machine that uses the store needs credentials that may list and read it, and write results: environment variables "
    "such as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a role.",
    errno.EHOSTUNREACH: "Check the address of the store (AWS_ENDPOINT_URL, AWS_REGION) and the network.",
}


def is_address(path: str) -> bool:
    """Whether a file is in a store. An absolute path never is."""
    return not path.startswith("/") and ADDRESS.match(path) is not None and not path.startswith("file:")


def require_known(address: str) -> None:
    """Raises UnreadableInput for an address of an unsupported kind."""
    match = ADDRESS.fullmatch(address)
    if match is None or match[1].lower() not in SCHEMES or not match[2]:
        raise UnreadableInput(
            f"{address} cannot be opened. Use a path, or an address such as s3://BUCKET/KEY. Known: "
            f"{listed([f'{name}://' for name in SCHEMES])}."
        )


def name_of(address: str) -> str:
    return PurePosixPath(address.rstrip("/")).name


def sibling(path: str, name: str) -> str:
    """The path or address of another file in the same folder."""
    return f"{path.rpartition('/')[0]}/{name}"


def store_of(address: str) -> tuple[FileSystem, str]:
    """The file system of an address and the path in it. Raises UnreadableInput for an address of an unsupported kind."""
    require_known(address)
    match = ADDRESS.fullmatch(address)
    assert match
    with explained(address):
        system, root = _opened(f"{SCHEMES[match[1].lower()]}://{match[2]}")
    return system, f"{root.rstrip('/')}/{match[3]}".removesuffix("/")


@lru_cache(maxsize=64)
def _opened(root: str) -> tuple[FileSystem, str]:
    from pyarrow.fs import FileSystem

    system, path = FileSystem.from_uri(root)
    return system, path


@contextmanager
def explained(address: str) -> Iterator[None]:
    """Reraises a store's errors as OSError with an errno, a cause in words, and the address as file name."""
    try:
        yield
    except OSError as problem:
        raise _cause(problem, address) from problem


def refusal_of(problem: BaseException | None) -> str:
    """Which file a store refuses, why, and what to do; empty for an error that is not a store's."""
    if not isinstance(problem, OSError) or not is_address(str(problem.filename or "")):
        return ""
    remedy = REMEDIES.get(problem.errno or 0, "Try again; the store's own log may say more.")
    return f"{problem.filename} cannot be opened: {problem.strerror}. {remedy}"


def _cause(problem: OSError, address: str) -> OSError:
    if problem.filename:
        return problem
    text = str(problem)
    if isinstance(problem, FileNotFoundError):
        return FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), address)
    for pattern, number, words in REFUSALS:
        if pattern.search(text):
            return OSError(number, words, address)
    return OSError(problem.errno or errno.EIO, text.splitlines()[0] if text else "unknown cause", address)
