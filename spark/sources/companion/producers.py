"""Aborted transactions and producer states of a partition, as the broker stores them next to the segments.

    Transaction index (`*.txnindex`) => AbortedTxn*                                    34 bytes each
    AbortedTxn => version:int16=0 producer_id:int64 first_offset:int64 last_offset:int64 last_stable_offset:int64
    Producer snapshot (`*.snapshot`) => version:int16=1 crc:uint32 count:int32 Producer*  crc: CRC-32C from count on
    Producer => producer_id:int64 producer_epoch:int16 last_sequence:int32 last_offset:int64 offset_delta:int32
                timestamp_ms:int64 coordinator_epoch:int32 current_txn_first_offset:int64   46 bytes each

Source: Kafka `AbortedTxn.java`, `TransactionIndex.java`, `ProducerStateManager.java`.
"""

from __future__ import annotations

import struct

import crc32c
import numpy as np
import pyarrow as pa

from spark.sources.companion.rows import Read
from spark.terms.wording import grouped, plural

ABORTED_TXN = np.dtype(
    [
        ("version", ">i2"),
        ("producer_id", ">i8"),
        ("first_offset", ">i8"),
        ("last_offset", ">i8"),
        ("last_stable_offset", ">i8"),
    ]
)
PRODUCER = np.dtype(
    [
        ("producer_id", ">i8"),
        ("producer_epoch", ">i2"),
        ("last_sequence", ">i4"),
        ("last_offset", ">i8"),
        ("offset_delta", ">i4"),
        ("timestamp_ms", ">i8"),
        ("coordinator_epoch", ">i4"),
        ("current_txn_first_offset", ">i8"),
    ]
)
SNAPSHOT_HEADER = struct.Struct(">hIi")
CRC_ENDS_AT = 6
SNAPSHOT_VERSION = 1
NO_TRANSACTION = -1


def read_aborted(content: bytes, base_offset: int) -> Read:
    """Rows of ABORTED_TXNS up to the first entry of an unknown version."""
    entries = np.frombuffer(content, ABORTED_TXN, count=len(content) // ABORTED_TXN.itemsize)
    strange = np.flatnonzero(entries["version"] != 0)
    wrong = None
    if len(strange):
        at, version = int(strange[0]), int(entries["version"][strange[0]])
        wrong = f"Entry {at} of the index has version {version}. Only version 0 is known. This entry and the later ones are left out."
        entries = entries[:at]
    elif over := len(content) % ABORTED_TXN.itemsize:
        wrong = (
            f"The index has {grouped(len(content))} bytes, which is not a multiple of the entry size "
            f"{ABORTED_TXN.itemsize}. The last {over} are left out."
        )
    columns = native(entries, ("producer_id", "first_offset", "last_offset", "last_stable_offset"))
    return Read("aborted_txns", {"base_offset": np.full(len(entries), base_offset), **columns}, wrong)


def read_snapshot(content: bytes, snapshot_offset: int) -> Read:
    """Rows of PRODUCER_STATES; none if the broker would reject the file."""
    if wrong := why_refused(content):
        return Read(wrong=wrong)
    entries = np.frombuffer(content, PRODUCER, offset=SNAPSHOT_HEADER.size)
    columns = native(entries, tuple(name for name in PRODUCER.names or ()))
    first = columns["current_txn_first_offset"]
    columns["current_txn_first_offset"] = pa.array(first, mask=first == NO_TRANSACTION)
    return Read("producer_states", {"snapshot_offset": np.full(len(entries), snapshot_offset), **columns})


def why_refused(content: bytes) -> str | None:
    """Why a broker would delete this snapshot and read the log instead, or None."""
    if len(content) < SNAPSHOT_HEADER.size:
        return f"The snapshot has {plural(len(content), 'byte')}, too few for its header of {SNAPSHOT_HEADER.size}."
    version, stored, count = SNAPSHOT_HEADER.unpack_from(content)
    if version != SNAPSHOT_VERSION:
        return f"The snapshot has version {version}. Only version {SNAPSHOT_VERSION} is known."
    computed = crc32c.crc32c(content[CRC_ENDS_AT:])
    if stored != computed:
        return (
            f"The snapshot stores checksum {stored:#010x}, but its bytes give {computed:#010x}. The bytes changed after the broker wrote "
            "them, so the snapshot is not used."
        )
    if len(content) != SNAPSHOT_HEADER.size + count * PRODUCER.itemsize:
        return f"The snapshot declares {plural(count, 'producer')}, which does not match its size of {plural(len(content), 'byte')}."
    return None


def native(entries: np.ndarray, names: tuple[str, ...]) -> dict[str, np.ndarray]:
    """Columns in the machine's byte order."""
    return {name: entries[name].astype(entries[name].dtype.newbyteorder("=")) for name in names}
