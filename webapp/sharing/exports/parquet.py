"""Parquet: the columns as the tables have them, bytes as bytes. What the README says stands in the file's metadata, too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa
import pyarrow.parquet as pq

from webapp.sharing.exports.archive import Pipe

HOW = """records.parquet has one record a row; keys, values and headers are bytes.
  key_is_null, value_is_null   true for null; an empty key or value is no bytes and not null
  headers                      a list of name and value in their order; null: the source contains none
  control_type                 commit, abort, ... for records that a broker wrote itself; null for data
  kind                         what the service does with the record: create, update, delete, rejected, tombstone, ...
  decoded_key, decoded_value   JSON, where the bytes are not JSON text themselves and something explains them; else null
  replica                      the copy of the partition, where there are several
Numbers that the source could not tell are null. Filter, coverage and what is hidden also stand in the file's own
metadata, under the key journalscope."""


def written(portions: Iterable[pa.Table], about: str) -> Iterator[tuple[bytes, int]]:
    """(bytes, number of records) of each piece of the file."""
    sink = _Sink()
    writer: pq.ParquetWriter | None = None
    for portion in portions:
        if writer is None:
            schema = portion.schema.with_metadata({"journalscope": about})
            writer = pq.ParquetWriter(sink, schema, compression="zstd")
        writer.write_table(portion.cast(writer.schema))
        yield sink.taken(), len(portion)
    if writer is not None:
        writer.close()
        yield sink.taken(), 0


class _Sink(Pipe):
    """As pyarrow asks for it: it says where it stands."""

    closed = False
    _position = 0

    def write(self, data: bytes) -> int:
        """Keep it until it is taken."""
        written = super().write(data)
        self._position += written
        return written

    def tell(self) -> int:
        """Bytes so far."""
        return self._position

    def close(self) -> None:
        """Nothing to do."""
