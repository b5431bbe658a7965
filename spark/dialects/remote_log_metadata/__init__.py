"""`__remote_log_metadata`: which segments the brokers copied to remote storage (tiered storage, KIP-405).

tables     fields of the events and their states    interpret   records -> entries
segments   what a broker keeps of them              replay      entries -> state     sniff   recognise the journal
"""

from __future__ import annotations

from spark.dialects import Dialect
from spark.dialects.remote_log_metadata.interpret import interpret
from spark.dialects.remote_log_metadata.replay import replay
from spark.dialects.remote_log_metadata.sniff import sniff

dialect = Dialect(
    id="remote-log-metadata",
    title="Tiered storage (__remote_log_metadata)",
    sniff=sniff,
    interpret=interpret,
    replay=replay,
    is_compacted=False,
)
