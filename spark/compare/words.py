"""Sentences of a comparison."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from spark.compare.tables import OTHER
from spark.terms.wording import at_offsets, clean_section, grouped, listed, moment, offset_range, plural, some

if TYPE_CHECKING:
    from spark.compare.align import Aligned
    from spark.compare.cleaned import Cleaned
    from spark.compare.epochs import Parting
    from spark.compare.model import Judged
    from spark.compare.sides import CopyPair, PartitionCopy

REASONS = {  # one, many
    "superseded": ("superseded by a newer record of its key", "superseded by newer records of their keys"),
    "tombstone": ("tombstone", "tombstones"),
    "start_mark": ("start mark", "start marks"),
    "marker": ("transaction marker", "transaction markers"),
    "aborted": ("record of an aborted transaction", "records of aborted transactions"),
    "no_key": ("without a key, which the log cleaner always removes",) * 2,
    "deleted_since": ("possibly superseded by a newer record that compaction has removed too",) * 2,
    "damaged": ("in damaged bytes", "in damaged bytes"),
}
MUST_STAY = {
    "newest": ("record", "it is the newest of its key", "they are the newest of their keys"),
    "marker_of_data": (
        "transaction marker",
        "records of its transaction are still present",
        "records of their transactions are still present",
    ),
}


def whole_sentence(
    pairs: list[tuple[bool, str, str]], left: tuple[str, list[str]], right: tuple[str, list[str]]
) -> str:
    """The worst pair's sentence, how the others fare, and what only one side has.

    Of a pair: whether the service lost something, how the records relate, and its sentence.
    """
    alone = [
        f"Only {name} has {listed(partitions[:10])}." for name, partitions in (left, right) if partitions
    ]
    if not pairs:
        return " ".join(["The two sides have no partition in common.", *alone])
    rank = ("different", "cleaned", "both_cleaned", "damaged", "longer", "equal")
    _, relation, worst = min(pairs, key=lambda pair: (not pair[0], rank.index(pair[1])))
    if len(pairs) == 1:
        return " ".join([worst, *alone])
    same = sum(pair[1] == "equal" for pair in pairs)
    counted = f"{grouped(same)} of {plural(len(pairs), 'pair')} of partitions contain the same records."
    return " ".join([*([worst] if relation != "equal" else []), counted, *alone])


def pair_sentence(
    pair: CopyPair,
    relation: str,
    aligned: Aligned,
    parted: Parting | None,
    cleaned: list[Cleaned],
    names: tuple[str, str],
) -> str:
    """What the pair amounts to; `names`: of the left and of the right side."""
    left, right = names
    name = pair.left.partition_name
    if relation == "equal":
        return f"{left} and {right} contain the same {plural(aligned.counts['equal'], 'record')} of {name}."
    if relation == "different":
        return _different(name, left, right, aligned, parted)
    if relation in {"cleaned", "both_cleaned"}:
        return " ".join(
            cleaned_words(name, left, right, side, _beyond(pair, aligned, side.side)) for side in cleaned
        )
    if relation == "damaged":
        count = plural(aligned.counts["damaged"], "record")
        verb = "differs" if aligned.counts["damaged"] == 1 else "differ"
        return f"{count} of {name} {verb} only in corrupt batches (checksum mismatch) of one side. All others are the same."
    return f"The records of {name} at the offsets of both sides are the same. {_longer(pair, left, right, aligned)}."


def named(pair: CopyPair) -> tuple[str, str]:
    """Names for the two sides; what was given as one name twice is told apart by side."""
    if pair.left.label == pair.right.label:
        return f"{pair.left.label} (left)", f"{pair.right.label} (right)"
    return pair.left.label, pair.right.label


def roles(pair: CopyPair) -> tuple[str, str]:
    """Names for two dumps: the log that ends first is Before."""
    return ("Before", "After") if pair.earlier == "left" else ("After", "Before")


def _different(name: str, left: str, right: str, aligned: Aligned, parted: Parting | None) -> str:
    first, last = aligned.first_different or 0, aligned.last_different or 0
    offsets, count = offset_range(first, last), aligned.counts["different"]
    if count <= last - first:
        offsets = f"{plural(count, 'offset')} between {first} and {last}"
    text = f"{left} and {right} contain different records of {name} at {offsets}."
    return f"{text} {parting_sentence(left, right, parted)}" if parted else text


def parting_sentence(left: str, right: str, parted: Parting) -> str:
    """Epochs around the first different offset."""
    if parted.common_epoch is None:
        return f"They diverge at offset {parted.offset}. The leader epochs do not show when."
    return (
        f"The records that both contain are equal before offset {parted.common_end_offset} (last common leader epoch: {parted.common_epoch}). At offset "
        f"{parted.offset}, {left} has {_epoch(parted.left_epoch, parted.left_magic)} and {right} has "
        f"{_epoch(parted.right_epoch, parted.right_magic)}."
    )


def _epoch(epoch: int | None, magic: int | None) -> str:
    if epoch is not None:
        return f"leader epoch {epoch}"
    return "no leader epoch" if magic is None else f"no leader epoch (message format {magic})"


def _longer(pair: CopyPair, left: str, right: str, aligned: Aligned) -> str:
    parts = []
    for name, kind, other in ((left, "left", pair.right), (right, "right", pair.left)):
        if count := aligned.counts[kind]:
            parts.append(f"{name} has {plural(count, 'more record')} {_outside(pair, kind, other)}")
    return " and ".join(parts)


def _outside(pair: CopyPair, kind: str, other: PartitionCopy) -> str:
    own = pair.left if kind == "left" else pair.right
    clauses = [f"before offset {other.start_offset}"] if own.start_offset < other.start_offset else []
    clauses += [f"after offset {other.end_offset}"] if own.end_offset > other.end_offset else []
    return listed(clauses)


def _beyond(pair: CopyPair, aligned: Aligned, side: str) -> tuple[int, str]:
    """Records of the other side at offsets before the first or after the last one of this side, and where they lie."""
    other = OTHER[side]
    return aligned.counts[other] - aligned.inside[other], _outside(
        pair, other, pair.left if side == "left" else pair.right
    )


def cleaned_words(
    name: str, left: str, right: str, cleaned: Cleaned, beyond: tuple[int, str] = (0, "")
) -> str:
    """What one side lacks of the other, and why. `beyond`: records outside of its first and last offset, and where."""
    after, before = (left, right) if cleaned.side == "left" else (right, left)
    total = sum(cleaned.gone.values()) + beyond[0]
    why = [
        f"{grouped(cleaned.gone[reason])} {words[cleaned.gone[reason] > 1]}{_where(cleaned, reason)}"
        for reason, words in REASONS.items()
        if cleaned.gone.get(reason)
    ]
    why += [f"{grouped(beyond[0])} {beyond[1]}, outside {after}"] if beyond[0] else []
    clause = f"{after} lacks {plural(total, 'record')} of {name} that {before} contains"
    parts = [f"{clause}, as after compaction: {listed(why)}." if why else f"{clause}."]
    parts += must_stay_words(cleaned)
    if cleaned.stayed and not (cleaned.model and cleaned.model.overdue):
        parts.append(
            f"Overdue: {plural(cleaned.stayed, 'record')} with a newer one of the key below offset {cleaned.point_offset}, although "
            f"{clean_section(cleaned.point_offset, cleaned.point_is_from)}: {at_offsets(cleaned.stayed_offsets)}."
        )
    if cleaned.model:
        parts += model_words(cleaned.model, cleaned.point_offset, cleaned.point_is_from)
    return " ".join(parts)


def _where(cleaned: Cleaned, reason: str) -> str:
    """` (offsets 0 and 275)` of start marks, which are few; empty of other reasons, and where not all offsets are known."""
    offsets = cleaned.gone_offsets.get(reason, [])
    is_whole = reason == "start_mark" and len(offsets) == cleaned.gone[reason]
    return f" ({at_offsets(offsets)})" if is_whole else ""


def must_stay_words(cleaned: Cleaned) -> list[str]:
    parts = []
    for reason, words in MUST_STAY.items():
        count, offsets, keys = cleaned.gone.get(reason, 0), cleaned.gone_offsets.get(reason, []), ""
        if reason == "newest" and cleaned.model and cleaned.model.lost:
            count, offsets = cleaned.model.lost, cleaned.model.lost_offsets
            keys = f" (key{'s' if len(cleaned.model.lost_keys) > 1 else ''} {some(cleaned.model.lost_keys)})"
        if count:
            why = words[1 if count == 1 else 2]
            parts.append(
                f"{plural(count, words[0])} must not be missing, because {why}: {at_offsets(offsets)}{keys}."
            )
    return parts


def model_words(model: Judged, point: int, point_is_from: str) -> list[str]:
    """What the model of the cleaner adds: what is late, what waits, which defect does such a thing."""
    parts = []
    if model.ahead:
        parts.append(
            f"Removed too early: {plural(model.ahead, 'record')} that only records from offset {point} on supersede. That is the "
            f"log cleaner's checkpoint, which is older than the compaction: {at_offsets(model.ahead_offsets)}."
        )
    if model.overdue:
        parts.append(
            f"Overdue: {plural(model.overdue, 'record')} still present, although {clean_section(point, point_is_from)}: "
            f"{at_offsets(model.overdue_offsets)}."
        )
    if model.defect:
        parts.append(
            f"A log cleaner with {model.defect} (brokers before 2.8.2, 3.0.2 and 3.1.1) causes exactly this: it treats "
            f"aborted records as committed."
        )
    waits = [WAITING[reason](count, model, point) for reason, count in model.waiting.items()]
    return [*parts, f"Still present (allowed): {listed(waits)}."] if waits else parts


def _not_reached(count: int, model: Judged, point: int) -> str:
    end = "where the offset map was full" if model.map_was_full else "where the clean section ends"
    return f"{plural(count, 'record')} that only records from offset {point} on supersede, {end}"


WAITING: dict[str, Callable[[int, Judged, int], str]] = {
    "horizon": lambda count, model, _: (
        f"{plural(count, 'tombstone or transaction marker', 'tombstones or transaction markers')} that stay until their delete "
        f"horizon (the last: {moment(model.last_horizon_ms)})"
    ),
    "not_due": lambda count, *_: (
        f"{plural(count, 'tombstone or transaction marker', 'tombstones or transaction markers')} whose removal "
        "depends on the age of their segment"
    ),
    "not_told": lambda count, *_: (
        f"{plural(count, 'record')} of which it is unknown whether the log cleaner could remove them"
    ),
    "not_reached": _not_reached,
}
