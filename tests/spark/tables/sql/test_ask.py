"""Queries that people type: what runs, what is refused, and that each is stopped within its bounds."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from spark.tables import TABLES, Manifest
from spark.tables.connections import SQL, QueryError, connect, lock
from spark.tables.sql.ask import SqlAnswer, SqlBounds, SqlError, ask
from spark.tables.sql.examples import EXAMPLES
from spark.tables.sql.statement import MAX_CHARACTERS
from tests.builders import records_table
from tests.webapp.reports.result_folder import write_results

pytestmark = pytest.mark.heavy

BOUNDS = SqlBounds(rows=100, seconds=2, size_bytes=1 << 20)
ENDS_WITHIN_SECONDS = 60  # loading the process included, on the busiest machine


@pytest.fixture(scope="module")
def manifest(tmp_path_factory: pytest.TempPathFactory) -> Manifest:
    """Results of a partition with three records."""
    folder = tmp_path_factory.mktemp("results")
    rows = [{"offset": n, "key": b"k%d" % n, "value": b"\xff" if n else b"text"} for n in range(3)]
    return Manifest.load(write_results(folder, records=records_table(*rows)))


def answered(manifest: Manifest, text: str) -> SqlAnswer:
    return ask(manifest, text, BOUNDS)


def refusal(manifest: Manifest, text: str) -> SqlError:
    start = time.monotonic()
    with pytest.raises(SqlError) as raised:
        ask(manifest, text, BOUNDS)
    assert time.monotonic() - start < ENDS_WITHIN_SECONDS
    assert str(manifest.folder) not in str(raised.value)
    return raised.value


def test_an_answer_has_rows_and_types(manifest: Manifest) -> None:
    answer = answered(
        manifest, 'SELECT "offset", key, value FROM Records WHERE "offset" > 0 ORDER BY ALL; -- done'
    )
    assert answer.rows.to_pylist() == [{"offset": n, "key": b"k%d" % n, "value": b"\xff"} for n in (1, 2)]
    assert (answer.types, answer.cut) == (("BIGINT", "BLOB", "BLOB"), "")


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("FROM records SELECT count(*) AS n", [{"n": 3}]),
        ("WITH own AS (FROM records) SELECT count(*) AS n FROM own", [{"n": 3}]),
        ("SELECT count(*) AS n FROM gaps", [{"n": 0}]),
        ("SELECT count(*) AS n FROM live_state", [{"n": 0}]),
        ("SELECT 1 AS a, 2 AS a", [{"a": 1, "a_1": 2}]),
        (
            "WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT max(i) AS i FROM n",
            [{"i": 3}],
        ),
        ("SELECT unnest(range(2)) AS n", [{"n": 0}, {"n": 1}]),
    ],
)
def test_all_of_a_select_runs(manifest: Manifest, text: str, rows: list[dict[str, object]]) -> None:
    assert answered(manifest, text).rows.to_pylist() == rows


def test_a_table_may_be_described(manifest: Manifest) -> None:
    assert len(answered(manifest, "DESCRIBE records").rows) == len(TABLES["records"].columns)


@pytest.mark.parametrize("name", TABLES)
def test_every_table_is_there_and_every_column_is_known_by_its_name(name: str, manifest: Manifest) -> None:
    columns = ", ".join('"offset"' if c.name == "offset" else c.name for c in TABLES[name].columns)
    assert answered(manifest, f"SELECT {columns} FROM {name}").rows.num_columns == len(TABLES[name].columns)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_every_example_runs(example: object, manifest: Manifest) -> None:
    answered(manifest, example.text)  # type: ignore[attr-defined]


def test_an_answer_ends_at_its_rows(manifest: Manifest) -> None:
    answer = answered(manifest, "SELECT * FROM range(1000000000000)")
    assert (answer.rows.num_rows, answer.cut) == (100, "rows")


def test_an_answer_ends_at_its_bytes(manifest: Manifest) -> None:
    answer = answered(manifest, "SELECT repeat('x', 100000) FROM range(50)")
    assert answer.cut == "bytes"
    assert 0 < answer.rows.num_rows <= 10


REFUSED = {
    "SELECT * FROM read_text('/etc/passwd')": "The function read_text does not run here",
    "SELECT read_text('/etc/passwd')": "read_text",
    "SELECT * FROM read_csv('/etc/passwd')": "The function read_csv does not run here",
    "SELECT * FROM read_blob('/proc/self/environ')": "The function read_blob does not run here",
    "SELECT * FROM read_parquet('/tmp/other.parquet')": "The function read_parquet does not run here",
    "SELECT * FROM read_json('https://example.org/a.json')": "The function read_json does not run here",
    "SELECT * FROM glob('*')": "The function glob does not run here",
    "FROM glob('/**')": "The function glob does not run here",
    "SELECT * FROM '/etc/passwd'": "The report has no table /etc/passwd",
    "SELECT * FROM (DESCRIBE '/etc/passwd')": "The report has no table /etc/passwd",
    "SELECT * FROM sniff_csv('/etc/passwd')": "The function sniff_csv does not run here",
    "SELECT * FROM query('SELECT 1')": "The function query does not run here",
    "SELECT * FROM duckdb_settings()": "The function duckdb_settings does not run here",
    "SELECT * FROM duckdb_views()": "The function duckdb_views does not run here",
    "SELECT * FROM information_schema.tables": "The report has no table information_schema.tables",
    "SELECT * FROM sqlite_master": "The report has no table sqlite_master",
    "SELECT getenv('HOME')": "The function getenv does not run here",
    "SELECT 'HOME'.getenv()": "The function getenv does not run here",
    "SELECT current_setting('allowed_paths')": "The function current_setting does not run here",
    "SELECT system.main.Current_Setting('threads')": "does not run here",
    "COPY records TO '/tmp/records.csv'": "This is a COPY statement",
    "COPY (SELECT 1) TO '/tmp/one.csv'": "This is a COPY statement",
    "ATTACH '/tmp/other.db'": "This is an ATTACH statement",
    "INSTALL httpfs": "This is a LOAD or INSTALL statement",
    "LOAD httpfs": "This is a LOAD or INSTALL statement",
    "PRAGMA database_list": "This is a PRAGMA statement",
    "SET threads = 64": "This is a SET statement",
    "RESET lock_configuration": "Only a SELECT can run",
    "USE memory": "Only a SELECT can run",
    "CALL duckdb_settings()": "This is a CALL statement",
    "CREATE TABLE t AS SELECT 1": "This is a CREATE statement",
    "CREATE MACRO f() AS TABLE SELECT * FROM read_text('/etc/passwd')": "This is a CREATE statement",
    "CREATE SECRET (TYPE s3)": "Only a SELECT can run",
    "DROP VIEW records": "This is a DROP statement",
    "INSERT INTO records VALUES (1)": "This is an INSERT statement",
    "DELETE FROM records": "This is a DELETE statement",
    "WITH x AS (INSERT INTO records VALUES (1) RETURNING *) SELECT 1": "Only a SELECT that changes nothing can run",
    "EXPORT DATABASE '/tmp/all'": "This is an EXPORT statement",
    "IMPORT DATABASE '/tmp/all'": "Only a SELECT can run",
    "PREPARE p AS SELECT 1": "This is a PREPARE statement",
    "EXPLAIN SELECT 1": "This is an EXPLAIN statement",
    "PIVOT gaps ON cause USING count(*)": "This is a PIVOT statement",
    "CHECKPOINT": "Only a SELECT can run",
    "SHOW TABLES": "SHOW does not run here",
    "SELECT 1; SELECT 2": "Enter one statement. This text contains 2.",
    "SELECT 1; DROP VIEW records": "Enter one statement. This text contains 2.",
    "": "Enter a query",
    " -- nothing": "Enter a query",
    "SELECT " + "(" * 4000 + "1" + ")" * 4000: "depth",
    "SELECT " + "1 + " * (MAX_CHARACTERS // 4) + "1": "20,000",
}  # fmt: skip


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: text[:60])
def test_all_else_is_refused_in_a_sentence(text: str, manifest: Manifest) -> None:
    assert REFUSED[text] in refusal(manifest, text).sentence


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("SELECT nope FROM records", "nope"),
        ('SELECT "ä ""b" FROM records', '"ä ""b"'),
        ("SELECT key FROM records WHERE 'it''s' + 1", "+"),
        ("SELECT key FROM records WHERE x = 'open", "'open"),
        ("SELECT no_such(key), 1 FROM records", "no_such"),
        ("SELECT (key FROM records", "FROM"),
        ("SELECT key FROM", "FROM"),
    ],
)
def test_a_mistake_has_the_word_at_its_place(manifest: Manifest, text: str, word: str) -> None:
    error = refusal(manifest, text)
    start = error.column - 1
    assert text[start : start + error.length] == word, error.with_place


@pytest.mark.parametrize(
    ("text", "line", "column", "sentence"),
    [
        ("SELECT * FORM records", 1, 15, 'syntax error at or near "records".'),
        (
            "SELECT key,\n       'ä', nope\nFROM records",
            2,
            13,
            "The tables of this query have no column nope.",
        ),
        ("SELECT *\nFROM record", 2, 6, "The report has no table record. Did you mean records?"),
        ("SELECT 1;\n  SELECT 2", 2, 3, "Enter one statement."),
    ],
)
def test_a_mistake_has_its_place(
    manifest: Manifest, text: str, line: int, column: int, sentence: str
) -> None:
    error = refusal(manifest, text)
    assert sentence in error.sentence
    assert (error.line, error.column) == (line, column)
    assert error.with_place.startswith(f"Line {line}, column {column}: ")


@pytest.mark.parametrize("sign", ["\x0b", "\x0c", "\x1e", "\x85", "\u2028", "\r"])
def test_its_line_is_the_one_that_its_number_counts(manifest: Manifest, sign: str) -> None:
    line = f"SELECT key, '{sign}', nope"
    text = f"-- a\r\n{line}\r\nFROM records"
    error = refusal(manifest, text)
    assert (error.line, error.line_of(text)) == (2, line)
    assert line[error.column - 1 :] == "nope"


def test_a_mistake_that_only_the_run_shows_has_a_sentence(manifest: Manifest) -> None:
    assert refusal(manifest, "SELECT 'a'::INT").with_place == "Could not convert string 'a' to INT32."


ENDLESS = (
    "SELECT count(*) FROM range(1000000000000)",
    "WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i FROM n) SELECT count(*) FROM n",
    "SELECT sum(a.range * b.range % 7) FROM range(10000000) a, range(10000000) b",
    "SELECT sleep_ms(600000)",
)
HUGE = (
    "SELECT list(range) FROM range(1000000000)",
    "SELECT repeat('x', 4000000000)",
    "SELECT string_agg(repeat('x', 1000000), '') FROM range(1000000)",
    "SELECT list_sort(range(3000000000))",
    "SELECT a.range, b.range FROM range(1000000) a, range(1000000) b ORDER BY hash(a.range, b.range)",
)


@pytest.mark.parametrize("text", ENDLESS, ids=lambda text: text[:60])
def test_a_query_without_end_is_stopped(text: str, manifest: Manifest) -> None:
    assert refusal(manifest, text).sentence.startswith("The query was stopped after 2 seconds.")


@pytest.mark.parametrize("text", HUGE, ids=lambda text: text[:60])
def test_a_query_that_explodes_is_stopped(text: str, manifest: Manifest) -> None:
    assert refusal(manifest, text).sentence.startswith("The query was stopped")


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM '/etc/passwd'",
        "SELECT * FROM glob('*')",
        "COPY (SELECT 1) TO '{folder}/made.csv'",
        "COPY records TO '{folder}/made.parquet'",
        "ATTACH '{folder}/made.db'",
        "EXPORT DATABASE '{folder}/made'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET enable_external_access = true",
        "SET lock_configuration = false",
        "RESET lock_configuration",
        "PRAGMA threads = 4",
        "CALL enable_logging(storage = 'file', storage_path = '{folder}/made')",
        "SELECT getenv('HOME')",
        "SELECT * FROM arrow_of_ours",
    ],
)
def test_the_lock_refuses_it_without_the_check_of_the_text(
    text: str, manifest: Manifest, tmp_path: Path
) -> None:
    arrow_of_ours = records_table({"offset": 0, "key": b"k", "value": b"v"})  # noqa: F841
    (file,) = manifest.paths("records")
    connection = connect(SQL)
    lock(connection, [file])
    assert connection.execute(f"SELECT count(*) FROM read_parquet('{file}')").fetchall() == [(3,)]
    with pytest.raises(QueryError):
        connection.execute(text.replace("{folder}", str(tmp_path))).fetchall()
    assert list(tmp_path.iterdir()) == []
