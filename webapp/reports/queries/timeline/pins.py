"""Lanes of their own for the victims of the incidents: which records are about each of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from spark.tables.replica import PartitionReplica
from spark.terms.entity_words import owners
from spark.terms.findings import OF_THE_LOG
from spark.terms.wording import plural, type_name
from webapp.reports.queries.entity import types_of
from webapp.reports.queries.kinds import OWN
from webapp.reports.report import Report
from webapp.reports.results import WHERE_REPLICA, PartitionResults

PINS = 8
MAX_RECORDS = 20_000  # of all pins together; what has more stays in the lane of its type
PLAIN_TYPE = "replace(replace(lower(coalesce({}, '')), '-', ''), '_', '')"
BELOW = "(entity_id = pin_id OR starts_with(entity_id, pin_id || '/'))"
RECORDS_OF_PINS = f"""
WITH pins AS (
    SELECT unnest($numbers) AS number, unnest($types) AS pin_type, unnest($ids) AS pin_id
)
SELECT "offset", min(number) AS number FROM (
    SELECT "offset", number FROM entries JOIN pins
    ON {BELOW} AND starts_with({PLAIN_TYPE.format("entry_type")}, {PLAIN_TYPE.format("pin_type")})
    WHERE {WHERE_REPLICA}
    UNION ALL SELECT "offset", number FROM refusals JOIN pins
    ON {BELOW} AND (entity_type = pin_type OR entity_id <> pin_id) WHERE {OWN}
    UNION ALL SELECT origin_offset, number FROM state JOIN pins
    ON entity_id = pin_id AND entity_type = pin_type WHERE {OWN}
) GROUP BY "offset" ORDER BY "offset" LIMIT {MAX_RECORDS + 1}
"""
MAX_ENTITIES = 8
MAX_TEXT = 300  # characters
CALLED = f"""
SELECT entity_type, entity_id, min(rank) AS rank FROM (
    SELECT entity_type, entity_id, 0 AS rank FROM state WHERE {OWN} AND entity_id IN (SELECT unnest($ids))
    UNION ALL SELECT entity_type, entity_id, 0 FROM refusals WHERE {OWN} AND entity_id IN (SELECT unnest($ids))
    UNION ALL SELECT entry_type, entity_id, 1 FROM entries WHERE {WHERE_REPLICA} AND entity_id IN (SELECT unnest($ids))
) WHERE starts_with({PLAIN_TYPE.format("entity_type")}, CASE WHEN entity_id = $text THEN '' ELSE
    replace(replace(replace(lower(left($text, length($text) - length(entity_id))), ' ', ''), '-', ''), '_', '') END)
