"""Avro schemas as Avro prints them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from spark.dialects.apicurio_v2.canonical import avro


def printed(schema: Any) -> str:
    return next(avro.texts(schema)).decode()


def test_documentation_is_emptied_and_aliases_go() -> None:
    schema = {
        "type": "record", "name": "Order", "namespace": "shop", "doc": "An order", "aliases": ["Purchase"],
        "fields": [{"name": "id", "type": "string", "doc": "Its id", "aliases": ["key"]}],
    }  # fmt: skip
    assert printed(schema) == (
        '{"type":"record","name":"Order","namespace":"shop","doc":"",'
        '"fields":[{"name":"id","type":"string","doc":""}]}'
    )


def test_a_name_is_written_out_once() -> None:
    status = {"type": "enum", "name": "Status", "symbols": ["A", "B"], "default": "A"}
    schema = {
        "type": "record", "name": "shop.Order",
        "fields": [{"name": "now", "type": status}, {"name": "then", "type": ["null", "shop.Status"], "default": None}],
    }  # fmt: skip
    assert printed(schema) == (
        '{"type":"record","name":"Order","namespace":"shop","doc":"","fields":['
        '{"name":"now","type":{"type":"enum","name":"Status","doc":"","symbols":["A","B"],"default":"A"},"doc":""},'
        '{"name":"then","type":["null","Status"],"doc":"","default":null}]}'
    )


def test_properties_stay_and_plain_types_lose_their_braces() -> None:
    when = {"type": "long", "logicalType": "timestamp-millis"}
    schema = {
        "type": "record", "name": "R", "owner": "team-a",
        "fields": [{"name": "a", "type": {"type": "string"}}, {"name": "b", "type": {"type": "array", "items": when}}],
    }  # fmt: skip
    assert printed(schema) == (
        '{"type":"record","name":"R","doc":"","fields":[{"name":"a","type":"string","doc":""},'
        '{"name":"b","type":{"type":"array","items":{"type":"long","logicalType":"timestamp-millis"}},"doc":""}],'
        '"owner":"team-a"}'
    )


def test_a_whole_default_of_a_floating_type_is_tried_in_both_ways() -> None:
    schema = {
        "type": "record",
        "name": "R",
        "fields": [{"name": "a", "type": "double", "default": 0}],
    }
    assert [json.loads(text)["fields"][0]["default"] for text in avro.texts(schema)] == [0.0, 0]


@pytest.mark.parametrize("kind", ["elsewhere.Exchange", {"type": "elsewhere.Exchange"}, {"items": "string"}])
def test_a_type_that_is_not_here_leaves_the_schema_unprinted(kind: Any) -> None:
    schema = {"type": "record", "name": "R", "fields": [{"name": "a", "type": kind}]}
    assert list(avro.texts(schema)) == []


def test_the_older_form_orders_the_fields_and_keeps_each_name_once() -> None:
    schema = {"fields": [{"name": "b"}, {"name": "a", "n": 1}, {"name": "a", "n": 2}]}
    assert avro.with_sorted_fields(schema) == {"fields": [{"name": "a", "n": 1}, {"name": "b"}]}
    assert avro.with_sorted_fields("string") == "string"


def test_json_schema_is_no_avro() -> None:
    assert not avro.is_schema({"type": "object"})
    assert not avro.is_schema({"$schema": "http://json-schema.org/draft-07/schema#", "type": "string"})
    assert not avro.is_schema({"type": ["string", "null"]})
    assert avro.is_schema({"type": "record"})


def test_a_default_beyond_all_floating_numbers_leaves_the_schema_unprinted() -> None:
    schema = {"type": "record", "name": "R", "fields": [{"name": "a", "type": "double", "default": 10**400}]}
    assert list(avro.texts(schema)) == []
