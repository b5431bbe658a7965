"""One record: as a fragment for the drawer, as a page of its own without scripts, and its raw bytes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.http import Http404, HttpResponse

from spark.tables.evidence import within
from spark.terms.rejections import REJECTIONS
from webapp.reports.older_dump import Predecessor, predecessors_elsewhere, record_elsewhere
from webapp.reports.page import Page, report_page
from webapp.reports.pages import NAME, POSITION, ReportAddress, ReportPage
from webapp.reports.paging import whole_number
from webapp.reports.queries.entity import what_a_record_did
from webapp.reports.queries.file_order import file_order_lines
from webapp.reports.queries.gaps import gap_at
from webapp.reports.queries.kinds import kind_word, kinds_at
from webapp.reports.queries.record import (
    WholeRecord,
    lacks_earlier,
    read_bytes,
    read_neighbours,
    read_record,
)
from webapp.reports.queries.transactions import LOST_ABORT, UNKNOWN
from webapp.reports.record_table.whole import transactional_ids
from webapp.reports.repair.needs import with_needs
from webapp.reports.repair.plan import texts_elsewhere
from webapp.reports.values.attributes import MemberChange, Pairs, changes, pairs
from webapp.reports.values.bytes_text import HEX_BYTES, RenderedValue, hex_rows, one_line, read
from webapp.reports.values.control_records import ENDS, control_word, marker_words, what_it_ends
from webapp.reports.values.decoded_values import read_framed

PARTS = ("key", "value")
THERE = REJECTIONS["apicurio-v2"]["already-exists"]
IN_TRANSACTION = {
    "committed": "in a committed transaction",
    "aborted": "in an aborted transaction",
    "open": "in an open transaction",
    UNKNOWN: "in a transaction of unknown outcome",
    LOST_ABORT: "in an aborted transaction whose ABORT marker is missing",
}
AROUND = 200  # offsets on each side of the record that the timeline shows
HEADERS_SHOWN = 900  # an export and the API have them all


@report_page
def record(page: Page, offset: int) -> HttpResponse:
    """The record, or why there is none and the nearest ones."""
    whole = read_record(page.partition, offset, _copy(page))
    context = {
        "offset": offset,
        "findings": page.report.findings_at(offset, page.replica),
        "link": page.request.build_absolute_uri(page.url("report-records", record=offset)),
        "within": within(page.replica.replica),
    }
    if whole is None:
        gap = gap_at(page.partition, offset)
        elsewhere = record_elsewhere(page, offset)
        context |= {"gap": gap, "elsewhere": elsewhere, **read_neighbours(page.partition, offset)}
        return page.render(_template(page, "reports/record_missing"), context)
    return page.render(_template(page, "reports/record"), context | _context(page, whole, offset))


@report_page
def record_bytes(page: Page, offset: int, part: str) -> HttpResponse:
    """Key or value exactly as the broker stored it."""
    if part in page.source.hidden:
        raise Http404("This share hides these bytes.")
    data = read_bytes(page.partition, offset, _copy(page), part) if part in PARTS else None
    if data is None:
        raise Http404("No such bytes: the record is missing, or this part of it is null.")
    response = HttpResponse(bytes(data), content_type="application/octet-stream")
    response["Content-Disposition"] = f'attachment; filename="offset-{offset}-{part}.bin"'
    response["X-Content-Type-Options"] = "nosniff"
    return response


def _context(page: Page, whole: WholeRecord, offset: int) -> dict[str, Any]:
    record = whole.record
    parts = [_part(page, whole, offset, name) for name in PARTS]
    kind = kinds_at(page.partition, [offset]).get(offset, "")
    is_first = not record["key_is_null"] and _may_have_predecessor(page, whole, offset)
    before = next(iter(predecessors_elsewhere(page, offset) if is_first else []), None)
    return {
        "kind": kind,
        "may_have_predecessor": is_first,
        "predecessor": before,
        "changed": _changed(before, whole) if before else [],
        "kind_word": kind_word(kind),
        "action": kind_word(record["entry_action"] or ""),
        "whole": whole,
        **_outcome(page, record),
        "record": record,
        "control": _control(page, whole),
        "copies": [
            (number + 1, page.url("report-record", offset, copy=number)) for number in range(whole.copies)
        ],
        "copy": whole.copy + 1,
        "attributes": _attributes(whole),
        "set_by": _set_by(record),
        "is_reordered": bool(file_order_lines(page.partition)),
        "is_only_one": whole.relation
        and whole.relation["previous_offset"] is None
        and whole.relation["superseded_by"] is None,
        "did": _what_it_did(page, offset),
        "refusals": _rejections(page, whole, offset),
        "parts": parts,
        "has_bytes": any(half["hex"] and not half["is_hidden"] for half in parts),
        "headers": _headers(record["headers"]),
        "headers_left_out": max(0, len(record["headers"] or ()) - HEADERS_SHOWN),
        "no_headers_known": record["headers"] is None,
        "key_url": None if record["key_is_null"] or record["control_type"] else page.key_url(record),
        "timeline_url": _timeline_url(page, offset),
    }


def _timeline_url(page: Page, offset: int) -> str:
    """The timeline around the record, within the journal, with the record open."""
    first, last = page.partition.facts.bounds
    around = {"from": max(first, offset - AROUND), "to": min(last, offset + AROUND)}
    return page.url("report-timeline", record=offset, **around)


def _outcome(page: Page, record: dict[str, Any]) -> dict[str, Any]:
    """What became of the record's transaction, and whether an open one hides the record; empty for a control record."""
    if record["control_type"]:
        return {}
    offset, stable_offset = record["offset"], page.options.last_stable_offset
    outcome = page.outcomes([offset]).get(offset, "")
    return {
        "outcome": outcome,
        "is_hidden": stable_offset is not None and offset >= stable_offset,
        "in_transaction": IN_TRANSACTION.get(outcome, "in a transaction"),
    }


