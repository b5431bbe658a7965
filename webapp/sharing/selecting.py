"""The rows that a scope means: records by key, offset, filter or proof, and the tables that come along."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from spark.redaction.selection import BY_RECORD, KEPT, Selection
from webapp.reports.queries.isolation import IsolationView, restrictions, view_options
from webapp.reports.queries.keys import KEY_TEXT, KeysAsked, hashes_of
from webapp.reports.queries.keys import condition_of as keys_condition
from webapp.reports.queries.partitions import survey
from webapp.reports.queries.records import RecordsAsked
from webapp.reports.queries.records import condition_of as records_condition
from webapp.reports.report import Report, ReportFinding, read_report
from webapp.reports.results import WHERE_REPLICA, PartitionReplica, Results
from webapp.reports.views.page import READERS, whole_number
from webapp.reports.views.records import asked_of as records_asked
from webapp.sharing.scopes import TABLES_OF_TABS, Scope

Offsets = NDArray[np.int64]  # in order, each once
OFFSETS = f'SELECT DISTINCT "offset" FROM lifelines WHERE {WHERE_REPLICA} AND ({{condition}})'


def selection_of(scope: Scope, results: Results) -> Selection | None:
    """The rows that the scope means; None when there is no such key, record or finding."""
    report = read_report(results.document)
    if scope.what == "report":
        return Selection()
    if scope.what in ("incident", "finding"):
        return _of_finding(scope, results, report)
    replica = scope.place or PartitionReplica("?", 0)
    if scope.what == "tab":
        return _of_tab(scope, results, report, replica)
    condition, values = _condition(scope)
    offsets = _offsets(results, replica, condition, values)
    if not len(offsets):
        return None
    sentence = f"This link contains one record: offset {offsets[0]}."
    if scope.what == "key":
        sentence = f"This link contains one key with its {_records(len(offsets))}."
    return Selection((_told(replica),), kept({replica: offsets}), BY_RECORD, frozenset(), sentence)


def _condition(scope: Scope) -> tuple[str, dict[str, Any]]:
    if scope.what == "record":
        return '"offset" = $at', {"at": int(scope.of)}
    first, second = hashes_of(scope.of)
    return "key_hash_1 = $first AND key_hash_2 = $second", {"first": first, "second": second}


def _of_finding(scope: Scope, results: Results, report: Report) -> Selection | None:
    """The finding, or all of an incident, what followed from it, and the records that prove them."""
    roots = _roots(scope, report)
    if not roots:
        return None
    told = [one for root in roots for one in (root, *root.all_consequences())]
    proof: dict[PartitionReplica, set[int]] = {}
    for replica in survey(results).places:
        offsets = {offset for one in told if one.is_about(replica) for offset in one.evidence}
        if offsets or any(root.is_about(replica) for root in roots):
            proof[replica] = offsets
    records = len(set().union(*proof.values())) if proof else 0
    prove = "the record that proves it" if records == 1 else f"the {_records(records)} that prove it"
    return Selection(
        tuple(_told(replica) for replica in proof),
        kept(proof),
        BY_RECORD | {"gaps", "damage"},
        frozenset(one.id for one in told),
        f"This link contains one {scope.what} and {prove}.",
        roots[0].severity,
    )


def _roots(scope: Scope, report: Report) -> list[ReportFinding]:
    """The finding with this id; of an incident its findings, the worst first."""
    by_id = {one.id: one for one in report.findings}
    if scope.what == "finding":
        return [by_id[scope.of]] if scope.of in by_id else []
    incidents = {one["id"]: one["findings"] for one in report.document.get("incidents", [])}
    return [by_id[name] for name in incidents.get(scope.of, []) if name in by_id]


def _of_tab(scope: Scope, results: Results, report: Report, replica: PartitionReplica) -> Selection:
    """The partition's rows that fit the filters of the address."""
    tables = TABLES_OF_TABS[scope.of]
    is_log = "records" not in tables
    replicas = (
        tuple(_told(one) for one in survey(results).places)
        if scope.of == "report-files"
        else (_told(replica),)
    )
    if is_log or not _is_filtered(scope):
        about = frozenset(one.id for one in report.findings if one.is_about(replica))
        records = results.row(f"SELECT count(*) AS n FROM lifelines WHERE {WHERE_REPLICA}", replica=replica)
        sentence = (
            "This link contains one page of the report."
            if is_log
            else f"This link contains one page of the report, with {_records(records['n'] if records else 0)}."
        )
        return Selection(replicas, None, tables, about, sentence, is_log_told=is_log)
    offsets = _offsets_of_tab(scope, results, replica)
    about = frozenset(
        one.id
        for one in report.findings
        if one.is_about(replica) and one.evidence and np.isin(one.evidence, offsets).all()
    )
    sentence = f"This link contains the {_records(len(offsets))} that its sender selected."
    return Selection(replicas, kept({replica: offsets}), tables, about, sentence)


