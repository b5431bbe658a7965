"""The format of kcat that somebody gave reaches the files of an inspection, and theirs alone who gave it."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest

from spark.sources._command import columns_in
from spark.terms.errors import UnknownColumns, UnreadableInput
from webapp.journals import uploads
from webapp.journals.disk import storage
from webapp.journals.models import Blob, Inspection, Journal, Upload
from workers.kinds.inspection import KIND, input_files

pytestmark = pytest.mark.django_db
TEXT = b"4|a|one\n5|b|two\n"


def no_engine() -> Any:
    """Nothing here needs Spark."""
    raise AssertionError


@pytest.fixture
def journal(project: Any, house: Any, tmp_path: Path) -> Journal:
    """Of one text."""
    path = tmp_path / "lines.txt"
    path.write_bytes(TEXT)
    sha256 = uploads.hash_of(path)
    storage.store_copy(path, sha256)
    Blob.objects.create(sha256=sha256, size_bytes=len(TEXT))
    made = Journal.objects.create(project=project, name="lines")
    Upload.objects.create(journal=made, name=path.name, size_bytes=len(TEXT), blob_id=sha256)
    return made


def test_the_format_is_that_of_the_files(journal: Journal, tmp_path: Path) -> None:
    given = Inspection.objects.create(journal=journal, text_format=r"%o|%k|%s\n")
    [file] = input_files(given, tmp_path / "scratch", no_engine)
    assert shlex.split(file.command) == ["kcat", "-f", r"%o|%k|%s\n"]


def test_columns_travel_as_the_format_does(journal: Journal, tmp_path: Path) -> None:
    given = Inspection.objects.create(journal=journal, text_format="key=#2,value=#3")
    [file] = input_files(given, tmp_path / "scratch", no_engine)
    assert columns_in(file.command) == "key=#2,value=#3"


def test_a_question_is_kept_for_the_page() -> None:
    asked = UnknownColumns({"sentence": "Name the columns.", "rows": []})
    assert KIND.failed_columns(asked) == {"summary": {"question": asked.question}}
    assert KIND.failed_columns(UnreadableInput("no")) == {"summary": {"unread": None}}
    assert KIND.failed_columns(OSError("disk")) == {}


def test_without_a_format_files_name_none(journal: Journal, tmp_path: Path) -> None:
    [file] = input_files(Inspection.objects.create(journal=journal), tmp_path / "scratch", no_engine)
    assert file.command == ""
