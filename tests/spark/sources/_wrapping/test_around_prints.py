"""What stands around a print in a page: a command over several lines, a prompt's folder, comment signs, prose behind a fence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from spark.sources import InputFile
from spark.sources._command import KCAT, behind, words_of
from spark.sources._wrapping.commands import place_in
from spark.sources._wrapping.marks import COMMAND, COMMENT, PROMPT, mark_of
from spark.sources._wrapping.written import read_split
from spark.stages.plan import plan_inputs
from spark.stages.prints.joined import joined
from spark.terms.errors import UnreadableInput
from tests.spark.sources._wrapping.sorted_texts import BATCH, DUMPING, sorted_text

FORMAT = rb"p=%p o=%o k=%k v=%s\n"
RECORD = (
    b"| offset: 0 CreateTime: 1700000000000 keySize: -1 valueSize: 2 sequence: -1 headerKeys: [] payload: v0"
)


def records(content: bytes, folder: Path) -> list[dict[str, Any]]:
    path = folder / "pasted.txt"
    path.write_bytes(content)
    plan = plan_inputs([InputFile(path.name, str(path), len(content))], {}, None, folder / "prints")
    plan = joined(plan, lambda work_of, due: [work_of(group) for group in due])
    chunks = (chunk for split in plan.splits for chunk in read_split(split))
    return [record for chunk in chunks if chunk.records is not None for record in chunk.records.to_pylist()]


@pytest.mark.parametrize(
    "command",
    [
        "kafka-dump-log.sh --files orders-3/00000000000000000000.log --print-data-log",
        "kafka-dump-log --files=./data/orders-3/00000000000000000000.log",
        r"kafka-dump-log.bat --files C:\kafka\orders-3\00000000000000000000.log",
    ],
)
def test_a_folder_in_a_command_names_topic_and_partition(command: str) -> None:
    assert place_in(command) == ("orders", 3)


def test_the_folder_of_a_prompt_names_topic_and_partition(tmp_path: Path) -> None:
    prompt = (
        b"[kafka@broker-1 orders-3]$ kafka-dump-log --print-data-log --files ./00000000000000000000.log\n"
    )
    heading = b"Dumping ./00000000000000000000.log\nLog starting offset: 0\n"
    record = records(prompt + heading + BATCH % (0, 0, 0) + b"\n" + RECORD + b"\n", tmp_path)[0]
    assert (record["topic"], record["partition"]) == ("orders", 3)


@pytest.mark.parametrize(
    "image", ["edenhill/kcat:1.7.1", "confluentinc/cp-kafkacat", "my-registry/kcat-static"]
)
def test_an_image_of_kcat_is_kcat(image: str) -> None:
    command = f"docker run --rm --network host {image} -C -t orders -J"
    assert behind(KCAT, words_of(command)) == ["-C", "-t", "orders", "-J"]
    mark = mark_of(command.encode())
    assert mark is not None
    assert mark.kind == COMMAND


def test_a_command_runs_in_a_container_over_several_lines() -> None:
    command = b"docker-compose exec kafka-client \\\n  kafka-console-consumer \\\n    --topic orders --from-beginning"
    text = b"```\n" + command + b"\n```\nYou should see:\n```\nPartition:0\tOffset:0\tv\n```\n"
    assert sorted_text(text).commands == [b"docker-compose exec kafka-client \\\nkafka-console-consumer \\\n--topic orders --from-beginning"]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "kind"),
    [(b"# p=2 o=0 k= v=uno", COMMENT), (b"# TOPIC=orders", COMMAND), (b"# LC_ALL=C kcat -t x", COMMAND), (b">>>", PROMPT)],
)  # fmt: skip
def test_assignments_are_a_command_only_before_one_or_alone(line: bytes, kind: str) -> None:
    mark = mark_of(line)
    assert mark is not None
    assert mark.kind == kind


def test_a_format_of_kcat_is_read_in_comments(tmp_path: Path) -> None:
    text = b"```bash\nkcat -C -t log -f '" + FORMAT + b"'\n# p=2 o=0 k=a v=uno\n# p=2 o=1 k=b v=due\n```\n"
    told = [(row["topic"], row["partition"], row["offset"], row["key"], row["value"]) for row in records(text, tmp_path)]  # fmt: skip
    assert told == [("log", 2, 0, b"a", b"uno"), ("log", 2, 1, b"b", b"due")]


def test_sizes_end_a_value_where_a_paste_lost_the_blank_lines_of_the_format(tmp_path: Path) -> None:
    command = (
        rb"kcat -C -t t -f '\nKey (%K bytes): %k\tValue (%S bytes): %s\nPartition: %p\tOffset: %o\n--\n'"
        b"\n"
    )
    rows = (
        b"Key (1 bytes): k\tValue (2 bytes): v%d\nPartition: 0\tOffset: %d\n--\n" % (n, n) for n in range(2)
    )
    assert [row["value"] for row in records(command + b"".join(rows), tmp_path)] == [b"v0", b"v1"]


def test_a_broken_row_goes_on_in_the_next_comment(tmp_path: Path) -> None:
    text = (
        b"code()\n# ConsumerRecord(topic='t', partition=0, offset=281, \n# timestamp=1774961451173, timestamp_type=0, key=None, \n"
        b"# value=b'v', headers=[], \n# checksum=None, serialized_key_size=-1, serialized_value_size=1, serialized_header_size=-1)\n"
    )
    assert [(row["offset"], row["value"]) for row in records(text, tmp_path)] == [(281, b"v")]


def test_a_row_glued_to_its_prompt_leaves_the_prompt_out_of_the_group() -> None:
    prompt = b'[root@host kafka]# bin/kafka-console-consumer.sh --topic __consumer_offsets --formatter "x" | grep t'
    row = b"[g,t,0]::OffsetAndMetadata(offset=1, leaderEpoch=Optional.empty, metadata=, commitTimestamp=1, expireTimestamp=None)"
    out = sorted_text(prompt + row + b"\n" + row.replace(b"[g,", b"[h,") + b"\n")
    assert out.prints[0].startswith(b"[g,t,0]::")
    assert out.commands[0].startswith(b"bin/kafka-console-consumer.sh")


def test_headers_alone_before_a_value_are_no_part_of_it(tmp_path: Path) -> None:
    command = (
        b"$ kafka-console-consumer --bootstrap-server b:9092 --topic orders --property print.headers=true\n"
    )
    row = records(command + b"NO_HEADERS\tfirst\n", tmp_path)[0]
    assert (row["key"], row["key_is_null"], row["value"], row["headers"]) == (None, False, b"first", [])


def test_prose_behind_the_fence_is_no_damage() -> None:
    text = (
        b"```\n"
        + DUMPING
        + b"\n"
        + BATCH % (0, 0, 0)
        + b"\n"
        + RECORD
        + b"\n```\n\n`valueSize: 2` fits the `payload`.\n"
    )
    out = sorted_text(text)
    assert out.asides[-1] == ("text", b"`valueSize: 2` fits the `payload`.")


def test_a_record_that_lost_bytes_of_key_and_label_is_unreadable(tmp_path: Path) -> None:
    lost = b"| offset: 0 CreateTime: 1700000000000 keySize: 23 valueSize: 28 sequence: -1 headerKeys: [] key: group payload:consumerrange"
    assert records(DUMPING + b"\n" + BATCH % (0, 0, 0) + b"\n" + lost + b"\n", tmp_path) == []


def test_parts_of_one_paste_are_one_file(tmp_path: Path) -> None:
    path = tmp_path / "ticket.txt"
    path.write_text("```\nsome text\n```\n\n```\nother text\n```\n\n```\nmore text\n```\n")
    with pytest.raises(UnreadableInput) as refused:
        plan_inputs([InputFile(path.name, str(path), path.stat().st_size)], {}, None, tmp_path / "prints")
    assert str(refused.value).startswith(
        "Unknown file format: ticket.txt is not a known journal dump or log segment. Send "
    )
