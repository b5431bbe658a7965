"""What needs no record: mode IMPORT left behind, a policy that deletes, and the way by REST.

    Confluent   PUT /mode/SUBJECT?force=true {"mode": "IMPORT"} where mode.mutability is true, then POST with version and id
    Redpanda    the same; `rpk registry mode set SUBJECT --mode IMPORT --force`
    Karapace    cannot set a mode, and takes no id: records are its only way
    an id of two schemas: Confluent gives the rejected one a new id when it is registered again

Source: ModeResource.java, KafkaSchemaRegistry.java; `rpk registry mode set`; karapace `api/routers/mode.py`, `requests.py`.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Sequence
from urllib.parse import quote

from spark.dialects.schema_registry.owner import CONFLUENT, KARAPACE, REDPANDA
from spark.log.cluster_settings import POLICIES
from spark.repair import Measure
from spark.repair.schema_registry.holdings import Holdings
from spark.repair.schema_registry.lost import LostVersion
from spark.tables.replica import quoted
from spark.terms.marked import plain
from spark.terms.topic_commands import ALTER, named

REGISTRY = "http://REGISTRY:8081"
JSON_TYPE = "-H 'Content-Type: application/vnd.schemaregistry.v1+json'"
IMPORT = "IMPORT"
SENT = ("schema", "schemaType", "references", "metadata", "ruleSet")


def measures(holdings: Holdings, versions: Sequence[LostVersion]) -> Iterator[Measure]:
    yield from by_rest(holdings, versions)
    yield from registered_again(holdings, [version for version in versions if version.shared])
    yield from left_in_import(holdings)
    yield from policy(holdings)


def left_in_import(holdings: Holdings) -> Iterator[Measure]:
    """Subjects, or all, in mode IMPORT."""
    for (kind, subject), attributes in sorted(holdings.state.items()):
        if kind == "mode" and attributes["mode"] == IMPORT:
            whose = f"of {subject}" if subject else "of all subjects"
            yield Measure(
                f"Mode IMPORT {whose} was left behind",
                (
                    "Warning: do this only when no import is running. In mode IMPORT clients cannot register a schema without an ID. "
                    f"Set the mode that was there before, READWRITE by default: {put_mode(subject, 'READWRITE')}",
                    f"Check it: `curl {mode_address(subject)}`",
                ),
            )


def policy(holdings: Holdings) -> Iterator[Measure]:
    """The topic's cleanup.policy deletes, as the input says."""
    topic = holdings.journal.replica.topic
    rows = holdings.journal.tables.rows(f"SELECT policy FROM ({POLICIES}) WHERE topic = {quoted(topic)}")
    if any("delete" in (row["policy"] or "") for row in rows):
        yield Measure(
            f"cleanup.policy={rows[0]['policy']} deletes the oldest records of {topic}",
            (f"Set the policy now, before any registry is restarted: {set_compact(topic)}",),
        )


def set_compact(topic: str) -> str:
    """The command that leaves compaction alone."""
    return plain(f"`{ALTER} {named(topic)} --add-config cleanup.policy=compact`")


def by_rest(holdings: Holdings, versions: Sequence[LostVersion]) -> Iterator[Measure]:
    """The registry writes the versions itself and checks them, while it runs. What was overwritten it would reject."""
    versions = [version for version in versions if version.replaced_at is None and not version.shared]
    if not versions or holdings.stops or holdings.profile == KARAPACE:
        return
    steps = list(preparing(holdings.profile == REDPANDA))
    for subject in dict.fromkeys(version.subject for version in versions):
        steps += of_subject(
            holdings, subject, [version for version in versions if version.subject == subject]
        )
    steps.append("Take a dump and inspect it.")
    yield Measure(
        "By REST instead of records: safer, because the registry checks the IDs and keeps running",
        tuple(steps),
        is_alternative=True,
    )


def registered_again(holdings: Holdings, versions: Sequence[LostVersion]) -> Iterator[Measure]:
    """Confluent's registry rejected the version, so it does not know its schema, and gives it a new ID. Redpanda's and Karapace
    hold the version, and answer with the ID that it has."""
    if not versions or holdings.stops or holdings.profile != CONFLUENT:
        return
    steps = []
    for version in versions:
        body = json.dumps(
            {name: version.fields[name] for name in SENT if version.fields.get(name)}, ensure_ascii=False
        )
        steps += [
            f"Register the schema of {version.name}. The answer has its new ID: {post(version.subject, body)}",
            f"Restart the producers of {version.name}. Until then they write the ID that belongs to another schema.",
        ]
    steps.append("Take a dump and inspect it.")
    yield Measure(
        "By REST instead of records: safer, because the registry gives each schema a free ID and keeps running",
        tuple(steps),
        is_alternative=True,
    )


def preparing(is_redpanda: bool) -> Iterator[str]:
    """Before the first call."""
    if is_redpanda:
        yield "The registry must know mode IMPORT and take a version and an ID in it. If the registry rejects a call below, use the records."
    else:
        yield "Make sure that every node has mode.mutability=true (the default since 7.0). Otherwise set it and restart the nodes."
    yield "Stop the producers that register schemas for these subjects until the last step: in mode IMPORT they are rejected."


def of_subject(holdings: Holdings, subject: str, versions: Sequence[LostVersion]) -> Iterator[str]:
    """Mode IMPORT, the versions, the old mode."""
    before = holdings.state.get(("mode", subject), {}).get("mode")
    has_versions = any(name == subject for name, _ in holdings.schemas)
    force = "?force=true" if has_versions else ""
    yield f"Set mode IMPORT for {subject}{' (force=true, because it has versions)' if force else ''}: {put_mode(subject, IMPORT, force)}"
    for version in versions:
        yield f"Register {version.label}: {post_version(version)}"
        if version.is_deleted:
            yield f"Mark it as deleted: `curl -X DELETE {REGISTRY}/subjects/{quote(subject, safe='')}/versions/{version.version}`"
    if before:
        yield f"Set the mode that {subject} had before: {put_mode(subject, before)}"
    else:
        yield f"No mode was set for {subject}. Remove mode IMPORT: `curl -X DELETE {mode_address(subject)}`"
    for version in versions:
        yield f"Check that the ID can be read: `curl {REGISTRY}/schemas/ids/{version.schema_id}`"


def mode_address(subject: str, query: str = "") -> str:
    """Of a subject's mode, or of that of all."""
    return f"{REGISTRY}/mode{'/' + quote(subject, safe='') if subject else ''}{query}"


def put_mode(subject: str, mode: str, query: str = "") -> str:
    address = shlex.quote(mode_address(subject, query))
    return f'`curl -X PUT {JSON_TYPE} --data \'{{"mode":"{mode}"}}\' {address}`'


def post_version(version: LostVersion) -> str:
    """The call that registers a version with its id."""
    body = {name: version.fields[name] for name in SENT if version.fields.get(name)}
    text = json.dumps({**body, "version": version.version, "id": version.schema_id}, ensure_ascii=False)
    return post(version.subject, text)


def post(subject: str, text: str) -> str:
    """The call that registers a schema in a subject."""
    return f"`curl -X POST {JSON_TYPE} --data {shlex.quote(text)} {REGISTRY}/subjects/{quote(subject, safe='')}/versions`"
