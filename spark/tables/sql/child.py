"""One query in a locked DuckDB; the process ends with it.

    python -m spark.tables.sql.child
    asked     one JSON document on standard input (`spark.tables.sql.ask` has its members)
    answered  one line of JSON: {"types": [...], "cut": "" | "rows" | "bytes"} and then the rows as an Arrow stream,
              or {"error": sentence, "position": byte of the query or null}, or {"over": "time" | "memory"}

Two bounds of time: a timer interrupts DuckDB; SIGALRM ends the process if DuckDB does not heed it. Two of memory: DuckDB's own,
and that of the process for what DuckDB does not count. No file can be written: the process may not make one of a single byte.
"""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import sys
import threading
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from spark.tables.connections import SQL, QueryError, connect, lock
from spark.tables.sql.statement import SqlRefused, one_select

if TYPE_CHECKING:
    from spark.tables.connections import DuckDBPyConnection

MEMORY_BYTES = 1536 << 20  # of the process: three times what DuckDB may have
PORTION_ROWS = 500
EXPLAIN = "EXPLAIN "
NO_COLUMN = re.compile(r'^Referenced column "(.+?)" not found in FROM clause!.*', re.DOTALL)
OVER = {"InterruptException": "time", "OutOfMemoryException": "memory"}


def main() -> None:
    question = json.load(sys.stdin)
    signal.setitimer(signal.ITIMER_REAL, question["seconds"] + question["grace_seconds"])
    for limit, value in (
        (resource.RLIMIT_DATA, MEMORY_BYTES),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(limit, (value, value))
    try:
        header, rows = answer(question)
    except SqlRefused as refused:
        header, rows = {"error": str(refused), "position": refused.position}, None
    except MemoryError:
        header, rows = {"over": "memory"}, None
    sys.stdout.buffer.write(json.dumps(header).encode() + b"\n")
    if rows is not None:
        with pa.ipc.new_stream(sys.stdout.buffer, rows.schema) as stream:
            stream.write_table(rows)
    sys.stdout.buffer.flush()
    os._exit(0)  # DuckDB's threads do not outlive an interpreter that shuts down


def answer(question: dict[str, Any]) -> tuple[dict[str, Any], pa.Table | None]:
    """The first line of the answer, and the rows."""
    connection = connect(SQL)
    timer = threading.Timer(question["seconds"], connection.interrupt)
    timer.daemon = True
    timer.start()
    try:
        for name, rows in question["tables"].items():
            connection.execute(f"CREATE TEMP VIEW {name} AS SELECT * FROM {rows}")
        lock(connection, question["paths"])
        statement = one_select(connection, question["text"], question["names"])
        try:
            return run(connection, statement, question)
        except QueryError as error:
            return problem(error, question["paths"]) | place_again(connection, question["text"]), None
    except QueryError as error:
        return problem(error, question["paths"]), None
    finally:
        timer.cancel()


def run(
    connection: DuckDBPyConnection, statement: str, question: dict[str, Any]
) -> tuple[dict[str, Any], pa.Table]:
    """Rows up to the bounds: DuckDB computes no more of them than that."""
    answer = connection.sql(statement).limit(question["rows"] + 1)
    reader = answer.to_arrow_reader(PORTION_ROWS)
    batches, size_bytes, cut = [], 0, ""
    for batch in reader:
        batches.append(batch)
        size_bytes += batch.nbytes
        if size_bytes > question["size_bytes"]:
            cut = "bytes"
            break
    rows = pa.Table.from_batches(batches, reader.schema)
    while rows.num_rows and rows.nbytes > question["size_bytes"]:
        rows = rows.slice(0, rows.num_rows // 2)
    if not cut and rows.num_rows > question["rows"]:
        rows, cut = rows.slice(0, question["rows"]), "rows"
    return {"types": [str(type_) for type_ in answer.types], "cut": cut}, rows


def place_again(connection: DuckDBPyConnection, text: str) -> dict[str, Any]:
    """Where EXPLAIN sees the mistake in the text as it was typed; that of the run is in another text."""
    try:
        connection.execute(EXPLAIN + text)
    except QueryError as error:
        position = problem(error, []).get("position")
        return {"position": None if position is None else position - len(EXPLAIN)}
    return {"position": None}


def problem(error: QueryError, paths: list[str]) -> dict[str, Any]:
    """What DuckDB has against the query, as one sentence without names of files."""
    if over := OVER.get(type(error).__name__):
        return {"over": over}
    sentence, position = str(error), None
    begin = sentence.find("{")
    try:
        document = json.loads(sentence[begin:])
        sentence, position = document["exception_message"], document.get("position")
    except (ValueError, KeyError, TypeError):
        sentence = sentence.partition(" Error: ")[2] or sentence
    for path in paths:
        sentence = sentence.replace(path, "a file of the report")
    sentence = " ".join(sentence.partition("\n\n")[0].partition("Candidate functions:")[0].split())
    sentence = NO_COLUMN.sub(
        r"The tables of this query have no column \1. The list of tables has their columns.", sentence
    )
    sentence += "" if sentence.endswith((".", "!", "?")) else "."
    return {"error": sentence, "position": None if position is None else int(position)}


if __name__ == "__main__":
    main()
