"""Sentences in tables without any data: if names are hidden, a share shows only these.

`{}` is a number. Tests compare them with the code that writes them (tests/spark/terms/test_table_phrases.py).
"""

from __future__ import annotations

import re
from functools import cache

from spark.terms.marked import quote

NUMBER = r"(?:-?\d{1,19}|\d{1,3}(?:,\d{3}){1,6})"  # `74`, `1,204`
PHRASES = (
    # gaps.proof
    "the offsets are missing at unreadable bytes",
    "a batch header covers these offsets: the log cleaner removed the records and kept the offset range",
    "bytes in the same gap are unreadable, and their offsets are unknown",
    "deleted before the end of the capture: the broker's log then started at offset {}",
    "the capture did not request these offsets from the broker",
    "the log starts with a later segment: retention or DeleteRecords deleted the earlier segments",
    "the offsets are in the clean section of the log, from which the log cleaner has removed records",
    "every earlier record has a key and every key occurs once, as after a compaction",
    "the topic is compacted and every key of an earlier record occurs once",
    "if the topic is compacted: every key of an earlier record occurs once, as after a compaction",
    "one file of the capture ends before these offsets and the next starts after them",
    "control records have offsets, and this file format leaves them out",
    "aborted records and control records have offsets, and a read_committed consumer leaves them out",
    "the output contains records without the lines of their batches, so some lines were left out",
    "possible causes are compaction, transactions, a filter or loss: the topic's settings (kafka-configs.sh --describe) or the log segments show which",
    "nothing shows that the topic is compacted, and the records on both sides follow each other without a gap",
    "the input shows no cause",
    # damage.detail
    "No batch is readable from position {} to {}.",
    "No batch is readable from position {} to {}: {} bytes from position {} on are zero.",
    "The file ends {} bytes into the header of a batch at position {}.",
    "The last batch, at position {}, has {} of {} bytes.",
    "The last batch, at position {}, has {} of {} bytes; zeros follow.",
    "The file is damaged in more than {} ranges. The rest of the file was not searched.",
    # cleanings.why
    "the checkpoint of the log cleaner names it, with offset {}",
    "the log cleaner has set a delete horizon in the batch at offset {}",
    "the batch at offset {} has fewer records than offsets, so the log cleaner removed some",
    "the topic's cleanup.policy was compact at the time of the capture",
    "the topic's cleanup.policy was delete at the time of the capture",
    "the topic's cleanup.policy was compact,delete at the time of the capture",
    "a tombstone at offset {} deletes a key that had a value",
    "a tombstone at record {} of the print deletes a key that had a value",
    "no checkpoint, batch or tombstone shows a compaction",
)


def is_phrase(text: str) -> bool:
    return phrases().fullmatch(text) is not None


def as_text(text: str) -> str:
    """The sentence for use within another: a phrase as it is, anything else as a quote of data."""
    return text if is_phrase(text) else quote(text)


@cache
def phrases() -> re.Pattern[str]:
    """All of them together."""
    return re.compile("|".join(re.escape(phrase).replace(r"\{\}", NUMBER) for phrase in PHRASES))
