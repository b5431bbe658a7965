"""The line of proof in a ticket: offsets with a record, and those without."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from spark.terms.wording import at_offsets, offset_range
from webapp.reports.report import Report, ReportFinding

EVIDENCE_IN_TICKET = 8


def absent_from(report: Report, causes: Sequence[ReportFinding]) -> set[int]:
    """Offsets of the evidence without a record in the input."""
    ids = {cause.id for cause in causes}
    proofs = [
        proof
        for finding in report.document.get("findings", [])
        if finding["id"] in ids
        for proof in finding.get("proof") or []
    ]
    present = {proof["offset"] for proof in proofs if proof["in_input"]}
    return {proof["offset"] for proof in proofs} - present


def proof_of(
    evidence: Sequence[int],
    absent: Collection[int],
    partition: str,
    whole: tuple[int | None, int | None] = (None, None),
) -> str:
    """`offset 6 of ledger-0; missing: offsets 1 and 7`. `whole`: first and last offset of the finding, which its evidence may be."""
    present = [offset for offset in evidence if offset not in absent]
    missing = [offset for offset in evidence if offset in absent]
    first, last = whole
    if not present and first is not None and tuple(missing) == whole:
        return f"{offset_range(first, last)} of {partition} are missing"
    if not present:
        return f"{at_offsets(missing, EVIDENCE_IN_TICKET)} of {partition} {'is' if len(missing) == 1 else 'are'} missing"
    rest = f"; missing: {at_offsets(missing, EVIDENCE_IN_TICKET)}" if missing else ""
    most = len(present) if len(present) == EVIDENCE_IN_TICKET + 1 else EVIDENCE_IN_TICKET
    return f"{at_offsets(present, most)} of {partition}{rest}"
