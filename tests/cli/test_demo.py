from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from sui_memory.demo import QUESTIONS
from tests.builders import CommandLine, Result

ANSWERED = [question for question in QUESTIONS if question.expects is not None]
BLOCK = re.compile(r"<recalled-memories>.*?</recalled-memories>", re.DOTALL)
BROKEN_SETTINGS = "no archive opens with this: ["


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo")


@pytest.fixture(scope="module")
def shown(root: Path) -> Result:
    """What a newcomer sees."""
    return CommandLine(root, model=None)("demo")


@pytest.fixture(scope="module")
def recalls(root: Path) -> list[dict]:
    return CommandLine(root, model=None)("demo", "--json").json["recalls"]


def tree(folder: Path) -> list[tuple[Path, int]]:
    return sorted((path, path.stat().st_mtime_ns) for path in folder.rglob("*"))


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
    for recall in recalls:
        assert [stage for stage, _ in recall["hits"][0]["trace"]][-3:] == ["fused", "fresh", "score"]
    assert shown.out.count("  why: words ") == len(ANSWERED)


def test_a_question_that_nothing_answers_gets_its_ranking_and_no_block(recalls: list[dict], shown: Result):
    (silent,) = [recall for recall in recalls if recall["expects"] is None]
    assert silent["block"] is None
    assert silent["hits"]
    after = shown.out[shown.out.index(f"❯ {silent['query']}") :]
    assert "Nothing in these conversations answers this" in after
    assert not BLOCK.search(after)


def test_what_is_told_of_the_archive_is_what_was_stored(root: Path):
    found = CommandLine(root, model=None)("demo", "--json").json
    assert found["archived"]["files"] == 8
    assert found["archived"]["exchanges"]["new"] == 14
    assert found["archived"]["redactions"] == 1
    assert found["archived"]["problems"] == []
    assert found["model"] == "use-multilingual-v3"


def test_the_end_says_what_to_do_next(shown: Result):
    assert "sui-memory backfill" in shown.out.splitlines()[-3]


def test_nothing_is_left_behind_and_no_setting_is_asked(cli: CommandLine):
    cli.home.mkdir()
    (cli.home / "config.toml").write_text(BROKEN_SETTINGS)
    cli.config.write_text("no folder of transcripts either")
    temporary = cli.root / "temporary"
    temporary.mkdir()
    before = tree(cli.home)
    cli("demo", "--json", TMPDIR=str(temporary), SUI_MEMORY_MODEL="no such model")
    assert tree(cli.home) == before
    assert list(temporary.iterdir()) == []
    assert {path.name for path in cli.root.iterdir()} == {"sui-memory", "claude", "temporary"}


def test_no_file_below_the_home_is_opened(cli: CommandLine, tmp_path_factory: pytest.TempPathFactory):
    program = (
        "import sys; home = sys.argv.pop(); touched = []\n"
        "sys.addaudithook(lambda event, args: event.startswith(('open', 'os.', 'shutil.')) and"
        " touched.extend(str(arg) for arg in args if str(arg).startswith(home)))\n"
        "import atexit; atexit.register(lambda: print(*touched, file=sys.stderr, end=''))\n"
        "from sui_memory.cli import main; main()"
    )
    temporary = tmp_path_factory.mktemp("temporary")
    done = subprocess.run(
        [sys.executable, "-c", program, "demo", os.fspath(cli.root)],
        capture_output=True,
        text=True,
        env=cli.environment(TMPDIR=str(temporary)),
        check=True,
    )
    assert done.stderr == ""
