"""What fetches get at offsets that a broker does not find: sentences on rows of `fetch_faults`.

Java clients compare the checksum of a batch before they read it (`check.crcs`), librdkafka does not by default. The error
CORRUPT_MESSAGE stops both.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from spark.tables.replica import Row
from spark.terms import marked
from spark.terms.typed_wording import listed, plural

RANGES_NAMED = 5
ANSWERS = ("skips", "nothing", "error", "corrupt")  # the silent ones first

# By the number of the segment's file.
FAULTS = """
    SELECT file, list({'first_offset': first_offset, 'last_offset': last_offset, 'search_position': search_position,
        'answer': answer, 'continues_at': continues_at, 'records_skipped': records_skipped} ORDER BY first_offset) AS fetch_faults
    FROM fetch_faults GROUP BY file
"""


def grouped_faults(faults: Iterable[Row]) -> list[Row]:
    """Those with one answer together: `ranges`, and the most that one of them skips. Silent answers first, then in order of offsets."""
    groups: dict[object, dict[str, Any]] = {}
    for fault in faults:
        group = groups.setdefault(
            (fault["answer"], fault["continues_at"]), {**fault, "ranges": [], "records_skipped": 0}
        )
        first, last, ranges = fault["first_offset"], fault["last_offset"], group["ranges"]
        if ranges and ranges[-1][1] + 1 == first:
            ranges[-1] = (ranges[-1][0], last)
        else:
            ranges.append((first, last))
        group["records_skipped"] = max(group["records_skipped"], fault["records_skipped"] or 0)
    return sorted(groups.values(), key=lambda group: ANSWERS.index(group["answer"]))


def victims(name: str, faults: Iterable[Row]) -> str:
    """`Consumers of a-0 that fetch at offsets 4-9 continue at offset 10, without an error`: the most silent answer; empty without any."""
    group = next(iter(grouped_faults(faults)), None)
    if group is None:
        return ""
    fetch = f"that fetch at {at(group['ranges'], 'or')}"
    does = {
        "skips": f"Consumers of {name} {fetch} continue at offset {marked.offset(group['continues_at'])}, without an error",
        "nothing": f"Consumers of {name} {fetch} get no records and no error",
        "error": f"Consumers of {name} {fetch} get an error",
        "corrupt": f"Java consumers of {name} {fetch} stop",
    }
    return does[group["answer"]]


def at(ranges: Sequence[tuple[int, int]], last: str = "and") -> str:
    """`offset 97`, `offsets 169-176 or 229`."""
    names = [
        marked.offset(first) if first == end else f"{marked.offset(first)}-{marked.offset(end)}"
        for first, end in ranges[:RANGES_NAMED]
    ]
    if more := len(ranges) - len(names):
        names.append(f"{plural(more, 'more range')}")
    is_one = len(ranges) == 1 and ranges[0][0] == ranges[0][1]
    return f"{'offset' if is_one else 'offsets'} {listed(names, last)}"


def sentences(faults: Iterable[Row]) -> str:
    """What fetches get, one sentence for each answer, in order of offsets."""
    groups = sorted(grouped_faults(faults), key=lambda group: group["ranges"][0])
    return " ".join(map(sentence, groups))


def sentence(group: Row) -> str:
    offsets = at(group["ranges"])
    if group["answer"] == "error":
        return (
            f"The broker answers fetches at {offsets} with the error CORRUPT_MESSAGE. Consumers stop there."
        )
    if group["answer"] == "corrupt":
        return f"Fetches at {offsets} get bytes that are no intact batch: Java consumers compare the checksum and stop there."
    gets = (
        f"continue at offset {marked.offset(group['continues_at'])}"
        if group["answer"] == "skips"
        else "get no records"
    )
    skipped = (
        f" They leave out up to {plural(group['records_skipped'], 'readable record')}."
        if group["records_skipped"]
        else ""
    )
    return f"Fetches at {offsets} {gets}, without an error.{skipped}"


def fault_at(faults: Iterable[Row], offset: int | None) -> Row | None:
    """The answer to a fetch at this offset; None: it is served, or nothing is known."""
    return next(
        (
            fault
            for fault in faults
            if offset is not None and fault["first_offset"] <= offset <= fault["last_offset"]
        ),
        None,
    )
