"""Output of `kafka-dump-log --remote-log-metadata-decoder` for `__remote_log_metadata`, converted back to bytes.

    event     => ("RemoteLogSegmentMetadata{remoteLogSegmentId=" segment ", startOffset=" n .. ", state=" STATE [", txnIdxEmpty=" b] "}")
               | ("RemoteLogSegmentMetadataUpdate{remoteLogSegmentId=" segment ", customMetadata=" c ", state=" STATE ..  "}")
               | ("RemotePartitionDeleteMetadata{topicPartition=" partition ", state=" STATE .. "}")
    segment   => "RemoteLogSegmentId{topicIdPartition=" partition ", id=" uuid "}"
    partition => topic_id ":" topic "-" number

Custom metadata is not printed, only its size. Source: Kafka `DumpLogSegments`, `RemoteLogSegmentMetadata.toString`,
`RemoteLogSegmentMetadataUpdate.toString`, `RemotePartitionDeleteMetadata.toString` (3.9, 4.1).
"""

from __future__ import annotations

import re
from typing import Any

from spark.codecs.kafka_message.write import Unwritable, write
from spark.codecs.kafka_topics.remote_log_metadata import FRAME_VERSION, KINDS
from spark.codecs.varint import write_unsigned
from spark.sources._decoders import NotDecoded, Pair

TOPIC = "__remote_log_metadata"
STARTS = (b"RemoteLogSegment", b"RemotePartition")
CUSTOM_MISSING = "custom metadata of remote segments"
WRITTEN_VERSION = 0
NUMBER = r"-?\d{1,19}"
PARTITION = r"(?P<topic_id>[\w-]{22}):(?P<topic>[\w.-]{1,249})-(?P<partition>\d{1,10})"
SEGMENT = rf"RemoteLogSegmentId\{{topicIdPartition={PARTITION}, id=(?P<id>[\w-]{{22}})\}}"
CUSTOM = r"customMetadata=(?P<custom>Optional\.empty|Optional\[.*?\])"
FORMS = (
    re.compile(
        rf"RemoteLogSegmentMetadata\{{remoteLogSegmentId={SEGMENT}, startOffset=(?P<startOffset>{NUMBER}), "
        rf"endOffset=(?P<endOffset>{NUMBER}), brokerId=(?P<brokerId>{NUMBER}), maxTimestampMs=(?P<maxTimestampMs>{NUMBER}), "
        rf"eventTimestampMs=(?P<eventTimestampMs>{NUMBER}), segmentLeaderEpochs=\{{(?P<epochs>(?:\d{{1,10}}=\d{{1,19}}(?:, )?)*)\}}, "
        rf"segmentSizeInBytes=(?P<segmentSizeInBytes>{NUMBER}), {CUSTOM}, state=(?P<state>[A-Z_]+)(?:, txnIdxEmpty=(?P<empty>true|false))?\}}"
    ),
    re.compile(
        rf"RemoteLogSegmentMetadataUpdate\{{remoteLogSegmentId={SEGMENT}, {CUSTOM}, state=(?P<state>[A-Z_]+), "
        rf"eventTimestampMs=(?P<eventTimestampMs>{NUMBER}), brokerId=(?P<brokerId>{NUMBER})\}}"
    ),
    re.compile(
        rf"RemotePartitionDeleteMetadata\{{topicPartition={PARTITION}, state=(?P<state>[A-Z_]+), "
        rf"eventTimestampMs=(?P<eventTimestampMs>{NUMBER}), brokerId=(?P<brokerId>{NUMBER})\}}"
    ),
)
NUMBERS = {"startOffset", "endOffset", "brokerId", "maxTimestampMs", "eventTimestampMs", "segmentSizeInBytes"}


def remote_pair(text: str) -> Pair:
    """A record of `__remote_log_metadata`, whose key is null. Raises NotDecoded."""
    for number, form in enumerate(FORMS):
        if match := form.fullmatch(text):
            parts = match.groupdict()
            missing = CUSTOM_MISSING if (parts.get("custom") or "").startswith("Optional[") else ""
            try:
                return Pair(None, event(number, parts), missing)
            except Unwritable as error:
                raise NotDecoded(str(error)) from error
    raise NotDecoded("no event of tiered storage")


def event(number: int, parts: dict[str, Any]) -> bytes:
    kind = KINDS[number]
    if parts["state"] not in kind.states:
        raise NotDecoded(f"state {parts['state']} is unknown")
    members = {name: int(value) for name, value in parts.items() if name in NUMBERS}
    members |= about(parts) | {kind.state_member: kind.states.index(parts["state"])} | extras(parts)
    frame = b"".join(map(write_unsigned, (FRAME_VERSION, number, WRITTEN_VERSION)))
    return frame + write(kind.message, WRITTEN_VERSION, members)


def about(parts: dict[str, Any]) -> dict[str, Any]:
    partition = {"name": parts["topic"], "id": parts["topic_id"], "partition": int(parts["partition"])}
    if "id" not in parts:
        return {"topicIdPartition": partition}
    return {"remoteLogSegmentId": {"topicIdPartition": partition, "id": parts["id"]}}


def extras(parts: dict[str, Any]) -> dict[str, Any]:
    """Leader epochs, and the mark of an empty transaction index."""
    if "epochs" not in parts:
        return {}
    pairs = (pair.split("=") for pair in filter(None, parts["epochs"].split(", ")))
    epochs = [{"leaderEpoch": int(epoch), "offset": int(offset)} for epoch, offset in pairs]
    tags = {"txnIndexEmpty": True} if parts["empty"] == "true" else {}
    return {"segmentLeaderEpochs": epochs, **tags}
