"""Prints made from known records: each layout's rows with their optional labels, in lines of logs, fences, comments and quotes."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

TEXTS = (
    b"v", b"", b'{"a": 1, "b": [true, null]}', b"a, b = c; d", b"x) (y", b"  blanks  ", "grüße 漢字".encode(), b"it's", b'say "hi"', b"null?",
    b"k=v", b"100", b"[1, 2]", b"a\\b", b"<nil>?", b"timed-out-demo", b"// path", b"# no comment", b"http://h/p?q=1&r=2", b"a | b",
)  # fmt: skip
BINARY = (b"\x00\x01\xff", b"\n", b"a\nb", b"\r\n", b"'\"\\", bytes(range(256)))
WORDS = (b"k", b"k-1", b"user_7", b"42", b"a.b")
PREFIXES = (
    "", "    ", "\t", "2021-02-16 01:06:14.{n:03}  INFO 44501 --- [ntainer#0-0-C-1] c.e.Consumer : ", "[2021-02-16 01:06:14,{n:03}] INFO ",
    "svc-1  | ", "# ", "-- ", "> ", "* ", "{n}: ", "Feb 16 01:06:1{d} host app[12]: ", "[pod/a-1/app] ", "2021-02-16T01:06:14.{n:03}Z ", "payload",
    "/* ", "<134>1 ",
)  # fmt: skip
LINE_PREFIXES = (
    "",
    "    ",
    "> ",
    "# ",
    "// ",
    "svc-1  | ",
    "[pod/a-1/app] ",
    "2021-02-16T01:06:14.{n:03}Z ",
    "app {n} => ",
    "Feb 16 01:06:1{d} host app[12]: ",
)
NOISE = (
    "2021-02-16 01:06:15.000  INFO started",
    "some words of a log",
    "at com.example.App.main(App.java:7)",
    "",
)


@dataclass(frozen=True)
class Known:
    """A record as it was written."""

    offset: int
    key: bytes | None
    value: bytes | None


FIELDS = ("%t", "%o", "%K", "%S", "%k", "%s")
Writer = Callable[["Known", random.Random], bytes]


@dataclass
class Made:
    """A print and the records in it; `cut`: the last one's row lacks its end."""

    text: bytes
    records: list[Known] = field(default_factory=list)
    is_cut: bool = False


def size(data: bytes | None) -> int:
    return -1 if data is None else len(data)


def java(record: Known, chance: random.Random) -> bytes:
    parts = ["ConsumerRecord(topic = t, partition = 1"]
    parts += ["leaderEpoch = 0"] if chance.random() < 0.7 else []
    parts += [f"offset = {record.offset}", "CreateTime = 1594970489649"]
    parts += ["deliveryCount = null"] if chance.random() < 0.2 else []
    parts += ["checksum = 251"] if chance.random() < 0.2 else []
    parts += [f"serialized key size = {size(record.key)}", f"serialized value size = {size(record.value)}"]
    parts += (
        ["headers = RecordHeaders(headers = [RecordHeader(key = h, value = [104, -1])], isReadOnly = false)"]
        if chance.random() < 0.7
        else []
    )
    key, value = (b"null" if side is None else side for side in (record.key, record.value))
    return ", ".join(parts).encode() + b", key = " + key + b", value = " + value + b")"


def python(record: Known, chance: random.Random) -> bytes:
    begin = f"ConsumerRecord(topic='t', partition=1, offset={record.offset}, timestamp=1529569531392, timestamp_type=0, key={record.key!r}, "
    sizes = (
        f"checksum=None, serialized_key_size={size(record.key)}, serialized_value_size={size(record.value)}"
    )
    if chance.random() < 0.3:
        return f"{begin}value={record.value!r}, {sizes}, headers=(('h', b'1'),))".encode()
    headers = "headers=[('h', b'1')], " if chance.random() < 0.7 else ""
    return f"{begin}value={record.value!r}, {headers}{sizes}{', serialized_header_size=-1' if headers else ''})".encode()


