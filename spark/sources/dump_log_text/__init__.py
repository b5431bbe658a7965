"""kafka-dump-log.sh --print-data-log, 0.10 to 4.x: batches and records in lines of `name: value`.

    recognise.py   the layout, the kind of a line       fields.py      kinds of lines and their fields
    windows.py     a range as windows of whole batches  walk.py        lines into numbers, in compiled code
    columns.py     numbers into tables                  rebuild.py     keys, values and batches rebuilt for their checksum
    unnumbered.py  records without offsets              decoded.py     records that a decoder printed as text
    odd.py         the tool's reports, other lines      read.py        a split into tables
    beginnings.py  how lines begin, for pasted text

Page: docs/sources/dump-log-text.md. Without --print-data-log: `dump_log_batches.py`.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise

from spark.sources import InputFile, Source, Split
from spark.sources.dump_log_text.read import names_its_partition, read
from spark.sources.dump_log_text.recognise import recognise
from spark.sources.dump_log_text.windows import borders, dumped_files
from spark.terms.marked import UNNAMED

ID = "dump-log-text"


def split(
    file: InputFile, number: int, topic: str, partition: int, replica: str, source: str = ID
) -> list[Split]:
    """Splits of about 24 MB that begin with a batch; each knows the dumped file that it continues."""
    cut = []
    lacks = [] if topic != UNNAMED or names_a_partition(file.path) else ["topic", "partition"]
    for (start, dumped, segments), (end, _, _) in pairwise(borders(file.path)):
        detail: dict[str, object] = {"dumped": dumped, "segments": segments, "lacks": lacks}
        whole = Split(number, file.path, file.name, source, start, end, topic, partition, replica, detail)
        cut.append(whole)
    return cut


def names_a_partition(path: str) -> bool:
    """Whether a `Dumping` line has the folder of a partition."""
    return any(map(names_its_partition, dumped_files(path)))


source = Source(
    id=ID,
    title="kafka-dump-log with records",
    kind="export",
    lacks=frozenset({"header-values"}),
    recognise=partial(recognise, wants_contents=True),
    read=partial(read, is_bare=False),
    cut=split,
)
