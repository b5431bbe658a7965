"""The same record twice in one text is counted once."""

from __future__ import annotations

from tests.spark.sources._wrapping.sorted_texts import BATCH, DUMPING, batch, kcat, sorted_text


def test_a_second_run_that_prints_the_same_again_is_set_aside() -> None:
    run = b"$ kafka-dump-log.sh --files 0.log\n" + DUMPING + b"\n" + batch(0) + b"\n" + batch(1) + b"\n"
    found = sorted_text(run + run + batch(2))
    assert found.repeated == 2
    assert b"\n".join(found.prints).count(b"| offset: ") == 3


def test_of_a_batch_printed_with_and_without_contents_the_fuller_stays() -> None:
    bare = DUMPING + b"\n" + BATCH % (0, 0, 0) + b"\n" + BATCH % (1, 1, 70) + b"\n"
    full = DUMPING + b"\n" + batch(0) + b"\n" + batch(1) + b"\n"
    for text in (bare + full, full + bare):
        found = sorted_text(b"$ kafka-dump-log.sh --files 0.log\n" + text)
        assert b"\n".join(found.prints).count(b"baseOffset: ") == 2
        assert b"\n".join(found.prints).count(b"| offset: ") == 2


def test_lines_of_kcat_that_come_again_are_repeats() -> None:
    found = sorted_text(
        b"```\n" + kcat(0) + b"\n" + kcat(1) + b"\n```\n```\n" + kcat(0) + b"\n" + kcat(1) + b"\n```"
    )
    assert found.repeated == 2


def test_the_same_key_and_value_at_another_offset_is_another_record() -> None:
    assert sorted_text(b"```\n" + kcat(0) + b"\n" + kcat(1) + b"\n```").repeated == 0


def test_the_same_batch_of_another_file_is_another_batch() -> None:
    other = DUMPING.replace(b"orders-0", b"orders-1")
    text = b"$ kafka-dump-log.sh --files a\n" + DUMPING + b"\n" + batch(0) + b"\n" + other + b"\n" + batch(0)
    assert sorted_text(text).repeated == 0


def test_records_without_offsets_may_be_equal() -> None:
    assert sorted_text(b'```\n{"a":1}\n{"a":1}\n```\n').repeated == 0


COMMIT = b"[g,orders,%d]::OffsetAndMetadata(offset=7, leaderEpoch=Optional.empty, metadata=, commitTimestamp=170735040000%d, expireTimestamp=None)"


def test_a_formatters_rows_that_a_second_fence_repeats_are_another_output() -> None:
    first, second = (
        b"\n".join(COMMIT % (n, n) for n in range(2)),
        b"\n".join(COMMIT % (n, n) for n in range(3)),
    )
    found = sorted_text(b"```\n" + first + b"\n```\nand a minute later\n```\n" + second + b"\n```\n")
    assert found.prints == [first, second]
    goes_on = sorted_text(b"```\n" + first + b"\n```\n```\n" + COMMIT % (2, 2) + b"\n```\n")
    assert len(goes_on.prints) == 1
