"""Redaction: the result folder of an inspection in, the result folder of a share out. Knows tables, not users.

    columns        the kind of every column; an unlisted column is left out
    options        what is hidden
    selection      which rows
    journal_parts  by dialect: the part of a record that each decoded member and name comes from
    shown_names    names that are shown, pseudonyms of the others; entity_ids: the names that an id joins
    shown_bytes    keys and values: decoded by their schemas, then masked; shown_members: members that dialects decoded
    kafka_names    files and folders whose names follow Kafka's grammar: they are shown
    rewriting      the SQL expression for each kind of column; masks and texts for what SQL cannot do
    tables         writes them
    report         report.json
    documents      words of documents that are made later: a comparison, a plan of repair

A shared page, its search, its charts and its exports only read what is written here.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from spark.redaction.columns import COLUMNS
from spark.redaction.documents import DocumentWords
from spark.redaction.hashing import digest
from spark.redaction.kafka_names import copy_names, is_of_kafka
from spark.redaction.options import NAMES, VERSION, Options
from spark.redaction.report import PartitionCounts, Reports, is_rule, shared_id
from spark.redaction.rewriting import Rewriting, ShareNames
from spark.redaction.selection import Selection
from spark.redaction.shown_names import ShownNames, dialects_of, names_in
from spark.redaction.tables import write_tables
from spark.redaction.typed_texts import ShareTexts
from spark.storage.stored_path import ResultPath
from spark.tables import Manifest
from spark.tables.connections import REDACT
from spark.tables.schemas.reader import SchemaReader
from spark.tables.store import ResultTables
from spark.terms.topic_rules import kafkas_own

__all__ = [
    "VERSION",
    "DocumentWords",
    "Options",
    "Selection",
    "ShareNames",
    "names_of",
    "redact",
    "shared_id",
    "words_of",
]

HELD = """
SELECT topic, "partition", count_if(kind <> 'control'), min("offset"), max("offset") FROM lifelines GROUP BY ALL ORDER BY ALL
"""
FIRST_FILES = (
    """SELECT replica, min("file") FROM files WHERE replica <> '' GROUP BY replica ORDER BY min("file")"""
)
ARE_REPLICAS = (
    "SELECT coalesce(bool_and(kind = 'segment'), false) FROM files WHERE kind IN ('segment', 'export')"
)
FILE_PLACES = """SELECT "file", coalesce(name, ''), topic, "partition", replica FROM files ORDER BY "file" """
UNNAMED = ("", "?")
READ_HEADERS = frozenset({"dead-letters", "headers-grow", "type-header-renamed"})  # ids of checks
Replica = tuple[str, int | None, str]  # topic, partition, copy
FILE_MEMBERS = ("name", "sha256", "kind", "layout", "size_bytes", "layout_title", "note")


def redact(source: ResultPath, target: Path, options: Options, selection: Selection) -> dict[str, Any]:
    """Writes the share's tables and report into `target`, returns the report. Raises OSError if the source is deleted."""
    manifest = Manifest.load(source)
    whole = json.loads((source / "report.json").read_text())
    target.mkdir(parents=True, exist_ok=True)
    spill = target / "spill"
    try:
        with ResultTables.open(manifest, profile=REDACT, spill=str(spill)) as tables:
            rewriting = _prepared(tables, manifest, whole, options)
            with ResultTables.open(manifest, profile=REDACT, spill=str(spill)) as schemas:
                rewriting.bytes.reader = SchemaReader(schemas)
                written = write_tables(tables, manifest, target, rewriting, selection)
            sentences = sentence_options(whole, options)
            if sentences != options:
                rewriting = _prepared(tables, manifest, whole, sentences)
    finally:
        shutil.rmtree(spill, ignore_errors=True)
    with ResultTables.open(written, profile=REDACT, spill="") as shared:
        input_files, partition_counts = _files(shared), _partition_counts(shared)
    partitions = rewriting.texts.partitions
    document = Reports(rewriting, selection).document(whole, partitions, input_files, partition_counts)
    (target / "report.json").write_text(json.dumps(document))
    return document


def sentence_options(whole: dict[str, Any], options: Options) -> Options:
    """A sentence does not say which of its words come from headers: if headers are hidden and a check that reads them
    found something, the report says of keys only what dialects read in them."""
    readers = (finding for finding in whole.get("findings", []) if quotes_headers(finding))
    is_narrowed = options.shows_all_names and not options.headers and any(readers)
    return replace(options, keys=NAMES) if is_narrowed else options


def quotes_headers(finding: dict[str, Any]) -> bool:
    return is_rule(finding) or finding.get("detector") in READ_HEADERS


def names_of(source: ResultPath, options: Options) -> ShareNames:
    """The share's names for topics and copies, for the addresses of its pages."""
    manifest, whole = Manifest.load(source), json.loads((source / "report.json").read_text())
    with ResultTables.open(manifest, profile=REDACT, spill="") as tables:
        return _names(tables, _replicas(tables, manifest, whole), options)


def words_of(source: ResultPath, options: Options, further_names: Iterable[str] = ()) -> DocumentWords:
    """For documents about this inspection. `further_names`: those in them that its report does not have.

    They quote titles of findings, so they say no more of keys than the report does.
    """
    manifest, whole = Manifest.load(source), json.loads((source / "report.json").read_text())
    with ResultTables.open(manifest, profile=REDACT, spill="") as tables:
        sentences = sentence_options(whole, options)
        return DocumentWords(_prepared(tables, manifest, whole, sentences, further_names))


