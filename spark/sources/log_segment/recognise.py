"""Recognises log segments: the name suggests one, the first batch proves it."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

import numpy as np

from spark.sources import InputFile, Recognition
from spark.sources.log_segment import batches as b
from spark.sources.log_segment.checksums import agrees
from spark.sources.log_segment.mapped import MappedFile
from spark.sources.log_segment.survey import holds_batch

SEGMENT_NAME = re.compile(r"^(\d{20})\.log$")
TEXT_BYTES = frozenset((*range(0x20, 0x7F), 0x09, 0x0A, 0x0D))
TEXT_SAMPLE_BYTES = 512
TEXT_SHARE = 0.95  # a batch header alone has dozens of bytes that are no text


def base_offset(name: str) -> int | None:
    """The base offset in a segment's file name."""
    match = SEGMENT_NAME.match(PurePosixPath(name).name)
    return int(match[1]) if match else None


def recognise(file: InputFile, head: bytes) -> Recognition:
    """By the first batch or message; by the name if only the beginning is damaged."""
    is_named = base_offset(file.name) is not None
    if not file.size_bytes:
        if is_named:
            return Recognition(True, "an empty segment (0 bytes)", 90)
        return Recognition(
            False, "the file is empty, and its name is not that of a segment (20 digits and .log)"
        )
    if starts_with_batch(file, head):
        return Recognition(True, "its first record batch has a correct checksum", 90 if is_named else 80)
    if is_named and not is_text(head):
        return Recognition(
            True, "its name is that of a segment, but its first bytes are not an intact batch", 60
        )
    return Recognition(False, why_not(head))


def recognise_within(file: InputFile, is_in_partition_folder: bool) -> Recognition:
    """For a file whose beginning no layout recognises: a segment by a later batch, or by folder and name alone."""
    if holds_batch(MappedFile.open(file.path)):
        return Recognition(True, "its first bytes are not a record batch, but whole batches follow", 60)
    if is_in_partition_folder and base_offset(file.name) is not None:
        return Recognition(
            True, "its name and folder are those of a segment, but no batch in it is intact", 50
        )
    return Recognition(False, "no whole record batch is in it")


def starts_with_batch(file: InputFile, head: bytes) -> bool:
    """Whether an intact batch or message with a matching checksum starts at the first byte."""
    if file.size_bytes > len(head) and may_start(np.frombuffer(head, np.uint8), file.size_bytes):
        opened = MappedFile.open(file.path)
        opened.load(0, b.entry_size(np.frombuffer(head, np.uint8), 0))
        data = opened.data
    else:
        data = np.frombuffer(head, np.uint8)
    is_whole = b.is_batch(data, 0, data.size) or b.is_old_entry(data, 0, data.size)
    return bool(is_whole) and agrees(data, 0)


def may_start(head: b.Bytes, size_bytes: int) -> bool:
    """Whether it is worth reading more than the head."""
    return len(head) > b.MAGIC_AT and head[b.MAGIC_AT] <= 2 and b.entry_size(head, 0) <= size_bytes


def is_text(head: bytes) -> bool:
    """Whether the file begins like text."""
    sample = head[:TEXT_SAMPLE_BYTES]
    return sum(byte in TEXT_BYTES for byte in sample) >= TEXT_SHARE * len(sample)


def why_not(head: bytes) -> str:
    if is_text(head):
        return "it is text; a segment is binary"
    if len(head) <= b.MAGIC_AT:
        return f"{len(head)} bytes are too short for a record batch"
    magic = head[b.MAGIC_AT]
    if magic > 2:
        return f"byte {b.MAGIC_AT} should contain the message format (0, 1 or 2) but contains {magic} (0x{magic:02x})"
    return "the first bytes are not a record batch with a matching length and checksum"
