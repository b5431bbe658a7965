"""How lines of each tool's output begin. A strong tool's lines are recognised anywhere; a line of JSON only if no record of
another tool continues.

    dump        kafka-dump-log              spark.sources.dump_log_text.beginnings
    console     kafka-console-consumer with labels   spark.sources.console_consumer.shape
    json        envelopes and exports of kcat, rpk, AKHQ, ..., and values
    others      as their layouts declare them (spark.sources._grammar.declared, declared_tables)
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from spark.sources import client_log
from spark.sources._decoders.to_string import COMMIT_ROWS
from spark.sources._grammar.declared import LINES, LOGGED
from spark.sources._grammar.declared_tables import TABLES
from spark.sources._grammar.layout import DeclaredPrint
from spark.sources._grammar.tables import DeclaredTable
from spark.sources.console_consumer.shape import BEGINS as CONSOLE
from spark.sources.dump_log_text.beginnings import BEGINS as DUMP

HEADS = rb"(?:Key|Value) format: |Format:[A-Z]+$"
KSQL, FORMATTER, MIRROR = (
    b"|".join(row.begins.pattern for row in declared.walker.rows if row.form != "json") for declared in LINES
)
JSON = re.compile(rb"(?:data: ?)?(?:\{\s*(?:\"|\}|$)|\[\s*(?:[{\[\"\]]|-?\d[\d.]*\s*[,\]]|null|$))")


@dataclass(frozen=True)
class Tool:
    """`is_strong`: no other text begins like its lines; `declared`: its rows; `table`: those that tell of a cluster."""

    id: str
    begins: re.Pattern[bytes]
    is_strong: bool = True
    declared: DeclaredPrint | None = None
    table: DeclaredTable | None = None

    def declared_of(self, text: bytes) -> DeclaredPrint | None:
        """The declaration of the rows that begin like this one: labels of a program's own declare themselves."""
        is_own = self.declared is client_log.FIXED and (template := client_log.template_of(text))
        return client_log.declared_for(template) if is_own else self.declared

    @property
    def is_logged(self) -> bool:
        return self.declared is not None and self.declared.is_in_log


def in_a_line(declared: DeclaredPrint) -> Tool:
    """Rows that begin anywhere in a line."""
    begins = rb"[^\n]{0,400}?(?:%s)" % declared.walker.begins.pattern
    return Tool(declared.id, re.compile(begins, re.S), declared=declared)


TOOLS = (
    Tool("dump", DUMP),
    Tool("console", CONSOLE),
    Tool("ksql", re.compile(HEADS + b"|" + KSQL + rb"|\{\"ROWTIME\":"), declared=LINES[0]),
    Tool("json", JSON, is_strong=False),
    Tool("formatter", re.compile(FORMATTER), declared=LINES[1]),
    Tool("mirror", re.compile(MIRROR), declared=LINES[2]),
    *(Tool(table.id, table.begins, table=table) for table in TABLES if not table.needs_command),
    *map(in_a_line, LOGGED),
)
TABLES_BY_ID = {table.id: table for table in TABLES}
LABELLED = Tool(client_log.FIXED.id, re.compile(rb"(?!)"), is_strong=False, declared=client_log.FIXED)
FIRST_BYTES = {
    "dump": b"DLSKbot|-vpFNMIi ",
    "console": b"CLNPO",
    "ksql": b"rRKVF0123456789{",
    "json": b"{[d",
    "kafka-topics-describe": b"Tt \tPp",
    "kafka-configs-describe": b"CDAc \t",
    "kafka-transactions": b"TCP \t",
    "kafka-consumer-groups": b"GTC \t",
    "kafka-consumer-offset-checker": b"G \t",
    "rpk-group-describe": b"GCSBMT \t",
}
# Rows that begin with letters of their own: recognisable where a command is glued to them, or a prefix of any text precedes them.
OWN = [
    DUMP.pattern,
    CONSOLE.pattern,
    rb"(?:rowtime|ROWTIME): ",
    MIRROR,
    *(row.begins.pattern for row in COMMIT_ROWS),
    *(table.begins.pattern for table in TABLES if not table.needs_command),
]
ROW = re.compile(b"|".join(OWN), re.S)
GLUED = re.compile(
    b"|".join(
        [
            *OWN,
            rb"\[?\{\"(?:topic|partition|offset)\":",
            *(declared.walker.begins.pattern for declared in LOGGED[:5]),
        ]
    ),
    re.S,
)


@lru_cache(maxsize=4096)  # the same line is asked about by several steps
def tool_at(text: bytes, position: int = 0) -> Tool | None:
    """The tool whose line begins exactly here."""
    first = text[position : position + 1]
    if not first:
        return None
    for tool in TOOLS:
        if tool.is_logged and tool.declared and not any(mark in text for mark in tool.declared.marks):
            continue
        if first in FIRST_BYTES.get(tool.id, first) and tool.begins.match(text, position):
            return tool
    return None


@lru_cache(maxsize=64)
def announced(id: str, header: bytes) -> Tool:
    """The rows that a table's header, or its command, announces; they may begin like nothing else."""
    table = TABLES_BY_ID[id]
    return Tool(id, table.announced(header), is_strong=table.needs_command, table=table)


def table_of_command(command: bytes) -> DeclaredTable | None:
    """The table that a command prints."""
    return next((table for table in TABLES if command and table.commands.search(command)), None)


def labelled(text: bytes) -> Tool | None:
    """A line with a program's own labels (`offset = 0, key = k, value = v`), if no tool's begins in it."""
    return LABELLED if b"ffset" in text and client_log.template_of(text) else None
