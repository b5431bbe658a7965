"""`__consumer_offsets`: committed offsets and group membership, as the group coordinators keep them.

record_types   which number in a key is which record         tables    their fields
interpret      records -> entries                            sniff     recognise the journal
groups         what a coordinator holds in memory            replay    entries -> state, refusals
"""

from __future__ import annotations

from spark.dialects import Dialect
from spark.dialects.consumer_offsets.interpret import interpret
from spark.dialects.consumer_offsets.replay import replay
from spark.dialects.consumer_offsets.sniff import sniff

dialect = Dialect(
    id="consumer-offsets",
    title="Group coordinator (__consumer_offsets)",
    sniff=sniff,
    interpret=interpret,
    replay=replay,
    reads_committed=True,
)
