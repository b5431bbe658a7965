"""What chance does to one file: bits, bytes, words, batches, lines and members, by what the file is.

A batch may keep a checksum that is right, so that what its fields say is believed.
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Callable
from itertools import pairwise
from random import Random
from typing import Any

import crc32c

from tests.spark.hostile_records import odd

Change = Callable[[Random, bytes], bytes]

INT64 = struct.Struct(">q")
EXTREMES = (
    -(2**63), -(2**63) + 1, -(2**53), -(2**31), -(2**15), -2, -1, 0, 1, 2**15 - 1, 2**15, 2**31 - 1, 2**31, 2**32, 2**53, 2**62,
    2**63 - 2, 2**63 - 1,
)  # fmt: skip
ODD_NUMBERS = (
    b"9" * 19,
    b"9" * 25,
    b"9" * 5000,
    b"-" + b"9" * 30,
    b"NaN",
    b"1e400",
    b"0.5",
    b"\xd9\xa3",
    b"",
    b"null",
    b"00",
    b"--1",
    b"0x10",
    b"18446744073709551615",
)
ODD_BYTES = (
    b"\x00", b"\xff", b"\xc3\x28", b"\xed\xa0\x80", b"\xf0\x9f\x98", b"\xe2\x80\xa8", b"\xe2\x80\xae", b"\x1b[2J", b"\xef\xbb\xbf", b"\r", b"\n",
    b"\t", b'"', b"\\", b"{", b"}", b"[", b"]", b"\\u0000", b"\\ud800", b"\x80" * 11, b"[" * 400,
)  # fmt: skip
NUMBER = re.compile(rb"-?\d+")

# Fields of a batch of format 2: place and form.
FIELDS = {
    "base_offset": (0, ">q"), "length": (8, ">i"), "leader_epoch": (12, ">i"), "magic": (16, ">b"), "crc": (17, ">I"), "attributes": (21, ">h"),
    "last_offset_delta": (23, ">i"), "base_timestamp": (27, ">q"), "max_timestamp": (35, ">q"), "producer_id": (43, ">q"),
    "producer_epoch": (51, ">h"), "base_sequence": (53, ">i"), "count": (57, ">i"),
}  # fmt: skip
CHECKED_FROM, HEADER_BYTES = 21, 61


def changed(random: Random, name: str, content: bytes) -> bytes:
    """The content with one to three changes that suit the file."""
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        content = random.choice(changes_of(name))(random, content)
    return content


def changes_of(name: str) -> tuple[Change, ...]:
    """What may be done to a file of this name."""
    if name.endswith(".log"):
        return (
            of_batch,
            of_batch,
            of_batch,
            of_batch,
            swapped_batches,
            repeated_batch,
            of_payload,
            of_payload,
            bits,
            cut,
            spliced,
        )
    if name.endswith(("index", ".snapshot", ".checkpoint")):
        return (word, word, word, bits, cut, spliced, repeated)
    return (
        number,
        number,
        number,
        line_gone,
        line_twice,
        lines_swapped,
        columns_swapped,
        odd_bytes,
        bits,
        cut,
        member,
    )


def bits(random: Random, content: bytes) -> bytes:
    """Some bits the other way."""
    changed = bytearray(content)
    for _ in range(random.randrange(1, 5) if content else 0):
        changed[random.randrange(len(content))] ^= 1 << random.randrange(8)
    return bytes(changed)


def cut(random: Random, content: bytes) -> bytes:
    """A head of it, or a tail."""
    at = random.randrange(len(content) + 1)
    return content[:at] if random.random() < 0.8 else content[at:]


def spliced(random: Random, content: bytes) -> bytes:
    """Some bytes replaced by what length fields like least."""
    at = random.randrange(len(content) + 1)
    put = random.choice((b"", b"\xff" * 8, b"\x7f" + b"\xff" * 7, b"\x80" * 8, b"\x00" * 16, b"\x80" * 11))
    return content[:at] + put + content[at + random.choice((0, len(put), random.randrange(20))) :]


def repeated(random: Random, content: bytes) -> bytes:
    """A part of it twice."""
    start, end = sorted(random.randrange(len(content) + 1) for _ in range(2))
    return content[:end] + content[start:]


def word(random: Random, content: bytes) -> bytes:
    """An aligned number, or any, at its utmost."""
    size = random.choice((2, 4, 8))
    if len(content) < size:
        return content
    at = random.randrange(len(content) - size + 1)
    at -= at % size if random.random() < 0.5 else 0
    return content[:at] + extreme(random, size) + content[at + size :]


def extreme(random: Random, size: int) -> bytes:
    """A number at its utmost, big-endian."""
    return (random.choice(EXTREMES) % (1 << 8 * size)).to_bytes(size, "big")


def batches(content: bytes) -> list[tuple[int, int]]:
    """Where the batches of format 2 start and end."""
    found, at = [], 0
    while at + HEADER_BYTES <= len(content):
        end = at + 12 + int(struct.unpack_from(">i", content, at + 8)[0])
        if end < at + HEADER_BYTES or end > len(content):
            break
        found.append((at, end))
        at = end
    return found


def checked(batch: bytes) -> bytes:
    """The batch with a checksum that is right."""
    return batch[:17] + struct.pack(">I", crc32c.crc32c(batch[CHECKED_FROM:])) + batch[CHECKED_FROM:]


def of_batch(random: Random, content: bytes) -> bytes:
    """A field of a batch at its utmost, or near what it was; with a right checksum, mostly."""
    if not (known := batches(content)):
        return word(random, content)
    start, end = random.choice(known)
    batch = bytearray(content[start:end])
    at, form = FIELDS[random.choice(list(FIELDS))]
    size = struct.calcsize(form)
    old = int.from_bytes(batch[at : at + size], "big")
    near = ((old + random.choice((-1, 1, 2, -5, 1000))) % (1 << 8 * size)).to_bytes(size, "big")
    batch[at : at + size] = near if random.random() < 0.3 else extreme(random, size)
    return content[:start] + settled(random, bytes(batch)) + content[end:]


def of_payload(random: Random, content: bytes) -> bytes:
    """Bytes of a batch's records changed; with a right checksum, mostly."""
    if not (known := batches(content)):
        return bits(random, content)
    start, end = random.choice(known)
    change = random.choice((bits, word, spliced, number))
    payload = change(random, content[start + HEADER_BYTES : end])
    batch = bytearray(content[start : start + HEADER_BYTES] + payload)
    batch[8:12] = struct.pack(">i", len(batch) - 12)
    return content[:start] + settled(random, bytes(batch)) + content[end:]


