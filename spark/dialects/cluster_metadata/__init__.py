"""`__cluster_metadata`: the journal of the KRaft controllers, from which every broker learns the cluster.

tables      record types and their fields      interpret   records -> entries, secrets left out
sniff       recognise the journal              cluster     what a controller holds, one function per record type
replay      entries -> state, refusals         snapshots   which one a log without its head starts from
"""

from __future__ import annotations

from spark.dialects import Dialect
from spark.dialects.cluster_metadata.interpret import interpret
from spark.dialects.cluster_metadata.replay import replay
from spark.dialects.cluster_metadata.snapshots import base, snapshot_of
from spark.dialects.cluster_metadata.sniff import sniff

dialect = Dialect(
    id="cluster-metadata",
    title="KRaft controllers (__cluster_metadata)",
    sniff=sniff,
    interpret=interpret,
    replay=replay,
    is_compacted=False,
    base=base,
    snapshot_of=snapshot_of,
)