def _prepared(
    tables: ResultTables,
    manifest: Manifest,
    whole: dict[str, Any],
    options: Options,
    further_names: Iterable[str] = (),
) -> Rewriting:
    """The rewriting of this inspection, with the replacement of each of its names."""
    replicas = _replicas(tables, manifest, whole)
    names = _names(tables, replicas, options)
    files = _names_in_texts(names.files)
    partitions = {f"{topic}-{number}": f"{names.topics[topic]}-{number}" for topic, number, _ in replicas}
    dialects = dialects_of(whole)
    shown_names = ShownNames(options, dialects)
    present = {table for table in COLUMNS if manifest.paths(table)}
    shown_names.read(tables, present, names_in(whole).union(further_names))
    texts = ShareTexts(shown_names, names.topics, names.copies, files, partitions)
    return Rewriting(options, names, texts, dialects)


def _replicas(tables: ResultTables, manifest: Manifest, whole: dict[str, Any]) -> list[Replica]:
    """Topic, partition and copy of every row that has them, and of the findings."""
    with_replica = [
        table for table, columns in COLUMNS.items() if "replica" in columns and manifest.paths(table)
    ]
    query = " UNION ".join(
        f'SELECT DISTINCT topic, "partition", replica FROM {table}' for table in with_replica
    )
    replicas = set(tables.tuples(query)[1:]) if query else set()
    entries = [*whole.get("findings", []), *whole.get("format_advice", [])]
    replicas |= {(entry.get("topic"), entry.get("partition"), entry.get("replica")) for entry in entries}
    replicas |= {(entry.get("topic"), None, "") for entry in whole.get("journals", [])}
    return sorted(
        {(topic or "", number, copy or "") for topic, number, copy in replicas},
        key=lambda replica: (replica[0], -1 if replica[1] is None else replica[1], replica[2]),
    )


def _names(tables: ResultTables, replicas: list[Replica], options: Options) -> ShareNames:
    topics = _topic_names((topic for topic, _, _ in replicas), options)
    copies = _copy_names(tables, {copy for _, _, copy in replicas}, options)
    shows_files = options.payloads and options.names
    return ShareNames(topics, copies, {} if shows_files else _file_names(tables, topics, copies))


def _topic_names(topics: Iterable[str], options: Options) -> dict[str, str]:
    """Each topic itself, or `topic-1`, `topic-2` in an order that reveals nothing; empty and unknown names and those of Kafka's
    own topics stay."""
    sorted_topics = _in_no_order({topic for topic in topics if topic not in UNNAMED}, options.salt)
    numbered = {
        topic: topic if options.names or kafkas_own(topic) else f"topic-{number}"
        for number, topic in enumerate(sorted_topics, 1)
    }
    return numbered | dict(zip(UNNAMED, UNNAMED, strict=True))


def _copy_names(tables: ResultTables, copies: set[str], options: Options) -> dict[str, str]:
    """Each copy itself, or its place among the copies, in the order of their first files, whose numbers every share shows."""
    _, *rows = tables.tuples(FIRST_FILES)
    others = _in_no_order(copies.difference(UNNAMED, (copy for copy, _ in rows)), options.salt)
    ordered = [*(copy for copy, _ in rows if copy in copies), *others]
    _, (are_replicas,) = tables.tuples(ARE_REPLICAS)
    named = (
        dict(zip(ordered, ordered, strict=True))
        if options.payloads and options.names
        else copy_names(ordered, "replica" if are_replicas else "copy")
    )
    return named | dict(zip(UNNAMED, UNNAMED, strict=True))


def _in_no_order(names: set[str], salt: bytes) -> list[str]:
    return sorted(names, key=lambda name: digest(salt, "place:" + name))


def _file_names(
    tables: ResultTables, topics: Mapping[str, str], copies: Mapping[str, str]
) -> dict[int, tuple[str, str]]:
    """By number: the name of each input file and its replacement: `broker-1/orders-0/00000000000000000000.log` where Kafka
    gave the name, otherwise `file 7 of 12`; `the input file` where there is one alone."""
    _, *rows = tables.tuples(FILE_PLACES)
    paths = {}
    for number, name, topic, partition, copy in rows:
        folder = f"{topics.get(topic)}-{partition}" if topic in topics and partition is not None else ""
        path = [copies.get(copy, ""), folder if topic not in UNNAMED else "", name.rpartition("/")[2]]
        paths[number] = "/".join(filter(None, path)) if is_of_kafka(name) else ""
    counts = Counter(paths.values())
    return {
        number: (
            name,
            paths[number]
            if counts[paths[number]] == 1 and paths[number]
            else hidden_file(number + 1, len(rows)),
        )
        for number, name, *_ in rows
    }


def hidden_file(number: int, count: int) -> str:
    return f"file {number} of {count}" if count > 1 else "the input file"


def _names_in_texts(files: Mapping[int, tuple[str, str]]) -> dict[str, str]:
    """The replacement of each file's name, and of the last part of its path."""
    whole = {name: replacement for name, replacement in files.values() if name}
    ends = {name.rpartition("/")[2]: replacement for name, replacement in whole.items()}
    ends |= {name: name for name in ends if is_of_kafka(name)}
    return {name: replacement for name, replacement in (ends | whole).items() if len(name) > 2}


def _files(tables: ResultTables) -> list[dict[str, Any]]:
    columns = ", ".join(f'"{name}"' for name in FILE_MEMBERS)
    return tables.rows(f'SELECT {columns} FROM files ORDER BY "file"')


def _partition_counts(tables: ResultTables) -> list[PartitionCounts]:
    """Partitions with the counts of their records in the share's own tables."""
    _, *rows = tables.tuples(HELD)
    return rows
