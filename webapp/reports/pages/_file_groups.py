"""Input files as they belong together: by partition, and within it by segment, those with faults first.

A segment is one row: its log, the indexes of its name, and the snapshots of producer states up to the next segment.
A fault is a damaged range, or a finding about a log that lies in the offsets of the row.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from spark.tables.replica import PartitionReplica
from spark.terms.findings import SEVERITIES
from spark.terms.marked import UNNAMED
from webapp.reports.report import ReportFinding
from webapp.reports.results import Rows

SEGMENT = re.compile(r"(\d{20})\.\w+")
BY_NAME = "by its name: "  # begins the note of a companion file
BROKER, NOT_READ, NO_TOPIC, OUTPUT = "Whole broker", "Not read", "Topic unknown", "Output of tools"
# What tools print of a cluster (`spark.sources._grammar.declared_tables.TOOL_PRINTS`): their notes say what stands in the file.
PRINTS = frozenset(
    [
        "kafka-topics-describe",
        "kafka-configs-describe",
        "kafka-get-offsets",
        "kafka-transactions",
        "kafka-consumer-groups",
        "kafka-consumer-offset-checker",
        "rpk-group-describe",
        "log-cleaner-lines",
    ]
)


@dataclass
class FileRow:
    """A segment, or a single file. `main`: the file whose damage is drawn."""

    name: str
    files: Rows
    findings: list[ReportFinding] = field(default_factory=list)

    @property
    def has_fault(self) -> bool:
        return bool(self.damaged_ranges or self.findings)

    @property
    def is_checked(self) -> bool:
        """Whether the checksum of every record batch in it was computed and is right."""
        return any(row.get("has_right_checksums") for row in self.files)

    @property
    def main(self) -> dict[str, Any]:
        return max(
            self.files,
            key=lambda row: (row["damaged_bytes"] if row["damaged_ranges"] else -1, row["kind"] == "segment"),
        )

    @property
    def is_output(self) -> bool:
        """Whether a tool printed it: its note says what stands in it."""
        return self.main["layout"] in PRINTS

    @property
    def size_bytes(self) -> int:
        return sum(row["size_bytes"] or 0 for row in self.files)

    @property
    def damaged_bytes(self) -> int:
        return sum(row["damaged_bytes"] for row in self.files)

    @property
    def damaged_ranges(self) -> int:
        return sum(row["damaged_ranges"] for row in self.files)

    @property
    def is_segment(self) -> bool:
        return (
            any(row["kind"] == "segment" for row in self.files)
            and SEGMENT.fullmatch(self.files[0]["base"]) is not None
        )


@dataclass
class FileGroup:
    """Files of a partition in one folder, which is named once. `findings`: those of offsets that no row contains."""

    title: str
    folder: str
    rows: list[FileRow] = field(default_factory=list)
    findings: list[ReportFinding] = field(default_factory=list)

    @property
    def has_folder(self) -> bool:
        """Whether the folder says more than the title."""
        name, _, replica = self.title.removesuffix(")").partition(" (")
        return self.folder not in ("", name, replica, f"{replica}/{name}")

    @property
    def is_read(self) -> bool:
        return self.title != NOT_READ

    @property
    def faulty(self) -> list[FileRow]:
        return [row for row in self.rows if row.has_fault]

    @property
    def rest(self) -> list[FileRow]:
        """Rows without a fault."""
        return [row for row in self.rows if not row.has_fault]

    @property
    def has_fault(self) -> bool:
        return bool(self.findings or self.faulty)

    @property
    def rank(self) -> int:
        """Of its worst finding."""
        findings = [*self.findings, *(finding for row in self.rows for finding in row.findings)]
        return min((finding.rank for finding in findings), default=len(SEVERITIES))

    @property
    def files(self) -> int:
        return sum(len(row.files) for row in self.rows)

    @property
    def size_bytes(self) -> int:
        return sum(row.size_bytes for row in self.rows)

    @property
    def damaged_bytes(self) -> int:
        return sum(row.damaged_bytes for row in self.rows)

    @property
    def damaged_ranges(self) -> int:
        return sum(row.damaged_ranges for row in self.rows)


def groups_of(files: Rows, first: str = "", findings: Iterable[ReportFinding] = ()) -> list[FileGroup]:
    """All files; groups and rows with the worst finding or most damage first, then the group of this title, then by name.

    What was not read comes last, in one group.
    """
    by_group: dict[tuple[str, str], Rows] = {}
    for row in files:
        title = _title(row)
        folder, _, base = ("", "", row["name"]) if title == NOT_READ else row["name"].rpartition("/")
        by_group.setdefault((title, folder), []).append(row | {"base": base, "label": _label(row, base)})
    findings = list(findings)
    groups = [_group(title, folder, rows, findings) for (title, folder), rows in by_group.items()]
    last = (BROKER, OUTPUT, NO_TOPIC, NOT_READ)
    return sorted(
        groups,
        key=lambda group: (
            group.rank, -group.damaged_bytes, group.title != first, last.index(group.title) if group.title in last else -1, group.title, group.folder
        ),
    )  # fmt: skip


def _group(title: str, folder: str, files: Rows, findings: Iterable[ReportFinding]) -> FileGroup:
    group = FileGroup(title, folder, list(_rows(files)))
    replica = _replica(files[0])
    for finding in findings:
        if replica and finding.topic and finding.is_about(replica):
            rows = [row for row in group.rows if finding.lies_in(row.files)]
            for row in rows:
                row.findings.append(finding)
            if not rows:
                group.findings.append(finding)
    group.rows.sort(key=lambda row: (-row.damaged_bytes, not row.findings, row.name))
    return group


def _replica(row: dict[str, Any]) -> PartitionReplica | None:
    """The replica whose files stand in a group; None of what belongs to no partition."""
    if not row["topic"] or row["partition"] is None or row["kind"] == "ignored":
        return None
    return PartitionReplica(row["topic"], row["partition"], row["replica"] or "")


def _title(row: dict[str, Any]) -> str:
    if row["kind"] == "ignored":
        return NOT_READ
    if row["layout"] in PRINTS:
        return OUTPUT
    if not row["topic"] or row["topic"] == UNNAMED:
        return BROKER if row["kind"] == "companion" else NO_TOPIC
    name = row["topic"] if row["partition"] is None else f"{row['topic']}-{row['partition']}"
    return f"{name} ({row['replica']})" if row["replica"] else name


def _label(row: dict[str, Any], base: str) -> str:
    """What a file of a segment is: `log`, `offset index`."""
    note = row["note"] or ""
    if row["kind"] == "companion" and note.startswith(BY_NAME):
        return note.removeprefix(BY_NAME)
    return "log" if row["kind"] == "segment" else base


def _rows(files: Rows) -> Iterable[FileRow]:
    logs = sorted(
        match[1] for row in files if row["kind"] == "segment" and (match := SEGMENT.fullmatch(row["base"]))
    )
    rows: dict[str, FileRow] = {}
    for file in sorted(files, key=lambda file: (file["kind"] != "segment", file["base"])):
        name = _row_of(file["base"], logs)
        rows.setdefault(name, FileRow(name, [])).files.append(file)
    return rows.values()


def _row_of(base: str, logs: list[str]) -> str:
    """The segment of a file: the newest that begins at its offset or before; else the file's own name."""
    match = SEGMENT.fullmatch(base)
    at = bisect_right(logs, match[1]) if match else 0
    return logs[at - 1] if at else base
