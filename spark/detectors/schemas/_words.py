"""Steps that the remedies of this section share."""

from __future__ import annotations

from spark.terms import marked
from spark.terms.topic_commands import take_dump

DUMP_FIRST = (
    "Warning: do not restart any registry before this step is complete. A running registry still has in memory what the journal has "
    "lost. Export its subjects through the REST API, and take a full dump: {command}"
)


def dump_first(topic: str) -> str:
    """Before anything else."""
    return DUMP_FIRST.format(command=take_dump(topic))


def look_again(topic: str) -> str:
    """After everything else."""
    return f"Inspect {marked.topic(topic)} again. This finding must no longer be present."


def one_leader() -> str:
    """Why there are two leaders, and how to have one."""
    return (
        "Make sure that only one registry can be the leader. All nodes on this topic need the same group ID (Confluent: "
        "schema.registry.group.id, Karapace: group_id) and the same Kafka cluster. Check the master eligibility of each node."
    )
