"""Which texts are addresses, and what the errors of a store mean."""

from __future__ import annotations

import errno

import pytest

from spark.storage.address import explained, is_address, require_known, sibling
from spark.terms.errors import UnreadableInput

# As Arrow 26 gives them, taken from S3Proxy and from a port that nobody listens on.
DENIED = (
    "When getting information for key 'a' in bucket 'b': AWS Error ACCESS_DENIED during HeadObject operation: "
    "No response body."
)
NO_BUCKET = (
    "When listing objects under key 'data/' in bucket 'other': AWS Error NO_SUCH_BUCKET during ListObjectsV2 operation: "
    "The specified bucket does not exist (Request ID: 4442587FB7D0A2F9)"
)
NO_STORE = (
    "When listing objects under key 'data/' in bucket 'journals': AWS Error NETWORK_CONNECTION during ListObjectsV2 "
    "operation: curlCode: 7, Could not connect to server; Details: Failed to connect to 127.0.0.1:9444 after 0 ms"
)


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("s3://bucket/data", True),
        ("S3A://bucket/data", True),
        ("ftp://host/data", True),
        ("/data/s3://odd", False),
        ("s3:dump.json", False),
        ("data/dump.json", False),
        ("file:///data", False),
    ],
)
def test_an_address_begins_with_its_scheme(text: str, is_one: bool) -> None:
    assert is_address(text) == is_one


def test_an_address_of_another_kind_is_refused_with_those_known() -> None:
    require_known("gs://bucket/data")
    for text in ("ftp://host/data", "s3:///data"):
        with pytest.raises(
            UnreadableInput, match=r"cannot be opened\. Use a path, or an address such as s3://"
        ):
            require_known(text)


@pytest.mark.parametrize(
    ("message", "number", "words"),
    [
        (DENIED, errno.EACCES, "access denied"),
        (NO_BUCKET, errno.ENOENT, "the bucket does not exist"),
        (NO_STORE, errno.EHOSTUNREACH, "no connection to the store"),
        ("AWS Error SLOW_DOWN\nmore", errno.EIO, "AWS Error SLOW_DOWN"),
    ],
    ids=["denied", "bucket", "network", "other"],
)
def test_errors_of_a_store_have_a_cause_and_an_address(message: str, number: int, words: str) -> None:
    with pytest.raises(OSError) as caught, explained("s3://b/a"):
        raise OSError(message)
    assert (caught.value.errno, caught.value.strerror, caught.value.filename) == (number, words, "s3://b/a")


def test_a_file_beside_another_keeps_the_address_whole() -> None:
    assert sibling("s3://bucket/data/a.data", "b.metadata") == "s3://bucket/data/b.metadata"
    assert sibling("/data/a.data", "b.metadata") == "/data/b.metadata"
