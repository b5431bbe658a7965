"""`kafka-get-offsets` (`GetOffsetShell` before 3.0): one offset a line, for the requested time.

    line => topic ":" partition ":" [offset]           before 3.0 several offsets with commas, the newest first

`--time -1` (`latest`) requests the end of the log, `-2` (`earliest`) its start; the default is the end. The output does not
show which: only the command does. Source: Kafka `GetOffsetShell`. Without the command the offsets
are shown and not used.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from spark.sources._tool_prints import Facts, tool_print
from spark.terms.wording import plural, some

LINE = re.compile(
    r"^[ \t>|]*(?P<topic>[A-Za-z0-9._-]{1,249}):(?P<partition>\d{1,9}):(?P<offsets>(?:\d{1,19}(?:,\d{1,19})*)?),?[ \t]*\r?$",
    re.ASCII | re.MULTILINE,
)
LETTER = re.compile(r"[A-Za-z]")  # a time of day has none
COMMAND = re.compile(r"^.*(?:GetOffsetShell|kafka-get-offsets).*$", re.MULTILINE)
TIME = re.compile(r"--time[ =]\s*['\"]?(-?\d+|earliest|latest|max-timestamp|earliest-local|latest-tiered)")
KINDS = {"-1": "replication", "latest": "replication", "-2": "log_start", "earliest": "log_start"}
PRINTED_KINDS = {"log_start": "log_start", "replication": "log_end"}
WORDS = {"log_start": "starts", "log_end": "ends"}
PARTITIONS_NAMED = 5
UNKNOWN = (
    "The command that printed them is not in the file, so whether these are starts or ends of the logs is unknown, and "
    "they are not used. Put the command's line before its output."
)


@dataclass(frozen=True)
class PartitionOffset:
    """An offset of a partition; `kind` as in CHECKPOINTS: `log_start`, `replication` (the end), or None if unknown."""

    topic: str
    partition: int
    offset: int
    kind: str | None


def parse(text: str, command: str = "") -> list[PartitionOffset]:
    """Offsets in the order of the output; none if other lines outnumber the tool's."""
    lines = [line for line in text.splitlines() if line.strip()]
    matches = list(LINE.finditer(text))
    if not any(LETTER.search(match["topic"]) for match in matches) or len(matches) * 2 < len(lines) - 2:
        return []
    kind = kind_of(text, command)
    return [
        PartitionOffset(match["topic"], int(match["partition"]), int(match["offsets"].split(",")[0]), kind)
        for match in matches
        if match["offsets"] and int(match["offsets"].split(",")[0]) < 2**63
    ]


def kind_of(text: str, command: str = "") -> str | None:
    """What the command asked for: the end unless it says otherwise; None if the command is unknown."""
    words = command or (match[0] if (match := COMMAND.search(text)) else "")
    if not COMMAND.search(words):
        return None
    time = TIME.search(words)
    return KINDS.get(time[1]) if time else "replication"


def facts(text: str, command: str) -> Facts:
    """One row for each partition, if the command is known."""
    return {
        "printed": [
            {
                "topic": row.topic,
                "partition": row.partition,
                "kind": PRINTED_KINDS[row.kind],
                "offset": row.offset,
            }
            for row in parse(text, command)
            if row.kind
        ]
    }


def sentence(rows: Facts) -> str:
    printed = rows["printed"]
    if not printed:
        return UNKNOWN
    names = [f"{row['topic']}-{row['partition']} at {row['offset']}" for row in printed]
    word = WORDS[printed[0]["kind"]]
    return f"Log {word} of {plural(len(printed), 'partition')}: {some(names, PARTITIONS_NAMED)}."


source = tool_print(
    "kafka-get-offsets",
    "GetOffsetShell (kafka-get-offsets)",
    lambda text: bool(parse(text)),
    facts,
    sentence,
)
