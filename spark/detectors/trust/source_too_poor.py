"""What the input's file format does not contain, and the data with which more checks could run.

`find` gives no rows: only the summary knows which checks could not run; it describes the one row this needs.
Page: docs/detectors/source-too-poor.md
"""

from __future__ import annotations

from collections.abc import Iterable

from spark.detectors import Detector, clause
from spark.tables.replica import Row
from spark.tables.store import ResultTables
from spark.terms.findings import Finding


def find(_tables: ResultTables) -> Iterable[Row]:
    """Nothing in the tables: `spark.report.summarise` makes the row from the coverage."""
    return ()


def describe(row: Row) -> Finding:
    """`topic`; `partition`, if it is the only one; `cannot_tell` (what is missing) and `better_data` (what would let more checks
    run) in words; `are_redpandas`: Redpanda's registry wrote the journals."""
    missing = f"Not in this file format: {'; '.join(row['cannot_tell'])}."
    more = row["better_data"]
    checks = "more checks can run with better data" if more else "every check that applies ran"
    return Finding(
        detector=detector.id,
        severity="info",
        title=f"The file format does not contain everything that Kafka stores: {checks}",
        explanation="\n".join([missing, *more]),
        topic=row["topic"],
        partition=None,
        first_offset=None,
        last_offset=None,
        entity="coverage",
        remedy=detector.remedy("Redpanda", topic=row["topic"])
        if row["are_redpandas"]
        else detector.remedy("Kafka", topic=row["topic"], partition=row["partition"]),
    )


detector = Detector(
    id="source-too-poor",
    title="Limits of the file format",
    find=find,
    describe=describe,
    headline=clause("the file format does not contain everything that Kafka stores"),
)