def _control(page: Page, whole: WholeRecord) -> dict[str, str]:
    """A control record's name, and what it does; empty for others."""
    control_type = whole.record["control_type"]
    if not control_type:
        return {}
    batch = whole.batch or {}
    producer, epoch = batch.get("producer_id"), batch.get("producer_epoch")
    if producer is None or epoch is None:
        return {"word": control_word(control_type)}
    name = transactional_ids(page.results, [producer]).get(producer, "") if control_type in ENDS else ""
    return {
        "word": control_word(control_type),
        "does": what_it_ends(control_type, producer, epoch, name),
    }


def _set_by(record: dict[str, Any]) -> str:
    """Who set the timestamp. A batch of markers has the type `create`, too, but its time is the coordinator's."""
    if record["timestamp_type"] == "log_append" or record["control_type"] in ENDS:
        return "broker"
    return "producer" if record["timestamp_type"] == "create" and not record["control_type"] else ""


def _may_have_predecessor(page: Page, whole: WholeRecord, offset: int) -> bool:
    """Whether offsets are missing before the first record of a key that does not say itself that it creates something."""
    relation, record = whole.relation, whole.record
    is_first = relation is not None and relation["previous_offset"] is None
    says_it = record["control_type"] or record["entry_action"] in ("create", "restart")
    return is_first and not says_it and lacks_earlier(page.partition, offset)


def _changed(before: Predecessor, whole: WholeRecord) -> list[MemberChange]:
    """Members that the service reads otherwise than in the record before; the entry's action has a line of its own."""
    members = changes(before.attributes, (whole.entry or {}).get("attributes"))
    return [member for member in members if member.name != "action"]


def _attributes(whole: WholeRecord) -> Pairs:
    """What the dialect read; an action's number with its word."""
    read_members = pairs((whole.entry or {}).get("attributes"))
    word = whole.record["entry_action"]
    worded = [
        (name, f"{value} {word}" if name == "action" and word and value.isdigit() else value)
        for name, value in read_members.shown
    ]
    return replace(read_members, shown=worded)


