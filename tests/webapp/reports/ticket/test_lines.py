"""Lines of a ticket: victims of a partition, all offsets of a cause, what a repair recovers, nothing that is hidden."""

from __future__ import annotations

from typing import Any

from spark.redaction.typed_texts import HIDDEN
from spark.terms import marked
from tests.webapp.reports.result_folder import finding, report_document
from webapp.reports.repair.origins import OriginDump, Origins
from webapp.reports.repair.plan import RepairPlan
from webapp.reports.report import Report, read_report
from webapp.reports.ticket import LINES, plain, ticket_text

LINK = "https://journals.example.org/r"
PASSED = RepairPlan("Tested", "healthy", "", "/repair", is_tested=True, recovered=4, total=4, steps=7)
HALF = RepairPlan("Tested", "high", "", "/repair", recovered=2, total=4)
OLDER = Origins([OriginDump("mixed-older", "/older")], ["a.json"])


def incident(*findings: dict[str, Any], **victim: str) -> Report:
    victims = [
        {"finding": findings[0]["id"], "kind": "unreadable", "entity_type": "partition", "when": "already"}
        | {"entity_id": "journal-0", "whom": "consumers"}
        | victim
    ]
    document = {
        "id": "i",
        "title": "All of them",
        "findings": [each["id"] for each in findings],
        "victims": victims,
    }
    return read_report(report_document(findings=list(findings), incidents=[document]))


def text_of(report: Report, repair: RepairPlan | None = None) -> str:
    text = ticket_text(report, LINK, plain, repair=repair)
    assert len(text.splitlines()) <= LINES
    return text


def test_victims_of_a_partition_are_named_with_the_replica() -> None:
    assert "Victims: consumers of journal-0 (replica broker-1)\n" in text_of(
        incident(finding("a", replica="broker-1"))
    )
    assert "Victims: journal-0\n" in text_of(incident(finding("a"), kind="at_risk"))


def test_values_that_were_lost_are_named_beside_the_partition() -> None:
    report = incident(finding("a", replica="broker-1"), kind="revived", whom="read_committed")
    report.document["incidents"][0]["victims"].append(
        {
            "finding": "a",
            "kind": "lost",
            "entity_type": "value",
            "when": "already",
            "entity_id": "b/1",
            "whom": "consumers",
        }
    )
    victims = "read_committed consumers of journal-0 (replica broker-1) and value of key b at offset 1"
    assert f"Victims: {victims}\n" in text_of(report)


def test_a_cause_names_the_offsets_of_its_other_findings() -> None:
    rows = [
        finding(name, first_offset=at, last_offset=at) for name, at in zip("abc", (10, 7, 8), strict=True)
    ]
    other = finding("d", first_offset=9, last_offset=9, detector="dangling-content-hash")
    assert "The same applies to offsets 7 and 8.\n" in text_of(incident(*rows, other))
    wide = finding("b", first_offset=4, last_offset=6)
    assert "The same applies" not in text_of(incident(finding("a"), wide, other))


def test_a_sentence_with_something_hidden_is_left_out_where_another_remains() -> None:
    hidden, shown = f"It stores {marked.quote(HIDDEN)}.", "A bit of the batch changed."
    assert f"Cause: {shown}\n" in text_of(incident(finding("a", explanation=f"{hidden} {shown}")))
    assert f"Cause: {shown} Consumers stop.\n" in text_of(
        incident(finding("a", explanation=f"{shown} {hidden} Consumers stop."))
    )
    assert f"Cause: {hidden.replace(marked.quote(HIDDEN), HIDDEN)}\n" in text_of(
        incident(finding("a", explanation=hidden))
    )


def test_what_a_repair_recovers_is_said_once_with_its_sources() -> None:
    report = incident(finding("a"))
    tested = text_of(report, RepairPlan(**{**vars(PASSED), "origins": OLDER}))
    assert "(trial passed: 4 of 4 versions)" in tested
    assert "Recoverable: 4 of 4 versions, from the dump mixed-older and the file a.json." in tested
    assert "Recoverable" not in text_of(report, PASSED), "a link has no names of other dumps"
    sets = ["global rule VALIDITY from FULL back to NONE"]
    corrected = text_of(report, RepairPlan(**{**vars(PASSED), "corrections": 1, "corrected": sets}))
    assert "1 correction). It also sets global rule VALIDITY from FULL back to NONE.\n" in corrected
    half = text_of(report, HALF)
    assert "Repair: The trial is not complete. Recoverable: 2 of 4 versions.\n" in half


def test_few_victims_are_all_named() -> None:
    def of(names: str) -> str:
        report = incident(finding("a"), kind="lost", entity_type="version")
        (document,) = report.document["incidents"]
        (row,) = document["victims"]
        document["victims"] = [{**row, "entity_id": f"pay/{name}/1"} for name in names]
        return text_of(report)

    assert "pay/d version 1 and pay/e version 1)" in of("abcde")
    assert "pay/e version 1 and 1 more)" in of("abcdef")


def test_without_a_link_all_steps_are_there() -> None:
    remedy = "\n".join(f"{number}. Step {number}." for number in range(1, 7))
    report = incident(finding("a", remedy=remedy))
    assert "Report with 3 more steps (" in text_of(report)
    *_, last = ticket_text(report, "", plain).splitlines()
    assert last == "6. Step 6."


def test_evidence_without_a_record_is_called_missing() -> None:
    def proof_of(*absent: int) -> str:
        proof = [{"offset": at, "in_input": at not in absent, "shows": ""} for at in (1, 6, 7)]
        text = text_of(incident(finding("a", evidence=[1, 6, 7], proof=proof)))
        return next(line for line in text.splitlines() if "Proof" in line).removeprefix("- ")

    assert proof_of() == "Proof: offsets 1, 6 and 7 of journal-0"
    assert proof_of(1, 7) == "Proof: offset 6 of journal-0; missing: offsets 1 and 7"
    assert proof_of(1, 6, 7) == "Proof: offsets 1, 6 and 7 of journal-0 are missing"
