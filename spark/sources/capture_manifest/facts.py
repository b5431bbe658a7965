"""Manifest -> rows of the capture tables, and settings as properties."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from spark.sources.capture_manifest.members import InvalidManifest, Members
from spark.sources.companion.rows import Read
from spark.terms.wording import listed, moment, plural, some

Row = dict[str, Any]
MESSAGE_FORMAT = "message.format.version"


def facts(document: Members, replicas: Mapping[str, str], elsewhere: str) -> list[Read]:
    """Rows by table. `replicas`: the copies next to the manifest, by `<topic>-<partition>`. Raises InvalidManifest."""
    topic = document.member("topic").text("name")
    if not topic:
        raise InvalidManifest("`name` of `topic` of the manifest should be the topic's name.")
    rows: dict[str, list[Row]] = defaultdict(list)
    brokers = {broker.small("node"): broker for broker in document.objects("brokers")}
    for partition in document.objects("partitions"):
        number = partition.small("partition")
        if number is None or number < 0:
            raise InvalidManifest(f"`partition` of {partition.named_as} should be the partition's number.")
        replica = {
            "topic": topic,
            "partition": number,
            "replica": replicas.get(f"{topic}-{number}", elsewhere),
        }
        rows["captures"].append(
            {**replica, **capture(document, partition, brokers.get(partition.small("leader")))}
        )
        rows["captured_producers"] += [
            {**replica, **producer(other)} for other in partition.objects("producers")
        ]
        rows["captured_aborts"] += [
            {
                **replica,
                "producer_id": other.number("producer_id"),
                "first_offset": other.number("first_offset"),
            }
            for other in partition.objects("aborted")
        ]
        if len(rows["captures"]) == 1:
            rows["properties"] = [{**replica, **named} for named in settings(document, brokers)]
    rows["captured_transactions"] = [transaction(partition) for partition in document.objects("transactions")]
    return [
        Read(name, {column: [row[column] for row in table_rows] for column in table_rows[0]})
        for name, table_rows in rows.items()
        if table_rows
    ]


def capture(document: Members, partition: Members, leader: Members | None) -> Row:
    """A row of `captures` without its partition."""
    cluster, asked_range, got = document.member("cluster"), partition.member("asked"), partition.member("got")
    began = partition.member("at_start")
    topic_configs = dict(document.member("topic").named("configs"))
    configs = dict(leader.named("configs")) if leader else {}
    format_, is_topics = message_format(topic_configs, configs)
    limit = value(configs, "transaction.max.timeout.ms")
    ended = document.number("finished_at_ms")
    log_start = partition.number("log_start_offset")
    return {
        "cluster": cluster.text("name") or cluster.text("id"),
        "captured_by": document.text("captured_by"),
        "captured_at_ms": ended if ended is not None else document.number("started_at_ms"),
        "cleanup_policy": value(topic_configs, "cleanup.policy"),
        "leader": partition.small("leader"),
        "release": leader.text("release") if leader else None,
        "inter_broker_protocol_version": value(configs, "inter.broker.protocol.version"),
        "message_format_version": format_,
        "is_topics_format": is_topics,
        "max_transaction_ms": int(limit) if limit and limit.isascii() and limit.isdigit() else None,
        "log_start_offset": log_start if log_start is not None else began.number("log_start_offset"),
        "high_watermark": partition.number("high_watermark"),
        "last_stable_offset": partition.number("last_stable_offset"),
        "asked_first_offset": asked_range.number("from_offset"),
        "asked_end_offset": asked_range.number("to_offset"),
        "first_offset": got.number("first_offset"),
        "next_offset": got.number("next_offset"),
        "stopped_by": partition.text("stopped_by"),
        "fetch_version": partition.small("fetch_version"),
        "is_converted": partition.flag("is_converted"),
        "knows_producers": partition.is_known("producers"),
        "knows_transactions": document.is_known("transactions"),
        "aborts_first_offset": partition.member("aborted_range").number("from_offset"),
        "aborts_end_offset": partition.member("aborted_range").number("to_offset"),
        "events": [sentence for event in partition.objects("events") if (sentence := event.text("says"))],
        "not_asked": [reason(other) for other in document.objects("not_asked")],
    }


def message_format(
    topic: Mapping[str, Members], leader: Mapping[str, Members]
) -> tuple[str | None, bool | None]:
    """The message format of the topic, and whether the topic sets it itself."""
    if version := value(topic, MESSAGE_FORMAT):
        return version, topic[MESSAGE_FORMAT].text("source") == "topic"
    version = value(leader, f"log.{MESSAGE_FORMAT}")
    return version, False if version else None


def value(configs: Mapping[str, Members], name: str) -> str | None:
    return configs[name].text("value") if name in configs else None


def reason(question: Members) -> str:
    return f"{question.text('question') or 'A question'}: {question.text('why') or 'no reason is given'}"


def producer(members: Members) -> Row:
    """A row of `captured_producers` without its partition."""
    first = members.number("current_transaction_first_offset")
    return {
        "producer_id": members.number("producer_id"),
        "producer_epoch": members.small("producer_epoch"),
        "last_sequence": members.small("last_sequence"),
        "last_timestamp_ms": members.number("last_timestamp_ms"),
        "coordinator_epoch": members.small("coordinator_epoch"),
        "current_txn_first_offset": first if first is not None and first >= 0 else None,
    }


def transaction(members: Members) -> Row:
    """A row of `captured_transactions` without its file."""
    return {
        "transactional_id": members.text("transactional_id"),
        "producer_id": members.number("producer_id"),
        "producer_epoch": members.small("producer_epoch"),
        "state": members.text("state"),
        "timeout_ms": members.number("timeout_ms"),
        "started_at_ms": members.number("started_at_ms"),
        "partitions": [f"{topic}-{partition}" for topic, partition in members.pairs("partitions")],
    }


def settings(document: Members, brokers: Mapping[int | None, Members]) -> Iterable[Row]:
    """The topic's settings, and the brokers' settings with the prefix `broker <node>`."""
    topic = document.member("topic")
    if topic_id := topic.text("id"):
        yield {"name": "topic_id", "value": topic_id}
    if cluster := document.member("cluster").text("id"):
        yield {"name": "cluster.id", "value": cluster}
    for name, config in topic.named("configs"):
        if (setting := config.text("value")) is not None:
            yield {"name": name, "value": setting}
    for node, broker in brokers.items():
        for name, config in broker.named("configs"):
            if (setting := config.text("value")) is not None:
                yield {"name": f"broker {node} {name}", "value": setting}


def sentence(document: Members) -> str:
    partitions = list(document.objects("partitions"))
    cluster = document.member("cluster")
    name = cluster.text("name") or cluster.text("id") or "a cluster"
    stopped = sorted(
        {str(partition.text("stopped_by")) for partition in partitions if partition.text("stopped_by")}
    )
    early = f" It ended early ({listed(stopped)})." if stopped else ""
    unasked = [reason(partition) for partition in document.objects("not_asked")]
    not_asked = f" Not asked: {some(unasked, 3)}" if unasked else ""
    return (
        f"{plural(len(partitions), 'partition')} of {document.member('topic').text('name')}, captured from {name} by "
        f"{document.text('captured_by') or 'somebody'} on {moment(document.number('finished_at_ms'))}.{early}{not_asked}"
    )
