"""`rpk group describe`: the state of a group, then a row for each partition that it reads.

    Group => "GROUP" name, "COORDINATOR" | "COORDINATOR-NODE" id, ["COORDINATOR-PARTITION" partition], "STATE" state, "BALANCER" ..., "TOTAL-LAG" n
    Row   => TOPIC PARTITION CURRENT-OFFSET [LOG-START-OFFSET] LOG-END-OFFSET LAG [MEMBER-ID [INSTANCE-ID] CLIENT-ID HOST] [ERROR]

`-`: the group has committed no offset. rpk asks for the committed offsets before it asks for the ends of the logs. Newer versions print a
lag of 0 where the committed offset is beyond the end. Source: Redpanda `rpk/pkg/cli/group/describe.go` 21.11 to 25.1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from spark.sources._grammar.fields import RowReading
from spark.sources._grammar.tables import DeclaredTable, Fact, Facts, columns, labelled, number_in, text_in
from spark.sources._grammar.template import row
from spark.sources.kafka_consumer_groups import fact, is_beyond, offset_facts, sentence

STATES = tuple(
    row("{:margin}" + line + "{:line_end}", form)
    for form, line in {
        "group": "GROUP{:blanks_or_tab}{group:cell}",
        "coordinator": "COORDINATOR[-NODE]{:blanks_or_tab}{coordinator:count}",
        "partition": "COORDINATOR-PARTITION{:blanks_or_tab}{coordinators:cell}",
        "state": "STATE{:blanks_or_tab}{state:word}",
        "balancer": "BALANCER[{:blanks_or_tab}{balancer:cell}]",
        "members": "MEMBERS{:blanks_or_tab}{members:count}",
        "lag": "TOTAL-LAG{:blanks_or_tab}{total:count}",
    }.items()
)
PLACE = ("TOPIC {topic}", "PARTITION {partition}", "CURRENT-OFFSET {committed:optional}{}")
START, ENDS = "LOG-START-OFFSET {first:optional}", ("LOG-END-OFFSET {end:optional}", "LAG {lag:cell}")
MEMBER, INSTANCE, CLIENT = (
    "MEMBER-ID {member:cell}",
    "INSTANCE-ID {instance:cell}",
    ("CLIENT-ID {client:cell}", "HOST {host:cell}"),
)
# With errors a row may lack the cells of its member, so that its words stand in their place.
FAILED = ("MEMBER-ID {other:line}", "CLIENT-ID {client:cell}", "HOST {host:cell}", "ERROR {error:cell}")
TABLES = tuple(
    columns("offset", *PLACE, *start, *ENDS, *member, may_lack=len(member))
    for start in ((START,), ())
    for member in ((MEMBER, *CLIENT), (MEMBER, INSTANCE, *CLIENT), (MEMBER,), FAILED, ())
    if start or member
)  # fmt: skip


def facts(readings: list[RowReading], _: str) -> Facts:
    """The committed offset, the start and the end of the log of each row."""
    rows = list(with_groups(sorted(readings, key=lambda reading: reading.start)))
    starts = [log_start(reading) for _, reading in rows if number_in(reading, "first") is not None]
    return {"printed": [*offset_facts(rows, is_active_without_cell=False)["printed"], *starts]}


def with_groups(readings: list[RowReading]) -> Iterator[tuple[str, RowReading]]:
    """Rows, with the group that stands above them."""
    group = ""
    for reading in readings:
        if reading.row.form == "group":
            group = text_in(reading, "group")
        elif reading.row.form == "offset":
            yield group, reading


def log_start(reading: RowReading) -> Fact:
    return fact(
        text_in(reading, "topic"),
        number_in(reading, "partition") or 0,
        "log_start",
        number_in(reading, "first") or 0,
    )


declared = DeclaredTable(
    "rpk-group-describe", "rpk group describe", (labelled(*STATES), *TABLES), re.compile(rb"rpk group describe"), facts, sentence, shows_fault=is_beyond,
)  # fmt: skip
source = declared.source()
