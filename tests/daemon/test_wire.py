from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from sui_memory.app import open_app
from sui_memory.config import Settings
from sui_memory.daemon.wire import found_from_json, found_to_json, scope_from_json, scope_to_json
from sui_memory.searching import Found
from sui_memory.types import Branch, Exchange, Hit, Memory, Role, Scope, Status

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
MOMENTS = st.none() | st.datetimes(timezones=st.just(UTC))
EXCHANGES = st.builds(
    Exchange,
    key=TEXTS,
    fingerprint=TEXTS,
    session=TEXTS,
    project=TEXTS,
    question=TEXTS,
    followups=st.lists(TEXTS, max_size=2).map(tuple),
    status=st.sampled_from(Status),
    branch=st.sampled_from(Branch),
    cwd=st.none() | TEXTS,
    asked_at=MOMENTS,
    uuids=st.lists(TEXTS, max_size=2).map(tuple),
)
HITS = st.builds(
    Hit,
    memory=st.builds(Memory, exchange=EXCHANGES),
    score=st.floats(0, 1),
    passage=st.tuples(st.integers(0, 9), st.integers(0, 9)),
    trace=st.lists(st.tuples(TEXTS, st.floats(0, 1)), max_size=3).map(tuple),
)
SCOPES = st.builds(
    Scope,
    project=st.none() | TEXTS,
    since=MOMENTS,
    role=st.none() | st.sampled_from(Role),
    exclude=st.frozensets(TEXTS, max_size=3),
)


@given(st.lists(HITS, max_size=2), st.none() | TEXTS)
def test_what_was_found_arrives_unchanged(hits, model):
    found = Found(hits, 1.5, model)

    assert found_from_json(json.loads(json.dumps(found_to_json(found)))) == found


@given(SCOPES)
def test_a_scope_arrives_unchanged(scope):
    assert scope_from_json(json.loads(json.dumps(scope_to_json(scope)))) == scope


def test_fields_of_a_newer_version_are_ignored():
    assert scope_from_json({"project": "/code/app", "colour": "red"}) == Scope(project="/code/app")


def test_a_real_search_arrives_unchanged(archive):
    with open_app(Settings(Path(archive.home), model="none")) as app:
        found = app.search("返却期限", Scope(until=datetime(2030, 1, 1, tzinfo=UTC)))

    assert found.hits
    assert found_from_json(json.loads(json.dumps(found_to_json(found)))) == found
