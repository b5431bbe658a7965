"""`[masks]` of journalscope.toml: what is hidden is in no form of a report and in no file; baselines keep their meaning."""

from __future__ import annotations

import errno
import json
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from spark.redaction.options import NAMES
from spark.terms.errors import UnreadableInput
from tests.generator.apicurio import incident
from tests.generator.dumps import kcat_base64
from tests.generator.segment import segment
from tests.webapp.sharing.planted import in_forms
from tests.webapp.sharing.planted.answers import stored_in
from tests.webapp.sharing.planted.in_dialects import DIALECTS, journal
from tests.webapp.sharing.planted.levels import Level, hidden, readable
from tests.webapp.sharing.planted.marks import Place, Planting, marks_in
from tests.workers.commands import manage
from workers.management.pipeline.counted import baseline
from workers.management.pipeline.masked import SECRET, ReportMasks, report_masks

RANDOM = {SECRET: "0123456789abcdef" * 2}
OTHER = {SECRET: "fedcba9876543210" * 2}
FORMS = ("text", "json", "sarif", "junit", "github", "markdown")
QUOTE = "tulip-4711"
USUAL: tuple[str, Level] = ("", {"payloads": False, "keys": NAMES, "headers": False, "names": True})
CLOSED: tuple[str, Level] = (
    'hide = ["names", "key-names"]',
    {"payloads": False, "keys": False, "headers": False, "names": False},
)
OPEN: tuple[str, Level] = (
    'show = ["payloads", "keys", "headers"]',
    {"payloads": True, "keys": True, "headers": True, "names": True},
)


NO_HEADERS: tuple[str, Level] = (
    'show = ["payloads", "keys"]',
    {"payloads": True, "keys": True, "headers": False, "names": True},
)


@dataclass
class PlantedInput:
    """A folder with a journal of every dialect and values in every form, all with marks."""

    folder: Path
    places: dict[str, Place] = field(default_factory=dict)
    dialects: list[str] = field(default_factory=list)

    def plant(self, of: str) -> None:
        planting = Planting(of, first=10_000 * (1 + len(self.dialects)))
        topic = planting.mark("topic", "topic")
        if of in DIALECTS:
            copy = planting.mark("file", "folder above the topic")
            files = {f"{copy}/{topic}-0/00000000000000000000.log": segment(journal(planting))}
            self.dialects += ["--dialect", f"{topic}={of.split('/')[0]}"]
        else:
            files = in_forms.upload(planting, topic)
            self.dialects += ["--dialect", f"{topic}=plain"]
        for name, content in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        self.places |= planting.places


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> PlantedInput:
    upload = PlantedInput(tmp_path_factory.mktemp("planted") / "upload")
    for of in (*DIALECTS, "forms"):
        upload.plant(of)
    return upload


