"""A rebuild makes the same archive again from the raw records alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from sui_memory.app import open_app
from sui_memory.archive.editing import edit
from sui_memory.archive.exporting import export_lines
from sui_memory.archive.families import EVERYTHING
from sui_memory.archive.rebuilding import Rebuilt, rebuild
from sui_memory.store import open_store
from tests.archive.workbench import TALK, Workbench, fork, later, renamed
from tests.builders import ROBOT, TIDES, Turn
from tests.store.samples import PlainAnalyzer

NEW = Turn("And the lighthouse?", "The lighthouse is white.")


def run(bench: Workbench) -> Rebuilt:
    return rebuild(store=bench.app.store, tools=bench.app.tools)


def exported(bench: Workbench) -> list[str]:
    return list(export_lines(EVERYTHING, store=bench.app.store))


def full(bench: Workbench) -> Workbench:
    """Archive sessions with copies; pin, edit and forget some of it; and delete the transcripts."""
    for name, records in {
        "a": TALK.records(),
        "b": fork(later(TALK, NEW), "another"),
        "c": renamed(TALK.records(), "a third"),
        "tides": TIDES.records(),
        "robot": ROBOT.records(),
    }.items():
        bench.archive(records, name=name)
    bench.app.store.pin(bench.find("buoy").id, pinned=True)
    memory = bench.find("港の地図")
    edit(
        memory.exchange,
        question="mine",
        followups=(),
        answer="mine",
        store=bench.app.store,
        tools=bench.app.tools,
    )
    bench.forget(bench.find("zyxquark"))
    for path in bench.folder.iterdir():
        path.unlink()
    return bench


def test_rebuilding_an_archive_that_is_up_to_date_changes_nothing(bench: Workbench) -> None:
    full(bench)
    before = exported(bench)
    result = run(bench)
    assert (result.new, result.updated, result.deleted, result.indexed) == (0, 0, 0, 0)
    assert result.sources == 5
    assert exported(bench) == before
    assert bench.traces() == []


def test_what_another_chunker_had_stored_is_made_right(bench: Workbench) -> None:
    full(bench)
    before = exported(bench)
    store = bench.app.store
    lost, wrong = bench.find("CI green"), bench.find("useTide")
    store.forget([lost.exchange.key], {}, tombstone=False)
    with store._write() as connection:
        connection.execute(
            "update exchanges set hash = x'00', git_branch = 'wrong' where name = ?", (wrong.id,)
        )
    assert exported(bench) != before
    result = run(bench)
    assert (result.new, result.updated, result.deleted) == (1, 1, 0)
    assert sorted(exported(bench)) == sorted(before)
    assert store.check() == []
    assert run(bench).updated == 0


def test_a_project_whose_folder_is_gone_keeps_its_name(bench: Workbench, tmp_path: Path) -> None:
    folder = tmp_path / "work" / "deep"
    folder.mkdir(parents=True)
    (tmp_path / "work" / ".git").mkdir()
    bench.archive(replace(TALK, cwd=str(folder)).records())
    assert bench.all()[0].exchange.project == str(tmp_path / "work")
    folder.rmdir()
    (tmp_path / "work" / ".git").rmdir()
    bench.app.tools.project_of.cache_clear()  # type: ignore[attr-defined]
    before = exported(bench)
    assert run(bench).updated == 0
    assert exported(bench) == before


def test_an_index_of_another_analysis_is_made_anew(bench: Workbench) -> None:
    bench.archive(TALK.records())
    settings = bench.app.settings
    before = exported(bench)
    bench.app.store.close()
    plain = open_store(settings.database, analyzer=PlainAnalyzer())
    assert list(plain.rebuild_index())
    plain.close()
    with open_app(settings) as app:
        assert not app.store.index_is_current()
        steps: list[tuple[str, int, int]] = []
        result = rebuild(store=app.store, tools=app.tools, on_progress=lambda *step: steps.append(step))
        assert result.indexed == 3
        assert [what for what, _, _ in steps] == ["index", "exchanges"]
        assert app.store.index_is_current()
        assert app.search("buoy").hits
        assert list(export_lines(EVERYTHING, store=app.store)) == before
