"""Apicurio Registry 3.x with KafkaSQL storage: the journal of calls from which the registry rebuilds its database.

message_classes  the calls and their members            sniff      recognise journal, snapshots and events
interpret        records -> entries                     registry   the service's state in memory
replay           entries -> state, rejections            artifacts, settings, imports   one function per call
"""

from __future__ import annotations

from spark.dialects import Dialect
from spark.dialects.apicurio_v3.interpret import interpret
from spark.dialects.apicurio_v3.replay import replay
from spark.dialects.apicurio_v3.sniff import family, sniff

dialect = Dialect(
    id="apicurio-v3",
    title="Apicurio Registry 3.x (KafkaSQL journal)",
    sniff=sniff,
    interpret=interpret,
    replay=replay,
    family=family,
    is_compacted=False,
)
