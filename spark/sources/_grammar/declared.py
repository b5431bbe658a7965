"""The prints that are declared: of the text layouts, what is known of their rows without reading them as a file.

LOGGED   rows that stand in lines of a program's log, whatever precedes and follows them
LINES    rows that are lines of a tool
"""

from __future__ import annotations

from spark.sources import (
    client_log,
    connect_record,
    consumer_record,
    coordinator_formatters,
    go_record,
    ksql_print,
    mirror_formatters,
    node_record,
    python_record,
    spring_message,
    streams_print,
)
from spark.sources._grammar.layout import DeclaredPrint

LOGGED: tuple[DeclaredPrint, ...] = (
    consumer_record.declared,
    python_record.declared,
    connect_record.declared,
    spring_message.declared,
    go_record.declared,
    node_record.declared,
    streams_print.declared,
    client_log.FIXED,
)
LINES: tuple[DeclaredPrint, ...] = (
    ksql_print.declared,
    coordinator_formatters.declared,
    mirror_formatters.declared,
)
