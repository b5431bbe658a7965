"""The profile behind a link shows of keys, header names and names of schemas what the link shows of them elsewhere."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from spark.codecs.partitioners import hashes
from spark.tables.replica import PartitionReplica
from tests.builders import other_table, records_table
from tests.webapp.reports.result_folder import report_document, write_results
from webapp.sharing.scopes import Scope

pytestmark = pytest.mark.django_db


def orders(folder: Path) -> Path:
    """Four partitions as murmur2 fills them, framed values with an ID that `_schemas` names, one header name."""
    keys = [b"customer-%d" % number for number in range(60)]
    rows = [
        {
            "topic": "orders",
            "partition": int(number) % 4,
            "offset": offset,
            "key": key,
            "key_form": "text",
            "value": b"\x00\x00\x00\x00\x07data",
            "value_form": "framed",
            "value_schema_id": 7,
            "headers": [{"key": b"x-tenant", "value": b"acme"}],
        }
        for offset, (key, number) in enumerate(zip(keys, hashes("murmur2", keys), strict=True))
    ]
    rows.append({"topic": "_schemas", "partition": 0, "offset": 0, "entry_type": "SCHEMA", "key": b"{}"})
    state = other_table(
        "state",
        {
            "topic": "_schemas",
            "partition": 0,
            "replica": "",
            "entity_type": "schema",
            "entity_id": "orders-value/2",
            "attributes": '{"id":7}',
            "is_own": True,
            "view": "log",
            "valid_from_offset": 0,
            "origin_offset": 0,
        },
    )
    dialects = {"orders": "plain", "_schemas": "schema-registry"}
    journals = [
        {"topic": topic, "partitions": [0], "dialect": dialect} for topic, dialect in dialects.items()
    ]
    return write_results(
        folder, report_document(journals=journals), records=records_table(*rows), state=state
    )


@pytest.fixture
def words(inspected: Any, share: Any, guest: Any) -> Any:
    """`words(payloads=True)`: text of the profile behind a link with these choices."""

    def read(topic: str = "orders", **options: Any) -> str:
        token = share(inspected(orders), **options)[1]
        page = guest.get(f"/s/{token}/profile/", {"topic": topic} if topic else {})
        assert page.status_code == 200
        return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page.content.decode()))

    return read


def test_a_link_that_hides_keys_and_payloads_shows_figures_alone(words: Any) -> None:
    text = words()
    assert "60 records" in text
    assert "This link hides keys and values." in text
    assert "Partitioner: unknown. This link does not contain the exact bytes of all keys." in text
    for hidden in ("customer-", "x-tenant", "acme", "orders-value"):
        assert hidden not in text


def test_a_link_that_shows_payloads_names_the_schemas(words: Any) -> None:
    text = words(payloads=True, headers=True)
    assert "orders-value/2" in text
    assert "x-tenant" in text
    assert "customer-" not in text
    assert "hidden" in text


def test_a_link_that_hides_names_has_pseudonyms_of_schemas(words: Any) -> None:
    text = words("", payloads=True, names=False)
    assert "orders-value" not in text
    assert "customer-" not in text


def test_masks_can_change_keys_and_then_no_partitioner_is_named(words: Any) -> None:
    assert "does not contain the exact bytes of all keys" in words(payloads=True, keys=True)


def test_a_tab_that_is_shared_alone_has_the_partition_only(inspected: Any, share: Any, guest: Any) -> None:
    scope = Scope("tab", "report-profile", PartitionReplica("orders", 1))
    token = share(inspected(orders), scope=scope)[1]
    page = guest.get(f"/s/{token}/profile/")
    assert [replica.partition for replica in page.context["every"]] == [1]
