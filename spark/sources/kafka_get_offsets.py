"""`kafka-get-offsets` (`GetOffsetShell` before 3.0): one offset a line, for the requested time.

    line => topic ":" partition ":" [offset]           before 3.0 several offsets with commas, the newest first

`--time -1` (`latest`) requests the end of the log, `-2` (`earliest`) its start; the default is the end. The output does not
show which: only the command does. Source: Kafka `GetOffsetShell`. Without the command the offsets
are shown and not used.
"""

from __future__ import annotations

import re

from spark.sources._grammar.fields import RowReading
from spark.sources._grammar.tables import DeclaredTable, Facts, labelled
from spark.sources._grammar.template import row
from spark.terms.wording import plural, some

ROW = row("{topic:legal}:{partition:digits}:{}[{offset:digits}{:older_offsets}]{:line_end}")
COMMAND = re.compile(r"^.*(?:GetOffsetShell|kafka-get-offsets).*$", re.MULTILINE)
TIME = re.compile(r"--time[ =]\s*['\"]?(-?\d+|earliest|latest|max-timestamp|earliest-local|latest-tiered)")
KINDS = {"-1": "log_end", "latest": "log_end", "-2": "log_start", "earliest": "log_start"}
WORDS = {"log_start": "starts", "log_end": "ends"}
PARTITIONS_NAMED = 5
UNKNOWN = (
    "The command that printed them is not in the file, so whether these are starts or ends of the logs is unknown, and "
    "they are not used. Put the command's line before its output."
)


def kind_of(command: str) -> str | None:
    """What the command asked for: the end unless it says otherwise; None if the command is unknown."""
    match = COMMAND.search(command)
    if match is None:
        return None
    time = TIME.search(match[0])
    return KINDS.get(time[1]) if time else "log_end"


def facts(readings: list[RowReading], command: str) -> Facts:
    """One row for each partition, if the command is known; of several offsets the newest stands first."""
    kind = kind_of(command)
    cells = (reading.fields for reading in readings if kind)
    return {
        "printed": [
            {
                "topic": (row["topic"] or b"").decode(),
                "partition": int(row["partition"] or 0),
                "kind": kind,
                "offset": offset,
            }
            for row in cells
            if row["offset"] and (offset := int(row["offset"])) < 2**63
        ]
    }


def sentence(rows: Facts) -> str:
    printed = rows["printed"]
    if not printed:
        return UNKNOWN
    names = [f"{row['topic']}-{row['partition']} at {row['offset']}" for row in printed]
    word = WORDS[printed[0]["kind"]]
    return f"Log {word} of {plural(len(printed), 'partition')}: {some(names, PARTITIONS_NAMED)}."


declared = DeclaredTable(
    "kafka-get-offsets", "GetOffsetShell (kafka-get-offsets)", (labelled(ROW),), re.compile(rb"GetOffsetShell|kafka-get-offsets"), facts, sentence,
    needs_command=True,
)  # fmt: skip
source = declared.source()
