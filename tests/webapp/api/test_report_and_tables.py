"""The report as the command line prints it, and pages of the tables: each row once, bytes whole, filters as on the pages."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from tests.builders import other_table, records_table
from tests.webapp.reports.ledger import ledger
from tests.webapp.reports.result_folder import add_marks, incident, write_results
from webapp.api.reports.listed import LISTED
from webapp.audit.models import Event
from webapp.reports.results import open_results

NAMES = [listed.name for listed in LISTED]


def many(folder: Path) -> Path:
    """Two partitions; of the second, three records share an offset."""
    first = [{"offset": n, "key": b"k%d" % (n % 3), "value": b"v%d" % n} for n in range(25)]
    second = [{"offset": n, "key": b"x", "value": b"y", "partition": 1} for n in (0, 1, 1, 1, 2)]
    batches = [{"base_offset": n, "last_offset": n, "crc_ok": n != 4} for n in range(10)]
    gaps = [{"first_offset": 1, "last_offset": 1, "cause": cause, "proof": "p"} for cause in ("damage",) * 7]
    return write_results(
        folder,
        records=records_table(*first, *second),
        batches=other_table("batches", *batches, topic="journal", partition=0, replica="", file=0),
        gaps=other_table("gaps", *gaps, topic="journal", partition=0, replica=""),
    )


def marked(folder: Path) -> Path:
    """The incident as its service replays it."""
    return add_marks(incident(folder)) or folder


def pages(caller: Any, address: str | None) -> list[list[dict[str, Any]]]:
    found = []
    while address:
        response = caller.get(address)
        assert response.status_code == 200, response.content
        found.append(response.json()["results"])
        address = response.json()["next"]
    return found


def test_records_and_marks_say_the_kind_that_the_service_makes_of_them(
    owner: Any, program: Any, inspected: Any
) -> None:
    inspection = inspected(marked)
    with open_results(inspection.results) as results:
        marks = {row["offset"]: row["kind"] for row in results.rows('SELECT "offset", kind FROM marks')}
    caller = program(owner)
    for table in ("records", "marks"):
        rows = [
            row for page in pages(caller, f"/inspections/{inspection.pk}/{table}/?limit=4") for row in page
        ]
        assert {row["offset"]: row["kind"] for row in rows} == marks
        updates = pages(caller, f"/inspections/{inspection.pk}/{table}/?kind=update")[0]
        assert (
            [row["offset"] for row in updates] == [at for at, kind in marks.items() if kind == "update"] != []
        )


def test_the_report_is_what_the_command_line_prints(owner: Any, program: Any, inspected: Any) -> None:
    inspection = inspected()
    response = program(owner, "read").get(f"/inspections/{inspection.pk}/report/")
    document = json.loads((inspection.results / "report.json").read_text())
    assert response.content.decode() == json.dumps(document | {"tables": None}, ensure_ascii=False)
    event = Event.objects.get(action="report.read")
    assert event.actor_id == owner.pk
    assert event.detail["token"]


def test_a_report_that_is_known_is_not_sent_again(owner: Any, program: Any, inspected: Any) -> None:
    path = f"/inspections/{inspected().pk}/report/"
    caller = program(owner, "read")
    etag = caller.get(path)["ETag"]
    again = caller.get(path, If_None_Match=etag)
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", etag)
    assert Event.objects.filter(action="report.read").count() == 1
    assert caller.get(f"/inspections/{inspected().pk}/report/", If_None_Match=etag).status_code == 200


def test_an_inspection_on_its_way_has_no_report_yet(owner: Any, program: Any, inspected: Any) -> None:
    response = program(owner).get(f"/inspections/{inspected(state='running').pk}/report/")
    assert response.status_code == 409
    assert "is running" in response.json()["error"]


def test_results_that_are_gone_say_so(owner: Any, program: Any, inspected: Any) -> None:
    inspection = inspected(lambda folder: folder)
    for name in ("report", "records", "gaps"):
        assert program(owner).get(f"/inspections/{inspection.pk}/{name}/").status_code == 410


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 100])
def test_pages_of_records_hold_each_record_once(limit: int, owner: Any, program: Any, inspected: Any) -> None:
    found = pages(program(owner), f"/inspections/{inspected(many).pk}/records/?limit={limit}")
    rows = [(row["partition"], row["offset"]) for page in found for row in page]
    assert rows == [*((0, n) for n in range(25)), *((1, n) for n in (0, 1, 1, 1, 2))]
    assert all(page for page in found)


@pytest.mark.parametrize("limit", [1, 100])
def test_a_read_committed_consumer_gets_what_its_page_has(
    limit: int, owner: Any, program: Any, inspected: Any
) -> None:
    address = f"/inspections/{inspected(ledger).pk}/records/?limit={limit}&isolation=read_committed"
    assert [row["offset"] for page in pages(program(owner), address) for row in page] == [0, 1, 5]


@pytest.mark.parametrize("name", ["marks", "keys", "batches", "gaps"])
@pytest.mark.parametrize("limit", [1, 2, 3, 100])
def test_pages_of_a_table_hold_each_row_once(
    name: str, limit: int, owner: Any, program: Any, inspected: Any
) -> None:
    found = pages(program(owner), f"/inspections/{inspected(many).pk}/{name}/?limit={limit}")
    assert sum(map(len, found)) == {"marks": 30, "keys": 4, "batches": 10, "gaps": 7}[name]
    assert all(0 < len(page) <= limit for page in found)


@pytest.mark.parametrize("name", NAMES)
def test_every_table_answers(name: str, owner: Any, program: Any, inspected: Any) -> None:
    response = program(owner).get(f"/inspections/{inspected().pk}/{name}/")
    assert response.status_code == 200, response.content
    assert set(response.json()) == {"results", "next"}


def test_bytes_come_whole_and_null_is_null(owner: Any, program: Any, inspected: Any) -> None:
    caller = program(owner, "read")
    inspection = inspected()
    rows = {
        row["offset"]: row for row in caller.get(f"/inspections/{inspection.pk}/records/").json()["results"]
    }
    raw = rows[8]["value"]
    assert base64.b64decode(raw["base64"]) == b"\xff\xfe binary \x00 <script>alert(1)</script>"
    assert raw["text"] is None
    assert rows[3]["value"]["text"] == '{"text": "one", "tags": ["a", "b"]}'
    assert rows[10]["value"] is None
    assert rows[10]["value_is_null"] is True
    assert len(rows[3]["key_id"]) == 32
    event = Event.objects.get(action="records.read")
    assert "one" not in json.dumps(event.detail)


def test_one_record_is_found_by_its_offset(owner: Any, program: Any, inspected: Any) -> None:
    caller = program(owner)
    path = f"/inspections/{inspected().pk}/records/"
    (row,) = caller.get(f"{path}7/").json()
    assert row["entry_type"] == "Content"
    assert row["kind"] == "update"
    assert row["decoded_key"] == {"contentId": 1}
    assert row["decoded_value"]["text"] == "one, mended"
    assert caller.get(f"{path}6/").status_code == 404
    assert caller.get(f"{path}7/?topic=another").status_code == 404


@pytest.mark.parametrize(
    ("query", "offsets"),
    [
        ("first=5&last=8", [5, 7, 8]),
        ("type=Content", [3, 7, 10]),
        ("kind=revive", [12]),
        ("key=artifactId", [4, 8, 11, 12]),
        ("value=mended", [7]),
        ("value=mended&type=Artifact", []),
        ("topic=another", []),
    ],
)
def test_filters_choose_the_records_that_their_page_would(
    query: str, offsets: list[int], owner: Any, program: Any, inspected: Any
) -> None:
    found = pages(program(owner), f"/inspections/{inspected().pk}/records/?{query}")
    assert [row["offset"] for page in found for row in page] == offsets


def test_filters_that_cannot_be_read_are_refused(owner: Any, program: Any, inspected: Any) -> None:
    path = f"/inspections/{inspected().pk}"
    for query in (
        "records/?first=x",
        "records/?since=never",
        "records/?limit=0",
        "gaps/?first=9999999999999999999",
    ):
        response = program(owner).get(f"{path}/{query}")
        assert response.status_code == 400
        assert response.json()["error"]


def test_of_several_wrong_parameters_the_page_is_named_before_the_partition(
    owner: Any, program: Any, inspected: Any
) -> None:
    address = f"/inspections/{inspected().pk}/records/?partition=none&limit=0"
    assert program(owner).get(address).json()["field"] == "limit"


def test_filters_of_tables_narrow_them(owner: Any, program: Any, inspected: Any) -> None:
    caller = program(owner)
    path = f"/inspections/{inspected(many).pk}"
    assert [row["base_offset"] for row in caller.get(f"{path}/batches/?broken=true").json()["results"]] == [4]
    assert len(caller.get(f"{path}/gaps/?cause=damage").json()["results"]) == 7
    assert caller.get(f"{path}/gaps/?cause=compaction").json()["results"] == []
    assert [row["key"]["text"] for row in caller.get(f"{path}/keys/?key=k1").json()["results"]] == ["k1"]


@pytest.mark.parametrize(
    "cursor", ["W10", "WyJhIl0", "Wy0xXQ", "WzAsImEiLDBd", "bm9uc2Vuc2U", "%00", "WzAsMSwtNV0"]
)
@pytest.mark.parametrize("name", ["records", "gaps", "files"])
def test_a_cursor_of_somebody_elses_making_is_refused(
    name: str, cursor: str, owner: Any, program: Any, inspected: Any
) -> None:
    response = program(owner).get(f"/inspections/{inspected().pk}/{name}/?cursor={cursor}")
    assert response.status_code == 400


@pytest.mark.parametrize("name", ["report", "records", "records/7", *NAMES])
def test_a_stranger_and_a_member_of_another_project_get_404(
    name: str, stranger: Any, owner: Any, program: Any, inspected: Any, theirs: Any
) -> None:
    assert program(stranger).get(f"/inspections/{inspected().pk}/{name}/").status_code == 404
    assert program(owner).get(f"/inspections/{theirs.latest.pk}/{name}/").status_code == 404


def test_the_profile_of_a_topic_has_its_figures(owner: Any, program: Any, inspected: Any) -> None:
    caller, address = program(owner, "read"), f"/inspections/{inspected(many).pk}/profile/"
    profile = caller.get(address).json()
    assert (profile["topic"], profile["totals"]["records"], profile["keys"]) == ("journal", 30, 4)
    assert [row["records"] for row in profile["partitions"]] == [25, 5]
    assert profile["records_per_key"]["2 to 10"] == 4
    assert profile["sizes"]["value"]["largest"] == 3
    assert (profile["partitioner"], profile["keys_tested"]) == (None, 4)
    assert caller.get(f"{address}?partition=1").json()["totals"]["records"] == 5
    assert caller.get(f"{address}?topic=other").status_code == 404
    assert Event.objects.filter(action="profile.read").count() == 2
