"""The generator of transcripts: what it promises to the benchmarks that build on it."""

import json
from collections import Counter
from hashlib import sha256
from pathlib import Path

import pytest

from benchmarks.corpus import Spec, generate, main
from benchmarks.corpus_machinery import FULL, LEAN, SHORT

SMALL = Spec(sessions=60, exchanges=260, seed=5, mix=LEAN)
KINDS_THAT_MUST_OCCUR = {
    "user/prompt",
    "user/tool result",
    "user/slash command",
    "user/interrupt",
    "user/compaction summary",
    "user/subagent prompt",
    "assistant/text",
    "assistant/thinking",
    "assistant/tool_use",
    "queue-operation/enqueue",
    "system/turn_duration",
    "attachment/hook_success",
    "file-history-snapshot",
    "copied",
}


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    out = tmp_path_factory.mktemp("projects")
    return out, generate(out, SMALL)


def records_of(file: Path) -> list[dict]:
    return [json.loads(line) for line in file.read_bytes().splitlines()]


def fingerprint(out: Path) -> dict[str, str]:
    return {
        str(file.relative_to(out)): sha256(file.read_bytes()).hexdigest() for file in out.rglob("*.jsonl")
    }


def test_the_same_spec_gives_the_same_bytes(tree, tmp_path):
    generate(tmp_path, SMALL)
    assert fingerprint(tmp_path) == fingerprint(tree[0])


def test_another_seed_gives_another_tree(tree, tmp_path):
    generate(tmp_path, Spec(sessions=60, exchanges=260, seed=6, mix=LEAN))
    assert not fingerprint(tmp_path).keys() & fingerprint(tree[0]).keys()


def test_the_summary_counts_what_is_on_disk(tree):
    out, summary = tree
    files = list(out.rglob("*.jsonl"))
    assert summary.files == len(files)
    assert summary.bytes == sum(file.stat().st_size for file in files)
    assert summary.exchanges == SMALL.exchanges
    assert summary.sidechain_exchanges == len(list(out.rglob("agent-*.jsonl")))
    assert sum(size for _, size in summary.records.values()) == summary.bytes
    assert sum(count for count, _ in summary.records.values()) == sum(len(records_of(f)) for f in files)


def test_everything_that_happens_in_real_sessions_happens(tree):
    assert tree[1].records.keys() >= KINDS_THAT_MUST_OCCUR


def test_every_parent_is_in_the_same_file_and_comes_first(tree):
    for file in tree[0].rglob("*.jsonl"):
        seen: set[str] = set()
        for record in records_of(file):
            for link in (record.get("parentUuid"), record.get("logicalParentUuid")):
                assert link is None or link in seen
            seen.add(record.get("uuid"))


def test_only_copies_repeat_a_uuid(tree):
    uuids = Counter(
        record["uuid"] for file in tree[0].rglob("*.jsonl") for record in records_of(file) if "uuid" in record
    )
    repeats = sum(count - 1 for count in uuids.values())
    assert 0 < repeats <= tree[1].records["copied"][0]


def test_a_session_never_runs_backwards(tree):
    for file in tree[0].rglob("*.jsonl"):
        stamps = [record["timestamp"] for record in records_of(file) if "uuid" in record]
        assert stamps == sorted(stamps)


def test_two_projects_share_a_folder_as_japanese_names_do(tree):
    folders: dict[str, set[str]] = {}
    for file in tree[0].glob("*/*.jsonl"):
        folders.setdefault(file.parent.name, set()).update(
            record["cwd"] for record in records_of(file) if "cwd" in record
        )
    assert max(map(len, folders.values())) == 2


def test_nine_tenths_of_a_full_tree_are_machinery(tmp_path):
    summary = generate(tmp_path, Spec(sessions=10, exchanges=40, mix=FULL))
    assert summary.conversation_bytes < summary.bytes / 10


def test_short_sessions_hold_questions_and_answers_only(tmp_path):
    summary = generate(tmp_path, Spec(sessions=20, exchanges=60, mix=SHORT))
    assert {kind: count for kind, (count, _) in summary.records.items()} == {
        "user/prompt": 60,
        "assistant/text": 60,
    }
    assert {len(records_of(file)) for file in tmp_path.rglob("*.jsonl")} == {6}


def test_no_session_can_be_empty():
    with pytest.raises(ValueError, match="cannot fill"):
        Spec(sessions=10, exchanges=9)


def test_the_command_prints_its_summary_as_json(tmp_path, capsys):
    main([str(tmp_path), "--sessions", "3", "--exchanges", "6", "--short"])
    printed = json.loads(capsys.readouterr().out)
    assert (printed["files"], printed["exchanges"]) == (3, 6)
