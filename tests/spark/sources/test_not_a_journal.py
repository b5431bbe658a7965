"""What is not a journal is called by its name, with what to send instead; what may be a journal is not."""

from __future__ import annotations

from pathlib import Path
from time import process_time

import pytest

from spark.sources import InputFile, sources
from spark.sources._grammar.declared_tables import TOOL_PRINTS
from spark.sources._not_a_journal import identify
from spark.stages.plan import plan_inputs
from spark.terms.errors import UnreadableInput
from tests.spark.sources.export_samples import SAMPLES

MAX_SECONDS = 10  # what is quadratic takes minutes; 1 second is usual
GROUPS = """
GROUP           TOPIC           PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG             CONSUMER-ID     HOST            CLIENT-ID
billing         orders          0          120             130             10              -               -               -
billing         orders          1          -               7               -               -               -               -
"""
MEMBERS = """GROUP           CONSUMER-ID                                    HOST            CLIENT-ID       #PARTITIONS
billing         c-1-5b0a6f2e-8f9e-4f8d-8d0e-5b5d5d5d5d5d     /10.0.0.1       c-1             2
"""
OLD_GROUPS = """GROUP, TOPIC, PARTITION, CURRENT OFFSET, LOG END OFFSET, LAG, OWNER
billing, orders, 0, 120, 130, 10, c-1_/10.0.0.1
"""
CHECKER = """Group           Topic                          Pid Offset          logSize         Lag             Owner
billing         orders                         0   120             130             10              none
"""
DESCRIBE_TOPIC = (
    "Topic: orders\tTopicId: MqaC0ZlYQPKFgPeBTMs6HA\tPartitionCount: 1\tReplicationFactor: 1\t"
    "Configs: cleanup.policy=compact,delete,segment.bytes=1048576\n"
    "\tTopic: orders\tPartition: 0\tLeader: 1\tReplicas: 1\tIsr: 1\tElr: \tLastKnownElr: \n"
)
CONFIGS = """Dynamic configs for topic orders are:
  cleanup.policy=compact sensitive=false synonyms={DYNAMIC_TOPIC_CONFIG:cleanup.policy=compact, DEFAULT_CONFIG:log.cleanup.policy=delete}
"""
OLD_CONFIGS = "Configs for topic 'orders' are cleanup.policy=compact,min.compaction.lag.ms=60000\n"
BROKER_CONFIGS = "Dynamic configs for broker 1 are:\n  log.cleaner.threads=2 sensitive=false synonyms={DYNAMIC_BROKER_CONFIG:log.cleaner.threads=2}\n"
LOG_DIRS = """Querying brokers for log directories information
Received log directory information from brokers 1
{"brokers":[{"broker":1,"logDirs":[{"partitions":[{"partition":"orders-0","size":120,"offsetLag":0,"isFuture":false}],"error":null,"logDir":"/data"}]}],"version":1}
"""
LIST = "TransactionalId\tCoordinator\tProducerId\tTransactionState\nmover-1        \t1          \t1000      \tOngoing         \n"
HANGING = """Topic   Partition  ProducerId  ProducerEpoch  CoordinatorEpoch  StartOffset  LastTimestamp             Duration(min)
orders  0          1000        2              5                 77           2024-03-11T11:14:03.772Z  1200
"""
CONNECT_STATUS = '{"name":"sink","connector":{"state":"RUNNING","worker_id":"w:8083"},"tasks":[{"id":0,"state":"FAILED","worker_id":"w:8083","trace":"org.apache.kafka.connect.errors.ConnectException: gone\\n\\tat x"}],"type":"sink"}'
BROKER_LOG = """[2024-03-11 11:14:03,772] INFO [GroupCoordinator 1]: Dynamic member with unknown member id joins group billing in Empty state. (kafka.coordinator.group.GroupCoordinator)
[2024-03-11 11:14:04,772] WARN [Partition orders-0 broker=1] Shrinking ISR from 1,2 to 1. (kafka.cluster.Partition)
"""
CLEANER_LOG = "\tLog cleaner thread 0 cleaned log orders-0 (dirty section = [0, 42])\n\t0.0 MB of log processed in 0.1 seconds (0.4 MB/sec).\n"
TRACE = """org.apache.kafka.connect.errors.ConnectException: Tolerance exceeded in error handler
\tat org.apache.kafka.connect.runtime.errors.RetryWithToleranceOperator.execAndHandleError(RetryWithToleranceOperator.java:206)
\tat java.base/java.lang.Thread.run(Thread.java:829)
Caused by: org.apache.kafka.common.errors.SerializationException: Unknown magic byte!
\t... 13 more
"""
CONNECT_LOG = (
    "[2020-11-04 10:29:24,102] ERROR WorkerSourceTask{id=s-0} Task is being killed and will not recover until manually restarted "
    "(org.apache.kafka.connect.runtime.WorkerTask:180)\n"
) * 3
SERVER = "# The id of the broker\nbroker.id=1\nlisteners=PLAINTEXT://:9092\nlog.dirs=/data\n"
META = "#\n#Mon Mar 11 11:14:03 UTC 2024\ncluster.id=MqaC0ZlYQPKFgPeBTMs6HA\nversion=1\nnode.id=1\n"
REASSIGNMENT = (
    '{"version":1,"partitions":[{"topic":"orders","partition":0,"replicas":[1,2],"log_dirs":["any","any"]}]}'
)
QUARKUS = "2024-02-08 08:38:39,123 INFO  [io.apicurio.registry.storage.impl.kafkasql] (KSQL Kafka Consumer Thread) Subscribing to kafkasql-journal\n"
CLIENT_LOG = "%3|1710155643.772|FAIL|rdkafka#consumer-1| [thrd:b:9092/bootstrap]: b:9092/bootstrap: Connect to ipv4#10.0.0.1:9092 failed\n"

