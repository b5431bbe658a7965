"""Apicurio Registry 2.x journals: healthy ones, and the incident of the empty content update in its two stages.

After a restart, the canonical-hash upgrader of 2.1.3 to 2.5.8 writes a Content UPDATE without content for every
Protobuf whose stored canonical hash it does not agree with. It has the key of the Content CREATE, so compaction
removes the only copy of the content: at risk before, lost after.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Literal

from tests.generator.journal import EmptyUpdate, Journal, Stored, compacted
from tests.generator.registry import Registry, Version
from tests.generator.schemas import REFERRING_PROTO, Schema, catalogue, plain_proto, referring_proto
from tests.generator.segment import SOME_TIME_MS

HOUR_MS = 3_600_000
DESCRIPTIONS = (
    "Agreed with the checkout team",
    "Used by the nightly settlement",
    "Field order as in the paper form",
    "Please talk to us before you change this",
)
COMMENTS = (
    "Amounts are in minor units.",
    "Consumers of version 1 are gone since May.",
    "The currency is never empty, see the contract test.",
    "Ready for production.",
)
GROUP_DESCRIPTIONS = {
    "orders": "From the cart to the confirmed order",
    "payments": "Authorisation, capture, refunds",
    "shipping": "Parcels and returns",
}
FAR_FROM_ONE = 20_000  # ids an imported artifact may bring along, so that ids and offsets do not go together


def registry(seed: int, tenant: str, start_ms: int, first_content_id: int | None) -> Registry:
    """A freshly started registry with its groups; `first_content_id` by way of an import when it is above 1."""
    running = Registry(seed, tenant=tenant, start_ms=start_ms)
    running.start()
    if running.rng.random() < 0.5:
        running.set_property("registry.ccompat.legacy-id-mode.enabled", "true")
    for group in running.rng.sample(sorted(GROUP_DESCRIPTIONS), 2):
        running.create_group(group, GROUP_DESCRIPTIONS[group])
    if first_content_id is not None and first_content_id > 1:
        imported = catalogue(Random(seed + 1), 1, 1)[0][0]
        moved = replace(imported, group="imported", artifact=f"{imported.artifact}-legacy")
        global_id = running.rng.randint(1, FAR_FROM_ONE)
        running.import_artifact(moved, first_content_id - 1, global_id)
    return running


def everyday(running: Registry, version: Version) -> None:
    """What people do now and then with a version they have just made."""
    rng = running.rng
    if rng.random() < 0.25:
        running.comment(version, rng.choice(COMMENTS))
    if rng.random() < 0.2:
        running.describe(version, rng.choice(DESCRIPTIONS))
    if rng.random() < 0.1 and version.number == "1":
        running.create_rule(version, "COMPATIBILITY", rng.choice(["BACKWARD", "FULL"]))
    if rng.random() < 0.08:
        running.set_owner(version, rng.choice(["orders-ci", "payments-ci", "platform"]))
    running.wait(HOUR_MS // 60, 2 * HOUR_MS)


def interleaved(artifacts: list[list[Schema]], rng: Random) -> list[Schema]:
    """Versions of all artifacts mixed, those of one artifact in their order."""
    turns = [place for place, versions in enumerate(artifacts) for _ in versions]
    rng.shuffle(turns)
    waiting = [iter(versions) for versions in artifacts]
    return [next(waiting[turn]) for turn in turns]


def healthy(
    seed: int,
    *,
    artifact_count: int = 20,
    restarts: int = 3,
    tenant: str = "_",
    start_ms: int = SOME_TIME_MS,
    first_content_id: int | None = None,
) -> Journal:
    """A journal with nothing wrong: artifacts of several types, versions, comments, rules, a deletion, restarts."""
    running = registry(seed, tenant, start_ms, first_content_id)
    running.create_global_rule("VALIDITY", "SYNTAX_ONLY")
    rng = running.rng
    artifacts = catalogue(rng, artifact_count)
    artifacts += [[plain_proto(path)] for path in ("payments/money.proto", "shipping/address.proto")]
    todo = interleaved(artifacts, rng)
    restart_before = set(rng.sample(range(1, len(todo)), min(restarts, len(todo) - 1)))
    for place, schema in enumerate(todo):
        if place in restart_before:
            running.wait(HOUR_MS, 30 * HOUR_MS)
            running.start()
        everyday(running, running.add(schema))
    if artifact_count >= 4:
        running.delete_artifact(rng.choice(sorted(running.artifacts, key=str)))
    return running.journal()


def incident(
    seed: int,
    stage: Literal["at_risk", "lost"] = "at_risk",
    *,
    artifact_count: int = 6,
    affected_count: int = 1,
    affected_versions: int = 1,
    restarts: int = 1,
    life_goes_on: bool = False,
    made_again: bool = False,
    keeps_tombstones: bool = False,
    tenant: str = "_",
    start_ms: int = SOME_TIME_MS,
    first_content_id: int | None = None,
) -> Journal:
    """The incident, with `affected_count` Protobuf artifacts that refer to another and so lose their content.

    `lost` is what compaction leaves. With `life_goes_on` the journal has more artifacts after it, and, when lost,
    one more restart, whose replay answers later versions of lost artifacts with null. With `made_again` somebody
    then creates the first lost artifact anew, and the restart after that puts it at risk again.
    """
    running = registry(seed, tenant, start_ms, first_content_id)
    rng = running.rng
    affected_paths = rng.sample(sorted(REFERRING_PROTO), affected_count)
    ordinary = catalogue(rng, artifact_count)
    for path in sorted({REFERRING_PROTO[path][2] for path in affected_paths}):
        running.add(plain_proto(path))
    affected = [referring_proto(path, rng.randint(1, affected_versions)) for path in affected_paths]
    later = ordinary[artifact_count // 2 :] if life_goes_on else []
    for schema in interleaved([*affected, *ordinary[: len(ordinary) - len(later)]], rng):
        everyday(running, running.add(schema))
    updates = [each for _ in range(restarts) for each in _restart(running)]
    if stage == "lost":
        running.stored = compacted(running.stored, keeps_tombstones=keeps_tombstones)
        if life_goes_on:
            running.start()
            dropped = running.drop_at_replay({version.schema.content_hash for version, _, _ in updates})
            if made_again:
                running.wait(HOUR_MS, 5 * HOUR_MS)
                running.add(dropped[0].schema)
                updates += _restart(running)
    for schema in interleaved(later, rng):
        everyday(running, running.add(schema))
    journal = running.journal()
    return replace(journal, empty_updates=_truth(running, updates, journal.stored))


def _restart(running: Registry) -> list[tuple[Version, int, int]]:
    running.wait(2 * HOUR_MS, 60 * HOUR_MS)
    restart_offset = running.start()
    return [(version, offset, restart_offset) for version, offset in running.upgrade_canonical_hashes()]


def _truth(
    running: Registry, updates: list[tuple[Version, int, int]], stored: list[Stored]
) -> list[EmptyUpdate]:
    there = {entry.offset for entry in stored}
    nulled = {entry.record.key for entry in stored if entry.record.value is None}
    truth = []
    for content_id in dict.fromkeys(version.content_id for version, _, _ in updates):
        own = [each for each in updates if each[0].content_id == content_id]
        users = {version.offset: version for version, _, _ in own if version.key not in nulled}
        places = {(version.schema.group, version.schema.artifact) for version in users.values()}
        content_offset = running.content_offsets[content_id]
        truth.append(
            EmptyUpdate(
                content_id=content_id,
                content_hash=own[0][0].schema.content_hash,
                offsets=tuple(offset for _, offset, _ in own if offset in there),
                content_offset=content_offset,
                is_lost=content_offset not in there,
                artifacts=tuple(sorted("/".join(filter(None, place)) for place in places)),
                artifact_offsets=tuple(sorted(there.intersection(users))),
                restart_offset=own[0][2],
            )
        )
    return truth
