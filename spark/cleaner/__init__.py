"""The log cleaner as a model over tables: what a cleaning leaves of a log, pass by pass, to the offset.

    clean        one pass: groups of segments, what happens to each batch and record, by the broker's version
    offset_map   the newest offset of each key in the dirty part
    transactions what the cleaner knows of transactions while it reads
    log          what it works on: batches, records, segments and aborted transactions as arrays

Sources: Kafka `LogCleaner`, `MemoryRecords.filterTo`, `CleanedTransactionMetadata`; KIP-534, KAFKA-13727, KAFKA-17076.
The clock and every setting are arguments; nothing here reads a clock.
"""
