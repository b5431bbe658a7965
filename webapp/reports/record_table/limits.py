"""Lines across the table: offsets at which consumers stop reading, where the input knows them, and another order in the file."""

from __future__ import annotations

from dataclasses import dataclass

from webapp.reports.charts.background import STOPS_HERE, stable_text
from webapp.reports.page import Page
from webapp.reports.queries.file_order import file_order_lines
from webapp.reports.results import WHERE_REPLICA, PartitionResults, remembered

# Of a broker's own file, and of the last capture.
HIGH_WATERMARK = f"""
SELECT "offset", said_by FROM (
    SELECT "offset", 'replication-offset-checkpoint' AS said_by FROM checkpoints WHERE {WHERE_REPLICA} AND kind = 'replication'
    UNION ALL SELECT high_watermark, 'the capture' FROM captures WHERE {WHERE_REPLICA} AND high_watermark IS NOT NULL
) ORDER BY "offset" DESC LIMIT 1
"""


IN_FILE, IN_TABLE = "Order in the file", "This table is in the order of offsets."


@dataclass(frozen=True)
class TableLine:
    """Stands above the record of `offset`. `name` is short, `text` says the rest. `is_fact`: nothing is wrong with it."""

    offset: int
    name: str
    text: str
    is_fact: bool = False


def lines_of(page: Page) -> list[TableLine]:
    """Order in the file, then the limits of readers."""
    order = [
        TableLine(line.offset, IN_FILE, f"{line.text} {IN_TABLE}")
        for line in file_order_lines(page.partition)
    ]
    return [*order, *_limits(page)]


def _limits(page: Page) -> list[TableLine]:
    """Consumers get the records before them."""
    limits = []
    stable = page.options.last_stable_offset
    if stable is not None:
        limits.append(TableLine(stable, STOPS_HERE, stable_text(stable)))
    watermark = high_watermark(page.partition)
    if watermark:
        offset, said_by = watermark
        text = f"in {said_by}: at that time, consumers read the records before it"
        limits.append(TableLine(offset, f"high watermark {offset}", text, is_fact=True))
    return sorted(limits, key=lambda limit: limit.offset)


@remembered
def high_watermark(partition: PartitionResults) -> tuple[int, str] | None:
    """The offset and its source; None where the input has neither."""
    row = partition.row(HIGH_WATERMARK)
    return (row["offset"], row["said_by"]) if row else None
