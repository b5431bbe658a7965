"""What a cleaning did between two copies, as rows: what went and why, what must not have gone, what is late, what waits.

The entries of `cleaned` in a comparison (docs/compare.md): records by reason, and what the cleaner's model says of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from spark.terms.wording import clean_section

Url = Callable[[str, int], str]  # side, offset -> address of the record
OTHER = {"left": "right", "right": "left"}
WENT = {
    "superseded": "superseded by a newer record of the key",
    "tombstone": "records without a value, and no newer record of the key: likely tombstones past their delete horizon",
    "start_mark": "start marks without a value, which the cleaner removes like tombstones: likely past their delete horizon",
    "marker": "control records: likely past their delete horizon",
    "aborted": "records of aborted transactions",
    "no_key": "records without a key",
    "damaged": "in a corrupt batch (checksum mismatch)",
}
MARKER_OF_DATA = (
    "control records whose transaction still has records: consumers no longer know whether it was committed"
)
NEWEST = "no newer record of their key exists: their values are lost"
WAITS = {
    "horizon": "tombstones and control records that stay until their delete horizon",
    "not_due": "tombstones and control records without a horizon: the age of their segment decides",
    "not_reached": "the record that supersedes them comes after the clean section",
    "not_told": "it is unknown whether the cleaner could remove them",
}


@dataclass(frozen=True)
class Row:
    """A line of the table. `links`: the first offsets, with addresses on the side that has the records."""

    outcome: str
    tone: str
    records: int
    why: str
    links: list[tuple[int, str]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    until_ms: int | None = None

    @property
    def more(self) -> int:
        return self.records - len(self.links) if self.links else 0


@dataclass(frozen=True)
class Cleaning:
    """One side of a pair after compaction."""

    entry: dict[str, Any]
    rows: list[Row]

    @property
    def reach(self) -> str:
        """`the clean section ends at offset 5`."""
        return clean_section(self.entry["point_offset"], self.entry.get("point_is_from", "records"))

    @property
    def model(self) -> dict[str, Any] | None:
        """Result of the cleaner's model; None if the comparison did not run it."""
        return self.entry.get("model")


def cleanings(entry: dict[str, Any], url: Url) -> list[Cleaning]:
    """Cleanings of both sides."""
    return [Cleaning(cleaned, _rows(cleaned, url)) for cleaned in entry.get("cleaned") or [] if cleaned]


def _rows(cleaned: dict[str, Any], url: Url) -> list[Row]:
    """Rows by severity, the worst first."""
    here, before = cleaned["side"], OTHER[cleaned["side"]]
    model = cleaned.get("model") or {}

    def linked(side: str, offsets: list[int] | None) -> list[tuple[int, str]]:
        return [(offset, url(side, offset)) for offset in offsets or []]

    gone, gone_offsets = cleaned.get("gone") or {}, cleaned.get("gone_offsets") or {}
    lost = _lost(gone, gone_offsets, model)
    rows = [
        Row("lost: compaction must keep this record", "critical", lost[0], NEWEST, linked(before, lost[1]), lost[2]),
        Row("lost: compaction must keep this record", "critical", gone.get("marker_of_data", 0), MARKER_OF_DATA,
            linked(before, gone_offsets.get("marker_of_data"))),
        _late(cleaned, model, lambda offsets: linked(here, offsets)),
        Row("removed too early", "medium", model.get("ahead", 0),
            f"the superseding record comes after the cleaner's checkpoint (offset {cleaned['point_offset']}), which is older "
            "than the compaction", linked(before, model.get("ahead_offsets"))),
        *(Row("removed", "low", gone.get(reason, 0), why, linked(before, gone_offsets.get(reason)))
          for reason, why in WENT.items()),
        *_waiting(model),
    ]  # fmt: skip
    return [row for row in rows if row.records]


def _lost(
    gone: dict[str, int], offsets: dict[str, list[int]], model: dict[str, Any]
) -> tuple[int, list[int], list[str]]:
    """Records, offsets and keys: by the model where it was asked and knows of some, else by the records alone."""
    if model.get("lost"):
        return model["lost"], model.get("lost_offsets", []), model.get("lost_keys", [])
    return gone.get("newest", 0), offsets.get("newest", []), []


def _late(
    cleaned: dict[str, Any], model: dict[str, Any], linked: Callable[[list[int]], list[tuple[int, str]]]
) -> Row:
    """What should have gone: by the model, else by the records alone."""
    why = clean_section(cleaned["point_offset"], cleaned.get("point_is_from", "records"))
    records, offsets = model.get("overdue"), model.get("overdue_offsets")
    if not records:
        why = f"a newer record of the key exists, and {why}"
        records, offsets = cleaned.get("stayed", 0), cleaned.get("stayed_offsets")
    return Row("still present, overdue", "high", records, why, linked(offsets or []))


def _waiting(model: dict[str, Any]) -> list[Row]:
    full = ", where the offset map was full" if model.get("map_was_full") else ""
    return [
        Row("still present (allowed)", "low", number,
            WAITS.get(reason, reason.replace("_", " ")) + (full if reason == "not_reached" else ""),
            until_ms=model.get("last_horizon_ms") if reason == "horizon" else None)
        for reason, number in (model.get("waiting") or {}).items()
    ]  # fmt: skip
