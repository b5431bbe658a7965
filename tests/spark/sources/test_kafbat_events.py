from pathlib import Path

from spark.sources._json.layout import borders
from spark.sources.kafbat_events import source
from tests.generator import exports
from tests.spark.sources.export_samples import JOURNAL
from tests.spark.sources.json_files import read

EVENT = b'data:{"type":"MESSAGE","message":{"partition":1,"offset":%d,"timestamp":"2026-02-03T04:05:06Z","timestampType":"%s","key":"k","%s":"v","headers":{},"keySize":1,"valueSize":9}}\n\n'


def test_progress_events_are_neither_records_nor_damage(tmp_path: Path) -> None:
    reading = read(source, exports.kafbat_events(JOURNAL), tmp_path)
    assert reading.column("offset") == [each.offset for each in JOURNAL.stored]
    assert reading.damage == []


def test_both_names_of_the_value_and_both_kinds_of_time(tmp_path: Path) -> None:
    content = EVENT % (0, b"CREATE_TIME", b"content") + EVENT % (1, b"LOG_APPEND_TIME", b"value")
    reading = read(source, content, tmp_path)
    assert reading.column("value") == [b"v", b"v"]
    assert reading.column("timestamp_type") == ["create", "log_append"]
    assert reading.column("value_size_bytes") == [9, 9]


def test_a_broken_event_costs_only_itself(tmp_path: Path) -> None:
    events = [EVENT % (n, b"CREATE_TIME", b"value") for n in range(4)]
    events[1] = events[1].replace(b'"key":', b'"key"')
    reading = read(source, b"".join(events), tmp_path)
    assert reading.column("offset") == [0, 2, 3]
    assert [(row["reason"], row["first_offset"]) for row in reading.damage] == [("bad_line", 1)]


def test_a_message_event_without_its_message_is_damage(tmp_path: Path) -> None:
    content = EVENT % (0, b"CREATE_TIME", b"value") + b'data:{"type":"MESSAGE","message":null}\n\n'
    reading = read(source, content, tmp_path)
    assert reading.column("offset") == [0]
    assert [row["reason"] for row in reading.damage] == ["bad_line"]


def test_a_stream_that_was_stopped_ends_in_a_cut_event(tmp_path: Path) -> None:
    content = EVENT % (0, b"CREATE_TIME", b"value") + (EVENT % (1, b"CREATE_TIME", b"value"))[:60]
    reading = read(source, content, tmp_path)
    assert [row["reason"] for row in reading.damage] == ["truncated"]


def test_events_without_any_message_are_not_this_layout(tmp_path: Path) -> None:
    content = b'data:{"type":"PHASE","message":null}\n\ndata:{"type":"DONE"}\n\n'
    assert not read(source, content, tmp_path).recognition.matches


def test_a_long_stream_is_cut_before_events(tmp_path: Path) -> None:
    path = tmp_path / "stream.txt"
    path.write_bytes(b"".join(EVENT % (n, b"CREATE_TIME", b"value") for n in range(200)))
    places = borders(str(path), 4096)
    assert len(places) > 4
    content = path.read_bytes()
    assert all(content[place:].startswith(b"data:{") for place in places[:-1])
