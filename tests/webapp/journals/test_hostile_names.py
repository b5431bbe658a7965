"""Names of files and journals with characters that a browser obeys: every page shows them as escapes."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse

from tests.builders import files_table, records_table
from tests.webapp.reports.result_folder import report_document, write_results
from webapp.journals.models import Inspection, Journal, Upload
from webapp.journals.templatetags.journalscope import shown

pytestmark = pytest.mark.django_db
HOSTILE = "a\u202egpj\u2028b\x9b\u200bc\u2066.exe"
SHOWN = "a\\u202egpj\\u2028b\\x9b\\u200bc\\u2066.exe"


def test_a_name_is_one_line_of_visible_characters() -> None:
    assert shown(HOSTILE) == SHOWN
    assert shown("two\nlines") == "two\\nlines"
    assert shown(None) == ""
    assert shown("schlüssel キー.log") == "schlüssel キー.log"


def test_pages_of_a_journal_show_hostile_names_as_escapes(
    project: Any, owner: Any, sign_in: Any, settings: Any, tmp_path: Any
) -> None:
    settings.RESULTS_DIR = tmp_path
    journal = Journal.objects.create(project=project, name=HOSTILE)
    Upload.objects.create(journal=journal, name=HOSTILE, size_bytes=1)
    inspection = Inspection.objects.create(journal=journal, state="done")
    finding = {
        "id": "f", "detector": "crc-mismatch", "severity": "high", "confidence": "proven", "title": f"{HOSTILE} is corrupt", "explanation": "x",
        "topic": "journal", "partition": 0, "first_offset": 0, "last_offset": 0, "key": None, "evidence": [0], "remedy": "1. Stop.",
        "references": [], "consequence_of": None,
    }  # fmt: skip
    document = report_document(findings=[finding])
    write_results(
        inspection.results, document, records=records_table({}), files=files_table({"name": HOSTILE})
    )
    browser = sign_in(owner)
    pages = [
        reverse("journals"), reverse("journal", args=[journal.pk]), reverse("report-overview", args=[inspection.pk]), reverse("report-files", args=[inspection.pk]),
    ]  # fmt: skip
    for page in pages:
        text = browser.get(page).content.decode()
        assert SHOWN in text, page
        for attribute in ("data-name", "value"):  # what scripts and forms give back is the name itself
            text = text.replace(f'{attribute}="{HOSTILE}', "")
        assert HOSTILE not in text, page
