"""Files of every layout with a mark in each place that the layout has: records in exports, words in companions and prints."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable

from tests.generator import dumps, exports, karapace
from tests.generator.journal import Journal, Stored
from tests.generator.segment import SOME_TIME_MS, Record, segment
from tests.spark import captures
from tests.spark.sources import prints_of_tools, schema_files
from tests.spark.sources.test_connect_offsets_file import EMPTY as EMPTY_MAP
from tests.webapp.sharing.planted.marks import Part, Planting, as_json, marks_in

NO_PAIR = b"\0\0\0\0x"  # number of pairs, end of block data
ARRAY = b"ur\0\x02[B\xac\xf3\x17\xf8\x06\x08T\xe0\x02\0\0xp"
ARRAY_AGAIN = b"uq\0~\0\x02"  # of the class that was described before
Files = dict[str, bytes]
Written = Callable[[Planting], Files]


def records(planting: Planting, topic: str | None = None) -> Journal:
    """A record of JSON and one of text, with headers."""
    of = topic or planting.mark("topic", "topic")
    document = {
        "note": planting.mark("value", "JSON"),
        "inner": {"password": planting.secret("value", "JSON")},
    }
    headers = [
        (planting.mark("header-name", "header").encode(), planting.mark("header-value", "header").encode()),
        (b"password", planting.secret("header-value", "header password").encode()),
    ]
    rows = [
        Record(planting.mark("key", "text").encode(), as_json(document), SOME_TIME_MS, headers),
        Record(
            as_json({"token": planting.secret("key", "JSON"), "id": planting.mark("key", "JSON")}),
            planting.mark("value", "text").encode(),
            SOME_TIME_MS + 1,
        ),
    ]
    return Journal(of, 3, [Stored(10 + number, row) for number, row in enumerate(rows)])


def export(name: str, write: Callable[[Journal], bytes]) -> Written:
    """A file of these records as a tool exports them."""
    return lambda planting: {name: write(records(planting))}


def schemas(planting: Planting) -> Journal:
    """A subject in the journal of a registry: what version 1 of Karapace's backups can hold."""
    key = {"subject": planting.name("key", "subject"), "version": 1, "magic": 1, "keytype": "SCHEMA"}
    value = {
        "subject": planting.name("value", "subject"),
        "version": 1,
        "id": 1,
        "schema": json.dumps(
            {
                "type": "string",
                "doc": planting.mark("value", "schema"),
                "password": planting.secret("value", "schema"),
            }
        ),
    }
    return Journal("_schemas", 0, [Stored(0, Record(as_json(key), as_json(value)))])


NAMED = ("billing", "mover", "late", "mover-1", "mover-2")  # groups and transactional ids, beside any record


def words(template: str, *planted: tuple[str, Part]) -> Callable[[Planting], bytes]:
    """A text with a mark in place of each of some words."""

    def write(planting: Planting) -> bytes:
        text = template
        for word, part in planted:
            assert word in text, word
            mark = planting.mark(
                part, word, readable=part in ("key", "value"), name=part == "key" or word in NAMED
            )
            text = text.replace(word, mark)
        return text.encode()

    return write


def several(name: str, *texts: Callable[[Planting], bytes]) -> Written:
    """A file for each text; its `{}` is the number."""
    return lambda planting: {name.format(number): write(planting) for number, write in enumerate(texts)}


def beside(made: Written) -> Written:
    """Prints that have no records, with a log of another topic."""
    return lambda planting: beside_records(planting, made(planting))


def secret_words(planting: Planting) -> tuple[str, str, str]:
    """Key, open value and secret of a record that a print contains; the key of a registry's record names its subject."""
    return (
        planting.mark("key", "text", name=planting.of == "console-key-value"),
        planting.mark("value", "text"),
        planting.secret("value", "password"),
    )


def printed(name: str, template: str) -> Written:
    """A print of records: KEY, OPEN, SECRET and HEADER stand for marks."""

    def write(planting: Planting) -> Files:
        key, shown, secret = secret_words(planting)
        text = template.replace("KEY", key).replace("OPEN", shown).replace("SECRET", secret)
        for word, part in (
            ("HEADERNAME", "header-name"),
            ("HEADERVALUE", "header-value"),
            ("TOPIC", "topic"),
        ):
            if word in text:
                text = text.replace(word, planting.mark(part, word.lower()))  # type: ignore[arg-type]
        return {name: text.encode()}

    return write