METADATA_SHELL = """$ bin/kafka-metadata-shell.sh --snapshot /d/__cluster_metadata-0/00000000000000007228-0000000001.checkpoint
[ Kafka Metadata Shell ]
>> ls /
image  local
>> ls /image/topics/byName
orders
"""
METADATA_TREE = """image:
  cluster:
    1:
      BrokerRegistration(id=1, epoch=6147, incarnationId=M6koIGKwQdCU_PMCtLatew, fenced=false)
  topics:
    byId:
      8ba_iKksTFagQTBNJksHPw:
        0:
          PartitionRegistration(replicas=[1], isr=[1], leader=1, leaderEpoch=0, partitionEpoch=0)
"""
METADATA_FILE = """>> cat /topics/orders/0/data
{
  "partitionId" : 0,
  "topicId" : "5zoAlv-xEh9xRANKXt1Lbg",
  "replicas" : [ 1 ],
  "leader" : 1
}
"""
NAMED = {
    "groups": (GROUPS, "kafka-consumer-groups"),
    "members": (MEMBERS, "kafka-consumer-groups"),
    "groups of 0.9": (OLD_GROUPS, "kafka-consumer-groups"),
    "offset checker": (CHECKER, "kafka-consumer-offset-checker"),
    "get-offsets": ("orders:0:130\norders:1:7\n", "GetOffsetShell (kafka-get-offsets)"),
    "several offsets": ("orders:0:130,0\n", "GetOffsetShell"),
    "topics": (DESCRIBE_TOPIC, "kafka-topics --describe"),
    "old topics": ("Topic:orders\tPartitionCount:1\tReplicationFactor:1\tConfigs:\n", "kafka-topics --describe"),
    "configs": (CONFIGS, "kafka-configs --describe"),
    "configs of 2.0": (OLD_CONFIGS, "kafka-configs --describe"),
    "configs of a broker": (BROKER_CONFIGS, "kafka-configs --describe"),
    "log dirs": (LOG_DIRS, "kafka-log-dirs"),
    "log dirs, JSON alone": (LOG_DIRS.splitlines()[2], "kafka-log-dirs"),
    "metadata shell": (METADATA_SHELL, "kafka-metadata-shell"),
    "metadata, tree": (METADATA_TREE, "kafka-metadata-shell"),
    "metadata, a file": (METADATA_FILE, "kafka-metadata-shell"),
    "metadata, find": ("/image/topics/byName/orders/0\n/image/topics/byName/orders/id\n", "kafka-metadata-shell"),
    "metadata, ls": ("acls\nclientQuotas\ncluster\nconfigs\nfeatures\n", "kafka-metadata-shell"),
    "metadata, ls up to 3.4": ("brokers  configs  local  metadataQuorum  topicIds  topics\n", "kafka-metadata-shell"),
    "transactions": (LIST, "kafka-transactions"),
    "hanging": (HANGING, "kafka-transactions"),
    "delete records": ('{"partitions":[{"topic":"orders","partition":1,"offset":3}],"version":1}', "kafka-delete-records"),
    "reassignment": (REASSIGNMENT, "reassignment of partitions"),
    "connector": ('{"name":"s","config":{"connector.class":"x"},"tasks":[],"type":"sink"}', "Connect's REST"),
    "status": (CONNECT_STATUS, "the status of connector sink"),
    "connector offsets": ('{"offsets":[{"partition":{"table":"t"},"offset":{"pos":1}}]}', "Connect's REST"),
    "connector tasks": ('[{"id":{"connector":"s","task":0},"config":{"a":"b"}}]', "Connect's REST"),
    "plugins": ('[{"class":"io.X","type":"sink","version":"1"}]', "Connect's REST"),
    "worker": ('{"version":"3.7.0","commit":"2ae524ed625438c5","kafka_cluster_id":"x"}', "Connect's REST"),
    "REST error": ('{"error_code":40401,"message":"Subject not found."}', "40401: Subject not found."),
    "version": ('{"subject":"s-value","version":1,"id":7,"schema":"\\"string\\""}', "schema registry's REST"),
    "versions": ("[1,2,3]", "schema registry's REST"),
    "schema by id": ('{"schema":"\\"string\\""}', "schema registry's REST"),
    "level": ('{"compatibilityLevel":"BACKWARD"}', "schema registry's REST"),
    "artifacts": ('{"artifacts":[],"count":0}', "schema registry's REST"),
    "produced": ('{"offsets":[{"partition":0,"offset":5,"error_code":null,"error":null}],"key_schema_id":null}', "Kafka REST proxy"),
    "broker log": (BROKER_LOG, "a log of a Kafka broker"),
    "cleaner": (CLEANER_LOG, "log cleaner"),
    "apicurio log": (QUARKUS * 2, "a log of Apicurio Registry"),
    "client log": (CLIENT_LOG, "a log of a Kafka client"),
    "stack trace": (TRACE, "stack trace (org.apache.kafka.connect.errors.ConnectException)"),
    "server.properties": (SERVER, "server.properties"),
    "meta.properties": (META, "meta.properties"),
    "checkpoint": ("0\n1\norders 0 42\n", "checkpoint under another name"),
    "manifest": ("apiVersion: kafka.strimzi.io/v1beta2\nkind: KafkaTopic\nmetadata:\n  name: orders\n", "Kubernetes manifest (KafkaTopic)"),
    "key of schemas": ('{"keytype":"SCHEMA","subject":"s","version":1,"magic":1}\n', "a single key of a schema registry's journal"),
    "key of offsets": ('["source",{"table":"t"}]\n', "a single key of Connect's offsets"),
    "key of connect": ("task-sink-0\n", "a single key of Connect's topics"),
    "a word": ("orders\n", "a single word or key"),
    "names": ("__consumer_offsets\norders\nbilling\n", "a list of words"),
    "kcat -Q": ("orders [0] offset 130\n", "kcat -Q"),
    "rpk group": ("GROUP        billing\nCOORDINATOR  0\nSTATE        Empty\nMEMBERS      0\nTOTAL-LAG    10\n", "rpk group describe"),
    "settings of rpk": ("cleanup.policy    delete     DEFAULT_CONFIG\nretention.ms      604800000  DYNAMIC_TOPIC_CONFIG  # 7 days\n", "rpk topic describe"),
    "rpk topic": ("SUMMARY\n=======\nNAME        orders\nPARTITIONS  1\nREPLICAS    1\n", "rpk topic describe"),
    "no group": ("Error: Consumer group 'billing' does not exist.\n", "kafka-consumer-groups"),
    "nothing read": ("$ kafka-console-consumer.sh --topic orders\nProcessed a total of 0 messages\n", "which read 0 records"),
    "only kcat's words": ("% Reached end of topic orders [0] at offset 130: exiting\n", "messages of kcat without a record"),
    "a command that failed": ("$ kcat -C -t orders\nbash: kcat: command not found\n", "the error of a command (bash: kcat: command not found)"),
    "page": ("<!DOCTYPE html>\n<html></html>", "a web page"),
}  # fmt: skip
BINARIES = {
    "a picture (PNG image": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
    "a picture (JPEG image": b"\xff\xd8\xff\xe0\0\x10JFIF",
    "a PDF document": b"%PDF-1.7\n",
    "before 2007": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0",
    "a Parquet file": b"PAR1\x15\x04",
}


