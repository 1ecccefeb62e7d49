"""What was kept on purpose is exported, imported, edited, scrubbed and forgotten like any other memory."""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sui_memory.archive.editing import edit
from sui_memory.archive.exporting import export_lines
from sui_memory.archive.families import EVERYTHING
from sui_memory.archive.family import indexed
from sui_memory.archive.importing import Imported, import_from
from sui_memory.archive.keeping import note_fields, read_note
from sui_memory.archive.rebuilding import rebuild
from sui_memory.archive.scrubbing import Scrubbed, scrub
from sui_memory.context import render
from sui_memory.errors import SuiMemoryError
from sui_memory.recall import Prompt, Ranking, recollect
from sui_memory.store.kept import (
    Category,
    Emotion,
    Episode,
    Link,
    LinkType,
    Medium,
    Note,
    Rest,
    Slept,
)
from sui_memory.types import Exchange, Hit, Memory, Scope
from tests.archive.workbench import TALK, Workbench, workbench
from tests.builders import SECRET
from tests.store.behaviours.keeping import kept

PICTURE = Medium("picture", "image/png", "harbour.png", bytes(range(256)), b"small")
START = datetime(2026, 5, 1, 9, tzinfo=UTC)
PLAIN = Note()


def keep(bench: Workbench, one: Exchange, note: Note = PLAIN, medium: Medium | None = None) -> str:
    """Keep a memory and return its id."""
    bench.app.store.kept.keep(indexed([one], bench.app.tools)[0], note, medium)
    return one.id


def exported(bench: Workbench, scope: Scope = EVERYTHING) -> list[str]:
    return list(export_lines(scope, store=bench.app.store))


def imported(bench: Workbench, lines: list[str], *, revive: bool = False) -> Imported:
    file = BytesIO("".join(f"{line}\n" for line in lines).encode())
    return import_from(file, "e.jsonl", store=bench.app.store, tools=bench.app.tools, revive=revive)


def filled(bench: Workbench) -> list[str]:
    """Keep memories with all that can hang on them beside a conversation, and return their ids."""
    bench.archive(TALK.records())
    ids = [keep(bench, kept(number, f"思い出 {number} of the pier")) for number in range(4)]
    note = Note(Emotion.MOVED, 5, Category.FEELING, ("港",), 3, START, (ids[0], ids[1]), 12.5, -3.0)
    ids.append(keep(bench, kept(9, "both piers"), note, PICTURE))
    archived = bench.find("buoy").id
    bench.app.store.kept.link([Link(ids[0], archived, LinkType.CAUSED_BY, "why", 0.75, START)])
    bench.app.store.kept.create_episode(Episode("a day", "at sea", (archived, ids[0]), ("ミオ",), START))
    bench.app.store.kept.sleep(Slept(forgotten=(ids[3],)))
    bench.app.store.pin(ids[0], pinned=True)
    return ids


def test_what_was_kept_comes_back_with_all_that_hangs_on_it(bench: Workbench, tmp_path: Path) -> None:
    ids = filled(bench)
    lines = exported(bench)
    assert json.loads(lines[0])["sui-memory-export"] == 2
    assert [next(iter(json.loads(line))) for line in lines[-2:]] == ["link", "episode"]
    with workbench(tmp_path / "other") as other:
        assert imported(other, lines) == Imported(read=8, new=8, links=1, episodes=1)
        assert exported(other) == lines
        assert imported(other, lines) == Imported(read=8, existing=8)
        assert exported(other) == lines
        ours, theirs = bench.app.store.kept, other.app.store.kept
        assert theirs.notes(ids) == ours.notes(ids)
        assert theirs.medium(ids[4]) == PICTURE
        assert theirs.notes(ids)[ids[3]].rest is Rest.FORGOTTEN
        assert other.app.store.check() == []


