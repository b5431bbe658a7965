"""Headers of records where payloads are shown: masked by their names, by themselves and together."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from spark.redaction import Options, Selection, redact
from spark.redaction.masking.header_masks import masked_headers
from spark.redaction.masking.masks import MASKED, ShareMasks
from spark.redaction.options import DEFAULT_FIELDS, DEFAULT_PATTERNS
from tests.builders import records_table
from tests.webapp.reports.result_folder import write_results

DEFAULTS = ShareMasks(DEFAULT_FIELDS, DEFAULT_PATTERNS)
TOKEN = "abcdef0123456789"


def told(masks: ShareMasks, *headers: tuple[Any, Any]) -> list[tuple[Any, Any]]:
    as_stored = [{"key": _bytes(name), "value": _bytes(value)} for name, value in headers]
    return [(one["key"].decode(), one["value"]) for one in masked_headers(masks, as_stored)]


def _bytes(text: Any) -> Any:
    return text.encode() if isinstance(text, str) else text


@pytest.mark.parametrize(
    "name",
    [
        "password",
        "x-api-token",
        "X-Api-Key",
        "Authorization",
        "pаssword",
        "p\0a\0s\0s\0w\0o\0r\0d\0",
        "db.password",
    ],
)
def test_a_value_is_masked_by_the_name_of_its_header(name: str) -> None:
    assert told(DEFAULTS, (name, "hunter2"), ("kept", "orders")) == [
        (name, MASKED.encode()),
        ("kept", b"orders"),
    ]


def test_a_field_path_goes_on_from_the_headers_name_into_its_value() -> None:
    masks = ShareMasks(("auth.pin",), ())
    assert told(masks, ("auth", '{"pin":1,"a":2}'), ("b", '{"pin":1}')) == [
        ("auth", b'{"pin":"[masked]","a":2}'),
        ("b", b'{"pin":1}'),
    ]


@pytest.mark.parametrize("names", [("authorization", "x"), ("a", "b"), ("scheme", "credential-part")])
def test_what_is_parted_over_two_headers_is_masked_in_both(names: tuple[str, str]) -> None:
    shown = told(DEFAULTS, (names[0], "Bearer"), (names[1], TOKEN), ("kept", "orders"))
    assert TOKEN.encode() not in [value for _, value in shown]
    assert shown[2] == ("kept", b"orders")


def test_a_pattern_that_needs_the_name_masks_the_value() -> None:
    assert told(ShareMasks((), ("card: [0-9]{4}",)), ("card", "4111"), ("n", "4111")) == [
        ("card", MASKED.encode()),
        ("n", b"4111"),
    ]


def test_a_header_whose_name_is_no_text_is_hidden_and_null_stays() -> None:
    shown = masked_headers(
        DEFAULTS, [{"key": b"\xff\xfe", "value": b"hunter2"}, {"key": b"a", "value": None}]
    )
    assert b"hunter2" not in shown[0]["value"]
    assert shown[1] == {"key": b"a", "value": None}


def test_headers_of_a_share_are_masked_so_and_those_without_any_stay(tmp_path: Path) -> None:
    rows = [
        {"headers": [{"key": b"password", "value": b"hunter2"}, {"key": b"kept", "value": b"orders"}]},
        {"offset": 1, "headers": []},
        {"offset": 2},
    ]
    source = write_results(tmp_path / "source", records=records_table(*rows))
    options = Options(b"salt", payloads=True, keys=True, headers=True)
    redact(source, tmp_path / "share", options, Selection())
    shown = pq.read_table(tmp_path / "share/records/0000.parquet").column("headers").to_pylist()
    assert [one["value"] for one in shown[0]] == [MASKED.encode(), b"orders"]
    assert not shown[1]


def test_a_value_is_masked_by_a_key_that_is_a_name(tmp_path: Path) -> None:
    rows = [
        {"offset": n, "key": key, "value": b"hunter2"}
        for n, key in enumerate([b"db.password", b'"password"', b"orders", b"the password of joe"])
    ]
    source = write_results(tmp_path / "source", records=records_table(*rows))
    options = Options(b"salt", payloads=True)
    redact(source, tmp_path / "share", options, Selection())
    shown = pq.read_table(tmp_path / "share/records/0000.parquet").column("value").to_pylist()
    assert shown == [MASKED.encode(), MASKED.encode(), b"hunter2", b"hunter2"]


def test_many_headers_that_fit_only_together_take_no_time_that_grows_with_their_square() -> None:
    """20,000 took minutes."""
    began = time.process_time()
    masked = told(
        DEFAULTS,
        *((b"authorization" if n % 2 else b"x", b"Bearer %s" % TOKEN.encode()) for n in range(20_000)),
    )
    assert time.process_time() - began < 30
    assert {value for name, value in masked if name == "authorization"} == {MASKED.encode()}
