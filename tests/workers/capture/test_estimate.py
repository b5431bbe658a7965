"""An estimate is reckoned from the ends of logs, and from sizes where a broker gives them."""

from __future__ import annotations

import pytest
from kafka.protocol.admin import DescribeLogDirsResponse

from tests.workers.capture.small_cluster import OLD, TOPIC, Log, SmallCluster, filled
from workers.capture import CaptureSpec, estimate


def estimated(small, **asked):
    with small.connected() as cluster:
        return estimate(cluster, CaptureSpec(TOPIC, **asked))


def test_offsets_are_counted_and_sizes_are_the_logs_share():
    with SmallCluster(Log(filled(30)), Log(filled(20, first=10), log_start_offset=10)) as small:
        found = estimated(small, start={"offset": 30}, bytes_per_second=300)
        assert small.fetches == []
        first, second = (len(log.content) for log in small.logs)
    assert [(one.from_offset, one.to_offset, one.offsets) for one in found.partitions] == [
        (30, 60, 30),
        (30, 50, 20),
    ]
    assert found.offsets == 50
    assert found.size_bytes == pytest.approx(first / 2 + second / 2, abs=1)
    assert found.seconds == pytest.approx(found.size_bytes / 300)


def test_the_limit_is_the_most():
    with SmallCluster(Log(filled(30))) as small:
        assert estimated(small, max_bytes=100).size_bytes == 100


def test_an_unknown_size_has_its_reason():
    with SmallCluster(Log(filled(30)), versions=OLD) as small:
        found = estimated(small, bytes_per_second=300)
    assert (found.offsets, found.size_bytes, found.seconds) == (60, None, None)
    assert "has no DescribeLogDirs request" in found.size_unknown_because


def test_sizes_that_the_user_may_not_ask_for_have_their_reason():
    """Up to version 2 a broker says no with an answer without folders."""

    def without_folders(request, version, node):
        return DescribeLogDirsResponse(version=version, throttle_time_ms=0, error_code=0, results=[])

    with SmallCluster(Log(filled(30))) as small:
        small.DescribeLogDirsRequest = without_folders
        result = estimated(small)
    assert (result.offsets, result.size_bytes) == (60, None)
    assert "has no permission (CLUSTER_AUTHORIZATION_FAILED)" in result.size_unknown_because
