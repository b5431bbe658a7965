"""Addresses that lead into a folder: Arrow's own file system of this machine in the place of a store's."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyarrow import fs

from spark.storage import address

BUCKET = "s3://bucket"


def bucket_in(folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of a bucket whose objects are the files of a folder."""
    monkeypatch.setattr(address, "_opened", lambda root: (fs.LocalFileSystem(), str(folder)))
    return BUCKET
