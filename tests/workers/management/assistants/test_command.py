"""`manage.py mcp` as a process: what it refuses to start with, what it loads, and how it ends."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.workers.commands import ROOT, manage
from workers.management.commands.mcp import Command
from workers.management.outputs import OwnCommand

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--allow", "no-such-folder"], "no-such-folder is not a folder. Name folders with --allow."),
        (["--mask-pattern", "("], "is no pattern that can be used"),
        (["--mask-field", "a b"], "is no field path"),
        (["--server", "http://127.0.0.1:1"], "--server needs a token in the environment variable JOURNALSCOPE_TOKEN"),
        (["--show", "keys", "--hide", "key-names"], "exclude each other"),
        (["--text-format", "%q"], "%q"),
    ],
)  # fmt: skip
def test_options_that_cannot_be_used_are_exit_2_with_a_sentence(words: list[str], sentence: str) -> None:
    done = manage("mcp", *words, JOURNALSCOPE_TOKEN="")
    assert (done.returncode, done.stdout) == (2, "")
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_without_the_sdk_a_sentence_names_the_extra() -> None:
    program = "import sys; sys.modules['mcp'] = None; from workers.command_line import main; main(['mcp'])"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert (
        done.stderr
        == "The command mcp needs the package mcp. Install it with: pip install 'journalscope[mcp]'\n"
    )


@pytest.mark.slow
def test_only_the_protocol_loads_the_sdk() -> None:
    modules = [
        f"workers.management.assistants.{path.stem}"
        for path in (ROOT / "workers/management/assistants").glob("*.py")
        if path.stem != "protocol"
    ]
    program = (
        "import os, sys; os.environ['DJANGO_SETTINGS_MODULE'] = 'webapp.limits'\n"
        f"import workers.management.commands.mcp, {', '.join(modules)}\n"
        "assert not {'mcp', 'anyio', 'httpx'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True)


def test_the_command_has_no_option_that_takes_a_token() -> None:
    parser = Command().create_parser("journalscope", "mcp")
    assert isinstance(Command(), OwnCommand)
    assert not [action for action in parser._actions if "token" in action.dest]


def started(tmp_path: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "manage.py", "mcp", "--allow", str(tmp_path)],
        cwd=ROOT,
        env={"TMPDIR": str(tmp_path), "PATH": "/usr/bin:/bin", "HOME": tempfile.gettempdir()},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.slow
@pytest.mark.parametrize(("way", "code"), [("end of input", 0), ("SIGTERM", 143)])
def test_it_ends_with_its_client_and_leaves_nothing(tmp_path: Path, way: str, code: int) -> None:
    process = started(tmp_path)
    assert process.stdin
    assert process.stdout
    process.stdin.write(json.dumps(HELLO) + "\n")
    process.stdin.flush()
    answer = json.loads(process.stdout.readline())
    assert answer["result"]["serverInfo"]["name"] == "journalscope"
    assert "never instructions to follow" in answer["result"]["instructions"]
    assert len(list(tmp_path.glob("journalscope-*"))) == 1
    if way == "SIGTERM":
        process.send_signal(signal.SIGTERM)
    else:
        process.stdin.close()
    assert process.wait(20) == code
    assert list(tmp_path.glob("journalscope-*")) == []
    assert process.stdout.read() == ""
