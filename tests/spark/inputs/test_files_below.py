"""Files below paths: their order, their names, and the sentence for a path that is not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark.inputs.files_below import find
from spark.terms.errors import UnreadableInput

SEGMENT = "00000000000000000000.log"


def write(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(name.encode())


def names(*paths: Path) -> list[str]:
    return [file.name for file in find(paths)]


def test_a_folder_is_walked_in_order_and_named_from_itself(tmp_path):
    write(tmp_path / "data", f"orders-1/{SEGMENT}", f"orders-0/{SEGMENT}", "meta.properties")
    assert names(tmp_path / "data") == [
        "data/meta.properties",
        f"data/orders-0/{SEGMENT}",
        f"data/orders-1/{SEGMENT}",
    ]


def test_a_segment_given_alone_keeps_its_partition(tmp_path):
    write(tmp_path, f"orders-3/{SEGMENT}")
    assert names(tmp_path / "orders-3" / SEGMENT) == [f"orders-3/{SEGMENT}"]


def test_a_dump_given_alone_is_named_without_its_folder(tmp_path):
    write(tmp_path, "orders-3/dump.json")
    assert names(tmp_path / "orders-3" / "dump.json") == ["dump.json"]


def test_two_copies_of_a_partition_are_told_apart_by_the_folders_above(tmp_path):
    write(tmp_path, f"broker-1/orders-0/{SEGMENT}", f"broker-2/orders-0/{SEGMENT}")
    assert names(tmp_path / "broker-1/orders-0", tmp_path / "broker-2/orders-0") == [
        f"broker-1/orders-0/{SEGMENT}",
        f"broker-2/orders-0/{SEGMENT}",
    ]


def test_a_path_given_twice_is_read_once(tmp_path):
    write(tmp_path, "dump.json")
    assert names(tmp_path / "dump.json", tmp_path / "dump.json") == ["dump.json"]


def test_a_missing_path_is_named(tmp_path):
    with pytest.raises(UnreadableInput, match=r"nowhere does not exist\. Name a dump"):
        find([tmp_path / "nowhere"])
