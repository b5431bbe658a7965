"""A pasted text line by line: prints in order, the rest set aside, nothing taken out of a value."""

from __future__ import annotations

import pytest

from tests.spark.sources._wrapping.sorted_texts import DUMPING, batch, kcat, sorted_text


@pytest.mark.parametrize(
    "prompt",
    [b"$ ", b"# ", b"% ", b"[kafka@b1 ~]$ ", b"root@9f2:/# ", b"(venv) ada@mac kafka % ", b"PS C:\\kafka> ",
     b"C:\\kafka\\bin>", b"bash-5.1$ ", b"ksql> ", b"MacBook-Pro:kafka ada$ ", b"I have no name!@pod-0:/$ ", b""],
)  # fmt: skip
def test_a_command_behind_any_prompt_is_set_aside_and_kept_for_its_print(prompt: bytes) -> None:
    command = b"kafka-dump-log.sh --print-data-log --files 0.log"
    found = sorted_text(prompt + command + b"\n" + DUMPING + b"\n" + batch(0))
    assert found.prints == [DUMPING + b"\n" + batch(0)]
    assert found.commands == [command]
    assert [kind for kind, _ in found.asides] == ["command"]


@pytest.mark.parametrize(
    "prompt", [b"$ ", b"# ", b"% ", b"u@h:~$ ", b"PS C:\\> ", b"C:\\kafka>", b"[u@b ~]$ ", b""]
)
@pytest.mark.parametrize(
    "command",
    [b"docker exec -it b kcat -C -t orders -J", b"kubectl exec -it p -n k -- bin/kcat -t orders -J",
     b"docker compose exec b kcat -C -t orders -J", b"docker run --rm edenhill/kcat:1.7.1 -t orders -J",
     b"winpty docker exec -it b sh -c 'kcat -C -t orders -J'", b"sudo docker exec b kcat -C -t orders -J"],
)  # fmt: skip
def test_a_command_in_a_container_is_kept_behind_any_prompt(prompt: bytes, command: bytes) -> None:
    found = sorted_text(prompt + command + b"\n" + kcat(0))
    assert (found.commands, found.prints) == ([command], [kcat(0)])


def test_a_command_over_several_lines_is_one_command() -> None:
    found = sorted_text(b"$ kcat -C \\\n    -b localhost:9092 \\\n    -t orders -J\n" + kcat(0))
    assert found.commands == [b"kcat -C \\\n-b localhost:9092 \\\n-t orders -J"]
    assert found.prints == [kcat(0)]


def test_output_glued_to_its_command_is_read() -> None:
    found = sorted_text(b"ada@b:~$ kcat -C -t orders -J " + kcat(0) + b"\n" + kcat(1))
    assert found.prints == [kcat(0) + b"\n" + kcat(1)]
    assert found.commands == [b"kcat -C -t orders -J"]


def test_a_quoted_document_in_a_command_is_no_output() -> None:
    found = sorted_text(b"$ echo '{\"offset\":1}' | kcat -P -t orders\n" + kcat(0))
    assert found.prints == [kcat(0)]


def test_prints_of_two_tools_are_two_parts_in_order() -> None:
    text = b"First:\n" + DUMPING + b"\n" + batch(0) + b"\n\nand with kcat\n\n" + kcat(0) + b"\n"
    found = sorted_text(text)
    assert found.tools == ["dump", "json"]
    assert [kind for kind, _ in found.asides] == ["text", "text"]


def test_another_command_begins_another_print_of_the_same_tool() -> None:
    text = b"$ kcat -t a -J\n" + kcat(0) + b"\n$ kcat -t b -J\n" + kcat(1, "w") + b"\n$ \n"
    found = sorted_text(text)
    assert found.commands == [b"kcat -t a -J", b"kcat -t b -J"]
    assert [kind for kind, _ in found.asides] == ["command", "command", "prompt"]


@pytest.mark.parametrize(
    "inner",
    [b"```", b"$ kcat -J", b"...", b"", b"# heading", b"Processed a total of 3 messages", b"> quoted"],
)
def test_what_the_printed_size_puts_into_a_value_stays_there(inner: bytes) -> None:
    value = b"first\n" + inner + b"\nlast"
    found = sorted_text(b"```\n" + DUMPING + b"\n" + batch(0, value=value) + b"\n" + batch(1) + b"\n```\n")
    assert found.prints == [DUMPING + b"\n" + batch(0, value=value) + b"\n" + batch(1)]
    assert [kind for kind, _ in found.asides] == ["fence", "fence"]


