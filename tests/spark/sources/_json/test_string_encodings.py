import base64

import pytest

from spark.sources._json.scan import HIGH, HIGH_ESCAPES
from spark.sources._json.string_encodings import HighText, StringEncoding, choose, lengths_sum_up
from spark.sources._json.strings import BYTES, LATIN_1, UTF_8

CONTENT = b"\x02\x01" + b"\0\0\0\0" + b"\0\0\0\x89" + b"x" * 0x89 + b"\0\0\0\0"


def escaped(text: str) -> HighText:
    latin_1 = text.encode("latin-1") if max(text) <= "\xff" else text.encode()
    return HighText(HIGH_ESCAPES, text.encode(), latin_1, latin_1)


def raw(content: bytes) -> HighText:
    folded = content.decode(errors="replace").encode("latin-1", "replace")
    return HighText(HIGH, content, content, folded)


@pytest.mark.parametrize(
    ("high", "characters"),
    [
        ([], None),
        ([escaped("caf\u00e9")], UTF_8),
        ([escaped("\x03{caf\u00e9}")], UTF_8),
        ([escaped("caf\u00c3\u00a9")], BYTES),
        ([escaped("ab\u0000\u0087")], BYTES),
        ([escaped("\u0087\u2713")], UTF_8),
        ([raw("caf\u00e9".encode())], UTF_8),
        ([raw(b"caf\xe9")], UTF_8),
        ([escaped("\u0000\u0087"), raw("\u00fc".encode())], UTF_8),
        ([raw(CONTENT)], UTF_8),
        ([escaped(CONTENT.decode("latin-1")), escaped("caf\u00e9"), escaped("\u2713")], BYTES),
        ([raw(CONTENT.decode("latin-1").encode())], LATIN_1),
    ],
    ids=[
        "nothing seen",
        "accent",
        "accent in an entry",
        "two characters that are one in UTF-8",
        "controls",
        "wide character",
        "raw UTF-8",
        "raw bytes",
        "escapes beside raw text",
        "content, raw",
        "content, escaped, among text",
        "content, as UTF-8",
    ],
)
def test_characters(high: list[HighText], characters: int | None) -> None:
    assert choose([], [], high).characters == characters


@pytest.mark.parametrize(
    ("keys", "values", "are_base64"),
    [
        ([b"k1", b"k22"], [b"\x00\x01"], (True, True)),
        ([b'\x03{"a":1}'], [], (True, True)),
        ([b"abc"], [b'{"value":"long enough"}'], (True, True)),
        ([bytes(range(7, 200))], [bytes(range(90, 250))], (True, True)),
        ([], [], (False, False)),
    ],
)
def test_encoded_fields_are_found(
    keys: list[bytes], values: list[bytes], are_base64: tuple[bool, bool]
) -> None:
    encoded = [base64.b64encode(key) for key in keys], [base64.b64encode(value) for value in values]
    reading = choose(*encoded, [])
    assert (reading.key_is_base64, reading.value_is_base64) == are_base64


@pytest.mark.parametrize(
    ("keys", "values"),
    [
        ([b"abcd", b"efgh"], []),
        ([b"customer", b"supplier"], [b"true", b"null"]),
        ([b"9c56cc51b374c3ba189210d5b6d4bf57"] * 5, [b"a1b2c3d4e5f60718"]),
        ([b"order-1"], [base64.b64encode(b"just some text of a user")]),
        ([base64.b64encode(b'{"id":1}')[:-1]], [b"x"]),
    ],
)
def test_plain_fields_are_left_alone(keys: list[bytes], values: list[bytes]) -> None:
    reading = choose(keys, values, [])
    assert (reading.key_is_base64, reading.value_is_base64) == (False, False)


def test_values_alone_are_base64_when_what_they_hold_has_structure() -> None:
    values = [base64.b64encode(b'{"id":%d}' % n) for n in range(5)]
    reading = choose([b"order-1"], values, [])
    assert (reading.key_is_base64, reading.value_is_base64) == (False, True)
    assert reading.sentence.startswith("Values are base64.")


def test_a_reading_survives_its_journey_in_a_split() -> None:
    reading = choose([], [], [escaped("caf\u00e9")])
    assert StringEncoding(**reading.to_json()) == reading


@pytest.mark.parametrize("broken", [CONTENT[:-1], CONTENT + b"\0", b"\x03" + CONTENT[1:], CONTENT[:6], b""])
def test_lengths_that_do_not_sum_up_prove_nothing(broken: bytes) -> None:
    assert lengths_sum_up(CONTENT)
    assert lengths_sum_up(CONTENT[:-4])
    assert not lengths_sum_up(broken)
