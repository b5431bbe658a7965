"""The words that a share may show are those of the dialects: every one of them, and no word of anybody's data."""

from __future__ import annotations

import pytest

from spark.codecs.kafka_topics import remote_log_metadata as remote
from spark.codecs.kafka_topics import share_group_state as share
from spark.codecs.kafka_topics.cluster_metadata import NUMBERS
from spark.codecs.kafka_topics.consumer_offsets import RECORD_TYPES
from spark.codecs.kafka_topics.transaction_state import STATES
from spark.dialects.apicurio_v2.message_types import ACTIONS, MESSAGE_TYPES
from spark.dialects.apicurio_v3 import message_classes as v3
from spark.dialects.cluster_metadata.interpret import ACTIONS as METADATA_ACTIONS
from spark.dialects.connect.keys import CONFIGS, OFFSETS, STATUS
from spark.dialects.ksqldb_commands import ACTIONS as COMMANDS
from spark.dialects.ksqldb_commands import TYPES
from spark.dialects.schema_registry import TITLES
from spark.dialects.schema_registry.keys import KEYTYPES
from spark.dialects.share_group_state.replay import ENTITY as SHARE_PARTITION
from spark.dialects.streams_suppress import ENTRY_TYPE as BUFFER
from spark.dialects.streams_windows import SESSION, WINDOW
from spark.redaction.house_words import house_words
from spark.terms.rejections import REJECTIONS

WORDS = {
    "apicurio-v2": {*(kind.name for kind in MESSAGE_TYPES.values()), *ACTIONS.values()},
    "apicurio-v3": {*v3.MESSAGE_CLASSES, *v3.ACTIONS, *v3.ACTIONS.values()},
    "cluster-metadata": {*NUMBERS.values(), *METADATA_ACTIONS.values()},
    "connect": {*CONFIGS, *OFFSETS, *STATUS},
    "consumer-offsets": {kind.entry_type for kind in RECORD_TYPES.values()},
    "ksqldb-commands": {*COMMANDS, *TYPES},
    "remote-log-metadata": {
        *(kind.entry_type for kind in remote.KINDS.values()),
        *remote.SEGMENT_STATES,
        *remote.PARTITION_STATES,
    },
    "schema-registry": {*KEYTYPES, *TITLES},
    "share-group-state": {share.SNAPSHOT, share.UPDATE, SHARE_PARTITION, "snapshot", "update", "delete"},
    "streams": {WINDOW, SESSION, BUFFER},
    "transaction-state": set(STATES),
    "rejections": {reason for reasons in REJECTIONS.values() for reason in reasons},
}


@pytest.mark.parametrize("dialect", WORDS)
def test_every_word_that_a_dialect_gives_is_known(dialect: str) -> None:
    assert WORDS[dialect] - house_words() == set()


def test_a_name_of_somebodys_data_is_none() -> None:
    assert not {"payroll", "Jane", "orders-value", "account"} & house_words()
