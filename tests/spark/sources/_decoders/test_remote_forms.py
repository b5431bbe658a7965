"""The decoder's text of `__remote_log_metadata` gives the bytes that a broker wrote."""

from __future__ import annotations

import pytest

from spark.dialects.remote_log_metadata.interpret import read_record
from spark.sources._decoders import NotDecoded
from spark.sources._decoders.remote_forms import CUSTOM_MISSING, remote_pair
from tests.generator import remote_log as remote

# As kafka-dump-log of 4.1.1 printed the records of the generator.
SEGMENT = "RemoteLogSegmentId{topicIdPartition=EsUA7Qt4eRBftGrw8ka-hw:orders-3, id=DMF1ucDxtqgxw5niaXcmYQ}"
STARTED = (
    f"RemoteLogSegmentMetadata{{remoteLogSegmentId={SEGMENT}, startOffset=0, endOffset=99, brokerId=1, "
    "maxTimestampMs=1707350399000, eventTimestampMs=1707350400000, segmentLeaderEpochs={0=0}, segmentSizeInBytes=1048576, "
    "customMetadata=Optional.empty, state=COPY_SEGMENT_STARTED, txnIdxEmpty=false}"
)
FINISHED = (
    f"RemoteLogSegmentMetadataUpdate{{remoteLogSegmentId={SEGMENT}, customMetadata=Optional.empty, "
    "state=COPY_SEGMENT_FINISHED, eventTimestampMs=1707350400000, brokerId=1}"
)
MARKED = (
    "RemotePartitionDeleteMetadata{topicPartition=EsUA7Qt4eRBftGrw8ka-hw:orders-3, state=DELETE_PARTITION_MARKED, "
    "eventTimestampMs=1707350400000, brokerId=1}"
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (STARTED, remote.started().value),
        (STARTED.replace(", txnIdxEmpty=false", ""), remote.started().value),
        (FINISHED, remote.update(remote.COPY_FINISHED).value),
        (MARKED, remote.partition_deletion(remote.MARKED).value),
    ],
    ids=["start", "start of 3.7", "update", "partition"],
)
def test_an_event_is_bytes_again(text: str, value: bytes) -> None:
    found = remote_pair(text)
    assert (found.key, found.value, found.missing) == (None, value, "")


def test_several_leader_epochs_and_an_empty_transaction_index_are_read() -> None:
    text = STARTED.replace("{0=0}", "{0=0, 2=70}").replace("txnIdxEmpty=false", "txnIdxEmpty=true")
    _, state, _, attributes, error, _ = read_record(None, remote_pair(text).value)
    assert (state, error) == ("COPY_SEGMENT_STARTED", None)
    assert '{"leaderEpoch":2,"offset":70}' in (attributes or "")
    assert '"txnIndexEmpty":true' in (attributes or "")


def test_custom_metadata_is_not_printed_and_this_is_said() -> None:
    found = remote_pair(FINISHED.replace("Optional.empty", "Optional[CustomMetadata{3 bytes}]"))
    assert found.missing == CUSTOM_MISSING
    assert read_record(None, found.value)[4] is None


@pytest.mark.parametrize(
    "text",
    [
        "RemoteLogSegmentMetadata{remoteLogSegmentId=RemoteLogSegmentId{}}",
        FINISHED.replace("COPY_SEGMENT_FINISHED", "ODD"),
        MARKED.replace("orders-3", "orders-9999999999"),
        STARTED.replace("{0=0}", "{0=0, 2}"),
        FINISHED[:-1],
    ],
    ids=["nothing in it", "state", "partition", "epochs", "cut"],
)
def test_another_text_is_not_decoded(text: str) -> None:
    with pytest.raises(NotDecoded):
        remote_pair(text)
