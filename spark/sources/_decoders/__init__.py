"""Output of Kafka's decoders and formatters for its own topics, converted back to the bytes of the records.

    json_forms    `{"type":"1","data":{..}}` and `{"version":"3","data":{..}}`     dump-log since 3.7, console since 4.0
    text_forms    `offset_commit::group=..`, `offset::g:t:0`, `transactionalId=..`  dump-log up to 3.x
    toString      `[g,t,0]::OffsetAndMetadata(..)`, `tx::TransactionMetadata(..)`   console up to 3.x

Members that a form does not print get default values and are named in `missing`. An unreadable form raises
NotDecoded. Source: Kafka `DumpLogSegments`, `GroupMetadataManager`, `TransactionLog`, `tools/consumer/*Formatter`.
"""

from __future__ import annotations

from dataclasses import dataclass


class NotDecoded(ValueError):
    """The text is not a decoder's, or the decoder could not read the record."""


@dataclass(frozen=True)
class Pair:
    """Key and value of one record. `missing`: members that were not printed and have default values here."""

    key: bytes | None
    value: bytes | None
    missing: str = ""
