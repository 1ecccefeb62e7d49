"""Files that share a conversation: copies, forks, resumed, moved and rewritten ones."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest

from tests.archive.archives import contents, fill, talk
from tests.transcript.script import Script, copied

FIRST = {("鍵は？", "受付です。"), ("本数は？", "三本です。")}


def original() -> Script:
    script = Script("original")
    script.turn("鍵は？", "受付です。")
    script.turn("本数は？", "三本です。")
    return script


def family(root: Path) -> list[Path]:
    """Write an original, a fork, an old resume of the fork, and a stranger."""
    first = original()
    fork = copied(first, "fork", forkedFrom={"sessionId": first.session})
    fork.turn("枝は？", "一本です。")
    resume = copied(fork, "resume", new_uuids=True, forkedFrom=None)
    resume.turn("続きは？", "明日です。")
    stranger = Script("stranger")
    stranger.turn("別の話", "はい。")
    scripts = {"a.jsonl": first, "b.jsonl": fork, "c.jsonl": resume, "d.jsonl": stranger}
    return [write(root / name, script) for name, script in scripts.items()]


def write(path: Path, script: Script | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(script if isinstance(script, bytes) else script.data())
    return path


@pytest.mark.parametrize("order", list(permutations(range(4))), ids=str)
def test_the_order_of_files_does_not_matter(tmp_path: Path, order: tuple[int, ...]) -> None:
    files = family(tmp_path / "all")
    fill(tmp_path / "together", tmp_path / "all")
    for number in order:
        fill(tmp_path / "apart", files[number])
    assert contents(tmp_path / "apart") == contents(tmp_path / "together")
    assert talk(tmp_path / "apart") == FIRST | {
        ("枝は？", "一本です。"), ("続きは？", "明日です。"), ("別の話", "はい。"),
    }  # fmt: skip


def test_a_second_run_changes_nothing(tmp_path: Path) -> None:
    family(tmp_path / "all")
    first = fill(tmp_path / "home", tmp_path / "all")
    before = contents(tmp_path / "home")
    second = fill(tmp_path / "home", tmp_path / "all")
    assert (first.new, first.files) == (5, 4)
    assert (second.new, second.updated, second.deleted, second.unchanged) == (0, 0, 0, 5)
    assert contents(tmp_path / "home") == before


def test_touching_a_file_changes_nothing(tmp_path: Path) -> None:
    files = family(tmp_path / "all")
    fill(tmp_path / "home", tmp_path / "all")
    before = contents(tmp_path / "home")
    for path in files:
        path.touch()
    report = fill(tmp_path / "home", tmp_path / "all")
    assert (report.new, report.updated, report.deleted, report.unchanged) == (0, 0, 0, 5)
    assert contents(tmp_path / "home") == before


def test_growing_copies_of_one_session_become_one_session(tmp_path: Path) -> None:
    short = original()
    long = Script("original")
    for record in short.records:
        long.raw(record)
    long.last, long.now = short.last, short.now
    long.turn("もう一本は？", "金庫です。")
    one, two = write(tmp_path / "1/full.jsonl", short), write(tmp_path / "2/full.jsonl", long)
    expected = FIRST | {("もう一本は？", "金庫です。")}
    for number, order in enumerate([(one, two), (two, one)]):
        for path in order:
            fill(tmp_path / f"home{number}", path)
        assert talk(tmp_path / f"home{number}") == expected
        assert len(contents(tmp_path / f"home{number}")) == 3
    fill(tmp_path / "both", one, two)
    assert contents(tmp_path / "both") == contents(tmp_path / "home0") == contents(tmp_path / "home1")


def test_a_file_that_grows_is_read_on_from_where_it_was(tmp_path: Path) -> None:
    script = original()
    path = write(tmp_path / "s.jsonl", script)
    fill(tmp_path / "home", path)
    size = path.stat().st_size
    script.turn("もう一本は？", "金庫です。")
    write(path, script)
    report = fill(tmp_path / "home", path)
    assert report.bytes == path.stat().st_size - size
    assert (report.new, report.updated) == (1, 0)


def test_a_rewritten_file_is_read_anew_and_loses_nothing(tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", original())
    fill(tmp_path / "home", path)
    other = Script("other")
    other.turn("書き直された話", "はい。")
    write(path, other)
    fill(tmp_path / "home", path)
    assert talk(tmp_path / "home") == FIRST | {("書き直された話", "はい。")}


def test_a_file_that_shrank_and_grew_past_its_old_end_is_read_anew(tmp_path: Path) -> None:
    script = original()
    path = write(tmp_path / "s.jsonl", script)
    fill(tmp_path / "home", path)
    write(path, b"".join(line + b"\n" for line in script.lines[:2]))
    fill(tmp_path / "home", path)
    assert talk(tmp_path / "home") == FIRST
    regrown = Script("original")
    for record in script.records[:2]:
        regrown.raw(record)
    regrown.last = script.records[1]["uuid"]
    for number in range(9):
        regrown._name = f"regrown{number}"
        regrown.turn(f"新しい話{number}", f"答え{number}")
    write(path, regrown)
    report = fill(tmp_path / "home", path)
    assert report.new == 9
    assert talk(tmp_path / "home") > FIRST


def test_a_rewritten_file_with_the_same_records_changes_nothing(tmp_path: Path) -> None:
    script = original()
    script.queue("enqueue", "同じ")
    script.queue("enqueue", "同じ", pause=0)
    path = write(tmp_path / "s.jsonl", script)
    fill(tmp_path / "home", path)
    before = contents(tmp_path / "home")
    write(path, b"\n" + script.data())
    report = fill(tmp_path / "home", path)
    assert (report.new, report.updated, report.deleted) == (0, 0, 0)
    assert contents(tmp_path / "home") == before


def test_a_vanished_file_is_no_deletion(tmp_path: Path) -> None:
    path = write(tmp_path / "all/s.jsonl", original())
    write(tmp_path / "all/t.jsonl", Script("t"))
    fill(tmp_path / "home", tmp_path / "all")
    path.unlink()
    report = fill(tmp_path / "home", tmp_path / "all")
    assert (report.deleted, report.problems) == (0, [])
    assert talk(tmp_path / "home") == FIRST


@pytest.mark.parametrize("same_session", [True, False])
def test_two_files_of_one_name_do_not_erase_each_other(tmp_path: Path, same_session: bool) -> None:
    other = Script("other", **({"sessionId": original().session} if same_session else {}))
    other.turn("別の部屋の鍵は？", "事務室です。")
    write(tmp_path / "all/a/s1.jsonl", original())
    path = write(tmp_path / "all/b/s1.jsonl", other)
    fill(tmp_path / "home", tmp_path / "all")
    assert talk(tmp_path / "home") == FIRST | {("別の部屋の鍵は？", "事務室です。")}
    other.turn("続き", "はい。")
    write(path, other)
    fill(tmp_path / "home", tmp_path / "all")
    assert talk(tmp_path / "home") == FIRST | {("別の部屋の鍵は？", "事務室です。"), ("続き", "はい。")}


def test_a_file_that_moved_with_its_session_is_stored_once(tmp_path: Path) -> None:
    script = original()
    old = write(tmp_path / "all/one/s.jsonl", script)
    fill(tmp_path / "home", tmp_path / "all")
    new = tmp_path / "all/two/s.jsonl"
    new.parent.mkdir()
    old.rename(new)
    script.turn("移った後", "はい。")
    write(new, script)
    report = fill(tmp_path / "home", tmp_path / "all")
    assert (report.new, report.updated, report.deleted) == (1, 0, 0)
    assert talk(tmp_path / "home") == FIRST | {("移った後", "はい。")}
    assert len(contents(tmp_path / "home")) == 3


def test_a_session_resumed_in_its_own_file_goes_on(tmp_path: Path) -> None:
    script = original()
    path = write(tmp_path / "s.jsonl", script)
    fill(tmp_path / "home", path)
    script.raw({**script.records[-1], "version": "2.1.99", "cwd": "/elsewhere"})
    script.turn("翌日", "おはようございます。")
    write(path, script)
    fill(tmp_path / "home", path)
    assert talk(tmp_path / "home") == FIRST | {("翌日", "おはようございます。")}


def test_an_answer_that_comes_late_updates_its_exchange(tmp_path: Path) -> None:
    script = Script()
    script.user("長い仕事")
    path = write(tmp_path / "s.jsonl", script)
    fill(tmp_path / "home", path)
    key = contents(tmp_path / "home")[0].exchange.key
    script.say("終わりました。")
    write(path, script)
    report = fill(tmp_path / "home", path)
    assert (report.new, report.updated) == (0, 1)
    (memory,) = contents(tmp_path / "home")
    assert (memory.exchange.key, memory.exchange.answer) == (key, "終わりました。")


def test_agents_of_a_session_do_not_disturb_it(tmp_path: Path) -> None:
    script = original()
    write(tmp_path / "all/s.jsonl", script)
    for name in ("s/subagents/agent-a1.jsonl", "s/subagents/workflows/wf_1/agent-b2.jsonl", "agent-c3.jsonl"):
        agent = Script(name, isSidechain=True, sessionId=script.session)
        agent.turn(f"SUBPROMPT {name}", "SUBREPORT")
        write(tmp_path / "all" / name, agent)
    write(tmp_path / "all/s/subagents/workflows/wf_1/journal.jsonl", b'{"type":"started","id":"x"}\n')
    write(tmp_path / "all/s/tool-results/x.txt", b"noise")
    write(tmp_path / "all/s/tool-results/y.jsonl", script.data())
    write(tmp_path / "all/agent-acompact-1.jsonl", script.data())
    for _ in range(2):
        report = fill(tmp_path / "home", tmp_path / "all")
    assert (report.new, report.updated, report.unchanged) == (0, 0, 5)
    people = [m.exchange for m in contents(tmp_path / "home") if not m.exchange.sidechain]
    assert {(e.question, e.answer) for e in people} == FIRST
