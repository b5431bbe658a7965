"""The profile of a topic: figures of known records."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from spark.codecs.partitioners import hashes
from spark.codecs.service_forms import SERVICE_FORMS
from spark.sources import LACKS
from tests.builders import batches_table, files_table, other_table, records_table
from tests.webapp.reports.result_folder import report_document, write_results
from webapp.reports.pages import _profile_rows

HOUR_MS = 3_600_000
FRAME = b"\x00\x00\x00\x00\x07"


def rows_of_orders() -> list[dict[str, Any]]:
    """Two partitions, 20 records each, an hour apart: values of 5 to 44 bytes with schema ID 7, four keys, two headers each; one
    tombstone, one record without a key."""
    rows: list[dict[str, Any]] = [
        {
            "topic": "orders",
            "partition": number % 2,
            "offset": number // 2,
            "file": number % 2,
            "timestamp_ms": number * HOUR_MS,
            "key": b"customer-%d" % (number % 4),
            "key_form": "text",
            "value": FRAME + b"x" * number,
            "value_form": "framed",
            "value_schema_id": 7,
            "headers": [{"key": b"trace", "value": b"1"}, {"key": b"source", "value": None}],
        }
        for number in range(40)
    ]
    rows[4] |= {"value": None, "value_form": None, "value_schema_id": None}
    rows[5] |= {"key": None, "key_form": None}
    return rows


def orders(folder: Path) -> Path:
    version = {
        "entity_type": "schema",
        "is_own": True,
        "view": "log",
        "valid_from_offset": 3,
        "origin_offset": 3,
    }
    state = other_table(
        "state",
        version | {"entity_id": "orders-value/2", "attributes": '{"id":7}'},
        version | {"entity_id": "old-value/1", "attributes": '{"id":7}', "valid_to_offset": 9},
        version | {"entity_id": "other/1", "attributes": '{"id":8}'},
        topic="_schemas",
        partition=0,
        replica="",
    )
    return write_results(folder, records=records_table(*rows_of_orders()), state=state)


def text_of(page: Any) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page.content.decode()))


def test_figures_are_of_all_partitions_together(inspected: Any, get: Any) -> None:
    page = get(inspected(orders), "report-profile")
    totals = page.context["profile"].totals
    assert (totals["records"], totals["null_keys"], totals["tombstones"]) == (40, 1, 1)
    assert (totals["first_timestamp_ms"], totals["last_timestamp_ms"]) == (0, 39 * HOUR_MS)
    partitions = [
        (row["partition"], row["records"], row["first_offset"], row["last_offset"])
        for row in page.context["partitions"]
    ]
    assert partitions == [(0, 20, 0, 19), (1, 20, 0, 19)]


def test_one_partition_can_be_chosen(inspected: Any, get: Any) -> None:
    page = get(inspected(orders), "report-profile", of="partition", topic="orders", partition=1)
    assert page.context["profile"].totals["records"] == 20
    assert [words for words, _, is_on in page.context["scopes"] if is_on] == ["Partition 1"]


def test_sizes_are_percentiles_with_the_record_of_the_largest(inspected: Any, get: Any) -> None:
    sizes = dict(get(inspected(orders), "report-profile").context["sizes"])
    values = sizes["Values"]
    assert (values["records"], values["p50"], values["p90"], values["p99"]) == (39, 25, 41, 44)
    assert (values["largest"], values["partition"], values["offset"]) == (44, 1, 19)
    assert values["size_bytes"] == sum(5 + number for number in range(40) if number != 4)


def test_forms_are_counted_of_keys_and_values(inspected: Any, get: Any) -> None:
    page = get(inspected(orders), "report-profile")
    counts = {
        row["form"]: tuple((row[side] or {}).get("records") for side in ("key", "value"))
        for row in page.context["forms"]
    }
    assert counts == {"framed": (None, 39), "text": (39, None), "null": (1, 1)}
    assert page.context["forms"][0]["value"]["share"] == "98 %"


def test_schema_ids_have_the_names_that_a_registry_of_the_input_gives_them(inspected: Any, get: Any) -> None:
    page = get(inspected(orders), "report-profile", topic="orders", partition=0)
    (row,) = page.context["schema_ids"]
    assert (row["id"], row["side"], row["records"]) == (7, "value", 39)
    assert [(version["name"], version["is_held"]) for version in row["versions"]] == [
        ("orders-value/2", True),
        ("old-value/1", False),
    ]
    assert "old-value/1 deleted" in text_of(page)


def test_an_id_without_a_registry_has_no_name(inspected: Any, get: Any) -> None:
    page = get(
        inspected(lambda folder: write_results(folder, records=records_table(*rows_of_orders()))),
        "report-profile",
    )
    assert "Upload it with this topic to see them." in text_of(page)


def test_what_a_service_writes_is_never_framed(inspected: Any, get: Any) -> None:
    rows = [row | {"entry_type": "offset-commit"} for row in rows_of_orders()]
    page = get(
        inspected(lambda folder: write_results(folder, records=records_table(*rows))), "report-profile"
    )
    assert [row["form"] for row in page.context["forms"]] == ["binary", "null", "text"]
    assert page.context["schema_ids"] == []
    assert [(row["type"], row["records"]) for row in page.context["entry_types"]] == [("offset-commit", 40)]


def apicurio(folder: Path) -> Path:
    """Five records of Apicurio Registry 2.x: content, an ID (type byte 0x0A or 0x09: white space to JSON), a start, two that it cannot read."""
    rows: list[dict[str, Any]] = [
        {"key_form": "binary", "value_form": "binary", "entry_type": "Content", "entry_action": "create"},
        {"key_form": "object", "value_form": "object", "entry_type": "ContentId", "entry_action": "create"},
        {"key_form": "binary", "value": None, "entry_type": "Bootstrap", "entry_action": "restart"},
        {"key_form": "binary", "value_form": "text", "entry_type": "Artifact", "entry_action": None},
        {"key_form": "text", "value_form": "object", "entry_type": None, "entry_action": None},
    ]
    journals = [{"topic": "journal", "partitions": [0], "dialect": "apicurio-v2"}]
    records = records_table(
        *({"offset": offset, "key": b"k%d" % offset} | row for offset, row in enumerate(rows))
    )
    return write_results(folder, report_document(journals=journals), records=records)


def test_a_form_is_that_of_the_service_where_the_service_reads_the_record(inspected: Any, get: Any) -> None:
    page = get(inspected(apicurio), "report-profile")
    counts = {
        row["words"]: tuple((row[side] or {}).get("records") for side in ("key", "value"))
        for row in page.context["forms"]
    }
    assert counts == {
        "type byte and JSON": (4, 1),
        "type byte and content": (None, 1),
        "text": (1, 1),
        "JSON object": (None, 1),
        "null": (None, 1),
    }


def test_keys_have_the_names_of_the_page_keys(inspected: Any, get: Any) -> None:
    def written(folder: Path) -> Path:
        keys = (b"\x03artifact", b"\x03artifact", b"plain", b"plain")
        records = records_table(*({"offset": offset, "key": key} for offset, key in enumerate(keys)))
        entry = {"topic": "journal", "partition": 0, "replica": "", "offset": 1}
        entries = other_table("entries", entry | {"entry_type": "Artifact", "entity_id": "default/orders"})
        return write_results(folder, records=records, entries=entries)

    inspection = inspected(written)
    top = get(inspection, "report-profile").context["top"]
    assert [(row["entry"].name, row["key"]) for row in top] == [
        ("default/orders", b"\x03artifact"),
        ("", b"plain"),
    ]
    assert {entry.url for entry in get(inspection, "report-keys").context["rows"]} == {
        row["entry"].url for row in top
    }


def test_records_of_corrupt_batches_are_counted_with_their_offsets(inspected: Any, get: Any) -> None:
    def written(folder: Path) -> Path:
        records = records_table(*({"offset": offset, "batch_position": offset // 2} for offset in range(12)))
        batches = batches_table(
            *(
                {"position": number, "crc_ok": number in (0, 5), "last_offset": number * 2 + 1}
                for number in range(6)
            )
        )
        return write_results(folder, records=records, batches=batches)

    page = get(inspected(written), "report-profile")
    assert (
        "include 8 records of 4 corrupt batches (checksum mismatch). Any byte of these records may be wrong: "
        "offsets 2 - 3 , offsets 4 - 5 , offsets 6 - 7 and 1 more batch." in text_of(page)
    )
    whole = get(inspected(orders), "report-profile")
    assert "corrupt" not in text_of(whole)


def test_nearly_as_many_ids_as_records_are_called_into_question(inspected: Any, get: Any) -> None:
    rows = [row | {"value_schema_id": number + 1} for number, row in enumerate(rows_of_orders())]
    page = get(
        inspected(lambda folder: write_results(folder, records=records_table(*rows))), "report-profile"
    )
    assert page.context["looks_framed"] == ["values"]
    assert "40 IDs in values, the 20 most used" in text_of(page)


def test_header_names_are_counted(inspected: Any, get: Any) -> None:
    rows = get(inspected(orders), "report-profile").context["headers"]
    assert [(row["name"], row["headers"]) for row in rows] == [(b"source", 40), (b"trace", 40)]


def test_a_dump_that_leaves_headers_out_is_not_said_to_have_none(inspected: Any, get: Any) -> None:
    for headers, sentence in (([], "No record has a header."), (None, "This dump does not contain headers.")):
        rows = [row | {"headers": headers} for row in rows_of_orders()]
        page = get(
            inspected(lambda folder, rows=rows: write_results(folder, records=records_table(*rows))),
            "report-profile",
        )
        assert sentence in text_of(page)


def test_records_per_key_and_the_keys_with_most(inspected: Any, get: Any) -> None:
    page = get(inspected(orders), "report-profile")
    assert page.context["profile"].keys["keys"] == 4
    assert [(row["words"], row["keys"]) for row in page.context["spread"]] == [("2 to 10", 4)]
    top = page.context["top"]
    assert [(row["key"], row["versions"]) for row in top][:3] == [
        (b"customer-0", 10),
        (b"customer-2", 10),
        (b"customer-3", 10),
    ]
    assert "/keys/" in top[0]["entry"].url
    assert "partition=1" in top[2]["entry"].url
    assert "Keys with most records counted in each partition" in " ".join(text_of(page).split())
    one = get(inspected(orders), "report-profile", of="partition", topic="orders", partition=1)
    assert "counted in each partition" not in text_of(one)


def keyed(folder: Path, partitioner: str | None) -> Path:
    """Sixty keys where a partitioner puts them; None: one after the other."""
    keys = [b"customer-%d" % number for number in range(60)]
    numbers = hashes(partitioner, keys) if partitioner else range(60)
    rows = [
        {"topic": "orders", "partition": int(number) % 4, "offset": offset, "key": key}
        for offset, (key, number) in enumerate(zip(keys, numbers, strict=True))
    ]
    return write_results(folder, records=records_table(*rows))


def test_the_partitioner_is_named_if_the_keys_prove_it(inspected: Any, get: Any) -> None:
    page = get(inspected(lambda folder: keyed(folder, "crc32")), "report-profile")
    assert "CRC32 (the default of librdkafka clients, ruby-kafka) . With 4 partitions" in text_of(page)
    page = get(inspected(lambda folder: keyed(folder, None)), "report-profile")
    assert "Partitioner: unknown. No single partitioner of a known client" in text_of(page)
    page = get(inspected(orders), "report-profile")
    assert "Partitioner: unknown. 4 keys of up to 128 bytes cannot prove one." in text_of(page)


def test_compression_is_that_of_the_batches(inspected: Any, get: Any) -> None:
    records = records_table(
        *({"key": b"12345678", "value": b"x" * 192, "batch_position": 0} for _ in range(4))
    )
    batches = batches_table(
        {"position": 0, "size_bytes": 200, "codec": "zstd", "last_offset": 3, "producer_id": 9}
    )
    page = get(
        inspected(lambda folder: write_results(folder, records=records, batches=batches)), "report-profile"
    )
    (row,) = page.context["codecs"]
    assert (row["codec"], row["batches"], row["size_bytes"], row["content_bytes"], row["ratio"]) == (
        "zstd",
        1,
        200,
        800,
        "4.0",
    )


def test_copies_of_a_partition_count_once(inspected: Any, get: Any) -> None:
    rows = [row | {"replica": broker} for broker in ("b1", "b2") for row in rows_of_orders()]
    page = get(
        inspected(lambda folder: write_results(folder, records=records_table(*rows))),
        "report-profile",
        topic="orders",
        partition=1,
        replica="b2",
    )
    assert page.context["profile"].totals["records"] == 40
    assert {replica.replica for replica in page.context["every"]} == {"b2"}
    assert "4 copies of 2 partitions" in text_of(page)


def test_what_the_file_format_lacks_is_said(inspected: Any, get: Any) -> None:
    lacks = [LACKS[name] for name in ("offset", "exact-bytes", "batches", "headers", "null-or-empty")]
    files = files_table({"kind": "export", "cannot_tell": lacks})
    rows = [row | {"headers": None, "partition": 0, "file": 0} for row in rows_of_orders()]
    page = get(
        inspected(lambda folder: write_results(folder, records=records_table(*rows), files=files)),
        "report-profile",
    )
    words = text_of(page)
    for sentence in (
        "The offsets here are row numbers.",
        "Sizes and forms are those of the text in the dump.",
        "Compression is unknown",
        "This file format does not contain headers.",
        "of keys and values as the dump contains them",
        "does not distinguish null from an empty",
    ):
        assert sentence in words


def test_the_words_for_what_is_lacking_are_those_of_the_readers() -> None:
    for words in _profile_rows.LACKS.values():
        assert any(text.startswith(words) for text in LACKS.values()), words


def test_every_form_has_words() -> None:
    from spark.tables.forms import FORMS

    services = (
        form for sides in SERVICE_FORMS.values() for types in sides.values() for form in types.values()
    )
    assert set(_profile_rows.FORMS) == {*FORMS, *services, "null"}


def test_the_figure_has_a_bar_for_each_hour(inspected: Any, get: Any) -> None:
    answer = get(inspected(orders), "report-profile-figure").json()
    others, tombstones = answer["figure"]["data"]
    assert (len(others["hovertext"]), others["name"], tombstones["name"]) == (
        40,
        "other records",
        "tombstones",
    )
    assert others["hovertext"][4].startswith("0 other records<br>from 1970-01-01 04:00:00.000<br>to")
    assert answer["notes"] == []


def test_records_without_a_time_are_said_not_drawn(inspected: Any, get: Any) -> None:
    rows = rows_of_orders()
    rows[0]["timestamp_ms"] = -1
    rows[1]["timestamp_ms"] = 2**62
    answer = get(
        inspected(lambda folder: write_results(folder, records=records_table(*rows))), "report-profile-figure"
    ).json()
    assert answer["notes"] == ["2 records without a usable timestamp are not drawn."]


def test_a_partition_without_records_says_so(inspected: Any, get: Any) -> None:
    assert "No records" in text_of(get(inspected(write_results), "report-profile"))
