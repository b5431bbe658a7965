"""What is read of a file in a store is what is read of the same file on this machine, whatever its layout and its damage."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spark.inputs.stored_files import find_stored, require_no_archives
from spark.runtime.in_process import in_process
from spark.sources import InputFile
from spark.sources._cutting import UNCUT, cut_by_tasks, cut_here, cut_later, parts
from spark.sources._wrapping.written import read_split
from spark.stages.plan import InspectionPlan, plan_inputs
from spark.storage import ranges
from spark.terms.errors import UnreadableInput
from tests.generator import legacy
from tests.generator.segment import Record, segment
from tests.generator.shipped import damaged_segment
from tests.spark.log_folders import inputs, write
from tests.spark.sources.export_samples import SAMPLES
from tests.spark.storage.stores import bucket_in

survey, read = (import_module(f"spark.sources.log_segment.{name}") for name in ("survey", "read"))
RECORDS = [Record(b"key-%d" % n, b"value" * (n % 90)) for n in range(600)]
SEGMENTS = {
    "format-2": lambda: segment(RECORDS, 0, records_per_batch=20),
    "compressed": lambda: segment(RECORDS, 0, records_per_batch=200, codec="lz4"),
    "format-1": lambda: legacy.segment([Record(b"k" * 3000, b"v" * 5000)] * 40, 0),
    "wrapped": lambda: legacy.segment(RECORDS, 0, codec="gzip"),
    "damaged": damaged_segment,
    "damaged-late": lambda: segment(RECORDS, 0, records_per_batch=20) + bytes(4000) + segment(RECORDS, 600),
    "empty": lambda: b"",
}


def stored(files: Sequence[InputFile], folder: Path, bucket: str) -> list[InputFile]:
    """The same files by their addresses."""
    return [replace(file, path=file.path.replace(str(folder), bucket)) for file in files]


def content(found: InspectionPlan) -> list[Any]:
    """All that the splits of a plan give, paths left out; rows of splits together, wherever the file is cut."""
    rows: dict[str, list[Any]] = {}
    for split in found.splits:
        for part in parts(split):
            for chunk in read_split(part):
                tables = {
                    "records": chunk.records,
                    "batches": chunk.batches,
                    "damage": chunk.damage,
                    **chunk.others,
                }
                for name, table in tables.items():
                    rows.setdefault(name, []).extend(table.to_pylist() if table is not None else [])
                rows.setdefault("notes", []).append(chunk.note)
    return [rows, found.files, found.dialects, [split.detail for split in found.splits]]


@pytest.mark.parametrize("name", SAMPLES)
def test_a_dump_in_a_store_is_read_as_on_this_machine(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / name).write_bytes(SAMPLES[name][1]())
    if name == "orders:3.data":
        (tmp_path / "orders.metadata").write_bytes(SAMPLES["orders.metadata"][1]())
    if name == "orders.metadata":
        (tmp_path / "orders:3.data").write_bytes(SAMPLES["orders:3.data"][1]())
    local = inputs(tmp_path)
    there = stored(local, tmp_path, bucket_in(tmp_path, monkeypatch))
    assert content(plan_inputs(there, {})) == content(plan_inputs(local, {}))


@pytest.mark.parametrize("name", SEGMENTS)
@pytest.mark.parametrize("block_bytes", [4096, 1 << 16])
def test_a_segment_in_a_store_is_read_as_on_this_machine(
    name: str, block_bytes: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ranges, "BLOCK_BYTES", block_bytes)
    monkeypatch.setattr(survey, "SPLIT_BYTES", 20_000)
    monkeypatch.setattr(read, "CHUNK_BYTES", 9000)
    folder = write(tmp_path, {0: SEGMENTS[name](), "journal-0/leader-epoch-checkpoint": b"0\n1\n0 0\n"})
    if name == "empty":
        write(tmp_path, {"other-0/00000000000000000000.log": SEGMENTS["format-2"]()})
    local = inputs(folder)
    there = stored(local, folder, bucket_in(tmp_path, monkeypatch))
    expected = content(plan_inputs(local, {}))
    assert content(plan_inputs(there, {}, cut=cut_by_tasks(in_process))) == expected
    assert content(plan_inputs(there, {}, cut=cut_later))[:3] == expected[:3]
    assert (
        len(plan_inputs(there, {}, cut=cut_here).splits)
        == len(plan_inputs(local, {}).splits)
        > (2 if name[0] == "f" else 0)
    )


@pytest.mark.long
def test_every_cut_of_a_segment_in_a_store_is_read_as_on_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ranges, "BLOCK_BYTES", 4096)
    monkeypatch.setattr(survey, "SPLIT_BYTES", 300)
    whole, bucket = damaged_segment(), bucket_in(tmp_path, monkeypatch)
    for size_bytes in range(100, len(whole), 7):
        local = inputs(write(tmp_path, {0: whole[:size_bytes]}))
        assert content(plan_inputs(stored(local, tmp_path, bucket), {})) == content(plan_inputs(local, {})), (
            size_bytes
        )


def test_a_task_of_a_split_fetches_its_range_and_little_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(survey, "SPLIT_BYTES", 1 << 20)
    monkeypatch.setattr(ranges, "BLOCK_BYTES", 1 << 16)
    values = np.random.default_rng(7).bytes(50 << 10)
    local = inputs(write(tmp_path, {0: segment([Record(b"k", values)] * 100, 0, records_per_batch=1)}))
    found = plan_inputs(stored(local, tmp_path, bucket_in(tmp_path, monkeypatch)), {})
    fetched = []
    readinto = ranges.StoredFile.readinto
    monkeypatch.setattr(
        ranges.StoredFile, "readinto", lambda file, target: fetched.append(n := readinto(file, target)) or n
    )
    split = found.splits[len(found.splits) // 2]
    list(read_split(split))
    assert split.end - split.start <= sum(fetched) < split.end - split.start + 3 * (1 << 16)


def test_a_whole_segment_is_cut_by_the_task_that_reads_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write(tmp_path, {0: segment(RECORDS, 0, records_per_batch=20)})
    (split,) = plan_inputs(
        stored(inputs(folder), folder, bucket_in(tmp_path, monkeypatch)), {"a": 1}, cut=cut_later
    ).splits
    assert (split.start, split.end, json.loads(json.dumps(split.detail))) == (
        0,
        split.end,
        {UNCUT: True, "a": 1},
    )
    assert [part.detail for part in parts(split)] == [{UNCUT: False, "a": 1}]


def test_files_below_an_address_are_named_as_those_of_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "data", {0: b"x", "orders-1/00000000000000000000.log": b"yy"})
    bucket = bucket_in(tmp_path, monkeypatch)
    name = "00000000000000000000.log"
    assert [(file.name, file.size_bytes) for file in find_stored([f"{bucket}/data/"])] == [
        (f"data/journal-0/{name}", 1),
        (f"data/orders-1/{name}", 2),
    ]
    assert [file.name for file in find_stored([f"{bucket}/data/orders-1/{name}"])] == [f"orders-1/{name}"]
    both = [f"{bucket}/data/orders-1", f"{bucket}/data/orders-1/{name}"]
    assert [file.path for file in find_stored(both)] == [f"{bucket}/data/orders-1/{name}"]


def test_an_archive_and_an_absent_file_in_a_store_are_refused_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "dump.gz").write_bytes(b"\x1f\x8b\x08" + bytes(20))
    bucket = bucket_in(tmp_path, monkeypatch)
    with pytest.raises(
        UnreadableInput, match=r"dump.gz is an archive\. .* Unpack it into a folder of the store"
    ):
        require_no_archives(find_stored([f"{bucket}/dump.gz"]))
    with pytest.raises(
        UnreadableInput, match=r"s3://bucket/nothing cannot be read: No such file or directory\. Check"
    ):
        find_stored([f"{bucket}/nothing"])
