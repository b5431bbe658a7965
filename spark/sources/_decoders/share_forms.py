"""The JSON that Kafka's decoder and formatter print of `__share_group_state`, back into bytes.

    key `{"type":"0","data":{"groupId":..,"topicId":..,"partition":..}}`   value `{"version":"0","data":{..}}` | `<DELETE>` | null

Members tell the form of the value: 4.1 has times, 4.0 has none. The size of an epoch of 4.0 is not printed: 32 bits are written.
Source: Kafka `DumpLogSegments`, `ShareGroupStateMessageFormatter` (4.0, 4.1).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spark.codecs.kafka_message import MessageSchema
from spark.codecs.kafka_message.write import write_versioned
from spark.codecs.kafka_topics.share_group_state import KEY, RECORD_TYPES
from spark.sources._decoders import NotDecoded, Pair

TOPIC = "__share_group_state"
OF_KEY = {"groupId", "topicId", "partition"}


def is_share_key(members: Mapping[str, Any]) -> bool:
    return set(members) >= OF_KEY


def share_pair(
    record_type: int, key: Mapping[str, Any], version: int | None, value: Mapping[str, Any] | None
) -> Pair:
    """A record of `__share_group_state`. Raises Unwritable, NotDecoded."""
    if record_type not in RECORD_TYPES:
        raise NotDecoded(f"record type {record_type} is unknown")
    key_bytes = write_versioned(KEY, record_type, key)
    if value is None or version is None:
        return Pair(key_bytes, None)
    form = form_of(RECORD_TYPES[record_type].values, value)
    return Pair(key_bytes, write_versioned(form, version, value))


def form_of(forms: tuple[MessageSchema, ...], value: Mapping[str, Any]) -> MessageSchema:
    """The newest form of the value whose untagged members are all printed; otherwise the newest."""
    return next(
        (form for form in forms if {field.name for field in form.fields if field.tag is None} <= set(value)),
        forms[0],
    )
