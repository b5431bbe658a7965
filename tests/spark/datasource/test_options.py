"""Options are checked where the user sets them; what is wrong is said in a sentence."""

from __future__ import annotations

import pytest

from spark.datasource.options import request_of
from spark.datasource.selection import ReadSelection
from spark.datasource.tables import LOADED
from spark.terms.errors import UnreadableInput

PATH = {"path": "journal"}


def test_records_are_read_unless_another_table_is_chosen() -> None:
    request = request_of(PATH)
    assert (request.table, request.columns) == ("records", tuple(LOADED["records"].schema.names))
    assert (request.paths, request.selection, request.pushdown) == (("journal",), ReadSelection(), False)


@pytest.mark.parametrize("table", LOADED)
def test_each_table_has_its_columns(table: str) -> None:
    assert request_of({**PATH, "table": table}).columns == tuple(LOADED[table].schema.names)


def test_columns_are_given_in_the_order_chosen() -> None:
    assert request_of({**PATH, "columns": "offset, key,offset"}).columns == ("offset", "key")


def test_several_paths_come_as_json() -> None:
    assert request_of({"paths": '["a", "b,c"]'}).paths == ("a", "b,c")


def test_names_of_options_have_no_case() -> None:
    assert request_of({**PATH, "Table": "damage"}).table == "damage"


def test_a_dialect_is_of_every_topic_or_of_one() -> None:
    chosen = request_of({**PATH, "dialect": "plain, _schemas=schema-registry"})
    assert chosen.read_as == {"": "plain", "_schemas": "schema-registry"}


def test_topics_partitions_and_offsets_are_a_selection() -> None:
    options = {"topic": "orders,users", "partition": "0, 2", "first_offset": "5", "last_offset": "9"}
    assert request_of({**PATH, **options}).selection == ReadSelection(
        frozenset({"orders", "users"}), frozenset({0, 2}), 5, 9
    )


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            {**PATH, "table": "recrods"},
            r"The table 'recrods' does not exist\. Set the option table to one of rec",
        ),
        ({**PATH, "table": "lifelines"}, "The table 'lifelines' is kept by `inspect PATH --out FOLDER` only"),
        ({**PATH, "columns": "ofset"}, r"The table records has no column 'ofset'\. Columns: topic, "),
        ({**PATH, "dialect": "avro"}, r"There is no journal type 'avro'\. Set the option dialect to one of "),
        ({**PATH, "tabel": "records"}, r"There is no option 'tabel'\. Options: table, "),
        ({**PATH, "partition": "zero"}, r"The option partition is 'zero'\. Set it to a number"),
        ({**PATH, "first_offset": "-1"}, r"The option first_offset is '-1'"),
        ({**PATH, "last_offset": "9" * 30}, r"The option last_offset is '999"),
        ({**PATH, "table": "files", "first_offset": "3"}, "The table files has no range of offsets"),
        ({**PATH, "topic": " , "}, "The option topic is empty"),
        ({**PATH, "pushdown": "yes"}, r"The option pushdown is 'yes'\. Set it to true or false"),
        ({}, "There is no path"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_wrong_is_said_in_a_sentence(options: dict[str, str], sentence: str) -> None:
    with pytest.raises(UnreadableInput, match=sentence):
        request_of(options)
