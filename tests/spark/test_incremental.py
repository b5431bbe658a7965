"""A log that grew: what an earlier inspection decoded is taken over, and the answer is that of a full inspection."""

from __future__ import annotations

import json
import struct
from collections import Counter
from collections.abc import Callable
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spark import incremental
from spark.pipeline import IncrementalRun, Limits, NoProgress, inspect
from spark.runtime.in_process import in_process
from spark.sources import InputFile
from spark.tables import Manifest
from tests.generator import bulk, long_apicurio, long_log
from tests.generator.registry import TOPIC
from tests.generator.segment import segment_name
from tests.spark.log_folders import inputs

pytestmark = pytest.mark.pipeline

PARTITIONS = 3
GREW = 1  # the partition that something is added to


def write_plain(parent: Path, partition: int) -> None:
    bulk.write_segments(parent, 1 << 20, "none", seed=partition + 1)


def write_apicurio(parent: Path, partition: int) -> None:
    long_log.write_segments(parent, TOPIC, long_apicurio.journal(900 + 300 * partition))


@pytest.fixture(params=[write_plain, write_apicurio], ids=["plain", "apicurio"])
def topic(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A topic of several partitions, each in three segments."""
    write: Callable[[Path, int], None] = request.param
    for partition in range(PARTITIONS):
        write(tmp_path / "made", partition)
        (made,) = (tmp_path / "made").iterdir()
        home = tmp_path / "topic" / f"{made.name.removesuffix('-0')}-{partition}"
        home.mkdir(parents=True)
        for base_offset, content in in_three(b"".join(path.read_bytes() for path in sorted(made.iterdir()))):
            (home / segment_name(base_offset)).write_bytes(content)
        made.rename(tmp_path / f"was-{partition}")
    return tmp_path / "topic"


def in_three(log: bytes) -> list[tuple[int, bytes]]:
    """The log's batches in three segments, with their base offsets."""
    starts, position = [], 0
    while position < len(log):
        starts.append(position)
        position += 12 + struct.unpack_from(">i", log, position + 8)[0]
    cuts = [0, starts[len(starts) // 2], starts[-len(starts) // 50 - 1], len(log)]
    return [(struct.unpack_from(">q", log, start)[0], log[start:end]) for start, end in pairwise(cuts)]


def uploaded(folder: Path) -> list[InputFile]:
    """Files with their hashes, in the order in which they came: what was added stands last."""
    files = [
        InputFile(file.name, file.path, file.size_bytes, sha256(Path(file.path).read_bytes()).hexdigest())
        for file in inputs(folder)
    ]
    newest = [file for file in files if f"-{GREW}/" in file.name][-1]
    return [*[file for file in files if file is not newest], newest]


def inspected(files: list[InputFile], results: Path, growing: IncrementalRun | None = None) -> dict[str, Any]:
    context = in_process()
    return inspect(lambda: context, files, results, NoProgress(), Limits(), growing)


def rows(results: Path) -> dict[str, Counter[str]]:
    """The rows of every table, in any order."""
    manifest = Manifest.load(results)
    return {
        table: Counter(map(repr, pa.concat_tables(map(pq.read_table, manifest.paths(table))).to_pylist()))
        for table in manifest.files
    }


def taken_over(results: Path, table: str) -> list[str]:
    """The files of a table that were linked."""
    return [name for name in Manifest.load(results).files[table] if "-kept-" in name]


def test_the_answer_is_that_of_a_full_inspection(topic: Path, tmp_path: Path) -> None:
    *before, _ = files = uploaded(topic)
    inspected(before, tmp_path / "1", IncrementalRun())
    report = inspected(files, tmp_path / "2", IncrementalRun(tmp_path / "1"))
    assert report == inspected(files, tmp_path / "full")
    assert rows(tmp_path / "2") == rows(tmp_path / "full")


def test_what_was_decoded_is_linked_and_only_the_new_segment_is_read(topic: Path, tmp_path: Path) -> None:
    *before, newest = files = uploaded(topic)
    inspected(before, tmp_path / "1", IncrementalRun())
    inspected(files, tmp_path / "2", IncrementalRun(tmp_path / "1"))
    manifest = Manifest.load(tmp_path / "2")
    (linked,) = taken_over(tmp_path / "2", "records")
    (written,) = set(manifest.files["records"]) - {linked}
    (source,) = Manifest.load(tmp_path / "1").paths("records")
    assert (tmp_path / "2" / linked).samefile(source)
    assert set(pq.read_table(tmp_path / "2" / written).column("file").to_pylist()) == {files.index(newest)}


def test_states_of_partitions_to_which_nothing_was_added_are_linked(topic: Path, tmp_path: Path) -> None:
    *before, _ = files = uploaded(topic)
    inspected(before, tmp_path / "1", IncrementalRun())
    inspected(files, tmp_path / "2", IncrementalRun(tmp_path / "1"))
    if "state" not in Manifest.load(tmp_path / "2").files:
        return
    untouched = {
        partition
        for name in taken_over(tmp_path / "2", "state")
        for partition in pq.read_table(tmp_path / "2" / name).column("partition").to_pylist()
    }
    assert untouched == set(range(PARTITIONS)) - {GREW}


@pytest.mark.parametrize("topic", [write_plain], ids=["plain"], indirect=True)
def test_it_goes_on_and_on(topic: Path, tmp_path: Path) -> None:
    files = uploaded(topic)
    for count in (3, 5, 8, 9):
        earlier = max(tmp_path.glob("[0-9]"), default=None)
        report = inspected(files[:count], tmp_path / str(count), IncrementalRun(earlier))
    assert report == inspected(files, tmp_path / "full")
    assert rows(tmp_path / "9") == rows(tmp_path / "full")


@pytest.mark.parametrize("topic", [write_plain], ids=["plain"], indirect=True)
def test_many_small_pieces_are_decoded_together(
    topic: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(incremental, "MAX_SMALL", 1)
    files = uploaded(topic)
    inspected(files[:4], tmp_path / "1", IncrementalRun())
    inspected(files[:6], tmp_path / "2", IncrementalRun(tmp_path / "1"))
    assert len(Manifest.load(tmp_path / "2").files["records"]) == 2
    report = inspected(files, tmp_path / "3", IncrementalRun(tmp_path / "2"))
    assert len(Manifest.load(tmp_path / "3").files["records"]) == 1
    assert report == inspected(files, tmp_path / "full")


def change_code(earlier: Path) -> None:
    known = json.loads((earlier / incremental.NAME).read_text())
    (earlier / incremental.NAME).write_text(json.dumps({**known, "code": "of another day"}))


def lose_a_file(earlier: Path) -> None:
    Path(Manifest.load(earlier).paths("records")[0]).unlink()


def cut_short(earlier: Path) -> None:
    text = (earlier / incremental.NAME).read_text()
    (earlier / incremental.NAME).write_text(text[: len(text) // 2])


def forget(earlier: Path) -> None:
    (earlier / incremental.NAME).unlink()


@pytest.mark.parametrize("topic", [write_plain], ids=["plain"], indirect=True)
@pytest.mark.parametrize("spoil", [change_code, lose_a_file, cut_short, forget])
def test_what_cannot_be_taken_over_is_done_anew(
    topic: Path, tmp_path: Path, spoil: Callable[[Path], None]
) -> None:
    files = uploaded(topic)
    inspected(files[:-1], tmp_path / "1", IncrementalRun())
    spoil(tmp_path / "1")
    report = inspected(files, tmp_path / "2", IncrementalRun(tmp_path / "1"))
    assert taken_over(tmp_path / "2", "records") == []
    assert report == inspected(files, tmp_path / "full")


def test_a_changed_file_is_decoded_again_and_its_partition_told_anew(topic: Path, tmp_path: Path) -> None:
    files = uploaded(topic)
    inspected(files, tmp_path / "1", IncrementalRun())
    changed = Path(files[0].path)
    content = bytearray(changed.read_bytes())
    content[-1] ^= 1
    changed.write_bytes(content)
    report = inspected(uploaded(topic), tmp_path / "2", IncrementalRun(tmp_path / "1"))
    full = inspected(uploaded(topic), tmp_path / "full")
    assert report == full
    assert "crc-mismatch" in {finding["detector"] for finding in full["findings"]}
    assert rows(tmp_path / "2") == rows(tmp_path / "full")
