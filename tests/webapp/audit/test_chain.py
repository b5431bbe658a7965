"""The chain over the audit log: what somebody with the database in their hands changes is seen."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction

from webapp.audit import chain, log
from webapp.audit.models import Event, Seal
from workers.jobs import housekeeping

ROOT = Path(__file__).resolve().parents[3]
REPLACES = [
    "INSERT OR REPLACE INTO audit_event SELECT * FROM audit_event WHERE id = 2",
    "REPLACE INTO audit_seal (id, event_id, sha256) VALUES (1, 2, 'x')",
    "INSERT OR REPLACE INTO audit_event (id, at, actor_name, action, target_kind, target_id, target_name, request_id, detail)"
    " VALUES (2, '2026-01-01', '', 'forged', '', '', '', '', '{}')",
    "UPDATE OR REPLACE audit_event SET id = 2 WHERE id = 1",
    "INSERT INTO audit_event SELECT * FROM audit_event WHERE id = 2 ON CONFLICT (id) DO UPDATE SET action = 'forged'",
    "UPDATE audit_seal SET sha256 = 'x'",
    "DELETE FROM audit_seal",
]
sqlite_only = pytest.mark.skipif("connection.vendor != 'sqlite'")


@pytest.fixture
def events(db: None) -> list[int]:
    """Ids of five sealed events."""
    for number in range(5):
        log.record(
            "record.read", offset=number, ratio=1.0 + number, key="Größe", nested={"b": 1, "a": [1.5, None]}
        )
    assert chain.seal() == 5
    assert chain.seal() == 0
    return list(Event.objects.order_by("pk").values_list("pk", flat=True))


@contextmanager
def without_triggers() -> Iterator[Any]:
    """What somebody does who has the file."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET session_replication_role = replica")
            yield cursor
            cursor.execute("SET session_replication_role = DEFAULT")
            return
        cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'audit_%'")
        triggers = cursor.fetchall()
        for name, _ in triggers:
            cursor.execute(f"DROP TRIGGER {name}")
        yield cursor
        for _, sql in triggers:
            cursor.execute(sql)


def verified(*words: str) -> tuple[int, str]:
    """Exit code and output of the command."""
    out = StringIO()
    try:
        call_command("verify_audit", *words, stdout=out)
    except SystemExit as end:
        return int(str(end.code)), out.getvalue()
    return 0, out.getvalue()


@sqlite_only
@pytest.mark.parametrize("sql", REPLACES)
def test_no_statement_puts_another_event_in_the_place_of_one(events: list[int], sql: str) -> None:
    before = list(Event.objects.values()), list(Seal.objects.values())
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        connection.cursor().execute(sql)
    assert (list(Event.objects.values()), list(Seal.objects.values())) == before


def test_a_log_that_nobody_touched_is_whole(events: list[int]) -> None:
    log.record("retention.ran")
    code, said = verified()
    assert (code, said.splitlines()[:2]) == (
        0, ["5 events are in the chain, 1 wait for their seal.", "All of them are unchanged."],
    )  # fmt: skip
    housekeeping.clean_up()
    assert chain.check().count == 6


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("UPDATE audit_event SET action = 'forged' WHERE id = {2}", "Event {2} or seal 3 was changed"),
        ("UPDATE audit_event SET detail = '{{}}' WHERE id = {1}", "Event {1} or seal 2 was changed"),
        ("UPDATE audit_event SET at = '2026-01-01 00:00:00' WHERE id = {0}", "Event {0} or seal 1 was changed"),
        ("UPDATE audit_event SET actor_id = 7 WHERE id = {4}", "Event {4} or seal 5 was changed"),
        ("DELETE FROM audit_event WHERE id = {3}", "Event {3} is missing"),
        ("DELETE FROM audit_seal WHERE id = 3", "Seal 3 is missing"),
        ("UPDATE audit_seal SET sha256 = '{zeros}' WHERE id = 2", "Event {1} or seal 2 was changed"),
    ],
)  # fmt: skip
def test_the_first_event_that_does_not_fit_is_named(events: list[int], change: str, says: str) -> None:
    with without_triggers() as cursor:
        cursor.execute(change.format(*events, zeros="0" * 64))
    code, said = verified()
    assert code == 1
    assert says.format(*events) in said
    assert verified("--json")[0] == 1
    assert says.format(*events) in json.loads(verified("--json")[1])["problem"]


def test_events_taken_from_the_end_with_their_seals_are_missed_by_who_noted_the_head(
    events: list[int],
) -> None:
    head = chain.check().head
    assert verified("--head", head)[0] == 0
    with without_triggers() as cursor:
        cursor.execute(f"DELETE FROM audit_event WHERE id = {events[-1]}")
        cursor.execute("DELETE FROM audit_seal WHERE id = 5")
    assert verified()[0] == 0
    code, said = verified("--head", head)
    assert (code, "is not in the chain" in said) == (1, True)
    with pytest.raises(CommandError, match="64 hexadecimal digits"):
        verified("--head", "nonsense")


def test_an_event_that_commits_after_its_successors_gets_a_later_seal(events: list[int]) -> None:
    with without_triggers() as cursor:
        cursor.execute("DELETE FROM audit_seal WHERE id > 2")
    assert chain.seal() == 3
    with without_triggers() as cursor:  # as if event 2 had not been visible yet when the others were sealed
        cursor.execute("DELETE FROM audit_seal")
    middle = Event.objects.get(pk=events[1])
    with without_triggers() as cursor:
        cursor.execute(f"DELETE FROM audit_event WHERE id = {middle.pk}")
    assert chain.seal() == 4
    middle.save_base(raw=True, force_insert=True)
    assert chain.seal() == 1
    assert Seal.objects.get(pk=5).event_id == middle.pk
    assert chain.check().problem == ""


def test_the_text_of_an_event_is_the_same_in_every_database(db: None) -> None:
    log.record("record.read", ratio=2.0, more=[1e3, 0.5, {"z": 1, "a": True}])
    text = chain.canonical(Event.objects.get())
    assert json.loads(text)["detail"] == {"ratio": 2, "more": [1000, 0.5, {"z": 1, "a": True}]}
    assert ".0" not in text.split('"detail"')[1]
    assert json.loads(text)["at"].endswith("+00:00")


SEALERS = """
import threading
import django
django.setup()
from django.core.management import call_command
from django.db import connections
from webapp.audit import chain, log

call_command("migrate", verbosity=0)
for number in range(40):
    log.record("record.read", offset=number)

def work():
    for number in range(10):
        log.record("report.read", offset=number)
        chain.seal()
    connections.close_all()

threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
chain.seal(look_back=None)
checked = chain.check()
print(checked.count, checked.unsealed, checked.problem or "whole")
"""


@pytest.mark.slow
@pytest.mark.parametrize("database", [pytest.param("sqlite", marks=pytest.mark.long), "postgresql"])
def test_writers_and_sealers_at_once_make_one_chain(
    tmp_path: Path, database: str, request: pytest.FixtureRequest
) -> None:
    """With connections of their own, as web, worker and backup have."""
    url = request.getfixturevalue("postgresql").new_database() if database == "postgresql" else ""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    ours = {"JOURNALSCOPE_DATA": str(tmp_path), "PYTHONPATH": str(ROOT)}
    environment = kept | ours | {"DJANGO_SETTINGS_MODULE": "webapp.settings"}
    environment |= {"DATABASE_URL": url} if url else {}
    done = subprocess.run(
        [sys.executable, "-c", SEALERS], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert done.stdout.split() == ["80", "0", "whole"], done.stderr
