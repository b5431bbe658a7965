"""What was decoded from a value or a key is hidden as the part that it came from, and masked by its members: on real shares."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from django.test import Client

from spark.terms import marked
from tests.builders import files_table, records_table
from tests.generator.segment import Record, segment, segment_name
from tests.spark.apicurio_journals import content_value, json_record
from tests.spark.dialects.consumer_offsets.test_interpret import commit_key, commit_value
from tests.spark.sources.schema_files import descriptors, file, message
from tests.spark.whole_pipeline import report_of
from tests.webapp.reports.result_folder import finding, report_document, write_results
from tests.webapp.sharing.marked import found_in
from tests.webapp.sharing.planted.answers import crawled, everything, stored_in
from webapp.sharing.models import Share

pytestmark = pytest.mark.django_db
SECRET = "Zq7hunter2Secret"
Made = Callable[..., tuple[Share, str]]
USER = {
    "type": "record",
    "name": "shop.User",
    "fields": [
        {"name": "id", "type": "string"},
        {"name": "password", "type": "string"},
        {"name": "photo", "type": "bytes"},
    ],
}


def avro(*texts: bytes) -> bytes:
    return b"".join(bytes([len(text) * 2]) + text for text in texts)


def journal(topic: str, *records: Record, **files: Any) -> Callable[[Path], Any]:
    """Writes the results of an inspection of these records, and of schemas uploaded beside them."""

    def write(results: Path) -> Any:
        home = results.parent / f"{results.name}-input"
        partition = home / f"{topic}-0"
        partition.mkdir(parents=True)
        (partition / segment_name(0)).write_bytes(segment(list(records)))
        for name, content in files.items():
            path = home / f"{name}.{'desc' if isinstance(content, bytes) else 'avsc'}"
            path.write_bytes(content) if isinstance(content, bytes) else path.write_text(json.dumps(content))
        return report_of(home, results)

    return write


def leaks(made: tuple[Share, str], guest: Client, *secrets: str, is_crawled: bool = False) -> list[Any]:
    """Where the share's folder or one of its pages tells a secret: the list of records, or every page."""
    found = [(name, one) for name, data in stored_in(made[0].results) if (one := found_in(data, secrets))]
    start, records = f"/s/{made[1]}/", f"/s/{made[1]}/records/"
    pages = crawled(guest, start) if is_crawled else [(records, guest.get(records))]
    return found + [(page, one) for page, answer in pages if (one := found_in(everything(answer), secrets))]


def record_page(guest: Client, made: tuple[Share, str], offset: int) -> str:
    return guest.get(f"/s/{made[1]}/records/{offset}/").content.decode()


def test_the_default_masks_find_passwords_in_framed_and_bare_avro(
    inspected: Any, share: Made, guest: Client
) -> None:
    value = avro(b"user-1", SECRET.encode(), SECRET.encode())
    framed, bare = struct.pack(">bi", 0, 7) + value, value
    write = journal("orders", Record(b"a", framed), Record(b"b", bare), Record(framed, b"c"), user=USER)
    made = share(inspected(write), payloads=True, keys=True, headers=True)
    assert leaks(made, guest, SECRET, is_crawled=True) == []
    for offset in range(3):
        page = record_page(guest, made, offset)
        assert "user-1" in page
        assert "[masked]" in page
        assert "hidden: no text" in page  # the bytes of the photo


def test_masks_find_passwords_in_protobuf(inspected: Any, share: Made, guest: Client) -> None:
    set_ = descriptors(
        file("user.proto", message("User", ("id", 1, "string", "one"), ("password", 2, "string", "one")))
    )
    value = b"\x0a\x06user-1\x12" + bytes([len(SECRET)]) + SECRET.encode()
    made = share(inspected(journal("orders", Record(b"a", value), user=set_)), payloads=True, keys=True)
    assert leaks(made, guest, SECRET) == []
    assert "user-1" in record_page(guest, made, 0)


def test_a_frame_without_its_schema_is_no_text(inspected: Any, share: Made, guest: Client) -> None:
    value = struct.pack(">bi", 0, 7) + avro(b"user-1-with-a-long-name", SECRET.encode())
    made = share(inspected(journal("orders", Record(b"a", value))), payloads=True, keys=True)
    assert leaks(made, guest, SECRET) == []


def apicurio(*, group: str, artifact: str) -> list[Record]:
    key = {"tenantId": "_", "groupId": group, "artifactId": artifact}
    member = {"action": 1, "globalId": 1, "contentId": 1, "state": "ENABLED", "artifactType": "AVRO"}
    text = json.dumps({"type": "string", "doc": "kept", "password": SECRET}).encode()
    return [
        Record(json_record(0, {"bootstrapId": "b"}), None),
        Record(
            json_record(2, {"tenantId": "_", "contentId": 1, "contentHash": "ab" * 32}),
            content_value(1, text),
        ),
        Record(json_record(3, {**key, "uuid": "u"}), json_record(3, member)),
        Record(json_record(5, {**key, "version": "1"}), json_record(5, {"action": 2, "state": "DISABLED"})),
    ]


def test_hidden_keys_tell_no_group_and_artifact_though_payloads_are_shown(
    inspected: Any, share: Made, guest: Client
) -> None:
    group, artifact = "Zq7PayGroup", "Zq7MoneyArtifact"
    write = journal("kafkasql-journal", *apicurio(group=group, artifact=artifact))
    made = share(inspected(write), payloads=True, keys=False)
    assert leaks(made, guest, group, artifact, SECRET) == []
    page = record_page(guest, made, 2)
    assert "ENABLED" in page
    assert "group-" in page
    assert "artifact-" in page


