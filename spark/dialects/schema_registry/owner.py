"""Whose journal it is, judged by marks that only one registry leaves; if several left marks, the last writer.

Redpanda    seq and node in the key
Karapace    headers X-Origin-Host and X-Registry-Version; deletes of zero length; an Avro record's members by name;
            references after `deleted`; DELETE_SUBJECT up to version -1
Confluent   NOOP, MODE, CONTEXT, CLEAR_SUBJECT, ASSOC; a global CONFIG key without subject; a subject within
            CONFIG's value; SCHEMA keys of magic 0; `offset` and `ts` in a value
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import orjson
import pyarrow as pa

from spark.dialects.schema_registry.keys import (
    ASSOC,
    CLEAR_SUBJECT,
    CONFIG,
    CONTEXT,
    DELETE_SUBJECT,
    MODE,
    NOOP,
    SCHEMA,
    Key,
    Members,
)

CONFLUENT, REDPANDA, KARAPACE = "confluent", "redpanda", "karapace"
TITLES = {
    CONFLUENT: "Confluent Schema Registry",
    REDPANDA: "Redpanda's schema registry",
    KARAPACE: "Karapace",
}
CONFLUENT_ONLY = frozenset((NOOP, MODE, CONTEXT, CLEAR_SUBJECT, ASSOC))
WRITER = re.compile(r'"writer":"(\w+)"')
KEY_FORMS = {
    "old": "keys as versions up to 5.2 write them",
    "canonical-null-subject": "keys as versions 5.3 to 6.1 write them",
}


def writer_of(key: Key, action: str | None, members: Members) -> str | None:
    """The registry that wrote a record, if the record has a mark of it."""
    if "host" in members or "registryVersion" in members:
        return KARAPACE
    if "seq" in key.members or "node" in key.members:
        return REDPANDA
    if key.keytype in CONFLUENT_ONLY or members.get("cachedOffset") is not None:
        return CONFLUENT
    if action == "empty" or (key.keytype == DELETE_SUBJECT and members.get("version") == -1):
        return KARAPACE
    if (key.keytype == CONFIG and "subject" not in key.members) or (
        key.keytype == SCHEMA and key.members.get("magic") == 0
    ):
        return CONFLUENT
    writer: str | None = members.get("writer")
    return writer


def owner(entries: pa.Table) -> str:
    """The registry that owns the journal: the last that left a mark, otherwise Confluent's."""
    return last_writer(marks_from_the_end(entries)) if entries.num_columns else CONFLUENT


def last_writer(marks: Iterable[tuple[str | None, str | None]]) -> str:
    """By action and mark of each entry, newest first.

    A NOOP at the very end shows that a Confluent registry started on the journal, not that it wrote to it.
    """
    is_written = False
    for action, writer in marks:
        is_written = is_written or action != "restart"
        if is_written and writer:
            return writer
    return CONFLUENT


def marks_from_the_end(entries: pa.Table) -> Iterator[tuple[str | None, str | None]]:
    """Action and mark of each entry, newest first."""
    actions, attributes = entries.column("entry_action"), entries.column("attributes")
    for number in range(len(attributes) - 1, -1, -1):
        match = WRITER.search(attributes[number].as_py() or "")
        yield actions[number].as_py(), match[1] if match else None


def family(entries: pa.Table) -> str | None:
    """The registries that wrote the journal, in words: in the order of their first marks, with versions if known."""
    versions: dict[str, str] = {}
    nodes: set[int] = set()
    forms: set[str] = set()
    for text in entries.column("attributes").to_pylist() if entries.num_columns else []:
        members = orjson.loads(text) if text else {}
        forms.add(members.get("keyForm", ""))
        if isinstance(members.get("node"), int):
            nodes.add(members["node"])
        if writer := members.get("writer"):
            versions.setdefault(writer, "")
            versions[writer] = members.get("registryVersion") or versions[writer]
    if not versions:
        return f"{TITLES[CONFLUENT]} or Karapace" if forms - {""} else None
    return ", then ".join(in_words(writer, version, nodes, forms) for writer, version in versions.items())


def in_words(writer: str, version: str, nodes: set[int], forms: set[str]) -> str:
    """A registry with the version that the journal shows."""
    if writer == KARAPACE:
        return f"Karapace {version.removeprefix('karapace-')}".strip()
    if writer == REDPANDA:
        listed = ", ".join(str(node) for node in sorted(nodes)[:8])
        return (
            f"{TITLES[REDPANDA]} (node{'s' if len(nodes) > 1 else ''} {listed})"
            if nodes
            else TITLES[REDPANDA]
        )
    form = next(
        (words for name, words in KEY_FORMS.items() if name in forms and "canonical" not in forms), ""
    )
    return f"{TITLES[CONFLUENT]} ({form})" if form else TITLES[CONFLUENT]
