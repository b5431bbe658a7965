"""The log cleaner as a model over tables: what a cleaning leaves of a log, pass by pass, to the offset.

    select   which part is dirty, where the cleaner must stop, whether a cleaning is due
    clean    one pass: offset map, groups of segments, what happens to each batch and record
    log      what it works on: batches, records, segments and aborted transactions as arrays
    version  how brokers of different versions clean

Sources: Kafka `LogCleaner`, `LogCleanerManager`, `MemoryRecords.filterTo`, `CleanedTransactionMetadata`; KIP-534,
KAFKA-13727, KAFKA-17076. The clock and every setting are arguments; nothing here reads a clock.
"""

from __future__ import annotations

from spark.cleaner.clean import CleanedLog, Settings, clean
from spark.cleaner.log import AbortedTxn, Log, log_of
from spark.cleaner.select import Bounds, bounds_of
from spark.cleaner.version import Behaviour, behaviour_of

__all__ = [
    "AbortedTxn",
    "Behaviour",
    "Bounds",
    "CleanedLog",
    "Log",
    "Settings",
    "behaviour_of",
    "bounds_of",
    "clean",
    "log_of",
]