def called(content: bytes, name: str = "upload") -> str | None:
    known = identify(InputFile(name, "", len(content)), content)
    return known.sentence(name) if known else None


@pytest.mark.parametrize("name", NAMED)
def test_a_text_is_called_by_its_name_with_the_command_that_makes_what_to_send(name: str) -> None:
    text, what = NAMED[name]
    sentence = called(text.encode())
    assert sentence is not None
    assert sentence.startswith("upload is ")
    assert what in sentence
    assert "and contains no records. Send " in sentence
    assert "\n" not in sentence
    assert "`" in sentence


@pytest.mark.parametrize(
    "name", ["groups", "get-offsets", "topics", "transactions", "configs", "status", "log dirs"]
)
@pytest.mark.parametrize(
    "before", ["$ bin/kafka-tool.sh --bootstrap-server b:9092 --describe\n", "[u@h ~]$ curl -s x\n"]
)
def test_a_prompt_before_it_changes_nothing(name: str, before: str) -> None:
    text, what = NAMED[name]
    assert what in (called((before + text).encode()) or "")
    assert what in (called(text.replace("\n", "\r\n").encode("utf-16")) or "")


@pytest.mark.parametrize("what", BINARIES)
def test_a_binary_file_is_known_by_its_first_bytes(what: str) -> None:
    assert what in (called(BINARIES[what]) or "")


