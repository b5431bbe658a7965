"""Settings from the environment, each in a process of its own, and two writers on one SQLite file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from webapp.environment import write_once

ROOT = Path(__file__).parents[2]

TELL = """
import json, sys, django
django.setup()
from django.conf import settings
print(json.dumps({name: getattr(settings, name) for name in sys.argv[1:]}, default=str))
"""

WRITE = """
import sys, time, django
django.setup()
from django.db import transaction
from webapp.journals.models import Journal
for n in range(30):
    with transaction.atomic():
        seen = Journal.objects.count()
        time.sleep(0.002)  # read, then write: the order that fails without IMMEDIATE
        Journal.objects.create(project_id=1, name=f"{sys.argv[1]} {n} after {seen}")
"""


def run(code: str, data: Path, *arguments: str, **environment: str) -> subprocess.Popen[str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    environment = (
        kept | {"JOURNALSCOPE_DATA": str(data), "DJANGO_SETTINGS_MODULE": "webapp.settings"} | environment
    )
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def told(data: Path, *names: str, **environment: str) -> Any:
    out, err = run(TELL, data, *names, **environment).communicate(timeout=60)
    assert out, err
    return json.loads(out)


def test_defaults_fit_one_machine(tmp_path: Path) -> None:
    names = (
        "DEBUG",
        "ALLOWED_HOSTS",
        "SESSION_COOKIE_SECURE",
        "SECURE_HSTS_SECONDS",
        "CELERY_BROKER_URL",
        "RAW_STORAGE_URL",
    )
    assert told(tmp_path, *names) == {
        "DEBUG": False,
        "ALLOWED_HOSTS": ["localhost", "127.0.0.1", "[::1]"],
        "SESSION_COOKIE_SECURE": False,
        "SECURE_HSTS_SECONDS": 0,
        "CELERY_BROKER_URL": f"redis+socket://{tmp_path}/run/redis.sock",
        "RAW_STORAGE_URL": str(tmp_path / "raw"),
    }


def test_an_https_address_makes_cookies_secure(tmp_path: Path) -> None:
    names = (
        "ALLOWED_HOSTS",
        "CSRF_TRUSTED_ORIGINS",
        "SESSION_COOKIE_SECURE",
        "CSRF_COOKIE_SECURE",
        "SECURE_HSTS_SECONDS",
    )
    settings = told(tmp_path, *names, PUBLIC_URL="https://journals.example.org:8443/")
    assert settings["ALLOWED_HOSTS"][-1] == "journals.example.org"
    assert settings["CSRF_TRUSTED_ORIGINS"] == ["https://journals.example.org:8443"]
    assert settings["SESSION_COOKIE_SECURE"] is settings["CSRF_COOKIE_SECURE"] is True
    assert settings["SECURE_HSTS_SECONDS"] == 31536000


@pytest.mark.parametrize(
    ("url", "broker"),
    [
        ("redis://host:6379/2", "redis://host:6379/2"),
        ("unix:///run/r.sock?db=1", "redis+socket:///run/r.sock?virtual_host=1"),
    ],
)
def test_celery_gets_the_broker_in_its_own_spelling(tmp_path: Path, url: str, broker: str) -> None:
    assert told(tmp_path, "CELERY_BROKER_URL", REDIS_URL=url) == {"CELERY_BROKER_URL": broker}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MAX_FILE_BYTES", "lots"),
        ("DEBUG", "maybe"),
        ("PUBLIC_URL", "journals"),
        ("UPLOAD_EXPIRY_HOURS", "0"),
    ],
)
def test_an_unusable_value_is_named(tmp_path: Path, name: str, value: str) -> None:
    process = run(TELL, tmp_path, **{name: value})
    _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert f"ImproperlyConfigured: {name}={value} is n" in err


@pytest.mark.slow
def test_the_secret_key_is_made_once_and_only_ours_to_read(tmp_path: Path) -> None:
    together = [run(TELL, tmp_path, "SECRET_KEY") for _ in range(3)]
    keys = {process.communicate(timeout=60)[0] for process in together} | {
        json.dumps(told(tmp_path, "SECRET_KEY")) + "\n"
    }
    assert len(keys) == 1
    assert (tmp_path / "secret-key").stat().st_mode & 0o777 == 0o600
    assert [file.name for file in tmp_path.iterdir()] == ["secret-key"]


def test_of_two_who_make_a_key_file_the_first_counts(tmp_path: Path) -> None:
    path = tmp_path / "keys" / "key.pem"
    for content in (b"first", b"second"):
        write_once(path, content)
    assert path.read_bytes() == b"first"
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.slow
def test_web_and_worker_write_to_one_sqlite_file_at_once(tmp_path: Path) -> None:
    migrate = run(
        "from django.core.management import call_command; import django; django.setup(); call_command('migrate', verbosity=0)",
        tmp_path,
    )
    assert migrate.wait(60) == 0
    writers = [run(WRITE, tmp_path, name) for name in ("web", "worker", "another")]
    for writer in writers:
        _, err = writer.communicate(timeout=120)
        assert writer.returncode == 0, err
    import sqlite3

    with sqlite3.connect(tmp_path / "journalscope.sqlite3") as database:
        assert database.execute("SELECT count(*), count(DISTINCT name) FROM journals_journal").fetchone() == (
            90,
            90,
        )
        assert database.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        seen = [int(name.split()[-1]) for (name,) in database.execute("SELECT name FROM journals_journal")]
    assert sorted(seen) == list(range(90))  # nobody wrote on what somebody else had changed meanwhile
