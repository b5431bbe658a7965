"""Replay: entries of one of Connect's topics -> state and rejections, as a worker reads them at its start (3.9).

Task configs wait for a commit with their number; a commit that lacks one of its tasks leaves the connector without tasks.
A connector's tombstone deletes it with its tasks; `task-` and `commit-` keys get no tombstones.

    uncommitted        a task config without a commit after it: the worker that wrote it did not finish
    incomplete         a commit that lacks one of its tasks; `needs` names it
    connector-later    a commit before the connector's own record: a worker of 3.9 ignores it
    connector-missing  a commit or task of a missing connector: left over from a deleted one, normal
    mended, deleted-later  such a commit, and a whole set or the connector's deletion after it
    null-ignored       a null where a worker expects a value

Source: Kafka `KafkaConfigBackingStore.java`, `KafkaStatusBackingStore.java`, tag 3.9.1; checked against real workers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import orjson
import pyarrow as pa

from spark.dialects._history import History, entry_values

COLUMNS = ("offset", "entry_type", "entry_action", "entity_id", "attributes", "decode_error")
PLAIN = ("connector-status", "task-status")  # their newest value is their state; a tombstone forgets it


@dataclass
class IgnoredCommit:
    """A commit that a worker ignored. `reason` is set when the whole journal is known."""

    offset: int
    connector: str
    reason: str
    needs: str


@dataclass
class Configs:
    """A worker's view of the configs topic."""

    history: History
    connectors: set[str] = field(default_factory=set)
    tasks: dict[str, int] = field(default_factory=dict)  # how many of a connector are running
    waiting: dict[str, dict[int, tuple[int, Any]]] = field(
        default_factory=dict
    )  # task configs before their commit
    refused: dict[str, list[IgnoredCommit]] = field(default_factory=dict)  # not yet made good, by connector
    first_after: dict[str, int] = field(
        default_factory=dict
    )  # offset of a connector that a commit came before

    def end_tasks(self, connector: str, offset: int, first: int = 0) -> None:
        for number in range(first, self.tasks.get(connector, 0)):
            self.history.end("task", f"{connector}/{number}", offset)
        self.tasks[connector] = min(first, self.tasks.get(connector, 0))

    def refuse(self, offset: int, connector: str, reason: str, needs: str) -> None:
        """A worker ignores the commit at this offset."""
        self.refused.setdefault(connector, []).append(IgnoredCommit(offset, connector, reason, needs))

    def settle(self, connector: str, reason: str) -> None:
        """Earlier rejections of the connector no longer matter."""
        for commit in self.refused.pop(connector, ()):
            self.history.refuse(commit.offset, "connector", connector, reason, commit.needs)
        self.first_after.pop(connector, None)


def replay(entries: Iterable[pa.Table], history: History) -> None:
    configs = Configs(history)
    for offset, entry_type, action, entity_id, attributes, error in entry_values(entries, *COLUMNS):
        if error is not None or attributes is None:
            continue
        if entry_type in PLAIN:
            history.note(entry_type, entity_id, None if action == "delete" else attributes, offset)
        elif entry_type in APPLY:
            members = None if action == "delete" else orjson.loads(attributes)
            APPLY[entry_type](configs, offset, entity_id, members)
    finish(configs)


def apply_offset(configs: Configs, offset: int, connector_partition: str, members: Any) -> None:
    """How far a source connector read; null: it starts over."""
    attributes = None if members is None else {"offset": members}
    configs.history.note("connector-offset", connector_partition, attributes, offset)


def apply_connector(configs: Configs, offset: int, name: str, members: Any) -> None:
    """A connector's config; its tasks remain until the next commit. Null deletes it and all its tasks."""
    if members is not None:
        configs.connectors.add(name)
        configs.history.put("connector", name, {"config": members["properties"]}, offset)
        if name in configs.refused:
            configs.first_after.setdefault(name, offset)
        return
    forget(configs, offset, name)
    configs.history.end("connector", name, offset)
    configs.settle(name, "deleted-later")


def forget(configs: Configs, offset: int, name: str) -> None:
    configs.connectors.discard(name)
    configs.end_tasks(name, offset)
    configs.tasks.pop(name, None)
    configs.waiting.pop(name, None)


def apply_task(configs: Configs, offset: int, task: str, members: Any) -> None:
    """A task's config, which waits for the commit."""
    connector, _, number = task.rpartition("/")
    if members is None:
        configs.history.refuse(offset, "task", task, "null-ignored")
        return
    configs.waiting.setdefault(connector, {})[int(number)] = (offset, members["properties"])


def apply_commit(configs: Configs, offset: int, name: str, members: Any) -> None:
    """The waiting tasks become the connector's tasks, all together or not at all."""
    if members is None:
        configs.history.refuse(offset, "connector", name, "null-ignored")
        return
    waiting, count = configs.waiting.pop(name, {}), members["tasks"]
    if name not in configs.connectors:
        configs.refuse(offset, name, "connector-missing", f"connector:{name}")
        return
    lacking = first_lacking(waiting, count)
    if lacking is not None:
        configs.end_tasks(name, offset)
        configs.refuse(offset, name, "incomplete", f"task:{name}/{lacking}")
        return
    configs.end_tasks(name, offset, max(count, 0))
    for number in range(count):
        origin, properties = waiting[number]
        configs.history.put("task", f"{name}/{number}", {"config": properties}, offset, origin)
    configs.tasks[name] = max(count, 0)
    configs.settle(name, "mended")


def first_lacking(waiting: dict[int, Any], count: int) -> int | None:
    """Number of the first task that the commit includes and no record configures."""
    looked_at = range(min(count, len(waiting) + 1))  # of more than there are, one of the first is lacking
    return next((number for number in looked_at if number not in waiting), None)


def apply_target_state(configs: Configs, offset: int, name: str, members: Any) -> None:
    """A connector's desired state; workers from 3.5 on read state.v2 first."""
    attributes = None if members is None else {"state": members.get("state.v2") or members["state"]}
    configs.history.note("target-state", name, attributes, offset)


Apply = Callable[[Configs, int, str, Any], None]
APPLY: dict[str | None, Apply] = {
    "connector": apply_connector,
    "task": apply_task,
    "commit": apply_commit,
    "target-state": apply_target_state,
    "connector-offset": apply_offset,
}


def finish(configs: Configs) -> None:
    """At the end of the journal: waiting tasks have no commit, and rejections are final."""
    for connector, refused in configs.refused.items():
        for commit in refused:
            report(configs, connector, commit)
    for connector, waiting in configs.waiting.items():
        reason = "uncommitted" if connector in configs.connectors else "connector-missing"
        for number, (offset, _) in waiting.items():
            task = f"{connector}/{number}"
            configs.history.refuse(offset, "task", task, reason, f"commit:{connector}")


def report(configs: Configs, connector: str, commit: IgnoredCommit) -> None:
    """Reports a commit that never took effect: what it lacked, and where that follows."""
    reason, after = commit.reason, None
    if reason == "connector-missing" and connector in configs.connectors:
        reason, after = "connector-later", configs.first_after.get(connector)
    elif reason == "incomplete":
        number = int(commit.needs.rpartition("/")[2])
        after = configs.waiting.get(connector, {}).get(number, (None,))[0]
    configs.history.refuse(commit.offset, "connector", connector, reason, commit.needs, after)