def go_line(planting: Planting) -> bytes:
    """A record whose bytes are decimal numbers."""
    key, shown, secret = secret_words(planting)
    sides = (key.encode(), as_json({"note": shown, "password": secret}))
    key_bytes, value_bytes = (" ".join(map(str, side)) for side in sides)
    topic = planting.mark("topic", "topic")
    time = "2023-01-01 10:00:00.5 +0000 UTC"
    return f"{{Topic:{topic} Partition:0 Offset:5 HighWaterMark:6 Key:[{key_bytes}] Value:[{value_bytes}] Headers:[] Time:{time}}}\n".encode()


def lambda_event(planting: Planting) -> Files:
    key, shown, secret = secret_words(planting)
    topic, name, value = (planting.mark(part, "event") for part in ("topic", "header-name", "header-value"))  # type: ignore[arg-type]
    row = {
        "topic": topic, "partition": 0, "offset": 1, "timestamp": 2, "timestampType": "CREATE_TIME",
        "key": base64.b64encode(key.encode()).decode(),
        "value": base64.b64encode(as_json({"note": shown, "password": secret})).decode(),
        "headers": [{name: list(value.encode())}],
    }  # fmt: skip
    return {"event.json": as_json({"eventSource": "aws:kafka", "records": {f"{topic}-0": [row]}})}


def connect_offsets_file(planting: Planting) -> Files:
    """A HashMap of one pair of byte arrays, as Java serialises it."""
    key = as_json(["connector", {"server": planting.mark("key", "source partition", name=True)}])
    value = as_json({"note": planting.mark("value", "JSON"), "password": planting.secret("value", "JSON")})
    pair = ARRAY + len(key).to_bytes(4) + key + ARRAY_AGAIN + len(value).to_bytes(4) + value
    return {"connect.offsets": EMPTY_MAP[: -len(NO_PAIR)] + (1).to_bytes(4) + pair + b"x"}


def companions(planting: Planting) -> Files:
    """A partition's folder with the files of a broker beside it."""
    topic = planting.mark("topic", "topic")
    folder = f"{topic}-0"
    return {
        f"{folder}/00000000000000000000.log": segment(
            [stored.record for stored in records(planting, topic).stored]
        ),
        f"{folder}/leader-epoch-checkpoint": b"0\n1\n0 0\n",
        f"{folder}/partition.metadata": b"version: 0\ntopic_id: MqaC0ZlYQPKFgPeBTMs6HA",
        "recovery-point-offset-checkpoint": f"0\n1\n{topic} 0 2\n".encode(),
        "meta.properties": f"cluster.id={planting.mark('upload', 'cluster id', readable=False)}\nbroker.id=1\nversion=0\n".encode(),
    }


def log_segment(planting: Planting) -> Files:
    """A segment below a folder of the upload."""
    topic, copy = planting.mark("topic", "topic"), planting.mark("file", "folder above the topic")
    rows = [stored.record for stored in records(planting, topic).stored]
    return {f"{copy}/{topic}-0/00000000000000000000.log": segment(rows)}


def capture(planting: Planting) -> Files:
    """A capture's manifest beside its segment."""
    topic = planting.mark("topic", "topic")
    of = {
        name: planting.mark("upload", name, readable=False, name=name == "transactional id")
        for name in (
            "captured_by",
            "cluster",
            "bootstrap",
            "transactional id",
            "event",
            "question",
            "config",
            "host",
        )
    }
    transaction = captures.transaction(1, partitions=((topic, 0),)) | {
        "transactional_id": of["transactional id"]
    }
    document = captures.manifest(
        captures.partition(
            0, events=[{"kind": "leader-changed", "at_ms": 1, "offset": 0, "says": of["event"]}]
        ),
        topic=topic,
        transactions=[transaction],
        not_asked=[{"question": of["question"], "why": "not allowed"}],
        configs={"follower.replication.throttled.replicas": captures.config(of["config"], "topic")},
        captured_by=of["captured_by"],
        cluster={
            "name": of["cluster"],
            "id": "c1",
            "controller": 1,
            "bootstrap": [f"{of['bootstrap']}:9092"],
        },
    )
    log = segment([stored.record for stored in records(planting, topic).stored])
    return {
        captures.NAME: as_json(document).replace(b'"host":"broker"', f'"host":"{of["host"]}"'.encode()),
        f"{topic}-0/00000000000000000000.log": log,
    }