def test_parts_of_a_spreadsheet_are_known_by_their_names() -> None:
    assert "part of a spreadsheet (Excel)" in (called(b"<x/>", "export.xlsx/xl/worksheets/sheet1.xml") or "")


def test_the_topic_that_a_print_names_stands_in_the_command() -> None:
    assert "kcat -C -b BROKER:9092 -t orders -o beginning" in (called(GROUPS.encode()) or "")
    assert "-t TOPIC " in (called(b"a:0:1\nb:0:1\n") or "")
    assert "-t TOPIC " in (
        called(b'{"version":1,"partitions":[{"topic":"a; rm","partition":0,"replicas":[1]}]}') or ""
    )


def test_a_row_of_a_group_without_its_header_says_what_is_needed_and_what_it_may_mean() -> None:
    said = called(b"topic-mjimtlevfi  0          144424          136204          -8220\n") or ""
    assert "a description of a consumer group without its header" in said
    assert "Send the whole output with its header: `rpk group describe GROUP`" in said
    assert "the committed offset 144424 of topic-mjimtlevfi-0 is 8220 beyond the end of the log" in said
    assert called(b"a 1 5 5 0\nb 2 7 9 1\n") is None


def test_a_failed_task_in_a_status_is_said() -> None:
    assert "task 0 is FAILED: org.apache.kafka.connect.errors.ConnectException: gone." in (called(CONNECT_STATUS.encode()) or "")  # fmt: skip


@pytest.mark.parametrize("name", SAMPLES)
def test_no_export_of_records_is_called_something_else(name: str) -> None:
    layout, sample = SAMPLES[name]
    if layout in {"akhq-values", "karapace-metadata"}:
        return  # values alone may be anything; metadata of a backup is no export
    assert called(sample(), name) is None


RPK_PARTITIONS = "PARTITION  LEADER  EPOCH  REPLICAS  LOG-START-OFFSET  HIGH-WATERMARK\n"


