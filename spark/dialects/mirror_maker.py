"""MirrorMaker 2's own topics: checkpoints, offset syncs and heartbeats, each record a key and a value of TABLES.

A record does not say which of the three it is: the one whose fields use all bytes of key and value. Values of
checkpoints and heartbeats begin with a version (0). Source: Kafka `Checkpoint`, `OffsetSync`, `Heartbeat` (4.1).
"""

from __future__ import annotations

import re
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.compute as pc

from spark.codecs.kafka_message import read, read_versioned
from spark.codecs.kafka_topics.mirror_maker import KINDS, RecordKind
from spark.dialects import Dialect, Match
from spark.dialects._history import replay_newest
from spark.dialects._interpret import Read, are_read, interpreter
from spark.terms.errors import Unreadable
from spark.terms.wording import grouped

CHECKPOINTS = re.compile(r"^.+\.checkpoints\.internal$")
OFFSET_SYNCS = re.compile(r"^mm2-offset-syncs\..+\.internal$")
HEARTBEATS = re.compile(r"^(.+\.)?heartbeats$")  # a name that others may use, too
MAX_PARTITION = 1 << 20  # more partitions than any topic has: the bytes are something else
SAMPLE_RECORDS = 200
NAMED, READABLE, ONLY_NAMED = 100, 60, 90
NO_MIRROR = "Keys and values are not those of MirrorMaker 2."


def read_record(key: bytes | None, value: bytes | None) -> Read:
    for kind in KINDS:
        try:
            about = read_key(kind, key)
            members = {} if value is None else read_value(kind, value)
        except Unreadable:
            continue
        action = "delete" if value is None else "update"
        entity = "/".join(str(value) for value in about.values())
        return kind.entry_type, action, entity, orjson.dumps({**about, **members}).decode(), None, "raw"
    error = "Key and value are not those of a checkpoint, an offset sync or a heartbeat: MirrorMaker cannot read the record."
    return None, None, None, None, error, "raw"


interpret = interpreter(read_record)


def read_key(kind: RecordKind, key: bytes | None) -> dict[str, Any]:
    if key is None:
        raise Unreadable("The record has no key.")
    members = read(kind.key, 0, key, 0, "key")
    if not 0 <= members.get("partition", 0) < MAX_PARTITION:
        raise Unreadable(f"The key names partition {members['partition']}, which no topic has.")
    if any(member == "" for name, member in members.items() if name != "group"):
        raise Unreadable("The key has an empty name. No cluster and no topic has one.")
    return members


def read_value(kind: RecordKind, value: bytes) -> dict[str, Any]:
    return (
        read_versioned(kind.value, value, "value")
        if kind.is_versioned
        else read(kind.value, 0, value, 0, "value")
    )


def sniff(topic: str, records: pa.Table) -> Match:
    """By the bytes of keys and values, all of one kind; two of the three topic names decide the rest."""
    sample = records.slice(0, SAMPLE_RECORDS)
    is_named = bool(CHECKPOINTS.match(topic) or OFFSET_SYNCS.match(topic))
    if not is_named and not are_read(sample, read_record):
        return Match(0, NO_MIRROR)
    entries = interpret(sample)
    kinds = entries.column("entry_type").unique().to_pylist()
    has_values = pc.any(pc.not_equal(entries.column("entry_action"), "delete")).as_py()
    if has_values and len(kinds) == 1 and kinds[0] is not None:
        why = f"All {grouped(entries.num_rows)} checked records are {kinds[0]}s of MirrorMaker 2."
        return Match(NAMED if is_named or HEARTBEATS.match(topic) else READABLE, why)
    if is_named:
        return Match(ONLY_NAMED, "The topic has a name that MirrorMaker 2 uses for its internal topics.")
    return Match(0, NO_MIRROR)


dialect = Dialect(
    id="mirror-maker",
    title="MirrorMaker 2 (checkpoints, offset syncs, heartbeats)",
    sniff=sniff,
    interpret=interpret,
    replay=replay_newest,
)
