"""One partition on its way into segment files: what comes is kept, what is odd about it is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kafka.record import MemoryRecords

from workers.capture.entries import FRAME_BYTES, MAGIC_AT, DamagedEntry, EntryRange, select_entries
from workers.capture.fetching import HAS_ISOLATION, PartitionFetch
from workers.capture.manifest import CapturedPartition
from workers.capture.segments import SegmentWriter
from workers.capture.topics import COMMITTED, UNCOMMITTED, Leader

# An entry that claims to be larger is damaged: no broker takes one (`max.message.bytes` is an int32, and memory is less).
MAX_ENTRY = 192 * 1024**2
# So often in a row a broker gives nothing, asked for this partition first, before there is nothing.
SURE_ANSWERS = 3
# So many answers may bring nothing: one that is cut makes the next ask larger.
MAX_USELESS_ANSWERS = 10
# Longer lists of aborted transactions are cut.
MAX_ABORTED = 100_000


@dataclass
class Trouble:
    """The partition cannot be had, since then (monotonic seconds), for this reason."""

    kind: str
    since: float
    why: str
    backoff_seconds: float = 0.2


class PartitionCapture:
    """`facts` is its part of the manifest, which is kept up to date. What goes wrong for longer than its patience ends it."""

    def __init__(
        self, facts: CapturedPartition, segments: SegmentWriter, leader: Leader, patience_seconds: float
    ) -> None:
        self.facts, self.segments, self.leader = facts, segments, leader
        self.patience_seconds = patience_seconds
        self.trouble: Trouble | None = None
        self.ask_again_at = 0.0
        self._largest_entry = 0
        self._cut: tuple[int, int] | None = None
        self._useless_answers = 0
        self.empty_answers = 0
        self._aborted = {
            (transaction["producer_id"], transaction["first_offset"]) for transaction in facts.aborted
        }
        self._epochs = {end["epoch"] for end in facts.epoch_ends if end["epoch"] is not None}

    @property
    def number(self) -> int:
        return self.facts.partition

    @property
    def position(self) -> int:
        """The next offset to fetch."""
        return self.facts.got.next_offset

    @property
    def is_over(self) -> bool:
        return self.facts.stopped_by is not None or self.facts.is_whole

    @property
    def isolation(self) -> int:
        """Committed below the last stable offset: the same bytes, and the broker adds which transactions were aborted."""
        stable = self.facts.last_stable_offset
        is_stable = stable is not None and self.position < stable and not self.empty_answers
        return COMMITTED if is_stable else UNCOMMITTED

    @property
    def next_fetch(self) -> PartitionFetch:
        return PartitionFetch(self.number, self.position, self.leader.epoch, self._largest_entry)

    def take(self, answer: Any, version: int, is_first: bool, max_bytes: int | None) -> int:
        """Keep the records of an answer without error; gives the bytes kept. `is_first`: nothing before it filled the answer.

        Raises DamagedEntry.
        """
        records = answer.records or b""
        names_aborted = self.isolation == COMMITTED and version >= HAS_ISOLATION
        self._learn(answer, version)
        selected = select_entries(records, self.position, self.facts.asked["to_offset"], max_bytes)
        self._check_cut(records, selected)
        self._cut = selected.cut
        if selected.cut and not selected.batches and selected.cut[1] > MAX_ENTRY:
            raise DamagedEntry(
                f"the entry of offset {selected.cut[0]} says that it has {selected.cut[1]} bytes"
            )
        self._largest_entry = selected.needed_bytes if not selected.batches else 0
        self._refuse_to_turn_in_circles(bool(records) and selected.next_offset == self.position)
        if records:
            self.empty_answers = 0
        elif is_first:
            self.empty_answers += 1
        if selected.batches:
            self._write(records, selected)
        if names_aborted:
            self._extend_aborted(selected.next_offset)
        self.facts.got.next_offset = selected.next_offset
        return selected.end - selected.begin

    def go_on_at(self, log_start_offset: int) -> None:
        """Continue here: retention deleted the records before."""
        self._cut = None
        self.facts.go_on_at(log_start_offset)

    def give_up_empty(self) -> None:
        """No records are left up to the end: compaction removed them."""
        to_offset = self.facts.asked["to_offset"]
        self.facts.tell(
            "compacted-between",
            f"The broker has no records from offset {self.position} to {to_offset - 1}: compaction removed them "
            "before or during the capture.",
            self.position,
        )
        self.facts.got.next_offset = to_offset

    def stop(self, stopped_by: str, kind: str | None = None, says: str = "") -> None:
        self.facts.stopped_by = stopped_by
        if kind:
            self.facts.tell(kind, says, self.position)

    @property
    def leader_epochs(self) -> set[int]:
        """Leader epochs of the captured batches."""
        return self._epochs

    def _refuse_to_turn_in_circles(self, is_useless: bool) -> None:
        self._useless_answers = self._useless_answers + 1 if is_useless else 0
        if self._useless_answers > MAX_USELESS_ANSWERS:
            raise DamagedEntry("the broker repeatedly answers without a complete record batch")

    def _write(self, records: bytes, selected: EntryRange) -> None:
        entries = memoryview(records)[selected.begin : selected.end]
        base_offset = selected.base_offset
        if base_offset is None:
            base_offset = self.position if self.facts.segments else first_offset(entries, self.position)
        self.segments.write(base_offset, entries)
        got = self.facts.got
        got.first_offset = base_offset if got.first_offset is None else got.first_offset
        got.batches += selected.batches
        got.size_bytes += len(entries)
        for epoch in sorted(epoch for epoch in selected.leader_epochs - self._epochs if epoch >= 0):
            self._epochs.add(epoch)
            self.facts.epoch_ends.append({"epoch": epoch, "end_offset": None})

    def _learn(self, answer: Any, version: int) -> None:
        facts = self.facts
        facts.fetch_version = version
        facts.high_watermark = answer.high_watermark
        if version < HAS_ISOLATION:
            return
        facts.last_stable_offset = answer.last_stable_offset
        if answer.log_start_offset >= 0:
            facts.log_start_offset = answer.log_start_offset
        for aborted in answer.aborted_transactions or []:
            transaction = (aborted.producer_id, aborted.first_offset)
            if transaction not in self._aborted and len(self._aborted) < MAX_ABORTED:
                self._aborted.add(transaction)
                facts.aborted.append({"producer_id": transaction[0], "first_offset": transaction[1]})

    def _extend_aborted(self, next_offset: int) -> None:
        """The offsets without a break for which the broker has named every aborted transaction."""
        if len(self._aborted) >= MAX_ABORTED or next_offset <= self.position:
            return
        covered = self.facts.aborted_range
        if covered is None:
            self.facts.aborted_range = {"from_offset": self.position, "to_offset": next_offset}
        elif covered["to_offset"] == self.position:
            covered["to_offset"] = next_offset

    def _check_cut(self, records: bytes, selected: EntryRange) -> None:
        """The entry that was cut last time is asked for again; when it is another now, the log was cleaned in between."""
        if not self._cut or not selected.batches:
            return
        offset = int.from_bytes(records[selected.begin : selected.begin + 8], "big")
        size = FRAME_BYTES + int.from_bytes(records[selected.begin + 8 : selected.begin + FRAME_BYTES], "big")
        if (offset, size) != self._cut:
            self.facts.tell(
                "compacted-between",
                f"The log was compacted while it was captured: the batch of offset {self._cut[0]} "
                + ("got smaller." if offset == self._cut[0] else f"was removed, and {offset} follows."),
                self._cut[0],
            )


def first_offset(entries: memoryview, position: int) -> int:
    """The first offset of a message set of v0 or v1, which may begin with a compressed message; `position` if unreadable."""
    size = FRAME_BYTES + int.from_bytes(entries[8:FRAME_BYTES], "big")
    try:
        batch = MemoryRecords(bytes(entries[:size])).next_batch()
        return int(next(iter(batch)).offset) if batch and entries[MAGIC_AT] < 2 else position
    except Exception:  # each codec has errors of its own, and the name is no more than a label
        return position
