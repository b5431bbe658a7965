"""A small file that calls every compiled function of the JSON sources, for `spark.entry.compile_ahead`.

Pages of kcat, AKHQ, Redpanda Console and Kafdrop and values alone, with each kind of value, reading and damage.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from spark.sources import HEAD_BYTES, InputFile, Source

MODULES = ("spark.sources._json.scan", "spark.sources._json.strings", "spark.sources._json.numbers")

_KCAT = b"""{"topic":"t","partition":0,"offset":0,"tstype":"create","ts":1,"headers":["a","b"],"key":"k","payload":%s}
broken {
"""
_AKHQ = b'[{"partition":0,"offset":0,"timestamp":1.5,"keySchemaId":null,"valueSchemaId":null,"key":null,"value":"v"}]'
_CONSOLE = (
    b'[{"partitionID":0,"offset":0,"timestamp":1,"key":null,"value":{"payload":true,"rawPayload":"QQ=="}}]'
)
_KAFDROP = b'[{"partition":0,"offset":0,"message":"m","key":"empty","headers":{"a":"1"}}]'
_VALUES = b'[{"a":1},{"a":"text"},{"a":2}]'
_PAYLOADS = (b'"\\ud83d\\ude00 \\u00e9 \\n"', b'"\xc3\xa9"', b'"\xe9"', b'{"a": [1, null]}', b"null")


def read_sample() -> int:
    """Reads all of it; returns the number of records."""
    from spark.sources import akhq_json, akhq_values, kafdrop_json, kcat_json, redpanda_console_json

    dump = b"".join(_KCAT % payload for payload in _PAYLOADS)
    with tempfile.TemporaryDirectory(prefix="journalscope-") as folder:
        return sum(
            read_written(source, content, Path(folder) / source.id)
            for source, content in (
                (kcat_json.source, dump),
                (akhq_json.source, _AKHQ),
                (redpanda_console_json.source, _CONSOLE),
                (kafdrop_json.source, _KAFDROP),
                (akhq_values.source, _VALUES),
            )
        )


def read_written(source: Source, content: bytes, path: Path) -> int:
    """Writes and reads a file like an inspection; returns the number of records."""
    path.write_bytes(content)
    file = InputFile(path.name, str(path), len(content))
    source.recognise(file, content[:HEAD_BYTES])
    chunks = [chunk for split in source.split(file, 0, "warm", 0, "") for chunk in source.read(split)]
    return sum(chunk.records.num_rows for chunk in chunks if chunk.records is not None)
