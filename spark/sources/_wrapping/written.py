"""An output as a file of its own, and the mapping of positions in it to positions in the upload.

The map is a file next to it: two rows of int64, the start of each line in the file and in the upload.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import cast

import numpy as np
import pyarrow as pa

from spark.sources import Chunk, InputFile, Split, sources
from spark.sources._rows import DamagedRange, RowOrigin, damage_table
from spark.sources._wrapping.lines import UploadLine
from spark.sources._wrapping.pieces import ToolOutput
from spark.storage.copies import fetched, local_path, store
from spark.storage.files import open_binary
from spark.storage.stored_path import ResultPath, StoredPath

MAP = ".lines"
OF_THE_TOOL = "kafka-dump-log "  # damage whose place is one in the log that was dumped begins so
NOT_A_ROW = "A line that begins as a record does and is truncated or changed"
DUMPS = ("dump-log-text", "dump-log-batches")


def written(file: InputFile, output: ToolOutput, folder: Path, name: str, is_one_of_many: bool) -> InputFile:
    """Writes the lines of an output; returns the file to inspect in place of the upload."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    starts = write_lines(output.lines, path, ends_open(file, output.lines))
    np.save(f"{path}{MAP}", starts)
    first, last = output.lines[0].number, output.lines[-1].number
    line_range = f"line {first}" if first == last else f"lines {first}-{last}"
    return replace(
        file,
        name=f"{file.name} ({line_range})" if is_one_of_many else file.name,
        path=str(path),
        size_bytes=path.stat().st_size,
        command=output.command.decode(errors="replace") or file.command,
        heading=output.topic,
    )


def with_stored_prints(splits: Sequence[Split], folder: ResultPath) -> list[Split]:
    """Splits that read the outputs from a folder of results; if that is in a store, from the store."""
    if not isinstance(folder, StoredPath):
        return list(splits)
    names = {str(path): str(folder / path.name) for path in local_path(str(folder)).glob("*")}
    for name in names.values():
        store(name)
    return [replace(split, path=names.get(split.path, split.path)) for split in splits]


def ends_open(file: InputFile, lines: list[UploadLine]) -> bool:
    """Whether the last line is the upload's last and lacks its line feed: it may be truncated."""
    last = lines[-1]
    if last.end < file.size_bytes:
        return False
    with open_binary(file.path, 2) as stream:
        stream.seek(max(0, last.end - 2))
        return b"\n" not in stream.read(2)


def write_lines(lines: list[UploadLine], path: Path, is_open: bool) -> np.ndarray:
    """Writes the lines with line feeds; returns their starts in the file and in the upload, and the ends of the last."""
    text = b"\n".join(line.text for line in lines) + (b"" if is_open else b"\n")
    path.write_bytes(text)
    sizes = np.fromiter((len(line.text) + 1 for line in lines), np.int64, len(lines))
    print_starts = np.r_[0, np.cumsum(sizes)]
    upload_starts = np.fromiter((line.start for line in lines), np.int64, len(lines))
    return np.stack([print_starts, np.r_[upload_starts, lines[-1].end]])


def line_map(path: str) -> np.ndarray:
    """The line map of a written output. Another inspection may have had a file at the same path."""
    written_at = Path(f"{path}{MAP}.npy").stat()
    return loaded(path, written_at.st_mtime_ns, written_at.st_ino)


@lru_cache(maxsize=8)
def loaded(path: str, changed_ns: int, number: int) -> np.ndarray:
    return np.asarray(np.load(f"{path}{MAP}.npy"))


def in_upload(path: str, places: np.ndarray) -> np.ndarray:
    """Positions in a written print as positions in the upload: the same byte of the same line, or the end of that line
    in the upload where cleaning made it shorter."""
    line_starts, upload_starts = line_map(path)
    lines = np.clip(np.searchsorted(line_starts, places, side="right") - 1, 0, len(line_starts) - 1)
    offset_in_line = places - line_starts[lines]
    next_starts = np.append(upload_starts[1:], upload_starts[-1])
    return np.minimum(upload_starts[lines] + offset_in_line, next_starts[lines])


def read_split(split: Split) -> Iterator[Chunk]:
    """The layout's rows of a split, with positions in the upload, without records that an earlier output has."""
    chunks = read_placed(split)
    return without_printed_before(split, chunks) if "repeats" in split.detail else chunks


def without_printed_before(split: Split, chunks: Iterable[Chunk]) -> Iterator[Chunk]:
    """Chunks without the rows that `spark.stages.prints.joined` dropped; records without offsets are numbered after those of an
    earlier output."""
    repeats = np.array(split.detail["repeats"], np.int64)
    numbered_from = cast("int | None", split.detail["numbered_from"])
    rows = done = 0
    for chunk in chunks:
        if chunk.records is not None:
            is_left = ~np.isin(np.arange(rows, rows + chunk.records.num_rows), repeats)
            rows += chunk.records.num_rows
            chunk.records = chunk.records.filter(pa.array(is_left))
            if numbered_from is not None:
                chunk.records = numbered(chunk.records, numbered_from + done)
            done += chunk.records.num_rows
        yield chunk


def numbered(records: pa.Table, first: int) -> pa.Table:
    """Numbers records without offsets from `first` on."""
    index = records.schema.get_field_index("offset")
    numbers = pa.array(np.arange(first, first + records.num_rows), pa.int64())
    return records.set_column(index, records.schema.field(index), numbers)


def read_placed(split: Split) -> Iterator[Chunk]:
    """The layout's rows of a split, with positions in the upload."""
    if not split.detail.get("is_written"):
        return sources()[split.source].read(split)
    fetched(f"{split.path}{MAP}.npy")
    split = replace(split, path=fetched(split.path))
    chunks = sources()[split.source].read(split)
    placed = (restored(chunk, split.path, split.source) for chunk in chunks)
    return chain(placed, beside(split)) if "unread" in split.detail else placed


def beside(split: Split) -> Iterator[Chunk]:
    """Damage: lines around an output that begin as its rows do, or another's, and could not be read."""
    unread = cast("list[tuple[int, int, str]]", split.detail["unread"])
    damage = [
        DamagedRange(start, size, "bad_line", f"{NOT_A_ROW}: {text}", None, None, True)
        for start, size, text in unread
    ]
    yield Chunk(damage=damage_table(RowOrigin.of_split(split), damage))


def restored(chunk: Chunk, path: str, source: str) -> Chunk:
    """Rows of a written output with positions in the upload."""
    if chunk.records is not None and source not in DUMPS:
        chunk.records = with_places(chunk.records, "batch_position", path)
    if chunk.damage is not None:
        chunk.damage = damage_restored(chunk.damage, path, source)
    return chunk


def with_places(table: pa.Table, column: str, path: str) -> pa.Table:
    """A table with a column of positions mapped to the upload."""
    index = table.schema.get_field_index(column)
    field = table.schema.field(index)
    places = table.column(index).to_numpy()
    return table.set_column(index, field, pa.array(in_upload(path, places), field.type))


def damage_restored(damage: pa.Table, path: str, source: str) -> pa.Table:
    """Positions and sizes of damage. In what kafka-dump-log reports, positions are those in the log and stay."""
    rows = damage.to_pylist()
    for row in rows:
        if source in DUMPS and str(row["detail"]).startswith(OF_THE_TOOL):
            continue
        ends = in_upload(path, np.array([row["position"], row["position"] + row["size_bytes"]]))
        row["position"], row["size_bytes"] = int(ends[0]), int(max(ends[1] - ends[0], 0))
    return pa.Table.from_pylist(rows, schema=damage.schema)
