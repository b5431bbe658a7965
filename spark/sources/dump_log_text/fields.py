"""Lines of kafka-dump-log's output: their kinds, their fields, and the words that they begin with.

A line is a row of numbers with a column for each field, `NONE` if the line lacks it. Positions refer to the walked buffer. Source: Kafka `DumpLogSegments.scala` of 0.10 to 4.x.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Rows = NDArray[np.int64]

NONE = -(2**63)

# kinds of lines
ODD, BATCH, RECORD, OLD, TIME, TXN, PRODUCER, DUMPING, HEADING, REMARK = range(10)
# what `offset:` turns out to be; a record that the end of the file cuts, one that a decoder could not read
DEEP, OLD_BATCH, INDEX, CUT, UNDECODED = range(10, 15)
NO_ROW = (ODD, CUT, UNDECODED)

(
    KIND, START, END, OFFSET, BASE_OFFSET, LAST_OFFSET, COUNT, BASE_SEQUENCE, SEQUENCE, PRODUCER_ID, PRODUCER_EPOCH,
    LEADER_EPOCH, TRANSACTIONAL, CONTROL, HORIZON, POSITION, TIMESTAMP, TIMESTAMP_TYPE, SIZE, MAGIC, CODEC, CRC, VALID,
    KEY_SIZE, VALUE_SIZE, HEADERS_AT, HEADERS_END, MARKER, COORDINATOR_EPOCH, KEY_AT, KEY_END, VALUE_AT, VALUE_END,
    FLAGS, FIRST_OFFSET, LAST_STABLE, LAST_SEQUENCE, OFFSET_DELTA, TXN_FIRST, CONTENT, FIELDS,
) = range(41)  # fmt: skip

# flags: holds U+FFFD; has not the length that the line gives; read back from a decoder's text, not byte for byte;
# printed without offset and sizes (--skip-record-metadata); members left out by whoever pasted the line
REPLACED, MISFIT, DECODED, BARE, SHORTENED = 1, 2, 4, 8, 16
COMMIT, ABORT, LEADER_CHANGE, SNAPSHOT_HEADER, SNAPSHOT_FOOTER, KRAFT_VERSION, KRAFT_VOTERS, UNKNOWN = range(
    8
)
CONTROL_NAMES = (
    "commit",
    "abort",
    "leader_change",
    "snapshot_header",
    "snapshot_footer",
    "kraft_version",
    "kraft_voters",
    "unknown",
)
CREATE, LOG_APPEND, NO_TIMESTAMP = 0, 1, 2
CODECS = ("none", "gzip", "snappy", "lz4", "zstd")

BEGINNINGS = (
    ("baseOffset: ", BATCH),
    ("| offset: ", RECORD),
    ("- offset: ", RECORD),
    ("| key: ", RECORD),
    ("| payload: ", RECORD),
    (" payload: ", RECORD),
    ("offset: ", OLD),
    ("timestamp: ", TIME),
    ("version: ", TXN),
    ("producerId: ", PRODUCER),
    ("Dumping ", DUMPING),
    ("Starting offset: ", HEADING),
    ("Log starting offset: ", HEADING),
    ("Snapshot end offset: ", HEADING),
    ("KRaft bootstrap snapshot", HEADING),
    ("Found ", REMARK),
    ("Non-consecutive offsets in ", REMARK),
    ("Non-secutive offsets in ", REMARK),
    ("Mismatches in ", REMARK),
    ("  Index offset: ", REMARK),
    ("Indexed offset: ", REMARK),
    ("Exception in thread ", REMARK),
)

# Names of fields, in any case of letters: valuesize up to 2.7, valueSize since.
NAMES = {
    "offset": OFFSET,
    "baseoffset": BASE_OFFSET,
    "lastoffset": LAST_OFFSET,
    "count": COUNT,
    "basesequence": BASE_SEQUENCE,
    "firstsequence": BASE_SEQUENCE,
    "lastsequence": LAST_SEQUENCE,
    "sequence": SEQUENCE,
    "producerid": PRODUCER_ID,
    "producerepoch": PRODUCER_EPOCH,
    "partitionleaderepoch": LEADER_EPOCH,
    "istransactional": TRANSACTIONAL,
    "iscontrol": CONTROL,
    "deletehorizonms": HORIZON,
    "position": POSITION,
    "createtime": TIMESTAMP,
    "logappendtime": TIMESTAMP,
    "notimestamptype": TIMESTAMP,
    "timestamp": TIMESTAMP,
    "size": SIZE,
    "batchsize": SIZE,
    "magic": MAGIC,
    "compresscodec": CODEC,
    "compresstype": CODEC,
    "crc": CRC,
    "isvalid": VALID,
    "keysize": KEY_SIZE,
    "valuesize": VALUE_SIZE,
    "payloadsize": VALUE_SIZE,
    "headerkeys": HEADERS_AT,
    "endtxnmarker": MARKER,
    "controltype": MARKER,
    "snapshotheader": MARKER,
    "snapshotfooter": MARKER,
    "kraftversion": MARKER,
    "kraftvoters": MARKER,
    "leaderchange": MARKER,
    "coordinatorepoch": COORDINATOR_EPOCH,
    "key": KEY_AT,
    "payload": VALUE_AT,
    "firstoffset": FIRST_OFFSET,
    "laststableoffset": LAST_STABLE,
    "offsetdelta": OFFSET_DELTA,
    "currenttxnfirstoffset": TXN_FIRST,
}
MARKERS = {
    "snapshotheader": SNAPSHOT_HEADER,
    "snapshotfooter": SNAPSHOT_FOOTER,
    "kraftversion": KRAFT_VERSION,
    "kraftvoters": KRAFT_VOTERS,
    "leaderchange": LEADER_CHANGE,
}
TYPES = {"createtime": CREATE, "logappendtime": LOG_APPEND, "notimestamptype": NO_TIMESTAMP}

INT32, INT16 = 2**31 - 1, 2**15 - 1
LARGEST = {
    COUNT: INT32, BASE_SEQUENCE: INT32, SEQUENCE: INT32, LAST_SEQUENCE: INT32, PRODUCER_EPOCH: INT16,
    LEADER_EPOCH: INT32, SIZE: INT32, MAGIC: 2, CRC: 2**32 - 1, KEY_SIZE: INT32, VALUE_SIZE: INT32,
    COORDINATOR_EPOCH: INT32, OFFSET_DELTA: INT32,
}  # fmt: skip


def name_hash(name: str) -> int:
    """The hash that the walker computes from a name's characters while it reads them."""
    hashed = 7
    for letter in name.encode():
        hashed = (hashed * 31 + letter) & 0xFFFFFFFF
    return hashed


SLOTS = 512


def _table() -> Rows:
    """Open addressing: hash, field, meaning of the name itself (timestamp type, kind of marker)."""
    table = np.full((SLOTS, 3), -1, np.int64)
    for name, field in NAMES.items():
        slot = name_hash(name) % SLOTS
        while table[slot, 0] >= 0:
            slot = (slot + 1) % SLOTS
        table[slot] = name_hash(name), field, TYPES.get(name, MARKERS.get(name, -1))
    return table


NAME_TABLE = _table()
LIMITS = np.array([LARGEST.get(field, 2**63 - 1) for field in range(FIELDS)], np.int64)
WORDS = np.frombuffer(bytearray("".join(word for word, _ in BEGINNINGS).encode()), np.uint8)
WORD_ENDS = np.cumsum([0, *(len(word) for word, _ in BEGINNINGS)]).astype(np.int64)
WORD_KINDS = np.array([kind for _, kind in BEGINNINGS], np.int64)
