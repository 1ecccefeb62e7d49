"""`sui-memory mcp` as its user and its neighbours meet it."""

from __future__ import annotations

import json
import os
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import apsw

from tests.builders import CommandLine
from tests.daemon.workbench import Daemon, laboratory, until
from tests.mcp_server.workbench import ids, talk_with

QUESTION = "返却期限は会議で何日と決めたんだっけ？"
ANSWER = "返却期限は 14 日"


def test_without_the_extra_one_sentence_tells_how_to_install_it(cli: CommandLine):
    hidden = cli.root / "hidden"
    hidden.mkdir()
    (hidden / "sitecustomize.py").write_text(
        "from importlib.machinery import PathFinder\n"
        "find = PathFinder.find_spec\n"
        "PathFinder.find_spec = lambda name, *rest: None if name == 'mcp' else find(name, *rest)\n"
    )
    result = cli.process("mcp", code=1, PYTHONPATH=str(hidden))

    assert "uv tool install '.[mcp]'" in result.err
    assert result.err.count("\n") == 1


def test_the_command_line_is_as_light_as_before(cli: CommandLine):
    program = (
        "import sys; from sui_memory.cli import main; sys.argv = ['sui-memory', '--help']\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "assert not {'mcp', 'mcp_types', 'pydantic'} & set(sys.modules)"
    )
    assert os.spawnve(os.P_WAIT, sys.executable, [sys.executable, "-c", program], cli.environment()) == 0


def test_an_empty_home_can_be_asked_and_written_to(cli: CommandLine):
    with talk_with(cli) as talk:
        assert talk.call("search_memories", query="何か")[1]["memories"] == []
        kept = talk.remember("最初の記憶")
        assert ids(talk.call("list_recent_memories")[1]) == [kept]
    assert cli("show", kept, "--json").json["question"] == "最初の記憶"


def test_an_archive_that_was_deleted_meanwhile_is_made_anew(cli: CommandLine):
    with talk_with(cli) as talk:
        talk.remember("消える記憶")
        for file in cli.home.glob("memory.db*"):
            file.unlink()
        assert talk.call("list_recent_memories")[1]["memories"] == []
        talk.remember("残る記憶")
        assert len(talk.call("list_recent_memories")[1]["memories"]) == 1


def test_with_a_daemon_searches_are_answered_by_it_and_its_vectors_follow(tmp_path: Path):
    with laboratory(tmp_path) as place:
        daemon = with_model(place)
        with talk_with(daemon.cli, SUI_MEMORY_MODEL="fake") as talk:
            assert ANSWER in talk.call("recall", context=QUESTION)[0]
            assert ANSWER in talk.call("search_memories", query=QUESTION)[0]
            kept = talk.remember("書架の耐震工事は秋に終わった")
            until(lambda: missing(daemon) == 0, "the vectors of what was kept")
            assert kept in ids(talk.call("search_memories", query="書架の耐震工事")[1])


def test_an_older_daemon_is_done_without(tmp_path: Path):
    cli = CommandLine(tmp_path, model="fake")
    cli.archive()
    with refusing_daemon(cli.home) as asked, talk_with(cli) as talk:
        assert ANSWER in talk.call("recall", context=QUESTION)[0]
        assert ANSWER in talk.call("search_memories", query=QUESTION)[0]
        talk.remember("古いデーモン")
    assert asked == ["recall", "search", "embed"]


def test_a_client_is_answered_while_the_archive_is_busy(cli: CommandLine):
    with talk_with(cli) as talk:
        talk.remember("まず一つ")
        with closing(apsw.Connection(str(cli.database))) as other:
            other.execute("begin immediate")
            writing = talk.begin("call_tool", "remember", {"content": "もう一つ"})
            assert len(talk.ask("list_tools").tools) == 26
            assert not writing.done()
            other.execute("rollback")
        assert not writing.result().is_error
        assert len(talk.call("list_recent_memories")[1]["memories"]) == 2


def test_the_server_ends_with_its_client_and_says_nothing_unasked(cli: CommandLine):
    result = cli.process("mcp")

    assert (result.out, result.err) == ("", "")
    assert not cli.home.exists() or not cli.database.exists()


def test_sleep_does_what_it_told_of_when_it_is_let(cli: CommandLine):
    with talk_with(cli) as talk:
        pair = {talk.remember(f"製本機の糊は二番の棚にある{end}") for end in ("", "。")}
        text, planned = talk.call("sleep", min_age_days=0)
        assert {*planned["merged"][0]["sources"]} == pair
        assert "dry_run=false" in text
        _, done = talk.call("sleep", min_age_days=0, dry_run=False)
        assert done["counts"] == planned["counts"]
        assert ids(talk.call("list_recent_memories")[1]) == [done["merged"][0]["id"]]


def test_what_is_remembered_in_a_project_belongs_to_it(cli: CommandLine):
    with talk_with(cli, CLAUDE_PROJECT_DIR="/home/mio/src/tosho") as talk:
        talk.remember("図書館の設定は settings.toml")
        (memory,) = talk.call("search_memories", query="設定", project="tosho")[1]["memories"]
        assert memory["project"] == "/home/mio/src/tosho"


def test_however_much_is_found_a_result_keeps_to_its_budget(cli: CommandLine):
    with talk_with(cli) as talk:
        for number in range(40):
            talk.remember(f"収蔵品目録 第 {number} 号\n" + '「目録」の"引用"\n' * 60)
        for tool, arguments in {
            "search_memories": {"query": "収蔵品目録", "n_results": 50},
            "list_recent_memories": {"limit": 50},
            "get_working_memory": {"n_results": 50},
            "recall_with_associations": {"context": "収蔵品目録", "n_results": 50},
        }.items():
            text, data = talk.call(tool, **arguments)
            assert len(data["memories"]) >= 10
            assert data["left_out"] > 0
            assert f"{data['left_out']} more are left out" in text


def with_model(place: Daemon) -> Daemon:
    """Start a daemon with the model for tests on an archive of conversations with their vectors."""
    (place.home / "config.toml").parent.mkdir(parents=True, exist_ok=True)
    place.environment["SUI_MEMORY_MODEL"] = "fake"
    CommandLine(place.root, model="fake").archive()
    return place.start()


def missing(daemon: Daemon) -> int:
    """Return how many passages have no vector yet."""
    models = daemon.cli("model", "--json", SUI_MEMORY_MODEL="fake").json["models"]
    return sum(int(model["pending"]) for model in models if model["active"])


@contextmanager
def refusing_daemon(home: Path) -> Iterator[list[str]]:
    """Be a daemon that knows none of the operations, and give their names."""
    asked: list[str] = []
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(home / "daemon.sock"))
        listener.listen()
        thread = threading.Thread(target=_refuse, args=(listener, asked), daemon=True)
        thread.start()
        try:
            yield asked
        finally:
            with suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            thread.join()


def _refuse(listener: socket.socket, asked: list[str]) -> None:
    with suppress(OSError):
        while True:
            connection, _ = listener.accept()
            with connection:
                message = b""
                while part := connection.recv(1 << 16):
                    message += part
                asked.append(message.split(b"\n")[0].split(b" ")[2].decode())
                connection.sendall(json.dumps({"error": "This daemon knows no such thing."}).encode() + b"\n")
