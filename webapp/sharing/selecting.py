"""Rows of a scope: selected by key, offset, filter or proof, with the tables that belong to them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from spark.redaction.selection import BY_RECORD, KEPT, Selection
from spark.tables.replica import PartitionReplica
from spark.terms.wording import plural
from webapp.reports.filters.former import FORMER, FORMER_OF_KEYS, read_filter
from webapp.reports.filters.reading import FilterError
from webapp.reports.page import reader_use
from webapp.reports.paging import whole_number
from webapp.reports.queries.isolation import IsolationView, seen_by
from webapp.reports.queries.keys import AMONG_MATCHES, hashes_of
from webapp.reports.queries.partitions import Facts, survey
from webapp.reports.queries.records import whole_filter
from webapp.reports.report import Report, ReportFinding, read_report
from webapp.reports.results import WHERE_REPLICA, PartitionResults, Results
from webapp.reports.typed_text import blocks_of, named_offsets
from webapp.sharing.scopes import Scope, shared_tabs

Offsets = NDArray[np.int64]  # in order, each once
OFFSETS = f'SELECT DISTINCT "offset" FROM {{table}} WHERE {WHERE_REPLICA} AND ({{condition}})'


def selection_of(scope: Scope, results: Results) -> Selection | None:
    """Rows of the scope; None if the report does not contain the key, record or finding."""
    report = read_report(results.document)
    if scope.what == "report":
        return Selection()
    if scope.what in ("incident", "finding"):
        return _of_finding(scope, results, report)
    replica = scope.replica or PartitionReplica("?", 0)
    if scope.what == "tab":
        return _of_tab(scope, results, report, replica)
    condition, values = _condition(scope)
    offsets = _offsets(results.of(replica), condition, values)
    if not len(offsets):
        return None
    sentence = f"This link contains one record: offset {offsets[0]}."
    if scope.what == "key":
        sentence = f"This link contains one key with its {plural(len(offsets), 'record')}."
    return Selection((_names(replica),), records_table({replica: offsets}), BY_RECORD, frozenset(), sentence)


def _condition(scope: Scope) -> tuple[str, dict[str, Any]]:
    if scope.what == "record":
        return '"offset" = $at', {"at": int(scope.of)}
    first, second = hashes_of(scope.of)
    return "key_hash_1 = $first AND key_hash_2 = $second", {"first": first, "second": second}


def _of_finding(scope: Scope, results: Results, report: Report) -> Selection | None:
    """The finding, or all of an incident, what followed from it, and the records that prove them or that their sentences name."""
    roots = _roots(scope, report)
    if not roots:
        return None
    findings = [finding for root in roots for finding in (root, *root.all_consequences())]
    of_incident = _offsets_of_incident(scope, report)
    contained: dict[PartitionReplica, Offsets] = {}
    for replica in survey(results).replicas:
        about = [finding for finding in findings if finding.is_about(replica)]
        if not about and not any(root.is_about(replica) for root in roots):
            continue
        named = of_incident.union(*(_offsets_of(finding) for finding in about))
        values = {"named": sorted(named)}
        contained[replica] = _offsets(results.of(replica), '"offset" IN (SELECT unnest($named))', values)
    records = len({offset for offsets in contained.values() for offset in offsets.tolist()})
    named_records = f" and the {'record' if records == 1 else plural(records, 'record')} that it names"
    return Selection(
        tuple(_names(replica) for replica in contained),
        records_table(contained),
        BY_RECORD | {"gaps", "damage"},
        frozenset(finding.id for finding in findings),
        f"This link contains one {scope.what}{named_records if records else ''}.",
        roots[0].severity,
    )


def _offsets_of(finding: ReportFinding) -> set[int]:
    """Offsets that prove the finding, and those in its sentences: each is a link to its record."""
    return set(finding.evidence).union(*(named_offsets(blocks) for blocks in finding.blocks.values()))


def _offsets_of_incident(scope: Scope, report: Report) -> set[int]:
    """Offsets in the headline and the plan of an incident."""
    offsets: set[int] = set()
    for incident in report.document.get("incidents", []):
        if scope.what == "incident" and incident["id"] == scope.of:
            offsets |= named_offsets(blocks_of(incident, "title"))
            offsets = offsets.union(
                *(named_offsets(blocks_of(step, "step")) for step in incident.get("plan") or ())
            )
    return offsets


def _roots(scope: Scope, report: Report) -> list[ReportFinding]:
    """The finding with this id, or the findings of the incident, worst first."""
    by_id = {finding.id: finding for finding in report.findings}
    if scope.what == "finding":
        return [by_id[scope.of]] if scope.of in by_id else []
    incidents = {incident["id"]: incident["findings"] for incident in report.document.get("incidents", [])}
    return [by_id[name] for name in incidents.get(scope.of, []) if name in by_id]


def _of_tab(scope: Scope, results: Results, report: Report, replica: PartitionReplica) -> Selection:
    """Rows of the partition that match the filters in the address."""
    tables = shared_tabs()[scope.of].tables
    is_log = "records" not in tables
    replicas = (
        tuple(_names(replica) for replica in survey(results).replicas)
        if scope.of == "report-files"
        else (_names(replica),)
    )
    if is_log or not _is_filtered(scope):
        about = frozenset(finding.id for finding in report.findings if finding.is_about(replica))
        records = results.of(replica).value(f"SELECT count(*) FROM lifelines WHERE {WHERE_REPLICA}")
        sentence = (
            "This link contains one page of the report."
            if is_log
            else f"This link contains one page of the report, with {plural(records, 'record')}."
        )
        return Selection(replicas, None, tables, about, sentence, is_log_told=is_log)
    offsets = _offsets_of_tab(scope, results.of(replica))
    about = frozenset(
        finding.id
        for finding in report.findings
        if finding.is_about(replica) and finding.evidence and np.isin(finding.evidence, offsets).all()
    )
    sentence = f"This link contains the {plural(len(offsets), 'record')} that its sender selected."
    return Selection(replicas, records_table({replica: offsets}), tables, about, sentence)


def _is_filtered(scope: Scope) -> bool:
    of_tab = {
        "report-timeline": ("from", "to"),
        "report-keys": ("filter", *FORMER_OF_KEYS),
        "report-records": ("filter", *FORMER),
    }.get(scope.of, ())
    return any(scope.query.get(name) for name in (*of_tab, "isolation", "cleaned"))


def _offsets_of_tab(scope: Scope, partition: PartitionResults) -> Offsets:
    query = scope.query
    if reader_use(scope.of):
        partition = seen_by(IsolationView.of(query), partition)
    if scope.of == "report-timeline":
        column = "timestamp_ms" if query.get("x") == "time" else '"offset"'
        low, high = whole_number(query.get("from")), whole_number(query.get("to"))
        values = {"low": -(2**63) if low is None else low, "high": 2**63 - 1 if high is None else high}
        return _offsets(partition, f"{column} BETWEEN $low AND $high", values)
    try:
        records = read_filter(query)
    except FilterError:
        return np.empty(0, np.int64)  # a filter that cannot be read selects nothing
    facts = survey(partition.results).facts.get(partition.replica) or Facts()
    fitting = whole_filter(partition, records, facts.bounds)
    if scope.of == "report-keys" and not fitting.is_all:
        return _offsets(partition, fitting.of(AMONG_MATCHES), fitting.values)
    return _offsets(partition, fitting.condition, fitting.values, fitting.table)


def _offsets(
    partition: PartitionResults, condition: str, values: dict[str, Any], table: str = "lifelines"
) -> Offsets:
    sql = OFFSETS.replace("{table}", table).replace("{condition}", condition) + ' ORDER BY "offset"'
    return np.asarray(partition.columns(sql, values)["offset"], np.int64)


def records_table(offsets: Mapping[PartitionReplica, Any]) -> pa.Table:
    """A table with the schema KEPT."""
    parts = [
        pa.table(
            [
                pa.repeat(pa.scalar(replica.topic, pa.string()), len(of)),
                pa.repeat(pa.scalar(replica.partition, pa.int32()), len(of)),
                pa.repeat(pa.scalar(replica.replica, pa.string()), len(of)),
                pa.array(
                    np.unique(np.asarray(list(of) if isinstance(of, set) else of, np.int64)), pa.int64()
                ),
            ],
            schema=KEPT,
        )
        for replica, of in offsets.items()
    ]
    return pa.concat_tables(parts) if parts else KEPT.empty_table()


def replica_with(finding: ReportFinding, results: Results) -> PartitionReplica | None:
    return next((replica for replica in survey(results).replicas if finding.is_about(replica)), None)


def _names(replica: PartitionReplica) -> tuple[str, int, str]:
    return replica.topic, replica.partition, replica.replica