def test_a_fence_that_no_fence_opened_may_be_part_of_a_value() -> None:
    text = b"Partition:0\tOffset:0\tk\tread\n```\ncode\n```\nPartition:0\tOffset:1\tk\tv"
    found = sorted_text(text)
    assert found.prints == [text]
    assert found.asides == []


def test_the_closing_fence_and_line_are_no_part_of_the_last_value() -> None:
    rows = b"Partition:0\tOffset:0\tk\tv\nPartition:0\tOffset:1\tk\tw"
    found = sorted_text(b"```\n" + rows + b"\nProcessed a total of 2 messages\n```\n")
    assert found.prints == [rows]
    assert [kind for kind, _ in found.asides] == ["fence", "closing", "fence"]


def test_a_fence_behind_the_last_line_is_cut_off() -> None:
    found = sorted_text(b"{code}\n" + kcat(0) + b"{code}\n")
    assert found.prints == [kcat(0)]
    assert [text for _, text in found.asides] == [b"{code}", b"{code}"]


def test_lines_of_other_programs_between_records_are_set_aside() -> None:
    log = b"[2024-03-11 10:00:01,123] WARN lost the connection (org.apache.kafka.clients.NetworkClient)"
    found = sorted_text(
        kcat(0) + b"\n% Reached end of topic orders [0] at offset 1\n" + log + b"\n" + kcat(1)
    )
    assert found.prints == [kcat(0) + b"\n" + kcat(1)]
    assert [kind for kind, _ in found.asides] == ["program", "program"]


def test_a_piece_of_a_record_is_left_to_the_layout() -> None:
    text = kcat(0) + b'\n"payload":"cut in front"}\n' + kcat(1)
    assert sorted_text(text + b"\n...").prints == [text]


def test_text_behind_a_command_is_a_print_and_prose_is_not() -> None:
    found = sorted_text(
        b"We ran this:\n\n$ bin/kafka-topics.sh --describe --topic a\nTopic: a\tPartition: 0\n\nBye\n"
    )
    assert found.prints == [b"Topic: a\tPartition: 0"]
    assert ("text", b"Bye") in found.asides
    assert ("text", b"We ran this:") in found.asides


def test_utf_16_is_read_with_its_own_places() -> None:
    text = "```\n" + kcat(0).decode() + "\n```\n"
    found = sorted_text(b"\xff\xfe" + text.encode("utf-16-le"), "utf-16-le")
    assert found.prints == [kcat(0)]


def test_what_was_written_behind_a_formatters_line_is_a_comment() -> None:
    line = b"tx::TransactionMetadata(transactionalId=tx, producerId=1, topicPartitions=Set(a-0), txnLastUpdateTimestamp=1)"
    found = sorted_text(line + b"   // after flush() (first)\n" + line.replace(b"tx", b"ty"))
    assert found.prints == [line + b"\n" + line.replace(b"tx", b"ty")]
    assert found.asides == [("comment", b"// after flush() (first)")]


def test_code_behind_a_print_in_its_comments_is_none_of_it() -> None:
    found = sorted_text(
        b"//    " + batch(0).replace(b"\n|", b"\n//    |") + b"\n    @Test\n    void order() {\n"
    )
    assert found.prints == [batch(0)]
    assert [kind for kind, _ in found.asides] == ["text", "text"]


@pytest.mark.parametrize("prefix", [b"1 | ", b"user-7 | "])
def test_a_key_before_a_bar_is_no_container(prefix: bytes) -> None:
    text = prefix + b'{"a":1}\n' + prefix + b'{"a":2}'
    assert sorted_text(b"```\n" + text + b"\n```\n").prints == [text]


def test_a_padded_name_before_a_bar_is_a_container() -> None:
    text = b'kafka-1  | {"a":1}\nkafka-1  | {"a":2}\n'
    assert sorted_text(text).prints == [b'{"a":1}\n{"a":2}']


def test_a_quotation_mark_in_prose_hides_no_print() -> None:
    found = sorted_text(b'A 19" rack. It said:\n' + kcat(0) + b"\n" + kcat(1))
    assert found.prints == [kcat(0) + b"\n" + kcat(1)]


