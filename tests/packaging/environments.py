"""Environments that have nothing but the wheel of this tree."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.packaging.built import HANGS, ROOT, pins

TOKEN = """
from datetime import timedelta
from django.contrib.auth import get_user_model
from django.utils import timezone
from journalscope.webapp.api.tokens import create_token
user = get_user_model().objects.filter(is_superuser=True).first()
print(create_token(user, "wheel", ["read", "upload", "inspect"], timezone.now() + timedelta(days=1))[1])
"""


@dataclass(frozen=True)
class Installed:
    """An environment with nothing but the wheel, called from a folder that has nothing of ours."""

    environment: Path
    home: Path

    def call(
        self, *words: str | Path, expected: int | None = 0, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [self.environment / "bin" / "journalscope", *words],
            cwd=self.home,
            env=self.surroundings(**variables),
            capture_output=True,
            text=True,
            timeout=HANGS,
            check=False,
        )
        assert expected in (None, done.returncode), done.stdout + done.stderr
        return done

    def python(self, code: str) -> str:
        command = [self.environment / "bin" / "python", "-c", code]
        done = subprocess.run(
            command,
            cwd=self.home,
            env=self.surroundings(),
            capture_output=True,
            text=True,
            timeout=HANGS,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def upload(self, dump: Path, address: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """What the client of the docs prints of a dump that it uploads to the site at this address."""
        made = self.call("manage", "shell", "-c", TOKEN, **variables).stdout.strip().splitlines()[-1]
        return subprocess.run(
            [sys.executable, ROOT / "docs" / "journalscope_client.py", "--json", dump],
            env={**os.environ, "JOURNALSCOPE_URL": address, "JOURNALSCOPE_TOKEN": made},
            capture_output=True,
            text=True,
            timeout=HANGS,
            check=False,
        )

    def surroundings(self, **variables: str) -> dict[str, str]:
        return {"HOME": str(self.home), "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", **variables}


def installed(wheel: Path, extras: str, folder: Path) -> Installed:
    """A new environment; what the wheel requires comes in the versions of the lock file."""
    environment, home = folder / "environment", folder / "home"
    home.mkdir()
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    pip = [environment / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--constraint", pins(folder), f"{wheel}{extras}"], check=True, timeout=HANGS)
    return Installed(environment, home)
