"""Print of `kafka-get-offsets` (`GetOffsetShell`): where the logs of partitions start or end.

The grammar stands in `spark.sources._tool_prints.offsets`. Only the command tells which of the two was asked for; without it
the offsets are shown and used for nothing.
"""

from __future__ import annotations

from spark.sources._tool_prints import offsets
from spark.sources._tool_prints.source import Facts, tool_print
from spark.terms.wording import plural, some

KINDS = {"log_start": "log_start", "replication": "log_end"}
WORDS = {"log_start": "starts", "log_end": "ends"}
PARTITIONS_NAMED = 5
UNKNOWN = (
    "The command that printed them is not in the file, so whether these are starts or ends of the logs is unknown, and "
    "they are not used. Put the command's line before its output."
)


def facts(text: str, command: str) -> Facts:
    """One row for each partition, if the command is known."""
    return {
        "printed": [
            {"topic": row.topic, "partition": row.partition, "kind": KINDS[row.kind], "offset": row.offset}
            for row in offsets.parse(text, command)
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
    lambda text: bool(offsets.parse(text)),
    facts,
    sentence,
)