def test_names_are_visible_by_default_and_payloads_are_not(
    inspected: Any, share: Made, guest: Client
) -> None:
    group, artifact = "Zq7PayGroup", "Zq7MoneyArtifact"
    write = journal("kafkasql-journal", *apicurio(group=group, artifact=artifact))
    made = share(inspected(write))
    page = record_page(guest, made, 2)
    assert f"{group}/{artifact}" in page
    assert "ENABLED" not in page.partition("Decoded")[2].partition("Value")[0]
    assert leaks(made, guest, SECRET, "ab" * 32) == []


def test_the_text_of_a_registrys_content_is_masked_where_it_stands(
    inspected: Any, share: Made, guest: Client
) -> None:
    made = share(
        inspected(journal("kafkasql-journal", *apicurio(group="g", artifact="a"))), payloads=True, keys=True
    )
    assert leaks(made, guest, SECRET) == []
    assert any(b"kept" in data for _, data in stored_in(made[0].results))


@pytest.mark.parametrize("payloads", [True, False])
def test_hidden_keys_tell_no_consumer_group(
    inspected: Any, share: Made, guest: Client, payloads: bool
) -> None:
    group = "Zq7PaymentsGroup"
    write = journal("__consumer_offsets", Record(commit_key(group.encode()), commit_value()))
    made = share(inspected(write), payloads=payloads, keys=False)
    assert leaks(made, guest, group) == []
    shown = share(inspected(write), payloads=payloads, keys=True)
    assert f"&quot;group&quot;: &quot;{group}&quot;" in record_page(guest, shown, 0)


def test_the_session_key_of_connect_is_hidden_whatever_is_shown(
    inspected: Any, share: Made, guest: Client
) -> None:
    config = {
        "properties": {
            "name": "sink",
            "s3.access.key": SECRET,
            "ssl.keystore.key": SECRET,
            "token.converter": "Kept",
        }
    }
    session = {"key": SECRET, "algorithm": "HmacSHA256", "creation-timestamp": 5}
    records = [(b"session-key", session), (b"connector-sink", config)]
    write = journal("connect-configs", *(Record(key, json.dumps(value).encode()) for key, value in records))
    made = share(inspected(write), payloads=True, keys=True, headers=True)
    assert leaks(made, guest, SECRET) == []
    assert "HmacSHA256" in record_page(guest, made, 0)
    assert "Kept" in record_page(guest, made, 1)


def test_statements_are_shared_without_the_passwords_that_they_set(
    inspected: Any, share: Made, guest: Client
) -> None:
    change = {
        "source": {"server": "s"}, "position": {"pos": 1}, "databaseName": "shop",
        "ddl": f"CREATE USER app IDENTIFIED BY {SECRET}",
    }  # fmt: skip
    write = journal("schema-changes.shop", Record(None, json.dumps(change).encode()))
    made = share(inspected(write), payloads=True, keys=True)
    assert leaks(made, guest, SECRET) == []
    assert "CREATE USER app" in record_page(guest, made, 0)


def test_a_link_of_an_earlier_release_opens_and_its_pages_decode_nothing(
    inspected: Any, share: Made, guest: Client
) -> None:
    value = struct.pack(">bi", 0, 7) + avro(b"user-1", SECRET.encode(), b"p")
    made, token = share(
        inspected(journal("orders", Record(b"a", value), user=USER)), payloads=True, keys=True
    )
    rows = pq.read_table(made.results / "records/0000.parquet")
    at = rows.schema.get_field_index("value")
    pq.write_table(rows.set_column(at, "value", pa.array([value])), made.results / "records/0000.parquet")
    made.pinned |= {"redaction": 4}
    made.save(update_fields=["pinned"])
    page = record_page(guest, (made, token), 0)
    assert "Read with" not in page
    assert "&quot;password&quot;" not in page


def test_a_command_with_a_hidden_name_has_no_button_and_says_why(
    inspected: Any, share: Made, guest: Client
) -> None:
    command = f"Run `kafka-topics.sh --describe --topic {marked.topic('journal')}`."
    report = report_document(findings=[finding("one", remedy=command)])
    inspection = inspected(lambda folder: write_results(folder, report))
    shown, hidden = (
        guest.get(f"/s/{share(inspection, names=names)[1]}/").content.decode() for names in (True, False)
    )
    assert 'data-copy-text="kafka-topics.sh --describe --topic journal"' in shown
    assert "kafka-topics.sh --describe --topic topic-1" in hidden
    assert 'data-copy-text="kafka-topics.sh' not in hidden
    assert "Not for copying: this link hides a name in the command." in hidden


def test_a_share_names_the_topic_of_a_file_by_its_records(inspected: Any, share: Made, guest: Client) -> None:
    def write(folder: Path) -> Any:
        files = files_table({"name": "kcat.ndjson", "kind": "export", "topic": "?", "partition": 0})
        return write_results(folder, files=files, records=records_table({"topic": "orders"}))

    inspection = inspected(write)
    shown, hidden = share(inspection), share(inspection, names=False)
    titles = [guest.get(f"/s/{token}/files/").content.decode() for _, token in (shown, hidden)]
    assert '<strong class="mono">orders-0</strong>' in titles[0]
    assert "Topic unknown" not in titles[1]
    assert "orders" not in titles[1]
