"""Holes in text dumps. A dump of records alone shows no trace of the log cleaner and no control records, so evidence decides:

    compacted       settings, a tombstone after its value, or the journal's service show that the topic is compacted, and no
                    key stands twice below the hole: an older version of a key may have been there
    control         a key stands twice below, so it was no compaction; few offsets, as markers of transactions take
    aborted         the same, more offsets, and holes of one offset elsewhere show that the topic has transactions
    unexplained     a wide hole, and on both sides records that follow each other without a hole, in a dump of few holes:
                    neither the cleaner nor a filter works so
    unknown         any other

Source: Kafka `LogCleaner` keeps the newest record of each key; `EndTransactionMarker`: one control record for each
transaction and partition.
"""

from __future__ import annotations

import numpy as np

from spark.log._gap_evidence import GapLog
from spark.log._ranges import Ranges

UNBROKEN_AROUND = (
    "nothing shows that the topic is compacted, and the records on both sides follow each other without a gap"
)
MAX_MARKERS_IN_A_ROW = 10  # markers of different producers may stand side by side; more at once is no habit
MIN_RECORDS_AROUND = 10  # in a row, on either side: what is thinned at random shows no such borders
MAX_HOLES = 3  # a cleaner or a filter leaves more of them


def cleaned(log: GapLog, pieces: Ranges) -> np.ndarray:
    """Offsets at which the cleaner of a compacted topic may have removed older versions of keys."""
    if not (log.is_text and log.is_compacted) or not len(pieces[0]):
        return np.zeros(len(pieces[0]), bool)
    return pieces[1] < log.unique_below()


def may_be_markers(log: GapLog, holes: Ranges) -> np.ndarray:
    """Holes as narrow as markers of transactions leave them; of a text dump only where it was no compaction."""
    return (sizes(holes) <= MAX_MARKERS_IN_A_ROW) & ~may_be_cleaned(log, holes)


def may_be_aborted(log: GapLog, holes: Ranges) -> np.ndarray:
    """Holes of any width; of a text dump only where other holes show transactions, and where it was no compaction."""
    if not log.is_text:
        return np.ones(len(holes[0]), bool)
    return np.full(len(holes[0]), has_transactions(holes)) & ~may_be_cleaned(log, holes)


def of_unknown_cause(log: GapLog, holes: Ranges) -> np.ndarray:
    """Holes of a text dump that something common may have made, and nothing tells what."""
    if not log.is_text:
        return np.zeros(len(holes[0]), bool)
    may_be_aborted = may_be_cleaned(log, holes) & has_transactions(holes)
    return ~stands_alone(log, holes) | may_be_aborted


def may_be_cleaned(log: GapLog, holes: Ranges) -> np.ndarray:
    """Holes of a text dump below which every record has a key and no key stands twice, if the topic may be compacted."""
    if not log.is_text or log.is_kept_whole or not len(holes[0]):
        return np.zeros(len(holes[0]), bool)
    return holes[1] < log.unique_below()


def has_transactions(holes: Ranges) -> bool:
    """Whether single offsets are missing, as the marker of each transaction leaves them."""
    return bool((sizes(holes) == 1).any())


def stands_alone(log: GapLog, holes: Ranges) -> np.ndarray:
    """Wide holes between records without holes, in a dump of few holes."""
    if not 0 < len(holes[0]) <= MAX_HOLES:
        return np.zeros(len(holes[0]), bool)
    before = holes[0] - np.r_[log.runs[0][0], holes[1][:-1] + 1]
    after = np.r_[holes[0][1:], log.runs[1].max() + 1] - holes[1] - 1
    is_wide = sizes(holes) > MAX_MARKERS_IN_A_ROW
    return is_wide & (np.minimum(before, after) >= MIN_RECORDS_AROUND)


def sizes(holes: Ranges) -> np.ndarray:
    """Offsets in each hole."""
    return holes[1] - holes[0] + 1
