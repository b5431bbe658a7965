"""The sentence on a file without a journal: what it is, that it contains no records, what to send instead.

The commands are those of Kafka's own tools and of kcat; with the topic if the file names one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from spark.terms.marked import plain
from spark.terms.topic_commands import FILL_IN, named, take_dump

NOT_READ = "cannot be read"
NOT_WHOLE = "contains no complete record"
CONNECT_TOPICS = ("connect-configs", "connect-offsets", "connect-status")


def dump_command(topic: str = FILL_IN) -> str:
    return plain(take_dump(topic))


OF_CONNECT = (
    f"dumps of its topics ({', '.join(CONNECT_TOPICS)} by default): {dump_command(CONNECT_TOPICS[0])}"
)


@dataclass(frozen=True)
class Identified:
    """`description` completes "is", `instead` completes "Send", `also` is a further sentence or empty, `holds` says what it has of records;
    `is_part`: the text may be a piece of something else."""

    description: str
    instead: str
    also: str = ""
    holds: str = "contains no records"
    is_part: bool = False

    def sentence(self, name: str) -> str:
        return f"{name} is {self.description} and {self.holds}. Send {self.instead}." + (
            f" {self.also}" if self.also else ""
        )


def dump(topics: Iterable[str] = ()) -> str:
    """A dump of the topic that the file names, if it names exactly one."""
    several = list(dict.fromkeys(topics))
    if len(several) == 1 and (topic := plain(named(several[0], ""))):
        return f"a dump of the topic {topic}: {dump_command(topic)}"
    return f"a dump of the topic: {dump_command()}"


def dump_of(topic: str, whose: str) -> str:
    """A dump of the topic that services use by default."""
    return f"a dump of the topic of {whose} ({topic} by default): {dump_command(topic)}"


def with_dump(description: str, topics: Iterable[str] = (), sentence: str = "") -> Identified:
    """An output that is useful together with a dump; `sentence`: what it shows alone."""
    also = "Send this file together with the dump: the report uses it."
    return Identified(description, dump(topics), f"{sentence} {also}".strip())
