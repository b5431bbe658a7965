"""A shell's command goes on while a quote is open and through its here-document; what only looks so is output."""

from __future__ import annotations

import pytest

from spark.sources._wrapping.lines import lines_of
from spark.sources._wrapping.shell import open_quote, whole_command
from spark.sources.kcat_format import of_command
from tests.spark.sources._wrapping.sorted_texts import sorted_text

KCAT = b"kcat -b h:9092 -C -t orders \\\n  -f 'Key: %k\n  Value (%S bytes): %s\n  Offset: %o\\n'"
ROWS = b"Key: a\n  Value (1 bytes): b\n  Offset: 7\nKey: c\n  Value (2 bytes): d\n\n  Offset: 8\n"
PRODUCER = b"$ kafka-console-producer.sh --topic orders --property parse.key=true"
RECORDS = b'Partition:0\tOffset:0\tk1\t{"a":1}\nPartition:0\tOffset:1\tk2\t{"a":2}'
CONSUMER = b"$ kafka-console-consumer.sh --topic orders --property print.key=true\n"


@pytest.mark.parametrize(
    ("command", "is_open"),
    [
        (b"kcat -f '%k", True),
        (b"kcat -f '%k'", False),
        (b'kcat -f "%k', True),
        (b'kcat -f "%k \\" it\'s"', False),
        (b"kcat -t orders # it's the command", False),
        (b"kcat -t it\\'s", False),
        (b"kcat -f 'a#b", True),
    ],
)
def test_a_quote_is_open_by_the_rules_of_the_shell(command: bytes, is_open: bool) -> None:
    assert bool(open_quote(command)) is is_open


def test_a_format_of_several_lines_is_the_command_and_keeps_its_blanks() -> None:
    found = sorted_text(b"$ " + KCAT + b"\n" + ROWS)
    assert found.prints == [ROWS.rstrip(b"\n")]
    form = of_command(found.commands[0].decode())
    assert form is not None
    assert form.text == "Key: %k\n  Value (%S bytes): %s\n  Offset: %o\\n"


def test_the_same_in_fences_of_their_own() -> None:
    found = sorted_text(b"```bash\n" + KCAT + b"\n```\n```\n" + ROWS + b"```\n")
    assert found.prints == [ROWS.rstrip(b"\n")]
    assert [kind for kind, _ in found.asides].count("command") == 4


def test_a_quote_that_was_cut_takes_no_record() -> None:
    found = sorted_text(b"$ kcat -C -t orders -f '%k\n" + RECORDS + b"\nit's all\n")
    assert found.prints[0].startswith(RECORDS)


def test_input_of_a_producer_is_no_output() -> None:
    typed = b'k1:{"a":1}\nk2:{"a":2}\nk3:{"a":3}\n'
    found = sorted_text(PRODUCER + b" <<'EOF'\n" + typed + b"EOF\n" + CONSUMER + RECORDS + b"\n")
    assert found.prints == [RECORDS]
    assert [text for kind, text in found.asides if kind == "command"][1:5] == [
        *typed.splitlines(),
        b"EOF",
    ]


def test_input_of_json_is_no_output() -> None:
    found = sorted_text(
        b"```\n"
        + PRODUCER[2:]
        + b' \\\n  --broker-list h:9092 <<EOF\n{"a":1}\nEOF\n```\n'
        + CONSUMER
        + RECORDS
    )
    assert found.prints == [RECORDS]


@pytest.mark.parametrize(
    ("command", "following", "count"),
    [
        (b"kcat -P <<EOF", b"a\nb\nEOF\nc", 3),
        (b"kcat -P <<-EOF", b"a\n\tEOF\nc", 2),
        (b"kcat -P <<EOF", b"a\nb", 0),
        (b"kcat -P <<< EOF", b"a\nEOF", 0),
        (b"echo '<<EOF'", b"a\nEOF", 0),
        (b"kcat -C -t orders", b"a\nEOF", 0),
        (b"kcat -C \\", b"-t orders\na", 1),
    ],
)
def test_a_here_document_ends_with_its_word(command: bytes, following: bytes, count: int) -> None:
    assert whole_command(command, lines_of(following, "utf-8"))[1] == count
