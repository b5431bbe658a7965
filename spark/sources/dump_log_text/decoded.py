"""Records that a decoder printed (such as `--offsets-decoder`): the bytes, rebuilt from their text.

A decoder's text does not have the size in the line, or the line has none. If the text can be converted, the bytes are appended
to the window's and the row points to them; if they have the printed size, the batch's checksum is computed over them as usual.
What a decoder printed is never taken for the record's bytes: a text that cannot be converted, and a record that the decoder
itself could not read, are reported.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from spark.sources._decoders import NotDecoded, Pair
from spark.sources._decoders.json_forms import (
    METADATA,
    SHARE_TOPIC,
    coordinator_pair,
    is_key,
    is_share_key,
    metadata_value,
    parsed,
)
from spark.sources._decoders.remote_forms import STARTS as REMOTE_STARTS
from spark.sources._decoders.remote_forms import TOPIC as REMOTE_TOPIC
from spark.sources._decoders.remote_forms import remote_pair
from spark.sources._decoders.text_forms import DELETED
from spark.sources._decoders.text_forms import pair as old_pair
from spark.sources.dump_log_text import fields as f
from spark.sources.dump_log_text.fields import Bytes, Rows
from spark.terms.marked import UNNAMED
from spark.terms.wording import listed, plural

STARTS = (
    b'{"type"', b'{"metadata"', b"offset_commit::", b"group_metadata::", b"metadata::", b"offset::", b"transaction_metadata::",
    b"transactionalId=", b"Unknown record type ", b"Error at ",
)  # fmt: skip
MISSED = re.compile(rb"(Unknown record type -?\d+ at offset|Error at( offset)?) \d+, skipping\.")
# Beginnings that only a decoder's text has, in a print that names no topic.
OWN_KEYS = (b'{"type"', b"offset_commit::", b"group_metadata::", b"transaction_metadata::")
CONTROLLERS = re.compile(rb'\{"type":"(\w+_RECORD)","version":\d+,"data":')
REMOTE = re.compile(rb"Remote(LogSegmentMetadata(Update)?|PartitionDeleteMetadata)\{")
IS_ODD = f.MISFIT | f.BARE | f.SHORTENED  # no size in the line, or another than the text's
NO_SIZE = 0  # of a value; no size of a commit
PAYLOAD = b" payload: "
# The topic that each decoder is for, where nothing else names it.
TOPICS = {
    "transaction": "__transaction_state",
    "cluster": "__cluster_metadata",
    "offsets": "__consumer_offsets",
    "share": SHARE_TOPIC,
    "remote": REMOTE_TOPIC,
}


@dataclass
class Decoder:
    """What a split's decoder printed so far."""

    is_known: bool = False
    count: int = 0
    missing: Counter[str] = field(default_factory=Counter)
    topic: str | None = None  # that the decoder is for

    def apply(self, buffer: Bytes, rows: Rows, topic: str) -> Bytes:
        """Points the rows at their records' bytes; returns the buffer with these appended. `topic`: that the print names."""
        chosen = self.candidates(buffer, rows)
        if not chosen:
            return buffer
        arena = AppendedBytes(len(buffer))
        missed = [number for number in chosen if not self.take(buffer, rows[number], arena, topic)]
        if self.is_known:
            rows[[number for number in missed if rows[number, f.KIND] != f.CUT], f.KIND] = f.UNDECODED
        return np.concatenate([buffer, arena.bytes]) if arena.parts else buffer

    def candidates(self, buffer: Bytes, rows: Rows) -> list[int]:
        """Rows of records whose text a decoder may have printed; none in an output of the bytes."""
        is_record = np.isin(rows[:, f.KIND], (f.RECORD, f.DEEP, f.CUT)) & (rows[:, f.CONTENT] == 1)
        is_odd = ((rows[:, f.FLAGS] & IS_ODD) != 0) | (rows[:, f.KIND] == f.CUT)
        if not self.is_known and not (is_record & is_odd).any():
            return []
        chosen = np.flatnonzero(is_record).tolist()
        return [
            number for number in chosen if text_at(buffer, rows[number]).startswith((*STARTS, *REMOTE_STARTS))
        ]

    def take(self, buffer: Bytes, row: Rows, arena: AppendedBytes, topic: str) -> bool:
        """Reads one record back; False if its text cannot be converted."""
        if row[f.KIND] == f.CUT:
            mend_last_line(buffer, row)
        key, value = printed(buffer, row, f.KEY_AT, f.KEY_END), printed(buffer, row, f.VALUE_AT, f.VALUE_END)
        if key is None and value is None:
            return True
        try:
            pair = read_back(key, value, row)
        except NotDecoded:
            self.is_known |= is_decoders(key, value, row, topic)
            return False
        self.is_known = True
        self.count += 1
        self.topic = self.topic or topic_of(key, value)
        self.missing[pair.missing] += bool(pair.missing)
        point(row, pair, arena)
        return True

    def sentences(self) -> list[str]:
        sentences_so_far = []
        if self.count:
            sentences_so_far.append(
                f"{plural(self.count, 'record')} printed by a decoder: keys and values are rebuilt from its text."
            )
        if missing := [name for name, count in self.missing.items() if name and count]:
            sentences_so_far.append(f"The decoder does not print {listed(missing)}.")
        return sentences_so_far


