"""The profile of a topic, as its page shows it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import Http404
from rest_framework import serializers
from rest_framework.request import Request

from webapp.api.reports.results import ResultsResource, replicas_in
from webapp.api.reports.rows import OneReplica
from webapp.api.rest.operation import operation
from webapp.reports.queries.partitions import survey
from webapp.reports.queries.profile import (
    RECORDS_PER_KEY,
    partitioner_of,
    profile_of,
)
from webapp.reports.queries.profile.topic_tables import TopicTables, topic_tables
from webapp.reports.whole_rows import as_json

PARTITIONS_LISTED = 1000


class RowsField(serializers.ListField):
    """A list of rows."""

    child = serializers.DictField()


class PartsShape(serializers.Serializer[Any]):
    """Rows of keys and of values."""

    key = RowsField()
    value = RowsField()


class SizesShape(serializers.Serializer[Any]):
    """Percentiles in bytes, and the offset of the largest; null: there are none."""

    key = serializers.DictField(allow_null=True)
    value = serializers.DictField(allow_null=True)


class PartitionerShape(serializers.Serializer[Any]):
    """What puts the tested keys where they are."""

    partitioner = serializers.CharField(help_text="murmur2 | crc32 | fnv1a | kafkajs-legacy")
    count = serializers.IntegerField(help_text="partitions with which it does")
    fitting = serializers.IntegerField(help_text="keys that it explains")


class ProfileShape(serializers.Serializer[Any]):
    """Figures of data records, those of aborted transactions included."""

    topic = serializers.CharField(allow_blank=True)
    totals = serializers.DictField(help_text="of all partitions")
    partitions = RowsField(help_text=f"one copy of each, {PARTITIONS_LISTED:,} at most")
    sizes = SizesShape()
    forms = PartsShape(
        help_text="typed_json | framed | object | text | binary | ...: as the service writes them, else by their bytes"
    )
    schema_ids = PartsShape(
        help_text="the most used IDs, with the versions that a registry of the input gives them"
    )
    headers = RowsField(help_text="the most frequent names")
    keys = serializers.IntegerField(help_text="distinct")
    records_per_key = serializers.DictField(
        child=serializers.IntegerField(), help_text="keys by number of records"
    )
    partitioner = PartitionerShape(allow_null=True, help_text="null: the keys prove none")
    keys_tested = serializers.IntegerField(help_text="for the partitioner")
    codecs = RowsField()
    producers = serializers.DictField(help_text="of the record batches")
    absent = RowsField(help_text="offsets without a record, by cause")
    corrupt = RowsField(help_text="records of batches that fail their checksum, by batch")
    aborted = serializers.IntegerField(help_text="records of aborted transactions")


class ProfileViewSet(ResultsResource):
    """The profile of a topic."""

    @operation("The profile of a topic", query=OneReplica, answer=ProfileShape)
    def retrieve(self, request: Request, inspection_id: UUID) -> dict[str, Any]:
        """With `partition`, of this partition; else of all partitions of the topic; without both, of the first topic by name."""
        with self.results_of(inspection_id) as results:
            replicas = replicas_in(results, "records", self.params)
            if not replicas:
                raise Http404
            tables = topic_tables(results, survey(results), replicas[0])
            if "partition" in self.params:
                tables = TopicTables(results, (replicas[0],))
            return document(tables)


def document(tables: TopicTables) -> dict[str, Any]:
    """The profile as members of JSON."""
    profile = profile_of(tables)
    fit, tested = partitioner_of(tables)
    return {
        "topic": profile.topic,
        "totals": profile.totals,
        "partitions": profile.partitions[:PARTITIONS_LISTED],
        "sizes": {side: profile.sizes.get(side) for side in ("key", "value")},
        "forms": profile.forms,
        "schema_ids": profile.schema_ids,
        "headers": [as_json({"name": row["name"], "headers": row["headers"]}) for row in profile.headers],
        "keys": profile.keys["keys"],
        "records_per_key": {words: profile.keys[words] for words in RECORDS_PER_KEY},
        "partitioner": fit and vars(fit),
        "keys_tested": tested,
        "codecs": profile.codecs,
        "producers": profile.producers,
        "absent": profile.absent,
        "corrupt": profile.corrupt,
        "aborted": profile.aborted,
    }
