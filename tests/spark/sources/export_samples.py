"""A small journal with every trap of the exports, and that journal in every layout."""

from __future__ import annotations

from collections.abc import Callable

from tests.generator import dumps, exports, karapace
from tests.generator.journal import Journal, Stored
from tests.generator.segment import SOME_TIME_MS, Record

TRAPS = [
    Record(b"k1", b'{"a":1}', SOME_TIME_MS, [(b"h", b"1"), (b"h", b"2")]),
    Record(b"k2", None, SOME_TIME_MS + 1),
    Record(None, b"plain words", SOME_TIME_MS + 2, [(b"trace", b"x")]),
    Record(b"k3", b"null", SOME_TIME_MS + 3),
    Record(b"k4", b"", SOME_TIME_MS + 4),
    Record("schlüssel".encode(), b"wert, zwei\nund drei", SOME_TIME_MS + 5),
    Record(b"k5", b"********", SOME_TIME_MS + 6),
]
JOURNAL = Journal(
    "orders", 3, [Stored(10 + 2 * number, record) for number, record in enumerate(TRAPS)]
)  # gaps, as compaction leaves them
SCHEMAS = Journal(
    "_schemas",
    0,
    [
        Stored(
            0,
            Record(
                b'{"subject":"s","version":1,"magic":1,"keytype":"SCHEMA"}', b'{"id":1,"schema":"\\"int\\""}'
            ),
        ),
        Stored(1, Record(b'{"subject":"s","magic":0,"keytype":"CONFIG"}', None)),
        Stored(
            2, Record(b'{"subject":"s","version":2,"magic":1,"keytype":"SCHEMA"}', b'{"id":2,"deleted":true}')
        ),
    ],
)

# file name, source that must win, bytes
Samples = dict[str, tuple[str, Callable[[], bytes]]]
SAMPLES: Samples = {
    "kcat.json": ("kcat-json", lambda: dumps.kcat_raw(JOURNAL)),
    "kcat64.json": ("kcat-json", lambda: dumps.kcat_base64(JOURNAL)),
    "plain.json": ("plain-json", lambda: dumps.plain_array(JOURNAL)),
    "akhq.json": ("akhq-json", lambda: dumps.akhq(JOURNAL)),
    "console.json": ("redpanda-console-json", lambda: dumps.redpanda_console(JOURNAL)),
    "console-text.json": ("redpanda-console-json", lambda: dumps.redpanda_console(JOURNAL, with_raw=False)),
    "rpk.json": ("rpk-json", lambda: dumps.rpk(JOURNAL)),
    "rpk-pretty.json": ("rpk-json", lambda: dumps.rpk(JOURNAL, pretty=True)),
    "topic-message": ("kafbat-json", lambda: exports.kafbat_saved(JOURNAL)),
    "stream.txt": ("kafbat-events", lambda: exports.kafbat_events(JOURNAL)),
    "topic-message.csv": ("kafbat-csv", lambda: exports.kafbat_csv(JOURNAL)),
    "kafkactl.json": ("kafkactl-json", lambda: exports.kafkactl(JOURNAL)),
    "kafkactl.ndjson": ("kafkactl-json", lambda: exports.kafkactl(JOURNAL, one_a_line=True)),
    "confluent.json": ("confluent-json", lambda: exports.confluent(JOURNAL)),
    "kafdrop.json": ("kafdrop-json", lambda: exports.kafdrop(JOURNAL)),
    "messages.csv": ("redpanda-console-csv", lambda: exports.redpanda_console_csv(JOURNAL)),
    "file.json": ("akhq-values", lambda: exports.akhq_values(JOURNAL)),
    "file.csv": ("akhq-values", lambda: exports.akhq_value_lines(JOURNAL)),
    "k1.json": ("akhq-values", lambda: b'{"subject":"s","version":1,"id":1,"schema":"1","deleted":false}'),
    "backup-v1.json": ("karapace-v1", lambda: karapace.version_1(SCHEMAS)),
    "backup-v2": ("karapace-v2", lambda: karapace.version_2(JOURNAL)),
    "orders:3.data": ("karapace-v3", lambda: karapace.version_3_data(JOURNAL)),
    "orders.metadata": (
        "karapace-metadata",
        lambda: karapace.version_3_metadata(JOURNAL, karapace.version_3_data(JOURNAL)),
    ),
}
