"""The wheel in bare environments and a foreign folder: each main command without extras, the site with one upload."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.first_screen import lacking, line
from tests.packaging.built import HANGS, ROOT
from tests.packaging.environments import Installed

pytestmark = pytest.mark.wheel
CORPUS = ROOT.parent / "shared" / "corpus"
AT_RISK = CORPUS / "apicurio-real" / "incident-a-1-at-risk"
LOST = CORPUS / "apicurio-real" / "incident-a-2-lost"
MAX_WHEEL_BYTES = 6_000_000
MAX_SLIM_BYTES = 720_000_000
EVERY_MODULE = """
import importlib, os, pkgutil, sys
os.environ["DJANGO_SETTINGS_MODULE"] = "journalscope.webapp.settings"
import django; django.setup()
import journalscope
names = [module.name for module in pkgutil.walk_packages(journalscope.__path__, "journalscope.")]
runs = (".redaction.process", ".__main__", ".gunicorn_config", ".asgi", ".wsgi")
for name in names:
    if not name.endswith(runs) and ".migrations." not in name:
        importlib.import_module(name)
assert not {"spark", "workers", "webapp"} & set(sys.modules), "a module of ours under its old name"
print(len(names))
"""


def test_all_of_it_is_one_package_and_the_module_that_spark_finds(wheel: Path) -> None:
    names = {name.split("/")[0].split("-")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert names == {"journalscope", "pyspark_journalscope.py"}
    assert wheel.stat().st_size < MAX_WHEEL_BYTES


def test_an_environment_without_extras_is_small(slim: Installed) -> None:
    files = (path for path in slim.environment.rglob("*") if path.is_file() and not path.is_symlink())
    assert sum(path.stat().st_size for path in files) < MAX_SLIM_BYTES
    slim.python("import importlib.util as u; assert not u.find_spec('pyspark') and not u.find_spec('celery')")


def test_the_first_inspection_says_why_it_takes_longer(slim: Installed) -> None:
    first, second = (slim.call("inspect", AT_RISK, expected=1) for _ in range(2))
    assert "compiles the decoders" in first.stderr
    assert second.stderr == ""
    assert first.stdout == second.stdout
    assert first.stdout.startswith(
        "HIGH: No data is lost yet; 1 content item will be lost at the next compaction"
    )


def test_the_one_line_of_the_readme(tmp_path: Path) -> None:
    """Word by word, with a uv of the test."""
    subprocess.run([sys.executable, "-m", "venv", tmp_path], check=True)
    subprocess.run([tmp_path / "bin" / "pip", "install", "--quiet", "uv"], check=True, timeout=HANGS)
    caches = {"UV_CACHE_DIR": str(tmp_path / "uv"), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    plain = {name: text for name, text in os.environ.items() if not name.startswith(("DJANGO_", "PYTHON"))}
    program, *words = line()
    done = subprocess.run(
        [tmp_path / "bin" / program, *words],
        cwd=ROOT,
        env=plain | caches,
        capture_output=True,
        text=True,
        timeout=HANGS,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert lacking(done.stdout) == [], done.stderr


def test_nothing_is_written_beside_the_code_or_into_the_folder(slim: Installed) -> None:
    slim.call("inspect", AT_RISK, expected=1)
    assert [path.name for path in slim.home.iterdir()] == [".cache"]
    assert not list(slim.environment.rglob("*.nbi"))
    assert not list(slim.environment.rglob("secret-key"))


def test_inspect_prints_the_documented_json(slim: Installed) -> None:
    document = json.loads(slim.call("inspect", "--json", AT_RISK, expected=1).stdout)
    assert "content-null-update" in {finding["detector"] for finding in document["findings"]}


def test_state_and_compare(slim: Installed) -> None:
    assert "pay/invoice.proto" in slim.call("state", AT_RISK).stdout
    assert "content 4 were lost" in slim.call("compare", AT_RISK, LOST, expected=1).stdout


def test_repair_builds_its_files(slim: Installed) -> None:
    out = slim.home / "repair"
    slim.call("repair", LOST, "--older", AT_RISK, "--out", out, expected=None)
    assert list(out.rglob("repair.json"))
    shutil.rmtree(out)


def test_help_lists_our_commands_alone(slim: Installed) -> None:
    said = slim.call("--help").stdout
    assert "inspect" in said
    assert "migrate" not in said
    assert slim.call("--version").stdout.startswith("journalscope ")
    assert "--settings" not in slim.call("inspect", "--help").stdout


def test_a_command_that_there_is_not(slim: Installed) -> None:
    done = slim.call("insepct", expected=2)
    assert "Did you mean inspect?" in done.stderr


def test_what_needs_an_extra_names_it(slim: Installed) -> None:
    assert "pip install 'journalscope[web]'" in slim.call("serve", expected=2).stderr
    assert "pip install 'journalscope[web]'" in slim.call("docs", "--out", "site", expected=2).stderr
    assert "pip install 'journalscope[mcp]'" in slim.call("mcp", expected=2).stderr
    for words in (["inspect", "s3://bucket/key"], ["java-home"]):
        assert "pip install 'journalscope[spark]'" in slim.call(*words, expected=2).stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_completes(slim: Installed, shell: str) -> None:
    assert "journalscope" in slim.call("completion", shell).stdout


def test_completion_offers_commands_and_options(slim: Installed) -> None:
    offered = completed(slim, "journalscope ins")
    assert offered == ["inspect"]
    assert "--older" in completed(slim, "journalscope inspect --ol")


def completed(place: Installed, line: str) -> list[str]:
    """What argcomplete answers the function of a shell."""
    answer = place.home / "completions"
    asked = {
        "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_STDOUT_FILENAME": str(answer),
        "_ARGCOMPLETE_IFS": "\n",
        "COMP_LINE": line,
        "COMP_POINT": str(len(line)),
    }
    place.call(expected=None, **asked)
    words = [word.strip() for word in answer.read_text().split("\n")]
    answer.unlink()
    return words


def test_every_module_is_there_under_its_new_name(web: Installed) -> None:
    assert int(web.python(EVERY_MODULE)) > 1000


def test_the_documentation_is_published_from_the_package(web: Installed) -> None:
    web.call("docs", "--out", "site")
    assert "virtual environment" in (web.home / "site" / "spark.html").read_text()
    shutil.rmtree(web.home / "site")


def test_an_assistant_gets_the_cause(web: Installed) -> None:
    """A message a line, as the Model Context Protocol has them."""
    client = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    }
    call = {"name": "inspect", "arguments": {"input": str(AT_RISK)}}
    server = subprocess.Popen(
        [web.environment / "bin" / "journalscope", "mcp", "--allow", CORPUS],
        cwd=web.home,
        env=web.surroundings(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdin
    assert server.stdout
    for id, method, parameters in ((1, "initialize", client), (2, "tools/call", call)):
        message = {"jsonrpc": "2.0", "id": id, "method": method, "params": parameters}
        server.stdin.write(json.dumps(message) + "\n")
        server.stdin.flush()
        answer = json.loads(server.stdout.readline())
        server.stdin.write(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}) + "\n")
    server.stdin.close()
    assert answer["result"]["structuredContent"]["findings"][0]["detector"] == "content-null-update"
    assert server.wait(60) == 0


@pytest.fixture
def address(web: Installed) -> Iterator[str]:
    """`journalscope serve` with data below its own HOME."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    log = web.home / "serve.log"
    variables = web.surroundings(PORT=str(port))
    with log.open("w") as stream:
        server = subprocess.Popen(
            [web.environment / "bin" / "journalscope", "serve"],
            cwd=web.home,
            env=variables,
            stdout=stream,
            stderr=stream,
        )
    try:
        deadline = time.monotonic() + HANGS
        while "Stop with Ctrl-C" not in log.read_text():
            assert server.poll() is None, log.read_text()
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.5)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(60)


def test_the_site_inspects_an_upload_with_spark(web: Installed, address: str) -> None:
    done = web.upload(AT_RISK / "kafkasql-journal.kcat-J.ndjson", address)
    assert done.returncode == 1, done.stderr
    assert "content-null-update" in done.stdout
    assert (web.home / ".local" / "share" / "journalscope" / "results").is_dir()