def test_a_block_that_was_cut_out_of_its_fence_turns_no_later_fence_around() -> None:
    found = sorted_text(
        b'tail of a log\n```\nSome words.\n```bash\nkey-1\t{"a":1}\nkey-2\t{"a":2}\n```\nMore words.\n'
    )
    assert found.prints == [b'key-1\t{"a":1}\nkey-2\t{"a":2}']


def test_a_block_indented_like_its_fence_loses_the_indent() -> None:
    found = sorted_text(b'   ```\n   key-1\t{"a":1}\n   key-2\t{"a":2}\n   ```\n')
    assert found.prints == [b'key-1\t{"a":1}\nkey-2\t{"a":2}']


def test_a_command_belongs_to_the_next_block_though_prose_stands_between() -> None:
    found = sorted_text(b"```\n$ kcat -C -K , -t orders\n```\n\nYou see:\n\n```\na,{}\nb,{}\n```\n")
    assert (found.prints, found.commands) == ([b"a,{}\nb,{}"], [b"kcat -C -K , -t orders"])


def test_what_was_typed_into_the_producer_is_no_print() -> None:
    found = sorted_text(b'```\n>k:{"a":1}\n>l:{"a":2}\n```\nread back:\n```\nPartition:0\tOffset:0\tk\n```\n')
    assert found.prints == [b"Partition:0\tOffset:0\tk"]
    assert [kind for kind, _ in found.asides].count("prompt") == 2


def test_a_document_of_several_lines_behind_a_fence_is_no_part_of_a_print_of_one_line_each() -> None:
    found = sorted_text(b"```\n" + kcat(0) + b'\n```\nfor:\n```\n{\n  "partitions": []\n}\n```\n')
    assert found.prints == [kcat(0), b'{\n  "partitions": []\n}']


def test_arrows_that_somebody_pressed_are_no_part_of_a_line() -> None:
    found = sorted_text(b"$ kcat -J -t orders\n^[[A^[[A" + kcat(0) + b"\n" + kcat(1))
    assert found.prints == [kcat(0) + b"\n" + kcat(1)]


def test_a_blank_line_in_a_block_of_text_is_kept() -> None:
    found = sorted_text(b"$ kcat -C -t a -f '%k\\n\\n%s\\n'\n```\nk\n\nv\n```\n")
    assert found.prints == [b"k\n\nv"]


def test_an_answer_glued_to_its_command_goes_on_in_the_next_line() -> None:
    found = sorted_text(
        b"$ kafka-dump-log.sh --index-sanity-check --files a.index Dumping a.index\na.index is empty.\n"
        + DUMPING
        + b"\n"
        + batch(0)
    )
    assert found.prints[0].startswith(b"Dumping a.index\na.index is empty.\n")


@pytest.mark.parametrize("closing", [b"-->", b"*/", b'"""', b"  -->"])
def test_a_line_that_closes_a_comment_is_around_the_print(closing: bytes) -> None:
    found = sorted_text(DUMPING + b"\n" + batch(0) + b"\n" + closing + b"\nAs you see, it is there.\n")
    assert found.prints == [DUMPING + b"\n" + batch(0)]
    assert [kind for kind, _ in found.asides] == ["comment", "text"]


FORMAT = rb"\nKey (%K bytes): %k\t\nValue (%S bytes): %s\nOffset: %o\n--\n"


def record(offset: int) -> bytes:
    return b"\nKey (1 bytes): a\t\nValue (1 bytes): b\nOffset: %d\n--\n" % offset


def test_blank_lines_of_a_format_end_no_print() -> None:
    command = b"$ kcat -C -t orders -f '" + FORMAT + b"'\n"
    found = sorted_text(command + record(0) + record(1) + b"% Reached end of topic orders [0] at offset 2\n")
    assert [text.count(b"Offset:") for text in found.prints] == [2]


def test_prose_behind_a_blank_line_is_no_record_of_a_format() -> None:
    command = b"$ kcat -C -t orders -f '" + FORMAT + b"'\n"
    found = sorted_text(command + record(0) + record(1) + b"\nAnd then nothing more came.\n")
    assert [text.count(b"Offset:") for text in found.prints] == [2]
    assert b"nothing more" not in found.prints[0]


def test_any_line_may_be_a_record_of_a_format_without_words_so_a_blank_line_ends_it() -> None:
    found = sorted_text(b"$ kcat -C -t orders -f '%k %s\\n'\na 1\nb 2\n\nAnd then nothing more came.\n")
    assert found.prints == [b"a 1\nb 2"]
