from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from sui_memory.demo import QUESTIONS
from tests.builders import CommandLine, Result
from tests.cli.test_json import documented, keys

ANSWERED = [question for question in QUESTIONS if question.expects is not None]
BLOCK = re.compile(r"<recalled-memories>.*?</recalled-memories>", re.DOTALL)
BROKEN_SETTINGS = "no archive opens with this: ["


# Tells of every file below the home that the demo opens.
AUDITED = (
    "import sys; home = sys.argv.pop(); touched = []\n"
    "sys.addaudithook(lambda event, args: event.startswith(('open', 'os.', 'shutil.')) and"
    " touched.extend(str(arg) for arg in args if str(arg).startswith(home)))\n"
    "import atexit; atexit.register(lambda: print(*touched, file=sys.stderr, end=''))\n"
    "from sui_memory.cli import main; main()"
)


@pytest.fixture(scope="module")
def newcomer(tmp_path_factory: pytest.TempPathFactory) -> CommandLine:
    """A home with settings that no archive opens with, and transcripts that are none."""
    cli = CommandLine(tmp_path_factory.mktemp("demo"), model="no such model")
    cli.home.mkdir()
    (cli.home / "config.toml").write_text(BROKEN_SETTINGS)
    cli.config.write_text("no folder of transcripts either")
    return cli


@pytest.fixture(scope="module")
def shown(newcomer: CommandLine, tmp_path_factory: pytest.TempPathFactory) -> Result:
    """What a newcomer sees; on stderr the files of the home that were opened."""
    temporary = tmp_path_factory.mktemp("temporary")
    done = subprocess.run(
        [sys.executable, "-c", AUDITED, "demo", os.fspath(newcomer.root)],
        capture_output=True,
        text=True,
        env=newcomer.environment(TMPDIR=str(temporary)),
        check=True,
    )
    assert list(temporary.iterdir()) == []
    return Result(done.returncode, done.stdout, done.stderr)


@pytest.fixture(scope="module")
def told(newcomer: CommandLine) -> dict:
    return newcomer("demo", "--json").json


@pytest.fixture(scope="module")
def recalls(told: dict) -> list[dict]:
    return told["recalls"]


def tree(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*"))


def test_every_answer_is_in_the_block_of_its_question(recalls: list[dict]):
    assert [recall["query"] for recall in recalls] == [question.prompt for question in QUESTIONS]
    for recall in recalls:
        assert (recall["expects"] or "") in (recall["block"] or "")


def test_every_answer_is_shown_below_its_question(shown: Result):
    for question in ANSWERED:
        block = BLOCK.search(shown.out, shown.out.index(f"❯ {question.prompt}"))
        assert block is not None
        assert question.expects in block[0]
    assert len(BLOCK.findall(shown.out)) == len(ANSWERED)


def test_every_hit_tells_why(recalls: list[dict], shown: Result):
    hits = [hit for recall in recalls for hit in recall["hits"]]
    for hit in hits:
        assert {"words", "fused", "fresh", "covered", "evidence"} <= dict(hit["trace"]).keys()
    assert shown.out.count("  why: ") == len(hits) >= len(ANSWERED)


def test_a_question_that_nothing_answers_gets_silence(recalls: list[dict], shown: Result):
    (silent,) = [recall for recall in recalls if recall["expects"] is None]
    assert (silent["block"], silent["hits"]) == (None, [])
    assert silent["silence"]
    after = shown.out[shown.out.index(f"❯ {silent['query']}") :]
    assert "Nothing is recalled" in after
    assert not BLOCK.search(after)


def test_what_is_told_of_the_archive_is_what_was_stored(told: dict):
    assert told["archived"]["files"] == 8
    assert told["archived"]["exchanges"]["new"] == 14
    assert told["archived"]["redactions"] == 1
    assert told["archived"]["problems"] == []
    assert told["model"] == "use-multilingual-v3"


def test_every_key_is_documented(told: dict):
    assert set(keys(told)) <= documented("demo")


def test_the_end_says_what_to_do_next(shown: Result):
    assert "sui-memory setup" in shown.out.splitlines()[-3]


def test_nothing_is_left_behind_and_no_file_below_the_home_is_opened(newcomer: CommandLine, shown: Result):
    assert shown.err == ""
    assert tree(newcomer.root) == [newcomer.config, newcomer.home, newcomer.home / "config.toml"]
    assert (newcomer.home / "config.toml").read_text() == BROKEN_SETTINGS
