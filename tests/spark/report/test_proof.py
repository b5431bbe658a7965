"""The records of a finding's evidence say what each of them shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from spark.report.proof import MAX_OF_FINDING, MAX_OF_REPORT, chosen_evidence, with_proof
from spark.tables import Manifest
from spark.tables.store import ResultTables
from tests.builders import given_tables, lifelines_table, other_table, records_table
from tests.spark.whole_pipeline import report_of

DUMP = """{"topic":"orders","partition":0,"offset":4,"tstype":"create","ts":1700000000000,"key":"a","payload":"1"}
{"topic":"orders","partition":0,"offset":7,"tstype":"create","ts":1700000001000,"key":"a","payload":"2"}
{"topic":"orders","partition":0,"offset":9,"tstype":"create","ts":1700000002000,"key":"a","payload":null}
"""


def finding(*evidence: int, **more: Any) -> dict[str, Any]:
    """On orders-0."""
    return {"topic": "orders", "partition": 0, "replica": "", "evidence": list(evidence), **more}


def proven(folder: Path, *findings: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """What becomes of findings on three records of one key."""
    (folder / "input").mkdir()
    (folder / "input" / "orders.json").write_text(DUMP)
    report_of(folder / "input", folder / "results")
    with ResultTables.open(Manifest.load(folder / "results")) as tables:
        return [one["proof"] for one in with_proof({"findings": list(findings)}, tables)["findings"]]


def test_each_record_says_what_it_does_in_the_order_of_the_evidence(tmp_path: Path) -> None:
    ((tombstone, first, second),) = proven(tmp_path, finding(9, 4, 7))
    assert (tombstone["offset"], tombstone["shows"]) == (9, "deletes its key (was offset 7)")
    assert first["shows"] == "first record of its key in this dump; superseded by offset 7"
    assert second["shows"] == "supersedes offset 4; superseded by offset 9"
    assert {"kind": "offset", "text": "4"} in second["typed"]["shows"][0]["segments"]


def test_an_offset_without_a_record_says_why_as_far_as_it_is_known(tmp_path: Path) -> None:
    ((in_gap, beyond),) = proven(tmp_path, finding(5, 900))
    assert not in_gap["in_input"]
    assert in_gap["shows"].startswith("not in this dump: ")
    assert beyond["shows"] == "not in this dump"


def test_without_a_partition_or_offsets_there_is_nothing_to_show(tmp_path: Path) -> None:
    assert proven(tmp_path, finding(4, partition=None), finding()) == [[], []]


def test_a_report_shows_no_more_than_its_worst_findings_need() -> None:
    many = [finding(*range(MAX_OF_FINDING + 5)) for _ in range(MAX_OF_REPORT // MAX_OF_FINDING + 2)]
    chosen = [len(offsets) for _, offsets in chosen_evidence(many)]
    assert chosen[0] == MAX_OF_FINDING
    assert sum(chosen) == MAX_OF_REPORT
    assert chosen[-1] == 0


def of_replicas(*replicas: str, **later: int) -> ResultTables:
    """Records at offsets 4 and 7 of one key in each replica; `later`: offset after 4, by replica."""
    keys = {"key": b"k"}
    pairs = [(name, later.get(name, 7)) for name in replicas]
    return given_tables(
        {
            "runs": other_table("runs", *({"replica": name} for name, _ in pairs)),
            "records": records_table(
                *({"replica": name, "offset": at} for name, last in pairs for at in (4, last)), **keys
            ),
            "lifelines": lifelines_table(
                *(
                    row
                    for name, last in pairs
                    for row in (
                        {"replica": name, "offset": 4, "superseded_by": last},
                        {"replica": name, "offset": last, "previous_offset": 4},
                    )
                ),
                **keys,
            ),
        }
    )


def of_all_replicas(*evidence: int) -> dict[str, Any]:
    return {"topic": "journal", "partition": 0, "replica": "", "evidence": list(evidence)}


def test_records_of_a_finding_about_all_replicas_are_those_of_each() -> None:
    tables = of_replicas("broker-1", "broker-2", **{"broker-2": 8})
    ((first, second),) = (
        one["proof"] for one in with_proof({"findings": [of_all_replicas(4, 8)]}, tables)["findings"]
    )
    assert first["in_input"]
    assert first["shows"] == (
        "Replica broker-1: first record of its key in this replica; superseded by offset 7. "
        "Replica broker-2: first record of its key in this replica; superseded by offset 8"
    )
    assert second["in_input"]
    assert second["shows"] == "Replica broker-1: not in this replica. Replica broker-2: supersedes offset 4"


def test_what_all_replicas_show_is_said_once() -> None:
    tables = of_replicas("broker-1", "broker-2")
    ((record,),) = (
        one["proof"] for one in with_proof({"findings": [of_all_replicas(7)]}, tables)["findings"]
    )
    assert (record["in_input"], record["shows"]) == (True, "supersedes offset 4")


def test_missing_offsets_between_two_records_of_a_key_are_named_where_records_of_any_key_may_be_lost() -> (
    None
):
    key = {"key": b"k"}
    lines = lifelines_table({"offset": 4, "superseded_by": 9}, {"offset": 9, "previous_offset": 4}, **key)
    shows = {}
    for cause in ("unexplained", "compaction"):
        gap = {"first_offset": 5, "last_offset": 8, "cause": cause}
        tables = given_tables(
            {
                "records": records_table({"offset": 4}, {"offset": 9}, **key),
                "lifelines": lines,
                "gaps": other_table("gaps", gap, {**gap, "first_offset": 20, "last_offset": 22}),
            }
        )
        proof = with_proof({"findings": [of_all_replicas(4, 9)]}, tables)["findings"][0]["proof"]
        shows[cause] = [one["shows"] for one in proof]
    words = "(offsets 5-8 between them are missing)"
    assert shows["unexplained"] == [
        f"first record of its key in this dump; superseded by offset 9 {words}",
        f"supersedes offset 4 {words}",
    ]
    assert not any("missing" in text for text in shows["compaction"])
