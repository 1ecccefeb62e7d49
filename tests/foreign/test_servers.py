"""Databases of memory servers: what they know of a memory comes along, and they are left as they are."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import apsw
import pytest

from sui_memory.app import App, open_app
from sui_memory.config import Settings
from sui_memory.store.kept import Category, Emotion, LinkType, Note
from tests.foreign.elsewhere import notes, take_in, texts, write_chroma, write_table

ROW = {
    "id": "m-1",
    "document": "夕焼けの港を見た。",
    "emotion": "moved",
    "importance": 4,
    "category": "observation",
    "timestamp": "2026-01-02T03:04:05+00:00",
    "access_count": 7,
    "last_accessed": "2026-02-02T00:00:00+00:00",
    "tags": "港, 空",
    "camera_position": '{"pan_angle": 60, "tilt_angle": -30.5}',
}
KNOWN = Note(
    emotion=Emotion.MOVED,
    importance=4,
    category=Category.OBSERVATION,
    tags=("港", "空"),
    accessed=7,
    accessed_at=datetime(2026, 2, 2, tzinfo=UTC),
    pan_angle=60.0,
    tilt_angle=-30.5,
)
TABLE = """create table memories (
    id text primary key, content text, timestamp text, emotion text, importance integer, category text,
    access_count integer, last_accessed text, tags text, camera_position text, pan_angle real, tilt_angle real
)"""


def test_a_chroma_collection_comes_with_its_metadata(app: App, tmp_path: Path) -> None:
    path = write_chroma(tmp_path / "chroma.sqlite3", [ROW], episodes=[EPISODE])
    before = path.read_bytes()
    assert take_in(app, path).new == 1
    (one,) = notes(app)
    assert (one.note, one.memory.exchange.question) == (KNOWN, "夕焼けの港を見た。")
    assert one.memory.exchange.asked_at == datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    assert path.read_bytes() == before


LINKS = (
    '[{"target_id": "m-2", "link_type": "caused_by", "note": "password=hunter2-q"},'
    ' {"target_id": "m-2", "link_type": "similar"}, {"target_id": "m-9", "link_type": "related"}, 3]'
)
EPISODE = {
    "id": "e-1",
    "document": "港の一日",
    "title": "港",
    "memory_ids": "m-1,m-2,m-9",
    "participants": "凪",
    "start_time": "2026-01-02T00:00:00+00:00",
}


def test_links_and_episodes_come_along_once(app: App, tmp_path: Path) -> None:
    rows = [{**ROW, "links": LINKS}, {"id": "m-2", "document": "風が止んだ。"}]
    path = write_chroma(tmp_path / "chroma.sqlite3", rows, episodes=[EPISODE])
    told = take_in(app, path)
    assert (told.new, told.links, told.episodes) == (2, 1, 1)
    one, other = notes(app)
    (link,) = app.store.kept.links([one.id])
    assert (link.source_id, link.target_id, link.type) == (one.id, other.id, LinkType.CAUSED_BY)
    assert "hunter2" not in link.note
    (episode,) = app.store.kept.episodes()
    assert (episode.title, episode.summary, episode.participants) == ("港", "港の一日", ("凪",))
    assert set(episode.memory_ids) == {one.id, other.id}
    again = take_in(app, path)
    assert (again.new, again.links, again.episodes) == (0, 0, 0)


def test_links_and_episodes_come_from_tables_too(app: App, tmp_path: Path) -> None:
    path = write_table(
        tmp_path / "memory.db",
        "create table memories (id text primary key, content text)",
        [("m-1", "凪。"), ("m-2", "霧。")],
    )
    database = apsw.Connection(str(path))
    database.execute("""
        create table memory_links (source_id, target_id, link_type, note, created_at);
        insert into memory_links values ('m-2', 'm-1', 'leads_to', null, 'x');
        create table episodes (id, title, summary, memory_ids, participants, start_time);
        insert into episodes values ('e', '', '霧の朝', 'm-1,m-2', '', ''), ('f', 'empty', '', '', '', '');
    """)
    database.close()
    told = take_in(app, path)
    assert (told.new, told.links, told.episodes) == (2, 1, 1)
    assert [episode.title for episode in app.store.kept.episodes()] == ["霧の朝"]


def test_what_comes_in_the_place_of_another_keeps_its_links(app: App, tmp_path: Path) -> None:
    rows = [{**ROW, "links": LINKS}, {"id": "m-2", "document": "風が止んだ。"}]
    take_in(app, write_chroma(tmp_path / "a.sqlite3", rows))
    changed = [{**ROW, "document": "朝焼けの港を見た。"}, rows[1]]
    told = take_in(app, write_chroma(tmp_path / "b.sqlite3", changed))
    assert (told.changed, told.links) == (1, 0)
    (link,) = app.store.kept.links([notes(app)[0].id])
    assert {link.source_id, link.target_id} == {one.id for one in notes(app)}


def test_a_table_of_memories_comes_with_its_columns(app: App, tmp_path: Path) -> None:
    order = ("document", "timestamp", "emotion", "importance", "category", "access_count", "last_accessed")
    values = ("m-1", *(ROW[name] for name in order), ROW["tags"], None, 60, -30.5)
    take_in(app, write_table(tmp_path / "memory.db", TABLE, [values]))
    (one,) = notes(app)
    assert one.note == KNOWN


def test_a_folder_with_a_chroma_file_is_enough(app: App, tmp_path: Path) -> None:
    (tmp_path / "chroma").mkdir()
    write_chroma(tmp_path / "chroma" / "chroma.sqlite3", [ROW])
    assert take_in(app, tmp_path / "chroma").new == 1
    assert take_in(app, tmp_path / "chroma").existing == 1


def test_what_a_server_changed_replaces_the_old(app: App, tmp_path: Path) -> None:
    take_in(app, write_chroma(tmp_path / "a.sqlite3", [ROW]))
    changed = {**ROW, "document": "朝焼けの港を見た。"}
    assert take_in(app, write_chroma(tmp_path / "b.sqlite3", [changed])).changed == 1
    assert texts(app) == ["朝焼けの港を見た。"]


ODD = {
    "importance": (9, "importance", 5),
    "no importance": ("x", "importance", 3),
    "emotion": ("furious", "emotion", Emotion.NEUTRAL),
    "category": ("core", "category", Category.MEMORY),
    "access_count": (-3, "accessed", 0),
    "camera_position": ("{", "pan_angle", None),
    "last_accessed": ("yesterday", "accessed_at", None),
}


@pytest.mark.parametrize("name", ODD)
def test_values_that_we_do_not_know_fall_back(app: App, tmp_path: Path, name: str) -> None:
    value, field, kept = ODD[name]
    take_in(app, write_chroma(tmp_path / "a.sqlite3", [{**ROW, name.removeprefix("no "): value}]))
    assert getattr(notes(app)[0].note, field) == kept


def test_empty_documents_are_no_memories(app: App, tmp_path: Path) -> None:
    rows = [{"id": "1", "document": " "}, {"id": "2", "emotion": "sad"}, {"id": "3", "document": "凪。"}]
    take_in(app, write_chroma(tmp_path / "a.sqlite3", rows))
    assert texts(app) == ["凪。"]


@pytest.mark.parametrize("create", ["create table things (id)", "create table memories (text)"])
def test_another_database_is_one_sentence(app: App, tmp_path: Path, create: str) -> None:
    (problem,) = take_in(app, write_table(tmp_path / "x.db", create, [])).problems
    assert "holds neither a Chroma collection nor a table `memories`" in problem


def test_our_own_archive_has_another_door(app: App, tmp_path: Path) -> None:
    with open_app(Settings(home=tmp_path / "other", model="none")):
        pass
    (problem,) = take_in(app, tmp_path / "other" / "memory.db").problems
    assert "sui-memory export" in problem


def test_a_broken_database_is_one_sentence(app: App, tmp_path: Path) -> None:
    path = write_chroma(tmp_path / "a.sqlite3", [ROW])
    path.write_bytes(path.read_bytes()[:100] + b"\xff" * 5000)
    (problem,) = take_in(app, path).problems
    assert "cannot be read as a database" in problem
