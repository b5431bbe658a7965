"""Whether a topic is compacted, as the report says once; every page that shows a log after compaction asks here."""

from __future__ import annotations

from dataclasses import dataclass

from webapp.reports.queries.log import cleaning_of
from webapp.reports.results import PartitionResults


@dataclass(frozen=True)
class Compaction:
    """`certainty` (proven | likely | assumed | no) and the reason as a sentence."""

    certainty: str
    sentence: str

    @property
    def is_compacted(self) -> bool:
        """Whether pages offer the view after compaction."""
        return self.certainty != "no"


def compaction_of(partition: PartitionResults) -> Compaction:
    """Of a partition's topic; an older report has no answer, then that of the partition's own row in `cleanings`."""
    for journal in partition.results.document.get("journals", []):
        if journal.get("topic") == partition.replica.topic and journal.get("compaction"):
            policy = journal["compaction"]
            return Compaction(policy["certainty"], policy["sentence"])
    row = cleaning_of(partition)
    return Compaction(row["compacted"], f"{row['why']}.") if row else Compaction("assumed", "")
