"""`manage.py capture`, as somebody types it, against a broker in this process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from tests.workers.capture.small_cluster import TOPIC, Log, SmallCluster, filled
from tests.workers.commands import NOWHERE, ROOT, manage

pytestmark = pytest.mark.slow


def command(small, folder, *words, networks="loopback", **environment):
    with small.connected() as cluster:
        (server,) = cluster.address.bootstrap
    return manage(
        "capture", "--bootstrap", server, "--topic", TOPIC, "--out", folder, *words,
        KAFKA_NETWORKS=networks, **environment,
    )  # fmt: skip


def test_a_topic_and_what_came_since(tmp_path):
    with SmallCluster(Log(filled(30))) as small:
        first = command(small, tmp_path / "first", "--to-offset", 20, "--json")
        rest = command(small, tmp_path / "rest", "--after", tmp_path / "first")
        assert (first.returncode, rest.returncode) == (0, 0), first.stderr + rest.stderr
        files = [
            tmp_path / "first" / f"{TOPIC}-0" / f"{0:020d}.log",
            tmp_path / "rest" / f"{TOPIC}-0" / f"{20:020d}.log",
        ]
        assert b"".join(path.read_bytes() for path in files) == small.logs[0].content
    assert json.loads(first.stdout) == json.loads(
        (tmp_path / "first" / "journalscope-capture.json").read_bytes()
    )
    assert f"{TOPIC}-0: 20 batches up to offset 60 of 60" in rest.stdout


def test_a_limit_leaves_something_and_says_so(tmp_path):
    with SmallCluster(Log(filled(30))) as small:
        done = command(small, tmp_path, "--max-mb", "0.001")
    assert done.returncode == 1
    assert "stopped by limit" in done.stdout


def test_ctrl_c_keeps_what_is_there_and_the_same_command_goes_on(tmp_path):
    with SmallCluster(Log(filled(300))) as small, small.connected() as cluster:
        words = [
            "capture",
            "--bootstrap",
            *cluster.address.bootstrap,
            "--topic",
            TOPIC,
            "--out",
            str(tmp_path),
        ]
        slow = subprocess.Popen(
            [sys.executable, "manage.py", *words, "--mb-per-second", "0.02"],
            cwd=ROOT,
            env={**os.environ, **NOWHERE, "KAFKA_NETWORKS": "loopback"},
            stdout=subprocess.PIPE,
            text=True,
        )
        while not small.fetches:
            assert slow.poll() is None
            time.sleep(0.05)
        slow.send_signal(signal.SIGINT)
        said, _ = slow.communicate(timeout=60)
        assert (slow.returncode, "stopped by paused" in said) == (1, True), said
        assert command(small, tmp_path).returncode == 0
        assert (tmp_path / f"{TOPIC}-0" / f"{0:020d}.log").read_bytes() == small.logs[0].content


def test_what_cannot_begin_says_why_and_keeps_secrets(tmp_path):
    (tmp_path / "password").write_text("hush-hush\n")
    with SmallCluster(Log(filled(3))) as small:
        refused = command(small, tmp_path / "out", networks="10.0.0.0/8")
        wrong = command(
            small, tmp_path / "out", "--security-protocol", "SASL_PLAINTEXT", "--mechanism", "PLAIN", "--username", "ann",
            KAFKA_PASSWORD_FILE=str(tmp_path / "password"),
        )  # fmt: skip
    assert (refused.returncode, wrong.returncode) == (2, 2)
    assert "is not allowed" in refused.stderr
    assert "Traceback" not in wrong.stderr
    assert "hush-hush" not in wrong.stderr + wrong.stdout
