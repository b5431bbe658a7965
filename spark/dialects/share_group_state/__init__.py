"""`__share_group_state`: what the share coordinators know of the deliveries of share groups (KIP-932).

tables     fields of the records           interpret   records -> entries
deliveries what two lists of batches give  replay      entries -> state        sniff   recognise the journal
"""

from __future__ import annotations

from spark.dialects import Dialect
from spark.dialects.share_group_state.interpret import interpret
from spark.dialects.share_group_state.replay import replay
from spark.dialects.share_group_state.sniff import sniff

dialect = Dialect(
    id="share-group-state",
    title="Share coordinator (__share_group_state)",
    sniff=sniff,
    interpret=interpret,
    replay=replay,
    is_compacted=False,  # the coordinator deletes what it no longer needs with DeleteRecords
)
