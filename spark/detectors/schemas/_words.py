"""Steps that the remedies of this section share."""

from __future__ import annotations

from spark.terms.topic_commands import take_dump

DUMP_FIRST = (
    "Do not restart any registry: a running one still answers from memory what the journal has lost. "
    "Take a full dump: {command}"
)
LOOK_AGAIN = "Inspect {topic} again: this finding must be gone."


def dump_first(topic: str) -> str:
    """Before anything else."""
    return DUMP_FIRST.format(command=take_dump(topic))


def look_again(topic: str) -> str:
    """After everything else."""
    return LOOK_AGAIN.format(topic=topic)


def one_leader() -> str:
    """Why there are two, and how to have one."""
    return (
        "See that one registry only may write: all nodes on this topic need the same group id (Confluent: "
        "schema.registry.group.id, Karapace: group_id), the same Kafka cluster, and master eligibility as planned."
    )