def _part(page: Page, whole: WholeRecord, offset: int, part: str) -> dict[str, Any]:
    data = None if whole.record[f"{part}_is_null"] else bytes(whole.record[part] or b"")
    return {
        "name": part,
        "size_bytes": _shown_size(page, whole.record, part, data),
        "is_null": data is None,
        "is_hidden": part in page.source.hidden,
        "reading": _reading(page, whole, part, data),
        "hex": hex_rows(data),
        "hex_cut": len(data or b"") > HEX_BYTES,
        "hex_bytes": HEX_BYTES,
        "url": None
        if data is None
        else page.url("report-record-bytes", offset, part, copy=whole.copy or None),
    }


def _reading(page: Page, whole: WholeRecord, side: str, data: bytes | None) -> RenderedValue:
    if not page.source.decodes:
        return read(data)
    if side not in page.source.hidden and (words := marker_words(side, whole.record["control_type"], data)):
        return RenderedValue("marker", words)
    return read_framed(page.results, data, whole.entry is not None)


def _shown_size(page: Page, record: dict[str, Any], part: str, data: bytes | None) -> int:
    """Bytes of the part in the journal: a share that hides or masks it holds other bytes."""
    if data is None:
        return 0
    if part in page.source.hidden or not page.source.decodes:
        return int(record[f"{part}_size_bytes"])
    return len(data)


def _what_it_did(page: Page, offset: int) -> list[dict[str, Any]]:
    """Entities that the record creates, changes or deletes, with their pages."""
    return [
        row
        | {
            "word": "ends" if row["is_ended"] and not row["is_set"] else "sets",
            "url": _entity_url(page, row["entity_type"], row["entity_id"]),
        }
        for row in what_a_record_did(page.partition, offset)
    ]


def _rejections(page: Page, whole: WholeRecord, offset: int) -> list[dict[str, Any]]:
    """Why the service rejects the entry, in words, the page of what it is about, and where its text is."""
    attributes = (whole.entry or {}).get("attributes")
    findings = page.report.findings_at(offset, page.replica)
    texts = texts_elsewhere(page, findings) if whole.rejections else {}
    return [
        row
        | {
            "is_there": row["why"] == THERE,
            "url": _entity_url(page, row["entity_type"], row["entity_id"]),
            "text": texts.get(f"{row['entity_type']} {row['entity_id']}") or row["text"],
        }
        for row in with_needs(page, whole.rejections, {offset: attributes}, texts)
    ]


def _entity_url(page: Page, entity_type: str | None, entity_id: str | None) -> str:
    return page.url("report-entity", type=entity_type, id=entity_id)


def _headers(headers: list[dict[str, Any]] | None) -> list[tuple[str, str]]:
    return [
        (one_line(header["key"]), one_line(header["value"], 400))
        for header in (headers or [])[:HEADERS_SHOWN]
    ]


def _copy(page: Page) -> int:
    return max(0, whole_number(page.request.GET.get("copy")) or 0)


def _template(page: Page, name: str) -> str:
    """The bare fragment for the drawer; with the page's frame for everybody else."""
    is_drawer = page.request.headers.get("HX-Request") == "true"
    return f"{name}.html" if is_drawer else f"{name}_page.html"


page = ReportPage(
    name="report-record",
    path="records/<offset:offset>/",
    view=record,
    tab="report-records",
    filters={"offset": POSITION, "copy": POSITION},
    read_as="record.read",
    shared=True,
    further=(
        ReportAddress(
            "report-record-bytes",
            "records/<offset:offset>/<str:part>.bin",
            record_bytes,
            filters={"offset": POSITION, "part": NAME, "copy": POSITION},
            read_as="record.downloaded",
            shared=True,
        ),
    ),
)
