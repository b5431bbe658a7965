"""Announced uploads have their space: whoever comes later is refused at once, with the numbers."""

from __future__ import annotations

import re
import shutil
from collections import namedtuple
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from tests.webapp.journals.receiving.test_tus import TUS, create, patch
from webapp.accounts.models import Project
from webapp.journals import uploads
from webapp.journals.disk import reserved
from webapp.journals.models import Journal, Upload
from webapp.rejected import Rejected

Usage = namedtuple("Usage", "total used free")
MB = 1_000_000


@pytest.fixture
def client(owner: User, sign_in: Any, monkeypatch: Any) -> Client:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(100 * MB, 90 * MB, 10 * MB))
    return sign_in(owner)


def address(answer: Any) -> str:
    return answer["Location"].removeprefix("http://testserver")


def test_what_is_announced_is_not_announced_twice(client: Client) -> None:
    assert create(client, 7 * MB).status_code == 201
    answer = create(client, 4 * MB, name="b.log")
    assert answer.status_code == 413
    sentence = answer.content.decode()
    assert re.findall(r"\d+\.\d MB", sentence) == ["4.0 MB", "10.0 MB", "7.0 MB"]  # needed, free, reserved
    assert "reserved for uploads" in sentence
    assert Upload.objects.count() == 1
    assert create(client, 3 * MB, name="b.log").status_code == 201


def test_a_second_file_of_a_journal_needs_its_space_as_well(client: Client, owner: User) -> None:
    create(client, 7 * MB)
    with pytest.raises(Rejected, match="reserved for uploads"):
        uploads.add_file(Journal.objects.get(), "b.log", 4 * MB)


def test_several_files_announced_together_count_together(
    client: Client, owner: User, project: Project
) -> None:
    files = [(f"{number}.log", 4 * MB) for number in range(3)]
    with pytest.raises(
        Rejected, match=r"^The server's disk has no room for 12\.0 MB: .*10\.0 MB are free\. Ask an admin"
    ):
        uploads.announce(owner, project, "", files)
    assert not Upload.objects.exists()


def test_bytes_that_arrived_are_on_the_disk_and_not_reserved(client: Client) -> None:
    path = address(create(client, 7 * MB))
    patch(client, path, 0, b"x" * MB)
    assert reserved.reserved_bytes() == 6 * MB


@pytest.mark.parametrize("end", ["deleted", "expired", "complete"])
def test_space_is_given_back(client: Client, end: str) -> None:
    path = address(create(client, 2 * MB))
    if end == "deleted":
        client.delete(path, **TUS)
    elif end == "expired":
        Upload.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    else:
        assert patch(client, path, 0, b"x" * 2 * MB).status_code == 204
    assert reserved.reserved_bytes() == 0
    assert create(client, 10 * MB, name="b.log").status_code == 201


def test_files_of_a_capture_are_on_the_disk_already(client: Client, owner: User) -> None:
    create(client, 2 * MB)
    Upload.objects.update(expires_at=None)
    assert reserved.reserved_bytes() == 0