@pytest.fixture(scope="module")
def dumps(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dump before it lost a content, one after, and a text with a secret that is no journal."""
    folder = tmp_path_factory.mktemp("dumps")
    (folder / "at-risk.json").write_bytes(kcat_base64(incident(2, "at_risk")))
    (folder / "lost.json").write_bytes(kcat_base64(incident(2, "lost")))
    (folder / "table.csv").write_text(f"alpha;beta;{QUOTE}\n" + "anna.berg;17;x\n" * 40)
    return folder


def settings(folder: Path, masks: str = "[masks]") -> Path:
    path = folder / "settings.toml"
    path.write_text(masks)
    return path


def everything(done: CompletedProcess[str], *folders: Path) -> set[str]:
    """Marks in the two streams and in the files of folders."""
    stored = (data for folder in folders for _, data in stored_in(folder))
    return set().union(*map(marks_in, (done.stdout.encode(), done.stderr.encode(), *stored)))


@pytest.mark.slow
@pytest.mark.parametrize(("form", "chosen"), [*product(FORMS, (USUAL,)), ("text", CLOSED)])
def test_no_form_contains_what_is_hidden(
    planted: PlantedInput, tmp_path: Path, form: str, chosen: tuple[str, Level]
) -> None:
    members, level = chosen
    config = settings(tmp_path, f"[masks]\n{members}")
    options = ("--verbose", "--config", config, *planted.dialects)
    done = manage("inspect", planted.folder, "--format", form, *options, **RANDOM)
    assert done.returncode in (0, 1), done.stderr
    assert done.stdout
    assert everything(done) & hidden(planted.places, level) == set()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("members", "level"), [USUAL, CLOSED, NO_HEADERS, OPEN], ids=["usual", "closed", "no headers", "open"]
)
def test_no_file_contains_what_is_hidden_and_what_is_shown_is_there(
    planted: PlantedInput, tmp_path: Path, members: str, level: Level
) -> None:
    config, out = settings(tmp_path, f"[masks]\n{members}"), tmp_path / "out"
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    options = ("--config", config, "--out", out, *planted.dialects)
    done = manage("inspect", planted.folder, "--json", *options, TMPDIR=str(scratch))
    assert (out / "records").is_dir(), done.stderr
    marks = everything(done, out)
    assert marks & hidden(planted.places, level) == set()
    assert readable(planted.places, level) - marks == set()
    assert [path for path in scratch.iterdir() if "journalscope" in path.name] == []


@pytest.mark.slow
def test_without_masks_the_same_input_shows_them(planted: PlantedInput, tmp_path: Path) -> None:
    done = manage("inspect", planted.folder, "--json", "--config", settings(tmp_path, ""), *planted.dialects)
    assert len(everything(done) & hidden(planted.places, USUAL[1])) > 10
    assert "masks" not in json.loads(done.stdout)


@pytest.mark.slow
def test_a_masked_report_is_a_baseline_of_the_next_one(dumps: Path, tmp_path: Path) -> None:
    config = settings(tmp_path)
    first = manage("inspect", dumps / "lost.json", "--json", "--config", config, **RANDOM)
    (tmp_path / "masked.json").write_text(first.stdout)
    with_baseline = ("--config", config, "--baseline", tmp_path / "masked.json")
    again = manage("inspect", dumps / "lost.json", *with_baseline, **RANDOM)
    assert (first.returncode, again.returncode) == (1, 0)
    assert "in the baseline and do not count" in again.stdout
    assert f"Hidden: {json.loads(first.stdout)['masks']['hidden'][0]}" in again.stdout
    for environment in (OTHER, {}):
        refused = manage("inspect", dumps / "lost.json", *with_baseline, **environment)
        assert (refused.returncode, refused.stdout) == (2, "")
        assert "make a new baseline" in refused.stderr


@pytest.mark.slow
def test_findings_are_ignored_by_names_that_the_report_hides(dumps: Path, tmp_path: Path) -> None:
    ignored = "\n".join(
        f'[[ignore]]\ndetector = "{name}"\ntopic = "kafkasql-journal"\nreason = "OPS-4821"'
        for name in ("content-null-update", "dangling-content-hash")
    )
    config = settings(tmp_path, f'{ignored}\n[masks]\nhide = ["names", "key-names"]')
    done = manage("inspect", dumps / "lost.json", "--config", config)
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("OPS-4821") == 2
    assert "kafkasql-journal" not in done.stdout


@pytest.mark.slow
def test_an_older_dump_is_hidden_too(dumps: Path, tmp_path: Path) -> None:
    config = settings(tmp_path, '[masks]\nhide = ["names", "key-names"]')
    options = ("--older", dumps / "at-risk.json", "--json", "--config", config)
    report = json.loads(manage("inspect", dumps / "lost.json", *options).stdout)
    text = json.dumps(report)
    assert report["findings"]
    assert [
        word for word in ("at-risk", "kafkasql-journal", "parcel.proto", "shipping") if word in text
    ] == []


@pytest.mark.slow
def test_an_error_does_not_quote_the_input(dumps: Path, tmp_path: Path) -> None:
    for older in ((), ("--older", dumps / "table.csv")):
        path = dumps / ("lost.json" if older else "table.csv")
        done = manage("inspect", path, "--json", *older, "--config", settings(tmp_path))
        assert done.returncode == 2
        assert QUOTE not in done.stdout + done.stderr
        assert "anna.berg" not in done.stdout + done.stderr
        assert "is hidden by [masks]" in json.loads(done.stdout)["error"]


@pytest.mark.parametrize(
    "problem", [ValueError(QUOTE), OSError(errno.ENOSPC, QUOTE), UnreadableInput(QUOTE)], ids=repr
)
def test_no_error_inside_quotes_data(problem: Exception, capsys: pytest.CaptureFixture[str]) -> None:
    def failing() -> Any:
        raise problem

    answer = report_masks({}, "[masks]").answer(failing)
    assert set(answer) == {"error"}
    assert QUOTE not in answer["error"] + capsys.readouterr().err


@pytest.fixture
def lasting(monkeypatch: pytest.MonkeyPatch) -> ReportMasks:
    monkeypatch.setenv(SECRET, RANDOM[SECRET])
    return report_masks({}, "[masks]")


def test_an_unmasked_baseline_is_recognised(lasting: ReportMasks, tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    path.write_text('{"findings": [{"id": "a"}]}')
    assert baseline(path, lasting) == {lasting.id_of("a")} != {"a"}


def test_a_masked_baseline_needs_the_masks(lasting: ReportMasks, tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    path.write_text(json.dumps({"findings": [{"id": "a"}], "masks": {"id_series": lasting.id_series}}))
    assert baseline(path, lasting) == {"a"}
    with pytest.raises(UnreadableInput, match="make a new baseline"):
        baseline(path)


def test_what_masks_cannot_give_is_refused(lasting: ReportMasks, monkeypatch: pytest.MonkeyPatch) -> None:
    lasting.require_possible("sarif", Path("out"))
    with pytest.raises(UnreadableInput, match="a folder of this machine only"):
        lasting.require_possible("text", "s3://bucket/out")
    monkeypatch.delenv(SECRET)
    with pytest.raises(UnreadableInput, match=f"needs the environment variable {SECRET}"):
        report_masks({}, "[masks]").require_possible("sarif", None)
    monkeypatch.setenv(SECRET, "short")
    with pytest.raises(UnreadableInput, match="fewer than 32 characters"):
        report_masks({}, "[masks]")


def test_the_series_tells_nothing_of_the_secret(lasting: ReportMasks) -> None:
    assert lasting.id_series not in RANDOM[SECRET]
    assert RANDOM[SECRET] not in lasting.id_series
    assert report_masks({}, "[masks]").id_series == lasting.id_series
