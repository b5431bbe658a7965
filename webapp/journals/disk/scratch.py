"""A folder for what is made, looked at and thrown away within one request."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings


@contextmanager
def scratch_folder(kind: str) -> Iterator[Path]:
    """Path of a folder that the caller creates; it is deleted at the end."""
    folder = Path(settings.SCRATCH_DIR) / f"{kind}-{uuid.uuid4()}"
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
