"""`_schemas`: the journal of Confluent Schema Registry, Redpanda's schema registry and Karapace.

keys, values   a record's contents, in one form for all writers  interpret  records -> entries
owner          whose journal it is, who wrote it                 reader     what all readers do at start-up
subjects       their state in memory                             replay     entries -> state, rejections
confluent, redpanda, karapace   rules of each reader             starts     what a start writes

Recognised by keys: JSON with a registry's keytype and a magic. How lost versions are restored:
spark/repair/schema_registry.
"""

from __future__ import annotations

import pyarrow as pa

from spark.dialects import Dialect, Match, Profile
from spark.dialects._interpret import data_records, json_members
from spark.dialects.schema_registry.interpret import interpret
from spark.dialects.schema_registry.keys import KEYTYPES, is_one_of
from spark.dialects.schema_registry.owner import TITLES, family, owner
from spark.dialects.schema_registry.replay import replay, replay_profiles
from spark.dialects.schema_registry.starts import start
from spark.terms.wording import grouped

TOPIC = "_schemas"
SURE, NAMED, DOUBTFUL = 96, 90, 40
MAX_SAMPLED = 2000


def sniff(topic: str, records: pa.Table) -> Match:
    """By the share of keys that fit. The topic's name counts if only a few do."""
    keys = data_records(records).slice(0, MAX_SAMPLED).column("key").to_pylist()
    fitting = sum(fits(key) for key in keys)
    if not fitting:
        return Match(0, mismatch(keys))
    share = fitting / len(keys)
    why = (
        f"{grouped(fitting)} of {grouped(len(keys))} checked keys are JSON with a keytype and a magic, "
        "as schema registries write them."
    )
    if share > 0.5:
        return Match(SURE, why)
    return Match(NAMED if topic == TOPIC else round(DOUBTFUL * share) + 2, why)


def fits(key: bytes | None) -> bool:
    """Whether a schema registry writes such keys."""
    if not key or b'"keytype"' not in key:
        return False
    members = json_members(key) or {}
    return is_one_of(members.get("keytype"), KEYTYPES) and "magic" in members


def mismatch(keys: list[bytes | None]) -> str:
    """Why the topic is not such a journal."""
    if not keys:
        return "There is no record to look at."
    return f"None of {grouped(len(keys))} sampled keys is JSON with the keytype of a schema registry."


dialect = Dialect(
    id="schema-registry",
    title="Schema registry (_schemas)",
    sniff=sniff,
    interpret=interpret,
    replay=replay,
    replay_profiles=replay_profiles,
    family=family,
    profiles=tuple(Profile(id, title) for id, title in TITLES.items()),
    owner=owner,
    start=start,
    compared={
        "schema": ("id", "deleted", "schemaType", "schemaHash", "references"),
        "config": ("compatibility",),
        "mode": ("mode",),
    },
)
