"""Logs of brokers, services and clients, and stack traces of Java.

    log4j    => "[" date time "] " level " " text " (" logger ")"         Kafka, Connect, Confluent's registry
    others   => date time ... level ...                                  Quarkus, Spring, Redpanda, Go services
    librdkafka => "%" level "|" seconds "|" facility "|" client "| " text

A text is a log if most of its lines are log lines or lines of a stack trace.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from spark.sources import _cleaner_lines as cleaner
from spark.sources._not_a_journal.words import OF_CONNECT, Identified, dump, dump_of, with_dump

LINES = 200  # looked at
OF_A_PROGRAM = "a log of a program"
LEVEL = r"(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL|SEVERE|info|warn|warning|error|debug)"
LOG_LINE = re.compile(
    rf"^.{{0,60}}?\[?\d{{4}}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d.{{0,120}}?\b{LEVEL}\b|^{LEVEL}\s+\[?\d{{4}}-\d\d-\d\d"
    rf"|^%[0-7]\|\d+(?:\.\d+)?\|[A-Z]+\||^\d\d:\d\d:\d\d[.,]\d{{3}} .*\b{LEVEL}\b|^\w{{3}} \d\d? \d\d:\d\d:\d\d \S+ \S+: "
    r'|^\{"(?:level|@timestamp|timestamp|time|ts)":.*"(?:message|msg|logger|loggerName)":'
)
BARE_LINE = re.compile(rf"^\s*{LEVEL} \S.* \((?:kafka|org\.apache\.kafka)\.[\w.$]+\)\s*$")
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
    (
        re.compile(
            r"\[\w+ (?:brokerId|nodeId)=\d+\]|^(?:WARN|INFO|ERROR) .* \((?:kafka\.|org\.apache\.kafka\.storage)",
            re.MULTILINE,
        ),
        "a Kafka broker",
        "",
    ),
    (re.compile(r"org\.apache\.kafka\.clients|\|rdkafka#|^%[0-7]\|", re.MULTILINE), "a Kafka client", ""),
    (re.compile(r"org\.apache\.zookeeper"), "ZooKeeper", ""),
)


PARTITION = r"(?P<partition>[A-Za-z0-9._-]{1,249}-\d{1,9})"
IN_FOLDER = rf"[^\s,()]*[/\\]{PARTITION}[/\\]\d{{20}}\.(?:log|index|timeindex|txnindex)"
STATED_SHOWN = 5
STATED: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
    (
        re.compile(rf"[Cc]orrupt(?:ed)? index[^\n]*?{IN_FOLDER}"),
        lambda match: f"{match['partition']} has a corrupt index",
    ),
    (
        re.compile(
            rf"invalid (?:or corrupted )?messages in log segment {IN_FOLDER} at byte offset (?P<byte>\d+)"
        ),
        lambda match: f"{match['partition']} has invalid records at byte {match['byte']} of a segment",
    ),
    (
        re.compile(
            rf"\[(?:Unified)?Log partition={PARTITION}[^\]]*\][^\n]*?Corruption found in segment (?P<segment>\d+), truncating to offset (?P<offset>\d+)"
        ),
        lambda match: (
            f"{match['partition']} was truncated to offset {match['offset']} because segment {match['segment']} is corrupt"
        ),
    ),
    (
        re.compile(
            rf"\[(?:Unified)?Log partition={PARTITION}[^\]]*\] Truncating to (?:offset )?(?P<offset>\d+)(?! has no effect)\b"
        ),
        lambda match: f"{match['partition']} was truncated to offset {match['offset']}",
    ),
    (
        re.compile(rf"Truncating log {PARTITION} to offset (?P<offset>\d+)\b"),
        lambda match: f"{match['partition']} was truncated to offset {match['offset']}",
    ),
    (
        re.compile(
            rf"(?:CorruptRecordException|Found invalid messages during fetch|Found record size)[^\n]*? (?:for )?partition {PARTITION}(?:[^\n]*?offset (?P<offset>\d+))?"
        ),
        lambda match: (
            f"{match['partition']} has a corrupt record{' at offset ' + match['offset'] if match['offset'] else ''}"
        ),
    ),
    (
        re.compile(rf"[Rr]ecord batch for partition {PARTITION} at offset (?P<offset>\d+) is invalid"),
        lambda match: f"{match['partition']} has an invalid record batch at offset {match['offset']}",
    ),
    (
        re.compile(
            r"Loss of (?P<records>\d+) (?:records|messages)|(?P<lost>\d+) (?:records|messages) (?:were|was|have been) lost"
        ),
        lambda match: f"{match['records'] or match['lost']} records were lost",
    ),
)


def identify(text: str, _is_whole: bool) -> Identified | None:
    """The log cleaner's lines, a stack trace, or a log with the name of its writer."""
    if cleaner.has_lines(text):
        names = [name.rpartition("-")[0] for name in cleaner.names(text)]
        return with_dump("part of a broker's log (lines of the log cleaner)", names)
    if not is_log(text):
        return None
    return of_log(text) if any(LOG_LINE.search(line) for line in first_lines(text)) else of_trace(text)


def is_log(text: str) -> bool:
    """Whether most lines belong to a log, a stack trace, or the statistics of the log cleaner."""
    lines = first_lines(text)
    matching = [
        line for line in lines if LOG_LINE.search(line) or TRACE_LINE.search(line) or CLEANER_LINE.match(line)
    ]
    return bool(lines) and 2 * len(matching) >= len(lines)


def first_lines(text: str) -> list[str]:
    """The first lines, up to the number examined."""
    return [line for line in text.splitlines()[:LINES] if line.strip()]


def of_lines(text: str, _is_whole: bool) -> Identified | None:
    """Lines of a log between other text, as in a page or a ticket."""
    lines = [line for line in text.splitlines() if LOG_LINE.search(line) or BARE_LINE.match(line)]
    log = of_log("\n".join(lines)) if lines else None
    return replace(log, also=damage_stated(text)) if log and log.description != OF_A_PROGRAM else None


def of_trace(text: str) -> Identified:
    """A stack trace, with the exception that it begins with."""
    exception = EXCEPTION.search(text)
    return Identified(f"a Java stack trace{f' ({exception[1]})' if exception else ''}", dump(), is_part=True)


def of_log(text: str) -> Identified:
    """A log; the answer names the journal that its writer keeps."""
    for pattern, writer, topic in WRITERS:
        if pattern.search(text):
            return Identified(f"a log of {writer}", instead(writer, topic), damage_stated(text))
    return Identified(OF_A_PROGRAM, dump())


def damage_stated(text: str) -> str:
    """A sentence on the partitions that a broker calls corrupt or truncated, and the records lost with them."""
    stated = list(
        dict.fromkeys(
            sentence
            for pattern, words in STATED
            for match in pattern.finditer(text)
            if (sentence := words(match))
        )
    )
    if not stated:
        return ""
    more = f"; {len(stated) - STATED_SHOWN} more" if len(stated) > STATED_SHOWN else ""
    return f"It says: {'; '.join(stated[:STATED_SHOWN])}{more}."


def instead(writer: str, topic: str) -> str:
    """The journal of a service, or a dump."""
    if "Connect" in writer:
        return OF_CONNECT
    return dump_of(topic, writer) if topic else dump()
