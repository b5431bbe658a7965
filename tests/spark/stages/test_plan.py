"""Planning: where files belong by name, and what is said of files nobody recognises."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from spark.sources import InputFile
from spark.stages.plan import find_replicas, plan_inputs
from spark.terms.errors import UnreadableInput
from tests.generator.segment import Record, batch

SEGMENT = "00000000000000000000.log"


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("orders-7/" + SEGMENT, ("orders", 7, "")),
        ("data/my-topic-with-dashes-12/" + SEGMENT, ("my-topic-with-dashes", 12, "")),
        ("backup.tar.gz/logs/orders-0/" + SEGMENT, ("orders", 0, "")),
        ("orders-3.0f2b1c-delete/" + SEGMENT, ("orders", 3, "")),
        (SEGMENT, ("?", 0, "")),
        ("kafkasql-journal.topicdump", ("?", 0, "")),
    ],
)
def test_the_folder_names_topic_and_partition(name: str, place: tuple[str, int, str]) -> None:
    [found] = find_replicas([name])
    assert (found.topic, found.partition, found.replica) == place


def test_two_copies_of_a_partition_are_told_apart_by_the_folder_above() -> None:
    places = find_replicas([f"broker-{n}/t-0/{SEGMENT}" for n in (1, 2)] + [f"broker-1/t-1/{SEGMENT}"])
    assert [place.replica for place in places] == ["broker-1", "broker-2", ""]


def test_segments_of_one_folder_are_one_replica() -> None:
    places = find_replicas([f"t-0/{SEGMENT}", "t-0/00000000000000000099.log"])
    assert {place.replica for place in places} == {""}


def test_an_unknown_file_is_answered_with_what_was_tried(tmp_path: Path) -> None:
    path = tmp_path / "holiday.bin"
    path.write_bytes(b"\x01\x02\x03\x04 no journal")
    with pytest.raises(UnreadableInput) as error:
        plan_inputs([InputFile("holiday.bin", str(path), path.stat().st_size)], {})
    assert "Unknown file format: holiday.bin" in str(error.value)
    assert "Formats checked:" in str(error.value)


RECORDS = [Record(b"key", b"value")]
WITHIN_A_VALUE = b'"price": 12, "name": "teapot"}, ' * 40  # as a segment begins that lost its head
HEADLESS = WITHIN_A_VALUE + batch(RECORDS, 7) + batch(RECORDS, 8)


def planned_file(folder: Path, name: str, content: bytes) -> dict[str, Any]:
    path = folder / "upload"
    path.write_bytes(content)
    [row] = plan_inputs([InputFile(name, str(path), len(content))], {}, scratch=folder).files
    return row


@pytest.mark.parametrize("name", ["orders-0/" + SEGMENT, "0.bin", "orders.json"])
def test_a_segment_that_lost_its_head_is_read_from_its_first_whole_batch_whatever_its_name(
    tmp_path: Path, name: str
) -> None:
    row = planned_file(tmp_path, name, HEADLESS)
    assert (row["layout"], row["note"]) == (
        "log-segment",
        "its first bytes are not a record batch, but whole batches follow",
    )


def test_text_with_a_segments_name_is_one_in_a_partition_folder_alone(tmp_path: Path) -> None:
    assert planned_file(tmp_path, "orders-0/" + SEGMENT, WITHIN_A_VALUE)["layout"] == "log-segment"
    with pytest.raises(UnreadableInput):
        planned_file(tmp_path, "notes/" + SEGMENT, WITHIN_A_VALUE)


def test_a_dump_with_a_segments_name_is_read_as_a_dump(tmp_path: Path) -> None:
    dump = b'{"topic":"orders","partition":0,"offset":3,"tstype":"create","ts":1,"headers":[],"key":"a","payload":"b"}\n'
    assert planned_file(tmp_path, "orders-0/" + SEGMENT, dump)["layout"] == "kcat-json"


def test_no_file_at_all_is_said() -> None:
    with pytest.raises(UnreadableInput, match="no file to inspect"):
        plan_inputs([], {})


def test_an_empty_file_is_said_to_be_empty(tmp_path: Path) -> None:
    (tmp_path / "dump.json").touch()
    with pytest.raises(UnreadableInput) as error:
        plan_inputs([InputFile("dump.json", str(tmp_path / "dump.json"), 0)], {})
    assert str(error.value).startswith("dump.json is empty (0 bytes). Make the dump again")


@pytest.mark.parametrize(
    ("number", "beginning"),
    [(1, "The input contains only a schema (0.avsc), no journal."), (4, "The input contains only schemas (0.avsc, 1.avsc, 2.avsc, …)")],
)  # fmt: skip
def test_schemas_alone_are_answered_with_what_to_add(tmp_path: Path, number: int, beginning: str) -> None:
    text = '{"type":"record","name":"Money","fields":[]}'
    names = [f"{n}.avsc" for n in range(number)]
    for name in names:
        (tmp_path / name).write_text(text)
    with pytest.raises(UnreadableInput) as error:
        plan_inputs([InputFile(name, str(tmp_path / name), len(text)) for name in names], {})
    assert str(error.value).startswith(beginning)
    assert "Upload the schemas together" in str(error.value)


def test_companions_alone_are_answered_with_the_log_files(tmp_path: Path) -> None:
    (tmp_path / "leader-epoch-checkpoint").write_text("0\n0\n")
    with pytest.raises(UnreadableInput, match=r"Add the \*\.log files"):
        plan_inputs([InputFile("leader-epoch-checkpoint", str(tmp_path / "leader-epoch-checkpoint"), 4)], {})


def test_a_dump_beside_a_dump_of_another_layout_is_a_copy(tmp_path: Path) -> None:
    kcat = (
        '{"topic":"t","partition":0,"offset":0,"tstype":"create","ts":1,"broker":0,"key":"k","payload":"v"}\n'
    )
    texts = {
        "a.ndjson": kcat,
        "b.ndjson": kcat.replace('"offset":0', '"offset":1'),
        "c.json": '[{"offset":0,"key":"k","payload":"v"}]',
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    inputs = [InputFile(name, str(tmp_path / name), len(text)) for name, text in texts.items()]
    assert [split.replica for split in plan_inputs(inputs, {}).splits] == [
        "kcat -J",
        "kcat -J",
        "plain JSON records",
    ]
    assert [split.replica for split in plan_inputs(inputs[:2], {}).splits] == ["", ""]


def test_a_capture_without_records_says_so(tmp_path: Path) -> None:
    path = tmp_path / "journalscope-capture.json"
    path.write_text('{"journalscope_capture": 1}')
    with pytest.raises(UnreadableInput, match=r"but no segment\. The capture got no record"):
        plan_inputs([InputFile(path.name, str(path), 26)], {})
