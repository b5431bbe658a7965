"""A preview says what an inspection would read and set aside, and where; time and size bound it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from spark.stages.preview import preview
from tests.spark.sources._wrapping.sorted_texts import DUMPING, batch, kcat
from tests.spark.sources.prints_of_tools import TOPICS

TICKET = b"Hello, see below:\n```\n" + DUMPING + b"\n" + batch(0) + b"\n```\n$ kcat -J -t orders\n" + kcat(0) + b"\n" + kcat(1) + b"\n"  # fmt: skip


def previewed(content: bytes, folder: Path, max_seconds: float = 60) -> dict[str, Any]:
    return preview(content, "pasted.txt", folder, max_seconds)


def test_each_print_is_a_part_with_its_lines_and_counts(tmp_path: Path) -> None:
    found = previewed(TICKET, tmp_path)
    told = [
        (part["layout"], part["first_line"], part["last_line"], part["records"]) for part in found["parts"]
    ]
    assert told == [("dump-log-text", 3, 6, 1), ("kcat-json", 9, 10, 2)]
    assert found["parts"][1]["partitions"] == [{"topic": "orders", "partition": 0}]
    assert (found["parts"][1]["first_offset"], found["parts"][1]["last_offset"]) == (0, 1)
    assert found["set_aside"] == {"text": 1, "fence": 2, "command": 1}


def test_every_line_is_in_one_run(tmp_path: Path) -> None:
    found = previewed(TICKET, tmp_path)
    lines = [line for first, last, _, _ in found["runs"] for line in range(first, last + 1)]
    assert lines == list(range(1, TICKET.count(b"\n") + 1))
    assert found["runs_to_line"] == found["lines"] == 10
    assert [run[2:] for run in found["runs"]] == [
        [0, "text"], [0, "fence"], [1, "heading"], [1, "batch"], [1, "record"], [0, "fence"], [0, "command"], [2, "record"],
    ]  # fmt: skip


def test_a_text_without_wrapping_is_one_part(tmp_path: Path) -> None:
    found = previewed(kcat(5) + b"\n" + kcat(6), tmp_path)
    assert [(part["first_line"], part["last_line"]) for part in found["parts"]] == [(1, 2)]
    assert found["set_aside"] == {}


def test_a_marker_is_counted_as_a_marker(tmp_path: Path) -> None:
    marker = batch(3).rsplit(b"\n", 1)[0].replace(b"isControl: false", b"isControl: true") + b"\n| offset: 3 CreateTime: 1700000000000 keySize: 4 valueSize: 6 sequence: -1 headerKeys: [] endTxnMarker: COMMIT coordinatorEpoch: 0"  # fmt: skip
    found = previewed(DUMPING + b"\n" + batch(2) + b"\n" + marker + b"\n", tmp_path)
    assert found["parts"][0]["control"] == {"commit": 1}
    assert found["runs"][-1][3] == "commit marker"


def test_unknown_columns_are_asked_for(tmp_path: Path) -> None:
    found = previewed(b"id,KEY_X,body_txt\n1,a,b\n2,c,d\n", tmp_path)
    assert found["refused"] == found["question"]["sentence"]
    assert found["question"]["mapping"] == "offset=id,key=KEY_X,value=body_txt"
    assert found["parts"] == [] == found["runs"]


def test_what_is_no_journal_is_refused_in_the_words_of_an_inspection(tmp_path: Path) -> None:
    found = previewed(b"orders:0:5\norders:1:0\norders:2:7\n", tmp_path)
    assert "GetOffsetShell" in found["refused"]
    assert found["parts"] == [] == found["runs"]
    assert found["tried"] == ""


def test_what_is_unknown_is_refused_with_what_was_tried(tmp_path: Path) -> None:
    found = previewed(b"a picnic on Sunday, bring cake and lemonade\nand come by train\n", tmp_path)
    assert found["refused"].startswith("Unknown file format: ")
    assert found["tried"].startswith("Formats checked:")


def test_counting_ends_with_the_time(tmp_path: Path) -> None:
    found = previewed(TICKET, tmp_path, max_seconds=-1)
    assert not found["is_counted"]
    assert [part["layout"] for part in found["parts"]] == ["dump-log-text", "kcat-json"]


def test_runs_are_cut_and_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spark.stages.preview.MAX_RUNS", 3)
    found = previewed(TICKET, tmp_path)
    assert (len(found["runs"]), found["runs_to_line"]) == (3, 4)


def test_a_record_that_cannot_be_read_is_marked(tmp_path: Path) -> None:
    found = previewed(
        kcat(0) + b'\n{"topic":"orders","partition":0,"offset":1,"pay\n' + kcat(2) + b"\n", tmp_path
    )
    assert found["parts"][0]["damage"] == 1
    assert [2, 2, 1, "cannot be read"] in found["runs"]


def test_it_loads_neither_spark_nor_a_client_of_kafka() -> None:
    code = "import sys, spark.stages.preview as one, spark.sources as s; s.sources(); print([m for m in ('pyspark', 'kafka', 'aiokafka', 'django') if m in sys.modules])"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert answer.stdout.strip() == "[]"


def test_a_tools_table_is_counted_in_what_people_see(tmp_path: Path) -> None:
    (part,) = previewed(TOPICS["0.8"].encode(), tmp_path)["parts"]
    assert (part["layout"], part["entries"]) == ("kafka-topics-describe", 0)
    assert part["note"].startswith("2 partitions of orders, and its settings")


@pytest.mark.parametrize(
    ("line", "ticket"),
    [
        ("OPS-4711 customer says that consumers stall", "OPS-4711"),
        ("Ticket: [JIRA2-98]", "JIRA2-98"),
        ("is it KAFKA-13727, KIP-890 or UTF-16? broker-12 and 2024-03-11 say SHA-256", ""),
        ("see logs/OPS-4711.txt or X-OPS-4711-2", ""),
        ("VERSION-12.3", ""),
    ],
)
def test_a_ticket_is_taken_from_the_text_around_the_prints(line: str, ticket: str, tmp_path: Path) -> None:
    found = previewed(line.encode() + b"\n\n" + TOPICS["0.8"].encode(), tmp_path)
    assert found["ticket"] == ticket
    assert found["parts"][0]["described"] == ["orders"]


def test_what_records_say_is_no_ticket(tmp_path: Path) -> None:
    assert previewed(kcat(5).replace(b'"a"', b'"OPS-4711"') + b"\n" + kcat(6), tmp_path)["ticket"] == ""
