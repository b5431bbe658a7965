"""Kafka Connect's three topics, in which its workers store what they share: configs, offsets and status.

One dialect, because a record's kind is in its key:

    keys       key -> kind and entity         interpret  records -> entries
    replay     entries -> state, rejections, as when a worker starts

Recognised by keys and values together; a tombstone fits wherever its key does. Workers with exactly-once support write
configs and offsets in transactions, and read committed ones only.
"""

from __future__ import annotations

import re
from collections import Counter

import pyarrow as pa

from spark.dialects import Dialect, Match
from spark.dialects._interpret import data_records, keys_and_values
from spark.dialects.connect.interpret import interpret, read_value
from spark.dialects.connect.keys import CONFIGS, OFFSETS, STATUS, read_key
from spark.dialects.connect.replay import replay
from spark.terms.errors import Unreadable
from spark.terms.wording import grouped

MAX_SAMPLED = 500
SURE, LIKELY, NAMED_BONUS = 95, 70, 15
KINDS = ((CONFIGS, "configs"), (OFFSETS, "offsets"), (STATUS, "status"))
NAME = re.compile(r"connect|(^|[._-])(configs?|offsets?|status)$", re.IGNORECASE)


def sniff(topic: str, records: pa.Table) -> Match:
    """By how many records fit one of the three topics."""
    data = data_records(records).slice(0, MAX_SAMPLED)
    keys, values = keys_and_values(data)
    kinds = Counter(kind_of(key, value) for key, value in zip(keys, values, strict=True))
    (kind, fitting), *_ = [*((k, n) for k, n in kinds.most_common() if k), ("", 0)]
    if not fitting or all(value is None for value in values):
        return Match(
            0, f"None of {grouped(data.num_rows)} checked records has a key and value of Kafka Connect."
        )
    share = fitting / data.num_rows
    # Any service may key its records with a list; what Connect's names look like settles it.
    best = LIKELY + NAMED_BONUS * bool(NAME.search(topic)) if kind == "offsets" else SURE
    why = f"{grouped(fitting)} of {grouped(data.num_rows)} checked records are such as Kafka Connect stores in its {kind} topic."
    return Match(best if share > 0.5 else round(40 * share), why)


def kind_of(key: bytes | None, value: bytes | None) -> str | None:
    """The topic that a record fits, or None."""
    try:
        entry_type, _ = read_key(key)
        if value is not None:
            read_value(entry_type, value)
    except Unreadable:
        return None
    return next((kind for types, kind in KINDS if entry_type in types), None)


def family(entries: pa.Table) -> str | None:
    types = set(entries.column("entry_type").unique().to_pylist())
    kinds = [kind for members, kind in KINDS if types & members]
    return f"Kafka Connect, {kinds[0]} topic" if len(kinds) == 1 else None


dialect = Dialect(
    id="connect",
    title="Kafka Connect (configs, offsets, status)",
    sniff=sniff,
    interpret=interpret,
    replay=replay,
    family=family,
    reads_committed=True,
)
