"""What happens to a partition: its detector's words, the sides of the two records."""

from __future__ import annotations

import pytest

from webapp.reports.incidents.chips import Chip
from webapp.reports.incidents.partition_words import partition_effect, with_partition_roles
from webapp.reports.report import ReportFinding, read_report


def finding(detector: str, title: str) -> ReportFinding:
    members = dict.fromkeys(("severity", "confidence", "explanation", "remedy", "topic"), "")
    row = {**members, "id": "f", "partition": 0, "detector": detector, "title": title, "evidence": [96, 88]}
    (found,) = read_report({"findings": [row]}).findings
    return found


@pytest.mark.parametrize(
    ("detector", "title", "effect", "roles"),
    [
        ("offset-order", "a-0 contains offsets 88-96 twice (replica x)", "Java clients get offsets 88-96 once, librdkafka clients can get them twice", ["read before", "read after"]),
        ("offset-order", "A batch of a-0 has the wrong base offset", "", ["", ""]),
        ("crc-mismatch", "Consumers of a-0 stop at offset 88", "", ["corrupt", "corrupt"]),
        ("offset-order", "Java consumers of a-0 never get offsets 88-96: the log contains offsets 88-97 out of order", "never get offsets 88-96", ["read before", "read after"]),
        ("record-count-mismatch", "Java consumers of a-0 fail after offset 96: 1 record batch with a wrong record count", "fail after offset 96", ["wrong record count", "wrong record count"]),
        ("index-mismatch", "Consumers of a-0 that fetch at offsets 169-176 or 229 continue at offset 230, without an error: in a.index, 1 of 2", "continue at offset 230, without an error, when they fetch at offsets 169-176 or 229", ["", ""]),
        ("epoch-order", "Replicas of a-0", "intact records can be truncated", ["higher epoch", "lower epoch"]),
    ],
)  # fmt: skip
def test_the_effect_is_named_and_the_records_have_their_sides(
    detector: str, title: str, effect: str, roles: list[str]
) -> None:
    found = finding(detector, title)
    assert partition_effect(found) == effect
    assert [chip.role for chip in with_partition_roles([Chip(96), Chip(88)], found)] == roles


def test_a_segment_named_too_high_behind_another_hides_no_record() -> None:
    found = finding("misnamed-segment", "Segment of a-0 has the wrong name")
    assert partition_effect(found) == "can skip records or get an error"
    found.explanation = "Consumers still get these offsets: a broker searches this one."
    assert partition_effect(found) == "still get these offsets"
