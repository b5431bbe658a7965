"""An archive of classes that Java does not take is said when it is made; later nobody would hear of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark.entry.class_archive import check


def test_a_file_that_is_no_archive_is_refused(tmp_path: Path) -> None:
    (tmp_path / "spark.jsa").write_bytes(b"no archive")
    with pytest.raises(RuntimeError, match="does not take the archive"):
        check(tmp_path / "spark.jsa")