def connect(record: Known, chance: random.Random) -> bytes:
    key, value = (b"null" if side is None else side for side in (record.key, record.value))
    schema = chance.random() < 0.7
    return (
        b"SinkRecord{kafkaOffset=%d, timestampType=CreateTime} ConnectRecord{topic='t', kafkaPartition=1, key=" % record.offset + key
        + (b", keySchema=Schema{STRING}" if schema else b"") + b", value=" + value + (b", valueSchema=Schema{STRING}" if schema else b"")
        + b", timestamp=1630583824222, headers=ConnectHeaders(headers=)}"
    )  # fmt: skip


def spring(record: Known, chance: random.Random) -> bytes:
    headers = [
        f"kafka_offset={record.offset}".encode(),
        b"kafka_receivedPartitionId=1",
        b"kafka_receivedTopic=t",
        b"id=97078da0",
    ]
    headers += [b"kafka_receivedMessageKey=" + record.key] if record.key is not None else []
    chance.shuffle(headers)
    value = b"org.springframework.kafka.support.KafkaNull@1f" if record.value is None else record.value
    return b"GenericMessage [payload=" + value + b", headers={" + b", ".join(headers) + b"}]"


def go(record: Known, chance: random.Random) -> bytes:
    key, value = (str(list(side or b"")).replace(",", "") for side in (record.key, record.value))
    time = "2023-01-01 10:00:00.5 +0000 UTC"
    return chance.choice([
        f"&{{Headers:[0xc000] Timestamp:{time} BlockTimestamp:0001-01-01 00:00:00 +0000 UTC Key:{key} Value:{value} Topic:t Partition:1 Offset:{record.offset}}}",
        f"{{Topic:t Partition:1 Offset:{record.offset} HighWaterMark:9 Key:{key} Value:{value} Headers:[{{Key:h Value:[49]}}] WriterData:<nil> Time:{time}}}",
        f"&{{TopicPartition:t[1]@{record.offset} Value:{value} Key:{key} Timestamp:{time} TimestampType:CreateTime Opaque:<nil> Headers:[]}}",
    ]).encode()  # fmt: skip


def inspected(data: bytes | None, chance: random.Random) -> str:
    if data is None:
        return "null"
    if len(data) <= 50:
        return f"<Buffer{''.join(f' {byte:02x}' for byte in data)}>"
    return "<Buffer>"


def node(record: Known, chance: random.Random) -> bytes:
    key, value = inspected(record.key, chance), inspected(record.value, chance)
    if chance.random() < 0.4:
        return f"{{ topic: 't', value: {value}, offset: {record.offset}, partition: 1, highWaterOffset: 6, key: {key} }}".encode()
    return (
        f"{{ topic: 't', partition: 1, message: {{ magicByte: 2, attributes: 0, timestamp: '1602000000000', offset: '{record.offset}', key: {key}, "
        f"value: {value}, headers: {{ h: <Buffer 31> }} }}, heartbeat: [AsyncFunction: heartbeat], pause: [Function: pause] }}"
    ).encode()


def console(record: Known, chance: random.Random) -> bytes:
    key, value = (b"null" if side is None else side for side in (record.key, record.value))
    return b"CreateTime:1594970489649\tPartition:1\tOffset:%d\t" % record.offset + key + b"\t" + value


def dump(record: Known, chance: random.Random) -> bytes:
    batch = (
        f"baseOffset: {record.offset} lastOffset: {record.offset} count: 1 baseSequence: -1 lastSequence: -1 producerId: -1 producerEpoch: -1 "
        f"partitionLeaderEpoch: 0 isTransactional: false isControl: false position: 0 CreateTime: 9 size: 80 magic: 2 compresscodec: none crc: 1 isvalid: true\n"
        f"| offset: {record.offset} CreateTime: 9 keySize: {size(record.key)} valueSize: {size(record.value)} sequence: -1 headerKeys: []"
    ).encode()
    return (
        batch
        + (b"" if record.key is None else b" key: " + record.key)
        + (b"" if record.value is None else b" payload: " + record.value)
    )


