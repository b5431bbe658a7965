"""One comparison from the queue to its result; small enough to live in its row."""

from __future__ import annotations

from typing import Any

from webapp.journals.models import Comparison
from workers.jobs.runner import Attempt, JobFailed, JobKind
from workers.jobs.spark_runner import FAILURES

GONE = "The results of one of the two inspections no longer exist. Inspect its journal again, then compare again."
NO_COPIES = "This inspection contains only one replica of each partition. Select another inspection to compare it with."


class ComparisonJob(JobKind):
    """Compares two inspections, or the replicas within one."""

    name = "comparison"
    related = ("left__journal", "right__journal")
    uses_spark = True
    expected = (JobFailed, *FAILURES)

    def execute(self, attempt: Attempt) -> dict[str, Any]:
        """The document of docs/compare.md."""
        try:
            return {"result": compare(attempt)}
        except FileNotFoundError as problem:
            raise JobFailed(GONE) from problem


KIND = ComparisonJob()


def compare(attempt: Attempt) -> dict[str, Any]:
    """Raises FileNotFoundError where results are gone, JobFailed where there is nothing to compare."""
    from spark import compare as spark_compare

    left, right = _sides(attempt.job)
    if attempt.job.left_id != attempt.job.right_id:
        return spark_compare.compare(attempt.context(), left, right).as_json()
    copies = spark_compare.compare_copies(attempt.context(), left)
    if not copies.pairs:
        raise JobFailed(NO_COPIES)
    return copies.as_json()


def _sides(comparison: Comparison) -> tuple[Any, Any]:
    """Both inspections, named for their journals; by their time too where the journal is the same."""
    from spark.compare import ComparedInput
    from spark.tables import Manifest

    pair = (comparison.left, comparison.right)
    names = [inspection.journal.name for inspection in pair]
    if names[0] == names[1]:
        names = [
            f"{inspection.journal.name} ({inspection.created_at:%Y-%m-%d %H:%M:%S})" for inspection in pair
        ]
    left, right = (
        ComparedInput(Manifest.load(inspection.results), name)
        for inspection, name in zip(pair, names, strict=True)
    )
    return left, right
