"""The binary Content value: whole, cut, and bent by text tools."""

from __future__ import annotations

import hashlib
import random

import pytest

from spark.dialects.apicurio_v2.content import NotAContentValue, read_content
from tests.spark.apicurio_journals import content_value

CONTENT = 'syntax = "proto3";\n// Größe in €\nmessage A { string b = 1; }\n'.encode() * 4
REFERENCES = b'[{"groupId":null,"artifactId":"money.proto","version":"1","name":"money.proto"}]'
HASH = hashlib.sha256(CONTENT + REFERENCES).hexdigest()


def test_the_three_blocks_come_apart() -> None:
    read = read_content(content_value(1, CONTENT, REFERENCES))
    assert (read.action, read.content, read.references, read.reading) == (1, CONTENT, REFERENCES, "raw")


def test_a_value_without_references_block_is_an_old_one() -> None:
    assert read_content(content_value(1, CONTENT, None)).references is None


def test_every_truncation_is_refused_in_words() -> None:
    value = content_value(1, CONTENT, REFERENCES)
    without_references = len(content_value(1, CONTENT, None))
    for length in range(len(value)):
        if length != without_references:
            with pytest.raises(NotAContentValue, match="byte"):
                read_content(value[:length], HASH)


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252"])
def test_bytes_that_a_tool_wrote_as_characters_come_back(encoding: str) -> None:
    value = content_value(1, CONTENT, REFERENCES)
    text = "".join(bytes([byte]).decode(encoding, "replace").replace("\ufffd", chr(byte)) for byte in value)
    read = read_content(text.encode("utf-8"), HASH)
    assert (read.content, read.references, read.reading) == (CONTENT, REFERENCES, "utf-8")


@pytest.mark.parametrize("references", [None, b"", REFERENCES], ids=["no block", "empty block", "references"])
def test_replaced_lengths_are_found_by_the_hash(references: bytes | None) -> None:
    content = CONTENT[:0x89]
    content_hash = hashlib.sha256(content + (references or b"")).hexdigest()
    bent = content_value(1, content, references).decode("utf-8", "replace").encode("utf-8")
    read = read_content(bent, content_hash)
    assert (read.content, read.references or b"", read.reading) == (content, references or b"", "replaced")


def test_an_empty_update_stays_empty_when_the_length_of_its_references_is_replaced() -> None:
    references = REFERENCES.replace(b"money", b"m" * 70)
    bent = content_value(2, b"", references).decode("utf-8", "replace").encode("utf-8")
    read = read_content(bent, HASH)
    assert (read.content, read.references, read.reading) == (b"", references, "replaced")


def test_replaced_lengths_without_a_fitting_hash_are_not_guessed() -> None:
    bent = content_value(1, CONTENT[:0x89], REFERENCES).decode("utf-8", "replace").encode("utf-8")
    with pytest.raises(NotAContentValue):
        read_content(bent, "0" * 64)


def test_no_bytes_raise_anything_else() -> None:
    rng = random.Random(5)
    value = content_value(1, CONTENT, REFERENCES)
    for _ in range(2000):
        flipped = bytearray(value[: rng.randrange(1, len(value))])
        flipped[rng.randrange(len(flipped))] = rng.randrange(256)
        try:
            read_content(bytes(flipped), HASH)
        except NotAContentValue:
            continue
