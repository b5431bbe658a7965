"""Exports of the same records, and parts of one dump."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark.sources import InputFile
from spark.stages.copies import copies
from spark.stages.plan import plan_inputs


def dump(folder: Path, name: str, *offsets: int, partition: int = 0, value: str = "v") -> InputFile:
    lines = "".join(
        f'{{"topic":"t","partition":{partition},"offset":{offset},"tstype":"create","ts":1,"broker":0,'
        f'"key":"k{offset}","payload":"{value}"}}\n'
        for offset in offsets
    )
    (folder / name).write_text(lines)
    return InputFile(name, str(folder / name), len(lines))


def test_dumps_before_and_after_a_compaction_are_copies(tmp_path: Path) -> None:
    before, after = dump(tmp_path, "before", *range(10)), dump(tmp_path, "after", 0, 4, 9, 10, 11)
    assert copies([before, after]) == {"before", "after"}
    assert {split.replica for split in plan_inputs([before, after], {}).splits} == {"before", "after"}


def test_parts_of_a_dump_are_one_even_where_they_share_a_record(tmp_path: Path) -> None:
    parts = [dump(tmp_path, "a", *range(10)), dump(tmp_path, "b", *range(9, 20))]
    assert copies(parts) == set()
    assert {split.replica for split in plan_inputs(parts, {}).splits} == {""}


def test_partitions_of_a_topic_are_no_copies(tmp_path: Path) -> None:
    files = [dump(tmp_path, f"t-{n}", *range(10), partition=n) for n in range(3)]
    assert copies(files) == set()


def test_offsets_inside_a_payload_do_not_count(tmp_path: Path) -> None:
    files = [
        dump(tmp_path, "a", *range(10), value='{\\"offset\\":15}'),
        dump(tmp_path, "b", *range(10, 20)),
    ]
    assert copies(files) == set()


def printed(folder: Path, name: str, *lines: str) -> InputFile:
    (folder / name).write_text("".join(f"{line}\n" for line in lines))
    return InputFile(name, str(folder / name), (folder / name).stat().st_size)


@pytest.mark.parametrize(
    "line",
    [
        'CreateTime:1\tPartition:0\tOffset:{0}\tk\t{{"topic": "other{0}", "partition": 7, "offset": 99}}',
        "| offset: {0} CreateTime: 1 keySize: 1 valueSize: 1 sequence: -1 headerKeys: [] key: k payload: v",
        "ConsumerRecord(topic = t, partition = 0, offset = {0}, CreateTime = 1, key = k, value = v)",
    ],
    ids=["console consumer", "dump log", "ConsumerRecord"],
)
def test_prints_with_labels_are_copies_or_parts_by_their_offsets(tmp_path: Path, line: str) -> None:
    ranges = {"a": range(10), "b": range(1, 9), "c": range(10, 20)}
    files = [printed(tmp_path, name, *(line.format(n) for n in offsets)) for name, offsets in ranges.items()]
    assert copies(files) == {"a", "b"}


def test_prints_of_two_partitions_by_the_files_that_were_dumped_are_no_copies(tmp_path: Path) -> None:
    files = [
        printed(
            tmp_path,
            f"{n}.txt",
            f"Dumping /data/t-{n}/00000000000000000000.log",
            *(f"offset: {i}" for i in range(9)),
        )
        for n in range(2)
    ]
    assert copies(files) == set()
