"""Logs of brokers, services and clients, and stack traces of Java.

    log4j    => "[" date time "] " level " " text " (" logger ")"         Kafka, Connect, Confluent's registry
    others   => date time ... level ...                                  Quarkus, Spring, Redpanda, Go services
    librdkafka => "%" level "|" seconds "|" facility "|" client "| " text

A text is a log when most of its lines are log lines or lines of a stack trace.
"""

from __future__ import annotations

import re

from spark.sources._not_a_journal.words import OF_CONNECT, Identified, dump, dump_of, with_dump
from spark.sources._tool_prints import cleaner

LINES = 200  # looked at
LEVEL = r"(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL|SEVERE|info|warn|warning|error|debug)"
LOG_LINE = re.compile(
    rf"^.{{0,60}}?\[?\d{{4}}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d.{{0,120}}?\b{LEVEL}\b|^{LEVEL}\s+\[?\d{{4}}-\d\d-\d\d"
    rf"|^%[0-7]\|\d+(?:\.\d+)?\|[A-Z]+\||^\d\d:\d\d:\d\d[.,]\d{{3}} .*\b{LEVEL}\b|^\w{{3}} \d\d? \d\d:\d\d:\d\d \S+ \S+: "
    r'|^\{"(?:level|@timestamp|timestamp|time|ts)":.*"(?:message|msg|logger|loggerName)":'
)
TRACE_LINE = re.compile(
    r"^\s*at [\w.$/<>@-]+\([^)]*\)|^\s*\.\.\. \d+ (?:more|common frames omitted)|^\s*(?:Caused by|Suppressed): "
    r"|^(?:Exception in thread \"[^\"]*\" )?(?:[a-z]\w*\.)+[A-Z]\w*(?:Exception|Error)\b"
)
CLEANER_LINE = re.compile(
    r"\s*(?:\[[^\]]*\]:?\s*)?(?:Log cleaner thread \d+ cleaned|[\d.,]+ MB of log processed|Indexed [\d.,]+ MB|Buffer utilization|Cleaned [\d.,]+ MB"
    r"|Start size: |End size: |[\d.,]+% size reduction|\t?\S+ has \d+ invalid)"
)
EXCEPTION = re.compile(r"\b((?:[a-z]\w*\.)+[A-Z]\w*(?:Exception|Error))\b")
LOG_MEMBERS = re.compile(r'^\{"(?:level|@timestamp|timestamp|time|ts)":')
WRITERS = (
    (re.compile(r"io\.apicurio\b"), "Apicurio Registry", "kafkasql-journal"),
    (
        re.compile(r"io\.confluent\.kafka\.schemaregistry|\bschema_registry\b|\bkarapace\b"),
        "a schema registry",
        "_schemas",
    ),
    (
        re.compile(r"org\.apache\.kafka\.connect|io\.debezium|\bWorkerS(?:ource|ink)Task\b"),
        "a Connect worker",
        "",
    ),
    (re.compile(r"io\.confluent\.ksql"), "a ksqlDB server", "_confluent-ksql-default__command_topic"),
    (
        re.compile(
            r"\((?:kafka\.|state\.change\.logger|org\.apache\.kafka\.(?:storage|server|image|raft|metadata|controller|coordinator))"
            r"|\[(?:KafkaServer|KafkaRaftServer|BrokerServer|Controller|ReplicaManager|GroupCoordinator|TransactionCoordinator|UnifiedLog|Log|RaftManager)\b"
        ),
        "a Kafka broker",
        "",
    ),
    (re.compile(r"org\.apache\.kafka\.clients|\|rdkafka#|^%[0-7]\|", re.MULTILINE), "a Kafka client", ""),
    (re.compile(r"org\.apache\.zookeeper"), "ZooKeeper", ""),
)


def identify(text: str, _is_whole: bool) -> Identified | None:
    """The cleaner's lines, a stack trace, or a log with the name of who wrote it."""
    if cleaner.has_lines(text):
        names = [name.rpartition("-")[0] for name in cleaner.names(text)]
        return with_dump("part of a broker's log (lines of the log cleaner)", names)
    if not is_log(text):
        return None
    return of_log(text) if any(LOG_LINE.search(line) for line in first_lines(text)) else of_trace(text)


def is_log(text: str) -> bool:
    """Whether most lines are those of a log, of a stack trace, or of the statistics that the log cleaner writes."""
    lines = first_lines(text)
    matching = [
        line for line in lines if LOG_LINE.search(line) or TRACE_LINE.search(line) or CLEANER_LINE.match(line)
    ]
    return bool(lines) and 2 * len(matching) >= len(lines)


def first_lines(text: str) -> list[str]:
    """Lines that are looked at."""
    return [line for line in text.splitlines()[:LINES] if line.strip()]


def of_trace(text: str) -> Identified:
    """A stack trace, with the exception that it begins with."""
    exception = EXCEPTION.search(text)
    return Identified(f"a Java stack trace{f' ({exception[1]})' if exception else ''}", dump())


def of_log(text: str) -> Identified:
    """A log; what its writer keeps as a journal is what to send."""
    for pattern, writer, topic in WRITERS:
        if pattern.search(text):
            return Identified(f"a log of {writer}", instead(writer, topic))
    return Identified("a log of a program", dump())


def instead(writer: str, topic: str) -> str:
    """The journal of a service, or a dump."""
    if "Connect" in writer:
        return OF_CONNECT
    return dump_of(topic, writer) if topic else dump()
