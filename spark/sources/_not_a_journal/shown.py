"""What the output of a tool shows, in a sentence beside the refusal: for a reader who sent no dump.

Source: Kafka `MetadataQuorumCommand` 3.3 to 4.1. MaxFollowerLag is the leader's log end offset less the lowest of the voters, which is -1 where
the leader got no fetch of a voter; MaxFollowerLagTimeMs is -1 where the leader or that voter has no time at which it was caught up.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from spark.sources._grammar.fields import RowReading
from spark.sources._grammar.tables import number_in, text_in
from spark.sources.kafka_topics_describe import NO_LEADER, parse
from spark.terms.wording import listed, plural, some

STATUS = re.compile(
    r"^LeaderId:\s+(?P<leader>-?\d+)\s*\nLeaderEpoch:\s+(?P<epoch>-?\d+)\s*\nHighWatermark:\s+(?P<end>-?\d+)\s*\n"
    r"MaxFollowerLag:\s+(?P<lag>-?\d+)\s*\nMaxFollowerLagTimeMs:\s+(?P<time>-?\d+)",
    re.MULTILINE,
)
FOLLOWER = re.compile(
    r"^(?P<node>\d+)[ \t]+(?:\S+[ \t]+)?-?\d+[ \t]+(?P<lag>-?\d+)[ \t]+(?:-?\d+|\d+ ms ago)[ \t]+-1[ \t]+Follower[ \t]*$",
    re.MULTILINE,
)
FETCH_TIMEOUT_MS = 2000  # controller.quorum.fetch.timeout.ms, its default


def of_quorum(text: str) -> str:
    """Voters that are behind for longer than a fetch takes; empty where none is, which shows no more than that."""
    sentences = [of_status(status) for status in STATUS.finditer(text)]
    nodes = [row["node"] for row in FOLLOWER.finditer(text) if int(row["lag"]) > 0]
    if nodes:
        has = "Follower {} has" if len(nodes) == 1 else "Followers {} have"
        sentences.append(f"{has.format(listed(nodes))} not caught up with the leader since its election.")
    return " ".join(filter(None, sentences))


def of_status(status: re.Match[str]) -> str:
    """One summary of the quorum."""
    lag, end, time_ms = int(status["lag"]), int(status["end"]), int(status["time"])
    if lag <= 0 or 0 <= time_ms <= FETCH_TIMEOUT_MS:
        return ""
    leader = f"leader {status['leader']} (epoch {status['epoch']})"
    since = "since its election" if time_ms < 0 else f"for {time_ms} ms"
    sentence = f"A voter has not caught up with {leader} {since}: MaxFollowerLag is {lag}."
    if lag <= end:
        return sentence
    return f"{sentence} This is more than the high watermark {end}. It is likely that the voter does not run or cannot reach the leader."


def of_groups(readings: Sequence[RowReading]) -> str:
    """Partitions of which a group has committed no offset, where that is so of all rows."""
    rows = [reading for reading in readings if reading.row.form == "offset"]
    if not rows or any(number_in(reading, "committed") is not None for reading in rows):
        return ""
    groups = list(dict.fromkeys(filter(None, (text_in(reading, "group") for reading in rows))))
    who = (
        f"group {groups[0]}" if len(groups) == 1 else plural(len(groups), "group") if groups else "the group"
    )
    of = plural(len(rows), "partition")
    ends = {number_in(reading, "end") for reading in rows}
    empty = " Each of these logs ends at offset 0, so it contains no record." if ends == {0} else ""
    return f"It shows {of} for which {who} has committed no offset.{empty}"


def of_replicas(readings: Sequence[RowReading]) -> str:
    """Replicas that are not in sync, and partitions of which too few are for writes with acks=all (`ReplicaManager.appendRecords`); a partition
    without a leader is a finding."""
    printed: dict[tuple[str, int | None], dict[str, str]] = {}
    for row in parse(list(readings)):
        printed.setdefault((row.topic, row.partition), {})[row.name] = row.value
    behind, too_few = [], []
    for (topic, partition), facts in printed.items():
        replicas, in_sync = (facts.get(name, "").split(",") for name in ("replicas", "isr"))
        lacking = [broker for broker in replicas if broker not in in_sync]
        if partition is None or not lacking or facts.get("leader") in NO_LEADER:
            continue
        behind.append(f"{topic}-{partition} (broker{'s' if len(lacking) > 1 else ''} {listed(lacking)})")
        least = printed.get((topic, None), {}).get("min.insync.replicas", "")
        if least.isdecimal() and len(in_sync) < int(least):
            too_few.append(f"{topic}-{partition}")
    if not behind:
        return ""
    have = f"{plural(len(behind), 'partition')} {'has' if len(behind) == 1 else 'have'}"
    no_write = (
        f" Producers with acks=all cannot write to {some(too_few)}: fewer replicas are in sync than min.insync.replicas."
        if too_few
        else ""
    )
    return f"{have} replicas that are not in sync: {some(behind)}. Check that these brokers run.{no_write}"
