"""Groups with members of two applications, and deployments that look alike."""

from __future__ import annotations

import pytest

from spark.detectors.groups.group_shared import detector
from spark.terms.findings import Finding
from spark.terms.marked import plain
from tests.generator.groups import Member, consumer_member, epoch, generation, share_member
from tests.spark.detectors.groups.coordinator_logs import findings, rows_of

HOUR = 3600


def invoices(id: str, client: str = "invoice-svc", topics: tuple[str, ...] = ("invoices",)) -> Member:
    return Member(id, client, "10.0.0.1", topics)


def shipments(id: str, client: str = "shipping-svc", topics: tuple[str, ...] = ("shipments",)) -> Member:
    return Member(id, client, "10.0.0.2", topics)


def found(*generations: tuple[int, list[Member]]) -> list[Finding]:
    """Of generations, each with its second."""
    return findings(
        detector,
        *rows_of(
            *(
                (at, generation("backend", number, *members))
                for number, (at, members) in enumerate(generations, 1)
            )
        ),
    )


def test_two_applications_that_come_back_beside_each_other_are_found() -> None:
    (finding,) = found(
        (0, [invoices("a1")]),
        (10, [invoices("a1"), shipments("b1")]),
        (20, [invoices("a2"), shipments("b1")]),
        (30, [invoices("a2"), shipments("b2")]),
    )
    assert (finding.severity, finding.confidence, finding.evidence) == ("medium", "likely", [1, 2, 3])
    assert finding.title == (
        "Two applications share group backend: invoice-svc reads invoices, shipping-svc reads shipments"
    )


@pytest.mark.parametrize(("seconds", "count"), [(HOUR - 1, 0), (HOUR, 1)], ids=["shorter", "an hour"])
def test_a_mixture_without_restarts_must_last_an_hour(seconds: int, count: int) -> None:
    mixed = (10, [invoices("a"), shipments("b")])
    assert len(found((0, [invoices("a")]), mixed, (10 + seconds, [shipments("b")]))) == count


def test_a_deployment_is_innocent() -> None:
    assert not found(
        (0, [invoices("a1"), invoices("a2"), invoices("a3")]),
        (10, [invoices("a2"), invoices("a3"), shipments("b1")]),
        (20, [invoices("a3"), shipments("b1"), shipments("b2")]),
        (30, [shipments("b1"), shipments("b2"), shipments("b3")]),
    )


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("app", "app"),
        ("app-1", "app-2"),
        ("orders-7c9f8d5b6d-x2x4q", "orders-7c9f8d5b6d-b8zkt"),
        ("app-5f0c36a1-1f3e-4be5-9a2b-0c1d2e3f4a5b", "app-6a0c36a1-1f3e-4be5-9a2b-0c1d2e3f4a5c"),
    ],
    ids=["the same", "numbered", "pods", "UUIDs"],
)
def test_one_application_with_two_topics_is_innocent(first: str, second: str) -> None:
    assert not found(
        (0, [invoices("a1", first), shipments("b1", second)]),
        (10, [invoices("a2", first), shipments("b2", second)]),
        (2 * HOUR, [invoices("a3", first), shipments("b3", second)]),
    )


def test_a_version_that_reads_one_topic_more_is_innocent() -> None:
    more = ("invoices", "refunds")
    assert not found(
        (0, [invoices("a1"), shipments("b1", "invoice-canary", more)]),
        (10, [invoices("a2"), shipments("b2", "invoice-canary", more)]),
        (2 * HOUR, [invoices("a3"), shipments("b3", "invoice-canary", more)]),
    )


def test_members_of_the_consumer_protocol_count_too() -> None:
    (finding,) = findings(
        detector,
        *rows_of(
            (0, consumer_member("backend", invoices("a"))),
            (1, epoch("backend", 1)),
            (2, consumer_member("backend", shipments("b"))),
            (3, epoch("backend", 2)),
            (HOUR + 3, epoch("backend", 3)),
        ),
    )
    assert "Two applications share group backend" in finding.title


def test_a_share_group_is_innocent() -> None:
    assert not findings(
        detector,
        *rows_of(
            (0, consumer_member("other", invoices("c"))),
            (0, share_member("backend", invoices("a"))),
            (1, epoch("backend", 1, 11)),
            (2, share_member("backend", shipments("b"))),
            (3, epoch("backend", 2, 11)),
            (HOUR + 3, epoch("backend", 3, 11)),
        ),
    )


def test_the_time_of_many_members_is_counted_once() -> None:
    """Twenty members of each kind beside each other for ten minutes."""
    joins = [(0, consumer_member("backend", invoices(f"a{number}"))) for number in range(20)]
    joins += [(1, consumer_member("backend", shipments(f"b{number}"))) for number in range(20)]
    leaves = [(600, consumer_member("backend", f"a{number}")) for number in range(20)]
    assert not findings(
        detector, *rows_of(*joins, (1, epoch("backend", 1)), *leaves, (2 * HOUR, epoch("backend", 2)))
    )


def test_groups_are_kept_apart() -> None:
    assert not findings(
        detector,
        *rows_of(
            (0, generation("one", 1, invoices("a"))),
            (0, generation("two", 1, shipments("b"))),
            (2 * HOUR, generation("one", 2, invoices("a"))),
            (2 * HOUR, generation("two", 2, shipments("b"))),
        ),
    )


def test_the_headline_has_the_right_plural() -> None:
    found_now = found((0, [invoices("a"), shipments("b")]), (HOUR, [invoices("a")]))
    assert (
        plain(detector.headline(found_now))
        == "1 group is shared by two applications: each rebalance stops both"
    )


def listener(host: str, topic: str, number: int = 1, client: str = "consumer-backend") -> Member:
    """A member with the client id that the Java client makes of the group's name."""
    return Member(f"{client}-{number}-{host}", f"{client}-{number}", host, (topic,))


def test_client_ids_of_the_library_do_not_hide_two_applications() -> None:
    both = [
        listener("10.1.1.1", "invoices"),
        listener("10.1.1.2", "invoices"),
        listener("10.2.2.1", "shipments"),
    ]
    (finding,) = found((0, both[:1]), (10, both), (2 * HOUR, both))
    assert finding.title == (
        "Two applications share group backend: the client at 10.1.1.1 reads invoices, the client at 10.2.2.1 reads shipments"
    )
    assert "no host subscribes to the topics of both" in finding.explanation


def test_rdkafka_on_two_hosts_with_other_topics_is_found() -> None:
    both = [
        Member("rdkafka-a", "rdkafka", "10.1.1.1", ("invoices",)),
        Member("rdkafka-b", "rdkafka", "10.2.2.1", ("shipments",)),
    ]
    assert len(found((0, both), (2 * HOUR, both))) == 1


def test_listeners_of_one_application_on_each_of_its_hosts_are_innocent() -> None:
    hosts = ("10.1.1.1", "10.1.1.2")
    both = [
        listener(host, topic, number)
        for host in hosts
        for number, topic in ((1, "invoices"), (2, "shipments"))
    ]
    assert not found((0, both[:1]), (10, both[:3]), (20, both), (2 * HOUR, both))


def test_a_host_with_the_topics_of_both_shows_one_application() -> None:
    spread = [listener("10.1.1.1", "invoices"), listener("10.1.1.2", "shipments")]
    whole = [*spread, listener("10.1.1.3", "invoices"), listener("10.1.1.3", "shipments", 2)]
    assert not found((0, spread), (2 * HOUR, whole), (3 * HOUR, whole))
