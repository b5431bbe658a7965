"""Where reading of an unrecognised file stopped: its lines, or rows of bytes, around the place."""

from __future__ import annotations

from spark.sources._not_a_journal.place import ROWS, place_in


def test_bytes_come_in_rows_of_sixteen_with_the_named_byte_marked() -> None:
    place = place_in("a.bin", bytes(range(256)), "byte 100 should contain the message format")
    assert (place["is_text"], place["stopped"]) == (False, 96)
    assert [row[0] for row in place["rows"]] == [48 + 16 * number for number in range(ROWS)]
    assert place["rows"][0][1:] == (bytes(range(48, 64)).hex(" "), "0123456789:;<=>?")


def test_text_comes_in_lines_with_the_named_line_marked() -> None:
    place = place_in("a.txt", b"one\ntwo\nthree", "line 2 is not JSON")
    assert (place["is_text"], place["stopped"]) == (True, 2)
    assert place["rows"] == [(1, "", "one"), (2, "", "two"), (3, "", "three")]


def test_without_a_named_place_reading_stopped_at_the_beginning() -> None:
    assert place_in("a", b"x\ny", "not JSON")["stopped"] == 1
    assert place_in("a", b"\0\1", "line 7 of nothing")["stopped"] == 0
    assert place_in("a", b"x\ny", "line 999")["stopped"] == 1


def test_a_head_that_ends_within_a_character_is_text_all_the_same() -> None:
    assert place_in("a", "né".encode()[:2], "")["rows"] == [(1, "", "n")]
    assert not place_in("a", b"\xff\xfex\0", "")["is_text"]


def test_a_line_without_an_end_is_cut() -> None:
    assert len(place_in("a", b"x" * 5000, "")["rows"][0][2]) == 200
