"""Karapace schema backup, version 3, the data file `<topic>:<partition>.data`.

    file => (size:uint32 Record)*
    Record => key:bytes|null value:bytes|null headers:[bytes bytes] offset:long timestamp:long checkpoint:bytes|null

In Avro's binary encoding. A checkpoint is the XXH64 of all bytes before its record, about every 100 records or 16 KiB.
The digest of the whole file stands in the metadata beside it (`karapace-metadata`). Source: Karapace
`backup/backends/v3/`.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from spark.sources import EXPORT_LACKS, InputFile, Recognition, Source, Split
from spark.sources.karapace_v3.frames import DamagedSpan, frames
from spark.sources.karapace_v3.read import read

NAME = re.compile(r"^(?P<topic>.+)[:_](?P<partition>\d{1,9})\.data$")
FRAMES_LOOKED_AT = 3


def recognise(file: InputFile, head: bytes) -> Recognition:
    """By its first records, which use all bytes; if the first ones are damaged, by its name."""
    is_named = NAME.match(PurePosixPath(file.name).name) is not None
    first_frames = []
    for frame in frames(head):
        first_frames.append(frame)
        if len(first_frames) == FRAMES_LOOKED_AT:
            break
    whole = [frame for frame in first_frames if not isinstance(frame, DamagedSpan)]
    is_sound = bool(first_frames) and not isinstance(first_frames[0], DamagedSpan)
    if not whole or not (is_sound or is_named):
        return Recognition(False, "does not begin with a length and a record of a version 3 backup")
    return Recognition(True, "V3, records in Avro with their offsets and checksums", 92 if is_named else 60)


def split(file: InputFile, number: int, topic: str, partition: int, replica: str) -> list[Split]:
    """The whole file: its checksums are cumulative. Topic and partition are in its name."""
    match = NAME.match(PurePosixPath(file.name).name)
    if match:
        topic, partition = match["topic"], int(match["partition"])
    return [Split(number, file.path, file.name, source.id, 0, file.size_bytes, topic, partition, replica)]


source = Source(
    id="karapace-v3",
    title="Karapace schema backup, version 3",
    kind="export",
    lacks=EXPORT_LACKS,
    recognise=recognise,
    read=read,
    cut=split,
)
