"""Real prints, and every wrapping that people paste around them: one function each, bytes in, bytes out.

A wrapping puts something around a print and changes no record: with or without it the same is read.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator
from functools import cache
from itertools import count

from tests.generator import dumps, exports
from tests.generator.apicurio import healthy
from tests.generator.journal import Journal
from tests.spark.sources.prints import LAYOUTS

Wrapping = Callable[[bytes], bytes]
LOG4J = b"[2024-03-11 10:00:01,123] WARN [Consumer clientId=c-1] Connection to node -1 could not be established. (org.apache.kafka.clients.NetworkClient)"
JVM = b"OpenJDK 64-Bit Server VM warning: Options -Xverify:none were deprecated in JDK 13."
DUMP_COMMAND = b"bin/kafka-dump-log.sh --deep-iteration --print-data-log --files segments.log"
CONSUME_COMMAND = (
    b"kafka-console-consumer --bootstrap-server b:9092 --property print.offset=true --from-beginning"
)
KCAT_COMMAND = b"kcat -C -b localhost:9092 -J -e"


@cache
def prints() -> dict[str, bytes]:
    """Prints by name: those of real tools, as far as they are there, and those that the project's own generator makes."""
    journal = healthy(1)
    found = {
        "kcat": dumps.kcat_raw(journal),
        "kcat-base64": dumps.kcat_base64(journal),
        "plain-array": dumps.plain_array(journal),
        "akhq": dumps.akhq(journal),
        "redpanda": dumps.redpanda_console(journal),
        "rpk": dumps.rpk(journal),
        "rpk-pretty": dumps.rpk(journal, pretty=True),
        "dump": dump_log(journal),
    }
    found |= {
        name: getattr(exports, name)(journal)
        for name in ("kafkactl", "kafbat_events", "kafbat_saved", "confluent", "kafdrop")
    }
    for path in sorted((LAYOUTS / "text").glob("*")):
        if path.name.startswith(("console-consumer", "dump-log", "kcat-J")) and not path.name.endswith(
            ("key-separator.txt", "values-only.txt")
        ):
            found[path.name] = path.read_bytes()
    return found


def dump_log(journal: Journal) -> bytes:
    """A print of kafka-dump-log 3.x, one batch a record, each value over several lines."""
    lines = [b"Dumping /data/orders-0/00000000000000000000.log", b"Log starting offset: 0"]
    for number, stored in enumerate(journal.stored[:12]):
        key, value = b"key-%d" % number, b'{\n  "number": %d\n}' % number
        size = 61 + len(key) + len(value) + 7 * 2
        at = 1_700_000_000_000 + stored.offset
        lines += [
            b"baseOffset: %d lastOffset: %d count: 1 baseSequence: -1 lastSequence: -1 producerId: -1 producerEpoch: -1 "
            b"partitionLeaderEpoch: 0 isTransactional: false isControl: false deleteHorizonMs: OptionalLong.empty "
            b"position: %d CreateTime: %d size: %d magic: 2 compresscodec: gzip crc: 1 isvalid: true"
            % (number, number, number * size, at, size),
            b"| offset: %d CreateTime: %d keySize: %d valueSize: %d sequence: -1 headerKeys: [] key: %s payload: %s"
            % (number, at, len(key), len(value), key, value),
        ]
    return b"\n".join(lines) + b"\n"


def tool_of(content: bytes) -> str:
    """Which tool printed it, as far as a command needs to know."""
    head = content[:200]
    if b"ffset: " in head or b"Dumping " in head or b"producerId: " in head:
        return "dump"
    return "console" if b"Time:" in head or b"Offset:" in head else "json"


def command_of(content: bytes) -> bytes:
    """A command that may have made the print."""
    return {"dump": DUMP_COMMAND, "console": CONSUME_COMMAND, "json": KCAT_COMMAND}[tool_of(content)]


def ended(content: bytes) -> bytes:
    """With a line feed behind the last line."""
    return content if content.endswith(b"\n") else content + b"\n"


def each_line(content: bytes, change: Callable[[bytes], bytes]) -> bytes:
    """Every line changed."""
    return b"".join(change(line) + b"\n" for line in ended(content)[:-1].split(b"\n"))


def around(before: bytes, behind: bytes = b"") -> Wrapping:
    """Lines before and behind."""
    return lambda content: before + ended(content) + behind


