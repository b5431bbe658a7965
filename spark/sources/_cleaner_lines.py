"""Lines of the log cleaner in a broker's log (`log-cleaner.log`): which partition it cleaned, when, and up to where.

    [time] INFO [kafka-log-cleaner-thread-0]:                                      (before 2.x: no brackets)
            Log cleaner thread 0 cleaned log t-0 (dirty section = [0, 42])          the end is not part of it
    [time] INFO Cleaner 0: Beginning cleaning of log t-0. (kafka.log.LogCleaner)
    [time] INFO Cleaner 0: Cleaning log t-0 (cleaning prior to TIME, discarding tombstones prior to ...)

The next cleaning begins at the offset after the dirty section; a later one may have gone further.
Source: Kafka `LogCleaner.recordStats`, `Cleaner.doClean` of 0.8.1 to 4.1.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from spark.sources._iso_time import iso_ms

CLEANED = re.compile(
    r"Log cleaner thread \d+ cleaned log (?P<log>[A-Za-z0-9._-]+-\d{1,9}) \(dirty section = \[(?P<first>\d{1,19}), (?P<end>\d{1,19})\]\)",
    re.ASCII,
)
BEGUN = re.compile(
    r"Cleaner \d+: (?:Beginning cleaning of log|Cleaning log|Building offset map for(?: log)?|Offset map for log|Build offset map for log"
    r"|Growing cleaner I/O buffers|Swapping in cleaned segment|Cleaning (?:Log)?[Ss]egment)\b\s*(?:(?P<log>[A-Za-z0-9._-]+-\d{1,9})\b)?",
    re.ASCII,
)
TIME = re.compile(r"\[?(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)[,.](\d{3})", re.ASCII)


@dataclass(frozen=True)
class PrintedCleaning:
    """A finished cleaning: its dirty section was `first_offset` to before `end_offset`; the time is as printed, read as UTC."""

    topic: str
    partition: int
    first_offset: int
    end_offset: int
    timestamp_ms: int | None


def has_lines(text: str) -> bool:
    return CLEANED.search(text) is not None or BEGUN.search(text) is not None


def parse(text: str) -> list[PrintedCleaning]:
    """Finished cleanings, in the order of the log."""
    cleanings: list[PrintedCleaning] = []
    time: int | None = None
    for line in text.splitlines():
        time = time_of(line) or time
        if (match := CLEANED.search(line)) and int(match["end"]) < 2**63:
            topic, _, partition = match["log"].rpartition("-")
            cleanings.append(
                PrintedCleaning(topic, int(partition), int(match["first"]), int(match["end"]), time)
            )
    return cleanings


def names(text: str) -> list[str]:
    """Partitions that the cleaner names, as `<topic>-<partition>`, finished or not."""
    logs = [match["log"] for pattern in (CLEANED, BEGUN) for match in pattern.finditer(text)]
    return list(dict.fromkeys(name for name in logs if name))


def time_of(line: str) -> int | None:
    """The time before a line, in milliseconds, read as UTC: logs do not state their zone."""
    match = TIME.match(line.lstrip())
    return iso_ms(f"{match[1]}T{match[2]}.{match[3]}") if match else None
