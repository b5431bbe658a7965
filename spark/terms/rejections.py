"""Why a service rejects an entry: the rest of a sentence, by dialect and reason.

    reason => the `reason` of a row of the table `refusals`

The table of reasons on the dialect's page (docs/dialects/) has the same words; a test compares them.
"""

from __future__ import annotations

RESTORE = {
    "key-missing": "the record has no key: a restore skips it",
    "unreadable": "key or value cannot be read: a restore stops here",
}
NOT_THERE = "the entity that it changes does not exist"
MISSING = dict.fromkeys(
    (
        "artifact-missing",
        "version-missing",
        "group-missing",
        "rule-missing",
        "role-missing",
        "comment-missing",
    ),
    NOT_THERE,
)
REJECTIONS: dict[str, dict[str, str]] = {
    "apicurio-v2": {
        "content-missing": "no record of the journal contains the content",
        "content-null": "the records of the content do not contain its bytes",
        "content-later": "the record that contains it comes after the record that needs it",
        **MISSING,
        "already-exists": "the entity already exists",
        "has-comments": "it deletes an artifact that has a comment, or a group with such an artifact",
        "id-taken": "its globalId or contentId belongs to something else",
        "repeated": "the same record again; the first counts, compaction will keep this one",
        **dict.fromkeys(
            ("repeated-later", "deleted-later"),
            "it lacked its content, but a later copy was accepted, or the artifact was deleted",
        ),
        "other-tenant": "a Content UPDATE for a content that another tenant owns",
    },
    "apicurio-v3": {
        "already-exists": "name or id is taken",
        **MISSING,
        "branch-missing": NOT_THERE,
        "content-missing": "an imported version whose content was not imported",
        "not-the-latest": "a version that should follow another one does not",
    },
    "cluster-metadata": {
        "topic-unknown": "the topic id is not there: a node stops with a fatal fault",
        "broker-unknown": "the broker is not registered",
        "broker-epoch": "the broker has registered again since",
        "unreadable": "the record cannot be read: a node stops",
    },
    "connect": {
        "uncommitted": "a task config without a commit after it: the worker that wrote it did not finish",
        "incomplete": "a commit that lacks one of the tasks it counts",
        "connector-later": "a commit before the connector's own record: compaction kept only a newer one",
        "connector-missing": "a commit or task of a connector that is not there: left over from a deleted one",
        "mended": "a commit that lacked something, and a whole set after it",
        "deleted-later": "such a commit of a connector that was deleted afterwards",
        "null-ignored": "null where a worker expects a value",
    },
    "consumer-offsets": {
        "unknown-type": "the record type of the key is unknown: a coordinator skips it",
        "unreadable": "key or value cannot be read: a coordinator does not load the partition",
    },
    "ksqldb-commands": {
        "unreadable": "the record at which a server stops (DEGRADED)",
        "after-unreadable": "a command behind it",
        "already-exists": "CREATE of what is there, without OR REPLACE or IF NOT EXISTS",
        "source-missing": "DROP or ALTER of what is not there",
    },
    "remote-log-metadata": {
        "segment-unknown": "an update of a segment whose start is not in the log: a broker rejects it",
        "state-forbidden": "a segment in its state cannot change to this one: a broker rejects it",
        "unreadable": "the value cannot be read: a broker stops reading the partition",
        "after-unreadable": "a record after that one",
    },
    "schema-registry": {
        "lost-the-race": "Redpanda: seq is below the offset. Two nodes wrote at the same time; this one came second and tried again",
        "sequence-ahead": "Redpanda: seq is above the offset. No node can write so: the record was copied from another topic",
        "duplicate-id": "Confluent: the ID belongs to another schema in this context",
        "reference-missing": "Karapace: a version that the Protobuf schema references is not there, or is marked as deleted. What it needed is named, and the record that brings it later",
        "schema-invalid": "Karapace, Redpanda: the text is not JSON; Karapace: a schema type that it does not know",
        "value-empty": "Confluent: a value of zero length is no deletion, the record before it stays",
        **dict.fromkeys(
            ("value-unreadable", "key-unreadable"),
            "not JSON, or not what belongs there",
        ),
        "unknown-keytype": "no such keytype for this registry",
        "unknown-field": "Redpanda: a member that it does not know",
        "reader-stopped": "said once, at the first record behind the one that ends this registry's start. The state stays as it was before that one",
    },
    "share-group-state": {
        "unknown-type": "the record type of the key is unknown: a coordinator skips it",
        "unreadable": "key or value cannot be read: a coordinator does not load the partition",
    },
    "streams-joins": RESTORE,
    "streams-suppress": RESTORE,
    "streams-versioned": {
        "key-missing": RESTORE["key-missing"],
        "older-version": "the key has a value or a deletion with a newer timestamp: the record becomes part of the history",
    },
    "streams-windows": RESTORE,
}


def rejection_words(dialect: str, reason: str) -> str:
    """`no record of the journal contains the content`; an unknown reason unchanged."""
    return REJECTIONS.get(dialect, {}).get(reason, reason.replace("-", " "))
