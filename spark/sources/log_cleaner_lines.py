"""Lines of the log cleaner in a broker's log: when it cleaned a partition, and up to where.

Grammar: `spark.sources._cleaner_lines`. The end of a dirty section is a lower bound for the cleaner's position: later lines
may be missing in the file.
"""

from __future__ import annotations

from spark.sources import _cleaner_lines as cleaner
from spark.sources._grammar.tables import Facts, companion_source
from spark.sources._not_a_journal import logs
from spark.terms.wording import moment, plural, some

NAMED = 5


def matches(text: str) -> bool:
    return cleaner.has_lines(text) and logs.is_log(text)


def facts(text: str) -> Facts:
    """One row for each finished cleaning."""
    return {
        "printed": [
            {
                "topic": row.topic,
                "partition": row.partition,
                "kind": "cleaned",
                "offset": row.end_offset,
                "timestamp_ms": row.timestamp_ms,
            }
            for row in cleaner.parse(text)
        ]
    }


def sentence(rows: Facts) -> str:
    """The last cleaning of each partition."""
    last = {(row["topic"], row["partition"]): row for row in rows["printed"]}
    named = [
        f"{topic}-{partition} to before offset {row['offset']}"
        + (f" ({moment(row['timestamp_ms'])}, by the log's own clock)" if row["timestamp_ms"] else "")
        for (topic, partition), row in last.items()
    ]
    return (
        f"{plural(len(rows['printed']), 'cleaning')} that ended: {some(named, NAMED)}."
        if named
        else "It contains no completed compaction."
    )


source = companion_source(
    "log-cleaner-lines", "lines of the log cleaner", matches, lambda text, _: (facts(text), []), sentence
)
