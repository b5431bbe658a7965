"""`_schemas`: the journal of Confluent Schema Registry, Redpanda's schema registry and Karapace.

keys, values   what a record says, in one form for all writers   interpret  records -> entries
sniff          recognise the journal                             owner      whose it is, who wrote it
reader         what all readers do at start-up                   subjects   what they hold in memory
replay         entries -> state, refusals
confluent, redpanda, karapace   what each of them does by rules of its own
starts         what a start writes

What brings lost versions back: spark/repair/schema_registry.
"""

from __future__ import annotations

from spark.dialects import Dialect, Profile
from spark.dialects.schema_registry.interpret import interpret
from spark.dialects.schema_registry.owner import TITLES, family, owner
from spark.dialects.schema_registry.replay import replay, replay_profiles
from spark.dialects.schema_registry.sniff import sniff
from spark.dialects.schema_registry.starts import start

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