def avro_schema(planting: Planting) -> Files:
    mark = {name: planting.mark("upload", name, readable=False) for name in ("name", "field", "doc")}
    fields = [{"name": mark["field"], "type": "string", "doc": mark["doc"]}]
    return beside_records(
        planting, {"order.avsc": as_json({"type": "record", "name": mark["name"], "fields": fields})}
    )


def protobuf_descriptors(planting: Planting) -> Files:
    name, field, package = (
        planting.mark("upload", what, readable=False) for what in ("message", "field", "package")
    )
    file = schema_files.file(
        "order.proto", schema_files.message(name, (field, 1, "string", "one")), package=package
    )
    return beside_records(planting, {"order.desc": schema_files.descriptors(file)})


def registry_schemas(planting: Planting) -> Files:
    doc, subject = (planting.mark("upload", what, readable=False) for what in ("schema", "subject"))
    row = {
        "id": 1,
        "type": "AVRO",
        "schema": json.dumps({"type": "string", "doc": doc}),
        "references": [],
        "subjects": [[subject, 1]],
    }
    document = {"journalscope_schemas": 1, "registry": "http://registry", "schemas": [row]}
    return beside_records(planting, {"journalscope-schemas.json": as_json(document)})


def beside_records(planting: Planting, files: Files) -> Files:
    """A companion's files with a log."""
    topic = planting.mark("topic", "topic")
    rows = [stored.record for stored in records(planting, topic).stored]
    return files | {f"{topic}-0/00000000000000000000.log": segment(rows)}


def karapace_backup(planting: Planting) -> Files:
    """Version 3 of Karapace's backups: data with its metadata."""
    journal = records(planting)
    data = karapace.version_3_data(journal)
    return {
        f"{journal.topic}/{journal.topic}:3.data": data,
        f"{journal.topic}/{journal.topic}.metadata": karapace.version_3_metadata(journal, data),
    }


