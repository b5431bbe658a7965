"""The text of an entity: what its record's value holds, or the content that it names by id; and how it changed.

An entity names another by a member `<type>Id` (`contentId` names a content). Of ids that end in a number the one
before is the entity before: version 2 is compared with version 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from webapp.reports.queries.entity import named, origins_of, users_of
from webapp.reports.queries.record import read_values
from webapp.reports.queries.state import ReplayView
from webapp.reports.results import PartitionResults, Rows
from webapp.reports.values.attributes import members_of
from webapp.reports.values.differences import Difference, compare_texts
from webapp.reports.values.embedded_text import held_text

CONTENT = "content"
REDACTED = "[redacted]"  # where the replay left a secret out, the record's own text must not bring it back
PARTS_COMPARED = 40
MAX_DIGITS = 19  # of a number that ends an id
NAMING = "Id"  # ending of the members that name another entity


class Texts:
    """Texts of a page of intervals, and of the sibling before the first."""

    def __init__(
        self, partition: PartitionResults, replay: ReplayView, entity: dict[str, str], rows: Rows
    ) -> None:
        sibling = _sibling(partition, replay, entity)
        self._sibling_name = sibling["entity_id"] if sibling else None
        befores = [row["before"] for row in rows if row.get("before")]
        everyone = [*rows, *befores, *([sibling] if sibling else [])]
        offsets, self._texts = _texts(partition, replay, everyone)
        self._offsets = dict(zip(map(id, everyone), offsets, strict=True))
        self.has_secret = bool(rows) and REDACTED in rows[-1]["attributes"]
        self._sibling = sibling
        self.last_offset = self._offsets[id(rows[-1])] if rows else None
        self.last = self._texts.get(self.last_offset) if self.last_offset is not None else None

    def compared_with(self, row: dict[str, Any]) -> str:
        """With what an interval's text is compared."""
        if row.get("before"):
            return f"offset {row['before']['valid_from_offset']}"
        return self._sibling_name or ""

    def difference(self, row: dict[str, Any]) -> Difference | None:
        """From the interval before, or from the sibling; None where there is no text, or nothing before."""
        before = row.get("before") or self._sibling
        if before is None or self._offsets[id(before)] == self._offsets[id(row)]:
            return None
        old, new = self._of(before), self._of(row)
        return compare_texts(old, new) if old is not None and new is not None else None

    def _of(self, row: dict[str, Any]) -> str | None:
        return self._texts.get(self._offsets[id(row)])


def with_differences(partition: PartitionResults, replay: ReplayView, rows: Rows) -> Rows:
    """Parts of an entity; the first few with the `difference` of their text from that of the one before."""
    few = rows[:PARTS_COMPARED]
    offsets, texts = _texts(partition, replay, few)
    before = dict(zip(((row["entity_type"], row["entity_id"]) for row in few), offsets, strict=True))
    for row, offset in zip(few, offsets, strict=True):
        name = id_before(row["entity_id"])
        other = before.get((row["entity_type"], name or ""))
        old, new = texts.get(other) if other is not None else None, texts.get(offset)
        if name and old is not None and new is not None and other != offset:
            row |= {"difference": compare_texts(old, new), "compared_with": name}
    return rows


def id_before(entity_id: str) -> str | None:
    """`group/artifact/2` -> `group/artifact/1`; None where the last part is no number above 1."""
    *above, last = entity_id.split("/")
    if not above or not last.isascii() or not last.isdigit() or len(last) > MAX_DIGITS or int(last) < 2:
        return None
    return "/".join([*above, str(int(last) - 1)])


def relatives_of(
    partition: PartitionResults, replay: ReplayView, entity: dict[str, str], rows: Rows
) -> list[dict[str, Any]]:
    """What it names, what its id begins with, and what names it."""
    parts = entity["entity_id"].split("/")
    above = {"/".join(parts[:number]) for number in range(1, len(parts))}
    members = members_of(rows[-1]["attributes"]) if rows else {}
    pairs = _named_by(members) - {(entity["entity_type"], entity["entity_id"])}
    relatives = [row | {"how": "belongs to"} for row in named(partition, replay, set(), above)]
    seen = {(row["entity_type"], row["entity_id"]) for row in relatives}
    relatives += [row | {"how": "names"} for row in named(partition, replay, pairs - seen, set())]
    seen = {(row["entity_type"], row["entity_id"]) for row in relatives}
    users = users_of(partition, replay, entity)
    relatives += [
        row | {"how": "is named by"} for row in users if (row["entity_type"], row["entity_id"]) not in seen
    ]
    return relatives


def _sibling(
    partition: PartitionResults, replay: ReplayView, entity: dict[str, str]
) -> dict[str, Any] | None:
    """The entity whose id ends in the number before."""
    name = id_before(entity["entity_id"])
    siblings = named(partition, replay, {(entity["entity_type"], name)}, set()) if name else []
    return siblings[0] if siblings else None


def _texts(
    partition: PartitionResults, replay: ReplayView, rows: Rows
) -> tuple[list[int], dict[int, str | None]]:
    """Of each row the offset of the record that holds its text; and the texts by offset, none where one is a secret."""
    contents = _contents(partition, replay, rows)
    offsets = [_text_offset(row, contents) for row in rows]
    values = read_values(partition, sorted(set(offsets)))
    texts = {offset: held_text(value) for offset, value in values.items()}
    secret = (offset for row, offset in zip(rows, offsets, strict=True) if REDACTED in row["attributes"])
    return offsets, texts | dict.fromkeys(secret)


def _contents(partition: PartitionResults, replay: ReplayView, rows: Rows) -> dict[str, int]:
    """Offset of the record that set each content that the rows name."""
    ids = {name[1] for row in rows for name in _named_by(members_of(row["attributes"])) if name[0] == CONTENT}
    return origins_of(partition, replay, CONTENT, sorted(ids)) if ids else {}


def _text_offset(row: dict[str, Any], contents: dict[str, int]) -> int:
    named_contents = {pair[1] for pair in _named_by(members_of(row["attributes"])) if pair[0] == CONTENT}
    return next((contents[name] for name in named_contents if name in contents), row["origin_offset"])


def _named_by(members: Mapping[str, Any]) -> set[tuple[str, str]]:
    return {
        (name.removesuffix(NAMING), str(value))
        for name, value in members.items()
        if name.endswith(NAMING) and isinstance(value, str | int) and value != ""
    }
