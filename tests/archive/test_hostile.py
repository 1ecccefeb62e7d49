"""Records and names that no client should write: each costs itself, never the rest of a backfill."""

import json
import os

import apsw
import pytest

from sui_memory.archive import default_tools, sync
from sui_memory.store import open_store
from sui_memory.types import Scope


def line(**fields) -> str:
    return json.dumps({"sessionId": "s", "cwd": "/p", **fields}, ensure_ascii=False)


def talk(number: int, **fields) -> list[str]:
    asked, said = f"u{number}", f"a{number}"
    return [
        line(type="user", uuid=asked, parentUuid=None, message={"content": f"質問 {number}"}, **fields),
        line(
            type="assistant",
            uuid=said,
            parentUuid=asked,
            message={"id": said, "content": [{"type": "text", "text": f"答え {number}"}]},
        ),
    ]


def archived(folder, tmp_path) -> list[str]:
    tools = default_tools()
    store = open_store(tmp_path / "home" / "memory.db", analyzer=tools.analyzer)
    try:
        report = sync([folder], store=store, tools=tools, workers=0)
        assert not report.problems
        return sorted(memory.exchange.question for memory in store.scan(Scope()))
    finally:
        store.close()


@pytest.fixture(name="folder")
def folder_fixture(tmp_path):
    folder = tmp_path / "projects"
    folder.mkdir()
    (folder / "good.jsonl").write_text("\n".join(talk(0)) + "\n")
    return folder


@pytest.mark.parametrize(
    "moment", ["9999-12-31T23:59:59.999-01:00", "0001-01-01T00:00:00+09:00", "9999-12-31T23:59:59Z"]
)
def test_a_time_at_the_end_of_the_calendar_counts_as_none(folder, tmp_path, moment):
    (folder / "odd.jsonl").write_text("\n".join(talk(1, timestamp=moment)) + "\n")
    assert archived(folder, tmp_path) == ["質問 0", "質問 1"]


@pytest.mark.parametrize("parent", [{}, [], 7, True])
def test_a_parent_that_is_no_text_is_survived(folder, tmp_path, parent):
    tools = [
        line(
            type="assistant",
            uuid=f"t{number}",
            parentUuid=parent if number == 0 else f"t{number - 1}",
            message={"content": [{"type": "tool_use", "name": "Read", "input": {"file_path": "a.py"}}]},
        )
        for number in range(3)
    ]
    (folder / "odd.jsonl").write_text("\n".join([*talk(1), *tools]) + "\n")
    assert archived(folder, tmp_path) == ["質問 0", "質問 1"]


def test_a_file_name_that_is_no_text_is_passed_over(folder, tmp_path):
    try:
        with open(os.fsencode(folder) + b"/\xff\xfe.jsonl", "w") as file:
            file.write("\n".join(talk(1)) + "\n")
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    assert archived(folder, tmp_path) == ["質問 0"]


def test_whoever_writes_keeps_nobody_from_reading(folder, tmp_path):
    archived(folder, tmp_path)
    writer = apsw.Connection(str(tmp_path / "home" / "memory.db"))
    writer.execute("begin immediate")
    try:
        store = open_store(tmp_path / "home" / "memory.db", analyzer=default_tools().analyzer)
        assert [memory.exchange.question for memory in store.scan(Scope())] == ["質問 0"]
        store.close()
    finally:
        writer.execute("rollback")
        writer.close()


def test_a_long_queue_is_read_in_time_that_grows_with_its_length(folder, tmp_path):
    queue = [
        line(
            type="queue-operation",
            operation=operation,
            timestamp=f"2026-01-01T00:00:{number % 60:02}.{number:06}Z",
            **({"content": f"頼み {number}"} if operation == "enqueue" else {}),
        )
        for operation in ("enqueue", "remove")
        for number in range(5000)
    ]
    (folder / "queue.jsonl").write_text("\n".join([*talk(1), *queue]) + "\n")
    assert archived(folder, tmp_path) == ["質問 0", "質問 1"]
