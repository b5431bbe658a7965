"""Fields for a time take UTC, whatever zone the page shows: the label of each says so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from webapp.clusters.capture_form import CaptureForm

TEMPLATES = Path(__file__).resolve().parents[2] / "templates"
FIELD = re.compile(r"<input [^>]*(?:type=\"(?:date|time|datetime-local)\"|name=\"(?:since|until)\")[^>]*>")
ID = re.compile(r'\bid="([\w-]+)"')
FIELDS = [
    pytest.param(path, match[0], id=f"{path.relative_to(TEMPLATES)}-{number}")
    for path in sorted(TEMPLATES.rglob("*.html"))
    for number, match in enumerate(FIELD.finditer(path.read_text()))
]


def test_there_are_such_fields() -> None:
    assert len(FIELDS) >= 4


@pytest.mark.parametrize(("template", "field"), FIELDS)
def test_a_field_for_a_time_names_its_zone(template: Path, field: str) -> None:
    identity = ID.search(field)
    assert identity, field
    label = re.search(rf'<label [^>]*for="{identity[1]}"[^>]*>([^<]*)</label>', template.read_text())
    assert label, field
    assert re.search(r"\bUTC\b", label[1]), label[0]


def test_the_times_of_a_capture_name_their_zone() -> None:
    form = CaptureForm()
    assert [str(form.fields[name].label) for name in ("start_time", "end_time")] == [
        "From time (UTC)", "To time (UTC)",
    ]  # fmt: skip
