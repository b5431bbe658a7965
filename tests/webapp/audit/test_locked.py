"""A database that another writer holds, for real: the page is shown, and its event comes in later."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
pytestmark = pytest.mark.slow
PROGRAM = """
import sqlite3
import django
django.setup()
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection
from django.test import Client
from tests.webapp.reports.result_folder import incident
from webapp.accounts.models import Project
from webapp.audit import spool
from webapp.audit.models import Event
from webapp.journals.models import Inspection, Journal

call_command("migrate", verbosity=0)
person = User.objects.create_superuser("owner")
journal = Journal.objects.create(project=Project.objects.get(), name="journal")
inspection = Inspection.objects.create(journal=journal, state="done")
inspection.results.mkdir(parents=True)
incident(inspection.results)
client = Client(headers={"host": "localhost"})
client.force_login(person)
client.get("/catalogue/")  # the first page of a session notes the session
connection.cursor().execute("PRAGMA busy_timeout = 200")
other = sqlite3.connect(settings.DATABASES["default"]["NAME"], isolation_level=None)
other.execute("BEGIN IMMEDIATE")
print(client.get(f"/inspections/{inspection.pk}/report/records/1/").status_code)
other.execute("ROLLBACK")
print(Event.objects.filter(action="record.read").count(), spool.bring_in())
print(Event.objects.get(action="record.read").detail)
"""


@pytest.mark.long
def test_a_page_is_shown_while_somebody_else_writes(redis_url: str, tmp_path: Path) -> None:
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    ours = {"JOURNALSCOPE_DATA": str(tmp_path), "REDIS_URL": redis_url, "PYTHONPATH": str(ROOT)}
    environment = kept | ours | {"DJANGO_SETTINGS_MODULE": "webapp.settings"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert done.stdout.splitlines() == ["200", "0 1", "{'offset': '1'}"], done.stderr
