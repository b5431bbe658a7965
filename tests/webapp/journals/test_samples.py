"""Samples: loaded by a card into the user's project, once; all leave with one click, and nothing else does."""

from __future__ import annotations

from typing import Any

from webapp.journals.models import Inspection, Journal
from webapp.journals.samples import SAMPLES


def test_the_first_page_offers_five_questions_and_later_only_when_asked(
    make_journal: Any, owner: Any, viewer: Any, sign_in: Any
) -> None:
    client = sign_in(owner)
    page = client.get("/").content.decode()
    assert len(SAMPLES) == 5
    assert all(sample.question in page for sample in SAMPLES)
    assert "Open this sample" not in sign_in(viewer).get("/").content.decode()
    make_journal()
    assert "Open this sample" not in client.get("/").content.decode()
    assert "Open this sample" in client.get("/?samples").content.decode()


def test_a_card_loads_its_sample_once(owner: Any, project: Any, house: Any, sign_in: Any) -> None:
    client = sign_in(owner)
    first = client.post("/samples/hanging/load/")
    again = client.post("/samples/hanging/load/")
    (inspection,) = Inspection.objects.all()
    assert first["Location"] == again["Location"] == f"/inspections/{inspection.pk}/"
    journal = inspection.journal
    assert (journal.is_sample, journal.created_by, journal.project) == (True, owner, project)
    assert [upload.name for upload in journal.uploads.all()] == ["payments-0/00000000000000000000.log"]
    assert "Sample: a topic with" in client.get("/").content.decode()


def test_one_click_removes_the_samples_and_nothing_else(
    make_journal: Any, owner: Any, house: Any, sign_in: Any
) -> None:
    kept = make_journal()
    client = sign_in(owner)
    for kind in ("corrupt", "hanging"):
        client.post(f"/samples/{kind}/load/")
    assert "Remove 2 samples" in client.get("/").content.decode()
    assert "2 samples removed." in client.post("/samples/remove/", follow=True).content.decode()
    assert [journal.pk for journal in Journal.objects.all()] == [kept.pk]


def test_there_is_no_other_sample(owner: Any, sign_in: Any) -> None:
    assert sign_in(owner).post("/samples/nonsense/load/").status_code == 404
