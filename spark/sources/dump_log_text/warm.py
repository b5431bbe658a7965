"""Small outputs that call every compiled function of this layout, for `spark.entry.compile_ahead`."""

from __future__ import annotations

import tempfile
from pathlib import Path

from spark.sources._json.warm import read_written

MODULES = (
    "spark.sources.dump_log_text.walk",
    "spark.sources.dump_log_text.columns",
    "spark.sources.dump_log_text.rebuild",
    "spark.sources.console_consumer.walk",
)

_BATCH = (
    b"baseOffset: 0 lastOffset: %d count: %d baseSequence: -1 lastSequence: -1 producerId: -1 producerEpoch: -1 "
    b"partitionLeaderEpoch: 0 isTransactional: false isControl: false deleteHorizonMs: OptionalLong.empty "
    b"position: 0 CreateTime: 1 size: 78 magic: 2 compresscodec: none crc: 1 isvalid: true\n"
)
_RECORD = b"| offset: %d CreateTime: 1 keySize: %d valueSize: %d sequence: -1 headerKeys: [%s] key: %s payload: %s\n"
_SMALL = _BATCH % (0, 1) + _RECORD % (0, 1, 8, b"", b"k", b"| offset")
_OTHERS = (
    _BATCH % (1, 2)
    + _RECORD % (0, 1, 1, b"a,b", b"k", b"\xef\xbf\xbd")
    + _RECORD % (1, 9, 9, b"", b"k", b"v")
)
_TWO_NULLS = b"| offset: 1 CreateTime: 1 keySize: -1 valueSize: -1 sequence: -1 headerKeys: []\n"
_DUMP = b"Dumping t-0/00000000000000000000.log\n" + _SMALL + _OTHERS + _BATCH % (1, 1) + _TWO_NULLS + b"Odd\n"
_CONSOLE = b"CreateTime:1\tPartition:0\tOffset:0\ta:b,c:null\tk\tv\nCreateTime:1\tPartition:0\tOffset:1\tNO_HEADERS\tk\tv\n"


def read_sample() -> int:
    """Reads all of it; returns the number of records."""
    from spark.sources import console_consumer, dump_log_text

    with tempfile.TemporaryDirectory(prefix="journalscope-") as folder:
        return sum(
            read_written(source, content, Path(folder) / source.id)
            for source, content in ((dump_log_text.source, _DUMP), (console_consumer.source, _CONSOLE))
        )
