"""Records of `__consumer_offsets` about groups: generations of classic groups, members and epochs of consumer groups (KIP-848).

Source: Kafka `GroupMetadataValue.json`, `ConsumerProtocolSubscription.json`, `ConsumerGroupMemberMetadataValue.json` (4.1).
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

POLL_MS, SESSION_MS = 300_000, 45_000
Pair = tuple[bytes, bytes | None]  # key, value


@dataclass(frozen=True)
class Member:
    """A member of a classic group. `assigned`: partitions by topic."""

    id: str
    client: str = "app"
    host: str = "10.0.0.1"
    topics: Sequence[str] = ("orders",)
    assigned: Mapping[str, Sequence[int]] = field(default_factory=dict)


def text(value: str | None) -> bytes:
    """A string with its length; null."""
    if value is None:
        return b"\xff\xff"
    return struct.pack(">h", len(value.encode())) + value.encode()


def sized(content: bytes) -> bytes:
    """Bytes with their length."""
    return struct.pack(">i", len(content)) + content


def commit(
    group: str, topic: str, partition: int, offset: int | None, at_ms: int, leader_epoch: int = 0
) -> Pair:
    """A commit; None: its tombstone."""
    key = struct.pack(">h", 1) + text(group) + text(topic) + struct.pack(">i", partition)
    if offset is None:
        return key, None
    return key, struct.pack(">hqi", 3, offset, leader_epoch) + text("") + struct.pack(">q", at_ms)


def old_commit(group: str, topic: str, partition: int, offset: int, at_ms: int) -> Pair:
    """A commit of record version 1, with an expiry time of its own: none."""
    key = struct.pack(">h", 1) + text(group) + text(topic) + struct.pack(">i", partition)
    return key, struct.pack(">hq", 1, offset) + text("") + struct.pack(">qq", at_ms, -1)


def generation(group: str, number: int, *members: Member, at_ms: int = 0) -> Pair:
    """A generation of a classic group, with all its members."""
    leader = members[0].id if members else None
    value = (
        struct.pack(">h", 3)
        + text("consumer")
        + struct.pack(">i", number)
        + text("range" if members else None)
    )
    value += text(leader) + struct.pack(">qi", at_ms, len(members)) + b"".join(map(_member, members))
    return struct.pack(">h", 2) + text(group), value


def _member(member: Member) -> bytes:
    subscription = struct.pack(">hi", 0, len(member.topics)) + b"".join(map(text, member.topics)) + sized(b"")
    assignment = struct.pack(">hi", 0, len(member.assigned))
    for topic, partitions in member.assigned.items():
        assignment += text(topic) + struct.pack(f">i{len(partitions)}i", len(partitions), *partitions)
    about = text(member.id) + text(None) + text(member.client) + text(f"/{member.host}")
    return (
        about + struct.pack(">ii", POLL_MS, SESSION_MS) + sized(subscription) + sized(assignment + sized(b""))
    )


def gone(group: str) -> Pair:
    """The tombstone of a classic group."""
    return struct.pack(">h", 2) + text(group), None


def compact(value: str | None) -> bytes:
    """A string of a flexible version."""
    return b"\x00" if value is None else bytes([len(value.encode()) + 1]) + value.encode()


def epoch(group: str, number: int | None, kind: int = 3) -> Pair:
    """The epoch of a consumer group (kind 11: share, 17: streams); None: the group's tombstone."""
    metadata_hash = b"" if kind == 3 else bytes(8)  # tagged in consumer groups
    value = None if number is None else struct.pack(">hi", 0, number) + metadata_hash + b"\x00"
    return struct.pack(">h", kind) + text(group), value


def consumer_member(group: str, member: Member | str, kind: int = 5) -> Pair:
    """What a member of a consumer group says of itself; a name alone: its tombstone (kind 10: share, 8: its assignment)."""
    if isinstance(member, str):
        return struct.pack(">h", kind) + text(group) + text(member), None
    value = (
        struct.pack(">h", 0)
        + compact(None)
        + compact(None)
        + compact(member.client)
        + compact(f"/{member.host}")
    )
    value += bytes([len(member.topics) + 1]) + b"".join(map(compact, member.topics)) + compact(None)
    value += struct.pack(">i", POLL_MS) + compact(None) + b"\x00"
    return struct.pack(">h", kind) + text(group) + text(member.id), value


def share_member(group: str, member: Member) -> Pair:
    """What a member of a share group says of itself."""
    value = struct.pack(">h", 0) + compact(None) + compact(member.client) + compact(f"/{member.host}")
    value += bytes([len(member.topics) + 1]) + b"".join(map(compact, member.topics)) + b"\x00"
    return struct.pack(">h", 10) + text(group) + text(member.id), value


def streams_member(group: str, member: Member) -> Pair:
    """The same of a streams group: it names a process and a topology, no topics."""
    value = struct.pack(">h", 0) + compact(None) * 2 + compact(member.client) + compact(f"/{member.host}")
    value += struct.pack(">ii", POLL_MS, 0) + compact(member.id) + b"\xff" + b"\x01" + b"\x00"
    return struct.pack(">h", 19) + text(group) + text(member.id), value
