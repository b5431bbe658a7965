"""Lines that were broken are joined where one reading is left."""

from __future__ import annotations

import pytest

from tests.spark.sources._wrapping.sorted_texts import DUMPING, batch, kcat, sorted_text


@pytest.mark.parametrize("at", [b" compresscodec: ", b" position: ", b" crc: "])
def test_a_header_broken_between_its_fields_is_one_line(at: bytes) -> None:
    whole = DUMPING + b"\n" + batch(0)
    head, field, rest = whole.partition(at)
    assert sorted_text(head + field.rstrip() + b"\n" + rest).prints == [whole]
    assert sorted_text(head + b"\n" + field.lstrip() + rest).prints == [whole]


def test_a_value_that_a_terminal_broke_has_the_size_printed_before_it() -> None:
    whole = DUMPING + b"\n" + batch(0, value=b"a" * 90)
    assert sorted_text(whole.replace(b"a" * 90, b"a" * 40 + b"\n" + b"a" * 50)).prints == [whole]


def test_a_line_feed_that_the_size_counts_is_the_values_own() -> None:
    whole = DUMPING + b"\n" + batch(0, value=b"a" * 40 + b"\n" + b"a" * 50)
    assert sorted_text(whole).prints == [whole]


def test_a_string_of_json_that_a_mail_broke_is_one_line() -> None:
    whole = kcat(0, "a value of several words")
    assert sorted_text(whole.replace(b"several ", b"several\n") + b"\n" + kcat(1)).prints == [
        whole + b"\n" + kcat(1)
    ]


@pytest.mark.parametrize("broken_at", ["leaderEpoch=", "commitTimestamp=", "expireTimestamp="])
def test_a_formatters_line_that_a_book_broke_is_one_line(broken_at: str) -> None:
    line = (
        "[g,orders,0]::OffsetAndMetadata(offset=7, leaderEpoch=Optional[0], metadata=, commitTimestamp=1700000000000, "
        "expireTimestamp=None)"
    )
    broken = "\n".join([line.replace(f" {broken_at}", f" \n{broken_at}"), line.replace("[g,", "[h,")])
    assert sorted_text(broken.encode()).prints == ["\n".join([line, line.replace("[g,", "[h,")]).encode()]


def test_a_batch_broken_before_its_producer_is_no_snapshot_of_producers() -> None:
    whole = DUMPING + b"\n" + batch(0).split(b"\n")[0]
    broken = whole.replace(b" producerId: ", b"\nproducerId: ").replace(
        b"isTransactional: ", b"isTransactional:\n"
    )
    assert sorted_text(broken).prints == [whole]


def test_a_payload_behind_a_batch_is_a_record_of_its_own_without_metadata() -> None:
    payload = b' payload: {"type":"UNFENCE_BROKER_RECORD","version":0,"data":{"id":1,"epoch":0}}'
    text = DUMPING + b"\n" + batch(0).split(b"\n")[0] + b"\n" + payload
    assert sorted_text(b"```\n" + text + b"\n```\n").prints == [text]
