"""Folders of results, here and in a store: the same names, documents and files."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from spark.storage.copies import local_path
from spark.storage.stored_path import (
    ResultPath,
    StoredPath,
    copy_file,
    delete_stored,
    remove_tree,
    result_path,
    write_whole,
)
from tests.spark.storage.stores import bucket_in


@pytest.fixture(params=["folder", "store"])
def folder(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ResultPath:
    """A folder of results; the objects of the store are in `objects`."""
    monkeypatch.setenv("CACHE_DIR", str(tmp_path / "cache"))
    bucket = bucket_in(tmp_path / "objects", monkeypatch)
    made = result_path(f"{bucket}/results/1" if request.param == "store" else str(tmp_path / "results"))
    made.mkdir(parents=True)
    return made


def test_a_document_is_written_whole_and_read_again(folder: ResultPath) -> None:
    document = folder / "report.json"
    assert not document.exists()
    write_whole(document, "{}")
    assert (document.read_text(), document.read_bytes(), document.is_file()) == ("{}", b"{}", True)
    assert (document.name, document.suffix, document.stat().st_size) == ("report.json", ".json", 2)
    with document.open("rb") as file:
        assert file.read() == b"{}"
    assert folder.is_dir()
    assert not (folder / "other").is_dir()


def test_another_machine_reads_it_from_the_store(folder: ResultPath, tmp_path: Path) -> None:
    write_whole(folder / "report.json", "{}")
    if isinstance(folder, StoredPath):
        local_path(str(folder / "report.json")).unlink()
    assert (pickle.loads(pickle.dumps(folder)) / "report.json").read_text() == "{}"


def test_files_are_copied_within_and_between(folder: ResultPath, tmp_path: Path) -> None:
    write_whole(folder / "a", "rows")
    copy_file(folder / "a", folder / "parts" / "b")
    copy_file(folder / "parts" / "b", tmp_path / "here")
    copy_file(tmp_path / "here", folder / "c")
    for path in (folder / "parts" / "b", tmp_path / "here", folder / "c"):
        assert path.read_text() == "rows"
    with pytest.raises(FileNotFoundError):
        copy_file(folder / "nothing", folder / "d")


def test_nothing_is_left_of_a_folder_that_is_removed(folder: ResultPath, tmp_path: Path) -> None:
    write_whole(folder / "a", "rows")
    remove_tree(folder)
    assert not folder.is_dir()
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
    remove_tree(folder)


def test_where_a_store_cannot_delete_a_folder_its_files_are_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bucket = bucket_in(tmp_path / "objects", monkeypatch)
    delete_stored(StoredPath(f"{bucket}/nothing"))
    (tmp_path / "objects").mkdir()
    (tmp_path / "objects" / "file").write_text("no folder")
    delete_stored(StoredPath(f"{bucket}/file"))
    assert list((tmp_path / "objects").iterdir()) == []
