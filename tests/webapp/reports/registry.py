"""A registry's journal with its replays: two services read it and disagree, compaction loses, changes and revives.

offset  0 restart   2 content 1   4 artifact pay/money with version 1   6 content 2   8 version 2
       10 group gone, deleted at 11   12 rule FULL, 13 rule NONE   14 an artifact whose content is missing
       16 content 1 written as nothing
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import orjson

from tests.builders import entries_table, other_table, records_table
from tests.webapp.reports.result_folder import finding, report_document, write_results

OLD_TEXT = {"type": "record", "name": "Money", "fields": [{"name": "units"}]}
NEW_TEXT = {"type": "record", "name": "Money", "fields": [{"name": "units"}, {"name": "nanos"}]}
WHERE = {"topic": "journal", "partition": 0, "replica": ""}


def registry(folder: Path, **tables: Any) -> Path:
    """The result folder of its inspection."""
    return write_results(
        folder,
        report_document(
            journals=[{"topic": "journal", "partitions": [0], "dialect": "apicurio-v2", "profile": None}],
            findings=[
                finding(
                    "lost", title="Content 1 will be lost", first_offset=16, last_offset=16, evidence=[2, 16]
                )
            ],
        ),
        records=_records(),
        entries=_entries(),
        state=other_table("state", *_state(), **WHERE),
        refusals=other_table("refusals", *_refusals(), **WHERE),
        **tables,
    )


def _records() -> Any:
    def record(
        offset: int, kind: str, key: str, value: bytes | None, action: str = "create"
    ) -> dict[str, Any]:
        return {
            "offset": offset,
            "entry_type": kind,
            "entry_action": action,
            "key": key.encode(),
            "value": value,
        }

    return records_table(
        record(0, "Bootstrap", "start", None, "restart"),
        record(2, "Content", "content-1", json.dumps({"schema": json.dumps(OLD_TEXT)}).encode()),
        record(4, "Artifact", "money-1", b'{"version": 1}'),
        record(6, "Content", "content-2", json.dumps({"schema": json.dumps(NEW_TEXT)}).encode()),
        record(8, "Artifact", "money-2", b'{"version": 2}', "update"),
        record(10, "Group", "gone", b"{}"),
        record(11, "Group", "gone", None, "delete"),
        record(12, "GlobalRule", "rule", b'{"config": "FULL", "password": "hunter2"}'),
        record(13, "GlobalRule", "rule", b'{"config": "NONE"}', "update"),
        record(14, "Artifact", "invoice", b"{}"),
        record(16, "Content", "content-1", None, "update"),
    )


def _entries() -> Any:
    return entries_table(
        {"offset": 4, "entry_type": "Artifact", "entry_action": "create", "entity_id": "pay/money"},
        {
            "offset": 16,
            "entry_type": "Content",
            "entry_action": "update",
            "entity_id": "1",
            "attributes": {"contentId": 1, "has_content": False},
            "decode_error": "The value is cut off. The service skips the record.",
        },
        **WHERE,
    )


def _state() -> list[dict[str, Any]]:
    rows = [row | {"profile": "own", "is_own": True, "view": "log"} for row in _log()]
    rows += [row | {"profile": "own", "is_own": True, "view": "next"} for row in _cleaned()]
    rows += [row | {"profile": "own", "is_own": True, "view": "full"} for row in _cleaned()]
    others = [row for row in _log() if row["entity_id"] != "2"]  # the other service holds no content 2
    return rows + [
        row | {"profile": "other", "is_own": False, "view": view}
        for view in ("log", "next", "full")
        for row in others
    ]


def _log() -> list[dict[str, Any]]:
    version = {"groupId": "pay", "artifactId": "money"}
    return [
        _holds("content", "1", {"contentId": 1, "content_size_bytes": 90}, 2),
        _holds("artifact", "pay/money", {"type": "AVRO", "createdOn": 1_700_000_000_000}, 4),
        _holds("version", "pay/money/1", {**version, "contentId": 1, "record_offset": 4}, 4),
        _holds("content", "2", {"contentId": 2}, 6),
        _holds("version", "pay/money/2", {**version, "contentId": 2, "record_offset": 8}, 8),
        _holds("group", "gone", {"owner": "alice"}, 10, 11),
        _holds("global-rule", "COMPATIBILITY", {"config": "FULL"}, 12, 13),
        _holds("global-rule", "COMPATIBILITY", {"config": "NONE"}, 13),
        _holds("config", "", {"compatibility": "BACKWARD"}, 13),
        _holds("connector", "sink", {"config": {"password": "[redacted]"}}, 12),
    ]


def _cleaned() -> list[dict[str, Any]]:
    """What cleaning leaves: content 1 and its version go, the group comes back, the rule changes, version 2 moves."""
    gone = {("content", "1"), ("version", "pay/money/1"), ("group", "gone"), ("global-rule", "COMPATIBILITY")}
    kept = [row for row in _log() if (row["entity_type"], row["entity_id"]) not in gone]
    for row in kept:
        row["attributes"] = row["attributes"].replace('"record_offset":8', '"record_offset":9')
    return [
        *kept,
        _holds("group", "gone", {"owner": "alice"}, 10),
        _holds("global-rule", "COMPATIBILITY", {"config": "FULL"}, 12),
    ]


def _holds(
    entity_type: str, entity_id: str, attributes: dict[str, Any], first: int, until: int | None = None
) -> dict[str, Any]:
    return {
        "entity_type": entity_type,
        "entity_id": entity_id,
        "attributes": orjson.dumps(attributes).decode(),  # as the replay writes them
        "valid_from_offset": first,
        "valid_to_offset": until,
        "origin_offset": first,
    }


def _refusals() -> list[dict[str, Any]]:
    refused = {
        "offset": 14,
        "entity_type": "version",
        "entity_id": "pay/invoice/1",
        "reason": "content-missing",
        "needs": "content:_/abc",
    }
    return [refused | {"profile": "own", "is_own": True, "view": view} for view in ("log", "next", "full")]
