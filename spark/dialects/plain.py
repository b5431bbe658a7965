"""Plain: a topic of an unknown journal type. Its records are shown and related, but not interpreted."""

from __future__ import annotations

import pyarrow as pa

from spark.dialects import Dialect, Match


def sniff(topic: str, records: pa.Table) -> Match:
    """Fits every topic with the lowest score: any dialect that recognises the topic wins."""
    return Match(1, "No service's journal was recognized. Keys and values are shown unchanged.")


dialect = Dialect(id="plain", title="Plain topic", sniff=sniff)
