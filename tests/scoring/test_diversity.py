"""Three memories are three different things."""

from hypothesis import given
from hypothesis import strategies as st

from sui_memory.scoring import distinct
from sui_memory.types import Exchange, Hit, Memory

ASKED = "図書館の貸出データはどこに置くことにした？"


def hit(question: str, answer: str = "", key: str = "") -> Hit:
    exchange = Exchange(key or question + answer, "f", "s", "/p", question, answer)
    return Hit(Memory(exchange), 1.0, (0, 0))


def kept(*hits: Hit, limit: int = 3) -> list[str]:
    return [one.memory.exchange.key for one in distinct(hits, limit)]


def test_a_copy_in_a_fork_is_left_out():
    assert kept(hit(ASKED, "SQLite です。", "a"), hit(ASKED, "SQLite です。", "b")) == ["a"]


def test_a_question_asked_again_is_left_out_whatever_was_answered():
    assert kept(hit(ASKED, "SQLite です。", "new"), hit(ASKED + "？", "まだ決めていません。", "old")) == [
        "new"
    ]


def test_short_questions_about_different_things_are_kept():
    first = hit("続けて", "貸出の画面に検索欄を付けました。", "a")
    assert kept(first, hit("続けて", "署名の鍵を九十日ごとに替えます。", "b")) == ["a", "b"]


def test_two_questions_about_one_subject_are_kept():
    assert kept(hit(ASKED, key="a"), hit("図書館の貸出データを誰が見られるか決めたい", key="b")) == ["a", "b"]


def test_a_repetition_takes_no_place_from_another_thing():
    hits = [hit(ASKED, key="a"), hit(ASKED, key="b"), hit("useAuth が undefined を返す", key="c")]
    assert kept(*hits, limit=2) == ["a", "c"]


@given(st.lists(st.tuples(st.text(max_size=40), st.text(max_size=40)), max_size=8), st.integers(0, 4))
def test_what_is_kept_is_in_order_and_within_the_limit(texts: list[tuple[str, str]], limit: int):
    hits = [hit(question, answer, str(number)) for number, (question, answer) in enumerate(texts)]
    numbers = [int(key) for key in kept(*hits, limit=limit)]
    assert numbers == sorted(set(numbers))
    assert len(numbers) <= limit
    assert not hits or limit == 0 or numbers[0] == 0
