"""One folder of journals and three servers for all tests: nothing chosen, everything shown, everything hidden."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.generator.apicurio import incident
from tests.generator.dumps import kcat_base64
from tests.generator.segment import Record, segment, segment_name
from tests.webapp.api.conftest import program  # noqa: F401
from tests.webapp.conftest import write_once  # noqa: F401
from tests.webapp.reports.conftest import inspected  # noqa: F401
from tests.workers.management.assistants.client import McpClient, mcp_client

SECRET_LINE = "password=tulip-4711 of the customer anna.berg"


@pytest.fixture(scope="session")
def dumps(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The incident at risk and lost, a text that is no journal, links that lead out."""
    outside = tmp_path_factory.mktemp("outside")
    (outside / "at-risk.json").write_bytes(kcat_base64(incident(2, "at_risk")))
    folder = tmp_path_factory.mktemp("dumps")
    (folder / "at-risk.json").write_bytes(kcat_base64(incident(2, "at_risk")))
    (folder / "lost.json").write_bytes(kcat_base64(incident(2, "lost")))
    (folder / "notes.txt").write_text(f"{SECRET_LINE}\n" * 40)
    (folder / "table.csv").write_text("alpha;beta;tulip-4711\n" + "anna.berg;17;x\n" * 40)
    (folder / "link.json").symlink_to(outside / "at-risk.json")
    (folder / "with-link").mkdir()
    (folder / "with-link" / "a.json").symlink_to(outside / "at-risk.json")
    for broker, values in (("broker-1", b"ab"), ("broker-2", b"ac")):
        partition = folder / "diverged" / broker / "moves-0"
        partition.mkdir(parents=True)
        records = [Record(b"k", bytes([value])) for value in values]
        (partition / segment_name(0)).write_bytes(
            segment(records[:1], base_offset=0) + segment(records[1:], base_offset=1)
        )
    (folder / "circle").symlink_to(folder / "circle")
    return folder


@pytest.fixture(scope="session")
def hiding(dumps: Path) -> Iterator[McpClient]:
    """As it starts without options."""
    with mcp_client("--allow", dumps) as client:
        yield client


@pytest.fixture(scope="session")
def showing(dumps: Path) -> Iterator[McpClient]:
    with mcp_client("--allow", dumps, "--show", "payloads", "--show", "keys", "--show", "headers") as client:
        yield client


@pytest.fixture(scope="session")
def closed(dumps: Path) -> Iterator[McpClient]:
    with mcp_client("--allow", dumps, "--hide", "names", "--hide", "key-names") as client:
        yield client
