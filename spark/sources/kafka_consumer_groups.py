"""Print of `kafka-consumer-groups --describe`: where groups stand in each partition, and where its log ends.

The grammar stands in `spark.sources._tool_prints.groups`. Of a group that several blocks name the last one counts.
"""

from __future__ import annotations

from spark.sources._tool_prints import groups
from spark.sources._tool_prints.columns import number
from spark.sources._tool_prints.source import Facts, are_most, tool_print
from spark.terms.wording import plural, some

NAMED = 5


def matches(text: str) -> bool:
    """Whether its tables are most of the text; a table may have no rows."""
    return groups.has_header(text) and are_most(len(groups.parse(text)) + 3, text)


def facts(text: str, _: str) -> Facts:
    """The committed offset and the log end offset of each row."""
    rows = []
    for row in groups.parse(text):
        partition, end = number(row["PARTITION"]), number(row["LOG-END-OFFSET"])
        partition_of_row = {"topic": row["TOPIC"], "partition": partition}
        if partition is None:
            continue
        if (committed := number(row["CURRENT-OFFSET"])) is not None:
            rows.append(
                {**partition_of_row, "kind": "group", "name": row.get("GROUP", ""), "offset": committed}
            )
        if end is not None:
            rows.append({**partition_of_row, "kind": "log_end", "name": None, "offset": end})
    return {"printed": rows}


def sentence(rows: Facts) -> str:
    committed = [row for row in rows["printed"] if row["kind"] == "group"]
    named = [
        f"{row['name'] or 'a group'} at {row['offset']} of {row['topic']}-{row['partition']}"
        for row in committed
    ]
    return (
        f"{plural(len(committed), 'committed offset')}: {some(named, NAMED)}."
        if committed
        else "It names no committed offset."
    )


source = tool_print("kafka-consumer-groups", "kafka-consumer-groups", matches, facts, sentence)
