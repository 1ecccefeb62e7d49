"""Trouble with files, folders, disks and databases: one clear sentence each, and nothing lost."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from tests.archive.archives import fill, talk
from tests.builders import LIBRARY, CommandLine, Result
from tests.transcript.script import Script

GOOD = {("鍵は？", "受付です。")}


def good() -> Script:
    script = Script("good")
    script.turn("鍵は？", "受付です。")
    return script


def folder(root: Path) -> Path:
    """Return a folder with one good transcript."""
    made = root / "all"
    made.mkdir()
    (made / "good.jsonl").write_bytes(good().data())
    return made


def assert_one_sentence(text: str, *words: str) -> None:
    assert "Traceback" not in text
    assert len(text.strip().splitlines()) == 1, text
    for word in words:
        assert word in text


def make_fifo(path: Path) -> None:
    os.mkfifo(path)


def make_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def make_loop(path: Path) -> None:
    path.symlink_to(path)


def make_dangling(path: Path) -> None:
    path.symlink_to(path.parent / "nowhere")


def make_folder(path: Path) -> None:
    path.mkdir()


def make_empty(path: Path) -> None:
    path.touch()


def make_nuls(path: Path) -> None:
    path.write_bytes(b"\0" * 300_000)


def make_circle(path: Path) -> None:
    path.symlink_to(path.parent, target_is_directory=True)


def make_text(path: Path) -> None:
    path.write_bytes(b"dear diary\n" * 10)


def make_binary(path: Path) -> None:
    path.write_bytes(os.urandom(300_000))


def make_questions_only(path: Path) -> None:
    script = Script("question")
    script.user([{"type": "image", "source": {}}], isMeta=True)
    path.write_bytes(script.data())


@pytest.mark.parametrize(
    "make",
    [
        make_fifo, make_device, make_loop, make_dangling, make_folder, make_empty, make_nuls, make_circle,
        make_text, make_binary, make_questions_only,
    ],
)  # fmt: skip
def test_odd_things_are_passed_over(tmp_path: Path, make: Callable[[Path], None]) -> None:
    root = folder(tmp_path)
    make(root / "odd.jsonl")
    report = fill(tmp_path / "home", root)
    assert report.problems == []
    assert talk(tmp_path / "home") == GOOD
    again = fill(tmp_path / "home", root)
    assert (again.new, again.updated, again.deleted) == (0, 0, 0)


@pytest.mark.parametrize("make", [make_fifo, make_device, make_loop, make_dangling])
def test_an_odd_thing_that_is_named_is_told(cli: CommandLine, make: Callable[[Path], None]) -> None:
    odd = cli.root / "odd.jsonl"
    make(odd)
    result = cli("backfill", "--no-embed", odd, code=None)
    assert "Traceback" not in result.err
    assert "odd.jsonl" in result.err or "not a regular file 1" in result.out


def test_a_folder_that_is_not_there_is_one_sentence(cli: CommandLine) -> None:
    result = cli("backfill", cli.root / "nowhere", code=1)
    assert_one_sentence(result.err, "nowhere", "no such file")


def test_an_empty_home_of_the_client_is_told_in_one_sentence(cli: CommandLine) -> None:
    (cli.config / "projects").mkdir(parents=True)
    done = cli("backfill", "--no-embed", "--json", code=1)
    assert (done.json["files"], done.json["problems"]) == (0, [])
    assert_one_sentence(done.err, "No conversation")


FOREIGN = {
    "rollout-1.jsonl": b'{"payload":{"id":"x"},"timestamp":"t","type":"session_meta"}\n',
    "chat.jsonl": '{"sessionId":"x","messages":[{"type":"user","content":"質問"}]}'.encode(),
    "notes.jsonl": "日記\n".encode(),
    "journal.jsonl": b'{"type":"started"}\n',
    "plain.jsonl": b'{"question":"no record of any program"}\n',
}


@pytest.mark.parametrize("names", [[], *([name] for name in FOREIGN), [*FOREIGN]], ids=str)
def test_a_folder_without_a_transcript_is_told_with_what_is_there(cli: CommandLine, names: list[str]) -> None:
    root = cli.root / "foreign"
    root.mkdir()
    for name in names:
        (root / name).write_bytes(FOREIGN[name])
    done = cli("backfill", "--no-embed", "--workers", "0", root, code=1)
    assert_one_sentence(done.err, "No conversation", str(root), *(names if len(names) == 1 else []))
    assert ("2 more" in done.err) == (names == [*FOREIGN])
    (root / "good.jsonl").write_bytes(good().data())
    cli("backfill", "--no-embed", root)
    cli("backfill", "--no-embed", root)


@pytest.mark.parametrize("name", ["rollout-1.jsonl", "chat.jsonl", "notes.jsonl", "journal.jsonl"])
def test_previewing_another_programs_file_is_one_sentence(cli: CommandLine, name: str) -> None:
    (cli.root / name).write_bytes(FOREIGN[name])
    assert_one_sentence(cli("chunks", cli.root / name, code=1).err, name)
    (cli.root / "good.jsonl").write_bytes(good().data())
    assert len(cli("chunks", "--json", cli.root / "good.jsonl", cli.root / name).json) == 1


def obeying(cli: CommandLine, *arguments: str | Path) -> Result:
    """Run a command as somebody to whom permissions apply, which they do not to a full root."""
    powerless = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.getuid() == 0 else []
    done = subprocess.run(
        [*powerless, *cli.command(*arguments)], env=cli.environment(), capture_output=True, check=False
    )
    return Result(done.returncode, done.stdout.decode(), done.stderr.decode())


needs_permissions = pytest.mark.skipif(
    os.getuid() == 0 and shutil.which("setpriv") is None, reason="permissions do not apply to root"
)


@needs_permissions
def test_an_unreadable_file_is_told_and_the_others_are_archived(cli: CommandLine) -> None:
    root = folder(cli.root)
    secret = root / "secret.jsonl"
    secret.write_bytes(good().data())
    secret.chmod(0)
    result = obeying(cli, "backfill", "--no-embed", "--workers", "0", root)
    assert result.code == 0
    assert "secret.jsonl: permission denied" in result.out + result.err
    assert "1 new" in result.out


@needs_permissions
def test_an_unreadable_folder_is_told_and_the_others_are_archived(cli: CommandLine) -> None:
    root = folder(cli.root)
    (root / "locked").mkdir(mode=0)
    result = obeying(cli, "backfill", "--no-embed", "--workers", "0", root)
    assert result.code == 0
    assert "unreadable folder 1" in result.out
    assert "1 new" in result.out


@needs_permissions
def test_an_unreadable_folder_that_is_named_is_one_sentence(cli: CommandLine) -> None:
    locked = cli.root / "locked"
    locked.mkdir(mode=0)
    result = obeying(cli, "backfill", locked)
    assert result.code in {1, 2}
    assert_one_sentence(result.err.splitlines()[-1], "locked")


@needs_permissions
def test_a_read_only_home_is_one_sentence(cli: CommandLine) -> None:
    root = folder(cli.root)
    cli.home.mkdir(mode=0o500)
    result = obeying(cli, "backfill", "--no-embed", root)
    cli.home.chmod(0o700)
    assert result.code == 1
    assert_one_sentence(result.err, str(cli.home))


def test_a_full_disk_is_one_sentence_and_the_next_run_goes_on(cli: CommandLine) -> None:
    cli.archive(LIBRARY)
    more = cli.root / "more"
    more.mkdir()
    for number in range(80):
        script = Script(f"more{number}")
        script.turn(f"質問{number}", f"答え{number}: " + "とても長い答え。" * 3000)
        (more / f"{number}.jsonl").write_bytes(script.data())
    limit = cli.database.stat().st_size + 200_000
    done = subprocess.run(
        cli.command("backfill", "--no-embed", "--workers", "0", more),
        env=cli.environment(),
        capture_output=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )
    assert done.returncode == 1
    assert_one_sentence(done.stderr.decode(), "memory.db")
    assert cli("backfill", "--no-embed", "--json", more).json["exchanges"]["new"] > 0
    assert cli("backfill", "--no-embed", "--json", more).json["exchanges"] == {
        "new": 0, "updated": 0, "unchanged": 80,
    }  # fmt: skip


def test_a_database_from_the_future_is_refused_and_left_alone(cli: CommandLine) -> None:
    cli.archive(LIBRARY)
    connection = apsw.Connection(str(cli.database))
    connection.execute("insert into migrations values (9999, 'later', 'x')")
    result = cli("backfill", "--no-embed", code=1)
    assert_one_sentence(result.err, "memory.db", "newer")
    connection.execute("delete from migrations where number = 9999")
    connection.close()
    assert cli("backfill", "--no-embed", "--json").json["exchanges"]["unchanged"] == 3


@pytest.mark.parametrize("size", [50, 20_000])
def test_a_database_cut_in_the_middle_is_told_and_left_alone(cli: CommandLine, size: int) -> None:
    cli.archive(LIBRARY)
    os.truncate(cli.database, size)
    before = cli.database.read_bytes()
    result = cli("backfill", "--no-embed", code=1)
    assert_one_sentence(result.err, "memory.db")
    assert cli.database.read_bytes() == before


def test_something_else_in_the_databases_place_is_told_and_left_alone(cli: CommandLine) -> None:
    cli.home.mkdir()
    cli.database.write_text("my shopping list\n" * 50)
    result = cli("backfill", "--no-embed", code=1)
    assert_one_sentence(result.err, "memory.db")
    assert cli.database.read_text().startswith("my shopping list")


def test_a_transcript_that_goes_while_it_is_read_costs_nothing_else(tmp_path: Path) -> None:
    root = folder(tmp_path)
    doomed = root / "doomed.jsonl"
    doomed.write_bytes(Script("doomed").data() + b"{}\n")
    doomed.unlink()
    (root / "gone.jsonl").symlink_to(doomed)
    fill(tmp_path / "home", root)
    assert talk(tmp_path / "home") == GOOD


def test_a_transcript_that_shrinks_below_what_was_read_loses_nothing(tmp_path: Path) -> None:
    root = folder(tmp_path)
    fill(tmp_path / "home", root)
    os.truncate(root / "good.jsonl", 100)
    os.utime(root / "good.jsonl", ns=(time.time_ns(), time.time_ns()))
    report = fill(tmp_path / "home", root)
    assert (report.deleted, report.problems) == (0, [])
    assert talk(tmp_path / "home") == GOOD


@pytest.mark.slow
def test_a_line_of_200_megabytes_stays_within_300(cli: CommandLine) -> None:
    root = folder(cli.root)
    with (root / "long.jsonl").open("wb") as file:
        file.write(good().lines[0] + b'\n{"type":"user","message":{"content":"')
        for _ in range(200):
            file.write(b"word " * 200_000)
        file.write(b'"}}\n')
    probe = (
        "import resource, runpy, sys; sys.argv[1:] = sys.argv[1:]\n"
        "try:\n    runpy.run_module('sui_memory', run_name='__main__')\n"
        "finally:\n    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)\n"
    )
    words = cli.command("backfill", "--no-embed", "--json", "--workers", "0", root)
    done = subprocess.run(
        [words[0], "-c", probe, *words[3:]], env=cli.environment(), capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert b'"oversized line": 1' in done.stdout
    assert int(done.stderr.split()[-1]) < 300 * 1024
