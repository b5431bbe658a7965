"""One content that an UPDATE replaced with nothing, its facts sorted out for the functions that word them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from spark.detectors import Row
from spark.detectors.apicurio._repair import artifact_of


@dataclass(frozen=True)
class Version:
    """An artifact version that needs the content, and where its record stands."""

    label: str
    offset: int
    lacking: bool


@dataclass(frozen=True)
class Case:
    """One content as the describing functions need it; every list in offset order."""

    topic: str
    content_id: str
    content_hash: str
    status: str
    held_by: list[int]  # records with the content that an empty UPDATE of the same key follows
    kept: list[int]  # records with the same content, under any id, that compaction keeps
    updates: list[
        int
    ]  # the empty UPDATEs that count: after the last record with the content, if there is one
    needs: list[Version]
    gone: list[str]
    later_versions: list[Version]  # versions with another content that fall with the first of their artifact
    restart: int | None
    partition_first_offset: int

    @property
    def artifacts(self) -> list[str]:
        """The artifacts that need the content, each once."""
        return list(dict.fromkeys(artifact_of(version.label) for version in self.needs))

    @property
    def broken(self) -> list[Version]:
        """The versions that cannot be read now."""
        return [version for version in self.needs if version.lacking]

    @property
    def to_append(self) -> list[int]:
        """Artifact records that must stand again behind the content, with what follows for their artifacts."""
        stranded = [version for version in self.needs if not self.kept or version.offset < self.kept[0]]
        return sorted({version.offset for version in [*stranded, *self.later_versions]})


def case_of(row: Row) -> Case:
    """A row of `find` with its facts sorted out."""
    facts = sorted(row["facts"], key=lambda fact: fact["offset"])
    needs = sorted(row["needs"], key=lambda fact: fact["offset"])
    own = [fact for fact in facts if fact["content_id"] == row["content_id"]]
    empties = [fact for fact in own if fact["kind"] == "empty"]
    own_fulls = [fact for fact in own if fact["kind"] == "full"]
    fulls = [fact for fact in facts if fact["kind"] == "full"]
    return Case(
        topic=row["topic"],
        content_id=row["content_id"],
        content_hash=row["content"].rpartition("/")[2],
        status=row["status"],
        held_by=[full["offset"] for full in own_fulls if followed(full, empties)],
        kept=[full["offset"] for full in fulls if not followed(full, facts)],
        updates=counting(empties, own_fulls),
        needs=[Version(fact["label"], fact["offset"], fact["kind"] == "lacking") for fact in needs],
        gone=[fact["label"] for fact in facts if fact["kind"] == "gone"],
        later_versions=later_versions(needs, row["content"]),
        restart=row["restart_offset"],
        partition_first_offset=row["partition_first_offset"] or 0,
    )


def followed(full: Any, empties: Sequence[Any]) -> bool:
    """Whether an empty UPDATE of the same key stands after a record."""
    return any(
        empty["record_key"] == full["record_key"] and empty["offset"] > full["offset"] for empty in empties
    )


def counting(empties: Sequence[Any], fulls: Sequence[Any]) -> list[int]:
    """The empty UPDATEs after the last record of their key with the content; all of them if none follows one."""
    last_full: dict[str, int] = {}
    for full in fulls:
        last_full[full["record_key"]] = full["offset"]
    after = [empty["offset"] for empty in empties if empty["offset"] > last_full.get(empty["record_key"], -1)]
    return after or [empty["offset"] for empty in empties]


def later_versions(needs: Sequence[Any], content: str) -> list[Version]:
    """Versions with another content that fall with the first version of their artifact."""
    found = {
        version["label"]: Version(version["label"], version["offset"], False)
        for need in needs
        for version in need["later"] or []
        if version["content"] != content
    }
    return list(found.values())
