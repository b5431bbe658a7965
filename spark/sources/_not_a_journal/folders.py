"""Folders of other programs, by the names of their files: the refusal names the folder, not the first file in it.

    Redpanda    <namespace>/<topic>/<partition>_<revision>/<base offset>-<term>-v1.log
    ZooKeeper   version-2/log.<zxid>, version-2/snapshot.<zxid>
    RocksDB     CURRENT, MANIFEST-<number>, <number>.sst         below Kafka Streams' state.dir: <application>/<task>/rocksdb/<store>
    Spark       part-<number>-<uuid>...parquet, _delta_log, _spark_metadata; a checkpoint: offsets/<n>, commits/<n>
    tiered      <20 digits>-<id>.rsm-manifest beside .log and .indexes

Sources: redpanda `storage/segment_utils.h`; ZooKeeper `FileTxnSnapLog`; RocksDB `file/filename.cc`; Spark `CheckpointFileManager`;
Aiven `tiered-storage-for-apache-kafka`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from spark.sources._not_a_journal.words import NOT_READ, Identified, dump

STREAMS = "dumps of its changelog topics (names that end in -changelog)"
FOLDERS: tuple[tuple[re.Pattern[str], int, str, str], ...] = (
    (
        re.compile(r"^(?P<folder>.*?)(?:(?:redpanda|kafka|kafka_internal)/[^/]+/)?[^/]*/?\d+-\d+-v\d+\.log$"),
        2,
        "a data directory of Redpanda (its segments are not in Kafka's form)",
        "",
    ),
    (
        re.compile(r"^(?P<folder>.*?)(?:version-2/)?(?:log|snapshot)\.[0-9a-f]{1,16}$"),
        1,
        "a data directory of ZooKeeper",
        "",
    ),
    (
        re.compile(r"^(?P<folder>.*?)(?:[^/]+/\d+_\d+/)?rocksdb/.*(?:CURRENT|MANIFEST-\d+|\.sst)$"),
        1,
        "a state directory of Kafka Streams (RocksDB)",
        STREAMS,
    ),
    (
        re.compile(r"^(?P<folder>.*?)(?:[^/]+/)?(?:MANIFEST-\d{6}|\d{6}\.sst)$"),
        2,
        "a database of RocksDB (as Kafka Streams uses for its state)",
        STREAMS,
    ),
    (
        re.compile(r"^(?P<folder>.*?)(?:_delta_log|\.hoodie|_spark_metadata)/.*"),
        1,
        "a table of Spark (a data lake, not a topic)",
        "",
    ),
    (
        re.compile(r"^(?P<folder>.*?)(?:[^/]+=[^/]*/)*part-\d{5}-[0-9a-f-]{36}.*"),
        1,
        "a table that Spark wrote (part files)",
        "",
    ),
    (
        re.compile(r"^(?P<folder>.*?)(?:offsets|commits|sources/\d+)/\d+$"),
        2,
        "a checkpoint of Spark Structured Streaming",
        "",
    ),
    (
        re.compile(r"^(?P<folder>.*?)(?:[^/]+/)?\d{20}-[\w-]+\.rsm-manifest$"),
        1,
        "a folder of tiered storage (remote segments, which a plugin transforms)",
        "",
    ),
)


def identify_folder(names: Sequence[str]) -> tuple[str, Identified] | None:
    """The folder of most of these files and what it is; None if no program is known by these files."""
    for pattern, least, description, instead in FOLDERS:
        matches = [match for name in names if (match := pattern.match(name))]
        if len(matches) >= least:
            folder = min((match["folder"] for match in matches), key=len).rstrip("/")
            return folder or names[0].split("/")[0], Identified(
                description, instead or dump(), holds=NOT_READ
            )
    return None