def prompted(prompt: bytes, behind: bytes = b"") -> Wrapping:
    """A prompt, a command, the print."""
    return lambda content: prompt + command_of(content) + b"\n" + ended(content) + behind


def prefixed(prefix: bytes) -> Wrapping:
    """The same before every line."""
    return lambda content: each_line(content, lambda line: prefix + line)


def over_several_lines(content: bytes) -> bytes:
    """A command with its options on lines of their own."""
    return b"$ " + command_of(content).replace(b" --", b" \\\n    --") + b"\n" + content


def numbered(content: bytes) -> bytes:
    """As `cat -n` does."""
    numbers: Iterator[int] = count(1)
    return each_line(content, lambda line: b"%6d\t%s" % (next(numbers), line))


def with_times(content: bytes) -> bytes:
    """As `docker logs -t` does."""
    numbers: Iterator[int] = count(100_000_000)
    return each_line(content, lambda line: b"2024-03-11T10:00:00.%dZ %s" % (next(numbers), line))


def escaped(content: bytes) -> bytes:
    """As the source of a page shows it."""
    text = content.decode("utf-8", "surrogateescape")
    return b"<pre>\n" + ended(html.escape(text).encode("utf-8", "surrogateescape")) + b"</pre>\n"


def glued(content: bytes) -> bytes:
    """The command's line and the first of output are one."""
    return b"kafka@broker-1:~$ " + command_of(content) + b" " + content


def coloured(content: bytes) -> bytes:
    """Every line green."""
    return each_line(content, lambda line: b"\x1b[32m" + line + b"\x1b[0m" if line else line)


def interrupted(content: bytes) -> bytes:
    """Lines of a log before the print and behind its last line."""
    return LOG4J + b"\n" + ended(content) + LOG4J + b"\n"


def utf_16(content: bytes) -> bytes:
    """As PowerShell writes it."""
    return b"\xff\xfe" + content.replace(b"\n", b"\r\n").decode().encode("utf-16-le")


LAYERS: dict[str, Wrapping] = {
    "prompt": prompted(b"[kafka@broker-1 bin]$ "),
    "prompt-bare": prompted(b"$ "),
    "prompt-root": prompted(b"root@9f2b1c:/opt/kafka# "),
    "prompt-venv": prompted(b"(venv) ada@laptop tools % "),
    "prompt-windows": prompted(b"PS C:\\kafka\\bin> "),
    "prompt-behind": prompted(b"ada@shop:~$ ", b"ada@shop:~$ \n"),
    "command": prompted(b""),
    "command-lines": over_several_lines,
    "glued": glued,
    "docker": around(b"$ docker exec -it broker kafka-run-class.sh kafka.tools.Some --x 1\n"),
    "fence": around(b"```\n", b"```\n"),
    "fence-named": around(b"```json\n", b"```\n"),
    "fence-tilde": around(b"~~~\n", b"~~~\n"),
    "fence-open": around(b"```\n"),
    "jira-code": around(b"{code:java}\n", b"{code}\n"),
    "jira-noformat": around(b"{noformat}\n", b"{noformat}\n"),
    "pre": around(b"<pre>\n", b"</pre>\n"),
    "escaped": escaped,
    "indent": prefixed(b"    "),
    "tab": prefixed(b"\t"),
    "quote": prefixed(b"> "),
    "quotes": prefixed(b">> "),
    "no-break": prefixed(b"\xc2\xa0\xc2\xa0"),
    "numbers": numbered,
    "compose": prefixed(b"kafka-1  | "),
    "pod": prefixed(b"[pod/my-cluster-kafka-0/kafka] "),
    "times": with_times,
    "colours": coloured,
    "bom": lambda content: b"\xef\xbb\xbf" + content,
    "utf-16": utf_16,
    "crlf": lambda content: content.replace(b"\n", b"\r\n"),
    "log": interrupted,
    "jvm": around(JVM + b"\n"),
    "kcat-says": around(b"% Reading configuration from file kcat.conf\n"),
    "title": around(b"This is what the tool printed on broker 1:\n\n"),
    "dots": around(b"...\n", b"...\n"),
    "heading": around(b"# output:\n"),
    "stopped": lambda content: ended(content) + b"^CProcessed a total of 12 messages\n",
}
