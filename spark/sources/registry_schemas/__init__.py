"""Schemas that a capture fetched from a registry (`journalscope-schemas.json`): the drawer of a record decodes with them.

    Schemas => {"journalscope_schemas": 1, "schemas": [{"id", "type", "schema", "references", "subjects"}], "missing": [{"id", "why"}]}

    entries.py      each schema and what it refers to -> rows of `properties`
    descriptors.py  the text of Protobuf -> descriptors

One row for each id, `schema <id>`: what is known of it as JSON. No detector reads them. Page: docs/sources/registry-schemas.md
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from spark.sources import Chunk, InputFile, Recognition, Source, Split
from spark.sources._rows import RowOrigin, properties
from spark.sources.capture_manifest.members import Form, InvalidManifest
from spark.sources.companion.names import file_name
from spark.sources.companion.rows import damage
from spark.sources.registry_schemas.entries import named, sentence

# 192 MB: a capture fetches at most 128
SCHEMAS = Form("journalscope_schemas", "the file of schemas", version=1, most_bytes=192 << 20)
NAME = re.compile(r"journalscope-schemas.*\.json")
MARK = re.compile(rb'\s*\{\s*"journalscope_schemas"\s*:')


def recognise(file: InputFile, head: bytes) -> Recognition:
    """By its first member, or by its name."""
    if not MARK.match(head) and not NAME.fullmatch(file_name(file.name)):
        return Recognition(False, 'does not begin with the member "journalscope_schemas"')
    return Recognition(True, "schemas of a registry, fetched with a capture", 96)


def read(split: Split) -> Iterator[Chunk]:
    """One row for each id, or the reason why there are none."""
    try:
        document = SCHEMAS.read(split.path)
        rows = named(document)
    except InvalidManifest as error:
        wrong = f"{error} Values are not decoded with it. The segments are still read."
        yield Chunk(damage=damage(split, wrong, split.end), note=wrong)
        return
    yield Chunk(others={"properties": properties(RowOrigin.of_split(split), rows)}, note=sentence(document))


source = Source(
    id="registry-schemas",
    title="Schemas of a registry",
    kind="companion",
    recognise=recognise,
    read=read,
)
