import json
from pathlib import Path

from spark.sources.kafkactl_json import source
from tests.generator import exports
from tests.spark.sources.export_samples import JOURNAL
from tests.spark.sources.json_files import read


def test_indented_objects_and_one_a_line_read_the_same(tmp_path: Path) -> None:
    indented = read(source, exports.kafkactl(JOURNAL), tmp_path)
    lines = read(source, exports.kafkactl(JOURNAL, one_a_line=True), tmp_path)
    columns = [name for name in indented.records[0] if name != "batch_position"]
    assert [[row[c] for c in columns] for row in indented.records] == [
        [row[c] for c in columns] for row in lines.records
    ]


def test_a_key_left_out_is_null_an_empty_one_is_not(tmp_path: Path) -> None:
    rows = [
        {"Partition": 0, "Offset": 0, "Value": None},
        {"Partition": 0, "Offset": 1, "Key": "", "Value": "x"},
    ]
    reading = read(source, "".join(json.dumps(row, indent="\t") + "\n" for row in rows).encode(), tmp_path)
    assert reading.column("key_is_null") == [True, False]
    assert reading.column("value_is_null") == [True, False]
    assert reading.column("headers") == [None, None]
    assert reading.column("timestamp_ms") == [None, None]


def test_a_dump_without_keys_says_how_to_print_them(tmp_path: Path) -> None:
    content = b'{"Partition":0,"Offset":0,"Value":"x"}\n'
    recognition = read(source, content, tmp_path).recognition
    assert recognition.matches
    assert "--keys" in recognition.why


def test_base64_is_decoded(tmp_path: Path) -> None:
    content = b'{"Partition":0,"Offset":0,"Key":"a2V5LW9uZS1pcy1sb25n","Value":"eyJhbW91bnQiOiAxMn0="}\n'
    assert read(source, content, tmp_path).column("value") == [b'{"amount": 12}']
