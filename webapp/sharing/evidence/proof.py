"""The records that prove the findings, whole, as JSON: bytes as text, or base64 where they are not UTF-8."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from spark.tables.replica import PartitionReplica
from webapp.reports.report import Report
from webapp.reports.results import WHERE_REPLICA, Results
from webapp.sharing.exports.cells import render, render_headers

PROOF_PER_FINDING = 100
PROOF_IN_ALL = 5_000
MAX_BYTES = 1024**2  # of one value
RECORDS = f"""
SELECT r."offset", r.file, r.batch_position, r.timestamp_ms, r.timestamp_type, r.key_is_null, r."key", r.value_is_null,
       r.key_size_bytes, r.value_size_bytes, CASE WHEN octet_length(r."value") <= {MAX_BYTES} THEN r."value" END AS "value",
       r.headers, r.control_type, r.producer_id, r.producer_epoch, r.sequence, r.entry_type, r.entry_action
FROM records AS r WHERE {WHERE_REPLICA} AND "offset" IN (SELECT unnest($offsets))
ORDER BY r."offset", r.file, r.batch_position
"""
AS_THEY_ARE = (
    "offset", "file", "batch_position", "timestamp_ms", "timestamp_type", "control_type", "producer_id",
    "producer_epoch", "sequence", "entry_type", "entry_action",
)  # fmt: skip


def proof_records(
    results: Results, report: Report, replicas: Collection[PartitionReplica], hidden: Collection[str]
) -> dict[str, Any]:
    """The first records that prove each finding; what is left out is counted."""
    told_by = proof_by_replica(report, replicas)
    records = [
        _document(replica, row, proves[row["offset"]], hidden)
        for replica, proves in told_by.items()
        if proves
        for row in results.of(replica).rows(RECORDS, {"offsets": sorted(proves)})
    ]
    return {
        "limits": {
            "records_per_finding": PROOF_PER_FINDING,
            "records": PROOF_IN_ALL,
            "value_bytes": MAX_BYTES,
            "findings_with_more": [
                finding.id for finding in report.findings if len(finding.evidence) > PROOF_PER_FINDING
            ],
        },
        "records": records,
    }


def proof_by_replica(
    report: Report, replicas: Collection[PartitionReplica]
) -> dict[PartitionReplica, dict[int, list[str]]]:
    """By partition and offset, the ids of the findings that a record proves."""
    proof: dict[PartitionReplica, dict[int, list[str]]] = {replica: {} for replica in replicas}
    taken = 0
    for finding in sorted(report.findings, key=lambda finding: finding.rank):
        offsets = finding.evidence[: min(PROOF_PER_FINDING, PROOF_IN_ALL - taken)]
        taken += len(offsets)
        for replica in replicas:
            if finding.is_about(replica):
                for offset in offsets:
                    proof[replica].setdefault(offset, []).append(finding.id)
    return proof


def _document(
    replica: PartitionReplica, row: dict[str, Any], proves: list[str], hidden: Collection[str]
) -> dict[str, Any]:
    document: dict[str, Any] = {
        "topic": replica.topic,
        "partition": replica.partition,
        "replica": replica.replica,
        "proves": proves,
        **{name: row[name] for name in AS_THEY_ARE},
    }
    for name in ("key", "value"):
        document |= _part(row, name, name in hidden)
    headers, encoding = render_headers(row["headers"])
    return document | {"headers": headers, "headers_encoding": encoding}


def _part(row: dict[str, Any], name: str, is_hidden: bool) -> dict[str, Any]:
    """Key or value: null, text or base64, or why it is not here."""
    is_null, size = row[f"{name}_is_null"], row[f"{name}_size_bytes"]
    data = row[name] or (b"" if not size else None)
    text, encoding = render(None if is_null else data)
    entry = {name: text, f"{name}_encoding": encoding, f"{name}_is_null": is_null, f"{name}_size_bytes": size}
    if is_hidden and not is_null:
        entry[f"{name}_is_hidden"] = True
    elif text is None and not is_null:
        entry[f"{name}_left_out"] = "too large for a bundle"
    return entry
