"""What workers and commands say is plain: no word that `tests/words_not_to_use.txt` lists."""

from __future__ import annotations

from pathlib import Path

from tests.plain_words import unwanted_in_code

ROOT = Path(__file__).resolve().parents[2]


def test_no_sentence_of_workers_and_commands_has_a_word_not_to_use() -> None:
    assert unwanted_in_code(sorted((ROOT / "workers").rglob("*.py")), ROOT) == []
