"""Histories of three schema registries, and one fault in the midst of each: what a fault touches is left alone after it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from tests.generator.segment import Record
from tests.spark.dialects.schema_registry.journals import Parts, compact, key
from tests.spark.dialects.schema_registry.simulations import Confluent, Karapace, Redpanda, Registry
from tests.spark.faults.logs import Broken, Log, log_of

TOPIC = "_schemas"


class Nodes(Redpanda):
    """Nodes of which a loser had the same idea as the winner: a write that was given up is a finding, and right so."""

    def lose(self, keytype: str, subject: str, number: int | None, value: dict[str, Any], node: int) -> None:
        if self.log:
            self.lost.append(len(self.log))
            late = key(keytype, subject, number, seq=len(self.log) - 1, node=node)
            self.write(late, compact(value))


KINDS: dict[str, type[Registry]] = {"confluent": Confluent, "redpanda": Nodes, "karapace": Karapace}
HEADERS = {"karapace": [(b"X-Registry-Version", b"karapace-4.1.0"), (b"X-Origin-Host", b"schemas-1")]}
STEPS = 50
VICTIM = "victim-value"  # a subject that no client of the simulation uses


@dataclass(frozen=True)
class Fault:
    """What goes wrong: `inject` writes it and gives the offsets that the finding must name one of."""

    detector: str
    inject: Callable[[Registry], list[int]]
    kinds: tuple[str, ...] = ("confluent",)


def started(kind: str, seed: int) -> Registry:
    """A registry in its first steps, which leave a mark of whose it is."""
    registry = KINDS[kind](Random(seed))
    if kind == "confluent":
        registry.write(key("NOOP"), None)
    return registry


def steps(registry: Registry, count: int) -> None:
    """So many calls of clients."""
    for _ in range(count):
        registry.step()


def log(registry: Registry, kind: str, seed: int) -> Log:
    """What it has written, seconds to minutes apart."""
    return log_of(registry.log, Random(seed), HEADERS.get(kind, ()))


def history(kind: str, seed: int) -> Log:
    """A legal history."""
    registry = started(kind, seed)
    steps(registry, STEPS)
    return log(registry, kind, seed)


def broken(name: str, kind: str, seed: int) -> Broken:
    """The same with a fault at a random place."""
    fault, random, registry = FAULTS[name], Random(seed), started(kind, seed)
    before = random.randrange(10, STEPS)
    steps(registry, before)
    offsets = fault.inject(registry)
    steps(registry, STEPS - before)
    return Broken(log(registry, kind, seed), frozenset(offsets), fault.detector)


def text(name: str) -> str:
    """A schema that the simulation does not know."""
    return compact({"type": "record", "name": name, "fields": []}).decode()


def value(number: int, schema_id: int, name: str, deleted: bool = False, **more: Any) -> bytes:
    """A version of the victim."""
    members = {
        "subject": VICTIM,
        "version": number,
        "id": schema_id,
        "schema": text(name),
        "deleted": deleted,
    }
    return compact({**members, **more})


def write(registry: Registry, written: bytes | None, content: bytes | None) -> int:
    """Append a record; gives its offset."""
    registry.write(written, content)  # type: ignore[arg-type]
    return len(registry.log) - 1


def put(registry: Registry, number: int, content: bytes) -> int:
    """A version of the victim, as this registry writes it: Redpanda knows the offset it takes."""
    here = {"seq": len(registry.log), "node": 0} if isinstance(registry, Redpanda) else {}
    return write(registry, key("SCHEMA", VICTIM, number, **here), content)


def new_id(registry: Registry) -> int:
    """The next id, which is then taken."""
    if isinstance(registry, Karapace):
        return registry.id_of(VICTIM, text(f"Taken{len(registry.ids)}"))
    registry.next_ids[""] = registry.next_ids.get("", 0) + 1
    return registry.next_ids[""]


def one_id_two_schemas(registry: Registry) -> list[int]:
    taken = new_id(registry)
    return [put(registry, 1, value(1, taken, "A")), put(registry, 2, value(2, taken, "B"))]


def version_overwritten(registry: Registry) -> list[int]:
    first = put(registry, 1, value(1, new_id(registry), "A"))
    return [first, put(registry, 1, value(1, new_id(registry), "B"))]


def missing_reference(registry: Registry) -> list[int]:
    wanted = [{"name": "part", "subject": "part-value", "version": 7}]
    return [put(registry, 1, value(1, new_id(registry), "A", references=wanted))]


def tombstone_in_old_form(registry: Registry) -> list[int]:
    """Deleted for good by an older registry, whose key has its members in another order."""
    first = put(registry, 1, value(1, new_id(registry), "A"))
    marked = write(registry, key("DELETE_SUBJECT", VICTIM), compact({"subject": VICTIM, "version": 1}))
    old = compact({"subject": VICTIM, "version": 1, "magic": 1, "keytype": "SCHEMA"})
    return [first, marked, write(registry, old, None)]


def empty_delete(registry: Registry) -> list[int]:
    """Karapace deletes in a journal that Confluent's registry reads."""
    put(registry, 1, value(1, new_id(registry), "A"))
    write(registry, key("DELETE_SUBJECT", VICTIM), compact({"subject": VICTIM, "version": 1}))
    return [write(registry, key("SCHEMA", VICTIM, 1), b"")]


