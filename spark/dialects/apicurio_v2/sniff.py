"""Recognise an Apicurio Registry 2.x journal by its keys: a known type byte, then JSON with that type's members."""

from __future__ import annotations

import pyarrow as pa

from spark.dialects import Match
from spark.dialects._interpret import data_records, json_members
from spark.dialects.apicurio_v2.message_types import MESSAGE_TYPES
from spark.terms.wording import grouped

SURE = 95
DOUBTFUL = 40
MAX_SAMPLED = 2000


def sniff(topic: str, records: pa.Table) -> Match:
    """By the share of keys that fit. The topic's name only decides for an empty sample."""
    keys = data_records(records).slice(0, MAX_SAMPLED).column("key").to_pylist()
    fitting = sum(fits(key) for key in keys)
    if not fitting:
        return Match(0, mismatch(keys))
    why = (
        f"{grouped(fitting)} of {grouped(len(keys))} checked keys start with a message type of Apicurio Registry 2.x "
        "and contain the members of that type."
    )
    share = fitting / len(keys)
    return Match(SURE if share > 0.5 else round(DOUBTFUL * share) + 2, why)


def fits(key: bytes | None) -> bool:
    """Whether a key can belong to this journal."""
    if not key or key[0] not in MESSAGE_TYPES:
        return False
    kind, members = MESSAGE_TYPES[key[0]], json_members(key[1:])
    return members is not None and kind.needed <= members.keys() <= kind.allowed


def mismatch(keys: list[bytes | None]) -> str:
    """Why the topic is not such a journal."""
    if any(key and key.startswith(b'{"uuid"') and b'"messageType"' in key for key in keys):
        return "The keys are plain JSON with a messageType, as Apicurio Registry 3.x writes them."
    if not keys:
        return "The input contains no records."
    return f"None of {grouped(len(keys))} keys starts with a message type of Apicurio Registry 2.x."
