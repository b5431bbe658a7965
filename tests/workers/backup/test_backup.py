"""A backup of a site with people, journals, results and a log, restored into an empty installation, by real commands.

Each installation is a data folder of its own with processes of its own, as an admin has them.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.postgresql import PostgreSQL

ROOT = Path(__file__).resolve().parents[3]
pytestmark = pytest.mark.slow
FILL = """
import hashlib
from pathlib import Path
from django.contrib.auth.models import Group, Permission, User
from webapp.accounts.models import Project
from webapp.audit import log
from webapp.journals import uploads
from webapp.journals.models import Inspection, Upload
person = User.objects.create_user("owner", "owner@example.org", "a long pass phrase", first_name="Zoë")
person.user_permissions.add(Permission.objects.get(codename="view_journal"))
project = Project.objects.create(slug="payments", name="Payments", due_days={"critical": 1}, retention_days=30)
project.memberships.create(user=person, role="admin")
for number in range(3):
    journal = uploads.announce(person, project, f"journal {number}", [("a.log", 2000), ("b.log", 10)])
    for upload in journal.uploads.all():
        content = bytes([number, 255]) * (upload.size_bytes // 2)
        uploads.partial_path(upload).write_bytes(content)
        uploads.finish(upload)
    inspection = journal.inspections.get()
    inspection.results.mkdir(parents=True)
    (inspection.results / "report.json").write_text('{"verdict": "healthy"}')
    (inspection.results / "records").mkdir()
    (inspection.results / "records" / "0000-a.parquet").write_bytes(b"PAR1" * 100)
    Inspection.objects.filter(pk=inspection.pk).update(state="done", summary={"records": 3, "name": "ü"})
log.record("project.renamed", project_id=project.pk, target=project)
"""
TELL = """
import json, sys
from workers.backup import rows
from pathlib import Path
folder = Path(sys.argv[1]); folder.mkdir()
print(json.dumps({m._meta.label_lower: rows.write(m, folder / m._meta.label_lower) for m in rows.stored_models()}))
"""


@dataclass
class Installation:
    """A data folder, its database, and commands on it."""

    data: Path
    database_url: str = ""

    @property
    def environment(self) -> dict[str, str]:
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        ours = {"JOURNALSCOPE_DATA": str(self.data), "DJANGO_SETTINGS_MODULE": "webapp.settings"}
        broker = {"REDIS_URL": "unix:///nowhere/redis.sock"}
        return kept | ours | broker | ({"DATABASE_URL": self.database_url} if self.database_url else {})

    def manage(self, *words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "manage.py", *words]
        return subprocess.run(command, cwd=ROOT, env=self.environment, capture_output=True, text=True)

    def python(self, program: str, *arguments: str) -> str:
        ready = "import django; django.setup()\n"
        command = [sys.executable, "-c", ready + program, *arguments]
        done = subprocess.run(command, cwd=ROOT, env=self.environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def rows(self, folder: Path) -> dict[str, list[dict[str, object]]]:
        """All tables, row by row."""
        tables = json.loads(self.python(TELL, str(folder)))
        return {
            name: [json.loads(line) for line in (folder / name).read_text().splitlines()] for name in tables
        }

    def files(self) -> dict[str, bytes]:
        """Raw bytes and results."""
        folders = [self.data / "raw", self.data / "results"]
        found = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
        return {str(path.relative_to(self.data)): path.read_bytes() for path in found}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """An installation in use."""
    made = Installation(tmp_path_factory.mktemp("site"))
    assert made.manage("migrate", "--verbosity", "0").returncode == 0
    made.python(FILL)
    return made


@pytest.fixture(scope="module")
def backup(site: Installation, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made by the command."""
    folder = tmp_path_factory.mktemp("backups") / "monday"
    done = site.manage("backup", str(folder))
    assert done.returncode == 0, done.stderr
    assert "It does not contain the secret key" in done.stdout
    return folder


@pytest.fixture
def empty(tmp_path: Path) -> Installation:
    """A new data folder."""
    return Installation(tmp_path / "new")


@pytest.mark.long
def test_rows_bytes_and_results_come_back_as_they_were(
    site: Installation, backup: Path, empty: Installation, tmp_path: Path
) -> None:
    done = empty.manage("restore", str(backup))
    assert done.returncode == 0, done.stderr
    assert "are back" in done.stdout
    head = json.loads(site.manage("verify_audit", "--json").stdout)["head"]
    checked = empty.manage("verify_audit", "--head", head)
    assert (checked.returncode, "All of them are unchanged" in checked.stdout) == (0, True), checked.stdout
    before, after = site.rows(tmp_path / "before"), empty.rows(tmp_path / "after")
    for rows in (before, after):  # each side has one event that the other cannot have
        rows["audit.event"] = [
            row for row in rows["audit.event"] if not str(row["action"]).startswith("backup.")
        ]
    assert before == after
    assert len(before["journals.journal"]) == 3
    assert {str(row["action"]) for row in before["audit.event"]} >= {"journal.created", "project.renamed"}
    assert empty.files() == site.files()
    assert len(site.files()) == 12
    assert not list((empty.data / "scratch").glob("restore-*"))


@pytest.mark.long
def test_the_restored_site_works_and_its_log_is_still_append_only(backup: Path, empty: Installation) -> None:
    assert empty.manage("restore", str(backup)).returncode == 0
    told = empty.python(
        """
from django.contrib.auth import authenticate
from django.db import DatabaseError
from django.test import Client
from webapp.audit import log
from webapp.audit.models import Event
from webapp.journals.models import Journal
client = Client()
client.force_login(authenticate(username="owner", password="a long pass phrase"))
print(client.get(f"/journals/{Journal.objects.first().pk}/", headers={"host": "localhost"}).status_code)
try:
    Event.objects.all().delete()
except DatabaseError as refusal:
    print(refusal)
log.record("project.renamed")
print(Event.objects.first().action)
"""
    )
    assert told.splitlines() == ["200", "the audit log is append-only", "project.renamed"]


def test_an_installation_in_use_is_left_alone(site: Installation, backup: Path) -> None:
    before = site.files()
    done = site.manage("restore", str(backup))
    assert done.returncode == 1
    assert "This installation is not empty: it has 1 user." in done.stderr
    assert site.files() == before


@pytest.mark.wide
@pytest.mark.parametrize("damage", ["flip", "cut", "missing", "manifest"])
def test_a_damaged_backup_is_refused_and_nothing_is_written(
    backup: Path, empty: Installation, tmp_path: Path, damage: str
) -> None:
    broken = tmp_path / "broken"
    shutil.copytree(backup, broken)
    victim = next(path for path in sorted((broken / "raw").rglob("*")) if path.is_file())
    content = victim.read_bytes()
    if damage == "flip":
        victim.write_bytes(bytes([content[0] ^ 1]) + content[1:])
    elif damage == "cut":
        victim.write_bytes(content[:-1])
    elif damage == "missing":
        victim.unlink()
    else:
        (broken / "manifest.json").write_text(
            (broken / "manifest.json").read_text().replace("payments", "x") + " "
        )
    done = empty.manage("restore", str(broken))
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert ("changed after" if damage == "manifest" else victim.name) in done.stderr
    assert not empty.data.exists() or not empty.files()


@pytest.mark.long
def test_a_restore_that_breaks_off_leaves_nothing(backup: Path, empty: Installation) -> None:
    """A row that the database refuses: rows and bytes are taken back."""
    told = empty.python(
        """
import sys
from pathlib import Path
from django.core.management import call_command
from workers.backup import restoring, rows
def refuse(model, file, read=rows.read):
    from django.db import IntegrityError
    if model._meta.label_lower == "journals.upload":
        raise IntegrityError("no such blob")
    return read(model, file)
rows.read = refuse
try:
    restoring.restore(Path(sys.argv[1]))
except restoring.CannotRestore as refusal:
    print(refusal)
from django.contrib.auth.models import User
print(User.objects.count())
""",
        str(backup),
    )
    refusal, users = told.splitlines()
    assert ("no such blob" in refusal, users) == (True, "0")
    assert not empty.files()
    assert empty.manage("restore", str(backup)).returncode == 0


@pytest.mark.long
def test_a_backup_of_another_version_is_refused(backup: Path, empty: Installation, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(backup, other)
    manifest = json.loads((other / "manifest.json").read_text())
    manifest["migrations"].append("journals.9999_later")
    text = json.dumps(manifest)
    (other / "manifest.json").write_text(text)
    (other / "manifest.sha256").write_text(hashlib.sha256(text.encode()).hexdigest() + "  manifest.json\n")
    done = empty.manage("restore", str(other))
    assert done.returncode == 1
    assert "made by another version" in done.stderr
    assert "journals.9999_later" in done.stderr


def test_a_backup_does_not_overwrite(site: Installation, backup: Path) -> None:
    done = site.manage("backup", str(backup))
    assert done.returncode == 1
    assert "already exists" in done.stderr


def test_sessions_keys_and_sign_in_links_are_not_in_it(site: Installation, backup: Path) -> None:
    names = {path.name for path in backup.rglob("*")}
    assert not names & {"sessions.session.ndjson", "accounts.onetimesignin.ndjson", "secret-key"}
    key = (site.data / "secret-key").read_text().strip()
    assert not any(key.encode() in path.read_bytes() for path in backup.rglob("*") if path.is_file())


@pytest.mark.long
def test_bytes_that_come_and_go_while_it_is_made_leave_no_row_without_bytes(
    site: Installation, tmp_path: Path
) -> None:
    """Between the copying of bytes and the snapshot of rows, one journal is deleted and another uploaded."""
    busy = Installation(tmp_path / "site")
    shutil.copytree(site.data, busy.data)
    told = busy.python(
        """
import sys
from pathlib import Path
from django.contrib.auth.models import User
from webapp.accounts.models import Project
from webapp.journals import deletion, uploads
from webapp.journals.models import Blob, Inspection, Journal, Upload
from workers.backup import making
take = making._Making._take_rows
def busy(self):
    if not hasattr(self, "was_busy"):
        self.was_busy = True
        gone = Journal.objects.get(name="journal 0")
        Inspection.objects.filter(journal=gone).update(state="done")
        deletion.delete_journal(gone)
        late = uploads.announce(User.objects.get(), Project.objects.get(slug="payments"), "late", [("a", 6)])
        upload = late.uploads.get()
        uploads.partial_path(upload).write_bytes(b"late!!")
        uploads.finish(upload)
    return take(self)
making._Making._take_rows = busy
manifest = making.make(Path(sys.argv[1]), print)
print(sorted(Blob.objects.values_list("pk", flat=True)) == sorted(e.path[7:] for e in manifest.files if e.path.startswith("raw/")))
print(sum(e.path.endswith("report.json") for e in manifest.files), manifest.missing)
""",
        str(tmp_path / "busy"),
    )
    assert told.splitlines() == ["True", "2 []"]
    new = Installation(tmp_path / "new")
    assert new.manage("restore", str(tmp_path / "busy")).returncode == 0
    with sqlite3.connect(new.data / "journalscope.sqlite3") as database:
        names = [name for (name,) in database.execute("select name from journals_journal order by name")]
    assert names == ["journal 1", "journal 2", "late"]


@pytest.mark.long
def test_from_sqlite_to_postgresql_and_back(
    site: Installation, backup: Path, tmp_path: Path, postgresql: PostgreSQL
) -> None:
    server = Installation(tmp_path / "server", postgresql.new_database())
    done = server.manage("restore", str(backup))
    assert done.returncode == 0, done.stderr
    refusal = server.python(
        """
from django.db import DatabaseError, connection
from webapp.accounts.models import Project
from webapp.audit.models import Event
Project.objects.create(slug="next", name="Next")
attempts = (
    lambda: Event.objects.all().delete(),
    lambda: Event.objects.update(action="nothing"),
    lambda: connection.cursor().execute("TRUNCATE audit_event"),
    lambda: connection.cursor().execute("TRUNCATE audit_seal"),
    lambda: connection.cursor().execute("UPDATE audit_seal SET sha256 = 'x'"),
    lambda: connection.cursor().execute("DELETE FROM audit_seal"),
    lambda: connection.cursor().execute(
        "INSERT INTO audit_event SELECT * FROM audit_event ON CONFLICT (id) DO UPDATE SET action = 'forged'"
    ),
)
for attempt in attempts:
    try:
        attempt()
    except DatabaseError as refusal:
        print(str(refusal).splitlines()[0])
"""
    )
    assert refusal.splitlines() == ["the audit log is append-only"] * 7
    assert server.manage("backup", str(tmp_path / "tuesday")).returncode == 0
    again = Installation(tmp_path / "again")
    assert again.manage("restore", str(tmp_path / "tuesday")).returncode == 0
    head = json.loads(site.manage("verify_audit", "--json").stdout)["head"]
    for installation in (server, again):
        assert installation.manage("verify_audit", "--head", head).returncode == 0
    before, after = server.rows(tmp_path / "before"), again.rows(tmp_path / "after")
    for rows in (before, after):
        rows["audit.event"] = [row for row in rows["audit.event"] if row["action"] != "backup.restored"]
        rows["audit.event"] = [row for row in rows["audit.event"] if row["action"] != "backup.made"]
    assert before == after
    assert again.files() == site.files()
