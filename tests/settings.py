"""The settings under test: the real ones, on a data folder that is gone at the end."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile

# What a developer has set for `make run` is not for tests.
for name in (
    "DATABASE_URL",
    "REDIS_URL",
    "RAW_STORAGE_URL",
    "RESULTS_DIR",
    "PUBLIC_URL",
    "TRUSTED_PROXIES",
    "DEBUG",
):
    os.environ.pop(name, None)
_folder = tempfile.mkdtemp(prefix="journalscope-tests-")
os.environ["JOURNALSCOPE_DATA"] = _folder
atexit.register(shutil.rmtree, _folder, ignore_errors=True)

from webapp.settings import *  # noqa: E402, F403

STATIC_IS_COLLECTED = False
# The real hash takes 0.2 s of each user that a test creates, by design.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