def labels(record: Known, chance: random.Random) -> bytes:
    key, value = (b"null" if side is None else side for side in (record.key, record.value))
    return b"partition = 1, offset = %d, key = " % record.offset + key + b", value = " + value


def ksql(record: Known, chance: random.Random) -> bytes:
    key, value = (b"<null>" if side is None else side for side in (record.key, record.value))
    return b"rowtime: 2023/04/04 14:06:12.915 Z, key: " + key + b", value: " + value + b", partition: 1"


def streams(record: Known, chance: random.Random) -> bytes:
    key, value = (b"null" if side is None else side for side in (record.key, record.value))
    return b"[KSTREAM-SOURCE-0000000000]: " + key + b", " + value


def mirror(record: Known, chance: random.Random) -> bytes:
    key, value = record.key or b"", record.value or b""
    offsets = tuple(int.from_bytes(value[at : at + 8], "big") for at in (0, 8))
    partition = int.from_bytes(key[-4:], "big")
    return b"OffsetSync{topicPartition=%s-%d, upstreamOffset=%d, downstreamOffset=%d}" % (
        key[2:-4],
        partition,
        *offsets,
    )


def kcat(separator: bytes) -> Writer:
    """A format with sizes; of null kcat prints nothing."""
    return lambda record, chance: separator.join(
        [
            b"t",
            str(record.offset).encode(),
            str(size(record.key)).encode(),
            str(size(record.value)).encode(),
            record.key or b"",
            record.value or b"",
        ]
    )


@dataclass(frozen=True)
class Kind:
    """How records of a layout are made: what keys and values may be, and what may stand around a row."""

    write: Writer
    values: tuple[bytes, ...] = TEXTS
    keys: tuple[bytes, ...] = WORDS
    has_nulls: bool = True
    is_logged: bool = True
    prefixes: tuple[str, ...] = PREFIXES
    trailers: tuple[str, ...] = ("", " (com.example.Task:57)", " is being processed", "]}", "  ")
    may_be_cut: bool = True
    command: str = ""  # before the rows; the print has no other text around it
    breaks: tuple[bytes, ...] = ()  # labels, behind whose blank the line may be broken
    width: int = 0  # of a terminal that may break the lines
    is_numbered: bool = False  # offsets are not printed


