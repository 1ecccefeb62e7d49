"""`sui-memory import-memory`: what it takes, what it leaves out and says so, and that it only reads."""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path

import pytest

from sui_memory.cli.import_memory import _CATEGORIES
from sui_memory.foreign import places
from sui_memory.store.kept import Category
from tests.builders import CommandLine
from tests.cli.test_json import documented
from tests.foreign.elsewhere import chatgpt, node, write_chroma, write_json


def test_a_folder_is_taken_in_and_found(cli: CommandLine, memo: Path) -> None:
    (memo / "a.md").write_text("# 潮\n満ちる。\n")
    (memo / "deep").mkdir()
    (memo / "deep" / "MEMORY.md").write_text("灯台は白い。")
    assert cli("import-memory", memo).out == (
        "Read 2 notes and 0 exchanges of 2 files: 2 new, 0 changed, 0 already there.\n"
    )
    assert "灯台は白い" in cli("search", "灯台").out


def test_it_counts_as_json(cli: CommandLine, memo: Path) -> None:
    (memo / "a.md").write_text("凪。")
    told = json.loads(cli("import-memory", memo, "--dry-run", "--json").out)
    assert set(told) <= documented("import-memory")
    assert (told["notes"], told["new"], told["dry_run"], told["problems"]) == (1, 1, True, [])
    assert json.loads(cli("import-memory", memo, "--json").out)["new"] == 1


def test_a_project_is_a_folder_or_one_that_is_archived(cli: CommandLine, memo: Path) -> None:
    (memo / "a.md").write_text("凪。")
    cli("import-memory", memo, "--project", memo, "--category", "daily")
    assert "No project is called" in cli("import-memory", memo, "--project", "nowhere", code=1).err
    assert "凪" in cli("search", "凪", "--project", memo).out


def test_every_category_can_be_named() -> None:
    assert [category.value for category in Category] == _CATEGORIES


def test_links_hidden_folders_and_other_files_are_passed_over(
    cli: CommandLine, memo: Path, tmp_path: Path
) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text("zyxquark")
    (memo / "link.md").symlink_to(secret)
    (memo / ".git").mkdir()
    (memo / ".git" / "x.md").write_text("zyxquark")
    (memo / "a.py").write_text("zyxquark")
    (memo / "a.md").write_text("凪。")
    assert "Read 1 notes" in cli("import-memory", memo).out


GARBAGE = {
    "x.bin": (os.urandom(64), "is of no format"),
    "x.md": (b"a\0b\xff\xfe\x81", "is no text"),
    "x.json": (b'[{"mapping": ', "is no whole JSON"),
    "deep.json": (b"[" * 200_000, "is no whole JSON"),
    "other.json": (b'[{"a": 1}]', "is no export of ChatGPT or Claude.ai"),
    "x.zip": (b"PK\x03\x04" + bytes(64), "cannot be unpacked"),
    "y.zip": (b"PK\x05\x06" + bytes(18), "is of no format"),
}


@pytest.mark.parametrize("name", GARBAGE)
def test_garbage_is_one_sentence_and_an_exit_code(cli: CommandLine, memo: Path, name: str) -> None:
    data, sentence = GARBAGE[name]
    (memo / name).write_bytes(data)
    done = cli("import-memory", memo / name, code=1)
    assert sentence in done.err
    assert done.err.count("\n") == 1
    assert "0 new" in done.out


def test_links_and_episodes_are_told(cli: CommandLine, tmp_path: Path) -> None:
    link = json.dumps([{"target_id": "m-2", "link_type": "caused_by"}])
    rows = [{"id": "m-1", "document": "凪。", "links": link}, {"id": "m-2", "document": "霧。"}]
    told = cli("import-memory", write_chroma(tmp_path / "chroma.sqlite3", rows)).out
    assert "0 already there, 1 links and 0 episodes added." in told


def test_garbage_beside_what_is_sound_is_told_and_passed_over(cli: CommandLine, memo: Path) -> None:
    (memo / "a.md").write_bytes(b"\0")
    (memo / "b.md").write_text("凪。")
    done = cli("import-memory", memo)
    assert "is no text" in done.err
    assert "1 new" in done.out


def test_a_path_that_is_not_there_is_an_error(cli: CommandLine, memo: Path) -> None:
    assert "There is no" in cli("import-memory", memo / "nowhere.md", code=1).err


def test_an_empty_folder_says_what_is_known(cli: CommandLine, memo: Path) -> None:
    assert "known are Markdown notes" in cli("import-memory", memo, code=1).err


def test_a_pipe_is_not_waited_for(cli: CommandLine, memo: Path) -> None:
    os.mkfifo(memo / "pipe.md")
    assert "no ordinary file" in cli("import-memory", memo / "pipe.md", code=1).err


def test_what_may_not_be_read_is_one_sentence(cli: CommandLine, memo: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may read everything")
    (memo / "a.md").write_text("凪。")
    (memo / "a.md").chmod(0)
    assert "cannot be read" in cli("import-memory", memo / "a.md", code=1).err


def test_a_file_that_is_too_large_is_refused(
    cli: CommandLine, memo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places, "BYTES_LIMIT", 50)
    talk = chatgpt(node("n1", None, "user", "浮標は？" * 50))
    packed = memo / "x.zip"
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", "[" + " " * 5_000 + "]")
    for path in (write_json(memo / "conversations.json", [talk]), packed):
        assert "more than can be read at once" in cli("import-memory", path, code=1).err
