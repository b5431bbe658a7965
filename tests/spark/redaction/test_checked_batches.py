"""What a share says of checksums: of the whole, what the report says; of a part, nothing, for the report does not know which are in it."""

from __future__ import annotations

from pathlib import Path

from spark.redaction import Options, Selection, redact
from spark.terms.damage import damage, intact
from tests.generator.segment import Record, segment, segment_name
from tests.spark.whole_pipeline import report_of

NOBODYS = Options(b"salt", keys=False, names=False)


def inspected(folder: Path) -> Path:
    partition = folder / "upload" / "payroll-0"
    partition.mkdir(parents=True)
    (partition / segment_name(0)).write_bytes(segment([Record(b"k", b"%d" % number) for number in range(5)]))
    report_of(folder / "upload", folder / "results")
    return folder / "results"


def test_a_share_of_the_whole_says_what_the_report_says(tmp_path: Path) -> None:
    document = redact(inspected(tmp_path), tmp_path / "share", NOBODYS, Selection())
    coverage, [journal] = document["coverage"], document["journals"]
    assert damage(coverage) == "all checksums match"
    assert journal["topic"] != "payroll"
    assert intact(coverage, journal["topic"], 0, "") == "all checksums match"


def test_a_share_of_a_part_does_not_say_that_all_match(tmp_path: Path) -> None:
    part = Selection(replicas=(("payroll", 0, ""),), tables=frozenset({"records", "files"}))
    coverage = redact(inspected(tmp_path), tmp_path / "share", NOBODYS, part)["coverage"]
    assert damage(coverage) == "no unreadable bytes"
    assert intact(coverage, "topic-1", 0, "") == "no unreadable bytes"
