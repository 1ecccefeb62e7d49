"""`export`, `import`, `rebuild` and `scrub` as commands."""

from __future__ import annotations

import json
import stat
import subprocess
from pathlib import Path

import pytest

from tests.archive.workbench import traces
from tests.builders import LIBRARY, SECRET, SESSIONS, CommandLine


def test_an_export_makes_the_same_archive_elsewhere(archive: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "out.jsonl"
    done = archive("export", file)
    assert (done.out, done.err) == ("", f"Wrote 6 memories to {file}.\n")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert file.read_text(encoding="utf-8") == archive("export").out
    other = CommandLine(tmp_path / "other")
    other.root.mkdir()
    assert other("import", file, "--json").json == {
        "read": 6, "new": 6, "existing": 0, "forgotten": 0, "values": 0, "links": 0, "episodes": 0,
    }  # fmt: skip
    assert other("export").out == archive("export").out
    assert other("import", file).out == "Read 6 memories: 0 new, 6 already there.\n"
    assert other.process("import", "-", stdin=file.read_text(encoding="utf-8")).out.startswith("Read 6")
    assert other.ids("書庫")[0] == archive.ids("書庫")[0]


def test_an_archive_that_was_imported_takes_over_from_its_transcripts(cli: CommandLine) -> None:
    cli.archive()
    whole = cli("export").out
    file = cli.root / "out.jsonl"
    file.write_text(whole, encoding="utf-8")
    cli("import", file, SUI_MEMORY_HOME=str(cli.root / "second"))
    done = cli("backfill", "--json", SUI_MEMORY_HOME=str(cli.root / "second")).json
    assert done["exchanges"]["new"] in {0, 6}
    assert cli("export", SUI_MEMORY_HOME=str(cli.root / "second")).out == whole


def test_a_scope_limits_an_export(archive: CommandLine) -> None:
    assert len(archive("export", "--project", "tosho").out.splitlines()) == 4
    assert len(archive("export", "--since", "2026-04-01").out.splitlines()) == 4
    assert len(archive("export", "--branch", "fix/reconnect").out.splitlines()) == 3
    assert len(archive("export", "--session", LIBRARY.id).out.splitlines()) == 4


def test_markdown_is_for_reading(archive: CommandLine, tmp_path: Path) -> None:
    text = archive("export", "--format", "markdown").out
    assert text.startswith("# 2026-03-02 01:00 · 貸出の締め切り")
    assert "> 鍵は？" in text
    assert "tide gauge" not in text
    assert "tide gauge" in archive("export", "--format", "markdown", "--all").out
    done = archive("export", tmp_path / "out.md", "--format", "markdown")
    assert done.err == f"Wrote 5 memories to {tmp_path / 'out.md'}.\n"
    assert (tmp_path / "out.md").read_text(encoding="utf-8") == text


def test_an_export_into_a_closed_pipe_stops_quietly(archive: CommandLine) -> None:
    words = " ".join(f"'{word}'" for word in archive.command("export"))
    done = subprocess.run(
        ["sh", "-c", f"{words} | true"], env=archive.environment(), capture_output=True, check=False
    )
    assert b"Traceback" not in done.stderr


def test_a_folder_that_is_not_there_is_one_sentence(archive: CommandLine, tmp_path: Path) -> None:
    done = archive("export", tmp_path / "absent" / "out.jsonl", code=1)
    assert done.err.startswith("Error: ")
    assert done.err.endswith("nothing was exported.\n")
    archive("export", tmp_path, code=2)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "line 1: this is no export of sui-memory"),
        ('{"sui-memory-export":99}\n', "a newer sui-memory wrote this export (format 99, this one reads 2)"),
        ('{"sui-memory-export":1}\n{"key":"k"', "line 2: this is not a whole line of JSON"),
        ('{"sui-memory-export":1}\n{"key":"k"}\n', "line 2: 'fingerprint' is missing"),
    ],
)
def test_a_broken_export_is_refused(cli: CommandLine, text: str, words: str) -> None:
    file = cli.root / "out.jsonl"
    file.write_text(text)
    done = cli("import", file, code=1)
    assert words in done.err
    assert done.err.count("\n") == 1
    assert cli("stats", "--json").json["exchanges"] == 0
    cli("import", cli.root / "absent", code=2)


def test_what_was_forgotten_comes_back_only_when_asked_for(cli: CommandLine) -> None:
    cli.archive()
    file = cli.root / "out.jsonl"
    cli("export", file)
    cli("forget", "--match", "書庫", "--yes")
    assert "1 left out because you had them forgotten" in cli("import", file).out
    assert cli("import", file, "--revive", "--json").json["new"] == 1
    cli("backfill")
    assert len(cli("export").out.splitlines()) == 7


def test_a_rebuild_changes_nothing_when_the_transcripts_are_gone(cli: CommandLine) -> None:
    for path in cli.write(*SESSIONS):
        cli("backfill", "--workers", "0", path)
        path.unlink()
    cli("pin", cli.ids("CI green")[0])
    before = cli("export").out
    assert cli("rebuild").out == "Exchanges: 0 new, 0 updated, 0 deleted, 6 unchanged.\n"
    assert cli("export").out == before
    assert cli("rebuild", "--json").json == {
        "sources": 3, "new": 0, "updated": 0, "deleted": 0, "unchanged": 6, "indexed": 0
    }  # fmt: skip


def test_a_scrub_masks_what_an_import_of_old_brought(cli: CommandLine) -> None:
    cli.archive()
    assert traces(cli.database, SECRET) == []
    assert cli("scrub").out == "Masked 0 values in 0 exchanges, and 0 raw records.\n"
    assert cli("scrub", "--dry-run", "--json").json == {
        "values": 0, "exchanges": 0, "records": 0, "dry_run": True
    }  # fmt: skip


def test_every_line_of_an_export_is_json(archive: CommandLine) -> None:
    lines = [json.loads(line) for line in archive("export").out.splitlines()]
    assert lines[0]["sui-memory-export"] == 1
    assert [line["asked_at"] for line in lines[1:]] == sorted(line["asked_at"] for line in lines[1:])
