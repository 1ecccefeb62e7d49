"""A daemon whose settings name a reranker searches with it, and answers prompts without."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builders import LIBRARY, write_session
from tests.daemon.workbench import Daemon, until

PROMPT = "返却期限は会議で何日と決めたんだっけ？"


def started(place: Daemon, reranker: str) -> Daemon:
    """Start a daemon that names a reranker, and have it archive a session."""
    place.home.mkdir(mode=0o700, exist_ok=True)
    (place.home / "config.toml").write_text(f"reranker = '{reranker}'\n")
    write_session(place.cli.config, LIBRARY)
    place.start()
    until(lambda: bool(place.archived()), "the archive of the session")
    return place


def traces(daemon: Daemon) -> list[dict[str, float]]:
    found = daemon.cli("search", "書庫の鍵と返却期限", "--json", "--explain").json
    return [dict(hit["trace"]) for hit in found["hits"]]


def test_searches_do_without_a_reranker_that_is_not_here(place: Daemon):
    daemon = started(place, "someone/was-never-downloaded")
    assert traces(daemon)
    assert all("reranker" not in trace for trace in traces(daemon))
    assert daemon.prompt(daemon.transcript("later"), PROMPT)


@pytest.mark.ruri
def test_a_search_is_read_again_and_a_prompt_is_not(place: Daemon, tmp_path: Path):
    pytest.importorskip("sentence_transformers", exc_type=ImportError)
    from tests.embedding import tiny_reranker, tiny_ruri

    folder = tiny_reranker.build(tmp_path / "tiny-reranker", tiny_ruri.build(tmp_path / "tiny-ruri"))
    daemon = started(place, str(folder))
    assert all("reranker" in trace for trace in traces(daemon))
    assert daemon.prompt(daemon.transcript("later"), PROMPT)
    shown = daemon.cli("log", "--json").json["injections"][0]["memories"]
    assert all("reranker" not in dict(memory["trace"]) for memory in shown)
