"""Output of Kafka's tools without records: topics, groups, offsets, transactions.

Source: Kafka `tools` and `core/admin`, 0.8 to 4.1; the layouts of these tools say more.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from spark.sources import (
    kafka_configs_describe,
    kafka_consumer_groups,
    kafka_consumer_offset_checker,
    kafka_get_offsets,
    kafka_topics_describe,
    kafka_transactions,
    rpk_group_describe,
)
from spark.sources._grammar.fields import RowReading
from spark.sources._grammar.tables import text_in
from spark.sources._not_a_journal import shown
from spark.sources._not_a_journal.words import Identified, dump, dump_command, with_dump
from spark.terms.wording import some

Answer = Identified | None
DESCRIPTIONS = (
    (kafka_consumer_groups.declared, "the output of kafka-consumer-groups (committed offsets)"),
    (
        kafka_consumer_offset_checker.declared,
        "the output of kafka-consumer-offset-checker (committed offsets)",
    ),
    (rpk_group_describe.declared, "the output of rpk group describe (committed offsets)"),
    (kafka_transactions.declared, "a table of kafka-transactions"),
    (kafka_topics_describe.declared, "the output of kafka-topics --describe"),
    (kafka_configs_describe.declared, "the output of kafka-configs --describe"),
    (kafka_get_offsets.declared, "the output of GetOffsetShell (kafka-get-offsets)"),
)
SHOWN = {
    kafka_consumer_groups.declared.id: shown.of_groups,
    kafka_topics_describe.declared.id: shown.of_replicas,
}
DELETE_RECORDS = re.compile(
    r"^Executing records delete operation|^partition: \S+\s+low_watermark: ", re.MULTILINE
)
REASSIGNMENT = re.compile(
    r"^Current partition replica assignment|^Proposed partition reassignment configuration|^Status of partition reassignment"
    r"|^Reassignment of partition \S+ is |^Successfully started (?:partition|replica) reassignment",
    re.MULTILINE,
)
LOG_DIRS = re.compile(r"^Querying brokers for log directories information", re.MULTILINE)
QUORUM = re.compile(
    r"^ClusterId:\s+\S+\nLeaderId:|^NodeId\s+(?:DirectoryId\s+)?LogEndOffset\s+Lag", re.MULTILINE
)
# Source: Kafka `shell` and `metadata/image/node`: up to 3.4 without `/image`. A log has text before what a node prints.
SHELL = re.compile(
    r"^\[ Kafka Metadata Shell \]|^>> (?:ls|cat|cd|find|pwd|tree)(?: /?[\w*.]|\s*$)"
    r"|^ {0,40}(?:PartitionRegistration\(replicas=\[|BrokerRegistration\(id=\d+, epoch=)"
    r"|^(?:/image)?/(?:topics/by(?:Id|Name)|topicIds|cluster/(?:brokers|\d)|metadataQuorum|clientQuotas|producerIds|provenance)(?:/|\s*$)",
    re.MULTILINE,
)
NODES = re.compile(
    r"\s*(?:(?:acls|clientQuotas|cluster|configs|delegationToken|features|producerIds|provenance|scram|topics|brokers|local|metadataQuorum"
    r"|topicIds)\s+){4,14}"
)
OF_METADATA = (
    "the .log and .checkpoint files of a controller's folder __cluster_metadata-0, or their dumps: "
    "`kafka-dump-log --cluster-metadata-decoder --files FILE`"
)
METADATA_SHELL = Identified(
    "the output of kafka-metadata-shell (a state of the cluster's metadata)", OF_METADATA
)
API_VERSIONS = re.compile(r"^\S+:\d+ \(id: -?\d+ rack: [^)]*\)[^\n]*-> \(", re.MULTILINE)
ACLS = re.compile(r"^Current ACLs for resource ", re.MULTILINE)
FEATURES = re.compile(r"^Feature: \S+\s+SupportedMinVersion: ", re.MULTILINE)
PERFORMANCE = re.compile(r"^\d{1,12} records sent, [\d.,]{1,20} records/sec", re.MULTILINE)
KCAT_METADATA = re.compile(r"^Metadata for \S+ \(from broker ", re.MULTILINE)
KCAT_TOPIC = re.compile(r'^\s*topic "([^"]+)" with \d+ partitions?:', re.MULTILINE)
KCAT_OFFSETS = re.compile(r"^\S+ \[\d+\] offset -?\d+\s*$", re.MULTILINE)
RPK_GROUP = re.compile(r"^GROUP\s+\S+\s*\nCOORDINATOR\s+-?\d+\s*$", re.MULTILINE)
# Source: Redpanda `rpk/pkg/cli/topic/describe.go`, franz-go `kmsg.ConfigSource`: SUMMARY, settings (KEY VALUE SOURCE), partitions.
RPK_TOPIC = re.compile(
    r"^SUMMARY\s*\n=+\s*\nNAME\s|^PARTITION\s+LEADER\s+EPOCH\s+REPLICAS\s"
    r"|^[a-z][a-z.]{2,60}[ \t]{2,}(?:\S[^\n]{0,200}[ \t]{2,})?(?:DYNAMIC_(?:TOPIC|BROKER|DEFAULT_BROKER|BROKER_LOGGER)|STATIC_BROKER|DEFAULT)_CONFIG\b",
    re.MULTILINE,
)
RPK_PARTITION = re.compile(  # partition, start of the log, high watermark; without an error in between
    r"^[ \t]*(\d{1,9})[ \t]+-?\d+[ \t]+-?\d+[ \t]+\[[\d ]*\][ \t]+(?:\[[\d ]*\][ \t]+)?(\d{1,19})[ \t]+(?:\d{1,19}[ \t]+)?(\d{1,19})[ \t]*$",
    re.MULTILINE | re.ASCII,
)
PARTITIONS_NAMED = 5
NO_GROUP = re.compile(
    r"^Error: Consumer group '|^Error: Executing consumer group command failed|^Consumer group '\S+' has no active",
    re.MULTILINE,
)
ELECTION = re.compile(r"^Successfully completed leader election|^Valid replica already elected", re.MULTILINE)
NOTHING_READ = re.compile(r"^Processed a total of 0 messages\s*$", re.MULTILINE)
END_OF_PARTITION = re.compile(
    r"^[ \t]{0,20}(?:% )?Reached end of topic (\S{1,249}) \[\d+\] at offset \d+", re.MULTILINE
)
OFFSETS_ALONE = re.compile(r"\(partition(?:Id)? ?\d{1,10}, ?offset ?\d{1,19}\)", re.IGNORECASE)
PROMPT = re.compile(r"[^%]{0,100}[$#>] ")
FAILED = re.compile(
    r"^[^\n]*(?:command not found|No such file or directory|is not recognized as an internal|Connection refused|Permission denied"
    r"|Missing required (?:argument|option)|is not a recognized option|Error: No such container)[^\n]*$",
    re.MULTILINE,
)
MAX_LINES_OF_AN_ERROR = 6
# topic, partition, committed offset, [start of the log,] end of the log, lag, and what follows; which is which a header would say
ROW_OF_A_GROUP = re.compile(
    r"^[ \t]*(?:[\w.-]{1,249}[ \t]+)?([\w.-]{1,249})[ \t]+(\d{1,9})[ \t]+(\d{1,19})[ \t]+(?:\d{1,19}[ \t]+)?(\d{1,19})[ \t]+(-?\d{1,19})(?:[ \t]+\S.*)?[ \t]*$",
    re.MULTILINE | re.ASCII,
)
MIN_LAGS = 2  # different ones, where none is negative
GROUP_COMMANDS = (
    "the whole output with its header: `rpk group describe GROUP` or "
    "`kafka-consumer-groups.sh --bootstrap-server BROKER:9092 --describe --group GROUP`"
)
BY_LINES = (
    (KCAT_OFFSETS, "the output of kcat -Q (offsets)"),
    (RPK_GROUP, "the output of rpk group describe"),
    (NO_GROUP, "the output of kafka-consumer-groups"),
    (ELECTION, "the output of kafka-leader-election"),
    (NOTHING_READ, "the output of kafka-console-consumer, which read 0 records"),
    (LOG_DIRS, "the output of kafka-log-dirs"),
    (DELETE_RECORDS, "the output of kafka-delete-records"),
    (REASSIGNMENT, "the output of kafka-reassign-partitions"),
    (API_VERSIONS, "the output of kafka-broker-api-versions"),
    (ACLS, "the output of kafka-acls --list"),
    (FEATURES, "the output of kafka-features describe"),
    (PERFORMANCE, "the output of kafka-producer-perf-test"),
)

WITHOUT_TOPIC = (API_VERSIONS, ACLS, FEATURES, PERFORMANCE)
OF_ANY = f"a dump of the topic that you want to inspect: {dump_command()}"


def identify(text: str, _is_whole: bool) -> Answer:
    """By the first tool that prints such a text."""
    return next((identified for ask in ASKED if (identified := ask(text))), None)


def of_tables(text: str) -> Answer:
    """The tables and lines that are declared; other lines may outnumber them."""
    content = text.encode()
    for declared, description in DESCRIPTIONS:
        if declared.needs_command and not declared.is_most(text):
            continue
        readings = declared.readings(text)
        if readings or declared.headers(content):
            names = [name for reading in readings if (name := topic_in(reading))]
            tell = SHOWN.get(declared.id)
            return with_dump(description, names, tell(readings) if tell else "")
    return None


def topic_in(reading: RowReading) -> str:
    """The topic that a row names; of kafka-configs the entity, if it is one."""
    return text_in(reading, "topic") or (
        text_in(reading, "name") if text_in(reading, "kind").startswith("topic") else ""
    )


def of_kcat(text: str) -> Answer:
    """kcat -L."""
    if not KCAT_METADATA.search(text):
        return None
    return Identified("the output of kcat -L (topics and brokers)", dump(KCAT_TOPIC.findall(text)))


def of_metadata_shell(text: str) -> Answer:
    """kafka-metadata-shell: its prompt, its nodes, or a list of the first ones."""
    return METADATA_SHELL if SHELL.search(text) or NODES.fullmatch(text + "\n") else None


def of_quorum(text: str) -> Answer:
    """kafka-metadata-quorum, with the voters that are behind."""
    if not QUORUM.search(text):
        return None
    return Identified("the output of kafka-metadata-quorum", OF_METADATA, shown.of_quorum(text))


def of_rpk_topic(text: str) -> Answer:
    """rpk topic describe, with the partitions of which no record is left."""
    if not RPK_TOPIC.search(text):
        return None
    emptied = [
        f"partition {partition} (its log starts and ends at offset {end})"
        for partition, start, end in RPK_PARTITION.findall(text)
        if start == end != "0"
    ]
    also = f"No record is left in {some(emptied, PARTITIONS_NAMED)}." if emptied else ""
    return Identified("the output of rpk topic describe", dump(), also)


def of_lines(text: str) -> Answer:
    return next(
        (
            Identified(description, OF_ANY if pattern in WITHOUT_TOPIC else dump())
            for pattern, description in BY_LINES
            if pattern.search(text)
        ),
        None,
    )


def of_rows_of_groups(text: str) -> Answer:
    """Rows of a group without the header that names their numbers: the last number of each is the difference of two others."""
    rows = [
        (topic, partition, int(committed), int(end))
        for topic, partition, committed, end, lag in ROW_OF_A_GROUP.findall(text)
        if int(end) - int(committed) == int(lag) and (int(lag) or int(end))
    ]
    beyond = next((row for row in rows if row[2] > row[3]), None)
    if not beyond and len({end - committed for _, _, committed, end in rows}) < MIN_LAGS:
        return None
    also = ""
    if beyond:
        topic, partition, committed, end = beyond
        also = (
            f"If the numbers are PARTITION, CURRENT-OFFSET, LOG-END-OFFSET and LAG, the committed offset {committed} of {topic}-{partition} is "
            f"{committed - end} beyond the end of the log."
        )
    return Identified("a description of a consumer group without its header", GROUP_COMMANDS, also)


def of_failures(text: str) -> Answer:
    """A tool that printed no record: its own messages, or a command that failed."""
    lines = [line for line in text.splitlines() if line.strip()]
    are_kcats = bool(lines) and all(line.startswith("% ") for line in lines[1:] or lines)
    if are_kcats and (lines[0].startswith("% ") or PROMPT.match(lines[0])):  # the first may be the command
        return Identified("messages of kcat without a record", dump())
    failed = FAILED.search(text)
    if failed is None or len(lines) > MAX_LINES_OF_AN_ERROR:
        return None
    return Identified(f"the error of a command ({failed[0].strip()[:200]})", dump())


def of_traces(text: str, _is_whole: bool) -> Answer:
    """Remains of a tool's output in other text: the ends of partitions, offsets without contents."""
    if ends := END_OF_PARTITION.findall(text):
        return Identified("messages of kcat without a record", dump(ends))
    if len(OFFSETS_ALONE.findall(text)) > 1:
        return Identified("a client's list of partitions and offsets without keys and values", dump())
    return None


ASKED: tuple[Callable[[str], Answer], ...] = (
    of_tables,
    of_kcat,
    of_metadata_shell,
    of_quorum,
    of_rpk_topic,
    of_lines,
    of_rows_of_groups,
    of_failures,
)
