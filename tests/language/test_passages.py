"""Where a long exchange is cut, and what may be relied upon."""

from itertools import pairwise

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from sui_memory.language import PASSAGE_LIMIT, cut
from sui_memory.language.passages import ANSWER_PASSAGES, HUMAN_PASSAGES
from sui_memory.types import Exchange


class Spaced:
    """An analyzer whose terms are the words as they stand."""

    version = "spaced"
    fts_tokenizer = "unicode61"

    def terms(self, text):
        return " ".join(text.split())

    def fold(self, text):
        return text


PIECES = st.sampled_from(
    [
        "短い文。",
        "A sentence. ",
        "\n",
        "\n\n",
        "```\n",
        "~~~~\n",
        "```py\n",
        "    x = 1\n",
        "長い" * 30,
        "word",
        " ",
        "！？",
    ]
)
TEXT = st.lists(PIECES, max_size=60).map("".join)
LIMIT = 60


def exchange(question="", answer="", followups=()):
    return Exchange("key", "print", "session", "project", question, answer, followups)


def slices(turn, **options):
    return [turn.text[passage.start : passage.stop] for passage in cut(turn, Spaced(), **options)]


@given(TEXT, TEXT)
@example("", "")
@example("q" * 200, "")
def test_passages_cover_everything_but_the_space_between_them(question, answer):
    turn = exchange(question, answer)
    passages = cut(turn, Spaced(), limit=LIMIT)
    edges = [0, *(edge for passage in passages for edge in (passage.start, passage.stop)), len(turn.text)]
    gaps = [turn.text[left:right] for left, right in zip(edges[::2], edges[1::2], strict=True)]
    assert all(not gap.strip() for gap in gaps)
    assert edges == sorted(edges)


@given(TEXT, TEXT)
def test_passages_are_numbered_and_of_bounded_size(question, answer):
    passages = cut(exchange(question, answer), Spaced(), limit=LIMIT)
    assert [passage.ordinal for passage in passages] == list(range(len(passages)))
    assert all(0 < passage.stop - passage.start <= LIMIT for passage in passages)


@given(TEXT, TEXT)
def test_a_passage_reaches_over_a_third_of_the_limit_before_the_next_begins(question, answer):
    passages = cut(exchange(question, answer), Spaced(), limit=LIMIT)
    assert all(right.start - left.start >= LIMIT // 3 for left, right in pairwise(passages))


@given(TEXT, TEXT)
def test_each_side_of_a_passage_is_its_part_of_the_slice(question, answer):
    turn = exchange(question, answer)
    for passage in cut(turn, Spaced(), limit=LIMIT):
        assert (passage.question, passage.answer) == turn.sides(passage.start, passage.stop)
        assert passage.question_terms == " ".join(passage.question.split())
        assert passage.answer_terms == " ".join(passage.answer.split())


@given(TEXT, TEXT, TEXT)
def test_a_longer_answer_leaves_all_but_the_last_passages_as_they_were(question, answer, more):
    assume(answer)
    before = cut(exchange(question, answer), Spaced(), limit=LIMIT)
    after = cut(exchange(question, answer + more), Spaced(), limit=LIMIT)
    kept = before[:-1]
    assert after[: len(kept)] == kept


def test_a_short_exchange_is_one_passage():
    (passage,) = cut(exchange("なぜ？", "こうだから。"), Spaced())
    assert (passage.question, passage.answer) == ("なぜ？", "こうだから。")
    assert (passage.start, passage.stop) == (0, len("なぜ？\n\nこうだから。"))


def test_an_empty_exchange_has_no_passages():
    assert cut(exchange(" \n"), Spaced()) == ()


def test_a_short_question_stays_with_the_beginning_of_its_answer():
    first = cut(exchange("なぜ？", "文。" * 600), Spaced())[0]
    assert first.question == "なぜ？"
    assert first.answer.startswith("文。")


def test_a_question_of_some_length_is_a_passage_by_itself():
    assert slices(exchange("q" * 30, "a" * 100), limit=LIMIT)[0] == "q" * 30


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("a" * 25 + "\n\n" + "b" * 20 + "\n" + "c" * 40, "a" * 25),  # a paragraph before a line
        ("a" * 25 + "\n" + "b" * 10 + "。" + "c" * 40, "a" * 25),  # a line before a sentence
        ("a" * 25 + "。」" + "b c" * 20, "a" * 25 + "。」"),  # a sentence, with its bracket, before a word
        ("a" * 25 + " " + "b" * 80, "a" * 25),  # a word before nothing
        ("a" * 60 + "\n" + "b" * 60, "a" * 60),  # a line that fits exactly
        ("a" * 100, "a" * 60),
        (
            "e.g. " + "a" * 25 + ".b" * 40,
            ("e.g. " + "a" * 25 + ".b" * 40)[:60],
        ),  # a dot inside a name is no end
    ],
)
def test_the_best_border_in_reach_is_taken(text, first):
    assert slices(exchange(text), limit=LIMIT)[0] == first


def test_a_code_block_is_not_cut_when_it_fits():
    block = "```py\n" + "x = 1\n\n" * 5 + "```"
    assert block in slices(exchange("q", "文。" * 12 + "\n" + block + "\n" + "文。" * 20), limit=LIMIT)


def test_a_code_block_too_long_is_cut_at_blank_lines():
    block = "```py\n" + ("x = 1\n" * 5 + "\n") * 6 + "```"
    assert all(piece.endswith(("x = 1", "```")) for piece in slices(exchange("", block), limit=LIMIT))


def test_a_fence_left_open_by_the_person_does_not_run_into_the_answer():
    answer = "\n\n".join(["文" * 25] * 4)
    assert (
        slices(exchange("```\n" + "q" * 40, answer), limit=LIMIT)[1:] == ["文" * 25 + "\n\n" + "文" * 25] * 2
    )


def test_of_a_huge_paste_head_and_tail_are_kept_and_the_answer_is_whole():
    log = "".join(f"{number:07d} something happened\n" for number in range(20_000))
    turn = exchange(log + "why?", "Because.")
    passages = cut(turn, Spaced())
    assert len(passages) == sum(HUMAN_PASSAGES)
    assert passages[0].question.startswith("0000000 ")
    assert passages[-1].question.endswith("why?")
    assert passages[-1].answer == "Because."


def test_of_a_huge_answer_head_and_tail_are_kept():
    turn = exchange("q" * PASSAGE_LIMIT, "文。" * PASSAGE_LIMIT * 100)
    passages = cut(turn, Spaced())
    assert len(passages) == 1 + sum(ANSWER_PASSAGES)
    assert passages[-1].stop == len(turn.text)
