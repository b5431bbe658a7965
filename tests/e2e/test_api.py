"""The API as its page in docs/ tells it: a token from the page, the curl lines, the client; against the running whole."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.e2e.looking import serious_axe_issues
from tests.generator import apicurio, dumps
from tests.workers.whole_house import House

DOCS = Path(__file__).resolve().parents[2] / "docs"
CLIENT = DOCS / "journalscope_client.py"
PLACE = re.compile(r"^export URL=.*$", re.MULTILINE)


@pytest.fixture(scope="module")
def token(whole_house: House, browser: object, signed_in: Path) -> str:
    """Made on the page, as people do."""
    context: BrowserContext = browser.new_context(storage_state=signed_in)  # type: ignore[attr-defined]
    page = context.new_page()
    page.goto(f"{whole_house.address}/accounts/tokens/")
    page.get_by_label("Name", exact=True).fill("the tests")
    for box in page.get_by_role("checkbox").all():
        box.check()
    page.get_by_role("button", name="Create token").click()
    text = page.get_by_label("Token", exact=True).input_value()
    context.close()
    return text


def write(folder: Path, stage: str, seed: int) -> Path:
    file = folder / "dump.json"
    file.write_bytes(dumps.plain_array(apicurio.incident(seed=seed, stage=stage)))
    return file


def client(whole_house: House, token: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    settings = {
        "JOURNALSCOPE_URL": whole_house.address,
        "JOURNALSCOPE_TOKEN": token,
        "PATH": os.environ["PATH"],
    }
    command = [sys.executable, "-I", str(CLIENT), *map(str, arguments)]
    return subprocess.run(command, env=settings, capture_output=True, text=True, timeout=180)


@pytest.mark.skipif(not (shutil.which("curl") and shutil.which("jq")), reason="needs curl and jq")
def test_the_curl_lines_of_the_docs_lead_from_a_dump_to_its_report(
    whole_house: House, token: str, tmp_path: Path
) -> None:
    (lines,) = re.findall(r"```sh\n(export URL=.*?)```", (DOCS / "api.md").read_text(), re.DOTALL)
    write(tmp_path, "lost", 31)
    told = f"set -eu\nexport URL={whole_house.address} TOKEN={token} FILE=dump.json"
    script = PLACE.sub(told, lines, count=1)
    for _ in ("new bytes", "the same bytes again"):
        done = subprocess.run(
            ["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=180
        )
        assert done.returncode == 0, done.stderr + done.stdout
        check_lines_of(done, tmp_path)


def check_lines_of(done: subprocess.CompletedProcess[str], tmp_path: Path) -> None:
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["verdict"]["level"] == "critical"
    assert report["verdict"]["sentence"] in done.stdout
    records, findings = (
        json.loads(line) for line in done.stdout.splitlines()[-1].replace("}{", "}\n{").split("\n")
    )
    assert len(records["results"]) == 5
    assert findings["results"][0]["severity"] == "critical"


def test_the_client_ends_with_the_exit_code_of_the_command_line(
    whole_house: House, token: str, tmp_path: Path
) -> None:
    lost = client(
        whole_house, token, write(tmp_path, "lost", 32), "--ticket", "TICKET-9", "--name", "by the client"
    )
    assert lost.returncode == 1, lost.stderr
    assert "critical: " in lost.stdout
    healthy = tmp_path / "healthy.json"
    healthy.write_bytes(dumps.plain_array(apicurio.healthy(seed=33)))
    fine = client(whole_house, token, healthy, "--json")
    assert fine.returncode == 0, fine.stderr
    assert json.loads(fine.stdout)["verdict"]["level"] == "healthy"
    picture = tmp_path / "holiday.jpg"
    picture.write_bytes(b"\xff\xd8\xff\xe0" + bytes(range(256)) * 20)
    refused = client(whole_house, token, picture)
    assert refused.returncode == 2
    assert "holiday.jpg is a picture" in refused.stderr
    wrong = client(whole_house, "jst_wrong", healthy)
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "token is unknown" in wrong.stderr


def test_the_client_goes_on_with_an_upload_that_stopped(
    whole_house: House, token: str, tmp_path: Path
) -> None:
    dump = write(tmp_path, "at_risk", 34)
    content = dump.read_bytes()
    asked = json.dumps({"files": [{"name": dump.name, "size": len(content)}]}).encode()
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    request = urllib.request.Request(f"{whole_house.address}/api/v1/journals/", asked, headers)
    with urllib.request.urlopen(request) as answer:
        journal = json.load(answer)
    half = {
        "Authorization": f"Bearer {token}",
        "Tus-Resumable": "1.0.0",
        "Upload-Offset": "0",
        "Content-Type": "application/offset+octet-stream",
    }
    address = whole_house.address + journal["files"][0]["upload"]
    urllib.request.urlopen(urllib.request.Request(address, content[:1000], half, method="PATCH")).close()
    done = client(whole_house, token, dump, "--resume", journal["id"], "--json")
    assert done.returncode == 1, done.stderr
    assert json.loads(done.stdout)["verdict"]["level"] == "high"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_pages_of_the_api_are_sound(page: Page, whole_house: House, theme: str) -> None:
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")  # type: ignore[arg-type]
    for path, title in (("/accounts/tokens/", "Tokens"), ("/api/", "API")):
        page.goto(whole_house.address + path)
        expect(page.get_by_role("heading", level=1)).to_have_text(title)
        assert serious_axe_issues(page) == []
        page.set_viewport_size({"width": 768, "height": 900})
        if title == "API":
            page.locator("summary").nth(8).click()
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        if folder := os.environ.get("E2E_PICTURES"):
            page.screenshot(path=Path(folder) / f"{title}-{theme}.png", full_page=True, caret="initial")
        page.set_viewport_size({"width": 1280, "height": 900})
