"""Survey: the readable and damaged ranges of a segment, from headers alone if nothing is damaged.

If a header is implausible, the batch before it is checked: if its checksum matches or its records parse, the damage starts
after it, otherwise with it. From there on the next header with plausible length and magic and a matching checksum is
searched. Source: Kafka `FileLogInputStream.java`, which stops at the first such position; only this survey finds what
follows.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from spark.sources._rows import DamagedRange, Reason
from spark.sources.log_segment import batches as b
from spark.sources.log_segment.checksums import agrees
from spark.sources.log_segment.mapped import MappedFile
from spark.sources.log_segment.unpack import first_offset, records_hold

SPLIT_BYTES = 32 * 1024 * 1024  # compressed segments too give every core several tasks
SECTOR_BYTES = 512  # the least a disk or a file system loses to zeros
TORN_ZEROS_BYTES = (
    64  # more zeros than a sound batch ends in: the write was cut and the file went on as zeros
)
MAX_STRETCHES = 10_000  # per file; more is noise, and every one costs a search
CHECKED_PER_BYTE = 64  # bytes checksummed in the search for the next batch, per byte of the file
CHECKED_AT_LEAST = 1 << 30
SEARCHED_BYTES = 64 << 20  # of a file that nothing recognises; no broker's limit lets a batch be as large
NO_OFFSET = -1


@dataclass
class SegmentSurvey:
    """Split borders (at batch borders, the first is 0) and damaged ranges, in file order."""

    borders: list[int] = field(default_factory=lambda: [0])
    damage: list[DamagedRange] = field(default_factory=list)


@dataclass
class Surveyor:
    """Walks one file. `before`: last offset before the batch passed last; `last_batch`: its position, or -1."""

    file: MappedFile
    expected: int | None  # first offset, if the file's name tells it
    position: int = 0
    last_batch: int = -1
    before: int = NO_OFFSET
    survey: SegmentSurvey = field(default_factory=SegmentSurvey)
    left_to_check: int = 0

    def __post_init__(self) -> None:
        self.data = self.file.data
        self.left_to_check = max(CHECKED_AT_LEAST, CHECKED_PER_BYTE * self.data.size)

    def go(self) -> SegmentSurvey:
        while self.position < self.data.size:
            start, goal = self.position, min(self.survey.borders[-1] + SPLIT_BYTES, self.data.size)
            self.file.load(start, goal)
            self.walk(goal)
            if self.position < goal:  # in a store, an old message may have ended beyond what was loaded
                self.file.load(self.position, self.data.size)
                self.walk(goal)
            if self.position < goal:
                self.pass_oddity()
            elif self.position < self.data.size:
                self.survey.borders.append(self.position)
            self.file.forget(start, self.position)
        self.survey.borders = [border for border in self.survey.borders if not self.is_inside_damage(border)]
        return self.survey

    def walk(self, goal: int) -> None:
        """Passes the batches from here to `goal`, or to the first position where none starts."""
        self.load_last_batch(b.HEADER_BYTES)
        self.position, self.last_batch, self.before = b.walk(
            self.data, self.position, goal, self.last_batch, self.before
        )

    def load_last_batch(self, size_bytes: int) -> None:
        """Ensures that the first bytes of the batch passed last are present, which may precede the loaded range."""
        if self.last_batch >= 0:
            self.file.load(self.last_batch, min(self.last_batch + size_bytes, self.data.size))

    def is_inside_damage(self, border: int) -> bool:
        """Whether a split border was set at a batch that turned out to be damaged."""
        return any(damaged.position < border < damaged.end for damaged in self.survey.damage)

    def pass_oddity(self) -> None:
        """No batch starts here: notes why, and continues after it."""
        self.load_last_batch(self.position - self.last_batch)
        if len(self.survey.damage) >= MAX_STRETCHES:
            self.note(self.given_up())
        else:
            self.note(self.damaged_stretch())

    def note(self, damaged: DamagedRange) -> None:
        """Keeps the damaged range and continues after it."""
        self.survey.damage.append(damaged)
        self.position, self.last_batch = damaged.end, -1
        self.before = max(self.before, NO_OFFSET if damaged.last_offset is None else damaged.last_offset)

    def is_followed(self, end: int) -> bool:
        """Whether a batch or message starts here."""
        size = self.data.size
        return b.is_batch(self.data, end, size) or b.is_old_entry(self.data, end, size)

    def given_up(self) -> DamagedRange:
        """The rest of a file that is damaged in too many ranges."""
        size_bytes = self.data.size - self.position
        detail = f"The file is damaged in more than {MAX_STRETCHES:,} ranges. The rest of the file was not searched."
        return DamagedRange(self.position, size_bytes, "not_a_batch", detail, None, None, False)

    def damaged_stretch(self) -> DamagedRange:
        """From the first untrusted byte to the next intact batch, or to the end of the file."""
        start = self.position
        if self.last_batch >= 0 and not self.can_keep_last_batch():
            start = self.last_batch
        before = self.offset_before(start)
        after = self.next_sound(start + 1, before)
        if after < 0:
            return self.tail(start, before)
        next_offset = first_offset(self.data, after)
        first, last = self.fallen(start, before, next_offset)
        zeros_at, zeros = b.longest_zeros(self.data, start, after)
        reason: Reason = "zeros" if zeros >= min(SECTOR_BYTES, after - start) else "not_a_batch"
        sentence = f"No batch is readable from position {start} to {after}"
        detail = (
            f"{sentence}: {zeros:,} bytes from position {zeros_at} on are zero."
            if reason == "zeros"
            else f"{sentence}."
        )
        return DamagedRange(start, after - start, reason, detail, first, last, True)

    def first_offset_at(self, position: int) -> int:
        """First offset of the batch here; of an old wrapper the nearest known offset."""
        return int(b.number_at(self.data, position, 8))

    def offset_before(self, start: int) -> int:
        """The last offset before a position that is the last batch's start or end."""
        if start == self.last_batch or self.last_batch < 0:
            return self.before
        return int(b.last_offset_of(self.data, self.last_batch, NO_OFFSET))

    def can_keep_last_batch(self) -> bool:
        """Whether the batch before the damage ends where its header says."""
        if agrees(self.data, self.last_batch):
            return True
        end = self.position
        if b.zeros_before(self.data, self.data.size, end) == self.data.size - end:
            return b.zeros_before(self.data, end, self.last_batch) < TORN_ZEROS_BYTES
        return records_hold(self.data, self.last_batch)

    def next_sound(self, position: int, before: int) -> int:
        """The next batch or message with a matching checksum that belongs to the log, or -1.

        A value may contain a whole batch. Its offset rarely fits those read before, and no other batch follows it.
        """
        while True:
            position = b.find_header(self.data, position)
            if position < 0 or self.left_to_check < 0:
                return -1
            self.left_to_check -= b.entry_size(self.data, position)
            if agrees(self.data, position) and self.fits(position, before):
                return position
            position += 1

    def fits(self, position: int, before: int) -> bool:
        """Whether an intact batch may belong to the log itself.

        The checksum does not cover the base offset: it must fit the batches before and after.
        """
        end, offset = position + b.entry_size(self.data, position), self.first_offset_at(position)
        if self.is_followed(end):
            after = self.first_offset_at(end)
            return (offset > before) == (after > before) and (
                offset < after or b.is_old_entry(self.data, end, self.data.size)
            )
        return (offset > before or end == self.data.size) and offset < self.beyond(before + 1)

    def fallen(self, start: int, before: int, next_offset: int) -> tuple[int | None, int | None]:
        """First and last offset lost in a damaged range before a batch with `next_offset`."""
        first = self.first_fallen(start, before, next_offset)
        if first is None or next_offset <= first:
            return None, None
        return first, next_offset - 1

    def first_fallen(self, start: int, before: int, next_offset: int | None) -> int | None:
        """The first lost offset: the damaged header's if it fits between its neighbours, else the next expected."""
        least = before + 1 if before != NO_OFFSET else self.expected
        if self.has_readable_base(start):
            base = self.first_offset_at(start)
            if (least or 0) <= base < (self.beyond(least) if next_offset is None else next_offset):
                return base
        return least

    def beyond(self, least: int | None) -> int:
        """The first offset that no batch of this file can have: relative offsets have 31 bits."""
        return (self.expected if self.expected is not None else least or 0) + (1 << 31)

    def has_readable_base(self, start: int) -> bool:
        """Whether the available bytes look like a batch's first ones."""
        head = self.data[start : start + b.OLD_ATTRIBUTES_AT + 1]
        if len(head) < 8 or not head.any():
            return False
        if len(head) <= b.MAGIC_AT or head[b.MAGIC_AT] == 2:
            return True
        return len(head) > b.OLD_ATTRIBUTES_AT and head[b.MAGIC_AT] < 2 and not head[b.OLD_ATTRIBUTES_AT] & 7

    def tail(self, start: int, before: int) -> DamagedRange:
        """The end of the file if no intact batch follows."""
        size = self.data.size
        zeros = int(b.zeros_before(self.data, size, start))
        if zeros == size - start and not self.may_be_head(zeros, before):
            subject = "The last byte is" if zeros == 1 else f"The last {zeros:,} bytes are"
            detail = f"{subject} zero: reserved space, or data that was never written."
            return DamagedRange(start, zeros, "zeros_at_end", detail, None, None, False)
        first = self.first_fallen(start, before, None)
        if self.is_cut(start, zeros):
            torn = b.FRAME_BYTES <= size - start >= b.entry_size(self.data, start)
            return DamagedRange(
                start,
                size - start,
                "torn" if torn else "truncated",
                self.cut_detail(start, zeros),
                first,
                self.last_cut(start, first),
                False,
            )
        detail = f"The last {size - start:,} bytes, from position {start} on, are not a batch."
        return DamagedRange(
            start, size - start, "not_a_batch", detail, first, self.last_cut(start, first), False
        )

    def may_be_head(self, zeros: int, before: int) -> bool:
        """Whether a few zeros at the end may be the first bytes of the next batch's base offset."""
        offset = before + 1 if before != NO_OFFSET else self.expected or 0
        return zeros < b.FRAME_BYTES and offset >> 8 * max(0, 8 - zeros) == 0

    def is_cut(self, start: int, zeros: int) -> bool:
        """Whether a batch begins here whose end was never written."""
        remaining = self.data.size - start
        if remaining < b.FRAME_BYTES:
            return True
        if remaining > b.MAGIC_AT and self.data[start + b.MAGIC_AT] > 2:
            return False
        declared = b.entry_size(self.data, start)
        return declared > remaining or (zeros >= TORN_ZEROS_BYTES and declared > remaining - zeros)

    def cut_detail(self, start: int, zeros: int) -> str:
        remaining = self.data.size - start
        if remaining < b.FRAME_BYTES:
            return f"The file ends {remaining} bytes into the header of a batch at position {start}."
        declared = b.entry_size(self.data, start)
        written = remaining if declared > remaining else remaining - zeros
        rest = "" if declared > remaining else "; zeros follow"
        return f"The last batch, at position {start}, has {written:,} of {declared:,} bytes{rest}."

    def last_cut(self, start: int, first: int | None) -> int | None:
        """Last offset of the truncated batch here, if its header is present and plausible."""
        if first is None or self.data.size - start < 27 or self.data[start + b.MAGIC_AT] > 2:
            return None
        offset = self.first_offset_at(start)
        if self.data[start + b.MAGIC_AT] < 2:  # a wrapper's offset is that of its last message
            return offset if first <= offset < self.beyond(first) else None
        if offset != first:
            return None
        delta = int(b.number_at(self.data, start + 23, 4))
        return first + delta if delta >= 0 else None


def survey(file: MappedFile, expected: int | None = None) -> SegmentSurvey:
    """`expected`: the base offset in the file's name."""
    return Surveyor(file, expected).go()


def holds_batch(file: MappedFile) -> bool:
    """Whether an intact batch with a matching checksum is anywhere in the first bytes of a file."""
    end = min(file.data.size, SEARCHED_BYTES)
    file.load(0, end)
    searched = replace(file, data=file.data[:end])
    return Surveyor(searched, None).next_sound(0, NO_OFFSET) >= 0
