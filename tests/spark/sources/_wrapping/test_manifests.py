"""A command in YAML is a command; YAML within a record stays in it."""

from __future__ import annotations

import pytest

from spark.sources._wrapping.commands import place_in
from spark.sources._wrapping.manifests import manifest_command
from spark.sources.kcat_format import of_command
from tests.spark.sources._wrapping.sorted_texts import kcat, sorted_text

ROWS = b"5|k1|v1\n6|k2|v2"
FORMAT = r"%o|%k|%s\n"
FORMS = {
    "words": "command:\n  - kcat\n  - -t\n  - orders\n  - -f\n  - '%o|%k|%s\\n'\n",
    "items at the key": "- image: x\n  command:\n  - kcat\n  - -t\n  - orders\n  - -f\n  - '%o|%k|%s\\n'\n",
    "command and args": "    command: [\"/usr/bin/kcat\"]\n    args: [-t, orders,\n      -f, '%o|%k|%s\\n']\n    env: []\n",
    "a shell": "command: [sh, -c, \"kcat -t orders -f '%o|%k|%s\\\\n'\"]\n",
    "a block": "args:\n- -c\n- |\n  kcat -t orders \\\n    -f '%o|%k|%s\\n'\n",
    "a folded text": "command: >\n  kcat -t orders\n  -f '%o|%k|%s\\n'\nrestart: no\n",
    "a text": "command: kcat -t orders -f '%o|%k|%s\\n'\n",
    "the image": '  image: edenhill/kcat:1.7.1\n  command:\n    - -t\n    - orders\n    - -f\n    - "%o|%k|%s\\\\n"\n',
}


@pytest.mark.parametrize("yaml", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize(
    "around", [b"```yaml\n%b```\nIts log:\n```\n%b\n```\n", b"%b\n%b\n", b"%b\nOutput:\n```\n%b\n```\n"]
)
def test_a_command_in_yaml_names_topic_and_format_of_the_rows_behind_it(yaml: str, around: bytes) -> None:
    found = sorted_text(around % (yaml.encode(), ROWS))
    command = found.commands[found.prints.index(ROWS)].decode()
    form = of_command(command)
    assert place_in(command) == ("orders", None)
    assert form is not None
    assert form.text == FORMAT


@pytest.mark.parametrize(
    "text",
    [
        b"$ kafka-console-consumer --topic deploys\nkind: Pod\n  command:\n  - kcat\n  - -t\n  - orders\nx",
        b"Offset:0\tkind: Pod\n  command:\n  - kcat\n  - -t\n  - orders\nOffset:1\tx",
    ],
)
def test_yaml_within_a_record_stays_there(text: bytes) -> None:
    found = sorted_text(text)
    assert found.prints == [text.split(b"deploys\n")[-1]]


@pytest.mark.parametrize(
    "text",
    [
        b"command: done",
        b"command: [",
        b"args: " + b"[" * 5_000,
        b"args: " + b"{a: " * 3_000 + b"kcat",
        b"command: &a [*a, kcat]",
        b"command: \xff\xfe kafka",
        b"command: 'kcat",
        b"- command",
        b"image: edenhill/kcat:1.7.1\ncommand: {kcat: -t}",
    ],
)
def test_other_yaml_is_no_command(text: bytes) -> None:
    answer = manifest_command(text.split(b"\n"), is_fenced=True)
    assert answer is None or place_in(answer[0].decode()) == (None, None)


def test_the_next_print_has_no_command_of_a_manifest_before_another() -> None:
    found = sorted_text(b"command: kcat -t a -J\n\n" + kcat(0) + b"\n$ kcat -t b -J\n" + kcat(1, "w"))
    assert found.commands == [b"kcat -t a -J", b"kcat -t b -J"]
