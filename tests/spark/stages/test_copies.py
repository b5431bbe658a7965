"""Exports of the same records, and parts of one dump."""

from __future__ import annotations

from pathlib import Path

from spark.sources import InputFile
from spark.stages.copies import copies
from spark.stages.plan import plan


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
    assert {split.replica for split in plan([before, after], {}).splits} == {"before", "after"}


def test_parts_of_a_dump_are_one_even_where_they_share_a_record(tmp_path: Path) -> None:
    parts = [dump(tmp_path, "a", *range(10)), dump(tmp_path, "b", *range(9, 20))]
    assert copies(parts) == set()
    assert {split.replica for split in plan(parts, {}).splits} == {""}


def test_partitions_of_a_topic_are_no_copies(tmp_path: Path) -> None:
    files = [dump(tmp_path, f"t-{n}", *range(10), partition=n) for n in range(3)]
    assert copies(files) == set()


def test_offsets_inside_a_payload_do_not_count(tmp_path: Path) -> None:
    files = [
        dump(tmp_path, "a", *range(10), value='{\\"offset\\":15}'),
        dump(tmp_path, "b", *range(10, 20)),
    ]
    assert copies(files) == set()