COMMANDS = {"kcat.txt": r"kcat -f '%t %p %o %K %S %k %s\n'"}  # typed before a print, by the name of its file
DUMP = """Dumping /data/TOPIC-0/00000000000000000000.log
Log starting offset: 0
baseOffset: 0 lastOffset: 0 count: 1 baseSequence: -1 lastSequence: -1 producerId: -1 producerEpoch: -1 partitionLeaderEpoch: 0 isTransactional: false isControl: false deleteHorizonMs: OptionalLong.empty position: 0 CreateTime: 9 size: 200 magic: 2 compresscodec: none crc: 1 isvalid: true
"""
RECORD = '| offset: 0 CreateTime: 9 keySize: 10 valueSize: 45 sequence: -1 headerKeys: [HEADERNAME] key: KEY payload: {"note":"OPEN","password":"SECRET"}\n'
CONSUMED = 'CreateTime:1795248824353\tPartition:0\tOffset:{}\tHEADERNAME:HEADERVALUE\tKEY\t{{"note":"OPEN","password":"SECRET"}}\n'
GROUPS = (
    prints_of_tools.GROUPS_1.replace("c-1-5b0a6f2e", "member")
    .replace("/10.0.0.1", "/host")
    .replace("c-1 ", "client")
)
LEADERLESS = "\tTopic: orders\tPartition: 1\tLeader: none\tReplicas: 3,1\tIsr: 3\n"
LAYOUTS: dict[str, Written] = {
    "akhq-json": export("akhq.json", dumps.akhq),
    "akhq-values": export("file.json", exports.akhq_values),
    "avro-schema": avro_schema,
    "capture-manifest": capture,
    "companion": companions,
    "connect-offsets-file": connect_offsets_file,
    "client-log": printed("client.txt", "".join(f'topic = TOPIC, partition = 1, offset = {n}, key = KEY, value = {{"note":"OPEN","password":"SECRET"}}\n' for n in range(2))),
    "confluent-json": export("confluent.json", exports.confluent),
    "connect-record": printed(
        "connect.txt",
        "SinkRecord{kafkaOffset=0, timestampType=CreateTime} ConnectRecord{topic='TOPIC', kafkaPartition=1, key=KEY, keySchema=Schema{STRING}, "
        "value={\"note\":\"OPEN\",\"password\":\"SECRET\"}, valueSchema=Schema{STRING}, timestamp=15, headers=ConnectHeaders(headers=)}\n",
    ),
    "console-consumer": printed("console.txt", "".join(CONSUMED.format(number) for number in range(3))),
    "console-key-value": printed("schemas.txt", '{"keytype":"NOOP","magic":0}\tnull\n{"keytype":"SCHEMA","subject":"KEY","version":1,"magic":1}\t{"subject":"s","other":"OPEN","version":1,"id":1,"schema":"\\"string\\"","password":"SECRET"}\n'),
    "consumer-record": printed(
        "records.txt",
        "ConsumerRecord(topic = TOPIC, partition = 1, leaderEpoch = 0, offset = 16, CreateTime = 15, serialized key size = 10, serialized value size = 45, "
        "headers = RecordHeaders(headers = [RecordHeader(key = HEADERNAME, value = [1])], isReadOnly = false), key = KEY, value = {\"note\":\"OPEN\",\"password\":\"SECRET\"})\n",
    ),
    "coordinator-formatters": several("offsets-{}.txt", words(
        "[group,topic,0]::OffsetAndMetadata(offset=1, leaderEpoch=Optional[3], metadata=about, commitTimestamp=9, expireTimestamp=None)\n",
        ("group", "key"), ("topic", "key"), ("about", "value"),
    )),
    "dump-log-batches": beside(printed("batches.txt", DUMP)),
    "dump-log-text": printed("dump.txt", DUMP + RECORD),
    "go-record": lambda planting: {"go.txt": go_line(planting)},
    "kafbat-csv": export("topic-message.csv", exports.kafbat_csv),
    "kafbat-events": export("stream.txt", exports.kafbat_events),
    "kafbat-json": export("topic-message", exports.kafbat_saved),
    "kafdrop-json": export("kafdrop.json", exports.kafdrop),
    "kafka-configs-describe": beside(several("configs-{}.txt", words(prints_of_tools.CONFIGS["3.9"], ("orders", "topic")))),
    "kafka-consumer-groups": beside(several(
        "groups-{}.txt",
        words(prints_of_tools.GROUPS, ("billing", "upload"), ("orders", "topic")),
        words(GROUPS, ("member", "upload"), ("host", "upload"), ("orders", "topic")),
    )),
    "kafka-consumer-offset-checker": beside(several("checked-{}.txt", words(prints_of_tools.CHECKED, ("billing", "upload"), ("orders", "topic")))),
    "kafka-get-offsets": beside(several("offsets-{}.txt", words(prints_of_tools.LATEST, ("orders", "topic"), ("b:9092", "upload")))),
    "kafka-topics-describe": beside(several("topics-{}.txt", words(prints_of_tools.TOPICS["4.1"], ("orders", "topic")), words(LEADERLESS, ("orders", "topic")))),
    "kafka-transactions": beside(several(
        "transactions-{}.txt",
        words(prints_of_tools.LIST, ("mover-1", "upload"), ("mover-2", "upload")),
        words(prints_of_tools.DESCRIBE, ("mover-1", "upload"), ("orders", "topic")),
        words(prints_of_tools.HANGING, ("orders", "topic")),
    )),
    "kafkactl-json": export("kafkactl.json", exports.kafkactl),
    "karapace-metadata": karapace_backup,
    "karapace-v1": lambda planting: {"backup-v1.json": karapace.version_1(schemas(planting))},
    "karapace-v2": export("backup-v2", karapace.version_2),
    "karapace-v3": karapace_backup,
    "kcat-format": printed("kcat.txt", "TOPIC 0 5 10 10 KEY OPEN\nTOPIC 0 6 10 19 KEY password=SECRET\n"),
    "kcat-json": lambda planting: {"kcat.json": dumps.kcat_raw(records(planting))},
    "ksql-print": printed("print.txt", 'rowtime: 2023/04/04 14:06:12.915 Z, key: KEY, value: {"note": "OPEN", "password": "SECRET"}, partition: 0\n'),
    "lambda-event": lambda_event,
    "log-cleaner-lines": beside(several("cleaner-{}.log", words(prints_of_tools.CLEANER, ("orders", "topic")))),
    "log-segment": log_segment,
    "mirror-formatters": several("syncs-{}.txt", words(
        "OffsetSync{topicPartition=TOPIC-2, upstreamOffset=10, downstreamOffset=7}\n", ("TOPIC", "key"),
    )),
    "node-record": printed(
        "node.txt",
        "{ topic: 'TOPIC', value: '{\"note\":\"OPEN\",\"password\":\"SECRET\"}', offset: 5, partition: 0, headers: { HEADERNAME: 'HEADERVALUE' }, key: 'KEY' }\n",
    ),
    "nussknacker-json": printed(
        "captured.json",
        '{"sourceId":"kafka","record":{"valueSchemaId":4,"consumerRecord":{"key":"KEY","value":{"note":"OPEN","password":"SECRET"},'
        '"topic":"TOPIC","partition":2,"offset":7,"timestamp":1707350400000,"headers":{"HEADERNAME":"HEADERVALUE"}}}}\n',
    ),
    "other-csv": printed("rows.csv", 'Partition ID,offset,Message Key,value,headers,note\n0,7,KEY,"{""note"": ""OPEN"", ""password"": ""SECRET""}","{""HEADERNAME"": ""HEADERVALUE""}",x\n'),
    "other-json": printed("rows.json", '[{"messageOffset":1,"partitionId":0,"messageKey":"KEY","content":{"note":"OPEN","password":"SECRET"},"headers":{"HEADERNAME":"HEADERVALUE"}}]'),
    "plain-json": export("plain.json", dumps.plain_array),
    "protobuf-descriptors": protobuf_descriptors,
    "python-record": printed(
        "python.txt",
        "ConsumerRecord(topic='TOPIC', partition=1, offset=16, timestamp=15, timestamp_type=0, key=b'KEY', value=b'{\"note\":\"OPEN\",\"password\":\"SECRET\"}', "
        "headers=[('HEADERNAME', b'HEADERVALUE')], checksum=None, serialized_key_size=-1, serialized_value_size=-1, serialized_header_size=-1)\n",
    ),
    "redpanda-console-csv": export("messages.csv", exports.redpanda_console_csv),
    "redpanda-console-json": export("console.json", dumps.redpanda_console),
    "registry-schemas": registry_schemas,
    "spring-message": printed(
        "spring.txt",
        "GenericMessage [payload={\"note\":\"OPEN\",\"password\":\"SECRET\"}, headers={kafka_offset=8, kafka_receivedMessageKey=KEY, "
        "kafka_receivedPartitionId=0, kafka_receivedTopic=TOPIC}]\n",
    ),
    "streams-print": printed("streams.txt", '[KSTREAM-SOURCE-0000000000]: KEY, {"note":"OPEN","password":"SECRET"}\n'),
    "rpk-group-describe": beside(several(
        "groups-{}.txt",
        words(prints_of_tools.RPK_GROUPS, ("mover", "upload"), ("late", "upload"), ("c-1-5b0a", "upload"), ("orders", "topic")),
    )),
    "rpk-json": export("rpk.json", dumps.rpk),
}  # fmt: skip


def upload(planting: Planting) -> Files:
    """Files of `planting.of`, which keeps the marks that the layout has room for."""
    files = LAYOUTS[planting.of](planting)
    planting.keep_only(
        marks_in(b"\n".join(part for name, data in files.items() for part in (name.encode(), data)))
    )
    return files
