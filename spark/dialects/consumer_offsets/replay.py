"""Replay: entries -> committed offsets, groups and members, as a coordinator loads the partition.

Entries of aborted or open transactions do not reach it (`reads_committed`). Rejected, with the reason:

    unknown-type   the key has an unknown record type: the coordinator skips the record
    unreadable     key or value cannot be read: the coordinator does not load the partition
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import orjson
import pyarrow as pa

from spark.codecs.kafka_topics.consumer_offsets import CLASSIC_GROUP, MODERN_GROUPS, OFFSET_COMMIT
from spark.dialects._history import History, entry_values
from spark.dialects.consumer_offsets.groups import Coordinator

VALIDATED, NOT_VALIDATED = "validatedTopologyEpoch", -1


def replay(entries: Iterable[pa.Table], history: History) -> None:
    """The first branch takes millions of entries."""
    coordinator = Coordinator(history)
    rows = entry_values(entries, "offset", "entry_type", "entry_action", "entity_id", "attributes")
    for offset, kind, action, name, attributes in rows:
        if kind == OFFSET_COMMIT and name is not None:
            if action == "commit":
                coordinator.commit(name, attributes, offset)
            elif action:
                coordinator.forget_offset(name, offset)
        elif action:
            apply(coordinator, offset, kind, action, orjson.loads(attributes))
        if action is None:
            history.refuse(offset, kind or "unknown", name or "", "unreadable" if kind else "unknown-type")


def apply(coordinator: Coordinator, offset: int, kind: str, action: str, members: dict[str, Any]) -> None:
    name = members.get("group") or members.get("groupId") or ""
    if kind == CLASSIC_GROUP:
        if action == "delete":
            coordinator.delete(name, offset, is_classic=True)
        else:
            coordinator.classic(name, members, offset)
    elif kind in MODERN_GROUPS:
        if action == "delete":
            coordinator.delete(name, offset, is_classic=False)
        else:
            group = coordinator.modern(name, kind)
            group.epoch = members["epoch"]
            if VALIDATED in members or "lastAssignmentConfigs" in members:  # 4.1 writes neither
                group.validated_epoch = members.get(VALIDATED, NOT_VALIDATED)
            coordinator.write(name, offset)
    else:
        apply_to_modern(coordinator, offset, kind, action, name, members)


def apply_to_modern(
    coordinator: Coordinator, offset: int, kind: str, action: str, name: str, members: dict[str, Any]
) -> None:
    """Applies an entry about members or assignments of a group of a newer protocol."""
    family, _, record_kind = kind.partition("-group-")
    group_kind, member_id = f"{family}-group", members.pop("memberId", "")
    if record_kind == "member":
        if action == "delete":
            coordinator.leave(name, member_id, offset)
        else:
            del members["groupId"]
            coordinator.member_of(name, group_kind, member_id, members, offset)
    elif record_kind == "target" and "assignmentEpoch" in members:
        coordinator.modern(name, group_kind).target_epoch = members["assignmentEpoch"]
        coordinator.write(name, offset)
    elif record_kind == "current" and "memberEpoch" in members:
        coordinator.reached(name, group_kind, member_id, members, offset)
    elif record_kind == "topology":
        del members["groupId"]
        coordinator.topology(name, members or None, offset)
