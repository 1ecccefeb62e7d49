"""However a file arrives, in pieces or at once, the archive is the same."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sui_memory.archive.digest import Job, Stored, digest
from sui_memory.types import Exchange, Memory, content_hash
from tests.archive.archives import TOOLS, contents, fill
from tests.transcript.script import SAID, Script


def rich() -> bytes:
    """Return a transcript with a rewind, queued prompts, links through machinery, glued and torn lines."""
    script = Script("rich")
    script.user("棚の間隔を調整したい🍣")
    script.say("案は？", id="m0")
    script.write({"type": "progress", "data": {"type": "hook_progress"}})
    fork = script.system("turn_duration", durationMs=3)
    script.user("案A")
    late = script.tool("Bash", {"command": "make"})
    script.queue("enqueue", "急いで")
    script.queue("enqueue", "二つ目も")
    script.write({"type": "progress", "data": {"type": "bash_progress", "output": "…"}})
    script.queue("remove", pause=0)
    script.queue("remove", pause=0)
    script.user("案B", below=fork)
    script.say("Bに", id="m1")
    script.say("Bにしました。", id="m1")
    script.result("done", below=late)
    script.say("Aの遅れた答え")
    script.tool("Edit", {"file_path": "棚.py"})
    script.result(f"{SAID}五十音順で", error=True, toolUseResult="Error")
    script.queue("enqueue", "待ち")
    script.write(
        {"type": "system", "subtype": "compact_boundary", "logicalParentUuid": script.last}, below=None
    )
    script.user("要約 SUMMARY", isCompactSummary=True)
    script.say("続けました。")
    script.queue("dequeue")
    script.turn("待ち", "お待たせしました。")
    lines = list(script.lines)
    lines[1] += lines.pop(2)
    lines[3] = lines[3][: len(lines[3]) // 2] + lines[3]
    return b"\n".join([*lines[:5], b"\xef\xbb\xbf" + lines[5], b"\0\0", *lines[6:]]) + b"\n"


DATA = rich()
BORDERS = st.integers(0, len(DATA))


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> list[Memory]:
    return in_stages(tmp_path_factory.mktemp("once"), len(DATA))


def in_stages(root: Path, *borders: int) -> list[Memory]:
    """Archive a file that grows to each border in turn, then to its end."""
    for border in [*borders, len(DATA)]:
        (root / "s.jsonl").write_bytes(DATA[:border])
        fill(root / "home", root / "s.jsonl")
    return contents(root / "home")


def test_the_sample_has_all_that_it_promises(expected: list[Memory]) -> None:
    assert {(m.exchange.question, m.exchange.followups, m.exchange.answer) for m in expected} == {
        ("棚の間隔を調整したい🍣", (), "案は？"),
        ("案A", ("急いで", "二つ目も", "五十音順で"), "Aの遅れた答え\n\n続けました。"),
        ("案B", (), "Bにしました。"),
        ("待ち", (), "お待たせしました。"),
    }


@given(st.lists(BORDERS, min_size=1, max_size=3).map(sorted))
@settings(max_examples=40, deadline=None)
def test_stages_give_the_same_archive_as_one(expected: list[Memory], borders: list[int]) -> None:
    with TemporaryDirectory() as root:
        found = in_stages(Path(root), *borders)
    assert [m.exchange for m in found] == [m.exchange for m in expected]


@given(st.lists(BORDERS, min_size=1, max_size=3).map(sorted))
@settings(max_examples=200, deadline=None)
def test_stages_give_the_same_digest_as_one(expected: list[Memory], borders: list[int]) -> None:
    with TemporaryDirectory() as root:
        assert digested(Path(root), *borders) == [m.exchange for m in expected]


@pytest.mark.slow
def test_every_border_gives_the_same_digest_as_one(expected: list[Memory], tmp_path: Path) -> None:
    for border in range(len(DATA) + 1):
        assert digested(tmp_path, border) == [m.exchange for m in expected], border


def digested(root: Path, *borders: int) -> list[Exchange]:
    """Digest a file that grows, keeping in memory what a store would."""
    stored: Stored | None = None
    exchanges: dict[str, Exchange] = {}
    path = root / "s.jsonl"
    for border in [*borders, len(DATA)]:
        path.write_bytes(DATA[:border])
        hashes = {key: content_hash(exchange) for key, exchange in exchanges.items()}
        change = digest(Job(str(path), stored, hashes), TOOLS).change
        assert change is not None
        source = change.sources[0]
        kept = stored.segments[: source.keep] if stored else ()
        stored = Stored(source.after, (*kept, *source.segments))
        exchanges |= {upsert.exchange.key: upsert.exchange for upsert in change.upserts}
        exchanges = {key: value for key, value in exchanges.items() if key not in change.deletes}
    return sorted(exchanges.values(), key=lambda exchange: exchange.key)
