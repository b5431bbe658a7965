"""A partition as a strip along its offsets: records as bars, tombstones darker, findings as flags above. SVG by hand,
so that a file shows it without a script."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import quoteattr

from spark.tables.replica import PartitionReplica
from webapp.reports.queries.partitions import survey
from webapp.reports.results import WHERE_REPLICA, PartitionResults, Results

BUCKETS = 120  # at most; of a small partition one for each offset
WIDTH, HEIGHT, FLAGS = 960, 72, 18
PARTITIONS_DRAWN = 20
COUNTS = f"""
SELECT (("offset" - $first)::HUGEINT // $width)::INTEGER AS bucket, count(*) AS records,
       count_if(kind = 'tombstone') AS tombstones
FROM lifelines WHERE {WHERE_REPLICA} AND "offset" BETWEEN $first AND $last GROUP BY bucket ORDER BY bucket
"""
COLOURS = {"critical": "#b34700", "high": "#b86e00", "medium": "#8a6d00", "low": "#5c6570", "info": "#0072b2"}


@dataclass(frozen=True)
class RecordStrip:
    """Number of records and tombstones by bucket. `width`: offsets of a bucket, of each as many, so that equal bars are equal counts."""

    first: int
    last: int
    width: int
    records: tuple[int, ...]
    tombstones: tuple[int, ...]

    def fraction_at(self, offset: int) -> float:
        """Where an offset is drawn, from 0 to 1."""
        return (offset - self.first + 0.5) / (self.width * len(self.records))


def strips_of(results: Results) -> dict[PartitionReplica, RecordStrip]:
    """Strips of the largest partitions."""
    partitions = survey(results)
    drawn = [replica for replica in partitions.replicas if partitions.facts[replica].marks][:PARTITIONS_DRAWN]
    return {replica: _strip(results.of(replica), *partitions.facts[replica].bounds) for replica in drawn}


def _strip(partition: PartitionResults, first: int, last: int) -> RecordStrip:
    width = -(-(last - first + 1) // BUCKETS)
    buckets = -(-(last - first + 1) // width)
    records, tombstones = [0] * buckets, [0] * buckets
    params = {"first": first, "last": last, "width": width}
    for row in partition.rows(COUNTS, params):
        records[row["bucket"]], tombstones[row["bucket"]] = row["records"], row["tombstones"]
    return RecordStrip(first, last, width, tuple(records), tuple(tombstones))


def drawn(strip: RecordStrip, flags: Sequence[tuple[int, str]], name: str) -> str:
    """SVG. `flags`: (offset, severity)."""
    most = max(*strip.records, 1)
    wide = WIDTH / len(strip.records)
    bars = [
        _bar(number * wide, wide, count / most, colour)
        for counts, colour in ((strip.records, "#7aa6c9"), (strip.tombstones, "#20252b"))
        for number, count in enumerate(counts)
        if count
    ]
    marks = [
        _flag(strip.fraction_at(offset) * WIDTH, severity)
        for offset, severity in flags
        if strip.first <= offset <= strip.last
    ]
    label = quoteattr(f"Records of {name} along offsets {strip.first:,} to {strip.last:,}")
    body = "".join([*bars, *marks])
    return (
        f'<svg viewBox="0 0 {WIDTH} {FLAGS + HEIGHT + 2}" role="img" aria-label={label} preserveAspectRatio="none">'
        f'{body}<path d="M0 {FLAGS + HEIGHT + 1}H{WIDTH}" stroke="#5c6570"/></svg>'
    )


def _bar(x: float, wide: float, share: float, colour: str) -> str:
    tall = max(1.0, share * HEIGHT)
    return f'<rect x="{x:.1f}" y="{FLAGS + HEIGHT - tall:.1f}" width="{max(wide - 1, 1):.1f}" height="{tall:.1f}" fill="{colour}"/>'


def _flag(x: float, severity: str) -> str:
    colour = COLOURS.get(severity, COLOURS["low"])
    return f'<path d="M{x:.1f} {FLAGS + HEIGHT}V3l9 4-9 4" fill="{colour}" stroke="{colour}"/>'
