"""A chain of hashes over the audit log: a changed, deleted or inserted event is seen, whoever could write to the database.

    hash(n) = SHA-256(hash(n-1), a line end, canonical JSON of event n)        hash(0) = 64 zeros

Seals stand in a table of their own, in the order in which they were made. Events are written inside the transactions of
what they tell about, several at once, so no writer waits for another: one sealer at a time follows a moment later and takes
what is committed, by id. An event that commits after one with a higher id gets the later seal.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC
from typing import Any

from django.db import connection, transaction
from django.db.models import Max, QuerySet

from webapp.audit.models import Event, Seal

GENESIS = "0" * 64
CHUNK = 2000
# ids: a transaction that took longer than so many events of others is found by a backup only
LOOK_BACK = 10_000
LOCK = 0x617564697473  # PostgreSQL's advisory locks are numbers: "audits"
FIELDS = (
    "pk", "at", "actor_id", "actor_name", "project_id", "action", "target_kind", "target_id", "target_name", "address",
    "request_id", "detail",
)  # fmt: skip


@dataclass(frozen=True)
class Checked:
    """Result of a check: number of events, newest hash, and the first event that does not fit."""

    count: int
    head: str
    unsealed: int
    problem: str = ""
    has_head: bool = True


def seal(look_back: int | None = LOOK_BACK) -> int:
    """Add unsealed events to the chain; returns their number. `look_back` limits the search to the newest ids."""
    count = 0
    while added := _seal_some(look_back):
        count += added
    return count


@transaction.atomic
def _seal_some(look_back: int | None) -> int:
    if connection.vendor == "postgresql":
        connection.cursor().execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
    last = Seal.objects.order_by("-pk").first()
    number, previous = (last.pk, last.sha256) if last else (0, GENESIS)
    newest = Seal.objects.aggregate(newest=Max("event_id"))["newest"] or 0
    first = 0 if look_back is None else newest - look_back
    waiting = _unsealed(first).order_by("pk")[:CHUNK]
    made = []
    for number, event in enumerate(waiting, number + 1):  # noqa: B020 (goes on from the last one)
        previous = hash_of(previous, event)
        made.append(Seal(pk=number, event_id=event.pk, sha256=previous))
    Seal.objects.bulk_create(made)
    return len(made)


def check(head: str = "") -> Checked:
    """Verify the whole chain. `head` is a hash noted earlier, which must occur in it."""
    previous, count, problem, has_head = GENESIS, 0, "", not head
    for made, event in _pairs():
        count += 1
        problem = problem or _problem(made, event, count, previous)
        previous = made.sha256
        has_head = has_head or made.sha256 == head
    return Checked(count, previous, _unsealed().count(), problem, has_head)


def hash_of(previous: str, event: Event) -> str:
    """SHA-256 of the previous hash and the event, as hex."""
    return hashlib.sha256(f"{previous}\n{canonical(event)}".encode()).hexdigest()


def canonical(event: Event) -> str:
    """Text of an event that is the same in every database."""
    values = {name: getattr(event, name) for name in FIELDS} | {"at": event.at.astimezone(UTC).isoformat()}
    return json.dumps(_plain(values), sort_keys=True, separators=(",", ":"))


def _plain(value: Any) -> Any:
    """PostgreSQL returns numbers such as 1.0 and 1e3 in JSON differently from SQLite."""
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _unsealed(first: int = 0) -> QuerySet[Event]:
    sealed = Seal.objects.filter(event_id__gte=first).values("event_id")
    return Event.objects.filter(pk__gte=first).exclude(pk__in=sealed)


def _pairs() -> Iterator[tuple[Seal, Event | None]]:
    """Seals in order, each with its event, or None if the event is gone."""
    last = 0
    while made := list(Seal.objects.filter(pk__gt=last).order_by("pk")[:CHUNK]):
        events = Event.objects.in_bulk([seal.event_id for seal in made])
        yield from ((seal, events.get(seal.event_id)) for seal in made)
        last = made[-1].pk


def _problem(made: Seal, event: Event | None, number: int, previous: str) -> str:
    if made.pk != number:
        return f"Seal {number} is missing: the next seal is {made.pk}, of event {made.event_id}."
    if event is None:
        return f"Event {made.event_id} is missing: it was deleted after seal {number} was made."
    if hash_of(previous, event) != made.sha256:
        return f"Event {event.pk} or seal {number} was changed after it was written: {event}."
    return ""
