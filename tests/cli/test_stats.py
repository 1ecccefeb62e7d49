from __future__ import annotations

from tests.builders import CommandLine


def test_everything_is_counted(archive: CommandLine):
    found = archive("stats", "--json").json
    assert (found["exchanges"], found["sessions"], found["projects"], found["sources"]) == (6, 3, 2, 3)
    marks = ("pinned", "edited", "muted", "forgotten", "injections")
    assert [found[name] for name in marks] == [0] * 5
    assert found["passages"] >= 6
    assert 0 < found["text_bytes"] < found["database_bytes"]
    assert found["raw_bytes"] > 0
    assert found["database"] == str(archive.database)


def test_dates_are_utc(archive: CommandLine):
    found = archive("stats", "--json").json
    assert (found["first_at"], found["last_at"]) == ("2026-03-02T01:00:00Z", "2026-04-02T01:00:00Z")


def test_models_are_listed_with_their_vectors(archive: CommandLine):
    found = archive("stats", "--json").json
    (model,) = found["models"]
    assert model["model_id"].startswith("fake")
    assert model["active"]
    assert (model["vectors"], model["pending"]) == (found["passages"], 0)


def test_projects_are_listed_the_largest_first(archive: CommandLine):
    assert archive("stats", "--json").json["by_project"] == [
        {"project": "/home/mio/src/tidepool", "exchanges": 3},
        {"project": "/home/mio/src/tosho", "exchanges": 3},
    ]


def test_a_person_sees_the_numbers(archive: CommandLine):
    shown = archive("stats").out
    for fact in ("exchanges", "2026-03-02", "fake", "answers searches", "tosho"):
        assert fact in shown


def test_an_empty_archive_counts_to_nothing(empty: CommandLine):
    done = empty("stats", "--json")
    assert (done.json["exchanges"], done.json["first_at"], done.json["models"]) == (0, None, [])
    assert "backfill" in empty("stats").err
