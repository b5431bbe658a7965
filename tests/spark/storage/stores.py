"""Addresses that lead into a folder: Arrow's own file system of this machine in the place of a store's."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from pyarrow import fs

from spark.storage import address

BUCKET = "s3://bucket"


class FolderOfObjects:
    """Arrow's file system of this machine, in which a file may be written where no folder is, as in a store."""

    def __init__(self) -> None:
        self._system = fs.LocalFileSystem()

    def open_output_stream(self, path: str) -> Any:
        with suppress(OSError):  # Arrow says what is wrong
            Path(path).parent.mkdir(parents=True, exist_ok=True)
        return self._system.open_output_stream(path)

    def copy_file(self, source: str, target: str) -> None:
        Path(target).parent.mkdir(parents=True, exist_ok=True)
        self._system.copy_file(source, target)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._system, name)


def bucket_in(folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of a bucket whose objects are the files of a folder."""
    monkeypatch.setattr(address, "_opened", lambda root: (FolderOfObjects(), str(folder)))
    return BUCKET
