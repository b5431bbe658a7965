"""Apicurio Registry 2.x with KafkaSQL storage: `kafkasql-journal`, from which the registry rebuilds its database.

message_types   the types, their keys, the words for actions      content    the binary Content value
interpret       records -> entries                                registry   the service's state in memory
replay          entries -> state, rejections                      starts     what a start writes
bulk            the same in SQL, where nothing is special         releases   how releases differ

Recognised by keys: a known type byte, then JSON with that type's members. How lost contents are restored:
spark/repair/apicurio_v2.
"""

from __future__ import annotations

import re

import pyarrow as pa
import pyarrow.compute as pc

from spark.dialects import Dialect, Match
from spark.dialects._interpret import data_records, json_members
from spark.dialects.apicurio_v2.interpret import interpret
from spark.dialects.apicurio_v2.message_types import MESSAGE_TYPES
from spark.dialects.apicurio_v2.replay import replay, replay_profiles
from spark.dialects.apicurio_v2.starts import start
from spark.terms.wording import grouped

SURE = 95
DOUBTFUL = 40
MAX_SAMPLED = 2000
# The oldest version that writes entries of a type; newest first.
_SINCE = (
    ("2.5.9", ("ContentV2", "Upgrader")),
    ("2.4.3", ("Comment", "CommentId")),
    ("2.3.0", ("ArtifactOwner",)),
    ("2.2.2", ("ConfigProperty",)),
    ("2.1.2", ("Download",)),
)
_ACTION_FORM = re.compile(r'"action":("?)([A-Za-z0-9_]+)')


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
    return f"None of {grouped(len(keys))} sampled keys starts with a message type of Apicurio Registry 2.x."


def family(entries: pa.Table) -> str | None:
    """The version family in words; None if the entries do not show it."""
    kinds = set(entries.column("entry_type").unique().to_pylist())
    since = next((version for version, types in _SINCE if kinds & set(types)), None)
    if since:
        stopped = " (begun by an older one)" if since == "2.5.9" and "Bootstrap" in kinds else ""
        return f"Apicurio Registry {since} or later{stopped}"
    form = action_form(entries)
    return f"Apicurio Registry {form}" if form else None


def action_form(entries: pa.Table) -> str | None:
    """The versions that spell actions like the last one in these entries."""
    with_action = entries.filter(pc.match_substring(entries.column("attributes"), '"action":'))
    if not with_action.num_rows:
        return None
    form = _ACTION_FORM.search(with_action.column("attributes")[with_action.num_rows - 1].as_py())
    if form is None or form[2].isdigit():
        return "2.1.4 or later"
    return "2.1.0 to 2.1.3" if form[2].isupper() else "2.0.x"


dialect = Dialect(
    id="apicurio-v2",
    title="Apicurio Registry 2.x (KafkaSQL journal)",
    sniff=sniff,
    interpret=interpret,
    replay=replay,
    replay_profiles=replay_profiles,
    family=family,
    start=start,
    releases=("2.5.9", "2.6.13"),
    compared={
        "artifact": ("type", "owner"),
        "version": ("globalId", "contentId", "state", "name"),
        "group": ("description",),
        "global-rule": ("config",),
        "artifact-rule": ("config",),
        "role": ("role",),
        "config-property": ("value",),
        "comment": ("value",),
    },
    stored=("content",),
)