GROUP BY entity_type, entity_id ORDER BY rank, entity_type, entity_id LIMIT {MAX_ENTITIES}
"""


@dataclass(frozen=True)
class Pin:
    """An entity with its own lane."""

    entity_type: str  # empty where no state knows it
    entity_id: str

    @property
    def id(self) -> str:
        """Id of the lane in addresses. No type contains a colon."""
        return f"entity:{self.entity_type}:{self.entity_id}"

    @property
    def lane(self) -> str:
        """`Content 48`, `Artifact pay/invoice`."""
        name = f"{type_name(self.entity_type)} {self.entity_id}".strip()
        return name[:1].upper() + name[1:] if self.entity_type else name


@dataclass(frozen=True)
class Pins:
    """Pinned entities in order, and the lane of each record that is about one of them."""

    pins: tuple[Pin, ...] = ()
    offsets: list[int] = field(default_factory=list)
    lanes: list[str] = field(default_factory=list)
    more_victims: str = ""  # `1 schema ID`, without a lane of its own


def pins_of(partition: PartitionResults, report: Report, by_hand: tuple[Pin, ...] = ()) -> Pins:
    """Eight victims of the incidents, or nine rather than one without a lane, the worst incident first, and what somebody pinned.
    Remembered: they are the same at every zoom."""

    def read() -> Pins:
        victims = _named(partition, report)
        first, further = victims[:PINS], _without_lane(victims, victims[:PINS])
        pins = list(dict.fromkeys([*first, *(further if len(further) == 1 else []), *by_hand]))
        laid = _with_records(partition, pins, _proof(report, partition.replica)) if pins else Pins()
        return replace(laid, more_victims=_more(victims, pins) if laid.pins else "")

    return partition.remembered(("pins", by_hand), read)


def _without_lane(victims: Sequence[Pin], pins: Sequence[Pin]) -> list[Pin]:
    """Of the types that have lanes, where there are such."""
    left_out = [pin for pin in victims if pin not in pins]
    with_lanes = {pin.entity_type for pin in pins}
    return [pin for pin in left_out if pin.entity_type in with_lanes] or left_out


def _more(victims: Sequence[Pin], pins: Sequence[Pin]) -> str:
    """How many have no lane."""
    counted = _without_lane(victims, pins)
    types = {type_name(pin.entity_type) for pin in counted}
    noun = (types.pop() if len(types) == 1 else "") or "victim"
    return plural(len(counted), noun) if counted else ""


def _named(partition: PartitionResults, report: Report) -> list[Pin]:
    about = {finding.id for finding in report.findings if finding.is_about(partition.replica)}
    pins: list[Pin] = []
    for incident in report.document.get("incidents", []):
        victims = incident.get("victims") or []
        rows = [
            victim
            for victim in victims
            if victim["finding"] in about and victim["entity_type"] not in OF_THE_LOG
        ]
        types = list(dict.fromkeys(row["entity_type"] for row in rows))
        rows.sort(key=lambda row: types.index(row["entity_type"]))
        pins += _heads(partition, rows)
    return list(dict.fromkeys(pins))


def _heads(partition: PartitionResults, rows: Iterable[dict[str, Any]]) -> list[Pin]:
    """A version is in the lane of its artifact."""
    pairs = [(row["entity_type"], row["entity_id"], (owners(row["entity_id"]) or [""])[-1]) for row in rows]
    owned = sorted({owner for kind, _, owner in pairs if kind == "version" and owner})
    types = types_of(partition, owned) if owned else {}
    type_by_id = {entity_id: kind for kind, entity_id, _ in pairs}
    usual = next(
        (kinds[0] for kinds in types.values()), ""
    )  # of what the service never held: as its siblings
    return [
        Pin((types.get(owner) or [type_by_id.get(owner, usual)])[0], owner)
        if kind == "version" and owner
        else Pin(kind, entity_id)
        for kind, entity_id, owner in pairs
    ]


def _proof(report: Report, replica: PartitionReplica) -> dict[tuple[str, str], list[int]]:
    """By victim: offsets of the records that prove what happened to it."""
    by_id = {finding.id: finding for finding in report.findings if finding.is_about(replica)}
    proof: dict[tuple[str, str], list[int]] = {}
    for incident in report.document.get("incidents", []):
        for row in incident.get("victims") or []:
            if row["finding"] in by_id:
                pair = row["entity_type"], row["entity_id"]
                proof.setdefault(pair, []).extend(by_id[row["finding"]].evidence)
    return proof


def _with_records(
    partition: PartitionResults,
    pins: list[Pin],
    proof: dict[tuple[str, str], list[int]],
) -> Pins:
    parameters = {
        "numbers": list(range(len(pins))),
        "types": [pin.entity_type for pin in pins],
        "ids": [pin.entity_id for pin in pins],
    }
    number_by_offset = {row["offset"]: row["number"] for row in partition.rows(RECORDS_OF_PINS, parameters)}
    if len(number_by_offset) > MAX_RECORDS:
        return Pins()
    for number, pin in enumerate(pins):
        if number not in number_by_offset.values():
            for offset in proof.get((pin.entity_type, pin.entity_id), []):
                number_by_offset.setdefault(offset, number)
    offsets = sorted(number_by_offset)
    return Pins(tuple(pins), offsets, [pins[number_by_offset[offset]].lane for offset in offsets])


def entities_called(partition: PartitionResults, text: str) -> list[Pin]:
    """Those that somebody means by `content 48`, `artifact-rule pay/invoice` or an id alone: of the service's state; entry types
    only where no state has the entity."""
    words = text.strip()[:MAX_TEXT].split(" ")
    ids = [" ".join(words[number:]) for number in range(len(words))]
    rows = partition.rows(CALLED, {"ids": ids, "text": " ".join(words)})
    best = min((row["rank"] for row in rows), default=0)
    return [Pin(row["entity_type"] or "", row["entity_id"]) for row in rows if row["rank"] == best]
