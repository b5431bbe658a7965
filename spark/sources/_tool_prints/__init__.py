"""What Kafka's tools print of a cluster: settings, offsets, transactions, groups, and where the log cleaner came.

    topics.py     kafka-topics --describe         configs.py   kafka-configs --describe
    offsets.py    kafka-get-offsets               transactions.py  kafka-transactions
    groups.py     kafka-consumer-groups           cleaner.py   lines of the log cleaner in a broker's log
    columns.py    tables of padded columns        source.py    a print as a companion of the journal

A parser takes the text and gives the rows that it finds, in order; lines that are none of the tool's are passed over, for
a prompt or a warning may stand between. An empty list means that the text is not this print.
"""

TOOL_PRINTS = (
    "kafka-topics-describe",
    "kafka-configs-describe",
    "kafka-get-offsets",
    "kafka-transactions",
    "kafka-consumer-groups",
    "log-cleaner-lines",
)  # ids of the sources