NOTES = st.builds(
    Note,
    emotion=st.sampled_from(Emotion),
    importance=st.integers(1, 5),
    category=st.sampled_from(Category),
    tags=st.lists(st.sampled_from(["港", "pier", "two words"]), max_size=3).map(tuple),
    accessed=st.integers(0, 10**6),
    accessed_at=st.none() | st.datetimes(datetime(1971, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC)),
    pan_angle=st.none() | st.floats(-360, 360),
    tilt_angle=st.none() | st.floats(-360, 360),
    rest=st.none() | st.sampled_from(Rest),
)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(NOTES, max_size=5))
def test_any_note_comes_back_as_it_was(notes: list[Note]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        with workbench(Path(folder) / "one") as one:
            ids = [keep(one, kept(number), note) for number, note in enumerate(notes)]
            lines = exported(one)
        with workbench(Path(folder) / "two") as two:
            assert imported(two, lines).new == len(notes)
            assert two.app.store.kept.notes(ids) == dict(zip(ids, notes, strict=True))
            assert exported(two) == lines


@given(NOTES)
def test_a_note_survives_json(note: Note) -> None:
    assert read_note(json.loads(json.dumps(note_fields(note)))) == note


def test_a_summary_finds_sources_that_come_after_it(bench: Workbench, tmp_path: Path) -> None:
    later = keep(bench, kept(5))
    summary = keep(bench, kept(1), Note(sources=(later,)))
    with workbench(tmp_path / "other") as other:
        imported(other, exported(bench))
        assert other.app.store.kept.notes([summary])[summary].sources == (later,)


def test_an_export_of_a_part_has_no_tie_that_leads_out_of_it(bench: Workbench) -> None:
    filled(bench)
    lines = exported(bench, replace(EVERYTHING, session="kept"))
    assert len(lines) == 6
    assert all("note" in json.loads(line) for line in lines[1:])


def test_an_archive_without_anything_kept_is_for_older_versions_too(bench: Workbench) -> None:
    bench.archive(TALK.records())
    assert json.loads(exported(bench)[0])["sui-memory-export"] == 1


def test_a_forgotten_note_stays_so_unless_it_is_revived(bench: Workbench) -> None:
    ids = filled(bench)
    lines = exported(bench)
    bench.forget(*bench.app.store.get([ids[0], ids[4]]))
    assert imported(bench, lines) == Imported(read=8, existing=6, forgotten=2)
    (episode,) = bench.app.store.kept.episodes()
    assert episode.summary == ""
    assert imported(bench, lines, revive=True) == Imported(read=8, new=2, existing=6, links=1)
    assert bench.app.store.kept.medium(ids[4]) == PICTURE


def test_an_episode_without_one_of_its_memories_comes_without_its_summary(
    bench: Workbench, tmp_path: Path
) -> None:
    filled(bench)
    lines = exported(bench)
    buoy = next(line for line in lines if "buoy" in line)
    with workbench(tmp_path / "other") as other:
        assert imported(other, [line for line in lines if line != buoy]).episodes == 1
        (episode,) = other.app.store.kept.episodes()
        assert (episode.title, episode.summary, len(episode.memory_ids)) == ("a day", "", 1)


def _line(name: str, **changes: Any) -> str:
    exchange = json.loads('{"key":"k","fingerprint":"f","session":"s","project":"p","question":"q"}')
    medium = {"kind": "audio", "mime": "audio/wav", "name": "a.wav", "data": "AAAA"}
    whole = {
        "note": {**exchange, "note": {**note_fields(Note()), **changes}},
        "medium": {**exchange, "note": {}, "medium": {**medium, **changes}},
        "link": {"link": {"source": "a", "target": "b", "type": "related", **changes}},
        "episode": {"episode": {"id": "e", "title": "t", "memories": ["a"], **changes}},
    }
    return json.dumps(whole[name])


BROKEN = {
    "emotion": (_line("note", emotion="bored"), "'emotion' is none of happy"),
    "importance": (_line("note", importance=9), "'importance' is no whole number from 1 to 5"),
    "truth": (_line("note", importance=True), "'importance' is no whole number from 1 to 5"),
    "category": (_line("note", category=1), "'category' is none of daily"),
    "tags": (_line("note", tags="x"), "'tags' is no list"),
    "angle": (_line("note", pan_angle="left"), "'pan_angle' is no number"),
    "rest": (_line("note", rest="lost"), "'rest' is none of merged"),
    "no note": (
        '{"key":"k","fingerprint":"f","session":"s","project":"p","question":"q","note":1}',
        "no object",
    ),
    "kind": (_line("medium", kind="film"), "'kind' is none of picture, audio"),
    "data": (_line("medium", data="*"), "'data' is no Base64"),
    "type": (_line("link", type="likes"), "'type' is none of similar"),
    "strength": (_line("link", strength=1.5), "'strength' is not above 0"),
    "infinite": (_line("link", strength=float("inf")), "not a whole line|'strength' is no number"),
    "memories": (_line("episode", memories=None), "'memories' is no list"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_line_is_refused_with_the_whole_export(bench: Workbench, case: str) -> None:
    line, message = BROKEN[case]
    good = _line("note")
    with pytest.raises(SuiMemoryError, match=f"line 3: .*({message})"):
        imported(bench, ['{"sui-memory-export":2}', good, line])
    assert bench.all() == []


def test_secrets_are_masked_on_the_way_in(bench: Workbench) -> None:
    lines = [
        '{"sui-memory-export":2}',
        _line("note", tags=[f"key {SECRET}"]),
        _line("link", source=Exchange("k", "f", "s", "p", "q").id, target="b", note=f"key {SECRET}"),
    ]
    assert imported(bench, lines).values == 2
    assert bench.traces(SECRET) == []


def test_scrubbing_reaches_notes_and_what_hangs_on_them(bench: Workbench) -> None:
    bench.archive(TALK.records())
    secret = f"the key is {SECRET}"
    one = keep(bench, kept(1, secret), Note(tags=(secret,), importance=5), replace(PICTURE, name=secret))
    other = keep(bench, kept(2, secret), Note(rest=Rest.MERGED))
    bench.app.store.kept.link([Link(one, other, LinkType.FOLLOWS, secret)])
    bench.app.store.kept.create_episode(Episode(secret, secret, (one,), (secret,)))
    found = scrub(store=bench.app.store, tools=bench.app.tools)
    assert found == Scrubbed(values=8, exchanges=2)
    assert bench.traces(SECRET) == []
    assert bench.app.store.kept.notes([one, other])[one].importance == 5
    assert bench.app.store.kept.notes([other])[other].rest is Rest.MERGED
    assert scrub(store=bench.app.store, tools=bench.app.tools) == Scrubbed()


def test_editing_keeps_the_note_and_leaves_no_byte_of_the_old_words(bench: Workbench) -> None:
    one = keep(bench, kept(1, "the word is zyxquark"), Note(importance=5), PICTURE)
    (memory,) = bench.app.store.get([one])
    edit(
        memory.exchange,
        question="it was changed",
        followups=(),
        answer="",
        store=bench.app.store,
        tools=bench.app.tools,
    )
    assert bench.traces("zyxquark") == []
    assert bench.app.store.kept.notes([one])[one].importance == 5
    assert bench.app.store.kept.medium(one) == PICTURE


def test_a_rebuild_leaves_what_was_kept_as_it_is(bench: Workbench) -> None:
    filled(bench)
    before = exported(bench)
    rebuild(store=bench.app.store, tools=bench.app.tools)
    bench.sync()
    assert exported(bench) == before


def test_forgetting_the_only_note_leaves_the_conversation_it_was_kept_in(bench: Workbench) -> None:
    bench.archive(TALK.records())
    session = bench.all()[0].exchange.session
    one = keep(bench, kept(1, "only this", session=session))
    raw = [bench.app.store.segments(path) for path in bench.app.store.sources()]
    bench.forget(*bench.app.store.get([one]))
    assert [bench.app.store.segments(path) for path in bench.app.store.sources()] == raw
    assert len(bench.all()) == 3


def test_a_note_does_not_keep_the_raw_words_of_a_conversation_that_was_forgotten(bench: Workbench) -> None:
    bench.archive(TALK.records())
    one = keep(bench, kept(1, "only this", session=bench.all()[0].exchange.session))
    bench.forget(*(memory for memory in bench.all() if memory.id != one))
    assert bench.traces() == []
    assert [memory.id for memory in bench.all()] == [one]


def test_what_is_at_rest_can_be_shown_and_forgotten(bench: Workbench) -> None:
    one = keep(bench, kept(1, "zyxquark sleeps"), Note(rest=Rest.FORGOTTEN))
    assert bench.find("zyxquark") == Memory(kept(1, "zyxquark sleeps"))
    assert bench.forget(bench.find("zyxquark")) == 1
    assert bench.traces("zyxquark") == []
    assert bench.app.store.get([one]) == []


def test_a_note_comes_to_mind_by_its_words_and_says_that_it_is_one(bench: Workbench) -> None:
    bench.archive(TALK.records())
    one = keep(bench, kept(1, "港の倉庫の合言葉は月曜に変わる。Ask Rin for the ferry timetable."))
    prompt = Prompt("who has the ferry timetable?", "another", START)

    def recalled() -> tuple[Hit, ...]:
        found = recollect(
            prompt, store=bench.app.store, analyzer=bench.app.analyzer, embed=None, ranking=Ranking()
        )
        return found.hits

    assert [hit.memory.id for hit in recalled()] == [one]
    assert f" · note · {one} · 港の倉庫の合言葉" in render(recalled(), ["ferry"])
    bench.app.store.kept.sleep(Slept(forgotten=(one,)))
    assert recalled() == ()
