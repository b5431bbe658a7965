"""Rows of the profile page: words, shares, and the addresses of records, keys and schemas."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

from spark.tables.replica import PartitionReplica
from webapp.reports.page import Page
from webapp.reports.queries.profile import RECORDS_PER_KEY, TopicProfile
from webapp.reports.record_table.keys import rows_of_keys
from webapp.reports.results import Rows

Replicas = dict[int, PartitionReplica]

ONE_PARTITION = "partition"  # of the parameter `of`; else all partitions of the topic
TYPES_LISTED = 30  # of entries: a journal can name some that no code knows
PARTITIONS_LISTED = 40  # of more, those with most records
NO_TYPES = {"Record", "Control marker"}  # lanes of records that no service reads
RECORDS_PER_ID = 3  # on average; fewer: numbers that only look framed give nearly each record an ID
# How sentences of `files.cannot_tell` begin (LACKS of spark/sources); a test holds both together.
LACKS = {
    "batches": "record batches",
    "producers": "producer IDs",
    "timestamps": "record timestamps",
    "headers": "record headers",
    "contents": "keys and values",
    "key": "record keys",
    "offset": "record offsets",
    "partition": "the partition number",
    "exact_bytes": "exact bytes",
    "nulls": "difference between null",
}
FORMS = {
    "typed_json": "type byte and JSON",
    "typed_content": "type byte and content",
    "kafka_fields": "Kafka's own binary form",
    "window_key": "store's key and times of a window",
    "join_key": "time, side and store's key",
    "join_values": "list of values with their side",
    "buffered_result": "result in a suppress buffer",
    "framed": "data with a schema ID",
    "object": "JSON object",
    "array": "JSON array",
    "string": "JSON string",
    "encoded_object": "JSON string that contains a JSON object",
    "scalar": "JSON number or boolean",
    "null_text": "the text null",
    "connect_null": "null as Kafka Connect writes it in JSON",
    "text": "text",
    "binary": "binary data",
    "empty": "empty (0 bytes)",
    "null": "null",
}


def form_rows(facts: TopicProfile, replicas: Replicas) -> list[dict[str, Any]]:
    """A row for each form that keys or values have, those of most values first."""
    counts = {side: {row["form"]: row for row in rows} for side, rows in facts.forms.items()}
    records = facts.totals.get("records", 0)

    def cell(side: str, form: str) -> dict[str, Any] | None:
        row = counts[side].get(form)
        return row and placed(row, replicas) | shares(row["records"], records)

    rows = [
        {"form": form, "words": words, "key": cell("key", form), "value": cell("value", form)}
        for form, words in FORMS.items()
    ]
    met = [row for row in rows if row["key"] or row["value"]]
    return sorted(met, key=lambda row: [-(row[side] or {}).get("records", 0) for side in ("value", "key")])


def schema_rows(page: Page, facts: TopicProfile, replicas: Replicas) -> list[dict[str, Any]]:
    """Schema IDs of keys and values, each version with the address of its entity."""
    rows = []
    for side, ids in facts.schema_ids.items():
        for row in ids:
            versions = [version | {"url": entity_url(page, version)} for version in row["versions"]]
            kinds = {version["kind"] for version in versions}
            more = versions[0]["all_names"] - len(versions) if versions else 0
            members = {"side": side, "versions": versions, "has_kinds": len(kinds) > 1, "more": more}
            rows.append(placed(row, replicas) | members)
    return rows


def entity_url(page: Page, version: dict[str, Any]) -> str:
    """Page of the version in the registry's state."""
    if not version["place"]:
        return ""
    replica = PartitionReplica(**version["place"])
    return page.url_of_replica(replica, "report-entity", type=version["entity_type"], id=version["name"])


def looks_framed(facts: TopicProfile) -> list[str]:
    """Keys or values in which nearly each record has a schema ID of its own."""
    return [
        f"{side}s"
        for side, rows in facts.schema_ids.items()
        if rows
        and rows[0]["all_ids"] > RECORDS_PER_ID
        and rows[0]["all_records"] < RECORDS_PER_ID * rows[0]["all_ids"]
    ]


def header_rows(facts: TopicProfile) -> list[dict[str, Any]]:
    records = facts.headers[0]["looked_at"]["with_headers"] if facts.headers else 0
    return [row | shares(min(row["headers"], records), records) for row in facts.headers]


def spread(facts: TopicProfile) -> list[dict[str, Any]]:
    """How many keys have so many records."""
    keys = facts.keys.get("keys", 0)
    counts = [(words, facts.keys.get(words, 0)) for words in RECORDS_PER_KEY]
    return [{"words": words, "keys": count, **shares(count, keys)} for words, count in counts if count]


def entry_types(
    page: Page, facts: TopicProfile, replicas: tuple[PartitionReplica, ...]
) -> list[dict[str, Any]]:
    """What the service of the topic calls its records, the most frequent first; empty if no service is known."""
    counts = sum((page.survey.lanes.get(replica, Counter()) for replica in replicas), Counter[str]())
    in_order = sorted(counts.items(), key=lambda counted: (-counted[1], counted[0]))
    types = [(name, count) for name, count in in_order if name not in NO_TYPES]
    return [
        {"type": name, "records": count, "all_types": len(types), **shares(count, facts.totals["records"])}
        for name, count in types[:TYPES_LISTED]
    ]


def top_keys(page: Page, rows: Rows, replicas: Replicas) -> list[dict[str, Any]]:
    """The keys with most records under the names that the page Keys gives them, each with the address of its page in its partition."""
    entries = [
        entry
        for number in {row["partition"] for row in rows}
        for entry in rows_of_keys(
            replace(page, replica=replicas[number]), [row for row in rows if row["partition"] == number], {}
        )
    ]
    entries.sort(key=lambda entry: rows.index(entry.key))
    return [placed(entry.key, replicas) | {"entry": entry} for entry in entries]


def absent_parts(facts: TopicProfile) -> dict[str, bool]:
    """What no file of these records contains, and whether all of them are exports of a tool."""
    lists = [row["cannot_tell"] or () for row in facts.files]
    common = [text for text in (lists[0] if lists else ()) if all(text in texts for texts in lists)]
    absent = {name: any(text.startswith(words) for text in common) for name, words in LACKS.items()}
    return absent | {"is_export": bool(lists) and all(row["kind"] == "export" for row in facts.files)}


def percent(count: int, total: int) -> str:
    """`12 %`; what is not nothing is never `0 %`, and what is not all never `100 %`."""
    share = 100 * count / total if total else 0
    if 0 < share < 1:
        return "< 1 %"
    return "> 99 %" if 99 < share < 100 else f"{share:.0f} %"


def shares(count: int, total: int) -> dict[str, str]:
    """A share in words, and the width of its bar in percent."""
    return {"share": percent(count, total), "width": f"{100 * count / total:.2f}" if total else "0"}


def placed(row: dict[str, Any], replicas: Replicas) -> dict[str, Any]:
    """With the partition that its offset is in."""
    return row | {"place": replicas[row["partition"]]}


def partition_rows(page: Page, facts: TopicProfile, replicas: Replicas) -> list[dict[str, Any]]:
    records, listed, rows = facts.totals.get("records", 0), facts.partitions, []
    if len(listed) > PARTITIONS_LISTED:
        listed = sorted(listed, key=lambda row: -row["records"])[:PARTITIONS_LISTED]
    for row in listed:
        url = page.url_of_replica(replicas[row["partition"]], "report-profile", of=ONE_PARTITION)
        rows.append(placed(row, replicas) | shares(row["records"], records) | {"url": url})
    return rows
