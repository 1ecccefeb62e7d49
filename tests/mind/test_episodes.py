from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sui_memory.errors import NotFoundError, UsageError
from sui_memory.mind.episodes import SUMMARY, first_sentence


def test_an_episode_holds_its_memories_once_each_in_order_of_time(world):
    mind = world.mind
    first, second = mind.remember("海に着いた。風が強い。").id, mind.remember("We saw a seal. It slept.").id
    episode = mind.create_episode("海の日", [second, first, second[:8]], ["ミオ", "ミオ", "Sam"])
    assert (episode.title, episode.participants) == ("海の日", ("ミオ", "Sam"))
    assert episode.memory_ids == (first, second)
    assert [memory.id for memory in mind.episode_memories(episode.id)] == [first, second]
    assert mind.episode(episode.id) == episode


def test_a_summary_is_the_dated_first_sentence_of_each_memory_in_order_of_time(world):
    mind = world.mind
    first = mind.remember("海に着いた。風が強い。").id
    world.pass_time(days=1)
    second = mind.remember("We saw a seal. It slept.").id
    summary = mind.create_episode("coast", [second, first]).summary
    days = [f"{mind.get(name).exchange.asked_at.astimezone():%Y-%m-%d}" for name in (first, second)]
    assert summary == f"{days[0]}: 海に着いた。\n{days[1]}: We saw a seal."
    assert mind.create_episode("coast", [first], auto_summarize=False).summary == ""


def test_the_weightiest_memories_are_summed_up_when_there_is_no_room_for_all(world):
    mind = world.mind
    dull = [mind.remember(f"dull {n} " + "x" * 150, importance=1).id for n in range(10)]
    weighty = mind.remember("The weighty one.", importance=5).id
    central = mind.remember("The central one.", importance=1).id
    mind.link(central, weighty, "related")
    summary = mind.create_episode("much", [*dull, weighty, central]).summary
    assert len(summary) <= SUMMARY
    assert "The weighty one." in summary
    assert "The central one." in summary
    assert summary.count("dull") < 10


def test_the_words_of_an_episode_are_redacted(mind):
    kept = mind.remember("x")
    episode = mind.create_episode("password=hunter2secret", [kept.id], ["password=hunter2secret"])
    assert "hunter2secret" not in episode.title + episode.participants[0]


@given(st.text(max_size=400))
def test_a_first_sentence_is_one_short_line_that_begins_the_text(text):
    sentence = first_sentence(text)
    assert len(sentence) <= 120
    assert "\n" not in sentence
    assert " ".join(text.split()).startswith(sentence.rstrip("…"))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("海に着いた。風が強い。", "海に着いた。"),
        ("See v1.2 now. Then go.", "See v1.2 now."),
        ("# heading\nbody", "# heading"),
        ("no end", "no end"),
        ("", ""),
        ("本当？はい", "本当？"),
    ],
)
def test_a_sentence_ends_where_a_reader_would_say(text, sentence):
    assert first_sentence(text) == sentence


def test_episodes_are_found_by_their_words_and_by_their_memories(world):
    mind = world.mind
    seal = mind.remember("We saw a grey seal at the harbour").id
    tea = mind.remember("お茶会で和菓子を食べた").id
    coast = mind.create_episode("A day at the coast", [seal], ["Mio"], auto_summarize=False)
    party = mind.create_episode("茶会の思い出", [tea], auto_summarize=False)
    assert [episode.id for episode in mind.search_episodes("coast")] == [coast.id]
    assert mind.search_episodes("grey seal")[0].id == coast.id
    assert mind.search_episodes("和菓子")[0].id == party.id
    assert mind.search_episodes("茶会の思い出")[0].id == party.id
    assert mind.search_episodes("Mio")[0].id == coast.id
    assert mind.search_episodes("quantum chromodynamics") == []
    assert len(mind.search_episodes("茶会 coast", 1)) == 1


@pytest.mark.parametrize(
    "given",
    [
        {"title": ""},
        {"title": "x" * 201},
        {"memory_ids": []},
        {"memory_ids": "abc"},
        {"participants": "Mio"},
        {"participants": [""]},
        {"participants": ["x"] * 51},
    ],
)
def test_an_episode_of_no_sense_is_refused(mind, given):
    kept = mind.remember("x")
    with pytest.raises(UsageError):
        mind.create_episode(**{"title": "t", "memory_ids": [kept.id], **given})
    assert mind.stats()["episodes"] == 0


def test_an_unknown_memory_or_episode_is_not_found(mind):
    kept = mind.remember("x")
    with pytest.raises(NotFoundError):
        mind.create_episode("t", [kept.id, "nothing"])
    for name in ("nothing", "", "\ud800"):
        with pytest.raises(NotFoundError, match="No episode has the id"):
            mind.episode_memories(name)
