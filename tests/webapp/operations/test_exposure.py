"""Open data folders are told with the command that closes them; new files are private."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core import checks

from webapp.operations import exposure

ROOT = Path(__file__).resolve().parents[3]
LOOSE = """
import os
os.umask(0)
import django
django.setup()
from django.core.management import call_command
call_command("migrate", verbosity=0)
call_command("collectstatic", "--noinput", verbosity=0)
"""


@pytest.fixture
def folder(settings: Any, tmp_path: Path) -> Path:
    folder = tmp_path / "my data"
    folder.mkdir(mode=0o700)
    settings.DATA_DIR, settings.RESULTS_DIR = folder, folder / "results"
    settings.RAW_STORAGE_URL = str(folder / "raw")
    return folder


def told() -> list[str]:
    messages = checks.run_checks(tags=[checks.Tags.security])
    return [message.msg for message in messages if message.id == "journalscope.W001"]


def test_a_private_data_folder_is_no_news(folder: Path) -> None:
    (folder / "results").mkdir(mode=0o755)  # nobody comes this far
    assert told() == []


@pytest.mark.parametrize("mode", [0o755, 0o750, 0o701, 0o777], ids=oct)
def test_an_open_data_folder_is_told_with_the_command_that_closes_it(folder: Path, mode: int) -> None:
    folder.chmod(mode)
    (sentence,) = told()
    assert sentence.startswith(f"Other accounts can open the data folder {folder} (mode {mode:04o}).")
    subprocess.run(["sh", "-c", sentence.split("Close it: ")[1]], check=True)
    assert told() == []


def test_raw_data_and_results_elsewhere_are_looked_at_too(
    folder: Path, settings: Any, tmp_path: Path
) -> None:
    raw = tmp_path / "raw elsewhere"
    raw.mkdir(mode=0o755)
    raw.chmod(0o755)
    settings.RAW_STORAGE_URL, settings.RESULTS_DIR = str(raw), raw / "results"
    assert exposure.open_folders() == [raw]
    settings.RAW_STORAGE_URL = "s3://bucket/path"
    assert exposure.open_folders() == []


@pytest.mark.heavy
def test_whatever_the_shell_says_files_and_folders_are_private(tmp_path: Path) -> None:
    data = tmp_path / "data"
    environment = os.environ | {"JOURNALSCOPE_DATA": str(data), "DJANGO_SETTINGS_MODULE": "webapp.settings"}
    subprocess.run([sys.executable, "-c", LOOSE], cwd=ROOT, env=environment, check=True)
    made = [data, *data.rglob("*")]
    assert {"journalscope.sqlite3", "secret-key", "staticfiles.json"} <= {path.name for path in made}
    assert open_ones(made) == []


def open_ones(paths: list[Path]) -> list[str]:
    modes = {str(path): path.lstat().st_mode for path in paths}
    return [f"{path} {stat.filemode(mode)}" for path, mode in modes.items() if mode & 0o077]
