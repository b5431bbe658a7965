"""Files, folders, several paths, globs and `file:` addresses; what cannot be loaded is said in a sentence."""

from __future__ import annotations

import gzip
import tarfile
import zipfile
from pathlib import Path

import pytest

from spark.datasource.paths import chosen_paths, input_files
from spark.terms.errors import UnreadableInput
from tests.spark.datasource.journals import orders
from tests.spark.storage.stores import bucket_in

FIRST, SECOND = "00000000000000000000.log", "00000000000000000020.log"


def names(*paths: str) -> list[str]:
    return [file.name for file in input_files(paths)]


def test_a_segment_keeps_the_name_of_its_partition(tmp_path: Path) -> None:
    assert names(str(orders(tmp_path) / "orders-1" / FIRST)) == [f"orders-1/{FIRST}"]


def test_a_folder_is_read_with_all_below_it(tmp_path: Path) -> None:
    assert names(str(orders(tmp_path / "data", partitions=1))) == [
        f"data/{partition}/{name}" for partition in ("orders-0", "payments-0") for name in (FIRST, SECOND)
    ]


def test_a_glob_matches_folders_and_files(tmp_path: Path) -> None:
    orders(tmp_path)
    assert names(f"{tmp_path}/orders-*") == [f"orders-{n}/{name}" for n in (0, 1) for name in (FIRST, SECOND)]
    assert len(names(f"{tmp_path}/**/*20.log")) == 3


def test_several_paths_are_one_journal(tmp_path: Path) -> None:
    orders(tmp_path)
    assert names(f"{tmp_path}/orders-0", f"{tmp_path}/payments-0/{FIRST}") == [
        f"orders-0/{FIRST}",
        f"orders-0/{SECOND}",
        f"payments-0/{FIRST}",
    ]


@pytest.mark.parametrize("address", ["file:{}", "file://{}", "file://localhost{}"])
def test_a_file_address_is_its_path(address: str, tmp_path: Path) -> None:
    folder = orders(tmp_path / "a folder")
    assert len(names(address.format(str(folder).replace(" ", "%20")))) == 6


def test_a_name_with_a_colon_is_a_path(tmp_path: Path) -> None:
    (tmp_path / "s3:dump.json").write_text("[]")
    assert names(str(tmp_path / "s3:dump.json")) == ["s3:dump.json"]


@pytest.mark.parametrize("address", ["ftp://name/data", "https://example.org/a"])
def test_an_address_of_another_kind_is_refused_with_those_known(address: str) -> None:
    with pytest.raises(UnreadableInput, match=r"cannot be opened\. Use a path, or an address such as s3://"):
        chosen_paths([address])


def test_paths_and_addresses_are_one_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    orders(tmp_path)
    bucket = bucket_in(tmp_path, monkeypatch)
    assert chosen_paths([f"{bucket}/nothing"]) == []  # asked for when the query is planned
    assert names(f"{tmp_path}/orders-0", f"{bucket}/payments-0/") == [
        f"{folder}/{name}" for folder in ("orders-0", "payments-0") for name in (FIRST, SECOND)
    ]
    with pytest.raises(UnreadableInput, match="s3://bucket/nothing cannot be read: No such file"):
        names(f"{bucket}/nothing")


def test_a_path_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match=r"nowhere does not exist\. Load a dump"):
        chosen_paths([str(tmp_path / "nowhere")])


def test_a_glob_without_a_match_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match=r"No file matches .*orders-\*"):
        chosen_paths([f"{tmp_path}/orders-*"])


def write_archive(path: Path, kind: str) -> None:
    if kind == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("dump.json", "[]")
    elif kind == "tar":
        with tarfile.open(path, "w") as tar:
            tar.add(__file__, "dump.json")
    else:
        path.write_bytes(gzip.compress(b"[]"))


@pytest.mark.parametrize("kind", ["zip", "tar", "gzip"])
def test_an_archive_is_refused_alone_and_in_a_folder(kind: str, tmp_path: Path) -> None:
    write_archive(tmp_path / "journal", kind)
    for path in (tmp_path / "journal", tmp_path):
        with pytest.raises(UnreadableInput, match=rf"journal is a {kind} archive\. .* Unpack it"):
            input_files([str(path)])
