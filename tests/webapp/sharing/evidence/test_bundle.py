"""Bundles as people download them: what is in them, what is not, and that they are whole."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.serialization import load_pem_public_key
from django.test import Client
from fpdf import FPDF
from pypdf import PdfReader

from tests.builders import records_table
from tests.webapp.reports.result_folder import finding, report_document, write_results
from tests.webapp.sharing.marked import found_in, marked
from webapp.audit.models import Event
from webapp.sharing.evidence import fonts, proof
from webapp.sharing.evidence.verify import verify

pytestmark = pytest.mark.django_db
MEMBERS = {
    "README.txt", "report.html", "report.pdf", "report.json", "proof-records.json", "about.json", "public-key.pem",
    "manifest.json", "manifest.sig",
}  # fmt: skip
OPEN = {"payloads": "on", "keys": "on", "headers": "on", "names": "on", "fields_masked": "", "patterns": ""}
CLOSED = {"fields_masked": "", "patterns": ""}


@pytest.fixture
def bundled(owner: Any, sign_in: Any, tmp_path: Path) -> Callable[..., dict[str, bytes]]:
    """`bundled(inspection, OPEN)`: the members of the bundle, which was whole."""

    def bundle(inspection: Any, choices: dict[str, str]) -> dict[str, bytes]:
        return members(sign_in(owner).post(f"/inspections/{inspection.pk}/evidence/", choices), tmp_path)

    return bundle


def members(response: Any, folder: Path) -> dict[str, bytes]:
    assert response.status_code == 200, response.content
    path = folder / "bundle.zip"
    path.write_bytes(b"".join(response))
    assert verify(path).problems == []
    with zipfile.ZipFile(path) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def text_of(pdf: bytes) -> str:
    return " ".join(" ".join(page.extract_text() for page in PdfReader(io.BytesIO(pdf)).pages).split())


def test_a_bundle_tells_verdict_causes_proof_remedy_and_input_in_every_form(
    inspected: Any, bundled: Any
) -> None:
    found = bundled(inspected(), OPEN)
    assert set(found) == MEMBERS
    html, pdf = found["report.html"].decode(), text_of(found["report.pdf"])
    document = json.loads(found["report.json"])
    for said in (
        "1 content is lost, and 1 artifact cannot be read",
        "Content 2 is lost: offset 10 replaces it with nothing",
        "deletes its key",
        "What to do",
        "Consequences",
    ):
        assert said in html, said
        assert said in pdf, said
    for file in document["files"]:
        assert file["sha256"] in html
        assert file["sha256"] in pdf.replace(" ", "")
    assert document["tables"] is None


def test_the_html_opens_offline_and_runs_nothing(inspected: Any, bundled: Any) -> None:
    html = bundled(inspected(), OPEN)["report.html"].decode()
    assert not re.search(r"https?://|<script|<link|<img|<iframe| on\w+=|url\(|@import|src=", html)
    assert "<svg" in html
    assert "@media print" in html


def test_the_records_that_prove_a_finding_are_there_whole(inspected: Any, bundled: Any) -> None:
    rows = [{"key": b"k", "value": b"\xff\x00"}, {"key": b"k", "value": None}, {"key": b"other"}]
    report = report_document(findings=[finding("a", evidence=[0, 1]), finding("b", evidence=[1])])
    make = lambda folder: write_results(folder, report, records=records_table(*rows))  # noqa: E731
    records = json.loads(bundled(inspected(make), OPEN)["proof-records.json"])["records"]
    assert [(one["offset"], one["proves"]) for one in records] == [(0, ["a"]), (1, ["a", "b"])]
    assert (records[0]["key"], records[0]["value"], records[0]["value_encoding"]) == ("k", "/wA=", "base64")
    assert (records[1]["value"], records[1]["value_is_null"], records[1]["value_size_bytes"]) == (
        None,
        True,
        0,
    )


def test_a_value_too_large_is_left_out_and_said(
    inspected: Any, bundled: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proof, "RECORDS", proof.RECORDS.replace(str(proof.MAX_BYTES), "3"))
    report = report_document(findings=[finding("a", evidence=[0])])
    records = json.loads(
        bundled(
            inspected(
                lambda folder: write_results(folder, report, records=records_table({"value": b"large"}))
            ),
            OPEN,
        )["proof-records.json"]
    )["records"]
    assert (records[0]["value"], records[0]["value_left_out"]) == (None, "too large for a bundle")
    assert records[0]["value_size_bytes"] == 5


def test_about_names_inputs_versions_and_checks(inspected: Any, bundled: Any) -> None:
    inspection = inspected()
    about = json.loads(bundled(inspection, OPEN)["about.json"])
    assert about["inspection"] == str(inspection.pk)
    assert about["report_schema"] == 1
    assert about["layouts"]
    assert "content-null-update" in about["checks"]
    assert all(len(file["sha256"]) == 64 for file in about["inputs"])
    assert about["hidden"] == "nothing."


def test_what_is_hidden_is_in_no_byte_of_the_bundle(inspected: Any, bundled: Any) -> None:
    found = bundled(inspected(marked), CLOSED)
    leaks = {name: found_in(data) for name, data in found.items()}
    assert {name: found for name, found in leaks.items() if found} == {}
    assert found_in(text_of(found["report.pdf"]).encode()) == []
    assert "Payloads are hidden" in found["README.txt"].decode()
    assert json.loads(found["report.json"])["verdict"]["level"] == "critical"
    assert json.loads(found["proof-records.json"])["records"]


def test_the_marks_are_found_where_nothing_is_hidden(inspected: Any, bundled: Any) -> None:
    found = bundled(inspected(marked), OPEN)
    for name in ("report.html", "report.json", "proof-records.json"):
        assert found_in(found[name]), name


def test_a_share_gives_the_bundle_of_what_it_holds(
    inspected: Any, share: Any, guest: Client, tmp_path: Path
) -> None:
    _, token = share(inspected(marked), names=False)
    assert f'href="/s/{token}/evidence/' in guest.get(f"/s/{token}/").content.decode()
    found = members(guest.get(f"/s/{token}/evidence/"), tmp_path)
    assert {name: one for name, data in found.items() if (one := found_in(data))} == {}
    event = Event.objects.get(action="export.made")
    assert (event.target_kind, event.actor_id, event.detail) == ("share", None, {"what": "evidence"})


def test_who_may_only_read_makes_no_bundle_and_strangers_see_nothing(
    inspected: Any, viewer: Any, stranger: Any, owner: Any, sign_in: Any
) -> None:
    inspection = inspected()
    page = f"/inspections/{inspection.pk}/evidence/"
    for ask in ("get", "post"):
        assert getattr(sign_in(viewer), ask)(page).status_code == 403
        assert getattr(sign_in(stranger), ask)(page).status_code == 404
    report = f"/inspections/{inspection.pk}/report/"
    assert page in sign_in(owner).get(report).content.decode()
    assert page not in sign_in(viewer).get(report).content.decode()
    assert Event.objects.filter(action="export.made").count() == 0


def test_an_unfinished_inspection_and_a_mask_that_cannot_be_read_make_no_bundle(
    inspected: Any, owner: Any, sign_in: Any
) -> None:
    waiting = inspected(state="queued")
    assert sign_in(owner).get(f"/inspections/{waiting.pk}/evidence/").status_code == 404
    wrong = sign_in(owner).post(f"/inspections/{inspected().pk}/evidence/", OPEN | {"patterns": "("})
    assert wrong.status_code == 400
    assert "is no pattern" in wrong.content.decode()


def test_a_key_file_that_cannot_be_used_is_said(
    inspected: Any, owner: Any, sign_in: Any, guest: Client, settings: Any, tmp_path: Path
) -> None:
    settings.EVIDENCE_KEY_FILE = str(tmp_path / "key.pem")
    (tmp_path / "key.pem").write_text("no key")
    answer = sign_in(owner).post(f"/inspections/{inspected().pk}/evidence/", OPEN)
    assert answer.status_code == 503
    assert "key.pem is not a readable private key" in answer.content.decode()
    assert guest.get("/evidence/key/").status_code == 503


def test_the_page_of_the_key_needs_no_account_and_shows_the_key_of_the_bundle(
    inspected: Any, bundled: Any, guest: Client
) -> None:
    found = bundled(inspected(), OPEN)
    pem = guest.get("/evidence/key.pem").content
    assert pem == found["public-key.pem"]
    load_pem_public_key(pem)
    fingerprint = found["README.txt"].decode().splitlines()[-1].strip()
    assert fingerprint in guest.get("/evidence/key/").content.decode()


def foreign(folder: Path) -> Path:
    key = "схема-中文-é"
    report = report_document(
        findings=[finding("a", title=f"The key {key} “is” lost…", key=key, evidence=[0])]
    )
    return write_results(folder, report, records=records_table({"key": key.encode()}))


def test_letters_beyond_latin_are_drawn_and_others_written_as_their_numbers(
    inspected: Any, bundled: Any, settings: Any
) -> None:
    found = bundled(inspected(foreign), OPEN)
    pdf = text_of(found["report.pdf"])
    assert r"The key схема-\u4e2d\u6587-é “is” lost…" in pdf
    assert r"Letters that this PDF cannot draw are written as \uXXXX" in pdf
    assert "схема-中文-é" in found["report.html"].decode()
    assert list(settings.SCRATCH_DIR.glob("fonts-*")) == []


@pytest.mark.parametrize(
    ("letter", "is_drawn"),
    [
        ("é", True),
        ("ж", True),
        ("λ", True),
        ("ქ", True),
        ("→", True),
        ("ب", False),
        ("ש", False),
        ("क", False),
    ],
    ids=["Latin", "Cyrillic", "Greek", "Georgian", "arrow", "Arabic", "Hebrew", "Devanagari"],
)
def test_a_letter_is_drawn_where_it_is_read_as_it_stands_alone(
    letter: str, is_drawn: bool, tmp_path: Path
) -> None:
    letters = fonts.add_fonts(FPDF(), tmp_path / "fonts")
    assert (letters.drawable(letter) == letter) is is_drawn
    assert letters.has_lacked is not is_drawn


def test_commands_are_of_one_width_where_that_font_has_their_letters(tmp_path: Path) -> None:
    letters = fonts.add_fonts(FPDF(), tmp_path / "fonts")
    assert (letters.mono_for("kcat -k схема"), letters.mono_for("kcat -k ქ")) == (fonts.MONO, fonts.TEXT)


def test_a_font_that_is_named_writes_what_it_knows(
    inspected: Any, bundled: Any, settings: Any, tmp_path: Path
) -> None:
    settings.EVIDENCE_FONT = str(made_font(tmp_path / "own.ttf", "схема-é ThekyislotCvrgHdn:.0123456789"))
    pdf = text_of(bundled(inspected(foreign), OPEN)["report.pdf"])
    assert r"схема-\u4e2d\u6587-é" in pdf


def made_font(path: Path, letters: str) -> Path:
    """A font of boxes that knows these letters and the rest of ASCII."""
    from fontTools.fontBuilder import FontBuilder
    from fontTools.pens.ttGlyphPen import TTGlyphPen

    pen = TTGlyphPen(None)
    pen.moveTo((0, 0))
    pen.lineTo((0, 500))
    pen.lineTo((500, 500))
    pen.closePath()
    glyph = pen.glyph()
    codes = {ord(letter): f"g{ord(letter)}" for letter in {*letters, *map(chr, range(32, 127))}}
    names = [".notdef", *codes.values()]
    font = FontBuilder(1000, isTTF=True)
    font.setupGlyphOrder(names)
    font.setupCharacterMap(codes)
    font.setupGlyf(dict.fromkeys(names, glyph))
    font.setupHorizontalMetrics(dict.fromkeys(names, (600, 0)))
    font.setupHorizontalHeader(ascent=800, descent=-200)
    font.setupNameTable({"familyName": "Own", "styleName": "Regular"})
    font.setupOS2()
    font.setupPost()
    font.save(path)
    return path


def test_a_healthy_report_says_so(inspected: Any, bundled: Any) -> None:
    def make(folder: Path) -> Path:
        return write_results(folder, report_document(clean=["crc-mismatch"]), records=records_table({}))

    found = bundled(inspected(make), OPEN)
    assert "No fault found" in found["report.html"].decode()
    assert "1 checks ran" in text_of(found["report.pdf"])