@dataclass
class AppendedBytes:
    """Bytes after a window's own."""

    at: int
    parts: list[bytes] = field(default_factory=list)

    def put(self, data: bytes) -> tuple[int, int]:
        start, self.at = self.at, self.at + len(data)
        self.parts.append(data)
        return start, self.at

    @property
    def bytes(self) -> Bytes:
        return np.frombuffer(b"".join(self.parts), np.uint8)


def printed(buffer: Bytes, row: Rows, at: int, end: int) -> bytes | None:
    """Key or value as printed, or None."""
    return None if row[at] == f.NONE else buffer[row[at] : row[end]].tobytes()


def text_at(buffer: Bytes, row: Rows) -> bytes:
    """The start of the key, or of the value if no key is printed; for a truncated record the rest of its line."""
    at = row[f.KEY_AT] if row[f.KEY_AT] != f.NONE else row[f.VALUE_AT]
    if at == f.NONE:
        line = buffer[row[f.START] : row[f.END]].tobytes()
        _, mark, text = line.partition(b" key: " if row[f.KEY_SIZE] >= 0 else PAYLOAD)
        return text if mark else b""
    return buffer[at : at + 40].tobytes()


def mend_last_line(buffer: Bytes, row: Rows) -> None:
    """A last line with text shorter than its bytes is not truncated if a decoder printed it."""
    line = buffer[row[f.START] : row[f.END]].tobytes()
    key_at, value_at = line.find(b" key: ") + len(b" key: "), line.rfind(PAYLOAD)
    end = len(line.rstrip(b"\r\n"))
    if value_at < 0:
        return
    if row[f.KEY_SIZE] >= 0:
        row[f.KEY_AT], row[f.KEY_END] = row[f.START] + key_at, row[f.START] + value_at
    row[f.VALUE_AT], row[f.VALUE_END] = row[f.START] + value_at + len(PAYLOAD), row[f.START] + end
    row[f.FLAGS] |= f.MISFIT
    row[f.KIND] = f.RECORD


def is_decoders(key: bytes | None, value: bytes | None, row: Rows, topic: str) -> bool:
    """Whether a decoder printed a text that cannot be converted. In its topics no record's bytes begin so; in a print that names no
    topic, the beginning or the key alone must be a decoder's."""
    text = value or b"" if key is None else key
    if row[f.FLAGS] & IS_ODD == 0 or topic not in (UNNAMED, *TOPICS.values()):
        return bool(row[f.FLAGS] & IS_ODD and MISSED.match(text))
    if topic != UNNAMED or MISSED.match(text):
        return True
    if key is None:
        kind = CONTROLLERS.match(text)
        return bool(REMOTE.match(text) or (kind and kind[1].decode() in METADATA))
    try:
        read_back(key, None, row)
    except NotDecoded:
        return False
    return key.startswith(OWN_KEYS)


def read_back(key: bytes | None, value: bytes | None, row: Rows) -> Pair:
    """The record's bytes."""
    if key is None:
        return keyless(value or b"")
    if MISSED.match(key):
        raise NotDecoded("the decoder could not read it")
    if not key.startswith(b'{"type"'):
        text = None if value is None else value.decode(errors="replace")
        time = max(-1, int(row[f.TIMESTAMP]))
        size = NO_SIZE if is_measured(row, f.VALUE_AT, f.VALUE_END, f.VALUE_SIZE) else int(row[f.VALUE_SIZE])
        return old_pair(key.decode(errors="replace"), text, size, time)
    members = parsed(key)
    if not is_key(members):
        raise NotDecoded("no key of a decoder")
    return coordinator_pair(members, None if value is None or value == DELETED.encode() else parsed(value))


def topic_of(key: bytes | None, value: bytes | None) -> str:
    if key is None:
        return TOPICS["remote" if (value or b"").startswith(REMOTE_STARTS) else "cluster"]
    if key.startswith(b'{"type"') and is_share_key(parsed(key)["data"]):
        return TOPICS["share"]
    return TOPICS["transaction" if b"transactionalId" in key else "offsets"]


def keyless(value: bytes) -> Pair:
    """A record of the controllers' journal or of tiered storage."""
    if value.startswith(REMOTE_STARTS):
        return remote_pair(value.decode(errors="replace"))
    if MISSED.match(value):
        raise NotDecoded("the decoder could not read it")
    members = parsed(value)
    if members.get("type") not in METADATA and not str(members.get("type")).endswith("_RECORD"):
        raise NotDecoded("not a record of the controllers")
    return Pair(None, metadata_value(members))


def is_measured(row: Rows, at: int, end: int, size: int) -> bool:
    """Whether the line has no size, so that the row has that of the text."""
    is_of_text = row[at] != f.NONE and row[size] == row[end] - row[at]
    return bool(row[f.FLAGS] & f.BARE or (row[f.FLAGS] & f.SHORTENED and is_of_text))


def point(row: Rows, pair: Pair, arena: AppendedBytes) -> None:
    """Points a row at its bytes. Bytes that differ in size from the print prove nothing."""
    sizes = []
    for data, at, end, size in (
        (pair.key, f.KEY_AT, f.KEY_END, f.KEY_SIZE),
        (pair.value, f.VALUE_AT, f.VALUE_END, f.VALUE_SIZE),
    ):
        has_no_size = is_measured(row, at, end, size)
        row[at], row[end] = (f.NONE, f.NONE) if data is None else arena.put(data)
        if has_no_size:
            row[size] = -1 if data is None else len(data)
        sizes.append(row[size] == (-1 if data is None else len(data)))
    row[f.FLAGS] &= ~f.MISFIT
    row[f.FLAGS] |= 0 if all(sizes) and not pair.missing else f.DECODED