KINDS = {
    "consumer-record": Kind(java, (*TEXTS, b"a\nb", b", value = x"), (*WORDS, b"a, value = b"), breaks=(b"partition = 1, ", b"CreateTime = 1594970489649, "), width=80),
    "python-record": Kind(python, (*TEXTS, *BINARY), (*TEXTS, *BINARY), breaks=(b"partition=1, ", b"timestamp_type=0, ", b"checksum=None, ")),
    "connect-record": Kind(connect, tuple(text for text in TEXTS if text != b"null"), breaks=(b"timestamp=1630583824222, ", b"CreateTime} ")),
    "spring-message": Kind(spring, TEXTS),
    "go-record": Kind(go, (*TEXTS, *BINARY), (*TEXTS, *BINARY), has_nulls=False, breaks=(b"+0000 UTC ",)),
    "node-record": Kind(node, tuple(text for text in (*TEXTS, *BINARY) if len(text) <= 50), breaks=(b"topic: 't', ", b"partition: 1, ")),
    "console-consumer": Kind(
        console, tuple(text for text in TEXTS if text.strip() == text and text), is_logged=False, prefixes=LINE_PREFIXES, trailers=("",),
        may_be_cut=False,
    ),
    "dump-log-text": Kind(
        dump, tuple(text for text in TEXTS if text.strip() == text and text), is_logged=False, prefixes=LINE_PREFIXES, trailers=("",),
        may_be_cut=False,
    ),
    "client-log": Kind(labels, tuple(text for text in TEXTS if b" = " not in text and text.strip() == text and text), trailers=("",), may_be_cut=False),
    "ksql-print": Kind(
        ksql, tuple(text for text in TEXTS if text.strip() == text and text), is_logged=False, prefixes=LINE_PREFIXES, trailers=("",), may_be_cut=False,
        is_numbered=True,
    ),
    "streams-print": Kind(
        streams, tuple(text for text in TEXTS if text.strip() == text and text and b"null" not in text), trailers=("",), may_be_cut=False, is_numbered=True,
    ),
    "mirror-formatters": Kind(
        mirror, tuple(b"".join(n.to_bytes(8, "big") for n in pair) for pair in ((0, 0), (10, 7), (2**40, 2**33))),
        tuple(len(t).to_bytes(2, "big") + t + n.to_bytes(4, "big") for t in (b"my-topic", b"a.b-1", b"t") for n in (0, 2, 300)),
        has_nulls=False, is_logged=False, prefixes=LINE_PREFIXES, trailers=("",), is_numbered=True, may_be_cut=False,
    ),
    **{
        f"kcat-format {name}": Kind(
            kcat(separator), (*TEXTS, b"a\nb", b"t|11|1|1|k|v", b", "), (*WORDS, b"", b"a|b"), prefixes=("",), trailers=("",), may_be_cut=False,
            is_logged=False, command=f"$ kcat -C -t t -f '{name.join(FIELDS)}\\n'",
        )
        for name, separator in {"|": b"|", " ": b" ", "\\t": b"\t", ", ": b", ", " => ": b" => "}.items()
    },
}  # fmt: skip


def make(kind: Kind, chance: random.Random) -> Made:
    """A print of a few records, with a prefix, in a fence or a log, perhaps cut."""
    count = chance.randint(2, 5)
    sides = (kind.keys, kind.values)
    records = [
        Known(
            number if kind.is_numbered else 10 + number, *(side_of(kind, values, chance) for values in sides)
        )
        for number in range(count)
    ]
    prefix, trailer = chance.choice(kind.prefixes), chance.choice(kind.trailers)
    lines: list[bytes] = []
    for number, record in enumerate(records):
        if kind.is_logged and chance.random() < 0.2:
            lines.append(chance.choice(NOISE).encode())
        row = broken(kind.write(record, chance), kind, chance)
        first, *rest = row.split(b"\n")
        front = prefix.format(n=100 + number, d=number).encode()
        rest = [line if kind.is_logged else front + line for line in rest]
        lines.append(b"\n".join([front + first, *rest]) + trailer.encode())
    is_cut = (
        kind.may_be_cut and chance.random() < 0.15 and b")" not in (records[-1].value or b"")
    )  # a value may end there
    text = b"\n".join(lines)
    if is_cut:
        text = text[: text.rindex(lines[-1]) + chance.randint(1, len(lines[-1]) - len(trailer) - 1)]
    elif kind.command:
        text = kind.command.encode() + b"\n" + text
    elif chance.random() < 0.3:
        text = b"Some words of a ticket:\n\n```\n" + text + b"\n```\n\nand others"
    return Made(text if is_cut else text + b"\n", records, is_cut)


def broken(row: bytes, kind: Kind, chance: random.Random) -> bytes:
    """The row on one line, or broken between two labels, or cut into pieces by a terminal."""
    style = chance.random()
    if kind.breaks and style < 0.1:
        label = chance.choice(kind.breaks)
        return row.replace(label, label.rstrip() + b"\n", 1)
    if kind.width and style < 0.2 and b"\n" not in row:  # a value's own breaks and a terminal's are the same
        return b"\n".join(row[at : at + kind.width] for at in range(0, len(row), kind.width))
    return row


def side_of(kind: Kind, values: tuple[bytes, ...], chance: random.Random) -> bytes | None:
    return None if kind.has_nulls and chance.random() < 0.15 else chance.choice(values)
