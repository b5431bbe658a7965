"""`journalscope-capture.json`: what a capture is of, and what the cluster said meanwhile. Form: docs/captures.md.

It is written while the capture runs, too (`finished_at_ms` null), so that a killed one goes on from what is whole.
"""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

from webapp.journals.disk.durable import sync

NAME, FORMAT = "journalscope-capture.json", 1
# So many events of a kind per partition are told one by one.
MAX_EVENTS = 20
Configs = dict[str, dict[str, str | None]]


@dataclass
class CaptureEvent:
    """`says` is a sentence for users."""

    kind: str
    at_ms: int
    offset: int | None
    says: str


@dataclass
class CapturedRange:
    """Contents of the segments; `next_offset` is where another capture continues."""

    first_offset: int | None
    next_offset: int
    batches: int = 0
    size_bytes: int = 0


@dataclass
class CapturedPartition:
    """One partition. Offsets after `partition`, `leader` and so on are those at the end of the capture."""

    partition: int
    leader: int
    leader_epoch: int | None
    replicas: list[int]
    in_sync: list[int]
    log_start_offset: int | None
    high_watermark: int | None
    last_stable_offset: int | None
    at_start: dict[str, int]
    asked: dict[str, int]
    got: CapturedRange
    segments: list[str] = field(default_factory=list)
    stopped_by: str | None = None
    fetch_version: int | None = None
    is_converted: bool | None = None
    log_size_bytes: int | None = None
    aborted: list[dict[str, int]] = field(default_factory=list)
    aborted_range: dict[str, int] | None = None
    producers: list[dict[str, Any]] | None = None
    epoch_ends: list[dict[str, int | None]] = field(default_factory=list)
    events: list[CaptureEvent] = field(default_factory=list)

    def tell(self, kind: str, says: str, offset: int | None = None) -> None:
        """Add an event, unless there are too many of the kind."""
        if sum(event.kind == kind for event in self.events) < MAX_EVENTS:
            self.events.append(CaptureEvent(kind, now_ms(), offset, says))

    def go_on_at(self, log_start_offset: int) -> None:
        """Retention deleted the head of the log; continue at its new start."""
        begin, end = self.got.next_offset, self.asked["to_offset"]
        self.tell(
            "log-start-moved",
            f"Offsets {begin} to {min(log_start_offset, end) - 1} were deleted before they could be captured: the log "
            f"starts at {log_start_offset} now.",
            begin,
        )
        self.log_start_offset = log_start_offset
        self.got.next_offset = min(log_start_offset, end)

    def ends_early(self, high_watermark: int) -> str:
        """Sentence for a log that ends below the captured offsets."""
        return f"The log ends at offset {high_watermark}, before {self.got.next_offset} where the capture is."

    @property
    def is_whole(self) -> bool:
        """Whether the requested end was reached."""
        return self.got.next_offset >= self.asked["to_offset"]


@dataclass
class CaptureManifest:
    started_at_ms: int
    captured_by: str
    tool: str
    cluster: dict[str, Any]
    topic: dict[str, Any]
    brokers: list[dict[str, Any]] = field(default_factory=list)
    partitions: list[CapturedPartition] = field(default_factory=list)
    transactions: list[dict[str, Any]] | None = None
    not_asked: list[dict[str, str]] = field(default_factory=list)
    finished_at_ms: int | None = None
    journalscope_capture: int = FORMAT

    @property
    def size_bytes(self) -> int:
        """Size of all segments."""
        return sum(partition.got.size_bytes for partition in self.partitions)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    def save(self, folder: Path) -> None:
        """Atomic."""
        folder.mkdir(parents=True, exist_ok=True)
        partial = folder / f"{NAME}.partial"
        partial.write_text(json.dumps(self.as_json(), ensure_ascii=False, indent=1), encoding="utf-8")
        sync(partial)
        partial.replace(folder / NAME)
        sync(folder)

    @classmethod
    def load(cls, folder: Path) -> Self | None:
        """The folder's manifest, or null when it has none. Raises ValueError for one of another format."""
        try:
            document = json.loads((folder / NAME).read_bytes())
        except FileNotFoundError:
            return None
        if document.get("journalscope_capture") != FORMAT:
            raise ValueError(f"{folder / NAME} does not have version {FORMAT}. Capture into another folder.")
        partitions = [
            CapturedPartition(
                **partition
                | {
                    "got": CapturedRange(**partition["got"]),
                    "events": [CaptureEvent(**event) for event in partition["events"]],
                }
            )
            for partition in document["partitions"]
        ]
        return cls(**document | {"partitions": partitions})

    def note(self, question: str, why: str | None) -> None:
        """Note why a question has no answer; None removes the note."""
        self.not_asked = [entry for entry in self.not_asked if entry["question"] != question]
        if why is not None:
            self.not_asked.append({"question": question, "why": why})


def now_ms() -> int:
    """Milliseconds since the epoch."""
    return time.time_ns() // 1_000_000
