"""One content with an UPDATE without content, as the functions that word it want it."""

from __future__ import annotations

from dataclasses import dataclass

from spark.detectors.apicurio._repair import artifact_of
from spark.tables.replica import Row


@dataclass(frozen=True)
class VersionOfCase:
    """An artifact version, where its record stands, and whether the registry drops it now."""

    label: str
    offset: int
    lacking: bool = False


@dataclass(frozen=True)
class Case:
    """One content; every list in offset order."""

    topic: str
    content_id: str
    content_hash: str
    status: str
    held_by: list[int]  # records with the content that an empty UPDATE of the same key follows
    kept: list[int]  # records with the same content, under any id, that compaction keeps
    updates: list[
        int
    ]  # the empty UPDATEs that count: after the last record with the content, if there is one
    needs: list[VersionOfCase]
    gone: list[str]
    later_versions: list[
        VersionOfCase
    ]  # versions with another content that fall with the first of their artifact
    restart: int | None
    starts_at_zero: bool

    @property
    def artifacts(self) -> list[str]:
        """The artifacts that need the content, each once."""
        return list(dict.fromkeys(artifact_of(version.label) for version in self.needs))

    @property
    def broken(self) -> list[VersionOfCase]:
        """The versions that cannot be read now."""
        return [version for version in self.needs if version.lacking]

    @property
    def to_append(self) -> list[int]:
        """Artifact records that must stand again behind the content, with what follows for their artifacts."""
        stranded = [version for version in self.needs if not self.kept or version.offset < self.kept[0]]
        return sorted({version.offset for version in [*stranded, *self.later_versions]})


def case_of(row: Row) -> Case:
    """A row of `find`; members that are null may be absent."""
    return Case(
        topic=row["topic"],
        content_id=row["content_id"],
        content_hash=row["content"].rpartition("/")[2],
        status=row["status"],
        held_by=list(row["held_by"]),
        kept=list(row["kept"]),
        updates=list(row["updates"]),
        needs=[VersionOfCase(**version) for version in row["needs"]],
        gone=list(row["gone"]),
        later_versions=[VersionOfCase(**version) for version in row["later_versions"]],
        restart=row.get("restart_offset"),
        starts_at_zero=row["starts_at_zero"],
    )
