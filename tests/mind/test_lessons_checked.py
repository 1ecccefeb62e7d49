"""What makes no sense in a lesson is refused in a sentence, and secrets in one are masked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sui_memory.errors import NotFoundError, UsageError
from sui_memory.mind.lessons import add_lesson, checked, edit_lesson, find_lesson, list_lessons
from sui_memory.mind.patterns import check_pattern, found, literal
from sui_memory.redaction import redact
from sui_memory.store import open_store
from sui_memory.store.lessons import Lesson, Lessons
from tests.store.samples import PlainAnalyzer

PUSH = Lesson("check that README exists", ("git push",))


@pytest.fixture
def lessons(tmp_path: Path) -> Iterator[Lessons]:
    store = open_store(tmp_path / "memory.db", analyzer=PlainAnalyzer())
    yield store.lessons
    store.close()


@pytest.mark.parametrize(
    ("lesson", "sentence"),
    [
        (replace(PUSH, action="  \n"), "An action needs words"),
        (replace(PUSH, action="x" * 301), "at most 300 characters; this one has 301"),
        (replace(PUSH, keywords=()), "needs a trigger"),
        (replace(PUSH, keywords=("git push", " ")), "A trigger needs a word"),
        (replace(PUSH, keywords=("…",)), "A trigger needs a word"),
        (replace(PUSH, keywords=("の",)), "in nearly every text"),
        (replace(PUSH, keywords=("a",)), "in nearly every text"),
        (replace(PUSH, keywords=("x" * 101,)), "at most 100 characters"),
        (replace(PUSH, keywords=tuple(f"word{n}" for n in range(21))), "at most 20 keywords"),
        (replace(PUSH, priority=9), "from 1 to 5, not 9"),
        (replace(PUSH, priority=0), "from 1 to 5, not 0"),
        (replace(PUSH, tool="Bash|Write"), "no name of a tool"),
        (replace(PUSH, tool=""), "no name of a tool"),
        (replace(PUSH, project=""), "path of a folder"),
        (replace(PUSH, project="password=hunter2-Xk9"), "looks like a secret"),
        (replace(PUSH, project="/tmp/\udcff"), "no text in UTF-8"),
        (replace(PUSH, pattern="a\udcff"), "no text in UTF-8"),
        (replace(PUSH, keywords=("password: hunter2hunter2",)), "masked it never comes up"),
        (replace(PUSH, pattern="(a"), "no regular expression"),
        (replace(PUSH, pattern="a*"), "would fire always"),
        (replace(PUSH, pattern="x" * 501), "at most 500 characters"),
        (replace(PUSH, pattern="password=hunter2-Xk9"), "looks like a secret"),
    ],
)
def test_what_makes_no_sense_is_refused(lessons: Lessons, lesson: Lesson, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        add_lesson(lessons, lesson, redact=redact)
    assert lessons.lessons() == []


def test_a_kanji_alone_is_a_word() -> None:
    assert checked(replace(PUSH, keywords=("鍵",)), redact).keywords == ("鍵",)


@pytest.mark.parametrize("pattern", ["(a+)+$", "(?:a|b*)*c", r"(\w+\s?)*!", "((ab)*c)+", "(x{2,})+"])
def test_a_repetition_of_repetitions_is_refused(pattern: str) -> None:
    with pytest.raises(UsageError, match=r"repeats something that repeats|takes longer"):
        check_pattern(pattern)


@pytest.mark.parametrize(
    "pattern", ["(a{1,60000}){1,60000}", "((a{50}){50}b){50}", "(a{1,60000})+", "(x+){,200}"]
)
def test_repetitions_within_each_other_that_multiply_beyond_measure_are_refused(pattern: str) -> None:
    with pytest.raises(UsageError, match="repeats something that repeats"):
        check_pattern(pattern)


@pytest.mark.parametrize("pattern", [r"(a|aa)+$", r"(?:あ|ああ)+$", r"(?s)(.*?,){25}P"])
def test_a_pattern_that_takes_too_long_on_some_text_is_refused(pattern: str) -> None:
    with pytest.raises(UsageError, match="takes longer than 50 ms"):
        check_pattern(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        r"git\s+push",
        r"(?:rm|mv)\s+-[rf]+",
        r"[(+]{2}",
        r"\(a+\)+",
        r"型.{0,20}any\b",
        "(ab)?c+",
        r"(\w+\s){0,5}!",
        r"(\d{1,3}\.){3}\d{1,3}",
    ],
)
def test_an_ordinary_pattern_is_taken(pattern: str) -> None:
    check_pattern(pattern)


def test_a_pattern_that_never_ends_is_cut_off() -> None:
    assert not found("(a+)+$", "a" * 5_000 + "!")


def test_a_pattern_that_is_broken_in_the_store_fires_never() -> None:
    assert not found("(a", "(a")


def test_secrets_are_masked_before_they_are_stored(lessons: Lessons) -> None:
    stored = add_lesson(lessons, Lesson("use password=hunter2-Xk9 there", ("token",)), redact=redact)
    assert "hunter2" not in stored.action


def test_a_lesson_that_says_what_another_does_is_refused(lessons: Lessons) -> None:
    first = add_lesson(lessons, PUSH, redact=redact)
    for again in (PUSH, replace(PUSH, keywords=("GIT  Push",)), replace(PUSH, priority=5)):
        with pytest.raises(UsageError, match="Lesson 1 says that already, with the priority 3"):
            add_lesson(lessons, again, redact=redact)
    other = add_lesson(lessons, replace(PUSH, tool="Bash"), redact=redact)
    with pytest.raises(UsageError, match="Lesson 1 says that"):
        edit_lesson(lessons, replace(other, tool=None), redact=redact)
    assert lessons.lessons() == [first, other]


def test_an_action_is_kept_on_one_line_and_keywords_once(lessons: Lessons) -> None:
    stored = add_lesson(
        lessons, Lesson(" look\n twice ", ("deploy", " deploy ", "DEPLOY", "ｄｅｐｌｏｙ")), redact=redact
    )
    assert (stored.action, stored.keywords) == ("look twice", ("deploy",))


def test_a_lesson_is_changed_and_found_by_its_number(lessons: Lessons) -> None:
    stored = add_lesson(lessons, PUSH, redact=redact)
    edit_lesson(lessons, replace(stored, priority=5), redact=redact)
    assert find_lesson(lessons, stored.id).priority == 5
    with pytest.raises(NotFoundError, match="no lesson 9"):
        find_lesson(lessons, 9)


def test_lessons_are_listed_by_project(lessons: Lessons) -> None:
    everywhere = add_lesson(lessons, PUSH, redact=redact)
    here = add_lesson(lessons, replace(PUSH, project="/code/app"), redact=redact)
    assert list_lessons(lessons) == list_lessons(lessons, "/code/app/web") == [everywhere, here]
    assert list_lessons(lessons, "/code/other") == [everywhere]


@pytest.mark.parametrize(
    ("pattern", "needed"),
    [
        (r"git\s+push", "push"),
        (r"\bTODO\b.{0,40}(?:消|remove)", "todo"),
        (r"(?:rm|mv) -rf", " -rf"),
        (r"colou?r", "colo"),
        (r"go+al", "go"),
        (r"a|b", ""),
        (r"(a|b)cd", "cd"),
        (r"x{2}yz", "yz"),
        (r"ver\.2", "ver.2"),
        (r"[ab]c*d", "d"),
        (r"(?i:abc)def", ""),
        (r"\x41bc", ""),
        (r"\p{Han}abc", ""),
    ],
)
def test_what_a_pattern_cannot_do_without_is_known(pattern: str, needed: str) -> None:
    assert literal(pattern) == needed


@given(st.from_regex(r"[abc(.?*+|)\[\]{}12,\\ ]{1,12}", fullmatch=True), st.text("abc12 ()", max_size=20))
def test_no_text_that_a_pattern_is_in_lacks_what_it_needs(pattern: str, text: str) -> None:
    if found(pattern, text):
        assert literal(pattern) in text
