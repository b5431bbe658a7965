"""E-mails and text in sentences are called so, with the command of a dump; text that may be records is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark.sources import InputFile
from spark.sources._not_a_journal import letters
from spark.stages.plan import plan_inputs
from spark.terms.errors import UnknownColumns, UnreadableInput

MAIL = """From: Anna Berger <anna@example.com>
To: support@example.com
Subject: Registry answers 404
 since Tuesday [OPS-4711]
Date: Tue, 3 Mar 2026 09:12:44 +0100

The topic is kafkasql-journal.
"""
QUOTED = "Please see below.\n\n> From: Anna\n> Sent: Tuesday\n> Subject: 404\n> \n> Nothing works.\n"
ATTACHED = MAIL.replace("Date:", "Content-Type: multipart/mixed; boundary=x\nDate:")
PROSE = (
    "Since the restart the registry does not return the schema of orders.\nThe log cleaner ran at 02:00.\n"
)
CHAT = "Anna  09:12\ndid you restart the registry?\nBert  09:14\nyes, at 9. why?\n"
GERMAN = (
    "Guten Tag,\nseit dem Neustart liefert die Registry 404. Das Topic heißt kafkasql-journal.\nViele Grüße\n"
)
YAML = "registry:\n  topic: kafkasql-journal\n  brokers:\n    - broker-1:9092\n"
WORDS = "a picnic on Sunday, bring cake and lemonade\nand come by train\n"
PAIRS = "From: 1\nTo 2\nSubject: 3\n"


def message(text: str, folder: Path, name: str = "ticket.txt") -> str:
    path = folder / name
    path.write_text(text)
    with pytest.raises(UnreadableInput) as error:
        plan_inputs([InputFile(name, str(path), path.stat().st_size)], {})
    assert not isinstance(error.value, UnknownColumns)
    return str(error.value)


@pytest.mark.parametrize("text", [MAIL, QUOTED, ATTACHED, "\n" + MAIL])
def test_an_e_mail_is_called_so(text: str, tmp_path: Path) -> None:
    said = message(text, tmp_path)
    assert said.startswith("ticket.txt is an e-mail and contains no record in a known file format. Send ")
    assert ("its attachment as a file, or " in said) == (text is ATTACHED)
    assert "a dump of the topic: `kcat -C -b BROKER:9092 -t TOPIC " in said
    assert "Formats checked" not in said


@pytest.mark.parametrize("text", [PROSE, CHAT, GERMAN])
def test_sentences_are_called_so(text: str, tmp_path: Path) -> None:
    said = message(text, tmp_path)
    assert said.startswith(
        "ticket.txt is text in sentences and contains no record in a known file format. Send "
    )
    assert "Formats checked" not in said


@pytest.mark.parametrize("text", [YAML, WORDS, PAIRS])
def test_other_text_is_unknown_and_the_command_comes_before_what_was_checked(
    text: str, tmp_path: Path
) -> None:
    reason, _, rest = message(text, tmp_path).partition(" Send ")
    assert reason == "Unknown file format: ticket.txt is not a known journal dump or log segment."
    assert rest.startswith("a dump of the topic: `kcat -C ")
    assert "Formats checked" in rest


def test_reasons_contain_no_fragments(tmp_path: Path) -> None:
    said = message(f"\n{YAML}", tmp_path)
    assert "- kcat -J: not JSON objects: begins with “registry:”\n" in said
    assert "no line begins with `baseOffset:`, `offset:` or `| offset:`" in said


@pytest.mark.parametrize(
    "text", ['{"a": "One. Two three four five six."}', "<p>One two three four five six.</p>", ""]
)
def test_a_sentence_within_other_forms_is_none(text: str) -> None:
    assert letters.of_sentences(text) is None


def test_a_log_in_a_mail_says_more_than_the_mail(tmp_path: Path) -> None:
    line = "[2026-03-03 02:00:01,123] INFO [Log partition=orders-0, dir=/data] Found deletable segments (kafka.log.Log)\n"
    assert "is a log of a Kafka broker" in message(MAIL + line, tmp_path)


def test_a_text_beside_a_dump_is_called_so_in_its_note(tmp_path: Path) -> None:
    texts = {
        "dump.json": '{"topic":"t","partition":0,"offset":0,"tstype":"create","ts":1,"broker":0,"key":"k","payload":"v"}\n',
        "notes.txt": PROSE,
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    planned = plan_inputs(
        [InputFile(name, str(tmp_path / name), len(text)) for name, text in texts.items()], {}
    )
    assert planned.files[1]["note"] == (
        "left out: it is text in sentences and contains no record in a known file format"
    )