def settled(random: Random, batch: bytes) -> bytes:
    """Its checksum made right, mostly."""
    return checked(batch) if random.random() < 0.8 else batch


def swapped_batches(random: Random, content: bytes) -> bytes:
    """Two batches in each other's place."""
    known = batches(content)
    if len(known) < 2:
        return content
    (a, b), (c, d) = sorted(random.sample(known, 2))
    return content[:a] + content[c:d] + content[b:c] + content[a:b] + content[d:]


def repeated_batch(random: Random, content: bytes) -> bytes:
    """A batch once more somewhere."""
    if not (known := batches(content)):
        return repeated(random, content)
    start, end = random.choice(known)
    at = random.choice(known)[1]
    return content[:at] + content[start:end] + content[at:]


def number(random: Random, content: bytes) -> bytes:
    """A number in a text replaced by another, or by what is none."""
    found = list(NUMBER.finditer(content))
    if not found:
        return odd_bytes(random, content)
    at = random.choice(found)
    put = random.choice((*ODD_NUMBERS, *(b"%d" % one for one in EXTREMES)))
    return content[: at.start()] + put + content[at.end() :]


def lines_of(content: bytes) -> list[bytes]:
    """Its lines with their ends."""
    return content.splitlines(keepends=True)


def line_gone(random: Random, content: bytes) -> bytes:
    """A line less."""
    lines = lines_of(content)
    if lines:
        del lines[random.randrange(len(lines))]
    return b"".join(lines)


def line_twice(random: Random, content: bytes) -> bytes:
    """A line once more, somewhere."""
    lines = lines_of(content)
    if lines:
        lines.insert(random.randrange(len(lines) + 1), random.choice(lines))
    return b"".join(lines)


def lines_swapped(random: Random, content: bytes) -> bytes:
    """Two lines in each other's place."""
    lines = lines_of(content)
    if len(lines) > 1:
        a, b = random.sample(range(len(lines)), 2)
        lines[a], lines[b] = lines[b], lines[a]
    return b"".join(lines)


def columns_swapped(random: Random, content: bytes) -> bytes:
    """Two words of a line in each other's place."""
    lines = lines_of(content)
    if not lines:
        return content
    at = random.randrange(len(lines))
    words = re.split(rb"(\s+|[,:;=])", lines[at])
    places = list(range(0, len(words), 2))
    if len(places) > 1:
        a, b = random.choice(list(pairwise(places)))
        words[a], words[b] = words[b], words[a]
    lines[at] = b"".join(words)
    return b"".join(lines)


def odd_bytes(random: Random, content: bytes) -> bytes:
    """Bytes that no text should have."""
    at = random.randrange(len(content) + 1)
    return content[:at] + random.choice(ODD_BYTES) + content[at + random.choice((0, 0, 1)) :]


def member(random: Random, content: bytes) -> bytes:
    """A member of JSON, of the whole or of a line, replaced by another kind; of other texts, a line."""
    if is_json(content):
        return odd(random, content)
    lines = lines_of(content)
    whole = [at for at, line in enumerate(lines) if is_json(line)]
    if not whole:
        return line_gone(random, content)
    at = random.choice(whole)
    lines[at] = odd(random, lines[at].strip()) + b"\n"
    return b"".join(lines)


def is_json(content: bytes) -> bool:
    """Whether it is an object or a list."""
    try:
        document: Any = json.loads(content)
    except (ValueError, RecursionError):
        return False
    return isinstance(document, dict | list)