def _is_filtered(scope: Scope) -> bool:
    of_tab = {
        "report-timeline": ("from", "to"),
        "report-keys": ("q", "key", "type", "only"),
        "report-records": ("first", "last", "since", "until", "type", "kind", "key", "value"),
    }.get(scope.of, ())
    return any(scope.query.get(name) for name in (*of_tab, "isolation", "cleaned"))


def _offsets_of_tab(scope: Scope, results: Results, replica: PartitionReplica) -> Offsets:
    query = scope.query
    if scope.of in READERS:
        reader = IsolationView(query.get("isolation") == "read_committed", query.get("cleaned") == "1")
        parts = restrictions(reader, view_options(results, replica))
        results = results.restricted(parts) if parts else results
    if scope.of == "report-timeline":
        column = "timestamp_ms" if query.get("x") == "time" else '"offset"'
        low, high = whole_number(query.get("from")), whole_number(query.get("to"))
        values = {"low": -(2**63) if low is None else low, "high": 2**63 - 1 if high is None else high}
        return _offsets(results, replica, f"{column} BETWEEN $low AND $high", values)
    if scope.of == "report-keys":
        asked = KeysAsked(
            query.get("q") or query.get("key", ""), query.get("type", ""), query.get("only", "")
        )
        condition, values = keys_condition(asked)
        inside = f"SELECT key_hash_1, key_hash_2 FROM keys WHERE {WHERE_REPLICA} AND {condition}"
        return _offsets(results, replica, f"(key_hash_1, key_hash_2) IN ({inside})", values)
    return _offsets_of_records(records_asked(query), results, replica)


def _offsets_of_records(asked: RecordsAsked, results: Results, replica: PartitionReplica) -> Offsets:
    condition, values = records_condition(asked)
    if asked.value:
        text = KEY_TEXT.replace('"key"', '"value"')
        inside = f'SELECT "offset" FROM records WHERE {WHERE_REPLICA} AND contains({text}, $value)'
        condition, values = f'{condition} AND "offset" IN ({inside})', values | {"value": asked.value}
    return _offsets(results, replica, condition, values)


def _offsets(results: Results, replica: PartitionReplica, condition: str, values: dict[str, Any]) -> Offsets:
    sql = OFFSETS.replace("{condition}", condition) + ' ORDER BY "offset"'
    return np.asarray(results.columns(sql, values, replica)["offset"], np.int64)


def kept(offsets: Mapping[PartitionReplica, Any]) -> pa.Table:
    """Rows of KEPT."""
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


def place_of(finding: ReportFinding, results: Results) -> PartitionReplica | None:
    """A partition that a finding is about."""
    return next((replica for replica in survey(results).places if finding.is_about(replica)), None)


def _told(replica: PartitionReplica) -> tuple[str, int, str]:
    return replica.topic, replica.partition, replica.replica


def _records(count: int) -> str:
    return f"{count:,} record{'' if count == 1 else 's'}"
