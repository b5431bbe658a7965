"""Recognises the topics of Apicurio Registry 3.x by content, and the versions that wrote them: journal, snapshots and events.

Each has a form of its own: keys that name a message class; UUID keys with the path of an SQL file; JSON values with an
eventType of the registry.
"""

from __future__ import annotations

import re

import pyarrow as pa

from spark.dialects import Match
from spark.dialects._interpret import data_records, json_members
from spark.dialects.apicurio_v3.message_classes import BOOTSTRAP, EVENT, SINCE, SNAPSHOT
from spark.terms.wording import grouped

SURE = 95
DOUBTFUL = 40
MAX_SAMPLED = 2000
UUID = re.compile(rb"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", re.ASCII)
EVENT_TYPE = re.compile(r"(ARTIFACT|GROUP|GLOBAL|ARTIFACT_VERSION)_[A-Z_]+", re.ASCII)
JOURNAL_MEMBERS = frozenset({"uuid", "messageType", "partitionKey"})
FORMS = {
    "journal": "checked keys name a message class of Apicurio Registry 3.x",
    "snapshots": "checked records name a snapshot file of Apicurio Registry 3.x by its UUID",
    "events": "checked records are events of Apicurio Registry 3.x",
}


def sniff(topic: str, records: pa.Table) -> Match:
    """By the form that fits most records. The topic's name is ignored."""
    data = data_records(records).slice(0, MAX_SAMPLED)
    pairs = list(zip(data.column("key").to_pylist(), data.column("value").to_pylist(), strict=True))
    if not pairs:
        return Match(0, "There is no record to look at.")
    counts = {
        "journal": sum(is_journal_key(key) for key, _ in pairs),
        "snapshots": sum(is_snapshot(key, value) for key, value in pairs),
        "events": sum(is_event(value) for _, value in pairs),
    }
    form, fitting = max(counts.items(), key=lambda item: item[1])
    if not fitting:
        return Match(0, f"None of {grouped(len(pairs))} records has a form of Apicurio Registry 3.x.")
    share = fitting / len(pairs)
    why = f"{grouped(fitting)} of {grouped(len(pairs))} {FORMS[form]}."
    return Match(SURE if share > 0.5 else round(DOUBTFUL * share) + 2, why)


def family(entries: pa.Table) -> str | None:
    """The version family in words, if the message classes show it."""
    kinds = set(entries.column("entry_type").unique().to_pylist())
    since = next((version for version, classes in SINCE if kinds & classes), None)
    if since is not None:
        return f"Apicurio Registry {since} or later"
    if SNAPSHOT in kinds:
        return "Apicurio Registry 3.x (its snapshots)"
    if EVENT in kinds:
        return "Apicurio Registry 3.x (its events)"
    return "Apicurio Registry 3.x" if BOOTSTRAP in kinds else None


def is_journal_key(key: bytes | None) -> bool:
    """`{"uuid": ..., "messageType": ..., "partitionKey": ...}`."""
    return members_of(key).keys() >= JOURNAL_MEMBERS


def is_snapshot(key: bytes | None, value: bytes | None) -> bool:
    """A UUID as key, and a path that ends with it as value."""
    return bool(key and value and UUID.fullmatch(key) and key in value and value.endswith(b".sql"))


def is_event(value: bytes | None) -> bool:
    """JSON with an id, an eventType of the registry, and its subject."""
    members = members_of(value)
    kind = members.get("eventType")
    about = {"groupId", "artifactId", "ruleType"} & members.keys()
    return isinstance(kind, str) and bool(EVENT_TYPE.fullmatch(kind) and "id" in members and about)


def members_of(text: bytes | None) -> dict[str, object]:
    """A JSON object's members; none if it is not one."""
    return (json_members(text) or {}) if text and text[:1] == b"{" else {}
