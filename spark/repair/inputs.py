"""What a repair is built from: inspected inputs, their partitions, and the name of the topic."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from spark.difference.same_log import RECORDS, is_one_log, may_be_same
from spark.log.preferred_copy import speaking
from spark.repair.built import applied_records, read_manifest
from spark.repair.journal import PartitionJournal
from spark.storage.stored_path import ResultPath
from spark.tables import Manifest
from spark.tables.store import ResultTables
from spark.terms.errors import UnreadableInput
from spark.terms.topic_commands import LEGAL_NAME

ASK_TOPIC = (
    "{name} does not name its topic{given}, and the files of a repair must name it. Start the repair again with the topic "
    "name, such as kafkasql-journal (on the command line: --topic kafkasql-journal)."
)

NOT_NEEDED = (
    "The dump names its topic: {name}. The repair is for that topic, and not for {topic}. Start it again without a topic name (on "
    "the command line: without --topic)."
)


@dataclass(frozen=True)
class Input:
    """An inspected input: its report, the folder of its tables, and what the user calls it. `applied`: the folder of a repair
    whose records it may have, without their headers."""

    report: dict[str, Any]
    folder: ResultPath
    name: str
    applied: Path | None = None

    def journals(self) -> list[PartitionJournal]:
        """Each partition, by the copy that speaks for it. Raises UnreadableInput where `applied` has no repair."""
        manifest = Manifest.load(self.folder)
        names = {journal["topic"]: journal["dialect"] for journal in self.report["journals"]}
        replicas = speaking(ResultTables.open(manifest))
        journals = [
            PartitionJournal(manifest, replica, self.name, names[replica.topic]) for replica in replicas
        ]
        return (
            journals
            if self.applied is None
            else [with_applied(journal, self.applied) for journal in journals]
        )


def with_applied(journal: PartitionJournal, folder: Path) -> PartitionJournal:
    """A journal that knows which of its records a repair wrote. Raises UnreadableInput."""
    manifest = read_manifest(folder)
    is_same = manifest["partition"] == journal.replica.partition and journal.replica.topic in (
        manifest["topic"],
        "?",
    )
    return replace(journal, applied=applied_records(folder, manifest, journal)) if is_same else journal


def named_topic(journal: PartitionJournal, topic: str) -> str:
    """The topic's name: the dump's, else what the user gave."""
    name = journal.replica[0]
    if topic and LEGAL_NAME.fullmatch(name) and topic != name:
        raise UnreadableInput(NOT_NEEDED.format(name=name, topic=topic))
    legal_name = next(
        (name_or_topic for name_or_topic in (name, topic) if LEGAL_NAME.fullmatch(name_or_topic)), None
    )
    if legal_name:
        return legal_name
    unusable = "" if name == "?" else f" by a name that Kafka allows ({name!r})"
    raise UnreadableInput(ASK_TOPIC.format(name=journal.name[:1].upper() + journal.name[1:], given=unusable))


def is_same(journal: PartitionJournal, other: PartitionJournal) -> bool:
    """Two dumps of the same partition, as far as their layouts name it."""
    return may_be_same(journal.replica, other.replica) and journal.dialect == other.dialect


def is_same_log(journal: PartitionJournal, other: PartitionJournal) -> bool:
    """Whether two dumps are proven to be of one log."""
    return is_same(journal, other) and is_one_log(journal.rows(RECORDS), other.rows(RECORDS))