def ahead_of_the_log(registry: Registry) -> list[int]:
    place = len(registry.log)
    ahead = key("SCHEMA", VICTIM, 1, seq=place + 3, node=0)
    return [write(registry, ahead, value(1, new_id(registry), "A"))]


def unwritten_tombstone(registry: Registry) -> list[int]:
    """The version's own tombstone stands beside one for a key that nobody wrote."""
    never = key("SCHEMA", VICTIM, 1, seq=len(registry.log) - 5, node=9)
    return [write(registry, never, None)]


def half_a_hard_delete(registry: Registry) -> list[int]:
    """A version and its soft delete have two keys; only the first gets a tombstone."""
    schema_id = new_id(registry)
    live = put(registry, 1, value(1, schema_id, "A"))
    dead = put(registry, 1, value(1, schema_id, "A", deleted=True))
    first = registry.log[live][0]
    return [live, dead, write(registry, first, None)]


def ids_again(registry: Registry) -> list[int]:
    """Ids were far, and then a leader counts from one again."""
    for number in range(1, 31):
        put(registry, number, value(number, new_id(registry), f"V{number}"))
    registry.next_ids[""] = 0
    return [put(registry, number, value(number, new_id(registry), f"V{number}")) for number in range(31, 37)]


def unknown_keytype(registry: Registry) -> list[int]:
    return [write(registry, compact({"keytype": "SOMETHING", "subject": VICTIM, "magic": 1}), b"{}")]


def cut_value(registry: Registry) -> list[int]:
    return [put(registry, 1, value(1, new_id(registry), "A")[:-9])]


ALL = tuple(KINDS)
SAME_KEY = ("confluent", "karapace")
FAULTS = {
    "two schemas under one id": Fault("schema-id-collision", one_id_two_schemas, ALL),
    "version overwritten": Fault("version-overwritten", version_overwritten, SAME_KEY),
    "reference to a missing version": Fault("dangling-reference", missing_reference, ALL),
    "tombstone in another key form": Fault("resurrected-schema", tombstone_in_old_form),
    "Karapace's empty delete": Fault("empty-value-not-tombstone", empty_delete),
    "seq ahead of the offset": Fault("illegal-sequence", ahead_of_the_log, ("redpanda",)),
    "tombstone of an unwritten key": Fault("tombstone-of-unwritten-key", unwritten_tombstone, ("redpanda",)),
    "half a hard delete": Fault("hard-delete-incomplete", half_a_hard_delete, ("redpanda",)),
    "ids begin again": Fault("schema-id-restart", ids_again),
    "unknown keytype": Fault("unreadable-entry", unknown_keytype, ALL),
    "value cut off": Fault("unreadable-entry", cut_value, ALL),
}


def shifted(kind: str, seed: int) -> Broken:
    """A journal copied to another topic, where its first records are missing: every seq is above its offset."""
    registry = started(kind, seed)
    steps(registry, STEPS)
    whole = log(registry, kind, seed)
    copied = [(offset, record) for offset, (_, record) in enumerate(whole[7:])]
    return Broken(copied, frozenset(range(len(copied))), "copied-journal")


def rolled_back(seed: int) -> Broken:
    """Two leaders gave one id to two schemas; each takes back what it reads second."""
    random, registry = Random(seed), started("confluent", seed)
    steps(registry, random.randrange(10, STEPS))
    offset = put(registry, 1, value(1, new_id(registry), "A"))
    steps(registry, 10)
    told = log(registry, "confluent", seed)
    back = Record(told[offset][1].key, None, told[offset][1].timestamp_ms + 40)
    records: list[Record] = [record for _, record in told]
    renewed = list(enumerate([*records[: offset + 1], back, back, *records[offset + 1 :]]))
    return Broken(renewed, frozenset([offset, offset + 1, offset + 2]), "registration-rolled-back")


def without_key(seed: int) -> Broken:
    """A record without a key: a Confluent registry does not start with it."""
    registry = started("confluent", seed)
    steps(registry, STEPS)
    place = Random(seed).randrange(len(registry.log) // 2, len(registry.log))
    parts: list[Parts] = [*registry.log[:place], (None, b"{}"), *registry.log[place:]]
    return Broken(log_of(parts, Random(seed)), frozenset([place]), "unreadable-entry")
