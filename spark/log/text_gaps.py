"""Gaps in text dumps. A dump of records alone shows no trace of the log cleaner and no control records, so evidence decides:

    compacted       settings, a tombstone after its value, or the journal's service show that the topic is compacted, and no
                    key stands twice below the gap: an older version of a key may have been there
    control         a key stands twice below, so it was no compaction; few offsets, as markers of transactions take
    aborted         the same, more offsets, and gaps of one offset elsewhere show that the topic has transactions
    unexplained     a wide gap, and on both sides records that follow each other without a gap, in a dump of few gaps:
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
MAX_GAPS = 3  # a cleaner or a filter leaves more of them


def cleaned(log: GapLog, pieces: Ranges) -> np.ndarray:
    """Offsets at which the cleaner of a compacted topic may have removed older versions of keys."""
    if not (log.is_text and log.is_compacted) or not len(pieces[0]):
        return np.zeros(len(pieces[0]), bool)
    return pieces[1] < log.unique_below()


def may_be_markers(log: GapLog, gaps: Ranges) -> np.ndarray:
    """Gaps as narrow as markers of transactions leave them; of a text dump only where it was no compaction."""
    return (sizes(gaps) <= MAX_MARKERS_IN_A_ROW) & ~may_be_cleaned(log, gaps)


def may_be_aborted(log: GapLog, gaps: Ranges) -> np.ndarray:
    """Gaps of any width; of a text dump only where other gaps show transactions, and where it was no compaction."""
    if not log.is_text:
        return np.ones(len(gaps[0]), bool)
    return np.full(len(gaps[0]), has_transactions(gaps)) & ~may_be_cleaned(log, gaps)


def of_unknown_cause(log: GapLog, gaps: Ranges) -> np.ndarray:
    """Gaps of a text dump that something common may have made, and nothing tells what."""
    if not log.is_text:
        return np.zeros(len(gaps[0]), bool)
    may_be_aborted = may_be_cleaned(log, gaps) & has_transactions(gaps)
    return ~stands_alone(log, gaps) | may_be_aborted


def may_be_cleaned(log: GapLog, gaps: Ranges) -> np.ndarray:
    """Gaps of a text dump below which every record has a key and each key occurs once, if the topic may be compacted."""
    if not log.is_text or log.is_kept_whole or not len(gaps[0]):
        return np.zeros(len(gaps[0]), bool)
    return gaps[1] < log.unique_below()


def has_transactions(gaps: Ranges) -> bool:
    """Whether single offsets are missing, as the marker of each transaction leaves them."""
    return bool((sizes(gaps) == 1).any())


def stands_alone(log: GapLog, gaps: Ranges) -> np.ndarray:
    """Wide gaps between records without gaps, in a dump of few gaps."""
    if not 0 < len(gaps[0]) <= MAX_GAPS:
        return np.zeros(len(gaps[0]), bool)
    before = gaps[0] - np.r_[log.runs[0][0], gaps[1][:-1] + 1]
    after = np.r_[gaps[0][1:], log.runs[1].max() + 1] - gaps[1] - 1
    is_wide = sizes(gaps) > MAX_MARKERS_IN_A_ROW
    return is_wide & (np.minimum(before, after) >= MIN_RECORDS_AROUND)


def sizes(gaps: Ranges) -> np.ndarray:
    return gaps[1] - gaps[0] + 1
