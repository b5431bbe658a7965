"""kafka-dump-log.sh without --print-data-log: batches, and the contents of index files and snapshots.

Record lines of --deep-iteration are skipped: without keys they are useless. Lines and reader are those of
`dump_log_text`. Page: docs/sources/dump-log-batches.md
"""

from __future__ import annotations

from functools import partial

from spark.sources import Source
from spark.sources.dump_log_text import split
from spark.sources.dump_log_text.read import read
from spark.sources.dump_log_text.recognise import recognise

ID = "dump-log-batches"

source = Source(
    id=ID,
    title="kafka-dump-log without records",
    kind="export",
    lacks=frozenset({"control", "headers", "contents"}),
    recognise=partial(recognise, wants_contents=False),
    read=partial(read, is_bare=True),
    cut=partial(split, source=ID),
)
