"""Redaction: the result folder of an inspection in, the result folder of a share out. Knows tables, not users.

    columns     what every column is; what is not named there does not come along
    options     what is hidden
    selection   which rows
    rewriting   the expression for each kind of column; masks and texts do what SQL cannot
    tables      writes them
    report      report.json

Everything that a shared page, its search, its figures and its exports show is read from what is written here.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import duckdb

from spark.redaction.columns import COLUMNS
from spark.redaction.hashing import digest
from spark.redaction.options import VERSION, Options
from spark.redaction.report import Reports, told_id
from spark.redaction.rewriting import Names, Rewriting
from spark.redaction.selection import Selection
from spark.redaction.tables import open_database, reading, write_tables
from spark.redaction.texts import Texts
from spark.redaction.vocabulary import EDGES, Vocabulary
from spark.tables import Manifest

__all__ = ["VERSION", "Names", "Options", "Selection", "Vocabulary", "names_of", "redact", "told_id"]

FILE_MEMBERS = ("name", "sha256", "kind", "layout", "size_bytes", "layout_title", "note")


def redact(
    source: Path, target: Path, options: Options, selection: Selection, vocabulary: Vocabulary
) -> dict[str, Any]:
    """Write the share's tables and report into `target`; the report. Raises OSError when the source is gone."""
    manifest = Manifest.load(source)
    whole = json.loads((source / "report.json").read_text())
    target.mkdir(parents=True, exist_ok=True)
    spill = target / "spill"
    database = open_database(spill)
    try:
        places = _places(database, manifest, whole)
        names = _names(places, options)
        in_files = {} if options.names else _file_names(database, manifest)
        rewriting = Rewriting(options, names, _texts(places, names, options, vocabulary, in_files))
        written = write_tables(database, manifest, target, rewriting, selection)
        files, held = _files(database, written), _held(database, written)
    finally:
        database.close()
        shutil.rmtree(spill, ignore_errors=True)
    partitions = {f"{topic}-{number}": f"{names.topics[topic]}-{number}" for topic, number, _ in places}
    document = Reports(rewriting, selection).document(whole, partitions, files, held)
    (target / "report.json").write_text(json.dumps(document))
    return document


def names_of(source: Path, options: Options) -> Names:
    """What topics and copies are called in a share: for the addresses of its pages."""
    database = open_database()
    try:
        whole = json.loads((source / "report.json").read_text())
        return _names(_places(database, Manifest.load(source), whole), options)
    finally:
        database.close()


def _places(
    database: duckdb.DuckDBPyConnection, manifest: Manifest, whole: dict[str, Any]
) -> list[tuple[str, int | None, str]]:
    """Topic, partition and copy of every row that has one, and of the findings."""
    with_place = [
        table for table, columns in COLUMNS.items() if "replica" in columns and manifest.paths(table)
    ]
    query = " UNION ".join(
        f'SELECT DISTINCT topic, "partition", replica FROM {reading(manifest, table)}' for table in with_place
    )
    found = set(database.execute(query).fetchall()) if query else set()
    told = [*whole.get("findings", []), *whole.get("format_advice", [])]
    found |= {(one.get("topic"), one.get("partition"), one.get("replica")) for one in told}
    found |= {(one.get("topic"), None, "") for one in whole.get("journals", [])}
    return sorted(
        {(topic or "", number, copy or "") for topic, number, copy in found},
        key=lambda place: (place[0], -1 if place[1] is None else place[1], place[2]),
    )


def _names(places: list[tuple[str, int | None, str]], options: Options) -> Names:
    topics = _numbered("topic", (topic for topic, _, _ in places), options.names, options.salt)
    copies = (copy for _, _, copy in places)
    return Names(topics, _numbered("copy", copies, options.payloads and options.names, options.salt))


def _numbered(noun: str, names: Iterable[str], are_told: bool, salt: bytes) -> dict[str, str]:
    """Each name as it is, or as `noun-1`, `noun-2` in no order of theirs; no name and an unknown one stay."""
    known = sorted(
        {name for name in names if name not in ("", "?")}, key=lambda name: digest(salt, "place:" + name)
    )
    told = {name: name if are_told else f"{noun}-{number}" for number, name in enumerate(known, 1)}
    return told | {"": "", "?": "?"}


def _file_names(database: duckdb.DuckDBPyConnection, manifest: Manifest) -> dict[str, str]:
    """What stands for each input file and for the last part of its path."""
    rows = database.execute(
        f'SELECT name, "file" FROM {reading(manifest, "files")} ORDER BY "file"'
    ).fetchall()
    told = {name: f"file {number + 1}" for name, number in rows if name}
    ends = {name.rsplit("/", 1)[-1]: as_told for name, as_told in told.items()}
    return {name: as_told for name, as_told in (ends | told).items() if len(name) > 2}


def _texts(
    places: list[tuple[str, int | None, str]],
    names: Names,
    options: Options,
    vocabulary: Vocabulary,
    files: dict[str, str],
) -> Texts:
    """Sentences may tell topics, partitions, copies and hidden files as the tables do."""
    told = {
        name: as_told for name, as_told in {**names.topics, **names.copies}.items() if name not in ("", "?")
    }
    for topic, number, _ in places:
        if topic not in ("", "?"):
            as_told = names.topics[topic]
            told |= {f"{topic}-{number}": f"{as_told}-{number}", f"{topic}.json": f"{as_told}.json"}
    told = files | told
    bare = {name.strip(EDGES): as_told for name, as_told in told.items() if name.strip(EDGES) not in told}
    return Texts(vocabulary, options.salt, told | {name: as_told for name, as_told in bare.items() if name})


def _files(database: duckdb.DuckDBPyConnection, written: Manifest) -> list[dict[str, Any]]:
    columns = ", ".join(f'"{name}"' for name in FILE_MEMBERS)
    rows = database.execute(f'SELECT {columns} FROM {reading(written, "files")} ORDER BY "file"').fetchall()
    return [dict(zip(FILE_MEMBERS, row, strict=True)) for row in rows]


def _held(database: duckdb.DuckDBPyConnection, written: Manifest) -> list[tuple[str, int, int, int, int]]:
    """Partitions with their records, counted in the share's own tables."""
    rows = reading(written, "lifelines")
    return database.execute(
        'SELECT topic, "partition", count_if(kind <> \'control\'), min("offset"), max("offset") '
        f"FROM {rows} GROUP BY ALL ORDER BY ALL"
    ).fetchall()
