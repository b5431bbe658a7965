"""Records that a decoder printed (such as `--offsets-decoder`): the bytes, rebuilt from their text.

A decoder's text does not have the size in the line. If the text can be converted, the bytes are appended to the window's and
the row points to them; if they have the printed size, the batch's checksum is computed over them as usual. Events of
`--remote-log-metadata-decoder` in a form other than that of 3.9 to 4.1 stay text. A record that the decoder itself could not
read is reported.
"""

from __future__ import annotations

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
from spark.terms.wording import listed, plural

STARTS = (
    b'{"type"', b'{"metadata"', b"offset_commit::", b"group_metadata::", b"metadata::", b"offset::", b"transaction_metadata::",
    b"transactionalId=", b"Unknown record type ", b"Error at ",
)  # fmt: skip
MISSED = (b"Unknown record type ", b"Error at ")
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
    as_text: int = 0
    unread: int = 0
    missing: Counter[str] = field(default_factory=Counter)
    topic: str | None = None  # that the decoder is for

    def apply(self, buffer: Bytes, rows: Rows) -> Bytes:
        """Points the rows at their records' bytes; returns the buffer with these appended."""
        chosen = self.candidates(buffer, rows)
        if not chosen:
            return buffer
        arena = AppendedBytes(len(buffer))
        for number in chosen:
            self.take(buffer, rows[number], arena)
        return np.concatenate([buffer, arena.bytes]) if arena.parts else buffer

    def candidates(self, buffer: Bytes, rows: Rows) -> list[int]:
        """Rows of records whose text a decoder may have printed; none in an output of the bytes."""
        is_record = np.isin(rows[:, f.KIND], (f.RECORD, f.DEEP, f.CUT)) & (rows[:, f.CONTENT] == 1)
        is_odd = ((rows[:, f.FLAGS] & (f.MISFIT | f.BARE)) != 0) | (rows[:, f.KIND] == f.CUT)
        if not self.is_known and not (is_record & is_odd).any():
            return []
        chosen = np.flatnonzero(is_record).tolist()
        return [
            number for number in chosen if text_at(buffer, rows[number]).startswith((*STARTS, *REMOTE_STARTS))
        ]

    def take(self, buffer: Bytes, row: Rows, arena: AppendedBytes) -> None:
        """Read one record back, if it is a decoder's."""
        if row[f.KIND] == f.CUT:
            mend_last_line(buffer, row)
        key, value = printed(buffer, row, f.KEY_AT, f.KEY_END), printed(buffer, row, f.VALUE_AT, f.VALUE_END)
        if key is None and value is None:
            return
        try:
            pair = read_back(key, value, row)
        except NotDecoded:
            self.miss(row, (key or value or b"").startswith(MISSED))
            return
        self.is_known = True
        if pair is None:
            self.as_text += 1
            return
        self.count += 1
        self.topic = self.topic or topic_of(key, value)
        self.missing[pair.missing] += bool(pair.missing)
        point(row, pair, arena)

    def miss(self, row: Rows, is_told: bool) -> None:
        """A record that the decoder could not read, or whose text is unknown."""
        if row[f.KIND] != f.CUT and (self.is_known or is_told):
            row[f.KIND] = f.UNDECODED
            self.unread += 1

    def sentences(self) -> list[str]:
        sentences_so_far = []
        if self.count:
            sentences_so_far.append(
                f"{plural(self.count, 'record')} printed by a decoder: keys and values are rebuilt from its text."
            )
        if missing := [name for name, count in self.missing.items() if name and count]:
            sentences_so_far.append(f"The decoder does not print {listed(missing)}.")
        if self.as_text:
            sentences_so_far.append(
                f"{plural(self.as_text, 'record')} printed by a decoder, shown as its text: checks of the bytes did not run."
            )
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


def read_back(key: bytes | None, value: bytes | None, row: Rows) -> Pair | None:
    """The record's bytes; None if only the text is known."""
    if key is None:
        return keyless(value or b"")
    if key.startswith(MISSED):
        raise NotDecoded("the decoder could not read it")
    if not key.startswith(b'{"type"'):
        text = None if value is None else value.decode(errors="replace")
        time = max(-1, int(row[f.TIMESTAMP]))
        return old_pair(key.decode(errors="replace"), text, int(row[f.VALUE_SIZE]), time)
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


def keyless(value: bytes) -> Pair | None:
    """A record of the controllers' journal or of tiered storage; None for an event in another form."""
    if value.startswith(REMOTE_STARTS):
        return remote_event(value)
    if value.startswith(MISSED):
        raise NotDecoded("the decoder could not read it")
    members = parsed(value)
    if members.get("type") not in METADATA and not str(members.get("type")).endswith("_RECORD"):
        raise NotDecoded("not a record of the controllers")
    return Pair(None, metadata_value(members))


def remote_event(value: bytes) -> Pair | None:
    """An event of tiered storage; None if it stays text."""
    try:
        return remote_pair(value.decode(errors="replace"))
    except NotDecoded:
        return None


def point(row: Rows, pair: Pair, arena: AppendedBytes) -> None:
    """Points a row at its bytes. Bytes that differ in size from the print prove nothing."""
    sizes = []
    for data, at, end, size in (
        (pair.key, f.KEY_AT, f.KEY_END, f.KEY_SIZE),
        (pair.value, f.VALUE_AT, f.VALUE_END, f.VALUE_SIZE),
    ):
        row[at], row[end] = (f.NONE, f.NONE) if data is None else arena.put(data)
        if row[f.FLAGS] & f.BARE:
            row[size] = -1 if data is None else len(data)
        sizes.append(row[size] == (-1 if data is None else len(data)))
    row[f.FLAGS] &= ~f.MISFIT
    row[f.FLAGS] |= 0 if all(sizes) and not pair.missing else f.DECODED