def test_a_log_whose_records_are_all_gone_is_named() -> None:
    rows = (
        "0          0       11     [0 1]     18                18\n1  0  1  [0]  0  0\n2  0  1  [0]  4  9\n"
    )
    said = called((RPK_PARTITIONS + rows).encode())
    assert said is not None
    assert "No record is left in partition 0 (its log starts and ends at offset 18)." in said


def test_logs_that_are_new_or_have_records_are_not() -> None:
    said = called((RPK_PARTITIONS + "0  0  1  [0]  0  0\n1  0  1  [0]  4  9\n").encode())
    assert said is not None
    assert "is left" not in said


def test_settings_and_offsets_of_one_topic_are_said_together(tmp_path: Path) -> None:
    path = tmp_path / "describe.txt"
    path.write_text(
        "```\n$ rpk topic describe orders -c\ncleanup.policy  delete  DEFAULT_CONFIG\n```\n\n```\n$ rpk topic describe orders -p\n"
        f"{RPK_PARTITIONS}0          0       11     [0]       18                18\n```\n"
    )
    with pytest.raises(UnreadableInput) as error:
        plan_inputs([InputFile(path.name, str(path), path.stat().st_size)], {}, scratch=tmp_path)
    assert "is the output of rpk topic describe" in str(error.value)
    assert "No record is left in partition 0" in str(error.value)


def test_a_trace_in_a_log_does_not_name_the_log(tmp_path: Path) -> None:
    path = tmp_path / "pasted.txt"
    path.write_text(f"```\n{CONNECT_LOG}{TRACE}{CONNECT_LOG}```\n")
    with pytest.raises(UnreadableInput) as error:
        plan_inputs([InputFile(path.name, str(path), path.stat().st_size)], {}, scratch=tmp_path)
    assert "is a log of a Connect worker" in str(error.value)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\0\0\0\1",
        b"{",
        b"[",
        b"\xff\xfe",
        b"hello world, how are you\n",
        b'{"a":1}\n',
        b">> quoted twice\n>> and again\n",
        b"/image/logo.png\n/image/a b.png\n",
        b"some topics and configs of brokers\n",
    ],
)
def test_what_is_not_known_stays_without_a_name(content: bytes) -> None:
    assert called(content) is None


@pytest.mark.parametrize(
    "content",
    [
        b"1" * 200_000,
        b"\n" * 200_000,
        b"[" * 200_000,
        b"Configs for topic " * 11_000,
        b"a." * 100_000,
        b"% \n" * 60_000,
    ],
    ids=["digits", "blank lines", "brackets", "headers", "names", "messages"],
)
def test_hostile_text_takes_no_time(content: bytes) -> None:
    began = process_time()
    called(content)
    for name in TOOL_PRINTS:
        sources()[name].recognise(InputFile("upload", "", len(content)), content)
    assert process_time() - began < MAX_SECONDS


def test_the_three_nearest_layouts_stand_first_behind_what_was_tried(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"topic":"t","partition":0,"paylod":"v"}')
    with pytest.raises(UnreadableInput) as error:
        plan_inputs([InputFile("a.json", str(path), path.stat().st_size)], {})
    first, _, tried = str(error.value).partition("\n\nFormats checked:\n")
    reason, _, advice = first.partition(" Send ")
    assert reason == "Unknown file format: a.json is not a known journal dump or log segment."
    assert advice.startswith("a dump of the topic: `kcat -C -b BROKER:9092 -t TOPIC ")
    lines = tried.split("\n")
    assert any("kcat -J: no `offset` or `payload` member" in line for line in lines[:3])
    assert lines[3].endswith(" more:")


def test_what_lies_beside_a_journal_is_named_in_its_note(tmp_path: Path) -> None:
    texts = {
        "dump.json": '{"topic":"t","partition":0,"offset":0,"tstype":"create","ts":1,"broker":0,"key":"k","payload":"v"}\n',
        "t.txt": TRACE,
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    found = plan_inputs(
        [InputFile(name, str(tmp_path / name), len(text)) for name, text in texts.items()], {}
    )
    assert found.files[1]["note"].startswith("left out: it is a Java stack trace")
